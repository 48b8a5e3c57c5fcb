"""The command that runs this program, and how a desktop entry spells it.

Rules of spelling: Desktop Entry Specification 1.5, "The Exec key" and "Possible value types".
"""

from __future__ import annotations

import os
import re
import shutil
import site
import sys
from collections.abc import Iterable
from pathlib import Path

_SCRIPTS = ("qcachegrind-py-gui", "qcachegrind-py", "qcachegrind_py")
_PACKAGE = Path(__file__).resolve().parents[2]
_RESERVED = re.compile(r"""[\s"'\\><~|&;$*?#()`]""")
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def running_command() -> tuple[str, ...]:
    """The words that start this program from anywhere; the first is the path of a program."""
    if image := _app_image():
        return (image,)
    if getattr(sys, "frozen", False):  # by PyInstaller: the program is its own interpreter
        return (sys.executable,)
    if script := _script():
        return (script,)
    command = (sys.executable, "-m", _PACKAGE.name)
    if _is_installed():
        return command
    return (_env(), f"PYTHONPATH={_PACKAGE.parent}", *command)


def with_command(entry: str, command: Iterable[str]) -> str:
    """The text of a desktop entry that starts this command, and is hidden where that is gone."""
    command = tuple(command)
    # GLib looks for the program before it reads “%%” as a percent sign
    started = (_env(), *command) if "%" in command[0] else command
    values = {
        "Exec": _escaped(" ".join((*map(_quoted, started), "%F"))),
        "TryExec": _escaped(_program(command)),
    }
    for key, value in values.items():
        before, _, rest = entry.partition(f"\n{key}=")
        entry = f"{before}\n{key}={value}\n{rest.partition(chr(10))[2]}"
    return entry


def without_command(entry: str) -> str:
    """The text of a desktop entry but for what it starts."""
    return with_command(entry, ("",))


def _app_image() -> str:
    """The AppImage we run from; others set these variables for all that they start."""
    image, mounted = os.environ.get("APPIMAGE", ""), os.environ.get("APPDIR", "")
    is_ours = bool(mounted) and _PACKAGE.is_relative_to(Path(mounted).resolve())
    return image if is_ours and Path(image).is_file() else ""


def _script() -> str:
    """The script that was started, that for desktops where it lies beside; links stay links."""
    started = Path(sys.argv[0])
    if started.name not in _SCRIPTS:
        return ""
    if len(started.parts) == 1 and not started.exists():
        started = Path(shutil.which(started.name) or started)
    folder = started.absolute().parent
    folder = folder.resolve() if ".." in folder.parts else folder
    scripts = (folder / name for name in (_SCRIPTS[0], started.name))
    return next((str(path) for path in scripts if os.access(path, os.X_OK)), "")


def _is_installed() -> bool:
    """Whether Python finds the package whatever folder it is started in."""
    folders = (*site.getsitepackages(), site.getusersitepackages())
    return str(_PACKAGE.parent) in {str(Path(folder).resolve()) for folder in folders}


def _env() -> str:
    return shutil.which("env") or "/usr/bin/env"


def _program(command: tuple[str, ...]) -> str:
    """What has to be there: what `env` runs, where that comes first."""
    return command[2] if len(command) > 2 and "=" in command[1] else command[0]


def _quoted(word: str) -> str:
    """An argument of Exec; a percent sign would else be a field code."""
    word = word.replace("%", "%%")
    if word and not _RESERVED.search(word):
        return word
    return '"' + re.sub(r'(["`$\\])', r"\\\1", word) + '"'


def _escaped(text: str) -> str:
    """A value of type string."""
    text = "".join(_ESCAPES.get(character, character) for character in text)
    return "\\s" + text[1:] if text.startswith(" ") else text
