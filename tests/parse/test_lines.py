"""Lines of paths. In these documents every value is the number of the line on which its key, or its entry, stands."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.parse import limits
from symattn.parse.lines import Lines
from symattn.parse.messages import child

PLAIN = """\
a = 1
"b c" = 2   # a = 99
'd' = 3
e.f = 4
e."g.h" = 5

t1 = [7, 7, 7]
t2 = [
  9,
  10, 10,  # ] 99
  [11, 11],
  [
    13,
    { x = 14, y.z = 14 },
    # 99
    16
  ],
]
i = { j = 19, k = [19], l = { m = 19 } }
[table]
n = 21
sub.o = 22
[table.other]
p = 24
[[list]]
q = 26
[list.inner]
r = 28
[[list]]
q = 30
[[list.deep]]
s = 32
[[list.deep]]
s = 34
"""
TEXTS = '''\
s1 = """
a = 99 [ { " ""
"""
a = 4
s2 = \'\'\'
b = 99 # ]
\'\'\'
b = 8
s3 = "\\" = 99 #"
c = 10
s4 = \'\\\'
d = 12
when = 1979-05-27 07:32:00
e = 14
s5 = """x"""""
f = 16
"\\U0001F600" = 17
at = [07:32:00, 1979-05-27T07:32:00Z, 1979-05-27 07:32:00.5-07:00]
g = 19
h = 20 # no line end'''
OBJECT = """\
{
  "a": 2, "b":
  [3,
   4, {"c": 4,
  "d": [5, [
    6]]}],
  "e\\"}": 7,
  "f": {"g": {}, "h": [],
    "i": 9
  }, "t": "\\\\", "j": 10}
"""


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, int]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, child(path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, child(path, index))
    elif isinstance(value, int):
        yield path, value


CASES = [
    *((PLAIN, path, line) for path, line in leaves(tomllib.loads(PLAIN))),
    *((TEXTS, path, line) for path, line in leaves(tomllib.loads(TEXTS))),
    *((OBJECT, path, line) for path, line in leaves(json.loads(OBJECT))),
]
assert len(CASES) > 40


@pytest.mark.parametrize(("text", "path", "line"), CASES, ids=lambda x: x if isinstance(x, str) and len(x) < 20 else "")
def test_every_value_stands_on_its_line(text: str, path: str, line: int) -> None:
    assert Lines(text).of(path) == line


def test_what_is_not_there_has_the_line_of_what_is_around_it() -> None:
    found = Lines(PLAIN)
    assert found.of("table.missing") == 20
    assert found.of("t2[7][0]") == 8
    assert found.of("list[1].q.x") == 30
    assert found.of("missing") is None
    assert found.of("") is None


def test_a_key_has_its_own_line_where_its_value_stands_below() -> None:
    found = Lines(OBJECT)
    assert found.of("b") == 2
    assert found.of("b[0]") == 3


def test_a_very_long_text_is_not_searched() -> None:
    assert Lines("a = 1").of("a") == 1
    assert Lines("a = 1" + " " * limits.SCANNED).of("a") is None


_VALUES = st.recursive(
    st.just(0) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


def _numbered(value: Any) -> str:
    """The value as JSON with every integer replaced by its own line: one token a line, counted as it is printed."""
    lines = json.dumps(value, indent=1).split("\n")
    for number, line in enumerate(lines, 1):
        if line.rstrip(",").endswith(" 0") and not line.rstrip(",").endswith('"'):
            lines[number - 1] = line[: line.rindex("0")] + str(number) + line[line.rindex("0") + 1 :]
    return "\n".join(lines)


@given(st.dictionaries(st.text(max_size=4), _VALUES, max_size=4))
def test_every_integer_of_printed_json_stands_on_its_line(data: dict[str, Any]) -> None:
    text = _numbered(data)
    found = Lines(text)
    for path, line in leaves(json.loads(text)):
        assert found.of(path) == line
    assert found.repeated is None


REPEATED = {
    '{"a": 1,\n "a": 2}': ("a", 2),
    '{"a": {"b": 1},\n "b": 2,\n "c": [{"d": 1}, {"d": 2,\n "d": 3}]}': ("c[1].d", 4),
    '{"a": 1,\n "\\u0061": 2}': ("a", 2),
    '{"a": {"x": 1, "x": 2}, : ] {': ("a.x", 1),
    '{"a": {"x": 1, "x": 2}, "y" ': ("a.x", 1),
    '{"a": "\\"a\\": 1", "b": 2}': None,
}
assert REPEATED


@pytest.mark.parametrize(("text", "expected"), REPEATED.items())
def test_the_second_of_two_names_is_found(text: str, expected: tuple[str, int] | None) -> None:
    assert Lines(text).repeated == expected


@given(st.text(alphabet="{}[]=:,.\"'#\n\\ a1-", max_size=60))
def test_no_text_breaks_the_walk(text: str) -> None:
    assert Lines(text).of("a") is None or isinstance(Lines(text).of("a"), int)
