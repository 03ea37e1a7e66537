"""``symattn compare``: results beside the exact ones, from files or from a function."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from symattn import __version__
from symattn.errors import SpecError, SymattnError, Where

if TYPE_CHECKING:
    from symattn.arrays.comparison import Comparison

_PROBLEMS: Final = (".toml", ".json")
_THREE: Final = ("query", "key", "value")
_ARRAYS: Final = ("mask", "bias", "key_lengths", "past_key", "past_value", "sink", "grad_output")
_NUMBERS: Final = ("scale", "softcap")
_WORDS: Final = ("num_kv_heads", "on_masked_row", "convention", "layout", "dtype")


@click.command()
@click.argument("given", metavar="[PROBLEM|INPUTS]", required=False)
@click.argument("result", metavar="[RESULT]", required=False)
@click.option(
    "--call", "function", metavar="MODULE:FUNCTION", help="A function to call, in place of a file of results."
)
@click.option("--max-ulp", type=float, metavar="NUMBER", help="Exit with 1 where an error is larger.")
@click.option("--format", "shape", type=click.Choice(("text", "json")), default="text", help="What is printed.")
@click.option("--causal", type=click.Choice(("true", "false", "top-left", "bottom-right")), help="As in reference.")
@click.option("--scale", metavar="NUMBER", help="A float, or a fraction such as 1/3.")
@click.option("--softcap", metavar="NUMBER", help="The same.")
@click.option("--window", metavar="LEFT,RIGHT", help="Ends included, -1 for open.")
@click.option("--num-kv-heads", type=int, help="Checked.")
@click.option("--key-lengths", metavar="LIST", help="One, or one for each item of the batch.")
@click.option("--on-masked-row", type=click.Choice(("error", "zero", "uniform", "nan")))
@click.option("--convention", type=click.Choice(("torch", "jax", "onnx", "flash", "keras", "torch-mha")))
@click.option("--layout", type=click.Choice(("bhsd", "bshd")))
@click.option("--rows", metavar="ROWS", help="sample:64, or a list such as 0,5,17.")
@click.option(
    "--dtype", type=click.Choice(("float64", "float32", "float16", "bfloat16")), help="Of JSON, and of --call."
)
def compare(given: str | None, result: str | None, function: str | None, **wishes: Any) -> None:
    """Say how far results are from the exact ones, and which mistake they show.

    INPUTS holds arrays named as the parameters of symattn.reference (query, key, value, mask, ...), RESULT those of its
    results (output, weights, lse, d_query, d_key, d_value): .npz, .json or .safetensors. Or a problem file, and arrays
    of it. With --call a function is run on INPUTS, or without them on a ladder of sizes and options.
    """
    if function is None:
        if given is None or result is None:
            raise SpecError("two files are compared", mend="give INPUTS and RESULT, or --call MODULE:FUNCTION")
        _tell(_files(Path(given), Path(result), wishes), wishes)
        return
    if result is not None:
        raise SpecError("--call takes the place of RESULT", mend="leave one away", where=Where("--call"))
    called = _function(function)
    if given is None:
        _climb(called, wishes)
    else:
        _tell(_called(called, Path(given), wishes), wishes)


def _tell(found: Comparison, wishes: Mapping[str, Any]) -> None:
    """Print what was found; exit with 1 where a limit was given and is passed."""
    from symattn.render.comparison import comparison

    if wishes["shape"] == "json":
        click.echo(json.dumps({"symattn": __version__, **found.to_json()}, indent=1))
    else:
        click.echo(comparison(found.to_json(), wishes["max_ulp"]), nl=False)
    _leave(wishes, found.ok)


def _leave(wishes: Mapping[str, Any], ok: bool) -> None:
    if wishes["max_ulp"] is not None and not ok:
        sys.exit(1)


def _files(given: Path, result: Path, wishes: Mapping[str, Any]) -> Comparison:
    from symattn.arrays import compare as compare_arrays
    from symattn.arrays.files import read

    problem = _problem(given)
    results = read(result)
    if problem is not None:
        from symattn.arrays.problems import compare_problem

        strange = [name for name in _options({}, wishes) if name != "dtype"]
        if strange:
            raise SpecError(
                "a problem file says its own options",
                mend="write it there",
                where=Where(f"--{strange[0].replace('_', '-')}"),
            )
        return _placed(
            result,
            lambda: compare_problem(problem, results, dtype=wishes["dtype"] or "float64", max_ulp=wishes["max_ulp"]),
        )
    arrays = _inputs(given)
    return _placed(
        given, lambda: compare_arrays(results, **arrays, **_options(arrays, wishes), max_ulp=wishes["max_ulp"])
    )


def _placed(file: Path, work: Callable[[], Comparison]) -> Comparison:
    try:
        return work()
    except SymattnError as error:
        raise error.located(file=str(file)) from None


def _problem(path: Path) -> Any:
    """The problem of a problem file; None for a file of arrays."""
    if path.suffix not in _PROBLEMS:
        return None
    if path.suffix == ".json":
        from symattn.arrays.files import read as arrays

        if set(_THREE) <= set(arrays(path)):
            return None
    from symattn.parse.problem import read

    return read(path)


def _inputs(path: Path) -> dict[str, Any]:
    """The arrays of a call.

    Raises:
        SpecError: One is missing, or has a name that is no parameter's.
    """
    from symattn.arrays.files import read

    found = read(path)
    missing = [name for name in _THREE if name not in found]
    strange = [name for name in found if name not in (*_THREE, *_ARRAYS, *_NUMBERS)]
    if missing or strange:
        what = f"there is no {missing[0]}" if missing else f"{strange[0]!r} is no parameter of reference"
        raise SpecError(what, mend=f"name arrays query, key, value, {', '.join(_ARRAYS)}", where=Where(file=str(path)))
    return found


def _options(arrays: Mapping[str, Any], wishes: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given as flags.

    Raises:
        SpecError: One is no number, or is in the file too.
    """
    found = {
        name: wishes[name]
        for name in ("num_kv_heads", "on_masked_row", "convention", "layout", "dtype")
        if wishes[name]
    }
    if wishes["causal"]:
        found["causal"] = {"true": True, "false": False}.get(wishes["causal"], wishes["causal"])
    for name in _NUMBERS:
        if wishes[name]:
            found[name] = _number(wishes[name], name)
    for name in ("window", "key_lengths"):
        if wishes[name]:
            found[name] = _integers(wishes[name], name)
    if wishes["rows"]:
        found["rows"] = wishes["rows"] if wishes["rows"].startswith("sample") else _integers(wishes["rows"], "rows")
    twice = [name for name in found if name in arrays]
    if twice:
        raise SpecError("it is in the file too", mend="leave one away", where=_flag(twice[0]))
    return found


