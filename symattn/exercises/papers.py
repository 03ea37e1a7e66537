"""What a class handed in: a table of answers, JSON, or the responses that Moodle's quiz report downloads.

In a table each line is a student: ``id``, ``code`` (or a map from ids to codes), and a column a blank. In Moodle's file
a column ``Response n`` holds one question's answers, those of a cloze question as ``part 1: 0.40; part 2: 0.20``; which
variant it was is told by the code in ``Question n``, or by the map.
Source: summarise_response in question/type/multianswer/question.php, and the quiz report of responses, of Moodle 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from symattn.errors import SpecError, SymattnError, Where
from symattn.exercises.key import KeyVariant, known
from symattn.exercises.roster import MOST, table
from symattn.parse import document
from symattn.parse.messages import child, kind, quoted
from symattn.parse.values import rows
from symattn.parse.values import table as mapping

_RESPONSE: Final = re.compile(r"response (\d+)", re.IGNORECASE)
_PART: Final = re.compile(r"(?:^|; )\w+ (\d+): ")
_IDS: Final = ("id", "id number", "idnumber", "username", "email address", "email")
_LARGEST: Final = 200_000_000


@dataclass(frozen=True, slots=True)
class HandedIn:
    """One student's answers by the names of the blanks."""

    student: str
    code: str
    answers: Mapping[str, str]


def read(path: Path, key: Mapping[str, KeyVariant], codes: Mapping[str, str]) -> list[HandedIn]:
    """The papers in a file.

    Args:
        path: A CSV or JSON file.
        key: The variants by code.
        codes: The code of each student, where the file does not say it.
    Raises:
        SymattnError: The file cannot be read, or names a variant that the key does not have.
    """
    try:
        text = document.text(path, _LARGEST)
        found = list(_from_json(text, codes) if path.suffix.lower() == ".json" else _from_csv(text, key, codes))
        for paper in found:
            known(paper.code, key)
    except SymattnError as error:
        raise error.located(file=str(path)) from None
    return found


def code_map(path: Path) -> dict[str, str]:
    """The map from students to codes that a run with a roster writes."""
    try:
        found = table(document.text(path, _LARGEST))
        if found and not {"id", "code"} <= set(found[0][1]):
            raise SpecError("a map has the columns id and code", mend="name the file NAME-map.csv")
        return {row["id"]: row["code"] for _, row in found}
    except SymattnError as error:
        raise error.located(file=str(path)) from None


def _from_json(text: str, codes: Mapping[str, str]) -> Iterator[HandedIn]:
    """``{"students": [{"id": ..., "code": ..., "answers": {blank: text}}]}``."""
    data = document.data(text, "json")
    for i, item in enumerate(rows(data.get("students"), "students")):
        path = child("students", i)
        if i >= MOST:
            raise SpecError(f"more than {MOST} students", mend="split the file", where=Where(path))
        found = mapping(item, path)
        student = _text(found.get("id", ""), child(path, "id"))
        code = _text(found.get("code", codes.get(student, "")), child(path, "code"))
        answers = mapping(found.get("answers", {}), child(path, "answers"))
        texts = {name: _text(value, child(child(path, "answers"), name)) for name, value in answers.items()}
        yield HandedIn(student, _coded(code, student, Where(path)), texts)


def _text(value: Any, path: str) -> str:
    if isinstance(value, list | dict) or value is None:
        raise SpecError(f"{kind(value)} is no answer", mend="write a text or a number", where=Where(path))
    return str(value)


def _coded(code: str, student: str, where: Where) -> str:
    if not code:
        raise SpecError(
            f"which variant {quoted(student)} had is not said",
            mend="give the map with --roster, or a column code",
            where=where,
        )
    return code


def _from_csv(text: str, key: Mapping[str, KeyVariant], codes: Mapping[str, str]) -> Iterator[HandedIn]:
    for number, row in table(text):
        lower = {name.lower(): value for name, value in row.items()}
        responses = {int(found[1]): value for name, value in lower.items() if (found := _RESPONSE.fullmatch(name))}
        student = next((lower[name] for name in _IDS if lower.get(name)), "")
        if responses:
            yield from _of_moodle(student, lower, responses, key, codes, Where(line=number))
        else:
            code = lower.get("code") or codes.get(student, "")
            yield HandedIn(student, _coded(code, student, Where(line=number)), row)


def _of_moodle(
    student: str,
    row: Mapping[str, str],
    responses: Mapping[int, str],
    key: Mapping[str, KeyVariant],
    codes: Mapping[str, str],
    where: Where,
) -> Iterator[HandedIn]:
    """A line of Moodle's report: one paper for each of its questions that was answered."""
    if not student:
        return  # the line of averages at the end
    for slot, response in responses.items():
        if response in ("", "-"):
            continue
        words = re.findall(r"\w+", row.get(f"question {slot}", ""))
        code = next((word for word in words if word in key), "") or codes.get(student, "")
        variant = known(_coded(code, student, where), key)
        names = [name for question in variant.questions if _is_asked(question) for name in question.blanks]
        yield HandedIn(student, variant.code, dict(zip(names, parts(response, len(names)), strict=True)))


def _is_asked(question: Any) -> bool:
    """Whether Moodle asks it: a closed form has no blank there."""
    return bool(question.answer.ask.kind != "closed")


def parts(response: str, count: int) -> list[str]:
    """The answers of a response: ``part 1: 0.40; part 2: 0.20``, or one alone."""
    marks = list(_PART.finditer(response))
    if not marks:
        return [response, *[""] * (count - 1)]
    found = [""] * count
    for mark, after in zip(marks, [*marks[1:], None], strict=True):
        place = int(mark[1]) - 1
        if 0 <= place < count:
            found[place] = response[mark.end() : len(response) if after is None else after.start()].strip()
    return found
