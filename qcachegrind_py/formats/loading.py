"""Load files into one profile: open, recognise, unpack, read."""

from __future__ import annotations

import os
from pathlib import Path

from qcachegrind_py.formats.callgrind.reader import Reader
from qcachegrind_py.formats.compression import OpenProfile, open_profile
from qcachegrind_py.formats.detection import HEAD_SIZE, is_python_profile, require_profile
from qcachegrind_py.formats.pstats.reader import PythonNames, read_file
from qcachegrind_py.formats.pstats.statistics import Statistics
from qcachegrind_py.profile.errors import BrokenPacking, UnreadableFile
from qcachegrind_py.profile.merge import united
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, Progress

_Shares = tuple[float, float]  # of the progress: from, to


def load(*paths: str | os.PathLike[str], progress: Progress | None = None) -> Profile:
    """Read exactly these files into one profile; several become its parts, in this order.

    They are of the Callgrind format or of Python's profilers. Packed files (gzip, bzip2, xz, zstd)
    are unpacked on the way. What is odd in a file is in the profile's `diagnostics`. Raises
    `UnreadableFile`, `NotAProfile` or `InvalidProfile`, and `Cancelled` where the progress says so.
    """
    if not paths:
        raise TypeError("load() needs the path of at least one profile")
    files = _Files(progress or NoProgress())
    for index, path in enumerate(map(Path, paths)):
        file = open_profile(path)
        try:
            files.read(file, (index / len(paths), (index + 1) / len(paths)))
        except MemoryError as error:
            raise UnreadableFile(path, "is too large for the memory of this machine.") from error
        finally:
            file.close()
    return files.profile()


class _Files:
    """What was read so far, in order: readers of the Callgrind format, and Python's statistics."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._read: list[Reader | tuple[str, Statistics]] = []

    def read(self, file: OpenProfile, share: _Shares) -> None:
        """Read a file of either kind."""
        head = _head(file)
        require_profile(file.path, head)
        if is_python_profile(head):
            statistics = read_file(file, head, self._progress, share)
            self._read.append((str(file.path), statistics))
            return
        last = self._read[-1] if self._read else None
        reader = last if isinstance(last, Reader) else Reader(self._progress)
        if reader is not last:
            self._read.append(reader)
        reader.read(file, head, share)

    def profile(self) -> Profile:
        """The profile of all; ask once, at the end."""
        python = PythonNames(read[1] for read in self._read if not isinstance(read, Reader))
        return united(
            [
                read.profile() if isinstance(read, Reader) else python.profile(*read)
                for read in self._read
            ]
        )


def _head(file: OpenProfile) -> bytes:
    """The first bytes, unpacked."""
    head = file.head(HEAD_SIZE)
    if file.breakage and not file.packing:
        raise UnreadableFile(file.path, f"cannot be read: {file.breakage}.")
    if file.breakage and not head:
        reason = f"looks packed with {file.packing}, and cannot be unpacked ({file.breakage})."
        raise BrokenPacking(file.path, reason)
    return head
