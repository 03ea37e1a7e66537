"""Exact real numbers with decided equality: finite sums of q * (radicals, logarithms, pi, symbols) * e^a.

A number is a ``fmpq`` when it is rational, else a ``Number``: a finite sum whose terms are kept in a normal form, so
that equal normal forms are equal numbers, with no simplifier:

- radicals are products of primes to powers in (0, 1); these are linearly independent over Q (Besicovitch 1940);
- exponentials e^a are collected by their exponent ``a``, which is itself an exact number; for distinct algebraic ``a``
  they are
  linearly independent over the algebraic numbers (Lindemann-Weierstrass in Baker's form);
- a product of two cosines or sines is written as a sum of such (product to sum), so each term holds at most one; c e^a
  cos(b) is
  the real part of c e^(a + ib), so the same theorem separates them;
- a rational multiple of a logarithm of a prime in an exponent is folded into a radical: e^(log(3)/2) = 3^(1/2).

What is known by its enclosures alone, such as an output that a second layer reads, is an atom of its own (``Known``),
so sums and products of such numbers have a normal form too. Where that does not show that a number is zero, each
``Known`` is written as the quotient that it is (``is_shown_zero``); what is left then are balls.

Hence for numbers with algebraic exponents and coefficients (``is_algebraic_exponential``) different normal forms are
different numbers. With pi, with products of logarithms or with nested exponentials only the first half is known: there
a difference is proved by balls, and an equality that the normal form does not show stays undecided.

Why not SymPy's algebraic fields: a primitive element for four square roots takes seconds, and symbols, logarithms and
exponentials would each need another domain. ``sympy_forms`` turns these numbers into SymPy expressions.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from math import lcm
from typing import Final, Protocol, TypeAlias

from flint import arb, fmpq, fmpq_mat, fmpz

from symattn.errors import SpecError, UndecidedError
from symattn.exact.balls import LARGEST_PRECISION, bits_in_force, precision
from symattn.problem import Entry, Expression


@dataclass(frozen=True, slots=True)
class Argument:
    """What a tanh, cosine or sine is taken of; ordered by its text, so that products have one order."""

    number: Exact

    def __lt__(self, other: Argument) -> bool:
        return _text(self.number) < _text(other.number)


class Quotient(Protocol):
    """A real number that is a quotient of two exact numbers, enclosed better than these say."""

    def ball(self) -> arb:
        """An enclosure at the precision in force."""

    def fraction(self) -> tuple[Exact, Exact]:
        """Numerator and denominator."""


class Known:
    """A real number that is one atom of others: its enclosures are known to any precision, and it as a quotient.

    Two are equal only if they are one; whoever makes them sees to it that equal numbers are one where that is shown.
    They are ordered by when they were made, so the quotient of each holds earlier ones alone.
    """

    __slots__ = ("_ball", "_bits", "_fraction", "number", "order")
    _made = itertools.count()

    def __init__(self, number: Quotient) -> None:
        self.number = number
        self.order = next(Known._made)
        self._bits = 0
        self._ball: arb | None = None
        self._fraction: tuple[Exact, Exact] | None = None

    def __lt__(self, other: Known) -> bool:
        return self.order < other.order

    def __str__(self) -> str:
        return f"known {self.order}"

    def ball(self) -> arb:
        """An enclosure at the precision in force."""
        bits = bits_in_force()
        if self._ball is None or self._bits != bits:
            self._bits, self._ball = bits, self.number.ball()
        return self._ball

    def fraction(self) -> tuple[Exact, Exact]:
        """Numerator and denominator."""
        if self._fraction is None:
            self._fraction = self.number.fraction()
        return self._fraction


Atom: TypeAlias = tuple[str, int | str | Argument | Known]
"""("root", p), ("log", p) with p prime; ("pi", ""); ("real", name) or ("positive", name) for a declared symbol;
("tanh", x), ("ln", x), ("cos", x) or ("sin", x) of an exact number x; ("known", x) for a number that is known by its
enclosures."""
Atoms: TypeAlias = tuple[tuple[Atom, int, int], ...]
"""Atoms with their powers as (numerator, denominator): hashing a ``fmpq`` is slow. ``powers`` gives them as rationals.
"""
Monomial: TypeAlias = "tuple[Atoms, Exact | int]"
"""A product of atoms to powers, times e to the exponent; the plain int 0 where there is none."""
Exact: TypeAlias = "fmpq | Number"

ZERO: Final = fmpq(0)
ONE: Final = fmpq(1)
_UNIT: Final[Monomial] = ((), 0)
_WAVES: Final = ("cos", "sin")
_LARGEST_FACTORED: Final = 10**20
_LARGEST_FOLDED_POWER: Final = 4096
_LARGEST_DEGREE: Final = 256
_LARGEST_POWER: Final = 64
MOST_PRODUCTS: Final = 20_000
"""Products of terms that are worked to write a number without its ``Known`` atoms."""


class Number:
    """A sum of at least one term that is not rational, so never zero as it stands. Immutable, hashable, compared by its
    normal form.
    """

    __slots__ = ("_ball", "_bits", "_hash", "terms")

    def __init__(self, terms: Mapping[Monomial, fmpq]) -> None:
        self.terms = terms
        self._hash: int | None = None
        self._bits = 0
        self._ball: arb | None = None

    def ball(self) -> arb:
        """An enclosure at the precision in force, kept until another is in force. It holds no symbol."""
        bits = bits_in_force()
        if self._ball is None or self._bits != bits:
            self._bits, self._ball = bits, _enclosed(self)
        return self._ball

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            hashed = [hash((monomial, int(c.p), int(c.q))) for monomial, c in self.terms.items()]
            self._hash = hashed[0] if len(hashed) == 1 else hash(frozenset(hashed))
        return self._hash

    def __repr__(self) -> str:
        return f"Number({dict(self.terms)!r})"

    def __neg__(self) -> Exact:
        return Number({monomial: -coefficient for monomial, coefficient in self.terms.items()})

    def __add__(self, other: Exact | int) -> Exact:
        return collected([*self.terms.items(), *terms(other)])

    __radd__ = __add__

    def __sub__(self, other: Exact | int) -> Exact:
        return collected([*self.terms.items(), *((monomial, -factor) for monomial, factor in terms(other))])

    def __rsub__(self, other: Exact | int) -> Exact:
        return -self + other

    def __mul__(self, other: Exact | int) -> Exact:
        if not isinstance(other, Number):
            factor = fmpq(other)
            if not factor:
                return ZERO
            return Number({monomial: coefficient * factor for monomial, coefficient in self.terms.items()})
        return collected(
            term for left in self.terms.items() for right in other.terms.items() for term in _product(left, right)
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Exact | int) -> Exact:
        return self * inverse(other if isinstance(other, Number) else fmpq(other))

    def __rtruediv__(self, other: Exact | int) -> Exact:
        return inverse(self) * other


def terms(number: Exact | int) -> Iterable[tuple[Monomial, fmpq]]:
    """The terms of the normal form: (monomial, rational coefficient) pairs."""
    if isinstance(number, Number):
        return number.terms.items()
    return [(_UNIT, fmpq(number))] if number else []


def collected(pairs: Iterable[tuple[Monomial, fmpq]]) -> Exact:
    """The sum of terms, in normal form: a ``fmpq`` if it is rational."""
    found: dict[Monomial, fmpq] = {}
    for monomial, coefficient in pairs:
        total = found.get(monomial, ZERO) + coefficient
        if not total:
            found.pop(monomial, None)
        else:
            found[monomial] = total
    if not found:
        return ZERO
    if len(found) == 1 and _UNIT in found:
        return found[_UNIT]
    return Number(found)


def powers(product: Atoms) -> list[tuple[Atom, fmpq]]:
    """The atoms of a monomial with their powers."""
    return [(atom, fmpq(above, below)) for atom, above, below in product]


def _product(left: tuple[Monomial, fmpq], right: tuple[Monomial, fmpq]) -> tuple[tuple[Monomial, fmpq], ...]:
    (left_atoms, left_exponent), left_factor = left
    (right_atoms, right_exponent), right_factor = right
    both = left_exponent and right_exponent
    exponent = left_exponent + right_exponent if both else left_exponent or right_exponent
    kept: Exact | int = 0 if is_zero(exponent) else exponent
    factor = left_factor * right_factor
    if not left_atoms or not right_atoms:
        return (((left_atoms or right_atoms, kept), factor),)
    found = dict(powers(left_atoms))
    for atom, exponent_of_atom in powers(right_atoms):
        found[atom] = found.get(atom, ZERO) + exponent_of_atom
    left_wave, right_wave = _waves(left_atoms), _waves(right_atoms)
    if left_wave is None or right_wave is None:
        product, rational_part = _normal(found)
        return (((product, kept), factor * rational_part),)
    found = {atom: power for atom, power in found.items() if atom[0] not in _WAVES}
    product, rational_part = _normal(found)
    return tuple(
        ((_with(product, wave), kept), factor * rational_part * sign)
        for wave, sign in _product_to_sum(left_wave, right_wave)
        if sign != 0
    )


def _waves(product: Atoms) -> Atom | None:
    return next((atom for atom, *_ in product if atom[0] in _WAVES), None)


def _with(product: Atoms, atom: Atom | None) -> Atoms:
    return product if atom is None else tuple(sorted((*product, (atom, 1, 1))))


def _product_to_sum(left: Atom, right: Atom) -> Iterator[tuple[Atom | None, fmpq]]:
    """cos a cos b = (cos(a - b) + cos(a + b))/2, and its like; None stands for the number 1."""
    a, b = (atom[1].number for atom in (left, right) if isinstance(atom[1], Argument))
    half = fmpq(1, 2)
    match left[0], right[0]:
        case "cos", "cos":
            parts = (("cos", a - b, half), ("cos", a + b, half))
        case "sin", "sin":
            parts = (("cos", a - b, half), ("cos", a + b, -half))
        case "sin", _:
            parts = (("sin", a + b, half), ("sin", a - b, half))
        case _:
            parts = (("sin", a + b, half), ("sin", b - a, half))
    for kind, argument, factor in parts:
        atom, sign = _wave(kind, argument)
        yield atom, factor * sign


def _wave(kind: str, argument: Exact) -> tuple[Atom | None, int]:
    """cos(-x) = cos x, sin(-x) = -sin x, cos 0 = 1, sin 0 = 0: the atom (None for 1) and its sign."""
    if is_zero(argument):
        return None, int(kind == "cos")
    negative = _leads_negative(argument)
    return (kind, Argument(-argument if negative else argument)), -1 if negative and kind != "cos" else 1


def _leads_negative(number: Exact) -> bool:
    """Whether the first term in the order of texts is negative: one of x and -x leads."""
    return _text(number).startswith("-")


def _text(number: Exact | int) -> str:
    """A text that equal numbers share, its terms in one order, the sign of the first in front."""
    parts = sorted(
        (str((atoms_text(product), _text(exponent) if exponent else "")), factor)
        for (product, exponent), factor in terms(number)
    )
    return ("-" if parts and parts[0][1] < 0 else "") + str([(text, str(factor)) for text, factor in parts])


def atoms_text(product: Atoms) -> list[tuple[str, str, int, int]]:
    """Atoms as plain data that can be put in order."""
    return [
        (kind, _text(name.number) if isinstance(name, Argument) else str(name), above, below)
        for (kind, name), above, below in product
    ]


def cos(number: Exact) -> Exact:
    """The cosine of an exact number."""
    atom, sign = _wave("cos", number)
    return ONE if atom is None else _single({atom: ONE}, 0, fmpq(sign))


def sin(number: Exact) -> Exact:
    """The sine of an exact number."""
    atom, sign = _wave("sin", number)
    return ZERO if atom is None else _single({atom: ONE}, 0, fmpq(sign))


def tanh(number: Exact) -> Exact:
    """The hyperbolic tangent of an exact number."""
    if is_zero(number):
        return ZERO
    negative = _leads_negative(number)
    return _single({("tanh", Argument(-number if negative else number)): ONE}, 0, fmpq(-1 if negative else 1))


def _normal(found: Mapping[Atom, fmpq]) -> tuple[Atoms, fmpq]:
    """Sorted atoms with no zero power, a root's power within (0, 1), and the rational factor taken out."""
    factor = ONE
    kept = []
    for atom, exponent in sorted(found.items()):
        above, below = int(exponent.p), int(exponent.q)
        if atom[0] == "root":
            whole, above = divmod(above, below)
            factor *= fmpq(_prime(atom)) ** whole
        if above:
            kept.append((atom, above, below))
    return tuple(kept), factor


