"""Worked lines of a page as LaTeX."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from symattn.derive.lines import Line, pairs, scaled_line, true_line, true_lines, without_zeros
from symattn.derive.worked import entry_step
from symattn.exact.numbers import Exact
from symattn.problem import Page
from symattn.render import latex
from symattn.render.grids import PAGE_WIDTH, broken, fits
from symattn.render.latex import Notation
from symattn.render.style import Style
from symattn.steps import Add, Derivation, Formula, Num, Step

EQUAL, ABOUT = "=", r"\approx"
_MOST_MIXED = 6
_MOST_KEPT = 64


@dataclass(frozen=True, slots=True)
class Teller:
    """Tells the lines of one head: its derivation, the page's options and its notation."""

    derivation: Derivation
    page: Page
    notation: Notation
    steps: dict[tuple[str, int, int], Step] = field(default_factory=dict, repr=False, compare=False)

    def number(self, text: str) -> str:
        """A printed number."""
        return latex.decimal(text, self.notation.decimal_mark)

    def entry(self, array: str, row: int, column: int) -> tuple[str, str, str] | None:
        """(left, sign, right) of one entry with its numbers put in; None where no line is true as printed."""
        if array in ("weights", "output") and self._sees_nothing(row):
            return None
        step = self._step(array, row, column)
        left = None if step.substituted is None else without_zeros(step.substituted)
        line = true_line(left, step.printed[0][0], self.page, dict(self.derivation.numbers))
        if line is None:
            return None
        return latex.formula(line.left[0], self.notation), _sign(line), self.number(line.right[0])

    def _sees_nothing(self, row: int) -> bool:
        """Whether the row's weights are a rule of the page, and no quotient."""
        allowed = self.derivation.allowed
        return allowed is not None and not any(allowed[row]) and "sink" not in dict(self.derivation.numbers)

    def terms(self, array: str, row: int, column: int) -> list[str]:
        """The terms of an entry's sum with its numbers put in; none where the entry is no sum."""
        step = self._step(array, row, column)
        left = None if step.substituted is None else without_zeros(step.substituted)
        line = true_line(left, step.printed[0][0], self.page, dict(self.derivation.numbers))
        if line is None or not isinstance(line.left[0], Add):
            return []
        return [latex.formula(term, self.notation) for term in line.left[0].terms]

    def _step(self, array: str, row: int, column: int) -> Step:
        """The step of one entry, its products in the order in which the page writes them."""
        step = self._plain_step(array, row, column)
        if not self.notation.style.columns or step.substituted is None:
            return step
        return replace(step, substituted=latex.turned(step.substituted))

    def _plain_step(self, array: str, row: int, column: int) -> Step:
        place = (array, row, column)
        if place not in self.steps:
            if len(self.steps) >= _MOST_KEPT:
                self.steps.clear()
            self.steps[place] = entry_step(self.derivation, *place)
        return self.steps[place]

    def dot_product(self, array: str, row: int, column: int, *, within_text: bool = False) -> str | None:
        """An entry of a product in full: the two vectors, the products, the value."""
        step = self._step(array, row, column)
        if step.printed[0][0] is None and step.substituted is not None:
            return self._in_letters(pairs(step.substituted), step.exact[0, 0].number)
        line = true_line(step.substituted, step.printed[0][0], self.page, dict(self.derivation.numbers))
        if line is None:
            return None
        factors = pairs(line.left[0])
        end = f"{_sign(line)} {self.number(line.right[0])}"
        products = f"{latex.formula(line.left[0], self.notation)} {end}"
        ways = [products]
        if len(factors) == _count(line.left[0]):
            first, second = ([self.text(number) for number in side] for side in zip(*factors, strict=True))
            ways.insert(0, f"{self._both(first, second, within_text=within_text)} = {products}")
        return next(filter(fits, ways), None)

    def _both(self, first: list[str], second: list[str], *, within_text: bool) -> str:
        """Two vectors multiplied: a row times a column where vectors are columns."""
        style = self.notation.style
        if not style.columns:
            return rf"{style.row(first)} \cdot {style.row(second)}"
        if within_text:
            return rf"{style.row(first)}\,{style.vector(second)}"
        return style.matrix([[number] for number in first]) + style.tall(second)

    def _in_letters(self, factors: list[tuple[Num, Num]], value: Exact) -> str | None:
        """The same with letters: the numbers in exact form."""
        style = self.notation.style
        shown = [[latex.exact(number.value.number, style) for number in pair] for pair in factors]
        products = latex.joined(r" \cdot ".join([latex.bracketed(a, first=True), latex.bracketed(b)]) for a, b in shown)
        tex = f"{products} = {latex.exact(value, style)}"
        return tex if fits(tex) else None

    def scaled(self, row: int, column: int) -> str | None:
        """A scaled score: the score over the root, and its decimal."""
        scores, scale = self.derivation.step("scores"), self.scale
        target = self.derivation.step("scaled").printed[row][column]
        line = scaled_line(scores.printed[row][column], scores.exact[row, column], scale, target, self.page)
        if line is None:
            return None
        closed, right = latex.exact(line.value, self.notation.style), self.number(line.right)
        parts = [scaled_left(self.number(line.score), scale, self.notation.style)] if line.score else []
        if not line.exact and (not parts or _is_simpler(closed, parts[0])):
            parts.append(closed)
        return f"{' = '.join(parts)} {EQUAL if line.exact else ABOUT} {right}" if parts and parts != [right] else None

    @property
    def scale(self) -> Exact:
        """The factor on every score."""
        found: Exact = dict(self.derivation.numbers)["scale"].number
        return found

    def entry_lines(self, array: str, row: int, column: int) -> list[str]:
        """One entry by name, broken where its sum is long; its value alone where no line is true as printed."""
        name = latex.entry(array, row, column, self.notation)
        if array == "scaled":
            line = self.scaled(row, column)
            return [f"{name} &= {line}"] if line else self._value(name, array, row, column)
        told = self.entry(array, row, column)
        if told is None or told[0] == told[2]:
            return self._value(name, array, row, column)
        left, sign, right = told
        whole = f"{name} &= {left} {sign} {right}"
        if fits(whole):
            return [whole]
        terms = self.terms(array, row, column)
        if not terms:
            return self._value(name, array, row, column)
        first, *rest = broken(terms, PAGE_WIDTH - 12)
        return [f"{name} &= {first}", *(rf"&\quad {line}" for line in rest), f"&{sign} {right}"]

    def _value(self, name: str, array: str, row: int, column: int) -> list[str]:
        shown = self.derivation.step(array).printed[row][column]
        if shown is None:
            return []
        return [f"{name} &{EQUAL if shown.exact else ABOUT} {self.number(shown.text)}"]

    def mix(self, row: int) -> list[str]:
        """A row of weights times the rows of values as one line, or none where it does not fit."""
        if self._sees_nothing(row):
            return []
        targets = self.derivation.step("output").printed[row]
        sums = [self._plain_step("output", row, column).substituted for column in range(len(targets))]
        line = true_lines(sums, targets, self.page, dict(self.derivation.numbers), within=self._mix_fits)
        return [] if line is None or not self._mix_fits(line) else [self._mixed(line)]

    def _mix_fits(self, line: Line) -> bool:
        return fits(self._mixed(line))

    def _mixed(self, line: Line) -> str:
        """Weights times vectors, and what they make."""
        right = self.notation.style.tall(map(self.number, line.right))
        return f"{latex.joined(self._weighted_vectors(line))} {_sign(line)} {right}"

    def mixed_numbers(self, row: int) -> list[str]:
        """The numbers of a row's output, each as a sum on a line of its own; the first alone where they are long or
        many.
        """
        if self._sees_nothing(row):
            return []
        count = len(self.derivation.step("output").printed[row])
        first = self.entry_lines("output", row, 0)
        if len(first) > 1 or count > _MOST_MIXED:
            return first
        lines = [line for column in range(count) for line in self.entry_lines("output", row, column)]
        return lines if len(lines) == count else first

    def added(self, row: int) -> str | None:
        """A token plus its output as vectors; None where no line is true as printed, or fits."""
        targets = self.derivation.step("residual").printed[row]
        sums = [self._plain_step("residual", row, column).substituted for column in range(len(targets))]
        line = true_lines(sums, targets, self.page)
        if line is None:
            return None
        sides = zip(*(formula.terms for formula in line.left if isinstance(formula, Add)), strict=True)
        shown = [self.notation.style.tall(self.text(part) for part in side if isinstance(part, Num)) for side in sides]
        right = self.notation.style.tall(map(self.number, line.right))
        whole = f"{' + '.join(shown)} {_sign(line)} {right}"
        return whole if fits(whole) else None

    def _weighted_vectors(self, line: Line) -> list[str]:
        """Weight times vector for each key; masked keys, whose weight is the digit 0, are left out."""
        times = "" if self.notation.style.columns else r"\cdot "
        by_key = zip(*(pairs(column) for column in line.left), strict=True)
        return [
            rf"{self.text(key[0][0])} {times}{self.notation.style.tall(self.text(value) for _, value in key)}"
            for key in by_key
            if self.text(key[0][0]) != "0"
        ]

    def text(self, number: Num) -> str:
        """A number that was put in, as it is printed."""
        return (
            latex.exact(number.value.number, self.notation.style) if number.text is None else self.number(number.text)
        )


def _count(formula: Formula) -> int:
    return len(formula.terms) if isinstance(formula, Add) else 1


def _sign(line: Line) -> str:
    return EQUAL if line.exact else ABOUT


def scaled_left(score: str, scale: Exact, style: Style) -> str:
    """A score with its scale, as it is said: 1/sqrt 2, or 3 times 0.5."""
    verb, number = latex.scaled_by(scale, style)
    if verb == "divide":
        return score if number == "1" else rf"\frac{{{score}}}{{{number}}}"
    return rf"{score} \cdot {latex.factor(number)}"


def _is_simpler(closed: str, left: str) -> bool:
    return closed != left and not closed.startswith((r"\frac", r"-\frac")) and len(closed) < len(left)
