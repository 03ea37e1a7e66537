"""Forty public computations, set in five notations: every printed number is read, every verdict is the record's."""

from __future__ import annotations

from collections import Counter

import pytest

from symattn.check.page import check
from symattn.parse.problem import problem
from tests.check import corpus


def judged(record, notation, *, alone):
    """For each printed number of a record: the place, the verdict wanted, and what was found there."""
    name, text, places = corpus.page(record, notation)
    assert len(places) == record["numbers"]
    report = check(name, text, None if alone else problem(corpus.problem(record)))
    found = {finding.start: finding for finding in report.findings}
    labels = corpus.labels(record)
    pairs = [(place, labels.get(place, "correct"), found.pop(start, None)) for start, (place, _) in places.items()]
    return pairs, list(found.values())


@pytest.mark.parametrize("alone", [False, True], ids=["with the problem", "by the page alone"])
@pytest.mark.parametrize("notation", corpus.NOTATIONS)
def test_every_number_has_the_verdict_of_its_record(notation, alone):
    counts: Counter[str] = Counter()
    faults = []
    for name, record in corpus.RECORDS.items():
        pairs, others = judged(record, notation, alone=alone)
        for place, wanted, finding in pairs:
            counts["numbers"] += 1
            counts[wanted] += 1
            verdict = finding.verdict if finding is not None else "unread"
            if verdict != wanted:
                faults.append((name, place, wanted, verdict))
            else:
                quantity = corpus.QUANTITY.get(place[0], place[0])
                head = place[1] if record.get("heads") else None
                assert (finding.quantity, finding.head, finding.row, finding.col) == (quantity, head, *place[2:]), name
        faults += [(name, other.printed, "correct", other.verdict) for other in others if other.verdict != "correct"]
    print(notation, "alone" if alone else "with the problem", dict(counts))  # noqa: T201 - the counts are part of what is shown
    assert faults == []
    assert counts["numbers"] == 924
    assert counts["wrong"] == 32


def test_a_number_that_is_moved_is_found():
    """The check is seen to fail: a page with one number changed no longer has the record's verdicts."""
    record = corpus.RECORDS["p13"]
    name, text, places = corpus.page(record, "latex")
    start, (_, number) = next((start, item) for start, item in places.items() if item[1] == "0.198")
    report = check(name, text[:start] + "0.298" + text[start + len(number) :], problem(corpus.problem(record)))
    assert [(one.start, one.printed, one.verdict) for one in report.findings if one.is_erratum] == [
        (start, "0.298", "wrong")
    ]
