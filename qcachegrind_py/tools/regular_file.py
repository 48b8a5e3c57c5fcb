"""Opening what a profile names, with care: it can name any path as a source or a program.

Only regular files are opened: no device, no pipe, and nobody is waited for. How much is read of
them, and what it means, is the reader's business.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from qcachegrind_py.profile.errors import UnreadableFile, UnsuitableFile

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe must not make us wait for somebody to write into it
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


@contextlib.contextmanager
def opened(path: Path, wanted: str) -> Iterator[tuple[BinaryIO, os.stat_result]]:
    """The regular file, open to be read, and its state then; `wanted` names it to people.

    Raises `UnsuitableFile`, and `UnreadableFile` where the system does not let us open or read it.
    """
    try:
        with _opened(path, wanted) as stream:
            status = os.fstat(stream.fileno())
            _require_regular(path, status, wanted)
            yield stream, status
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}."
        raise UnreadableFile(path, reason, remedy=_remedy(error)) from error


def _opened(path: Path, wanted: str) -> BinaryIO:
    try:
        _require_regular(path, path.stat(), wanted)  # to open some devices is to start something
        return open(os.open(path, _FLAGS), "rb")  # noqa: PTH123
    except ValueError as error:  # a zero byte in the name
        raise UnreadableFile(path, f"cannot be read: {error}.") from error


def _require_regular(path: Path, status: os.stat_result, wanted: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")
        raise UnsuitableFile(path, f"{kind}, not {wanted}.", "Choose the file itself.")


def _remedy(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "Ask its owner for the right to read it."
    if isinstance(error, FileNotFoundError):
        return "Look whether it was moved."
    return ""
