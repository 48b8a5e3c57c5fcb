"""Loading of files into one profile: the table of formats, detection by content, and reading.

Formats are detected by docs/design.md, reading rule 1.
"""

from __future__ import annotations

import atexit
import codecs
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol

from qcachegrind_py.formats.callgrind.header import is_callgrind_file
from qcachegrind_py.formats.callgrind.reader import CallgrindFiles
from qcachegrind_py.formats.compression import (
    ProfileStream,
    archive_kind,
    lock,
    open_profile,
    remove_leftovers,
)
from qcachegrind_py.formats.pstats.marshal_reader import is_python_profile
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import (
    DecompressionError,
    IsAnArchive,
    NotAProfile,
    ProfileError,
    UnreadableFile,
    UnwritableFile,
)
from qcachegrind_py.profile.files import (
    REFUSING_SHARE,
    Fingerprint,
    MemoryLimit,
    archive_and_member,
    limit_for,
)
from qcachegrind_py.profile.profile import Profile, in_part_order, merge_profiles
from qcachegrind_py.profile.progress import NoProgress, Progress

HEAD_SIZE = 64 * 1024  # a long cmd: line may push events: far down


class FormatReader(Protocol):
    """Reads the files of one format, in order."""

    def read(
        self, index: int, file: ProfileStream, head: bytes, share: tuple[float, float]
    ) -> None:
        """Read a file; `head` are the bytes already read, `index` its position among all files.

        `share` is the start and end of the file's share of the progress. Raises `InvalidProfile` if
        the costs have no meaning, and `Cancelled`.
        """

    def profiles(self) -> dict[int, Profile]:
        """Return the profiles by the index of their first file; to be called once, at the end.

        Several files may share a profile only if they are consecutive.
        """


@frozen(eq=True)
class ProfileFormat:
    """An input format of profiles."""

    name: str
    sniff: Callable[[bytes], bool]  # recognises the format by the first bytes of a file
    reader: Callable[[Progress], FormatReader]


def _python_files(progress: Progress) -> FormatReader:
    from qcachegrind_py.formats.pstats.reader import PythonFiles  # 5 ms of every start

    return PythonFiles(progress)


# The first format that recognises the head of a file reads it. Python profiles come first, since
# their first bytes identify them, while header lines of Callgrind may be anywhere in the head.
FORMATS = (
    ProfileFormat("Python profile", is_python_profile, _python_files),
    ProfileFormat("Callgrind", is_callgrind_file, CallgrindFiles),
)


def detect_format(path: Path, head: bytes) -> ProfileFormat:
    """Return the format of a file by its first `HEAD_SIZE` bytes, decompressed.

    Raises `NotAProfile`, with the type of the file, if no format recognises it.
    """
    if kind := archive_kind(head):  # first: a profile in it may stand in its head
        raise _archive_error(path, kind)
    head = head.removeprefix(codecs.BOM_UTF8)  # editors on Windows write one
    for format_ in FORMATS:
        if format_.sniff(head):
            return format_
    from qcachegrind_py.formats.stacks.files import StackFiles, stack_format  # few files need them

    if stacks := stack_format(head):
        return ProfileFormat(stacks.name, stacks.sniff, partial(StackFiles, stacks))
    from qcachegrind_py.formats.unread_files import not_a_profile

    raise not_a_profile(path, head)


def _archive_error(path: Path, kind: str) -> NotAProfile:
    if archive_and_member(path) is not None:
        return NotAProfile(path, "is an archive in an archive.", remedy="Unpack the outer one.")
    return IsAnArchive(path, f"is a {kind} archive.", remedy="Choose a profile in it.")


# ----------------------------------------------------------------- reading


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


STDIN_NAME = "-"
_DISPLAY_NAME = "standard input"
_PREFIX = "qcachegrind_py-"
_TEMPORARY_NAME = re.compile(rf"{_PREFIX}[a-z0-9_]{{8}}")  # as `tempfile` makes them
_CHUNK_SIZE = 1 << 20
_SPARE_BYTES = 1 << 28  # of the disk, for other programs


def resolve_standard_input(names: list[str]) -> list[str]:
    """Replace `-` in a list of file names by a temporary file with all of standard input.

    The file exists until the program ends. Raises `UnreadableFile`, `NotAProfile` and
    `UnwritableFile`.
    """
    if names.count(STDIN_NAME) > 1:
        raise UnreadableFile(_DISPLAY_NAME, "can be read only once.", remedy="Name - only once.")
    return [_save_to_temporary_file() if name == STDIN_NAME else name for name in names]


def is_temporary(path: Path) -> bool:
    """Return whether a file is such a temporary file, which is gone after the program ends."""
    return path.name == _DISPLAY_NAME and path.parent.name.startswith(_PREFIX)


def display_name(path: str) -> str:
    """Return a path for display, in which the temporary file is called standard input."""
    return _DISPLAY_NAME if is_temporary(Path(path)) else path


def error_text(error: ProfileError) -> str:
    """Return the message of an error, in which the temporary file is called standard input."""
    text, path = str(error), getattr(error, "path", "")
    return text.replace(path, display_name(path), 1) if path else text


def _save_to_temporary_file() -> str:
    if sys.stdin is None or sys.stdin.isatty():
        remedy = "Send a profile to it: COMMAND | qcachegrind-py -"
        raise UnreadableFile(_DISPLAY_NAME, "is not connected to anything.", remedy=remedy)
    remove_leftovers(Path(tempfile.gettempdir()), _TEMPORARY_NAME)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    with suppress(OSError):  # Windows opens no folders
        lock(os.open(folder, os.O_RDONLY))  # as long as this program runs, maybe for days
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / _DISPLAY_NAME
    try:
        with path.open("wb") as file:
            _copy(sys.stdin.buffer, file, path)
    except OSError as error:
        remedy = "Make room on the disk."
        raise UnwritableFile(path, f"cannot be written: {error}.", remedy=remedy) from error
    return str(path)


def _copy(source: BinaryIO, file: BinaryIO, path: Path) -> None:
    """Copy all of the input, unless it is no profile, or endless and would fill the disk."""
    is_checked = False
    while chunk := source.read(_CHUNK_SIZE):
        file.write(chunk)
        if not is_checked:
            file.flush()
            check_is_profile(path)
            is_checked = True
        if shutil.disk_usage(path.parent).free < _SPARE_BYTES:
            raise UnwritableFile(
                path,
                f"does not fit on the disk ({path.stat().st_size >> 20} MB so far).",
                remedy="Make room on the disk, or save the profile elsewhere and open that file.",
            )
