"""A reference evaluator of attention, written apart: mpmath and fractions alone, no line shared with the package.

A problem is a plain dict in the shape of the problem file. An entry is an int, a Fraction, a Decimal, or a string such
as ``"0.1"``, ``"1/3"``, ``"sqrt(2)/2"``, ``"log(3)"``. Every result is one of three kinds, and no digit is guessed:

- a ``Fraction`` where the value is known to be that rational;
- an ``Irrational`` (an mpf) where it is proved that it is none, so that more digits must settle any rounding;
- a plain mpf where neither is known: near a rounding boundary ``nearest`` raises ``TooClose`` instead of answering.

The proofs. Square roots of different squarefree numbers are linearly independent over the rationals, so a ``Closed``
number is rational when only its rational term is left (with logarithms of primes: Baker). A weight or an output is a
quotient N/D of sums ``c e^a``; where all ``a`` and ``c`` are algebraic it equals a constant t only if N - t D collects
to nothing (Lindemann and Weierstrass), and is transcendental otherwise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

import mpmath

DIGITS = 60
ATTEMPTS = 4
"""How often ``printed`` doubles its digits before it says ``TooClose``."""


class TooClose(ArithmeticError):  # noqa: N818 - a verdict about a value, which callers catch and act on
    """At this many digits the value cannot be told from a rounding boundary, or from an integer."""


class FullyMaskedError(ValueError):
    """A query may attend to no key, so that its weights are 0/0."""


class ZeroSumError(ValueError):
    """Every written exponential of a row is 0: more decimals are needed."""


class _NotClosedError(ArithmeticError):
    """The result is no ``Closed`` number (or we don't look for it); it goes on as an ``Opaque``."""


class Irrational(mpmath.mpf):
    """An approximation of a number that is proved to be irrational."""

    @classmethod
    def near(cls, value: mpmath.mpf) -> Irrational:
        made = object.__new__(cls)
        made._mpf_ = value._mpf_
        return made


# ---------------------------------------------------------------------------------------------- numbers


@lru_cache(maxsize=4096)
def _factors(number: int) -> dict[int, int]:
    if not 0 < number <= 10**12:
        raise _NotClosedError
    found: dict[int, int] = {}
    prime = 2
    while prime * prime <= number:
        while number % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            number //= prime
        prime += 1
    if number > 1:
        found[number] = found.get(number, 0) + 1
    return found


def _steady(parts: Callable[[int], list[mpmath.mpf]], digits: int) -> mpmath.mpf:
    """The sum of ``parts(dps)`` to ``digits`` significant digits, however much of it cancels. It must not be zero."""
    dps = digits + 20
    while dps < 100 * digits:
        with mpmath.workdps(dps):
            terms = parts(dps)
            total = mpmath.fsum(terms)
            if total and max(map(abs, terms)) < abs(total) * mpmath.mpf(10) ** (dps - digits - 10):
                return total
        dps *= 2
    raise TooClose("a sum cancels to nothing that is known to be nothing")


class Number:
    """What the three kinds of number share; the arithmetic that leaves a kind goes on as an ``Opaque``."""

    def rational(self) -> Fraction | None:
        """The value, where it is known to be rational."""
        return None

    def irrational(self) -> bool:
        """Whether it is proved that the value is not rational."""
        return False

    def at(self, digits: int) -> mpmath.mpf:
        raise NotImplementedError

    def known(self, digits: int) -> Fraction | mpmath.mpf:
        exact = self.rational()
        if exact is not None:
            return exact
        return Irrational.near(self.at(digits)) if self.irrational() else self.at(digits)

    def __add__(self, other: Number) -> Number:
        try:
            return _closed_sum(self, other)
        except _NotClosedError:
            return Opaque(lambda dps: self.at(dps) + other.at(dps))

    def __mul__(self, other: Number) -> Number:
        if self.rational() == 0 or other.rational() == 0:
            return ZERO
        try:
            return _closed_product(self, other)
        except _NotClosedError:
            return Opaque(lambda dps: self.at(dps) * other.at(dps))

    def inverse(self) -> Number:
        return Opaque(lambda dps: 1 / self.at(dps))


class Closed(Number):
    """A sum of ``c sqrt(r)`` and ``c sqrt(r) log(p)``: terms (r squarefree, p prime or 1) -> c, rational and not 0."""

    def __init__(self, terms: dict[tuple[int, int], Fraction]) -> None:
        self.terms = {key: value for key, value in terms.items() if value}
        self._hash = hash(frozenset(self.terms.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Closed) and self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash

    def rational(self) -> Fraction | None:
        return self.terms.get((1, 1), Fraction(0)) if self.terms.keys() <= {(1, 1)} else None

    def irrational(self) -> bool:
        return self.rational() is None

    def algebraic(self) -> bool:
        return all(prime == 1 for _, prime in self.terms)

    def at(self, digits: int) -> mpmath.mpf:
        if not self.terms:
            return mpmath.mpf(0)
        return _steady(lambda _dps: [self._term(key) for key in self.terms], digits)

    def _term(self, key: tuple[int, int]) -> mpmath.mpf:
        (root, prime), times = key, self.terms[key]
        value = mpmath.mpf(times.numerator) / times.denominator * mpmath.sqrt(root)
        return value * mpmath.log(prime) if prime > 1 else value

    def inverse(self) -> Number:
        if not self.terms:
            raise ZeroDivisionError("division by zero in an entry")
        if len(self.terms) == 1:
            (((root, prime), times),) = self.terms.items()
            if prime == 1:
                return Closed({(root, 1): 1 / (times * root)})
        return super().inverse()


class Opaque(Number):
    """Digits alone: whatever the proofs above don't reach."""

    def __init__(self, compute: Callable[[int], mpmath.mpf]) -> None:
        self._compute = compute
        self._seen: dict[int, mpmath.mpf] = {}

    def at(self, digits: int) -> mpmath.mpf:
        if digits not in self._seen:
            with mpmath.workdps(digits + 10):
                self._seen[digits] = +self._compute(digits + 10)
        return self._seen[digits]


ExpSum = dict[Closed, Closed]
"""sum of c * e^a: a -> c."""


class Quotient(Number):
    """N/D, two sums of exponentials whose quotient is not a constant; made by ``_quotient`` alone."""

    def __init__(self, above: ExpSum, below: ExpSum) -> None:
        self.above, self.below = above, below

    def inverse(self) -> Number:
        return _quotient(self.below, self.above)

    def irrational(self) -> bool:
        numbers = {*self.above.items(), *self.below.items()}
        return all(power.algebraic() and times.algebraic() for power, times in numbers)

    def at(self, digits: int) -> mpmath.mpf:
        above, below = (
            _steady(lambda dps, s=s: [t.at(dps) * _exp(power, dps) for power, t in s.items()], digits + 5)
            for s in (self.above, self.below)
        )
        with mpmath.workdps(digits + 10):
            return above / below


def rational(value: int | Fraction) -> Closed:
    return Closed({(1, 1): Fraction(value)})


ZERO, ONE = rational(0), rational(1)


@lru_cache(maxsize=65536)
def _exp(power: Closed, digits: int) -> mpmath.mpf:
    size = power.at(20)
    more = int(mpmath.log10(abs(size))) + 5 if abs(size) > 1 else 5
    with mpmath.workdps(digits + more):
        return mpmath.exp(power.at(digits + more))


def _add_terms(sums: Iterable[dict], zero: Any) -> dict:
    """The sums, collected: equal keys added, and what vanishes left out."""
    collected: dict = {}
    for terms in sums:
        for key, value in terms.items():
            collected[key] = collected[key] + value if key in collected else value
    return {key: value for key, value in collected.items() if value != zero}


def _plain_sum(one: Closed, other: Closed) -> Closed:
    return Closed(_add_terms((one.terms, other.terms), Fraction(0)))


def _plain_product(one: Closed, other: Closed) -> Closed:
    found: list[dict[tuple[int, int], Fraction]] = []
    for (root, prime), times in one.terms.items():
        for (root2, prime2), times2 in other.terms.items():
            if prime > 1 and prime2 > 1:
                raise _NotClosedError
            common = math.gcd(root, root2)
            found.append({(root * root2 // common**2, prime * prime2): times * times2 * common})
    return Closed(_add_terms(found, Fraction(0)))


def _split(power: Closed) -> tuple[Closed, Closed]:
    """e^power = c * e^rest with c rational: whole multiples of logarithms leave the exponent. Returns (rest, c)."""
    rest, factor = dict(power.terms), Fraction(1)
    for (root, prime), times in power.terms.items():
        if root == 1 and prime > 1 and abs(times) < 1000:
            whole = math.floor(times)
            rest[1, prime] = times - whole
            factor *= Fraction(prime) ** whole
    return Closed(rest), rational(factor)


def _times(one: ExpSum, other: ExpSum) -> ExpSum:
    if len(one) * len(other) > 5000:
        raise _NotClosedError
    found = []
    for power, times in one.items():
        for power2, times2 in other.items():
            rest, factor = _split(_plain_sum(power, power2))
            found.append({rest: _plain_product(_plain_product(times, times2), factor)})
    return _add_terms(found, ZERO)


def _quotient(above: ExpSum, below: ExpSum) -> Number:
    """N/D, as the constant that it is where N - t D collects to nothing."""
    pivot, bottom = next(iter(below.items()))
    top = above.get(pivot, ZERO)
    same = all(
        _plain_product(above.get(a, ZERO), bottom) == _plain_product(top, below.get(a, ZERO)) for a in {*above, *below}
    )
    return top * bottom.inverse() if same else Quotient(above, below)


def _as_quotient(number: Number) -> tuple[ExpSum, ExpSum]:
    if isinstance(number, Quotient):
        return number.above, number.below
    if isinstance(number, Closed):
        return ({ZERO: number} if number.terms else {}), {ZERO: ONE}
    raise _NotClosedError


def _closed_sum(one: Number, other: Number) -> Number:
    if isinstance(one, Closed) and isinstance(other, Closed):
        return _plain_sum(one, other)
    (above, below), (above2, below2) = _as_quotient(one), _as_quotient(other)
    if below == below2:
        return _quotient(_add_terms((above, above2), ZERO), below)
    return _quotient(_add_terms((_times(above, below2), _times(above2, below)), ZERO), _times(below, below2))


def _closed_product(one: Number, other: Number) -> Number:
    if isinstance(one, Closed) and isinstance(other, Closed):
        return _plain_product(one, other)
    (above, below), (above2, below2) = _as_quotient(one), _as_quotient(other)
    return _quotient(_times(above, above2), _times(below, below2))


def total(numbers: Iterable[Number]) -> Number:
    return reduce(Number.__add__, numbers, ZERO)


# ---------------------------------------------------------------------------------------------- entries

_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|(sqrt|log|ln|exp|pi|e)\b|(\*\*|[-+*/^()]))")


def square_root(number: Number) -> Number:
    value = number.rational()
    if value is not None and value < 0:
        raise ValueError("the square root of a negative number")
    try:
        if value is None:
            raise _NotClosedError
        if value == 0:
            return ZERO
        outside, inside = Fraction(1, value.denominator), 1
        for prime, times in _factors(value.numerator).items():
            outside *= prime ** (times // 2)
            inside *= prime ** (times % 2)
        for prime, times in _factors(value.denominator).items():
            outside *= prime ** (times // 2)
            if times % 2:
                inside *= prime
        return Closed({(inside, 1): outside})
    except _NotClosedError:
        return Opaque(lambda dps: mpmath.sqrt(number.at(dps)))


def logarithm(number: Number) -> Number:
    value = number.rational()
    if value is not None and value <= 0:
        raise ValueError("the logarithm of a number that is not positive")
    try:
        if value is None:
            raise _NotClosedError
        parts = [{(1, p): Fraction(times)} for p, times in _factors(value.numerator).items()]
        parts += [{(1, p): Fraction(-times)} for p, times in _factors(value.denominator).items()]
        return Closed(_add_terms(parts, Fraction(0)))
    except _NotClosedError:
        return Opaque(lambda dps: mpmath.log(number.at(dps)))


def exponential(number: Number) -> Number:
    if isinstance(number, Closed):
        rest, factor = _split(number)
        return _quotient({rest: factor}, {ZERO: ONE})
    return Opaque(lambda dps: mpmath.exp(number.at(dps)))


def _power(base: Number, power: Number) -> Number:
    times = power.rational()
    if times is not None and times.denominator == 1 and abs(times) <= 1000:
        value = reduce(Number.__mul__, [base] * abs(times.numerator), ONE)
        return value if times >= 0 else value.inverse()
    if times == Fraction(1, 2):
        return square_root(base)
    return exponential(power * logarithm(base))


class _Reader:
    """Recursive descent over ``+ - * / ^``, brackets, ``sqrt log ln exp``, ``pi`` and ``e``."""

    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0
        self.kind, self.word = 0, ""
        self.step()

    def step(self) -> None:
        if not self.text[self.place :].strip():
            self.kind, self.word = 0, ""
            return
        match = _TOKEN.match(self.text, self.place)
        if not match:
            raise ValueError(f"not an entry: {self.text!r}")
        self.kind, self.word, self.place = match.lastindex or 0, match[match.lastindex or 0], match.end()

    def take(self, *words: str) -> str:
        word = self.word if self.kind and self.word in words else ""
        if word:
            self.step()
        return word

    def sum(self) -> Number:
        value = self.product()
        while sign := self.take("+", "-"):
            value = value + (self.product() if sign == "+" else rational(-1) * self.product())
        return value

    def product(self) -> Number:
        value = self.signed()
        while sign := self.take("*", "/"):
            value = value * (self.signed() if sign == "*" else self.signed().inverse())
        return value

    def signed(self) -> Number:
        sign = self.take("+", "-")
        if sign:
            return rational(-1) * self.signed() if sign == "-" else self.signed()
        base = self.atom()
        return _power(base, self.signed()) if self.take("^", "**") else base

    def atom(self) -> Number:
        kind, word = self.kind, self.word
        self.step()
        if kind == 1:
            return rational(Fraction(word))
        if word == "pi":
            return Opaque(lambda _dps: +mpmath.pi)
        if word == "e":
            return exponential(ONE)
        if kind == 2 and self.word != "(":
            raise ValueError(f"not an entry: {self.text!r}")
        if kind == 2:
            self.step()
        elif word != "(":
            raise ValueError(f"not an entry: {self.text!r}")
        inner = self.sum()
        if not self.take(")"):
            raise ValueError(f"a bracket is open: {self.text!r}")
        named = {"sqrt": square_root, "log": logarithm, "ln": logarithm, "exp": exponential}
        return named[word](inner) if kind == 2 else inner


@lru_cache(maxsize=4096)
def _read(text: str) -> Number:
    reader = _Reader(text)
    value = reader.sum()
    if reader.kind:
        raise ValueError(f"not an entry: {text!r}")
    return value


def entry(value: int | Fraction | Decimal | str) -> Number:
    """The number that an entry means. A binary float is refused: 0.1 would not be 1/10."""
    if isinstance(value, str):
        return _read(value)
    if isinstance(value, bool) or not isinstance(value, int | Fraction | Decimal):
        raise TypeError(f"an entry is an int, a Fraction, a Decimal or a string, not {value!r}")
    return rational(Fraction(value))


# ---------------------------------------------------------------------------------------------- the problem

Table = list[list[Number]]


@dataclass(frozen=True)
class Head:
    """One head's inputs: what it multiplies, and where its queries may look."""

    query: Table
    key: Table
    value: Table


@dataclass(frozen=True)
class Setting:
    """A problem, read: heads, scale, mask (true where a query MAY attend), bias, W_O by head."""

    heads: list[Head]
    scale: Number
    mask: list[list[bool]]
    bias: Table | None
    mix: list[Table] | None


def matrix(rows: Iterable[Iterable[Any]]) -> Table:
    return [[entry(value) for value in row] for row in rows]


def product(left: Table, right: Table) -> Table:
    if any(len(row) != len(right) for row in left):
        raise ValueError("the shapes don't go together")
    columns = transposed(right)
    return [[total(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in left]


def transposed(table: Table) -> Table:
    return [list(column) for column in zip(*table, strict=True)]


def _views(problem: dict[str, Any], tokens: Table | None = None) -> Iterator[Table]:
    if "X" not in problem and tokens is None:
        yield from (matrix(problem[name]) for name in "QKV")
        return
    rows = matrix(problem["X"]) if tokens is None else tokens
    for name in ("W_Q", "W_K", "W_V"):
        yield rows if problem[name] == "identity" else product(rows, matrix(problem[name]))


def _columns(table: Table, count: int) -> list[Table]:
    width, left = divmod(len(table[0]), count)
    if left:
        raise ValueError("the heads don't divide the columns")
    return [[row[h * width : (h + 1) * width] for row in table] for h in range(count)]


def _mask(attention: dict[str, Any], n_q: int, n_k: int) -> list[list[bool]]:
    causal = attention.get("causal", False)
    if causal is True and n_q != n_k:
        raise ValueError('say "top-left" or "bottom-right": n_q and n_k differ')
    offset = {False: n_k, True: 0, "top-left": 0, "bottom-right": n_k - n_q}[causal]
    allowed = attention.get("mask") or [[True] * n_k] * n_q
    mask = [[j <= i + offset and bool(allowed[i][j]) for j in range(n_k)] for i in range(n_q)]
    for i, row in enumerate(mask):
        if not any(row):
            raise FullyMaskedError(f"query {i} may attend to no key")
    return mask


def setting(problem: dict[str, Any], tokens: Table | None = None) -> Setting:
    """The problem, read; ``tokens`` are numbers that stand in place of X."""
    attention = problem.get("attention", {})
    count = attention.get("num_heads", 1)
    query, key, value = _views(problem, tokens)
    if len(key) != len(value) or len(query[0]) != len(key[0]):
        raise ValueError("the shapes don't go together")
    heads = [Head(*tables) for tables in zip(*(_columns(t, count) for t in (query, key, value)), strict=True)]
    scale = attention.get("scale")
    width = len(query[0]) // count
    mix = None
    if "W_O" in problem:
        rows = problem["W_O"]
        size = len(value[0])
        full = matrix([[int(i == j) for j in range(size)] for i in range(size)] if rows == "identity" else rows)
        if len(full) != size:
            raise ValueError("W_O has num_heads * d_v rows")
        mix = [full[h * size // count : (h + 1) * size // count] for h in range(count)]
    return Setting(
        heads=heads,
        scale=square_root(rational(width)).inverse() if scale is None else entry(scale),
        mask=_mask(attention, len(query), len(key)),
        bias=matrix(attention["bias"]) if "bias" in attention else None,
        mix=mix,
    )


def sections(problem: dict[str, Any]) -> list[dict[str, Any]]:
    """The problem itself, then one plain problem for each ``[[also]]``."""
    base = {name: value for name, value in problem.items() if name != "also"}
    changed = [dict(also.get("attention", also)) for also in problem.get("also", [])]
    return [base] + [base | {"attention": base.get("attention", {}) | change} for change in changed]


# ---------------------------------------------------------------------------------------------- attention


def _softmax(logits: list[Number | None]) -> list[Number]:
    """One row of weights; a masked key (None) has weight 0 exactly."""
    seen = [j for j, logit in enumerate(logits) if logit is not None]
    if not all(isinstance(logits[j], Closed) for j in seen):
        powers = {j: exponential(logits[j]) for j in seen}
        below = Opaque(lambda dps: mpmath.fsum(power.at(dps) for power in powers.values()))
        alone = len(seen) == 1
        return [ZERO if j not in powers else ONE if alone else powers[j] * below.inverse() for j in range(len(logits))]
    parts = {j: _split(logits[j]) for j in seen}
    below = _add_terms(({rest: factor} for rest, factor in parts.values()), ZERO)
    return [_quotient(dict([parts[j]]), below) if j in parts else ZERO for j in range(len(logits))]


def _tables(asked: Setting) -> tuple[list[dict[str, Any]], Table]:
    heads = []
    for head in asked.heads:
        scores = product(head.query, transposed(head.key))
        scaled = [[score * asked.scale for score in row] for row in scores]
        biased = scaled
        if asked.bias is not None:
            biased = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(scaled, asked.bias, strict=True)]
        logits = [
            [value if seen else None for value, seen in zip(*rows, strict=True)]
            for rows in zip(biased, asked.mask, strict=True)
        ]
        weights = [_softmax(row) for row in logits]
        heads.append(
            {
                "query": head.query,
                "key": head.key,
                "value": head.value,
                "scores": scores,
                "scaled": scaled,
                "logits": logits,
                "weights": weights,
                "output": product(weights, head.value),
            }
        )
    return heads, _final(asked, [head["output"] for head in heads])


def _final(asked: Setting, outputs: list[Table]) -> Table:
    if asked.mix is None:
        return [[value for row in rows for value in row] for rows in zip(*outputs, strict=True)]
    mixed = [product(output, table) for output, table in zip(outputs, asked.mix, strict=True)]
    return [[total(parts) for parts in zip(*rows, strict=True)] for rows in zip(*mixed, strict=True)]


def evaluate(problem: dict[str, Any], digits: int = DIGITS) -> dict[str, Any]:
    """Every table of the problem: ``{"heads": [{"query", ..., "weights", "output"}], "output": ...}``.

    Entries are Fraction, Irrational or mpf to ``digits`` significant digits; masked logits are None.
    """

    def known(table: list[list[Number | None]]) -> list[list[Fraction | mpmath.mpf | None]]:
        return [[None if value is None else value.known(digits) for value in row] for row in table]

    heads, final = _tables(setting(problem))
    return {
        "heads": [{name: known(table) for name, table in head.items()} for head in heads],
        "output": known(final),
    }


# ---------------------------------------------------------------------------------------------- rounding

CLOSENESS = Fraction(1, 10**40)


def fraction(value: int | Fraction | mpmath.mpf) -> Fraction:
    """The value as a fraction: of an mpf, the dyadic number that it is."""
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if not isinstance(value, mpmath.mpf):
        raise TypeError(f"neither a Fraction nor an mpf: {value!r}")
    sign, mantissa, power, _ = value._mpf_
    return Fraction(-int(mantissa) if sign else int(mantissa)) * Fraction(2) ** power


def _units(value: Fraction, ties: str) -> int:
    whole = math.floor(abs(value))
    rest = abs(value) - whole
    up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and (ties == "half-up" or whole % 2 == 1))
    return (whole + up) * (-1 if value < 0 else 1)


def _placed(units: int, places: int) -> str:
    digits = str(abs(units)).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if units < 0 else text


def _settled(value: Fraction | mpmath.mpf, places: int, ties: str, closeness: Fraction) -> tuple[int, bool]:
    """Units of 10^-places, and whether the value is an integer; ``TooClose`` where digits alone can't say."""
    if ties not in ("half-up", "half-even"):
        raise ValueError(f"ties: {ties!r}")
    if isinstance(value, int | Fraction):
        return _units(Fraction(value) * 10**places, ties), Fraction(value).denominator == 1
    if value and abs(value) < mpmath.mpf(10) ** -(places + 1000):
        value = Irrational.near(mpmath.mpf(0)) if isinstance(value, Irrational) else mpmath.mpf(0)
    units, apart = _tie_apart(fraction(value), places, ties)
    if apart < closeness:
        raise TooClose(f"{mpmath.nstr(value, 50)} lies at a tie of {places} places")
    whole, rest = divmod(units, 10**places)
    if not isinstance(value, Irrational) and not rest and abs(fraction(value) - whole) < closeness:
        raise TooClose(f"{mpmath.nstr(value, 50)} may be an integer")
    return units, False


def _tie_apart(value: Fraction, places: int, ties: str) -> tuple[int, Fraction]:
    """The value in units of 10^-places, and how far it lies from the nearest tie."""
    scaled = value * 10**places
    return _units(scaled, ties), abs(scaled - math.floor(scaled) - Fraction(1, 2)) / 10**places


def nearest(value: Fraction | mpmath.mpf, places: int, ties: str = "half-up", closeness: Fraction = CLOSENESS) -> str:
    """The decimal text of the value, correctly rounded: an exact integer prints as one, the rest all its places.

    Raises:
        TooClose: The value is no Fraction and lies within ``closeness`` of a rounding boundary (or, unless it is
            ``Irrational``, of an integer).
    Example:
        >>> nearest(Fraction(-1, 8), 2), nearest(Fraction(-1, 8), 2, "half-even"), nearest(Fraction(-1, 9999), 2)
        ('-0.13', '-0.12', '0.00')
    """
    units, whole = _settled(value, places, ties, closeness)
    return str(units // 10**places) if whole else _placed(units, places)


def nearest_significant(
    value: Fraction | mpmath.mpf, digits: int, ties: str = "half-up", closeness: Fraction = CLOSENESS
) -> str:
    """The same to ``digits`` significant digits; ``closeness`` is relative to the value's power of ten.

    Positional where the decimal exponent lies in [-5, 20], else like ``2.58e-869``. An exact integer prints as one.

    Example:
        >>> nearest_significant(Fraction(2, 3), 3), nearest_significant(Fraction(99995, 10), 4)
        ('0.667', '10000')
    """
    if isinstance(value, int | Fraction) and Fraction(value).denominator == 1:
        return str(Fraction(value).numerator)
    exact = isinstance(value, Fraction)
    with mpmath.workprec(max(200, 0 if exact else value.bc + 100)):
        size = mpmath.mpf(value.numerator) / value.denominator if exact else value
        if not size or (not isinstance(value, Fraction | Irrational) and abs(size - mpmath.nint(size)) < 1e-40):
            raise TooClose(f"{mpmath.nstr(size, 50)} may be an integer")
        power = int(mpmath.floor(mpmath.log10(abs(size))))
        lead = fraction(size / mpmath.mpf(10) ** power)
    if exact:
        lead = value / Fraction(10) ** power
    if abs(lead) < 1:
        lead, power = lead * 10, power - 1
    elif abs(lead) >= 10:
        lead, power = lead / 10, power + 1
    units, apart = _tie_apart(lead, digits - 1, ties)
    if not exact and apart < closeness:
        raise TooClose(f"{mpmath.nstr(size, 50)} lies at a tie of {digits} digits")
    if abs(units) == 10**digits:
        units, power = units // 10, power + 1
    if not -5 <= power <= 20:
        return f"{_placed(units, digits - 1)}e{power}"
    places = digits - 1 - power
    return _placed(units, places) if places > 0 else str(units * 10**-places)


# ---------------------------------------------------------------------------------------------- printing


@dataclass(frozen=True)
class Page:
    """The ``[page]`` options that change a printed number."""

    decimals: int = 3
    rounding: str = "nearest"
    row_sums: str = "as-is"
    ties: str = "half-up"
    digits: str = "places"

    @classmethod
    def of(cls, problem: dict[str, Any]) -> Page:
        given = problem.get("page", {})
        return cls(**{name: given[name] for name in cls.__dataclass_fields__ if name in given})

    def text(self, number: Number | Fraction) -> str:
        write = nearest if self.digits == "places" else nearest_significant
        return self.decided(lambda digits, near: write(_known(number, digits), self.decimals, self.ties, near))

    def decided(self, answer: Callable[[int, Fraction], Any]) -> Any:
        """``answer(digits, closeness)`` with digits doubled until it is not ``TooClose``."""
        digits = max(DIGITS, self.decimals + 40)
        for _ in range(ATTEMPTS - 1):
            try:
                return answer(digits, Fraction(1, 10 ** (digits - 20)))
            except TooClose:
                digits *= 2
        return answer(digits, Fraction(1, 10 ** (digits - 20)))

    def texts(self, table: list[list[Number | Fraction | None]]) -> list[list[str]]:
        return [["-oo" if value is None else self.text(value) for value in row] for row in table]

    def row(self, quotients: list[Number | Fraction]) -> list[str]:
        """One row of weights under ``row_sums``."""
        if self.row_sums == "as-is":
            return [self.text(value) for value in quotients]
        if self.digits != "places":
            raise ValueError("rows that add to 1 need places, not significant digits")
        units = self.decided(lambda digits, near: _shares(quotients, self.decimals, digits, near))
        whole = [isinstance(value := _known(number, DIGITS), Fraction) and value in (0, 1) for number in quotients]
        return [
            str(unit // 10**self.decimals) if one else _placed(unit, self.decimals)
            for unit, one in zip(units, whole, strict=True)
        ]


def _known(number: Number | Fraction, digits: int) -> Fraction | mpmath.mpf:
    return number if isinstance(number, Fraction) else number.known(digits)


def _shares(quotients: list[Number | Fraction], places: int, digits: int, near: Fraction) -> list[int]:
    """Largest remainder: floors in units of 10^-places, and a unit more where the remainders are largest.

    Equal remainders, decided exactly, in reading order. A remainder at 0 or 1 need not be told from it: the units to
    give are as many as the remainders add to, so one a hair above 0 never has a unit and one a hair below 1 always has.
    """
    unit, tolerance = 10**places, near * 10**places
    floors, rests = [], []
    for number in quotients:
        known = _known(number, digits)
        scaled = fraction(known) * unit
        if not isinstance(known, Fraction) and abs(scaled - _units(scaled, "half-up")) < tolerance:
            scaled = Fraction(_units(scaled, "half-up"))
        floors.append(math.floor(scaled))
        rests.append(scaled - floors[-1])
    for j, number in enumerate(quotients):
        for i in range(j):
            if rests[i] != rests[j] and abs(rests[i] - rests[j]) < tolerance:
                if not _same_remainder(quotients[i], number, Fraction(floors[i] - floors[j], unit)):
                    raise TooClose("two remainders lie too close")
                rests[j] = rests[i]
    order = sorted(range(len(rests)), key=lambda j: (-rests[j], j))
    for j in order[: unit - sum(floors)]:
        floors[j] += 1
    return floors


def _same_remainder(one: Number | Fraction, other: Number | Fraction, apart: Fraction) -> bool:
    numbers = [rational(n) if isinstance(n, Fraction) else n for n in (one, other)]
    return (numbers[0] + rational(-1) * numbers[1]).rational() == apart


@dataclass(frozen=True)
class Reading:
    """How ``carried`` is read. The defaults are the pinned reading; each other value is a reading it is not."""

    shifted: bool = False
    """Exponentials of the written logits less the row's largest."""
    exact_sum: bool = False
    """The written exponentials are divided by the sum of the unrounded ones, rounded once.

    (To round the sum of the written ones changes nothing: it has no further places.)
    """
    rounded_divisor: bool = False
    """The divisor 1/scale is rounded first (1.414 for the default scale of two columns)."""
    rounded_factor: bool = False
    """The scale itself is rounded first (0.707)."""
    scale_unrounded_score: bool = False
    """The scale is applied to the unrounded score (of the written queries and keys)."""
    exact_quotients: bool = False
    """A weight is the quotient of unrounded exponentials (of the written logits), rounded."""
    exact_weights: bool = False
    """The output is made from unrounded weights."""
    shares_of_rounded: bool = False
    """Rows are made to add to 1 from the rounded weights: the missing units go to the row's largest."""
    unadjusted_output: bool = False
    """The output is made from the weights as they were before their row was made to add to 1."""
    rounded_products: bool = False
    """Each product of weight and value is rounded before it is added."""
    exact_views: bool = False
    """Queries, keys and values are not rounded before use."""
    concat_unrounded: bool = False
    """W_O mixes the heads' unrounded outputs."""


PINNED = Reading()


def carried(
    problem: dict[str, Any], reading: Reading = PINNED, *, tokens: list[list[Number]] | None = None
) -> dict[str, Any]:
    """The texts of a careful pencil worker: each written quantity is made of written ones and rounded once."""
    page, asked = Page.of(problem), setting(problem, tokens)
    heads, outputs = [], []
    for h in range(len(asked.heads)):
        texts, output = _carried_head(page, asked, asked.heads[h], reading)
        heads.append(texts)
        outputs.append(output)
    if asked.mix is None:
        final = [[text for row in rows for text in row] for rows in zip(*(h["output"] for h in heads), strict=True)]
    else:
        final = page.texts(_final(asked, outputs))
    return {"heads": heads, "output": final}


def _written(texts: list[list[str]]) -> list[list[Fraction]]:
    return [[Fraction(text) for text in row] for row in texts]


def _numbers(table: list[list[Fraction]]) -> Table:
    return [[rational(value) for value in row] for row in table]


def _carried_head(page: Page, asked: Setting, head: Head, reading: Reading) -> tuple[dict[str, Any], Table]:
    views = {name: getattr(head, name) for name in ("query", "key", "value")}
    texts = {name: page.texts(table) for name, table in views.items()}
    written = {name: table if reading.exact_views else _numbers(_written(texts[name])) for name, table in views.items()}
    scores = product(written["query"], transposed(written["key"]))
    texts["scores"] = page.texts(scores)
    factor = asked.scale
    if reading.rounded_divisor:
        factor = rational(1 / Fraction(page.text(asked.scale.inverse())))
    if reading.rounded_factor:
        factor = rational(Fraction(page.text(asked.scale)))
    base = scores if reading.scale_unrounded_score else _numbers(_written(texts["scores"]))
    texts["scaled"] = page.texts([[score * factor for score in row] for row in base])
    biased = texts["scaled"]
    if asked.bias is not None:
        pairs = zip(_numbers(_written(biased)), asked.bias, strict=True)
        biased = page.texts([[a + b for a, b in zip(*rows, strict=True)] for rows in pairs])
    texts["logits"] = [
        [text if seen else "-oo" for text, seen in zip(*rows, strict=True)]
        for rows in zip(biased, asked.mask, strict=True)
    ]
    texts["exponentials"], texts["weights"], weights = [], [], []
    for row in texts["logits"]:
        powers, line, used = _carried_row(page, row, reading)
        texts["exponentials"].append(powers)
        texts["weights"].append(line)
        weights.append(used)
    output = product(weights, written["value"])
    if reading.rounded_products:
        columns = transposed(written["value"])
        parts = [[page.texts([[w * v for w, v in zip(row, c, strict=True)]])[0] for c in columns] for row in weights]
        output = [[rational(sum(map(Fraction, cell))) for cell in row] for row in parts]
    texts["output"] = page.texts(output)
    return texts, output if reading.concat_unrounded else _numbers(_written(texts["output"]))


def _carried_row(page: Page, logits: list[str], reading: Reading) -> tuple[list[str], list[str], list[Number]]:
    """Texts of one row's exponentials and weights, and the weights that the output uses."""
    seen = [text != "-oo" for text in logits]
    powers = [Fraction(text) if here else None for text, here in zip(logits, seen, strict=True)]
    if reading.shifted:
        most = max(power for power in powers if power is not None)
        powers = [None if power is None else power - most for power in powers]
    exact = [ZERO if power is None else exponential(rational(power)) for power in powers]
    texts = [page.text(value) for value in exact]
    parts = [Fraction(text) for text in texts]
    below = sum(parts)
    if not below:
        raise ZeroSumError("every written exponential of the row is 0: more decimals are needed")
    if reading.exact_sum:
        below = Fraction(page.text(total(exact)))
    quotients: list[Number] = [rational(part / below) for part in parts]
    if reading.exact_quotients:
        quotients = _softmax([None if power is None else rational(power) for power in powers])
    line = page.row(quotients)
    if reading.shares_of_rounded and page.row_sums == "one":
        line = _repaired([page.text(value) for value in quotients], page.decimals)
    used = line
    if reading.unadjusted_output:
        used = [page.text(value) for value in quotients]
    return texts, line, quotients if reading.exact_weights else [rational(Fraction(text)) for text in used]


def _repaired(line: list[str], places: int) -> list[str]:
    missing = 1 - sum(map(Fraction, line))
    largest = max(range(len(line)), key=lambda j: (Fraction(line[j]), -j))
    fixed = (Fraction(line[largest]) + missing) * 10**places
    return [_placed(int(fixed), places) if missing and j == largest else text for j, text in enumerate(line)]


def printed(problem: dict[str, Any]) -> dict[str, Any]:
    """Every text of the page, by its ``[page]`` options: the shape of ``evaluate``, with texts.

    Masked logits are ``-oo``, their weights ``0``. Under ``carried`` a head has ``exponentials`` too.

    Raises:
        TooClose: Neither exact means nor ``DIGITS * 2 ** (ATTEMPTS - 1)`` digits decide a rounding.
    """
    page = Page.of(problem)
    if page.rounding == "carried":
        return carried(problem)
    heads, final = _tables(setting(problem))
    return {
        "heads": [
            {
                name: [page.row(row) for row in table] if name == "weights" else page.texts(table)
                for name, table in head.items()
            }
            for head in heads
        ],
        "output": page.texts(final),
    }


# ---------------------------------------------------------------------------------------------- layers

LAYER_DIGITS = 120
"""Enough for what a few layers lose; numbers closer than 10^-60 to a boundary are not told from it."""
LAYER_CLOSENESS = Fraction(1, 10**60)
Real = Fraction | mpmath.mpf
Rows = list[list[Any]]


def layer(problem: dict[str, Any], index: int) -> dict[str, Any]:
    """One of ``[[layers]]`` as a problem: its tables, and its options over those of ``[attention]``."""
    given = problem["layers"][index]
    tables = {name: value for name, value in given.items() if name.startswith("W_")}
    options = {name: value for name, value in given.items() if name not in tables}
    found = tables | {"X": problem["X"], "attention": problem.get("attention", {}) | options}
    return found | ({"page": problem["page"]} if "page" in problem else {})


def printed_layers(problem: dict[str, Any]) -> list[dict[str, Any]]:
    """What ``printed`` gives, layer by layer, with ``whole``: the output, or with ``residual`` the tokens plus it.

    A layer reads the whole of the one before: its numbers, or under ``carried`` its texts. Under ``nearest`` a number
    that lies too close to a tie or an integer stands as itself, and a row of weights that does so stands as None.
    """
    page = Page.of(problem)
    found: list[dict[str, Any]] = []
    with mpmath.workdps(LAYER_DIGITS):
        tokens: Rows = _reals(matrix(problem["X"]))
        for index in range(len(problem["layers"])):
            own = layer(problem, index)
            make = _carried_layer if page.rounding == "carried" else _exact_layer
            texts, tokens = make(page, own, tokens)
            found.append(texts)
    return found


def _carried_layer(page: Page, own: dict[str, Any], tokens: Rows) -> tuple[dict[str, Any], Rows]:
    numbers = [[rational(x) if isinstance(x, Fraction) else Opaque(lambda _dps, x=x: x) for x in row] for row in tokens]
    texts = carried(own, tokens=numbers)
    whole = texts["output"]
    if own["attention"].get("residual"):
        written = _numbers(_written(whole))
        whole = page.texts([[a + b for a, b in zip(*rows, strict=True)] for rows in zip(numbers, written, strict=True)])
    return texts | {"whole": whole}, _written(whole)


def _exact_layer(page: Page, own: dict[str, Any], tokens: Rows) -> tuple[dict[str, Any], Rows]:
    count, causal = own["attention"].get("num_heads", 1), own["attention"].get("causal", False)
    views = [tokens if own[name] == "identity" else _times_real(tokens, _reals(matrix(own[name]))) for name in _TABLES]
    size = len(views[0][0]) // count
    scale = own["attention"].get("scale")
    factor = _real(entry(scale)) if scale is not None else _real(square_root(rational(size)).inverse())
    heads, joined = [], [[] for _ in tokens]
    for head in range(count):
        query, key, value = ([_part(row, head, count) for row in view] for view in views)
        scores = _times_real(query, transposed(key))
        scaled = [[_mul(score, factor) for score in row] for row in scores]
        logits = [[None if causal and j > i else x for j, x in enumerate(row)] for i, row in enumerate(scaled)]
        weights = [_real_softmax(row) for row in logits]
        output = _times_real(weights, value)
        named = {"query": query, "key": key, "value": value, "scores": scores, "scaled": scaled, "logits": logits}
        told = {name: _told(page, table) for name, table in (named | {"output": output}).items()}
        heads.append(told | {"weights": [_told_row(page, row) for row in weights]})
        joined = [left + right for left, right in zip(joined, output, strict=True)]
    final = joined
    if "W_O" in own and own["W_O"] != "identity":
        final = _times_real(joined, _reals(matrix(own["W_O"])))
    whole = final
    if own["attention"].get("residual"):
        whole = [[_plus([a, b]) for a, b in zip(*rows, strict=True)] for rows in zip(tokens, final, strict=True)]
    return {"heads": heads, "output": _told(page, final), "whole": _told(page, whole)}, whole


_TABLES = ("W_Q", "W_K", "W_V")


def _real(number: Number) -> Real:
    exact = number.rational()
    return number.at(LAYER_DIGITS + 10) if exact is None else exact


def _reals(table: Table) -> Rows:
    return [[_real(number) for number in row] for row in table]


def _part(row: list[Real], head: int, count: int) -> list[Real]:
    size = len(row) // count
    return row[head * size : (head + 1) * size]


def _mpf(value: Real) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def _mul(a: Real, b: Real) -> Real:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    return Fraction(0) if Fraction(0) in (a, b) else _mpf(a) * _mpf(b)


def _plus(terms: list[Real]) -> Real:
    whole = sum((term for term in terms if isinstance(term, Fraction)), Fraction(0))
    rest = [term for term in terms if not isinstance(term, Fraction)]
    return mpmath.fsum([*rest, _mpf(whole)]) if rest else whole


def _times_real(left: Rows, right: Rows) -> Rows:
    columns = transposed(right)
    return [[_plus([_mul(a, b) for a, b in zip(row, column, strict=True)]) for column in columns] for row in left]


def _real_softmax(row: list[Real | None]) -> list[Real]:
    seen = [x for x in row if x is not None]
    if all(isinstance(x, Fraction) and x == seen[0] for x in seen) or len(seen) == 1:
        return [Fraction(0) if x is None else Fraction(1, len(seen)) for x in row]
    powers = [None if x is None else mpmath.exp(_mpf(x)) for x in row]
    below = mpmath.fsum(power for power in powers if power is not None)
    return [Fraction(0) if power is None else power / below for power in powers]


def _told(page: Page, table: Rows) -> Rows:
    def told(number: Real | None) -> str | mpmath.mpf:
        try:
            return "-oo" if number is None else nearest(number, page.decimals, page.ties, LAYER_CLOSENESS)
        except TooClose:
            return number

    return [[told(number) for number in row] for row in table]


def _told_row(page: Page, row: list[Real]) -> list[str | mpmath.mpf] | None:
    if page.row_sums == "as-is":
        return _told(page, [row])[0]
    numbers = [x if isinstance(x, Fraction) else Opaque(lambda _dps, x=x: x) for x in row]
    try:
        units = _shares(numbers, page.decimals, LAYER_DIGITS - 20, LAYER_CLOSENESS)
    except TooClose:
        return None
    if any(not isinstance(x, Fraction) and abs(x - mpmath.nint(x)) < mpmath.mpf(10) ** -60 for x in row):
        return None
    whole = [isinstance(x, Fraction) and x in (0, 1) for x in row]
    return [
        str(unit // 10**page.decimals) if one else _placed(unit, page.decimals)
        for unit, one in zip(units, whole, strict=True)
    ]
