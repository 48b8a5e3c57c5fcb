"""Safe opening of regular files, and the paths that users give, also as URLs or in archives.

Devices, pipes and sockets are refused before they are opened, and opening never blocks.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from qcachegrind_py.profile.errors import UnreadableFile, UnsuitableFile

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe would block until another process writes to it
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_IF_MISSING = "Check whether it was moved."
# file:///path, file://localhost/path and file:/path, but no other computer
_FILE_URL = re.compile(r"file:(?:(?://(?:localhost)?)(?=/)|(?!//))(/.*)", re.IGNORECASE | re.DOTALL)


def local_path(name: str) -> str:
    """Return the path of a `file:` URL of this computer, and any other name as it is.

    A file that is really called `file:…` comes first.
    """
    url = _FILE_URL.fullmatch(name)
    if url is None or os.path.lexists(name):
        return name
    from urllib.parse import unquote_to_bytes

    path = os.fsdecode(unquote_to_bytes(url[1]))
    return path[1:] if os.name == "nt" else path  # /C:/…


def archive_and_member(path: Path) -> tuple[Path, str] | None:
    """Return the two names in `ARCHIVE!MEMBER`; None for others, and for a file of that name."""
    text = str(path)
    if "!" not in text or os.path.lexists(text):
        return None
    for sign in re.finditer("!", text):
        archive, member = Path(text[: sign.start()]), text[sign.end() :]
        if member and archive.is_file():
            return archive, member
    return None


def path_on_disk(path: Path) -> Path:
    """Return the path of the file that has the content: for `ARCHIVE!MEMBER`, of the archive."""
    both = archive_and_member(path)
    return path if both is None else both[0]


class IrregularFile(Exception):
    """The path is not a regular file; `kind` names what it is, such as “a named pipe”."""

    def __init__(self, mode: int) -> None:
        self.kind = _KINDS.get(stat.S_IFMT(mode), "an irregular file")
        self.is_folder = stat.S_ISDIR(mode)
        super().__init__(self.kind)


def open_regular(path: Path) -> tuple[io.BufferedReader, os.stat_result]:
    """Open a regular file for reading and return it with its stat data at that moment.

    Raises `IrregularFile`, and `OSError` if the file cannot be opened or its name is invalid.
    """
    try:
        _require_regular(path.stat())  # opening some devices has side effects
        file = os.fdopen(os.open(path, _FLAGS), "rb")
    except ValueError as error:  # a zero byte in the name
        raise OSError(str(error)) from error
    with contextlib.ExitStack() as on_error:
        on_error.enter_context(file)
        status = os.fstat(file.fileno())
        _require_regular(status)  # the file may have been replaced since `stat`
        on_error.pop_all()
    return file, status


def _require_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise IrregularFile(status.st_mode)


@contextlib.contextmanager
def reading(path: Path, expected: str) -> Iterator[tuple[io.BufferedReader, os.stat_result]]:
    """Open a regular file for reading, with its stat data; `expected` names its kind in messages.

    Raises `UnsuitableFile`, and `UnreadableFile` if the system refuses to open or read it.
    """
    try:
        file, status = open_regular(path)
        with file:
            yield file, status
    except IrregularFile as error:
        reason = f"is {error.kind}, not {expected}."
        raise UnsuitableFile(path, reason, "Choose the file itself.") from error
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError, if_missing: str = _IF_MISSING) -> UnreadableFile:
    """Return a system error as `UnreadableFile`; a missing file gets `if_missing` as remedy."""
    remedy = ""
    if isinstance(error, PermissionError):
        remedy = "Ask its owner for read permission."
    if isinstance(error, FileNotFoundError):
        remedy = if_missing
    return UnreadableFile(path, f"cannot be read: {error.strerror or error}.", remedy=remedy)