def _prime(atom: Atom) -> int:
    assert isinstance(atom[1], int)  # noqa: S101 - roots and logarithms are of primes
    return atom[1]


def _single(found: Mapping[Atom, fmpq], exponent: Exact | int = 0, factor: fmpq = ONE) -> Exact:
    product, rational_part = _normal(found)
    return collected([((product, 0 if is_zero(exponent) else exponent), factor * rational_part)])


def rational(number: Exact) -> Fraction | None:
    """The number as a Fraction, or None if it is not rational."""
    return None if isinstance(number, Number) else Fraction(int(number.p), int(number.q))


def from_fraction(number: Fraction | int) -> fmpq:
    """A Python rational as a ``fmpq``."""
    return fmpq(number.numerator, number.denominator)


@lru_cache(maxsize=256)
def from_decimal(text: str) -> fmpq:
    """A decimal as it is printed, such as ``-1.50`` or ``2.58e-869``. Python's own ``int`` stops at 4,300 digits."""
    mantissa, _, exponent = text.partition("e")
    whole, _, places = mantissa.partition(".")
    shift = int(exponent or 0) - len(places)
    units = fmpz(whole + places)
    return fmpq(units * fmpz(10) ** shift) if shift >= 0 else fmpq(units, fmpz(10) ** -shift)


