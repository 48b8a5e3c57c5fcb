"""Keeps what comes through standard input in a file: profiles are read from files, and again."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from pathlib import Path

from qcachegrind_py.profile.errors import ProfileError, UnreadableFile, UnwritableFile

STDIN_NAME = "-"
_DISPLAY_NAME = "standard input"
_PREFIX = "qcachegrind_py-"
_CHUNK_SIZE = 1 << 20


def resolve_standard_input(names: list[str]) -> list[str]:
    """These names of files, with that of a file that has all of standard input for `-`.

    The file is there until the program ends. Raises `UnreadableFile` and `UnwritableFile`.
    """
    if names.count(STDIN_NAME) > 1:
        raise UnreadableFile(_DISPLAY_NAME, "can be read only once.", remedy="Name - only once.")
    return [_save_to_temporary_file() if name == STDIN_NAME else name for name in names]


def is_temporary(path: Path) -> bool:
    """Whether a file is one of these, which no other start of the program will find."""
    return path.name == _DISPLAY_NAME and path.parent.name.startswith(_PREFIX)


def display_name(path: str) -> str:
    """A path as it is told: where standard input is kept is nobody's business."""
    return _DISPLAY_NAME if is_temporary(Path(path)) else path


def error_text(error: ProfileError) -> str:
    """An error's sentence, in which standard input has its name."""
    text, path = str(error), getattr(error, "path", "")
    return text.replace(path, display_name(path), 1) if path else text


def _save_to_temporary_file() -> str:
    if sys.stdin is None or sys.stdin.isatty():
        remedy = "Send a profile to it: COMMAND | qcachegrind-py -"
        raise UnreadableFile(_DISPLAY_NAME, "is not connected to anything.", remedy=remedy)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / _DISPLAY_NAME
    try:
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, _CHUNK_SIZE)
    except OSError as error:
        remedy = "Make room on the disk."
        raise UnwritableFile(path, f"cannot be written: {error}.", remedy=remedy) from error
    return str(path)
