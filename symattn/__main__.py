"""``python -m symattn`` is the command ``symattn``."""

from symattn.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main(prog_name="symattn")
