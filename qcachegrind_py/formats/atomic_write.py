"""Writes a file whole or not at all: a full disk leaves what was there before.

What is written, and in which form, is the business of whoever writes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from qcachegrind_py.profile.errors import UnwritableFile

_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_REMEDIES = {
    errno.ENOSPC: "Make room on the disk, or choose another one.",
    errno.EDQUOT: "Make room in your part of the disk, or choose another one.",
    errno.EACCES: "Choose a folder in which you may write.",
    errno.EPERM: "Choose a folder in which you may write.",
    errno.EROFS: "Choose a folder in which you may write.",
    errno.ENOENT: "Choose a folder that is there.",
    errno.ENOTDIR: "Choose a folder that is there.",
    errno.EISDIR: "Choose the name of a file.",
}


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A stream whose bytes stand at `path` once the block ends well.

    Otherwise nothing is there but what was before. A device or a pipe is written directly. Raises
    `UnwritableFile` for any OSError on the way.
    """
    try:
        with (
            _write_in_place(Path(path))
            if _is_special_file(path)
            else _write_and_rename(Path(path)) as stream
        ):
            yield stream
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise _unwritable_file(Path(path), error) from error


def _is_special_file(path: str | os.PathLike[str]) -> bool:
    """Whether something is there that can be replaced by no file."""
    there = Path(path)
    return there.exists() and not there.is_file()


def _write_in_place(path: Path) -> BinaryIO:
    return path.open("wb")


@contextlib.contextmanager
def _write_and_rename(path: Path) -> Iterator[BinaryIO]:
    """Write beside the file, then let it take the place, in one step."""
    path = path.resolve()  # a link stays one
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with open(os.open(part, _CREATE_FLAGS, 0o666), "wb") as stream:  # noqa: PTH123
            if path.exists():
                part.chmod(path.stat().st_mode & 0o777)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())  # some disks say only here that they are full
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def _unwritable_file(path: Path, error: OSError | ValueError) -> UnwritableFile:
    reason = f"cannot be written: {getattr(error, 'strerror', None) or error}."
    return UnwritableFile(
        path, reason, remedy=_REMEDIES.get(getattr(error, "errno", None) or 0, "")
    )
