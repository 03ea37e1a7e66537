"""Results with numbers put in are held to the results."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from click.testing import CliRunner

from symattn.check.laws.numbered import misput
from symattn.cli import main
from symattn.derive import with_numbers
from symattn.derive.topics import TOPICS, derived
from symattn.exact.values import Plain
from symattn.statements.proof import Line
from symattn.statements.terms import Num
from tests.derive.broken import broken


@pytest.mark.parametrize("topic", TOPICS)
def test_what_is_put_in_is_what_the_results_say(topic):
    """Each letter alone; and a sign, a factor or an index that is another is named."""
    proof = derived(topic)
    for name, letter in with_numbers.settable(proof).items():
        values = {name: Fraction({"natural": 3, "positive": Fraction(5, 2)}.get(letter.kind, Fraction(-2, 3)))}
        found = list(with_numbers.with_numbers(proof, with_numbers.checked(proof, values)))
        assert found
        assert misput(proof, found, values) == []
        for one in found:
            for what, other in _changed(one.line):
                assert misput(proof, [replace(one, line=other, value=None)], values) == [one.line.name], what
            if one.value is not None:
                more = replace(one.value, value=one.value.value + Plain(1))
                assert misput(proof, [replace(one, value=more)], values) == [one.line.name]


def _changed(line: Line) -> list[tuple[str, Line]]:
    if line.relation != "=":
        return [("a sign", replace(line, left=-line.left))]
    kinds = ("a sign", "a factor", "one more", "an index", "indices exchanged")
    return [(what, other) for what, other in broken(line) if what in kinds]


def test_a_derivation_that_does_not_replay_is_not_written(monkeypatch, tmp_path):
    """One number put in wrongly: nothing is printed, and it is told as a fault of ours."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(with_numbers, "folded", lambda _: Num(Fraction(7)))
    done = CliRunner().invoke(main, ["derive", "why-not-d", "--set", "d_k=4"])
    assert isinstance(done.exception, AssertionError)
    assert "does not replay" in str(done.exception)
    assert list(tmp_path.iterdir()) == []
