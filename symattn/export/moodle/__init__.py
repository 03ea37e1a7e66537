"""Moodle XML: one cloze question a variant, or a numerical question where a single number is asked for.

Source: question/format/xml/format.php, question/type/multianswer and question/type/numerical of Moodle 4.
"""

from __future__ import annotations

from typing import Final

from symattn.export.formats import Writer
from symattn.export.moodle.question import foot, head, item

WRITERS: Final = (Writer("teacher/{name}-moodle.xml", item, head, foot, between=""),)

LACKS: Final = {"closed": "expression"}
"""Kinds of question that it cannot put or mark, each with the words that say why."""
