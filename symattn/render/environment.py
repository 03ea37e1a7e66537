"""The one Jinja environment: TeX-safe delimiters, strict, sandboxed, escaping per format.

Templates get strings, integers, lists and dictionaries alone. What a template prints is escaped for the format in hand
unless it is ``Markup``, which only markup macros and the view make.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Mapping, MutableMapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import FunctionType
from typing import Any, Final

from jinja2 import (
    BaseLoader,
    BytecodeCache,
    ChoiceLoader,
    Environment,
    FileSystemBytecodeCache,
    PrefixLoader,
    StrictUndefined,
    Template,
    TemplateNotFound,
    TemplateSyntaxError,
    pass_context,
)
from jinja2.environment import TemplateModule
from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from symattn.errors import SpecError, Where
from symattn.render.safe import Safe
from symattn.render.short_code import CODE, PageContext, ShortCode
from symattn.render.short_code import called as call_macro

Escape = Callable[[str], str]

_PLAIN_NUMBER: Final = re.compile(r"\d+(\.\d+)?")


class FolderLoader(BaseLoader):
    """Templates below one folder; a name that leads outside, also through a link, is not found."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def get_source(
        self,
        environment: Environment,  # noqa: ARG002 - Jinja's signature
        template: str,
    ) -> tuple[str, str, Callable[[], bool]]:
        """The source, where it stands, and whether it is still current."""
        path = (self._root / template).resolve()
        if not path.is_relative_to(self._root) or not path.is_file():
            raise TemplateNotFound(template)
        changed = path.stat().st_mtime_ns
        return path.read_text(encoding="utf-8"), str(path), lambda: path.stat().st_mtime_ns == changed


def template_root() -> Path:
    """The templates: beside the package in a checkout, so that an edit shows at once, else inside it."""
    checkout = Path(__file__).resolve().parents[2] / "templates"
    if (checkout / "words").is_dir():
        return checkout
    return Path(str(files("symattn"))) / "templates"


class PageEnvironment(ImmutableSandboxedEnvironment):
    """The sandbox, with a short way to what pages use most."""

    code_generator_class = ShortCode
    context_class = PageContext

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._kept: dict[str, Template] = {}

    def get_template(
        self, name: str | Template, parent: str | None = None, globals: MutableMapping[str, Any] | None = None
    ) -> Template:
        """The template; one that cannot have changed is looked up by its name alone."""
        if self.auto_reload or globals is not None or isinstance(name, Template):
            return super().get_template(name, parent, globals)
        if name not in self._kept:
            self._kept[name] = super().get_template(name, parent)
        return self._kept[name]

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Ours and the template's own, copied once: every context is made from them."""
        return {**self.globals, **(d or {})}

    def call(self, context: Context, called: Any, *args: Any, **kwargs: Any) -> Any:
        """What the call gives; a macro is of templates alone, and safe."""
        if type(called) is Macro:
            return called(context.eval_ctx, *args, **kwargs)
        if type(called) is FunctionType and hasattr(called, "arguments"):
            return call_macro(called, args, kwargs)
        return super().call(context, called, *args, **kwargs)


def _compiled() -> BytecodeCache | None:
    """Compiled templates, kept in the user's temporary folder: compiling takes longer than solving."""
    try:
        return FileSystemBytecodeCache(pattern=f"__symattn{CODE}_%s.cache")
    except (OSError, RuntimeError):
        return None


@cache
def environment(overrides: Path | None = None, kind: type[Environment] = PageEnvironment) -> Environment:
    """The environment; ``overrides`` is a folder whose templates come before ours, which stay reachable under
    ``builtin/``. Any other ``kind`` writes the same pages more slowly.
    """
    builtin = FolderLoader(template_root())
    loaders = [PrefixLoader({"builtin": builtin}), builtin]
    if overrides is not None:
        loaders.insert(0, FolderLoader(overrides))
    made = kind(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<%=",
        variable_end_string="%>",
        comment_start_string="<%#",
        comment_end_string="%>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=True,
        finalize=_finalize,
        loader=ChoiceLoader(loaders),
        bytecode_cache=_compiled() if kind is PageEnvironment else None,
        auto_reload=overrides is not None,
    )
    made.filters["safe"] = lambda text: text if isinstance(text, Markup) else Safe(text)
    made.tests["plain_number"] = _PLAIN_NUMBER.fullmatch
    for name in ("lipsum", "cycler", "namespace"):
        made.globals.pop(name, None)
    return made


@pass_context
def _finalize(context: Context, value: Any) -> Any:
    return value if isinstance(value, Markup) else context["escape"](str(value))


def rendered(template: str, view: Mapping[str, Any], escape: Escape, overrides: Path | None = None) -> str:
    """A page: the template filled from the view, with blank lines tidied."""
    try:
        text = environment(overrides).get_template(template).render(view, escape=escape)
    except Exception as error:
        if overrides is None:
            raise
        raise _unusable(error, overrides) from None
    lines = "\n".join([line.rstrip(" \t") for line in text.split("\n")])
    while "\n\n\n" in lines:
        lines = lines.replace("\n\n\n", "\n\n")
    return lines.strip("\n") + "\n"


def said(template: str, macro: str, arguments: Mapping[str, Any], overrides: Path | None = None) -> str:
    """What a macro says as plain text, which nothing escapes."""
    try:
        return str(call_macro(getattr(_module(template, overrides), macro), (), arguments))
    except Exception as error:
        if overrides is None:
            raise
        raise _unusable(error, overrides) from None


@cache
def _module(template: str, overrides: Path | None) -> TemplateModule:
    return environment(overrides).get_template(template).make_module({"escape": str})


def _unusable(error: Exception, overrides: Path) -> SpecError:
    """What a template of the user's own does wrong: Jinja's word for it, with the template and its line where known."""
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(".jinja")]
    file, line = (lines[-1].filename, lines[-1].lineno) if lines else (str(overrides), None)
    if isinstance(error, TemplateSyntaxError):
        file, line = error.filename or file, error.lineno
    what = " ".join(str(error).split()) or type(error).__name__
    return SpecError(
        f"the template cannot be filled: {what}", mend="mend it, or leave out --templates", where=Where("", line, file)
    )
