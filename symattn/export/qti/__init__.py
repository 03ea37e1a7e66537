"""QTI 2.1: a package with an item for each variant, its numbers in a table, and a test that picks some of them.

Source: IMS Question and Test Interoperability 2.1, information model and XML binding; IMS Content Packaging 1.1.
"""

from __future__ import annotations

from typing import Final

from symattn.export.formats import Writer
from symattn.export.package import head
from symattn.export.qti.item import line
from symattn.export.qti.packing import pack

WRITERS: Final = (Writer("teacher/{name}-qti21.zip", line, head, finish=pack),)

LACKS: Final = {"closed": "expression"}
"""Kinds of question that it cannot put or mark, each with the words that say why."""
