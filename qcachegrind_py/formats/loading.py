"""Loading of files into one profile: opening, detection, decompression and reading."""

from __future__ import annotations

import os
from pathlib import Path

from qcachegrind_py.formats.callgrind.reader import CallgrindReader
from qcachegrind_py.formats.compression import ProfileStream, open_profile
from qcachegrind_py.formats.detection import HEAD_SIZE, check_is_profile, is_python_profile
from qcachegrind_py.formats.pstats.reader import PythonProfileBuilder, read_statistics_file
from qcachegrind_py.formats.pstats.statistics import ProfileStatistics
from qcachegrind_py.profile.errors import DecompressionError, UnreadableFile
from qcachegrind_py.profile.merge import merge_profiles
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, Progress

_ProgressRange = tuple[float, float]  # start and end of a file's share of the progress


def load(*paths: str | os.PathLike[str], progress: Progress | None = None) -> Profile:
    """Read exactly these files into one profile; several become its parts, in this order.

    The files are in the Callgrind format or from Python's profilers, and may be compressed with
    gzip, bzip2, xz or zstd. Odd lines are reported in the profile's `diagnostics`. Raises
    `UnreadableFile`, `NotAProfile` or `InvalidProfile`, and `Cancelled` if the progress is
    cancelled.
    """
    if not paths:
        raise TypeError("load() needs the path of at least one profile")
    files = _ProfileLoader(progress or NoProgress())
    for index, path in enumerate(map(Path, paths)):
        file = open_profile(path)
        try:
            files.read_file(file, (index / len(paths), (index + 1) / len(paths)))
        except MemoryError as error:
            raise UnreadableFile(path, "is too large for the memory of this machine.") from error
        finally:
            file.close()
    return files.merged_profile()


class _ProfileLoader:
    """The files read so far, in order: Callgrind readers and statistics of Python's profilers."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._readers: list[CallgrindReader | tuple[str, ProfileStatistics]] = []

    def read_file(self, file: ProfileStream, progress_range: _ProgressRange) -> None:
        """Read a file in either format."""
        head = _read_head(file)
        check_is_profile(file.path, head)
        if is_python_profile(head):
            statistics = read_statistics_file(file, head, self._progress, progress_range)
            self._readers.append((str(file.path), statistics))
            return
        last = self._readers[-1] if self._readers else None
        reader = last if isinstance(last, CallgrindReader) else CallgrindReader(self._progress)
        if reader is not last:
            self._readers.append(reader)
        reader.read(file, head, progress_range)

    def merged_profile(self) -> Profile:
        """Build the profile of all files; to be called once, at the end."""
        python = PythonProfileBuilder(
            read[1] for read in self._readers if not isinstance(read, CallgrindReader)
        )
        return merge_profiles(
            [
                read.profile() if isinstance(read, CallgrindReader) else python.build(*read)
                for read in self._readers
            ]
        )


def _read_head(file: ProfileStream) -> bytes:
    """Return the first bytes, decompressed; raise `UnreadableFile` or `DecompressionError`."""
    head = file.head(HEAD_SIZE)
    if file.decompression_error and not file.compression:
        raise UnreadableFile(file.path, f"cannot be read: {file.decompression_error}.")
    if file.decompression_error and not head:
        cause = file.decompression_error
        reason = f"looks packed with {file.compression}, and cannot be unpacked ({cause})."
        raise DecompressionError(file.path, reason)
    return head
