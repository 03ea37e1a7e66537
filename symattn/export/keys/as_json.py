"""The key as JSON: what ``symattn mark`` reads."""

from __future__ import annotations

import json
from typing import Any, Final

from symattn.exercises.offer import Offer, Run, digest, what
from symattn.exercises.variant import Answer
from symattn.export.formats import Writer


def _head(run: Run) -> str:
    recipe = run.recipe
    facts = {
        "symattn": run.version,
        "recipe": {"name": recipe.name, "title": recipe.title, "sha256": recipe.digest},
        "seed": run.seed,
        "decimals": recipe.rounding.decimals,
        "decimal_mark": recipe.rounding.decimal_mark,
    }
    return json.dumps(facts, ensure_ascii=False, indent=1).removesuffix("\n}") + ',\n "variants": [\n'


def _item(offer: Offer) -> str:
    variant, data = offer.variant, offer.data()
    found = {
        "code": variant.code,
        "candidate": variant.index,
        "data": digest(json.dumps(data, sort_keys=True)),
        "keep": variant.keep,
        "questions": [_question(offer, answer) for answer in variant.answers],
        "problem": data,
    }
    return "  " + json.dumps(found, ensure_ascii=False)


def _question(offer: Offer, answer: Answer) -> dict[str, Any]:
    ask = answer.ask
    cells = [{"at": [cell.row, cell.column], "key": cell.key, "tolerance": cell.tolerance} for cell in answer.cells]
    found = {"what": what(ask), "head": ask.head, "kind": ask.kind, "points": ask.points, "answers": cells}
    if not answer.choices:
        return found
    texts = offer.choices(answer)
    choices = [{"text": text, "mistake": choice.mistake} for text, choice in zip(texts, answer.choices, strict=True)]
    return found | {"choices": choices, "right": answer.right, "mistake": answer.mistake}


WRITERS: Final = (Writer("teacher/{name}-key.json", _item, _head, lambda _: "\n ]\n}\n", between=",\n"),)
