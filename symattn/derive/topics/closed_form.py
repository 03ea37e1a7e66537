"""From the scores of a given problem to rational functions of one number u, cancelled, with equality decided."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from flint import fmpq

from symattn.derive.algebra import cancelled
from symattn.derive.numbers_in import asked, at, counterexample, instance, tabulated
from symattn.derive.sections import worked
from symattn.errors import SpecError
from symattn.exact import numbers
from symattn.exact.attention import Head
from symattn.exact.closed import Generator
from symattn.exact.numbers import Exact
from symattn.exact.values import Softmax
from symattn.parse.problem import loads
from symattn.parse.starter import NAPKIN
from symattn.problem import Problem
from symattn.statements.proof import Assumption, Law, Line, Proof, Question
from symattn.statements.terms import ZERO, Add, Array, Letter, Mul, Num, Pow, Sum, Term, exp, sqrt

N, T = Letter("n", "n", "natural"), Letter("T", "T", "positive")
U, G, BASE = Letter("u", "u", "positive"), Letter("g", "g", "positive"), Letter("b", "b")
S, STEPS = Array("s", "s", ("n",)), Array("m", "m", ("n",))
P = Array("p", "p", ("n",), "positive")
_MOST_ROWS = 3
_MOST_KEYS = 8
_LARGEST_POWER = 40
_HEATS = (Fraction(1, 2), Fraction(1), Fraction(2), Fraction(8))

GENERAL = (
    Line("softmax", P["j"], exp(S["j"]) / Sum("l", N, exp(S["l"])), Law.DEFINITION),
    Line(
        "in_steps",
        P["j"],
        exp(STEPS["j"] * G) / Sum("l", N, exp(STEPS["l"] * G)),
        Law.ALGEBRA,
        ("softmax", "steps"),
        result=True,
    ),
)


def proof(seed: int, problem: Problem | None = None) -> Proof:
    """The derivation for a problem; for the built-in napkin where none is given.

    Raises:
        SpecError: Its rows have no one number behind them, or are more than a page holds.
    """
    solved = worked(problem or loads(NAPKIN))
    head, by = solved.sections[0].result.heads[0], solved.sections[0].generator()
    if by is None or len(solved.sections[0].result.heads) > 1:
        raise SpecError(
            "no one number is behind the weights of one head",
            mend="take one head whose scores are multiples of one number",
        )
    if head.scores.shape[1] > _MOST_KEYS:
        raise SpecError(f"a page of closed forms takes up to {_MOST_KEYS} keys", mend="take a smaller problem")
    if max(power for row in head.rows for power in by.powers(row)) > _LARGEST_POWER:
        raise SpecError(f"a power of u above {_LARGEST_POWER} can't be read", mend="take entries with fewer digits")
    base = term_of(by.exponent)
    rows = distinct_rows(head)
    lines = [line for row in rows for line in _row(head, row, by)]
    results = {line.left: line.right for line in lines if line.result}
    shown = [(left, right) for left, right in results.items() if isinstance(left, Letter)]
    weights = [pair for pair in shown if pair[0].name.startswith("A")][:4]
    first = shown[0]
    return Proof(
        topic="closed-form",
        assumptions=(Assumption("steps", ((S["j"], BASE + STEPS["j"] * G),)),),
        lines=(*GENERAL, Line("letter", U, exp(base), Law.DEFINITION), *lines),
        ranges=(("j", "n"),),
        counterexamples=(
            counterexample("steps", GENERAL, "in_steps", at(n=3, j=1, s=(0, 1, sqrt(2)), m=(0, 1, 1), b=0, g=1)),
        ),
        tables=(tabulated("degrees", (T, *weights), [at(T=heat, u=exp(base / Num(heat))) for heat in _HEATS]),),
        instances=(("first", instance(first[1], at(u=exp(base)))),),
        questions=(asked("any", first[1], seed, u=(2, 3, 5)), Question("equal")),
        terms=(("first", first[0]), ("p_j", P["j"]), ("s_j", S["j"]), ("m_j", STEPS["j"])),
    )


def distinct_rows(head: Head) -> list[int]:
    """The first rows of which none holds the same logits as another, in whatever order."""
    seen: set[frozenset[tuple[Exact, int]]] = set()
    found = []
    for place, row in enumerate(head.rows):
        key = frozenset(zip(row.exponents, row.counts, strict=True))
        if key not in seen and len(row.exponents) > 1:
            found.append(place)
        seen.add(key)
    if not found:
        raise SpecError("every weight is a plain fraction here", mend="take a row with two different scores")
    return found[:_MOST_ROWS]


def _row(head: Head, place: int, by: Generator) -> Iterator[Line]:
    """The sum of a row, each of its different weights, and its outputs."""
    row, at_page = head.rows[place], place + 1
    whole = Letter(f"D_{at_page}", f"D_{at_page}", "positive")
    yield Line(f"sum:{at_page}", whole, _total(row), Law.DEFINITION)
    first = {group: key for key, group in reversed(list(enumerate(row.groups))) if group is not None}
    known: dict[int, tuple[Letter, Term, str]] = {}
    for group, key in sorted(first.items(), key=lambda pair: pair[1]):
        letter = _entry("A", at_page, key + 1)
        name = f"weight:{at_page}:{key + 1}"
        yield Line(f"given_{name}", letter, exp(term_of(row.exponents[group])) / whole, Law.DEFINITION)
        right = cancelled(Pow(U, Fraction(by.powers(row)[group])) / _in_u(row, by))
        yield Line(name, letter, right, Law.ALGEBRA, (f"given_{name}", f"sum:{at_page}", "letter"), result=True)
        known[group] = letter, right, name
    for column in range(head.value.shape[1]):
        yield from _output(head, place, column, known)


def _output(head: Head, place: int, column: int, known: dict[int, tuple[Letter, Term, str]]) -> Iterator[Line]:
    """One number of an output, as a mix of weights and in u; nothing where every value of the mix is 0."""
    row, letter, name = head.rows[place], _entry("Z", place + 1, column + 1), f"output:{place + 1}:{column + 1}"
    shares: list[tuple[int, Term]] = []
    for key, group in enumerate(row.groups):
        value = head.value[key, column].number
        if group is not None and not numbers.is_zero(value):
            shares.append((group, term_of(value)))
    if not shares:
        return
    parts = [(known[group], value) for group, value in shares]
    yield Line(f"given_{name}", letter, _sum(value * weight for (weight, _, _), value in parts), Law.DEFINITION)
    right = cancelled(_sum(value * form for (_, form, _), value in parts))
    used = dict.fromkeys(weight for (_, _, weight), _ in parts)
    yield Line(name, letter, right, Law.ALGEBRA, (f"given_{name}", *used), result=True)


def _entry(of: str, row: int, column: int) -> Letter:
    return Letter(f"{of}_{row}_{column}", f"{of}_{{{row}{column}}}", "positive" if of == "A" else "real")


def _sum(parts: Iterator[Term]) -> Term:
    found = tuple(parts)
    return Add(found) if len(found) > 1 else found[0]


def _total(row: Softmax) -> Term:
    """The sum of a row's exponentials, equal ones counted."""
    return _sum(
        exp(term_of(exponent)) if count == 1 else count * exp(term_of(exponent))
        for exponent, count in zip(row.exponents, row.counts, strict=True)
    )


