"""Exact values as SymPy syntax, written directly: the ``exact`` strings of JSON."""

from __future__ import annotations

from collections.abc import Iterable

from flint import fmpq

from symattn.exact import numbers
from symattn.exact.closed import ClosedForm, Generator, closed_form
from symattn.exact.layers import written
from symattn.exact.numbers import Argument, Atom, Exact, Known, is_zero
from symattn.exact.values import MASKED, UNDEFINED, LogSum, Value, combined


class Writer:
    """Writes values over one generator; the strings of exponentials are made once.

    Values of ``later`` layers may have no closed form.
    """

    def __init__(self, by: Generator | None, *, later: bool = False) -> None:
        self._by, self._later = by, later
        self._exponentials: dict[tuple[bool, Exact | int], str] = {}
        self._sides: dict[tuple[tuple[int, int], ...], str] = {}

    def closed(self, value: Value) -> str | None:
        """The text of a value; None where a later layer's has no closed form."""
        found = written(value) if self._later else value
        return None if found is None else self.value(found)

    def value(self, value: Value) -> str:
        """A value such as ``exp(sqrt(2)/2)/(1 + 2*exp(sqrt(2)/2))``; ``-oo`` for a masked logit."""
        if value is MASKED:
            return "-oo"
        if value is UNDEFINED:
            return "nan"
        if isinstance(value, LogSum):
            return f"log({number(combined(value.row.denominator()))})"
        return self.form(closed_form(value, self._by))

    def form(self, form: ClosedForm) -> str:
        """The form in SymPy syntax."""
        if not form.numerator:
            return "0"
        over = self._denominator(form)
        if over == "1":
            return self._side(form.numerator, form)
        return f"{_bracketed(self._side(form.numerator, form), over=False)}/{_bracketed(over, over=True)}"

    def _denominator(self, form: ClosedForm) -> str:
        """The denominator's text; a row's integer ones are made once."""
        if form.generator is None or not all(type(factor) is int for factor, _ in form.denominator):
            return self._side(form.denominator, form)
        if form.denominator not in self._sides:
            self._sides[form.denominator] = self._side(form.denominator, form)
        return self._sides[form.denominator]

    def _side(self, side: tuple[tuple[Exact, Exact | int], ...], form: ClosedForm) -> str:
        return joined(self._term(factor, power, form) for factor, power in side)

    def _term(self, factor: Exact, power: Exact | int, form: ClosedForm) -> str:
        if type(factor) is int and type(power) is int and power:
            known = self._exponentials.get((False, power))
            if known is not None:
                return known if factor == 1 else f"{factor}*{known}" if factor != -1 else f"-{known}"
        if not isinstance(power, numbers.Number) and power == 0:
            return number(factor)
        key = (form.generator is None, power)  # the exponent 1 and the power u^1 are two things
        text = self._exponentials.get(key)
        if text is None:
            text = f"exp({number(power if form.generator is None else form.generator.exponent * power)})"
            self._exponentials[key] = text
        if not isinstance(factor, numbers.Number):
            return text if factor == 1 else f"-{text}" if factor == -1 else f"{number(factor)}*{text}"
        times = number(factor)
        return f"({times})*{text}" if " " in times else f"{times}*{text}"


def _bracketed(text: str, *, over: bool) -> str:
    plain = " " not in text and not (over and ("*" in text or "/" in text))
    return text if plain else f"({text})"


def joined(parts: Iterable[str]) -> str:
    """Terms with their signs between them."""
    return " + ".join(parts).replace(" + -", " - ")


def number(value: Exact | int) -> str:
    """An exact number in SymPy syntax, such as ``1 + 3*sqrt(2)/2``."""
    if isinstance(value, int):
        return str(value)
    if is_zero(value):
        return "0"
    return joined(_product(factor, atoms, exponent) for (atoms, exponent), factor in numbers.terms(value))


def _product(factor: fmpq, atoms: numbers.Atoms, exponent: Exact | int) -> str:
    parts = [_atom(atom, power) for atom, power in numbers.powers(atoms)]
    if not is_zero(exponent):
        parts.append(f"exp({number(exponent)})")
    sign = "-" if factor < 0 else ""
    above, below = abs(factor.p), factor.q
    if above != 1 or not parts:
        parts.insert(0, str(above))
    return sign + "*".join(parts) + (f"/{below}" if below != 1 else "")


def _atom(atom: Atom, power: fmpq) -> str:
    kind, name = atom
    if isinstance(name, Known):
        raise ValueError("what is known by its enclosures alone has no closed form")
    if isinstance(name, Argument):
        base = f"{'log' if kind == 'ln' else kind}({number(name.number)})"
        return base if power == 1 else f"{base}**{power}"
    if kind == "root":
        return f"sqrt({name})" if power == fmpq(1, 2) else f"{name}**({power})"
    base = f"log({name})" if kind == "log" else "pi" if kind == "pi" else str(name)
    if power == 1:
        return base
    return f"{base}**{power}" if power.q == 1 and power > 0 else f"{base}**({power})"
