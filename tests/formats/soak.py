"""Every format against the shipped recipes at length: ``python -m tests.formats.soak [variants a recipe]``.

What ``test_table`` and ``test_stack`` do for a few variants of recipes made for tests, for hundreds of those that
teachers start from.
"""

from __future__ import annotations

import sys

from symattn.exercises.shipped import NAMES, text
from tests.formats.readers import stack
from tests.formats.table import FORMATS, RECIPES, agrees, content
from tests.formats.test_stack import passed


def main(count: int) -> int:
    variants = marks = tests = 0
    for name in NAMES:
        RECIPES[name] = text(name)
        for format in FORMATS:
            right, wrong = agrees(format, name, count)
            marks += right + wrong
        tested = passed(stack.questions(content("stack", text(name), count)))
        variants, tests = variants + count, tests + tested
        print(f"{name}: {count} variants agree in {len(FORMATS)} formats, {tested} tests pass in Maxima", flush=True)
    print(f"{variants} variants, {marks} marks, {tests} tests in Maxima")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 12))