def _in_u(row: Softmax, by: Generator) -> Term:
    return _sum(count * Pow(U, Fraction(power)) for power, count in by.denominator(row).items())


def term_of(number: Exact) -> Term:
    """An exact number as a term.

    Raises:
        SpecError: It holds more than rational numbers and roots.
    """
    parts: list[Term] = []
    for (atoms, exponent), factor in numbers.terms(number):
        if not numbers.is_zero(exponent) or any(atom[0] != "root" for atom, *_ in atoms):
            raise SpecError("closed forms in one letter need scores of roots and fractions", mend="take other entries")
        parts.append(_product(factor, [(int(str(atom[1])), Fraction(above, below)) for atom, above, below in atoms]))
    return _sum(iter(parts)) if parts else ZERO


def _product(factor: fmpq, roots: list[tuple[int, Fraction]]) -> Term:
    """A rational number times roots; a square root below the line where that is shorter."""
    over, under = int(factor.p), int(factor.q)
    match roots:
        case [(radicand, Fraction(numerator=1, denominator=2))] if under % radicand == 0:
            below = Pow(Num(Fraction(radicand)), Fraction(1, 2))
            rest = under // radicand
            return Num(Fraction(over)) / (below if rest == 1 else rest * below)
    powers: list[Term] = [Pow(Num(Fraction(prime)), power) for prime, power in roots]
    factors = [*([Num(Fraction(over, under))] if factor != 1 or not powers else []), *powers]
    return Mul(tuple(factors)) if len(factors) > 1 else factors[0]
