"""Check the settings file without Qt: where it is, whether it is intact, whether it can be written.

The checks concern the file as a whole; what the values mean is left to `Settings`.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

_NAME = "qcachegrind_py"
NOT_TEXT = "it is not text"  # reason given by `why_broken` for a binary file
FOREIGN = "it contains values this program never writes"  # reason given by `why_broken`
# Qt's own serialisation: a wrong length in it lets Qt allocate until the process is ended.
_SERIALIZED = re.compile(r"@(?:Variant|DateTime)\(")
_TRUNCATED = re.compile(r"@ByteArray\([^\n]*[^)\n]$|^\[[^\]\n]*$")


def settings_path() -> Path:
    """Return the path at which Qt keeps this user's settings."""
    base = os.environ.get("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME", "")
    return Path(base or Path.home() / ".config") / _NAME / f"{_NAME}.ini"


def why_unreadable(path: Path) -> str:
    """Return why an existing file cannot be read; empty if it can, or if there is none."""
    try:
        with path.open("rb") as stream:
            stream.read(1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return _reason(error)
    return ""


def why_broken(path: Path) -> str:
    """Return why the file is unreadable, foreign or truncated; empty if it is intact or absent."""
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"it cannot be read: {_reason(error)}"
    except UnicodeDecodeError:
        return NOT_TEXT
    if "\0" in text:
        return NOT_TEXT
    return FOREIGN if _SERIALIZED.search(text) else _first_bad_line(text)


def why_not_writable(path: Path, *, probe: bool = True) -> str:
    """Return why the file cannot be written or replaced; empty if it can.

    `probe` writes a temporary file beside it, which also detects a full disk; otherwise nothing is
    written and only permissions count.
    """
    if path.exists() and not os.access(path, os.W_OK):
        return "the file is read-only"
    folder = next((parent for parent in path.parents if parent.exists()), path.parent)
    if not probe and os.access(folder, os.W_OK):
        return ""
    try:
        with tempfile.TemporaryFile(dir=folder) as stream:
            stream.write(b"\0" * 4096)
            stream.flush()
            os.fsync(stream.fileno())  # some file systems report a full disk only here
    except OSError as error:
        return _reason(error)
    return ""


def _first_bad_line(text: str) -> str:
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        content = line.strip()
        is_section = content.startswith("[") and content.endswith("]")
        if content and not is_section and "=" not in content and content[0] not in ";#":
            return f"line {number} is invalid"
    if lines and not text.endswith("\n") and _TRUNCATED.search(lines[-1]):
        return "it ends in the middle of a line"
    return ""


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
