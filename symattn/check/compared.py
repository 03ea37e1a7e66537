"""A declared page beside the one that is made anew: what differs is wrong, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from symattn.check.findings import Findings
from symattn.check.fix import REWRITTEN
from symattn.check.reading.printed import printed
from symattn.check.report import Because, Finding, Unread
from symattn.check.twin import Place
from symattn.check.verdicts import ERRATA

_FEWEST: Final = 20
"""Numbers of a page beside one that may be another."""


def compare(to: Findings, found: tuple[Place, ...], *, vouched: bool = False) -> None:
    """What the page's twin says: a number that differs is wrong, and no other one of them is to blame for it.

    ``vouched``: a number that does not differ is correct, as nothing else says.
    """
    if vouched:
        for same in found:
            _by_twin(to, same)
        _read(to, found)
        return
    if not any(place.differs for place in found):
        return
    inside = {start: place for place in found for start in range(place.start, place.end)}
    for start, finding in list(to.found.items()):
        place = inside.get(start)
        if place is not None and not place.differs and finding.verdict in REWRITTEN:
            to.found[start] = replace(finding, verdict="correct", because=None, wanted=None, mistake=None)
    for place in found:
        if place.differs:
            _by_twin(to, place)
    _read(to, [place for place in found if place.differs])


def compare_untold(to: Findings, twins: Sequence[tuple[Place, ...]]) -> bool:
    """The same for a page that only has the title of such a page, beside that page with several choices of the numbers
    in its exercises: where these stand, other numbers count for nothing, unless one alone is another.

    Returns:
        Whether it is that page: nearly all that both have is the same.
    """
    found = [place for place in twins[0] if to.page.text[place.start : place.end].strip()]
    wanted = [{place.start: place.wanted for place in twin} for twin in twins]
    free = {
        to.page.place(place.start)[0]
        for place in found
        if len({other.get(place.start, place.wanted) for other in wanted}) > 1
    }
    told = [place for place in found if place.differs]
    if len(told) > 1:
        told = [place for place in told if to.page.place(place.start)[0] not in free]
    if len(found) < max(1, len(told)) * _FEWEST:
        return False
    kept = [place for place in found if not place.differs or place in told]
    for place in kept:
        _by_twin(to, place, "titled")
    _read(to, kept)
    return True


def _read(to: Findings, found: Sequence[Place]) -> None:
    """What the twin speaks of is no longer unread."""
    places = {to.page.place(at) for place in found for at in range(place.start, place.end)}

    def is_told(one: Unread) -> bool:
        return any((one.line, one.column + step) in places for step in range(len(one.printed)))

    to.unread = [one for one in to.unread if not is_told(one)]


def _by_twin(to: Findings, place: Place, because: str = "declared") -> None:
    """A number that the declared page has as well, or has otherwise."""
    number = printed(place.printed, place.start)
    wanted = printed(place.wanted, place.start)
    close = number is not None and wanted is not None and abs(number.value - wanted.value) == number.unit
    verdict = "last_digit" if close and number is not None and number.places > 0 else "wrong"
    verdict = verdict if place.differs else "correct"
    known = next((to.found.pop(at) for at in range(place.start, place.end) if at in to.found), None)
    if place.differs and known is not None and known.verdict in ERRATA:
        verdict = known.verdict
    line, column = to.page.place(place.start)
    to.found[place.start] = Finding(
        file=to.file,
        line=line,
        column=column,
        start=place.start,
        end=place.end,
        printed=place.printed,
        quantity=known.quantity if known is not None else "text",
        head=known.head if known is not None else None,
        row=known.row if known is not None else None,
        col=known.col if known is not None else None,
        verdict=verdict,
        exact=known.exact if known is not None else None,
        value=known.value if known is not None else None,
        mistake=known.mistake if known is not None else None,
        because=Because(because, (place.wanted,)) if place.differs else None,
        wanted=place.wanted if place.differs else None,
    )