def _flag(name: str) -> Where:
    return Where(f"--{name.replace('_', '-')}")


def _number(text: str, name: str) -> Any:
    """A float as it is read, or a fraction of whole numbers."""
    from fractions import Fraction

    try:
        return Fraction(text) if "/" in text else float(text)
    except (ValueError, ZeroDivisionError):
        raise SpecError(f"{text!r} is no number", mend="write 0.125 or 1/8", where=_flag(name)) from None


def _integers(text: str, name: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise SpecError(f"{text!r} is no list of whole numbers", mend="write 3,0", where=_flag(name)) from None


def _function(name: str) -> Callable[..., Any]:
    """The function that MODULE:FUNCTION names; modules of the working folder are found.

    Raises:
        SpecError: There is no such module or function.
    """
    module, _, attribute = name.partition(":")
    sys.path.insert(0, "")
    try:
        found = getattr(importlib.import_module(module), attribute) if module and attribute else None
    except (ImportError, AttributeError) as fault:
        raise SpecError(f"{name!r} cannot be found ({fault})", where=Where("--call")) from None
    if not callable(found):
        raise SpecError(f"{name!r} is no function", mend="write MODULE:FUNCTION", where=Where("--call"))
    return found  # type: ignore[no-any-return]


def _called(function: Callable[..., Any], path: Path, wishes: Mapping[str, Any]) -> Comparison:
    """A function on the arrays of a file."""
    from symattn.arrays import compare as compare_arrays

    arrays = _inputs(path)
    options = _options(arrays, wishes)
    passed = {name: option for name, option in options.items() if name not in ("rows", "layout", "dtype", "convention")}
    more = {name: array for name, array in arrays.items() if name not in _THREE}
    found = function(*(arrays[name] for name in _THREE), **more, **passed)
    return _placed(path, lambda: compare_arrays(found, **arrays, **options, max_ulp=wishes["max_ulp"]))


def _climb(function: Callable[..., Any], wishes: Mapping[str, Any]) -> None:
    """A function on every call of the ladder that it takes."""
    from symattn.arrays.ladder import climbed
    from symattn.render.comparison import ladder

    strange = [name for name in _options({}, wishes) if name not in ("dtype", "layout")]
    if strange:
        raise SpecError("the ladder has options of its own", mend="give INPUTS too", where=_flag(strange[0]))
    given = {name: wishes[name] for name in ("dtype", "layout") if wishes[name]}
    found = [(str(rung), one) for rung, one in climbed(function, max_ulp=wishes["max_ulp"], **given)]
    told = [{"call": name, **one.to_json()} for name, one in found]
    if wishes["shape"] == "json":
        click.echo(json.dumps({"symattn": __version__, "calls": told}, indent=1))
    else:
        click.echo(ladder(told, wishes["max_ulp"]), nl=False)
    _leave(wishes, all(one.ok for _, one in found))
