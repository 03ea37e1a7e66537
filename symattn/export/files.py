"""Files written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import BinaryIO, TypeAlias

from symattn.errors import SpecError

Finish: TypeAlias = "Callable[[BinaryIO, BinaryIO], object]"
"""Reads what has grown, and writes what the file is to hold."""


def write(path: Path, content: bytes, beside: Path | None = None) -> str:
    """The content at this path, put there in one move; what stood there stays if anything fails. Its SHA-256.

    It is written first in the folder ``beside``, on the same disk: the path's own where none is given.

    Raises:
        SpecError: The place cannot be written to.
    """
    pending = Pending(path, beside)
    try:
        pending.add(content)
        return pending.close()
    finally:
        pending.discard()


def rewrite(path: Path, content: bytes) -> str:
    """New content for a file of the author's: in place of what it is a link to, with its permissions; its SHA-256.

    Raises:
        SpecError: The file cannot be written to, or is one that its owner has made read-only.
    """
    target = path.resolve()
    with _unwritable(path, "allow writing to it"):
        mode = stat.S_IMODE(target.stat().st_mode)
        if not mode & 0o222 or not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    pending = Pending(target, None)
    try:
        pending.add(content)
        return pending.close(mode=mode)
    finally:
        pending.discard()


class Pending:
    """A file that grows beside its place, or in another folder, and is put in place in one move when it is whole."""

    def __init__(self, path: Path, beside: Path | None = None) -> None:
        self._path, self._name = path, ""
        with _unwritable(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, self._name = tempfile.mkstemp(dir=beside or path.parent, prefix=f".{path.name}.", suffix=".part")
            try:
                self._file = os.fdopen(handle, "w+b")
            except BaseException:
                os.close(handle)
                Path(self._name).unlink(missing_ok=True)
                raise

    def add(self, content: bytes) -> None:
        """More of it."""
        with _unwritable(self._path):
            self._file.write(content)

    def close(self, finish: Finish | None = None, mode: int | None = None) -> str:
        """Put it in its place, through ``finish`` where that is given; the SHA-256 of what stands there."""
        if finish is not None:
            return self._through(finish)
        with _unwritable(self._path):
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.seek(0)
            digest = file_digest(self._file, "sha256").hexdigest()
            self._file.close()
            os.chmod(self._name, 0o666 & ~_umask() if mode is None else mode)
            os.replace(self._name, self._path)
        self._name = ""
        return digest

    def _through(self, finish: Finish) -> str:
        made = Pending(self._path, Path(self._name).parent)
        try:
            with _unwritable(self._path):
                self._file.seek(0)
                finish(self._file, made._file)
            self.discard()
            return made.close()
        finally:
            made.discard()

    def discard(self) -> None:
        """Give it up, unless it is in its place already."""
        if self._name:
            self._file.close()
            Path(self._name).unlink(missing_ok=True)
            self._name = ""


@contextmanager
def _unwritable(path: Path, mend: str = "name another folder with --out") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SpecError(f"{path} cannot be written: {reason}", mend=mend) from None


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current
