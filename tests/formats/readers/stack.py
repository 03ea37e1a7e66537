"""STACK questions: inputs, response trees walked node by node, and question tests.

Source of the rules: STACK's documentation of potential response trees (a node's outcome sets the score and leads to the
next node, -1 ends the tree) and of the answer tests NumAbsolute and AlgEquiv. Numbers are binary floats, as in Maxima.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from tests.formats.readers import Blank, Read


@dataclass(frozen=True)
class Tree:
    name: str
    value: int
    variables: str
    nodes: dict[str, ET.Element]

    def walked(self, verdict: Callable[[ET.Element], bool]) -> tuple[Fraction, str, str]:
        """The score, the last answer note and what is said, where ``verdict`` decides each node's test."""
        at, score, note, said = min(self.nodes, key=int), Fraction(0), "", []
        seen = set()
        while at != "-1":
            assert at not in seen, "a tree without end"
            seen.add(at)
            node = self.nodes[at]
            branch = "true" if verdict(node) else "false"
            assert node.findtext(f"{branch}scoremode") == "="
            score, note = Fraction(node.findtext(f"{branch}score")), node.findtext(f"{branch}answernote")
            said.append(node.findtext(f"{branch}feedback/text") or "")
            at = node.findtext(f"{branch}nextnode")
        return score, note, " ".join(said)


@dataclass(frozen=True)
class Question:
    root: ET.Element

    @property
    def code(self) -> str:
        return self.root.findtext("idnumber")

    @property
    def variables(self) -> str:
        return self.root.findtext("questionvariables/text")

    @property
    def trees(self) -> list[Tree]:
        return [
            Tree(
                it.findtext("name"),
                int(it.findtext("value")),
                it.findtext("feedbackvariables/text") or "",
                {node.findtext("name"): node for node in it.findall("node")},
            )
            for it in self.root.findall("prt")
        ]

    @property
    def inputs(self) -> dict[str, ET.Element]:
        return {it.findtext("name"): it for it in self.root.findall("input")}


def questions(content: bytes) -> list[Question]:
    root = ET.fromstring(content)  # noqa: S314 - our own file
    found = [Question(it) for it in root if it.get("type") == "stack"]
    for question in found:
        text = question.root.findtext("questiontext/text")
        assert re.findall(r"\[\[input:(\w+)\]\]", text) == list(question.inputs)
        assert re.findall(r"\[\[validation:(\w+)\]\]", text) == list(question.inputs)
        assert re.findall(r"\[\[feedback:(\w+)\]\]", text) == [tree.name for tree in question.trees]
        assert re.search(r"\bstack_seed\b", question.variables), "a seed is deployed only where one is referred to"
        assert [int(it.text) for it in question.root.findall("deployedseed")] == [1]
        assert question.root.findtext("questionnote/text")
        assert int(question.root.findtext("defaultgrade")) == sum(tree.value for tree in question.trees)
    return found


def read(content: bytes) -> Read:
    return {question.code: [_blank(tree) for tree in question.trees] for question in questions(content)}


def _blank(tree: Tree) -> Blank:
    first = tree.nodes["0"]
    is_number = first.findtext("answertest") == "NumAbsolute"

    def mark(answer: str) -> tuple[Fraction, str]:
        if not answer:
            return Fraction(0), ""

        def verdict(node: ET.Element) -> bool:
            if node.findtext("sans") == "follow":
                return False  # a question of the other blanks, which Maxima answers in test_stack
            if is_number:
                distance = abs(float(answer) - float(node.findtext("tans")))
                return distance <= float(node.findtext("testoptions"))
            assert node.findtext("answertest") == "AlgEquiv"
            return 1 + "ABCDEFGHIJ".index(answer) == int(node.findtext("tans"))

        score, _, said = tree.walked(verdict)
        return score, said

    return Blank(tree.value, mark, first.findtext("tans") if is_number else None)
