"""A line that is false because one of its numbers is not the one that the page printed before."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from symattn.check.blocks import Block
from symattn.check.chains import holds, replaced
from symattn.check.findings import Findings
from symattn.check.reading.printed import Printed, printed
from symattn.check.reading.tree import Statement, entry, numbers_in
from symattn.check.report import Because
from symattn.check.ruled import Ruled

_FARTHEST: Final = 9
_MOST_PRINTED: Final = 2000


def slipped_operand(to: Findings, ruled: Ruled, block: Block) -> bool:
    """Whether a number follows from what is written before it once a slip in that is mended: then both are told."""
    statement, number = block.statement, entry(block.rows[0][0]) if block.shape == (1, 1) else None
    if statement is None or number is None or number.special or len(to.found) > _MOST_PRINTED:
        return False
    operands = [
        one
        for member in statement.members
        if member.start < block.start
        for one in numbers_in(member.node)
        if one.places > 0 and not one.special
    ]
    if not operands or holds(statement, ruled.names) is not False:
        return False
    known = {found.value for one in to.found.values() if not one.is_erratum and (found := printed(one.printed, 0))}
    for operand in operands:
        if operand.value in known:
            continue
        for step in range(-_FARTHEST, _FARTHEST + 1):
            meant = replace(operand, value=operand.value + step * operand.unit)
            if meant.value in known and holds(_with(statement, operand, meant), ruled.names):
                because = Because("false_line")
                to.add(operand, "arithmetic", None, None, "wrong", value=meant.value, because=because)
                to.add(number, "arithmetic", None, None, "correct", value=number.value)
                return True
    return False


def _with(statement: Statement, number: Printed, other: Printed) -> Statement:
    members = (replace(member, node=replaced(member.node, number, other)) for member in statement.members)
    return Statement(tuple(members))
