"""Read, write and delete files, with errors that name the path and what could not be done."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from qcachegrind_py.formats.compression import atomic_write
from qcachegrind_py.profile.errors import UnreadableFile, UnwritableFile


def read(path: Path) -> bytes | None:
    """Return the bytes of a file, None if it is missing; raises UnreadableFile."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableFile(path, f"cannot be read: {error.strerror}.") from error


def write_all(files: Mapping[Path, bytes], folders: Iterable[Path]) -> None:
    """Make the folders and write all files, or none: raises UnwritableFile with all undone.

    A file that has the right bytes already is not touched.
    """
    before = {path: read(path) for path in files}
    folders = sorted(folders)  # parents first
    try:
        for folder in folders:
            with reporting(folder, "made"):
                folder.mkdir(mode=0o700, exist_ok=True)  # required by the XDG specification
        _write_changed(files, before)
    except BaseException:
        with contextlib.suppress(UnwritableFile):
            _write_changed(before, {path: read(path) for path in files})
        remove_empty(folders)
        raise


def remove(path: Path) -> None:
    """Delete a file if it exists; raises UnwritableFile."""
    with reporting(path, "deleted"):
        path.unlink(missing_ok=True)


def remove_empty(folders: Iterable[Path]) -> None:
    """Delete those of the folders that are empty, the innermost ones first."""
    for folder in sorted(folders, reverse=True):
        with contextlib.suppress(OSError):  # in use, or gone
            folder.rmdir()


@contextlib.contextmanager
def reporting(path: Path, done: str) -> Iterator[None]:
    """Turn an OSError into an UnwritableFile: the path "cannot be deleted", "made", …"""
    try:
        yield
    except OSError as error:
        raise UnwritableFile(path, f"cannot be {done}: {error.strerror}.") from error


def _write_changed(files: Mapping[Path, bytes | None], before: Mapping[Path, bytes | None]) -> None:
    """Give each file its bytes, or delete it for None; skip files that need no change."""
    for path, content in files.items():
        if content is None:
            remove(path)
        elif content != before[path]:
            with atomic_write(path) as stream:
                stream.write(content)
