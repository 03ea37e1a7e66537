"""Files are written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import tempfile

import pytest

from symattn.errors import SpecError
from symattn.export import files
from symattn.export.files import write
from tests.pages.tools import ROOT


def held(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_is_written_with_its_folders(tmp_path):
    path = tmp_path / "deep" / "er" / "page.md"
    write(path, b"new\r\n\xff")
    assert held(path.parent) == {"page.md": b"new\r\n\xff"}


def test_a_file_is_replaced(tmp_path):
    write(tmp_path / "page.md", b"a long old page")
    write(tmp_path / "page.md", b"new")
    assert held(tmp_path) == {"page.md": b"new"}


@pytest.mark.parametrize("step", ["replace", "fsync", "chmod", "fdopen"])
@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "stopped"]
)
def test_what_fails_on_the_way_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step, error):
    write(tmp_path / "page.md", b"old")

    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr(files.os, step, fail)
    with pytest.raises(SpecError if isinstance(error, OSError) else KeyboardInterrupt) as caught:
        write(tmp_path / "page.md", b"new")
    assert held(tmp_path) == {"page.md": b"old"}
    if isinstance(error, OSError):
        assert "page.md" in caught.value.message
        assert "no space left" in caught.value.message
        assert "\n" not in caught.value.message


def test_a_process_that_is_killed_leaves_the_old_file(tmp_path):
    write(tmp_path / "page.md", b"old")
    code = (
        "import os, pathlib, sys\n"
        "from symattn.export import files\n"
        "files.os.replace = lambda *a: os._exit(9)\n"
        "files.write(pathlib.Path(sys.argv[1]), b'new')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "page.md")], env=environment, timeout=60, check=False
    )
    assert done.returncode == 9
    assert (tmp_path / "page.md").read_bytes() == b"old"
    write(tmp_path / "page.md", b"new")
    assert (tmp_path / "page.md").read_bytes() == b"new"


def test_a_new_file_has_the_rights_that_any_file_has(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "page.md", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "page.md").stat().st_mode) == 0o640


@pytest.mark.parametrize("name", ["taken/page.md", "folder", "a" * 300, "\udcff" * 300])
def test_a_place_that_cannot_be_written_to_is_one_clear_error(tmp_path, name):
    (tmp_path / "taken").write_bytes(b"kept")
    (tmp_path / "folder").mkdir()
    with pytest.raises(SpecError) as caught:
        write(tmp_path / name, b"new")
    assert "cannot be written" in caught.value.message
    assert "--out" in caught.value.message
    assert "\n" not in caught.value.message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "taken"]
    assert (tmp_path / "taken").read_bytes() == b"kept"


def test_a_folder_without_rights_is_one_clear_error(tmp_path, monkeypatch):
    """Root may write anywhere, so the refusal is the system's own, put in its place."""

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(tempfile, "mkstemp", refused)
    with pytest.raises(SpecError, match="permission denied"):
        write(tmp_path / "page.md", b"new")
    assert list(tmp_path.iterdir()) == []
