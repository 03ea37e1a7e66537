"""The command line: options in, exit code out. One module a command.

Exit codes: 0 done, nothing wrong; 1 the thing checked is wrong; 2 the input or the call is unusable; 3 a needed program
is missing. What a command needs is imported when it runs, so that ``--help`` stays quick.
"""

from __future__ import annotations

import click

from symattn import __version__
from symattn.cli.check import check
from symattn.cli.compare import compare
from symattn.cli.derive import derive
from symattn.cli.exercises import exercises
from symattn.cli.files import new, schema
from symattn.cli.fill import fill
from symattn.cli.group import Lines
from symattn.cli.mark import mark
from symattn.cli.solve import solve


@click.group(cls=Lines, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="symattn %(version)s")
def main() -> None:
    """Exact attention: worked pages in which every printed digit is proved."""


for command in (solve, derive, check, fill, exercises, mark, compare, schema, new):
    main.add_command(command)
