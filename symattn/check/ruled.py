"""An example at work: what has been printed of it so far, and how its closed forms are written."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from operator import itemgetter
from typing import Final

from symattn.check.arithmetic import worth
from symattn.check.diagnosis import Diagnosis, diagnosis
from symattn.check.given import Example
from symattn.check.reading.labels import of_node
from symattn.check.reading.tree import Name, Statement, numbers_in
from symattn.check.written import Written
from symattn.errors import SymattnError
from symattn.exact.layers import written
from symattn.exact.text_forms import Writer
from symattn.exact.values import Value


@dataclass(slots=True)
class Ruled:
    """An example at work: what has been printed of it so far, and how its closed forms are written."""

    example: Example
    written: Written
    writer: Writer | None = None
    last: tuple[int | None, int] = (None, 0)
    spoken: tuple[str, int | None, int] = ("", None, 0)
    names: dict[str, Value] = field(default_factory=dict)
    quoted: list[Fraction] = field(default_factory=list)

    def diagnosis(self) -> Diagnosis:
        """What mistakes would give, worked when it is first asked for."""
        return diagnosis(self.example.known)

    def exact(self, value: Value) -> str | None:
        """The closed form of a value, where it has one."""
        if self.writer is None:
            self.writer = Writer(self.example.known.worked.generator())
        try:
            closed = written(value)
            return None if closed is None else self.writer.value(closed)
        except SymattnError:
            return None


def bind(ruled: Ruled, statement: Statement) -> None:
    """Letters that a page gives an exact value, such as u = e^(1/sqrt 2)."""
    first, *rest = statement.members
    if not isinstance(first.node, Name) or len(first.node.text) > 2 or of_node(first.node) is not None:
        return
    for member in rest:
        if all(number.is_integer for number in numbers_in(member.node)):
            value = worth(member.node, ruled.names)
            if isinstance(value, Value):
                ruled.names[first.node.text] = value
                return


class Rules:
    """The examples of a page, and which of them rules where."""

    def __init__(self, all: list[Ruled]) -> None:
        self.all: Final = all
        self._parts = sorted(
            ((start, end, ruled) for ruled in all for start, end in ruled.example.parts), key=itemgetter(0)
        )

    def at(self, offset: int) -> Ruled | None:
        """The example that rules a place."""
        index = bisect_right(self._parts, offset, key=itemgetter(0)) - 1
        if index < 0:
            return None
        _, end, ruled = self._parts[index]
        return ruled if offset < end else None
