"""What a STACK question asks: its inputs, a response tree for each number or choice, and what students may type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from symattn.exact.maxima_forms import in_letter, maxima
from symattn.exercises.fixed import UNIT
from symattn.exercises.offer import Offer
from symattn.exercises.variant import Answer, Cell
from symattn.exercises.wrong import Wrong, wrong
from symattn.export.questions import Pages, choices, widened
from symattn.export.stack.follow import Earlier
from symattn.symbols import GENERATOR


@dataclass(frozen=True, slots=True)
class Node:
    """One test of a tree: what is compared with what, and the mistake that it recognises, if it does.

    ``follows``: it finds what is right in consequence of earlier answers. ``middle`` and ``units`` are the number that
    it accepts and how far off, in units of 10^-30.
    """

    test: str
    given: str
    wanted: str
    options: str = ""
    mistake: str = ""
    follows: bool = False
    middle: int = 0
    units: int = 0


@dataclass(frozen=True, slots=True)
class Tree:
    """The nodes for one blank: the right answer, what follows from earlier ones, and each mistake.

    ``variables`` are worked out before its nodes.
    """

    name: str
    points: int
    nodes: tuple[Node, ...]
    variables: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One question: its input, the right answer in Maxima, and its trees.

    ``typed`` holds for a case (``exact``, ``rounded``, or a mistake) what a student would type into each blank.
    """

    name: str
    kind: str
    answer: str
    trees: tuple[Tree, ...]
    typed: Mapping[str, Sequence[str]]
    columns: int = 1
    width: int = 8

    def texts(self, case: str) -> Sequence[str]:
        """What is typed into its blanks in a case: the right answer where the case says nothing of it."""
        return self.typed.get(case) or self.typed.get("rounded") or self.typed["exact"]

    def spelled(self, texts: Sequence[str]) -> str:
        """Its blanks as one input."""
        if self.kind != "matrix":
            return texts[0]
        rows = (texts[at : at + self.columns] for at in range(0, len(texts), self.columns))
        return f"matrix({','.join('[' + ','.join(row) + ']' for row in rows)})"


def parts(offer: Offer, pages: Pages, earlier: Earlier) -> Iterator[Part]:
    """The parts of a variant, one for each of its questions."""
    for number, answer in enumerate(offer.variant.answers, 1):
        name = f"ans{number}"
        if answer.choices:
            yield _choice(offer, pages, name, answer)
        elif answer.ask.kind == "closed":
            yield _closed(pages, name, answer)
        else:
            yield _numbers(offer, pages, name, answer, earlier)


def _choice(offer: Offer, pages: Pages, name: str, answer: Answer) -> Part:
    texts = choices(offer, pages.sheet, answer)
    listed = ",".join(
        f'[{place + 1},{"true" if place == answer.right else "false"},"{_quoted(text)}"]'
        for place, text in enumerate(texts)
    )
    nodes = [Node("AlgEquiv", name, str(answer.right + 1), middle=(answer.right + 1) * UNIT)]
    typed = {"rounded": [str(answer.right + 1)]}
    for place, choice in enumerate(answer.choices):
        if answer.ask.kind == "choice" and choice.mistake:
            nodes.append(Node("AlgEquiv", name, str(place + 1), mistake=choice.mistake, middle=(place + 1) * UNIT))
            typed[choice.mistake] = [str(place + 1)]
    return Part(name, "radio", f"[{listed}]", (Tree(f"prt{name[3:]}", answer.ask.points, tuple(nodes)),), typed)


def _closed(pages: Pages, name: str, answer: Answer) -> Part:
    ((value, by),) = pages.sheet.exact(answer)
    text = in_letter(value, by, GENERATOR)
    tree = Tree(f"prt{name[3:]}", answer.ask.points, (Node("AlgEquiv", name, f"ta{name[3:]}"),))
    return Part(name, "algebraic", text, (tree,), {"exact": [text]}, width=20)


def _numbers(offer: Offer, pages: Pages, name: str, answer: Answer, earlier: Earlier) -> Part:
    number, points = name[3:], answer.ask.points
    rows = list(dict.fromkeys(cell.row for cell in answer.cells))
    columns = list(dict.fromkeys(cell.column for cell in answer.cells))
    alone = len(answer.cells) == 1
    places = [(rows.index(cell.row) + 1, columns.index(cell.column) + 1) for cell in answer.cells]
    names = [name if alone else f"{name}[{i},{j}]" for i, j in places]
    trees, keys = [], [cell.key for cell in answer.cells]
    exact = [maxima(value, by) for value, by in pages.sheet.exact(answer)]
    typed = {"exact": exact, "rounded": keys}
    for place, (cell, others) in enumerate(
        zip(answer.cells, wrong(offer.run.judge, offer.variant, answer), strict=True)
    ):
        given, test = names[place], earlier.test(answer, place, names[place])
        nodes = [_near(given, cell)]
        if test:
            nodes.append(Node("AlgEquiv", "follow", "true", follows=True))
        nodes += [_near(given, one) for one in others]
        for one in reversed(others):  # of several readings of a mistake the first is what a test types
            typed.setdefault(one.mistake, list(keys))[place] = one.text
        i, j = places[place]
        trees.append(Tree(f"prt{number}x{i}x{j}", points, tuple(nodes), f"follow:{test};" if test else ""))
    earlier.typed(answer, names)
    part = Part(name, "algebraic" if alone else "matrix", "", tuple(trees), typed, len(columns))
    return replace(part, answer=part.spelled(exact))


def _near(given: str, wanted: Cell | Wrong) -> Node:
    """Whether a number is within the tolerance of the key's, or of what a mistake gives."""
    text, mistake = (wanted.key, "") if isinstance(wanted, Cell) else (wanted.text, wanted.mistake)
    tolerance = widened(wanted.tolerance, text)
    return Node("NumAbsolute", given, text, tolerance, mistake, middle=wanted.middle, units=wanted.units)


def _quoted(text: str) -> str:
    """A text inside a string of Maxima."""
    return text.replace("\\", "\\\\").replace('"', '\\"')