def key(number: Exact) -> Hashable:
    """What equal numbers share: the number itself, or for a rational one its two integers, which hash faster."""
    return number if isinstance(number, Number) else (int(number.p), int(number.q))


def is_zero(number: Exact | int) -> bool:
    """Whether the normal form is empty."""
    return not number


def atoms(number: Exact | int) -> Iterator[Atom]:
    """Every atom that occurs, in exponents too."""
    for (product, exponent), _ in terms(number):
        for atom, *_ in product:
            yield atom
            if isinstance(atom[1], Argument):
                yield from atoms(atom[1].number)
        if isinstance(exponent, Number):
            yield from atoms(exponent)


def symbols(number: Exact | int) -> frozenset[str]:
    """Names of the declared symbols that occur; without any the number has decimals."""
    return frozenset(str(name) for kind, name in atoms(number) if kind in ("real", "positive"))


def is_open(number: Exact | int) -> bool:
    """Whether something in it is known by its enclosures alone."""
    return any(kind == "known" for kind, _ in atoms(number))


def is_algebraic(number: Exact | int) -> bool:
    """Whether it is a sum of radicals: no exponential, logarithm, pi or symbol."""
    return all(
        not exponent and all(atom[0] == "root" for atom, *_ in product) for (product, exponent), _ in terms(number)
    )


