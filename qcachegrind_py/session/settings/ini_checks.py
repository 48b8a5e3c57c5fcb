"""The settings file as bytes: where it is, whether it makes sense, whether it can be written.

No Qt: this is asked where Qt cannot be loaded, too. What the values mean is not looked at.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

_NAME = "qcachegrind_py"
_MOST = 32 * 1024 * 1024  # bytes: paths and layouts of years take less than one
_HALF = re.compile(r"@ByteArray\([^\n]*[^)\n]$|^\[[^\]\n]*$")  # cut off in the middle


def settings_path() -> Path:
    """Where Qt keeps the settings of this user."""
    if sys.platform == "win32":
        base = os.environ.get("APPDATA", "")
    else:
        base = os.environ.get("XDG_CONFIG_HOME", "")
    return Path(base or Path.home() / ".config") / _NAME / f"{_NAME}.ini"


def why_unreadable(path: Path) -> str:
    """Why the file cannot be read, though something is there; empty where it can."""
    try:
        with path.open("rb") as stream:
            stream.read(1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return _reason(error)
    return ""


def why_broken(path: Path) -> str:
    """Why the file is no settings file, or only a part of one; empty where it is or is not there.

    A file that cannot be read is one that is broken.
    """
    if reason := why_unreadable(path):
        return f"it cannot be read: {reason}"
    try:
        with path.open("rb") as stream:
            data = stream.read(_MOST + 1)
    except OSError:
        return ""
    return _why_no_text(data) or _why_no_lines(data.decode("utf-8"))


def is_binary(path: Path) -> bool:
    """Whether the file is no text at all: nothing of it is to be taken for settings."""
    try:
        with path.open("rb") as stream:
            return bool(_why_no_text(stream.read(_MOST + 1)))
    except OSError:
        return False


def why_not_writable(path: Path) -> str:
    """Why the file cannot be written or replaced, tried in its folder; empty where it can."""
    folder = next((f for f in path.parents if f.exists()), path.parent)
    if path.exists() and not os.access(path, os.W_OK):
        return "the file is read-only"
    try:
        with tempfile.TemporaryFile(dir=folder) as stream:
            stream.write(b"\0" * 4096)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        return _reason(error)
    return ""


def _why_no_text(data: bytes) -> str:
    if len(data) > _MOST:
        return "it is far too large"
    if b"\0" in data:
        return "it is no text"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "it is no text"
    return ""


def _why_no_lines(text: str) -> str:
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        words = line.strip()
        is_section = words.startswith("[") and words.endswith("]")
        if words and not is_section and "=" not in words and words[0] not in ";#":
            return f"line {number} makes no sense"
    if lines and not text.endswith("\n") and _HALF.search(lines[-1]):
        return "it ends in the middle of a line"
    return ""


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
