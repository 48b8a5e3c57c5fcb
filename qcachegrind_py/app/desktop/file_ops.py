"""Files as bytes, written all or none, with errors that say what could not be done."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from qcachegrind_py.formats.atomic_write import atomic_write
from qcachegrind_py.profile.errors import UnreadableFile, UnwritableFile


def content(path: Path) -> bytes | None:
    """The bytes of a file, None where there is none; raises UnreadableFile."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableFile(path, f"cannot be read: {error.strerror}.") from error


def write_all(files: Mapping[Path, bytes], folders: Iterable[Path]) -> None:
    """Make the folders and write the files; raises UnwritableFile, and then all is as before.

    What has the right bytes already is not touched.
    """
    before = {path: content(path) for path in files}
    folders = sorted(folders)  # the outer ones first
    try:
        for folder in folders:
            with saying(folder, "made"):
                folder.mkdir(mode=0o700, exist_ok=True)  # as the XDG specification wants it
        with contextlib.ExitStack() as streams:
            for path in (path for path in files if before[path] != files[path]):
                stream = streams.enter_context(atomic_write(path))
                stream.write(files[path])
                stream.flush()
                os.fsync(stream.fileno())  # a disk that is full says so before a file is replaced
    except BaseException:
        _put_back(before)
        remove_empty(folders)
        raise


def remove(path: Path) -> None:
    """Delete a file if it is there; raises UnwritableFile."""
    with saying(path, "deleted"):
        path.unlink(missing_ok=True)


def remove_empty(folders: Iterable[Path]) -> None:
    """Delete those of the folders that are empty, or are so without one another."""
    for folder in sorted(folders, reverse=True):
        with contextlib.suppress(OSError):  # somebody has something in it, or removed it
            folder.rmdir()


@contextlib.contextmanager
def saying(path: Path, done: str) -> Iterator[None]:
    """Raises UnwritableFile for an error of the system: “cannot be deleted”, “made”, …"""
    try:
        yield
    except OSError as error:
        raise UnwritableFile(path, f"cannot be {done}: {error.strerror}.") from error


def _put_back(before: Mapping[Path, bytes | None]) -> None:
    for path, old in before.items():
        with contextlib.suppress(OSError, UnreadableFile, UnwritableFile):
            if old is None:
                path.unlink(missing_ok=True)
            elif content(path) != old:
                with atomic_write(path) as stream:
                    stream.write(old)