def is_algebraic_or_symbolic(number: Exact) -> bool:
    """Whether it holds neither logarithms nor exponentials, nor what is known by its enclosures alone."""
    return all(
        not exponent and all(atom[0] not in ("log", "known") for atom, *_ in product)
        for (product, exponent), _ in terms(number)
    )


def is_algebraic_exponential(number: Exact) -> bool:
    """Whether it is sum c e^a cos(b) with algebraic c, a, b: then it is zero exactly when its normal form is empty."""
    return all(
        all(atom[0] == "root" or _is_algebraic_wave(atom) for atom, *_ in product) and is_algebraic(exponent)
        for (product, exponent), _ in terms(number)
    )


def _is_algebraic_wave(atom: Atom) -> bool:
    return atom[0] in _WAVES and isinstance(atom[1], Argument) and is_algebraic(atom[1].number)


def root(radicand: int, degree: int = 2) -> Exact:
    """The positive real root of a positive integer."""
    return power(fmpq(radicand), fmpq(1, degree))


def power(base: Exact, exponent: fmpq) -> Exact:
    """base^exponent for a rational exponent; a fractional one needs a positive base of one term."""
    if exponent.q == 1:
        return _whole_power(base, int(exponent.p))
    pairs = list(terms(base))
    if not pairs:
        return ZERO if exponent > 0 else inverse(base)
    ((product, inner), factor), *more = pairs
    if more or any(atom[0] in ("real", "log", "known") for atom, *_ in product):
        raise SpecError("a root of this sum has no short exact form here", mend="take roots of rational numbers")
    if factor < 0:
        raise SpecError("the root of a negative number is not real", mend="take roots of numbers that are not negative")
    found = {atom: inner_power * exponent for atom, inner_power in powers(product)}
    for prime, count in _factored(factor):
        atom: Atom = ("root", prime)
        found[atom] = found.get(atom, ZERO) + count * exponent
    return _single(found, inner * exponent)


