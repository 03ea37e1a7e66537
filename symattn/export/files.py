"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from symattn.errors import SpecError


def write(path: Path, content: bytes) -> None:
    """The content at this path, put there in one move; what stood there stays if anything fails.

    Raises:
        SpecError: The place cannot be written to.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SpecError(f"{path} cannot be written: {reason}", mend="name another folder with --out") from None


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current
