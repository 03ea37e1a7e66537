"""Do results with numbers put in say what the results say at these numbers?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from symattn.check.laws.instances import Scope, evaluated
from symattn.check.laws.lines import positive_by_kind
from symattn.check.laws.normal import Allowed, normal
from symattn.check.laws.polynomials import NotShownError, equal
from symattn.derive.with_numbers import Numbered
from symattn.statements.proof import Proof
from symattn.statements.terms import Index, Limit, Num, Term, reindexed, substituted, walk


def misput(proof: Proof, numbered: Iterable[Numbered], values: Mapping[str, Fraction]) -> list[str]:
    """Names of the results that say something else with these numbers put in, or whose value is another."""
    return [one.line.name for one in numbered if not _is_put_in(proof, one, values)]


def _is_put_in(proof: Proof, one: Numbered, values: Mapping[str, Fraction]) -> bool:
    line = proof.line(one.line.name)
    moved = {part.letter.name for part in walk(line.left) if isinstance(part, Limit)}
    allowed = Allowed(positive=positive_by_kind(proof))
    held = {name: value for name, value in values.items() if name not in moved}
    try:
        if not all(
            _is_same(general, shown, held, allowed)
            for general, shown in ((line.left, one.line.left), (line.right, one.line.right))
        ):
            return False
        return one.value is None or evaluated(one.line.right, Scope({})).equals(one.value.value)
    except (NotShownError, LookupError):
        return False


def _is_same(general: Term, shown: Term, values: Mapping[str, Fraction], allowed: Allowed) -> bool:
    """Whether a side is the general one with numbers in the places of letters and indices."""
    places: dict[str, Index] = {name: value.numerator for name, value in values.items() if value.denominator == 1}
    put_in = reindexed(substituted(general, {name: Num(value) for name, value in values.items()}), places)
    return put_in == shown or equal(normal(put_in, allowed), normal(shown, allowed))