def _whole_power(base: Exact, count: int) -> Exact:
    if count < 0:
        return _whole_power(inverse(base), -count)
    if not isinstance(base, Number):
        return base**count
    if count > _LARGEST_POWER:
        raise SpecError(f"a power of {count} is too large here", mend=f"powers go up to {_LARGEST_POWER}")
    return reduce(lambda left, right: left * right, [base] * count, ONE)


def _factored(number: fmpq) -> list[tuple[int, int]]:
    """The primes of a positive rational with their powers."""
    found: list[tuple[int, int]] = []
    for part, sign in ((number.p, 1), (number.q, -1)):
        base, outer = _without_power(part)
        if base > _LARGEST_FACTORED:
            raise SpecError(
                "the number under this root or logarithm is too long to be split into primes",
                mend="use a number with at most 20 digits above and below the line",
            )
        found.extend((int(prime), sign * outer * int(count)) for prime, count in base.factor())
    return found


def _without_power(number: fmpz) -> tuple[fmpz, int]:
    """A perfect square as its root and 2, repeatedly: it need not be short to be split."""
    outer = 1
    while number > 1 and number.is_square():
        number, outer = number.isqrt(), 2 * outer
    return number, outer


def exp(number: Exact) -> Exact:
    """e^number; rational multiples of logarithms in it become radicals."""
    if not isinstance(number, Number):
        return Number({((), number): ONE}) if number else ONE
    found: dict[Atom, fmpq] = {}
    kept = []
    for monomial, factor in terms(number):
        product, exponent = monomial
        if (
            not exponent
            and len(product) == 1
            and product[0][0][0] == "log"
            and product[0][1:] == (1, 1)
            and abs(factor) <= _LARGEST_FOLDED_POWER
        ):
            found["root", product[0][0][1]] = factor
        else:
            kept.append((monomial, factor))
    return _single(found, collected(kept))


def log(number: Exact) -> Exact:
    """The natural logarithm of a positive number of one term: sums of logarithms of primes."""
    pairs = list(terms(number))
    if len(pairs) != 1 or any(atom[0] != "root" for atom, *_ in pairs[0][0][0]):
        if not pairs:
            raise SpecError("the logarithm of 0 is not a number", mend="take logarithms of positive numbers")
        raise SpecError("this logarithm has no short exact form here", mend="take logarithms of rational numbers")
    ((product, exponent), factor) = pairs[0]
    if factor < 0:
        raise SpecError("the logarithm of a negative number is not real", mend="take logarithms of positive numbers")
    primes = [(prime, fmpq(count)) for prime, count in _factored(factor)]
    primes += [(_prime(atom), exponent_of_root) for atom, exponent_of_root in powers(product)]
    return reduce(lambda total, pair: total + pair[1] * _single({("log", pair[0]): ONE}), primes, ZERO + exponent)


def logarithm(number: Exact) -> Exact:
    """The natural logarithm of any positive number: of a sum of several terms it stands for itself."""
    pairs = list(terms(number))
    if len(pairs) == 1 and all(atom[0] == "root" for atom, *_ in pairs[0][0][0]):
        return log(number)
    if symbols(number):
        raise SpecError("the logarithm of a sum with symbols may not be real", mend="put numbers in for its symbols")
    if sign(number) <= 0:
        raise SpecError("the logarithm of a negative number is not real", mend="take logarithms of positive numbers")
    return _single({("ln", Argument(number)): ONE})


def logarithm_of_exponentials(total: Exact) -> Exact:
    """The natural logarithm of a sum of exponentials, which is positive whatever symbols stand in the exponents."""
    return log(total) if len(list(terms(total))) == 1 else _single({("ln", Argument(total)): ONE})


