"""Atomic file writing: a file is replaced completely or, if anything fails, left unchanged."""

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
    errno.EDQUOT: "Your disk quota is exceeded. Make room, or choose another disk.",
    errno.EACCES: "Choose a folder you can write to.",
    errno.EPERM: "Choose a folder you can write to.",
    errno.EROFS: "Choose a folder you can write to.",
    errno.ENOENT: "Choose an existing folder.",
    errno.ENOTDIR: "Choose an existing folder.",
    errno.EISDIR: "Choose a file name, not a folder.",
}


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Yield a stream whose bytes replace the file at `path` when the block ends without error.

    After an error the file is unchanged. Devices and pipes are written directly. Raises
    `UnwritableFile` for any `OSError` in the block.
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
    """Return whether the path exists and is not a regular file, so that it cannot be replaced."""
    there = Path(path)
    return there.exists() and not there.is_file()


def _write_in_place(path: Path) -> BinaryIO:
    return path.open("wb")


@contextlib.contextmanager
def _write_and_rename(path: Path) -> Iterator[BinaryIO]:
    """Write a temporary file beside the target, then rename it in one step."""
    path = path.resolve()  # a link remains a link
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with open(os.open(part, _CREATE_FLAGS, 0o666), "wb") as stream:  # noqa: PTH123
            if path.exists():
                part.chmod(path.stat().st_mode & 0o777)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())  # some file systems report a full disk only here
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
