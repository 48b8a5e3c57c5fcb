"""Files in the Callgrind format; consecutive files become one profile."""

from __future__ import annotations

from qcachegrind_py.formats.callgrind.reader import CallgrindReader
from qcachegrind_py.formats.compression import ProfileStream
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress


class CallgrindFiles:
    """Reads files in the Callgrind format; consecutive files become one profile."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._readers: dict[int, CallgrindReader] = {}  # by the index of their first file
        self._last = -1  # index of the last file

    def read(
        self, index: int, file: ProfileStream, head: bytes, share: tuple[float, float]
    ) -> None:
        """Read a file; `head` are the bytes already read, `share` its range of the progress."""
        if not self._readers or index != self._last + 1:
            self._readers[index] = CallgrindReader(self._progress)
        next(reversed(self._readers.values())).read(file, head, share)
        self._last = index

    def profiles(self) -> dict[int, Profile]:
        """Return the profiles by the index of their first file; to be called once, at the end."""
        return {first: reader.profile() for first, reader in self._readers.items()}
