"""An example at work: what has been printed of it so far, and how its closed forms are written."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction

from symattn.check.arithmetic import worth
from symattn.check.diagnosis import Diagnosis, diagnosis
from symattn.check.given import Example
from symattn.check.reading.labels import of_node
from symattn.check.reading.tree import Name, Statement, numbers_in
from symattn.check.written import Written
from symattn.errors import SymattnError
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
        """The closed form of a value."""
        if self.writer is None:
            self.writer = Writer(self.example.known.worked.generator())
        try:
            return self.writer.value(value)
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


@dataclass(frozen=True, slots=True)
class Rules:
    """The examples of a page, one after the other."""

    all: list[Ruled]

    def at(self, offset: int) -> Ruled | None:
        """The example that rules a place."""
        index = bisect_right(self.all, offset, key=lambda ruled: ruled.example.start) - 1
        return self.all[index] if index >= 0 and offset < self.all[index].example.end else None
