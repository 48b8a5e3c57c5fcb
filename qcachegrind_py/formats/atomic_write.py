"""Atomic file writing: a file is replaced completely or, if anything fails, left unchanged.

A program that is killed leaves the half that it has written; `remove_leftovers` deletes it later.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from qcachegrind_py.profile.errors import UnwritableFile

_CREATE_FLAGS = (  # a file or a link that is already there is not opened
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)
_PART_NAME = re.compile(r"\..*\.qcachegrind-py-[0-9a-f]{8}\.part", re.DOTALL)
_MAX_NAME = 50  # characters of the target's name: at 4 bytes each, below the limit of 255 bytes
_LEFT_FOR = 24 * 3600  # s
_REMEDIES = {
    errno.ENOSPC: "Make room on the disk, or choose another one.",
    errno.EDQUOT: "Your disk quota is exceeded. Make room, or choose another disk.",
    errno.EFBIG: "Choose a disk that takes larger files.",
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
    target = Path(path)
    try:
        mode = _mode(target)
        is_replaced = mode is None or stat.S_ISREG(mode)
        with _write_and_rename(target, mode) if is_replaced else target.open("wb") as stream:
            yield stream
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise _unwritable_file(target, error) from error


def remove_leftovers(folder: Path, pattern: re.Pattern[str]) -> None:
    """Delete this user's files and folders of such names that nobody has written for a day.

    Programs that were killed leave them. Whoever is about to make another one in the same folder
    looks for them first: no other place is known to have any, and a full disk gets room again.
    Links are not followed, and what others own or a process has locked stays.
    """
    latest = time.time() - _LEFT_FOR
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if pattern.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    is_left = status.st_uid == _user() and status.st_mtime < latest
                    if is_left and is_unlocked(Path(entry.path)):
                        _remove(Path(entry.path), status.st_mode)


def lock(file: int) -> None:
    """Lock a file or folder until it is closed; Windows locks open files itself."""
    with contextlib.suppress(ImportError):
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_unlocked(path: Path) -> bool:
    """Whether no process locks it; on Windows, a locked file cannot be removed anyway."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(file)
    return True


def _remove(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        shutil.rmtree(path)
    else:
        path.unlink()


def _user() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0  # 0: the owner of every file on Windows


def _mode(path: Path) -> int | None:
    """Return type and permissions of the file that is there; None if there is none.

    Unlike a look into the link itself, this is refused for links that others have put into a
    folder such as /tmp, wherever the system protects its users against those.
    """
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def _write_and_rename(path: Path, mode: int | None) -> Iterator[BinaryIO]:
    """Write a temporary file beside the target, then rename it in one step.

    Nobody may read in it what they cannot read in the target, which has this mode.
    """
    path = path.resolve()  # a link remains a link
    remove_leftovers(path.parent, _PART_NAME)
    part = path.with_name(f".{path.name[:_MAX_NAME]}.qcachegrind-py-{secrets.token_hex(4)}.part")
    created = os.open(part, _CREATE_FLAGS, 0o666 if mode is None else 0o600)
    try:
        with open(created, "wb") as stream:  # noqa: PTH123 (a descriptor)
            if mode is not None:
                os.chmod(created if os.chmod in os.supports_fd else part, mode & 0o777)  # noqa: PTH101 (a descriptor)
            yield stream
            stream.flush()
            os.fsync(created)  # some file systems report a full disk only here
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