def inverse(number: Exact) -> Exact:
    """1 / number."""
    if is_zero(number):
        raise SpecError("a division by 0", mend="divide by a number that is not 0")
    if not isinstance(number, Number):
        return 1 / number
    pairs = list(number.terms.items())
    if len(pairs) == 1:
        (product, exponent), factor = pairs[0]
        if any(atom[0] == "real" for atom, *_ in product):
            raise SpecError("a division by a symbol that may be 0", mend='declare it "positive"')
        if any(atom[0] == "known" for atom, *_ in product):
            raise SpecError("this division has no short exact form here", mend="divide by a number that is given")
        return _single({atom: -inner for atom, inner in powers(product)}, -exponent, 1 / factor)
    if not is_algebraic(number):
        raise SpecError(
            "this division has no short exact form here", mend="divide by a single product or a sum of roots"
        )
    return _radical_inverse(number)


def _radical_inverse(number: Number) -> Exact:
    """Solve number * x = 1 in the space that the products of the radicals span."""
    radicals: dict[int, int] = {}
    for product, _ in number.terms:
        for atom, _, below in product:
            radicals[_prime(atom)] = lcm(radicals.get(_prime(atom), 1), below)
    basis: list[Monomial] = [_UNIT]
    for prime, degree in sorted(radicals.items()):
        basis = [
            (_normal({**dict(powers(product)), ("root", prime): fmpq(step, degree)})[0], 0)
            for product, _ in basis
            for step in range(degree)
        ]
        if len(basis) > _LARGEST_DEGREE:
            raise SpecError("a division by a sum of too many different roots", mend="multiply it out first")
    index = {monomial: position for position, monomial in enumerate(basis)}
    matrix = fmpq_mat(len(basis), len(basis))
    for column, monomial in enumerate(basis):
        for found, coefficient in terms(number * Number({monomial: ONE})):
            matrix[index[found], column] = coefficient
    target = fmpq_mat(len(basis), 1)
    target[index[_UNIT], 0] = ONE
    solution = matrix.solve(target)
    return collected((monomial, solution[position, 0]) for monomial, position in index.items())


def number(entry: Entry) -> Exact:
    """An entry as an exact number.

    Raises:
        SpecError: A root of a negative number, a logarithm of a number that is not positive, a division by 0, or a form
            that has no normal form here (such as the root of a sum).
    """
    if isinstance(entry, Fraction):
        return from_fraction(entry)
    values = [number(operand) for operand in entry.operands]
    match entry.operator:
        case "add":
            return reduce(lambda left, right: left + right, values)
        case "mul":
            return reduce(lambda left, right: left * right, values)
        case "div":
            return values[0] * inverse(values[1])
        case "pow":
            return _power(values[0], values[1])
        case "neg":
            return -values[0]
        case "sqrt":
            return power(values[0], fmpq(1, 2))
        case "log":
            return log(values[0])
        case "exp":
            return exp(values[0])
        case _:
            return _constant(entry)


def _constant(entry: Expression) -> Exact:
    match entry.operator:
        case "pi":
            return _single({("pi", ""): ONE})
        case "e":
            return exp(ONE)
        case "given":
            given: Exact = entry.number
            return given
        case _:
            return symbol(entry.name, "positive" if entry.positive else "real")


def symbol(name: str, assumption: str = "real") -> Exact:
    """A declared symbol."""
    return _single({(assumption, name): ONE})


def _power(base: Exact, exponent: Exact) -> Exact:
    if isinstance(exponent, Number):
        if base == exp(ONE):
            return exp(exponent)
        raise SpecError("an exponent that is not rational", mend="only e takes such an exponent: exp(...)")
    return power(base, exponent)


def ball(number: Exact | int) -> arb:
    """An enclosure at the precision in force. ``number`` holds no symbol."""
    return number.ball() if isinstance(number, Number) else arb(number)


def _enclosed(number: Number) -> arb:
    total = None
    for (product, exponent), coefficient in number.terms.items():
        term = arb(coefficient)
        for atom, above, below in product:
            term *= _atom_ball(atom, above, below)
        if exponent:
            term *= ball(exponent).exp()
        total = term if total is None else total + term
    return total


def _atom_ball(atom: Atom, above: int, below: int) -> arb:
    kind, name = atom
    if isinstance(name, Argument):
        base = getattr(ball(name.number), "log" if kind == "ln" else kind)()
    elif isinstance(name, Known):
        base = name.ball()
    else:
        base = _constant_ball(kind, name, below, bits_in_force())
    product = base
    for _ in range(abs(above) - 1):
        product *= base
    return product if above > 0 else 1 / product


