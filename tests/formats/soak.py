"""Every format against the shipped recipes at length: ``python -m tests.formats.soak [variants a recipe]``.

What ``test_table`` does for a few variants of recipes made for tests, for hundreds of those that teachers start from.
"""

from __future__ import annotations

import sys

from symattn.exercises.shipped import NAMES, text
from tests.formats.table import FORMATS, RECIPES, agrees


def main(count: int) -> int:
    variants = marks = 0
    for name in NAMES:
        RECIPES[name] = text(name)
        for format in FORMATS:
            right, wrong = agrees(format, name, count)
            marks += right + wrong
        variants += count
        print(f"{name}: {count} variants agree in {len(FORMATS)} formats", flush=True)
    print(f"{variants} variants, {marks} marks")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 12))
