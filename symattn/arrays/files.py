"""Arrays from files: ``.npz``, ``.json`` and ``.safetensors``. Sizes are checked before memory is taken for them.

Nothing in a file is run: pickled objects are refused. JSON numbers are read as the float64 that they name.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from symattn.arrays.reading import numpy
from symattn.errors import SpecError, Where

if TYPE_CHECKING:
    from symattn.arrays.reading import Array

BYTES: Final = 4 << 30
"""Of all arrays of a file."""
_TEXT: Final = 1 << 28
"""Bytes of a JSON file."""
_NAMES: Final = 100
"""Arrays of a file."""


def read(path: Path) -> dict[str, Any]:
    """The arrays of a file by name.

    Raises:
        SpecError: The file is missing, of another kind, damaged or too large, or holds objects.
    """
    readers: Mapping[str, Callable[[Path], dict[str, Any]]] = {".npz": _npz, ".json": _json, ".safetensors": _tensors}
    reader = readers.get(path.suffix)
    if reader is None:
        raise SpecError(
            f"{path.suffix or path.name!r} is no file of arrays", mend=f"give {', '.join(readers)}", where=_at(path)
        )
    if not path.is_file():
        raise SpecError("there is no such file", mend="look at the name", where=_at(path))
    try:
        found = reader(path)
    except OSError as fault:
        raise SpecError(f"it cannot be read ({fault.strerror or fault})", where=_at(path)) from None
    if not found:
        raise SpecError("it holds no array", where=_at(path))
    return found


def _at(path: Path, name: str = "") -> Where:
    return Where(name, file=str(path))


def _npz(path: Path) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if len(members) > _NAMES or sum(member.file_size for member in members) > BYTES:
                raise SpecError(f"it holds more than {_NAMES} arrays, or {BYTES >> 30} GiB", where=_at(path))
            return {
                member.filename.removesuffix(".npy"): _npy(archive, member, path)
                for member in members
                if member.filename.endswith(".npy")
            }
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, RuntimeError) as fault:
        raise SpecError(f"it is no npz file ({fault})", where=_at(path)) from None


def _npy(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> Array:
    """One array; its header must say as many bytes as there are."""
    np = numpy()
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        if version not in ((1, 0), (2, 0)):
            raise SpecError("its header is of an unknown version", where=_at(path, member.filename))
        reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = reader(stream)
        if dtype.hasobject:
            raise SpecError("it holds pickled objects", mend="save plain arrays", where=_at(path, member.filename))
        size = prod(shape) * dtype.itemsize
        content = stream.read(size + 1)
    if len(content) != size:
        raise SpecError(
            f"its header says {size} bytes, and it holds other", mend="save it again", where=_at(path, member.filename)
        )
    flat = np.frombuffer(content, "bfloat16" if dtype.str in ("|V2", "<V2") else dtype)
    return flat.reshape(shape[::-1]).transpose() if fortran else flat.reshape(shape)  # type: ignore[no-any-return]


def _json(path: Path) -> dict[str, Any]:
    if path.stat().st_size > _TEXT:
        raise SpecError(f"it is larger than {_TEXT >> 20} MiB", mend="give an npz file", where=_at(path))
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as fault:
        raise SpecError(f"it is no JSON ({str(fault).splitlines()[0]})", where=_at(path)) from None
    if not isinstance(found, dict):
        raise SpecError("it holds no names", mend='write {"query": [[...]], ...}', where=_at(path))
    return found


def _tensors(path: Path) -> dict[str, Any]:
    try:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file
    except ImportError:
        raise SpecError("safetensors is not installed", mend="install symattn[arrays]", where=_at(path)) from None
    if path.stat().st_size > BYTES:
        raise SpecError(f"it holds more than {BYTES >> 30} GiB", where=_at(path))
    numpy()
    try:
        return dict(load_file(path))
    except (SafetensorError, ValueError, TypeError, KeyError) as fault:
        raise SpecError(f"it is no safetensors file of ours ({fault})", where=_at(path)) from None