@lru_cache(maxsize=64)  # a problem has few, in every score
def _constant_ball(kind: str, name: int | str, below: int, _bits: int) -> arb:
    """A root of a prime, the logarithm of one, or pi, at the precision in force."""
    if kind == "root":
        return arb(name).sqrt() if below == 2 else arb(name).root(below)
    return arb(name).log() if kind == "log" else arb.pi()


def vanishes(number: Exact) -> bool:
    """Whether the number is zero.

    Raises:
        UndecidedError: The normal form is not empty, no theorem says that the number is not zero, and no ball separates
            it from zero.
    """
    if is_zero(number):
        return True
    return not (is_algebraic_exponential(number) or symbols(number)) and sign(number) == 0


def sign(number: Exact) -> int:
    """-1, 0 or 1, for a number without symbols.

    Raises:
        UndecidedError: As for ``vanishes``.
    """
    if is_zero(number):
        return 0
    bits = 64
    while bits <= LARGEST_PRECISION or is_algebraic_exponential(number):
        with precision(bits):
            enclosure = ball(number)
            if enclosure > 0:
                return 1
            if enclosure < 0:
                return -1
        if bits == 64 and is_shown_zero(number):
            return 0
        bits *= 2
    raise UndecidedError(
        f"whether two numbers are equal is undecided at {LARGEST_PRECISION} bits",
        mend="no theorem settles it; change an entry so that no exact equality is in question",
    )


def is_shown_zero(number: Exact) -> bool:
    """Whether nothing is left of the number when every ``Known`` in it is written as the quotient that it is.

    Exponents that hold such numbers are compared in the same way. False says nothing: the number may be zero, or be too
    long to be written so.
    """
    if not is_open(number):
        return is_zero(number)
    written: Exact | None = number
    while written is not None and any(map(_quotients, (product for (product, _), _ in terms(written)))):
        written = _without_last(written)
    if written is None or is_zero(written):
        return written is not None
    shares: dict[Exact | int, Exact] = {}
    for (product, exponent), factor in terms(written):
        shares[exponent] = shares.get(exponent, ZERO) + collected([((product, 0), factor)])
    for one, other in itertools.combinations(list(shares), 2):
        if one in shares and are_shown_equal(one + ZERO, other + ZERO):
            shares[other] += shares.pop(one)
    return all(map(is_zero, shares.values()))


def are_shown_equal(left: Exact, right: Exact) -> bool:
    """Whether the difference ``is_shown_zero``; balls that lie apart are told first."""
    difference = left - right
    if is_zero(difference) or not is_open(difference):
        return is_zero(difference)
    with precision(64):
        if not ball(difference).contains(0):
            return False
    return is_shown_zero(difference)


def _without_last(number: Exact) -> Exact | None:
    """The number times a positive one, without the last ``Known`` that was made and those over its denominator; None
    where that would be too long.
    """
    found = [(_quotients(product), monomial, factor) for monomial, factor in terms(number) for product in monomial[:1]]
    under = max(known for quotients, *_ in found for known in quotients).fraction()[1]
    alike = {known for quotients, *_ in found for known in quotients if key(known.fraction()[1]) == key(under)}
    most = max(sum(power for known, power in quotients.items() if known in alike) for quotients, *_ in found)
    total = ZERO
    work = 0
    for quotients, (product, exponent), factor in found:
        used = {known: power for known, power in quotients.items() if known in alike}
        rest = tuple(part for part in product if not (isinstance(part[0][1], Known) and part[0][1] in alike))
        one = collected([((rest, exponent), factor)])
        sides = [known.fraction()[0] for known, power in used.items() for _ in range(power)]
        for side in (*sides, *[under] * (most - len(sides))):
            work += len(list(terms(one))) * len(list(terms(side)))
            if work > MOST_PRODUCTS:
                return None
            one = one * side
        total = total + one
    return total


def _quotients(product: Atoms) -> dict[Known, int]:
    """The ``Known`` atoms of a monomial with their powers, which are positive integers."""
    return {atom[1]: above for atom, above, _ in product if isinstance(atom[1], Known)}
