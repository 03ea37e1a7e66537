"""How a result is printed: ``nearest`` and ``carried``, and rows of weights that add to 1."""

from __future__ import annotations

from symattn.exact.attention import Projections, Result
from symattn.policies.carried import ByHand, beside, both_carried, carried_result
from symattn.policies.nearest import exponential_table, nearest_result, rows_to_one
from symattn.policies.printing import (
    MASKED_TEXT,
    UNDEFINED_TEXT,
    Grid,
    PrintedHead,
    PrintedResult,
    Seen,
    add_to_one,
    certified,
    grid,
    one,
    rounded,
)
from symattn.policies.totals import row_total
from symattn.problem import Page


def printed(
    starts: tuple[Projections, ...],
    result: Result,
    page: Page,
    *,
    exponentials: bool = True,
    by_hand: PrintedResult | None = None,
    seen: Seen | None = None,
) -> PrintedResult:
    """Every number of a result by the page's policy.

    Args:
        starts: The projections that ``result`` was made from.
        result: The exact result.
        page: Decimals, policy, row sums and ties.
        exponentials: Whether the exponentials are wanted as well; only pages print them.
        by_hand: Where a pencil worker comes from a written layer before: the numbers that he gets.
        seen: What the page has rounded so far.
    Raises:
        SpecError: ``carried`` with decimals so few that a row of exponentials adds to 0.
    """
    near = nearest_result(result, page, exponentials=exponentials, seen=seen)
    if by_hand is not None:
        return beside(by_hand, near)
    if page.rounding == "carried":
        return carried_result(starts, result, page, near)
    return near if page.row_sums == "as-is" else rows_to_one(result, near, page)


__all__ = [
    "MASKED_TEXT",
    "UNDEFINED_TEXT",
    "ByHand",
    "Grid",
    "PrintedHead",
    "PrintedResult",
    "Seen",
    "add_to_one",
    "both_carried",
    "carried_result",
    "certified",
    "exponential_table",
    "grid",
    "nearest_result",
    "one",
    "printed",
    "rounded",
    "row_total",
]
