"""Load files into one profile: open, recognise, unpack, read."""

from __future__ import annotations

import os
from pathlib import Path

from qcachegrind_py.formats.callgrind.reader import Reader
from qcachegrind_py.formats.detection import HEAD_SIZE, require_profile
from qcachegrind_py.formats.packed import OpenProfile, open_profile
from qcachegrind_py.profile.errors import BrokenPacking, UnreadableFile
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, Progress


def load(*paths: str | os.PathLike[str], progress: Progress | None = None) -> Profile:
    """Read exactly these files into one profile; several become its parts, in this order.

    Packed files (gzip, bzip2, xz, zstd) are unpacked on the way. What is odd in a file is in the
    profile's `diagnostics`. Raises `UnreadableFile`, `NotAProfile` or `InvalidProfile`, and
    `Cancelled` where the progress says so.
    """
    if not paths:
        raise TypeError("load() needs the path of at least one profile")
    reader = Reader(progress or NoProgress())
    for index, path in enumerate(map(Path, paths)):
        file = open_profile(path)
        try:
            head = _head(file)
            require_profile(file.path, head)
            reader.read(file, head, (index / len(paths), (index + 1) / len(paths)))
        except MemoryError as error:
            raise UnreadableFile(path, "is too large for the memory of this machine.") from error
        finally:
            file.close()
    return reader.profile()


def _head(file: OpenProfile) -> bytes:
    """The first bytes, unpacked."""
    head = bytearray(HEAD_SIZE)
    with memoryview(head) as memory:
        length = file.readinto(memory)
    if file.breakage and not file.packing:
        raise UnreadableFile(file.path, f"cannot be read: {file.breakage}.")
    if file.breakage and not length:
        reason = f"looks packed with {file.packing}, and cannot be unpacked ({file.breakage})."
        raise BrokenPacking(file.path, reason)
    return bytes(head[:length])
