"""A reader of Moodle's XML, written from the rules of its import and of its numerical and cloze questions.

Source of the rules: question/format/xml/format.php, question/type/multianswer/questiontype.php and
question/type/numerical/question.php of Moodle 4. Nothing here is taken from symattn.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from base64 import b64decode
from dataclasses import dataclass
from fractions import Fraction

NUMBER = re.compile(r"-?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?")
BLANK = re.compile(r"\{(\d*):([A-Z_]+):((?:[^}\\]|\\.)*)\}", re.DOTALL)
TYPES = {"NUMERICAL": "number", "NM": "number", "MULTICHOICE": "choice", "MULTICHOICE_V": "choice"}
FRACTIONS = {"100", "0", "50"}


@dataclass
class Alternative:
    fraction: Fraction
    text: str
    tolerance: Fraction
    feedback: str


@dataclass
class Blank:
    weight: int
    kind: str
    alternatives: list[Alternative]

    def mark(self, answer: str) -> tuple[Fraction, str]:
        """The fraction and the feedback: of numbers the first interval that holds the answer."""
        for one in self.alternatives:
            if self.kind == "choice":
                if one.text == answer:
                    return one.fraction, one.feedback
            elif one.text == "*" or abs(Fraction(answer) - Fraction(one.text)) <= one.tolerance:
                return one.fraction, one.feedback
        return Fraction(0), ""

    @property
    def width(self) -> int:
        """How wide a browser shows it: as its longest alternative."""
        return max(len(one.text) for one in self.alternatives)


@dataclass
class Question:
    kind: str
    name: str
    text: str
    feedback: str
    blanks: list[Blank]
    files: dict[str, bytes]


def files(item: ET.Element) -> dict[str, bytes]:
    """The files of the general feedback; each is shown in it, and nowhere else, and nothing else is."""
    found = {it.get("name"): b64decode(it.text, validate=True) for it in item.findall("generalfeedback/file")}
    assert all((it.get("path"), it.get("encoding")) == ("/", "base64") for it in item.iter("file"))
    assert len(item.findall(".//file")) == len(found)
    for part in ("questiontext", "generalfeedback"):
        shown = re.findall(r'<img src="@@PLUGINFILE@@/([^"]*)"', item.findtext(f"{part}/text") or "")
        assert shown == (list(found) if part == "generalfeedback" else [])
    return found


def unescaped(text: str) -> str:
    return re.sub(r"\\([}#~/\"\\])", r"\1", text)


def alternative(text: str, kind: str) -> Alternative:
    fraction = Fraction(0)
    if text.startswith("="):
        fraction, text = Fraction(1), text[1:]
    elif matched := re.match(r"%(-?\d+(?:\.\d+)?)%", text):
        assert matched[1] in FRACTIONS
        fraction, text = Fraction(matched[1]) / 100, text[matched.end() :]
    answer, _, feedback = re.sub(r"(?<!\\)#", "\0", text).partition("\0")
    if kind == "choice":
        return Alternative(fraction, unescaped(answer), Fraction(0), unescaped(feedback))
    value, _, tolerance = answer.partition(":")
    assert NUMBER.fullmatch(value), value
    assert NUMBER.fullmatch(tolerance), tolerance
    return Alternative(fraction, value, Fraction(tolerance), unescaped(feedback))


def blanks(text: str) -> list[Blank]:
    found = []
    for matched in BLANK.finditer(text):
        kind = TYPES[matched[2]]
        alternatives = [alternative(part, kind) for part in re.split(r"(?<!\\)~", matched[3])]
        assert sum(one.fraction == 1 for one in alternatives) == 1, matched[0]
        found.append(Blank(int(matched[1] or 1), kind, alternatives))
    left = BLANK.sub("", text)
    assert not re.search(r"\{\d*:[A-Z]", left), "a blank that no rule reads"
    return found


def questions(xml: str) -> list[Question]:
    found = []
    root = ET.fromstring(xml)  # noqa: S314 - our own file
    assert root.tag == "quiz"
    first, *others = root
    assert first.get("type") == "category"
    assert first.findtext("category/text").startswith("$course$/")
    for item in others:
        text = item.findtext("questiontext/text") or ""
        kind = item.get("type") or ""
        if kind == "cloze":
            made = blanks(text)
            assert made, "a cloze question needs a blank"
        else:
            assert kind == "numerical", kind
            answers = []
            for answer in item.findall("answer"):
                assert answer.get("fraction") in FRACTIONS
                value = answer.findtext("text") or ""
                assert value == "*" or NUMBER.fullmatch(value)
                answers.append(
                    Alternative(
                        Fraction(answer.get("fraction")) / 100,
                        value,
                        Fraction(answer.findtext("tolerance")),
                        answer.findtext("feedback/text") or "",
                    )
                )
            made = [Blank(int(item.findtext("defaultgrade")), "number", answers)]
        found.append(
            Question(
                kind,
                item.findtext("name/text") or "",
                text,
                item.findtext("generalfeedback/text") or "",
                made,
                files(item),
            )
        )
    return found
