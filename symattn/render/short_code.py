"""Shorter code for templates than Jinja's own, with the same meaning.

A page makes hundreds of look-ups, calls and escapes, and each would be a call of the environment. The code written here
does the usual case in place: a name in a dictionary, a macro with its arguments in order, text that is ``Safe``.
Everything else is as it was, the sandbox included.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from copy import copy
from types import FunctionType
from typing import Any, Final

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.runtime import Context, markup_join
from jinja2.utils import missing

from symattn.render.safe import Safe

CODE: Final = 7
"""Raised whenever other code is written: what an older version compiled is not used."""

_IMPORTS: Final = (
    "from functools import partial",
    "from types import FunctionType",
    "from jinja2.runtime import LoopContext",
    "from symattn.render.safe import Safe",
    "from symattn.render.short_code import concatenation, macro_function, together",
)
_JOINED: Final = {Safe, str, int}
_ESCAPED: Final = re.compile("[&<>'\"]")
_OF_A_LOOP: Final = frozenset({"first", "last", "index", "index0", "revindex", "revindex0", "length"})


class ShortCode(CodeGenerator):
    """Writes the code of templates. ``o`` holds what was looked up last."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 - Jinja's name
        """The module of a template."""
        for line in _IMPORTS:
            self.writeline(line)
        super().visit_Template(node, frame)

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:  # noqa: N802
        """Text and values that follow one another are handed on at once."""
        if frame.buffer is None and len(node.nodes) > 1:
            frame = frame.copy()
            frame.buffer = "yield together"
        super().visit_Output(node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        """``a ~ b``."""
        self.write("concatenation((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:  # noqa: N802
        """``x | safe``: what is ``Safe`` passes as it is."""
        if node.name != "safe" or node.node is None:
            super().visit_Filter(node, frame)
            return
        self.write("(o if (o := ")
        self.visit(node.node, frame)
        self.write(").__class__ is Safe else Safe(o))")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        """``x.name``: of a dictionary what it holds under that name, never one of its own methods."""
        name = repr(node.attr)
        if isinstance(node.node, nodes.Name) and node.node.name == "loop" and node.attr in _OF_A_LOOP:
            self.write(f"(o.{node.attr} if (o := ")
            self.visit(node.node, frame)
            self.write(f").__class__ is LoopContext else environment.getattr(o, {name}))")
            return
        self.write(f"(o[{name}] if (o := ")
        self.visit(node.node, frame)
        self.write(f").__class__ is dict and {name} in o else environment.getattr(o, {name}))")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        """A macro is called as it is; anything else by the sandbox."""
        if forward_caller or node.kwargs or node.dyn_args or node.dyn_kwargs:
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.write("(o if (o := ")
        self.visit(node.node, frame)
        self.write(").__class__ is FunctionType else partial(environment.call, context, o))(")
        for argument in node.args:
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")

    def signature(
        self, node: nodes.Call | nodes.Filter | nodes.Test, frame: Frame, extra_kwargs: Mapping[str, Any] | None = None
    ) -> None:
        """The arguments that the template gives, and the caller of a macro: only functions that ask for their context
        would read the variables of a loop or block.
        """
        kept = {name: value for name, value in (extra_kwargs or {}).items() if name == "caller"}
        super().signature(node, frame, kept)

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        """A macro as a function, unless it takes a block or more arguments than it names."""
        if macro_ref.accesses_caller or macro_ref.accesses_kwargs or macro_ref.accesses_varargs:
            super().macro_def(macro_ref, frame)
            return
        names = tuple(argument.name for argument in macro_ref.node.args)
        self.write(f"macro_function(macro, {names!r})")

    def return_buffer_contents(self, frame: Frame, force_unescaped: bool = False) -> None:
        """What a macro gives is escaped already."""
        if force_unescaped:
            self.writeline(f"return Safe(concat({frame.buffer}))")
        else:
            super().return_buffer_contents(frame)

    def _import_common(self, node: nodes.Import | nodes.FromImport, frame: Frame) -> None:
        """An imported template is a dictionary of its macros."""
        super()._import_common(node, frame)
        if isinstance(node, nodes.Import):
            self.write(".__dict__")

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:  # noqa: ARG002
        """Output is escaped by ``finalize``, for the format; Jinja would escape it for HTML as well."""
        self.write("(o if (o := ")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:  # noqa: ARG002
        self.write(f").__class__ is Safe else {finalize.src}o))")


def macro_function(macro: FunctionType, arguments: tuple[str, ...]) -> FunctionType:
    """The function of a macro, which may be called with fewer arguments than it has."""
    macro.__defaults__ = (missing,) * len(arguments)
    macro.arguments = arguments  # type: ignore[attr-defined]
    return macro


def called(macro: FunctionType, given: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    """What a macro gives where some arguments are given by name.

    Raises:
        TypeError: It has no argument of such a name, or has it already.
    """
    free: tuple[str, ...] = macro.arguments[len(given) :]  # type: ignore[attr-defined]
    for name in named:
        if name not in free:
            raise TypeError(f"the macro {name!r} is given to has no such argument left")
    return macro(*given, *(named.get(name, missing) for name in free))


def concatenation(parts: tuple[Any, ...]) -> str:
    """The parts as one text; what HTML would not escape is joined as it is, and is ``Safe`` if a part is."""
    kinds = {part.__class__ for part in parts}
    if not kinds <= _JOINED or any(part.__class__ is str and _ESCAPED.search(part) for part in parts):
        return markup_join(parts)
    text = "".join(map(str, parts))
    return Safe(text) if Safe in kinds else text


class together:  # noqa: N801 - stands in templates' code where Jinja's has a list
    """What Jinja's code does with a list of output: its parts as one text."""

    extend = "".join
    append = str


class _Variables(dict[str, Any]):
    """Variables by name; ``missing`` for one that there is not."""

    def __missing__(self, _: str) -> Any:
        return missing


class PageContext(Context):
    """Variables in one dictionary; those of a loop or block are made from the others without a copy of every block."""

    def __init__(
        self,
        environment: Environment,
        parent: dict[str, Any],
        name: str | None,
        blocks: dict[str, Callable[[Context], Iterator[str]]],
        globals: MutableMapping[str, Any] | None = None,
    ) -> None:
        super().__init__(environment, parent, name, blocks, globals)
        self._hold(parent)

    def get_all(self) -> dict[str, Any]:
        """All variables; whoever makes a context of them copies them."""
        return self.vars

    def derived(self, locals: dict[str, Any] | None = None) -> Context:
        """A context of its own with these variables as well."""
        found = copy(self)
        found.exported_vars = set()
        found._hold({**self.vars, **{name: value for name, value in (locals or {}).items() if value is not missing}})
        return found

    def _hold(self, variables: Mapping[str, Any]) -> None:
        self.parent = self.vars = _Variables(variables)
        self.resolve_or_missing = self.vars.__getitem__  # type: ignore[assignment]
