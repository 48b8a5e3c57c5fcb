"""Loading of files into one profile: opening, detection, decompression and reading."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from qcachegrind_py.formats.compression import ProfileStream, open_profile
from qcachegrind_py.formats.detection import HEAD_SIZE, FormatReader, detect_format
from qcachegrind_py.profile.errors import DecompressionError, UnreadableFile
from qcachegrind_py.profile.files import REFUSING_SHARE, Fingerprint, MemoryLimit, limit_for
from qcachegrind_py.profile.merge import in_part_order, merge_profiles
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, Progress


def load(
    *paths: str | os.PathLike[str],
    progress: Progress | None = None,
    limit: MemoryLimit | None = None,
) -> Profile:
    """Read exactly these files into one profile, with parts by process, number and thread.

    The files are in the Callgrind format or from Python's profilers, and may be compressed with
    gzip, bzip2, xz or zstd. Odd lines are reported in the profile's `diagnostics`. Raises
    `UnreadableFile`, `NotAProfile` or `InvalidProfile`, and `Cancelled` if the progress is
    cancelled. Files that take more memory than the `limit`, by default 90 % of what is available,
    are not read to the end: `TooLargeForMemory`, an `UnreadableFile`.
    """
    if not paths:
        raise TypeError("load() needs the path of at least one profile")
    limit = limit or limit_for(REFUSING_SHARE)
    files = _ProfileLoader(progress or NoProgress())
    for index, path in enumerate(map(Path, paths)):
        file = open_profile(path)
        file.limit = limit
        try:
            files.read_file(index, file, (index / len(paths), (index + 1) / len(paths)))
        except MemoryError as error:
            raise UnreadableFile(path, "is too large for the memory of this machine.") from error
        finally:
            file.close()
    return files.merged_profile()


def check_is_profile(path: Path) -> None:
    """Raise what `load` raises for a file whose first bytes are those of no profile."""
    file = open_profile(path)
    try:
        detect_format(file.path, _read_head(file))
    finally:
        file.close()


class _ProfileLoader:
    """The files read so far, with one reader for each of their formats."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._readers: dict[str, FormatReader] = {}  # by the name of the format
        self._fingerprints: list[Fingerprint] = []

    def read_file(self, index: int, file: ProfileStream, share: tuple[float, float]) -> None:
        """Read the next file; `share` is the start and end of its share of the progress."""
        self._fingerprints.append(file.fingerprint)
        head = _read_head(file)
        format_ = detect_format(file.path, head)
        if format_.name not in self._readers:
            self._readers[format_.name] = format_.reader(self._progress)
        self._readers[format_.name].read(index, file, head, share)

    def merged_profile(self) -> Profile:
        """Build the profile of all files; to be called once, at the end."""
        profiles: dict[int, Profile] = {}
        for reader in self._readers.values():
            profiles |= reader.profiles()
        merged = merge_profiles([profiles[index] for index in sorted(profiles)])
        return replace(in_part_order(merged), fingerprints=tuple(self._fingerprints))


def _read_head(file: ProfileStream) -> bytes:
    """Return the first bytes, decompressed; raise `UnreadableFile` or `DecompressionError`."""
    head = file.head(HEAD_SIZE)
    if file.decompression_error and not file.compression:
        raise UnreadableFile(file.path, f"cannot be read: {file.decompression_error}.")
    if file.decompression_error and not head:
        cause = file.decompression_error
        reason = f"looks compressed with {file.compression}, but cannot be decompressed ({cause})."
        raise DecompressionError(file.path, reason)
    return head
