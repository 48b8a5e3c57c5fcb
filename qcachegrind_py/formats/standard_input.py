"""Standard input as a temporary file, since profiles are read from files and may be reloaded."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from qcachegrind_py.formats.atomic_write import lock, remove_leftovers
from qcachegrind_py.formats.loading import check_is_profile
from qcachegrind_py.profile.errors import ProfileError, UnreadableFile, UnwritableFile

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
