"""Find the command that runs this program, and write it into a desktop entry.

Quoting follows the Desktop Entry Specification 1.5, "The Exec key" and "Possible value types".
"""

from __future__ import annotations

import os
import re
import shutil
import site
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

_SCRIPTS = ("qcachegrind-py-gui", "qcachegrind-py", "qcachegrind_py")
_PACKAGE = Path(__file__).resolve().parents[2]
_OF_TERMINALS = ("PYTHONHOME", "PYTHONPATH")  # a menu starts programs without them
_TIMEOUT = 20.0  # seconds: a first start from a slow disk
_RESERVED = re.compile(r"""[\s"'\\><~|&;$*?#()`]""")
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def running_command() -> tuple[str, ...]:
    """Return the command that starts this program from any folder; its first word is a path."""
    if image := _app_image():
        return (image,)
    if getattr(sys, "frozen", False):  # by PyInstaller, which has no separate interpreter
        return (sys.executable,)
    if script := _script():
        return (script,)
    command = (sys.executable, "-m", _PACKAGE.name)
    if _is_installed():
        return command
    return (_env(), f"PYTHONPATH={_PACKAGE.parent}", *command)


def why_not_started(command: Sequence[str]) -> str:
    """Return why a menu cannot start the command, which is tried with `--version`; empty if it can.

    A script may name a Python that is no longer there, or find this package only in the terminal.
    """
    environment = {name: text for name, text in os.environ.items() if name not in _OF_TERMINALS}
    try:
        ran = subprocess.run(
            (*command, "--version"),
            cwd=Path(command[0]).anchor or None,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except OSError as error:
        return error.strerror or str(error)
    except subprocess.TimeoutExpired:
        return f"it did not answer within {_TIMEOUT:.0f} seconds"
    if ran.returncode == 0:
        return ""
    lines = ran.stderr.decode("utf-8", "replace").split("\n")
    return next(filter(str.strip, reversed(lines)), f"it ended by {ran.returncode}").strip()


def with_command(entry: str, command: Iterable[str]) -> str:
    """Return a desktop entry that runs this command, hidden if the program is missing."""
    command = tuple(command)
    # GLib looks up the program before it unescapes "%%"
    started = (_env(), *command) if "%" in command[0] else command
    values = {
        "Exec": _escaped(" ".join((*map(_quoted, started), "%F"))),
        "TryExec": _escaped(_program(command)),
    }
    for key, value in values.items():
        before, _, rest = entry.partition(f"\n{key}=")
        entry = f"{before}\n{key}={value}\n{rest.partition(chr(10))[2]}"
    return entry


def _app_image() -> str:
    """Return the AppImage that we run from, if any.

    Other AppImages set the same variables for every program that they start.
    """
    image, mounted = os.environ.get("APPIMAGE", ""), os.environ.get("APPDIR", "")
    is_ours = bool(mounted) and _PACKAGE.is_relative_to(Path(mounted).resolve())
    return image if is_ours and Path(image).is_file() else ""


def _script() -> str:
    """Return the script that was started, or the desktop variant beside it; links stay links."""
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
    """Return whether Python finds the package from any working folder."""
    folders = (*site.getsitepackages(), site.getusersitepackages())
    return str(_PACKAGE.parent) in {str(Path(folder).resolve()) for folder in folders}


def _env() -> str:
    return shutil.which("env") or "/usr/bin/env"


def _program(command: tuple[str, ...]) -> str:
    """Return the program that must exist: behind `env NAME=value`, the one that `env` runs."""
    return command[2] if len(command) > 2 and "=" in command[1] else command[0]


def _quoted(word: str) -> str:
    """Quote an argument of Exec, with % doubled because it introduces field codes."""
    word = word.replace("%", "%%")
    if word and not _RESERVED.search(word):
        return word
    return '"' + re.sub(r'(["`$\\])', r"\\\1", word) + '"'


def _escaped(text: str) -> str:
    """Escape a value of type string."""
    return "".join(_ESCAPES.get(character, character) for character in text)
