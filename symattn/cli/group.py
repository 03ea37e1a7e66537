"""The group of commands: an error is one line on standard error, and an exit code."""

from __future__ import annotations

import sys
from typing import Any

import click

from symattn.errors import MissingProgramError, SymattnError


class Lines(click.Group):
    """A group whose errors are one line: what, where, how to mend it."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run, and turn errors into exit codes."""
        options["standalone_mode"] = False
        try:
            sys.exit(super().main(*arguments, **options) or 0)
        except MissingProgramError as error:
            _fail(error.message, 3)
        except SymattnError as error:
            _fail(error.message, 2)
        except click.ClickException as error:
            _fail(error.format_message(), 2)
        except click.Abort:
            _fail("stopped", 2)
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(0)


def _fail(message: str, code: int) -> None:
    click.echo(f"symattn: {message}", err=True)
    sys.exit(code)
