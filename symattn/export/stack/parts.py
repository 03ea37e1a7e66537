"""What a STACK question asks: its inputs, a response tree for each number or choice, and what each mistake gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from symattn.exact.maxima_forms import in_letter, maxima
from symattn.exercises.offer import Offer
from symattn.exercises.variant import Answer
from symattn.exercises.wrong import wrong
from symattn.export.questions import Pages, choices, widened
from symattn.symbols import GENERATOR


@dataclass(frozen=True, slots=True)
class Node:
    """One test of a tree: what is compared with what, and the mistake that it recognises, if it does."""

    test: str
    given: str
    wanted: str
    options: str = ""
    mistake: str = ""


@dataclass(frozen=True, slots=True)
class Tree:
    """The nodes for one blank: the first finds the right answer, each other a mistake."""

    name: str
    points: int
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """One question: its input, the right answer in Maxima, and its trees.

    ``tests`` holds for a case (``exact``, ``rounded``, or a mistake) what a student would type.
    """

    name: str
    kind: str
    answer: str
    trees: tuple[Tree, ...]
    tests: Mapping[str, str]
    width: int = 8


def parts(offer: Offer, pages: Pages) -> Iterator[Part]:
    """The parts of a variant, one for each of its questions."""
    for number, answer in enumerate(offer.variant.answers, 1):
        name = f"ans{number}"
        if answer.choices:
            yield _choice(offer, pages, name, answer)
        elif answer.ask.kind == "closed":
            yield _closed(pages, name, answer)
        else:
            yield _numbers(offer, pages, name, answer)


def _choice(offer: Offer, pages: Pages, name: str, answer: Answer) -> Part:
    texts = choices(offer, pages.sheet, answer)
    listed = ",".join(
        f'[{place + 1},{"true" if place == answer.right else "false"},"{_quoted(text)}"]'
        for place, text in enumerate(texts)
    )
    nodes = [Node("AlgEquiv", name, str(answer.right + 1))]
    tests = {"rounded": str(answer.right + 1)}
    for place, choice in enumerate(answer.choices):
        if answer.ask.kind == "choice" and choice.mistake:
            nodes.append(Node("AlgEquiv", name, str(place + 1), mistake=choice.mistake))
            tests[choice.mistake] = str(place + 1)
    return Part(name, "radio", f"[{listed}]", (Tree(f"prt{name[3:]}", answer.ask.points, tuple(nodes)),), tests)


def _closed(pages: Pages, name: str, answer: Answer) -> Part:
    ((value, by),) = pages.sheet.exact(answer)
    text = in_letter(value, by, GENERATOR)
    tree = Tree(f"prt{name[3:]}", answer.ask.points, (Node("AlgEquiv", name, f"ta{name[3:]}"),))
    return Part(name, "algebraic", text, (tree,), {"exact": text}, 20)


def _numbers(offer: Offer, pages: Pages, name: str, answer: Answer) -> Part:
    number, points = name[3:], answer.ask.points
    rows = list(dict.fromkeys(cell.row for cell in answer.cells))
    columns = list(dict.fromkeys(cell.column for cell in answer.cells))
    alone = len(answer.cells) == 1
    trees, made = [], dict[str, list[str]]()
    keys = [cell.key for cell in answer.cells]
    for place, (cell, others) in enumerate(
        zip(answer.cells, wrong(offer.run.judge, offer.variant, answer), strict=True)
    ):
        i, j = rows.index(cell.row) + 1, columns.index(cell.column) + 1
        given = name if alone else f"{name}[{i},{j}]"
        nodes = [Node("NumAbsolute", given, cell.key, widened(cell.tolerance, cell.key))]
        nodes += [Node("NumAbsolute", given, one.text, widened(one.tolerance, one.text), one.mistake) for one in others]
        for one in reversed(others):  # of several readings of a mistake the first is what a test types
            made.setdefault(one.mistake, list(keys))[place] = one.text
        trees.append(Tree(f"prt{number}x{i}x{j}", points, tuple(nodes)))
    exact = [maxima(value, by) for value, by in pages.sheet.exact(answer)]
    tests = {case: _matrix(texts, len(columns)) for case, texts in {"exact": exact, "rounded": keys, **made}.items()}
    return Part(name, "algebraic" if alone else "matrix", tests["exact"], tuple(trees), tests)


def _matrix(texts: list[str], columns: int) -> str:
    if len(texts) == 1:
        return texts[0]
    rows = (texts[at : at + columns] for at in range(0, len(texts), columns))
    return f"matrix({','.join('[' + ','.join(row) + ']' for row in rows)})"


def _quoted(text: str) -> str:
    """A text inside a string of Maxima."""
    return text.replace("\\", "\\\\").replace('"', '\\"')
