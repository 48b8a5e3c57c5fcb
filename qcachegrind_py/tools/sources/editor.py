"""Opens a source file in the user's editor, at a line.

An editor is told by a template such as `code --goto {file}:{line}`. It is cut into words first and
filled in afterwards, and no shell sees it: a file's name is data, whatever is in it. Editors that
need a terminal, such as those in $EDITOR, are not started; nothing waits for the editor to end.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from qcachegrind_py.profile.errors import AnnotationError, MissingFile
from qcachegrind_py.tools.command_line import split

_EDITORS = (
    ("Visual Studio Code", "code --goto {file}:{line}"),
    ("VSCodium", "codium --goto {file}:{line}"),
    ("Zed", "zed {file}:{line}"),
    ("Zed", "zeditor {file}:{line}"),
    ("Sublime Text", "subl {file}:{line}"),
    ("CLion", "clion --line {line} {file}"),
    ("RustRover", "rustrover --line {line} {file}"),
    ("PyCharm", "pycharm --line {line} {file}"),
    ("PhpStorm", "phpstorm --line {line} {file}"),
    ("IntelliJ IDEA", "idea --line {line} {file}"),
    ("Qt Creator", "qtcreator -client {file}:{line}"),
    ("KDevelop", "kdevelop {file}:{line}"),
    ("Kate", "kate --line {line} {file}"),
    ("KWrite", "kwrite --line {line} {file}"),
    ("GNOME Text Editor", "gnome-text-editor {file}"),
    ("gedit", "gedit +{line} {file}"),
    ("xed", "xed +{line} {file}"),
    ("Pluma", "pluma +{line} {file}"),
    ("Mousepad", "mousepad --line={line} {file}"),
    ("Geany", "geany --line {line} {file}"),
    ("Emacs", "emacsclient --no-wait --alternate-editor=emacs +{line} {file}"),
    ("GVim", "gvim +{line} {file}"),
    ("BBEdit", "bbedit +{line} {file}"),
    ("TextMate", "mate --line {line} {file}"),
    ("Notepad++", "notepad++ -n{line} {file}"),
)  # name and template, the ones that people choose on purpose first
_PLACEHOLDER = re.compile(r"\{(file|line)\}")
_REMEDY = "Choose an editor in the settings, such as: code --goto {file}:{line}"
_BATCH_SUFFIXES = (".bat", ".cmd")  # Windows hands them to a shell, whoever starts them
_SHELL_SPECIAL = re.compile(r'["%&|<>^!\r\n]')  # what that shell might understand
_DETACHED_PROCESS = getattr(subprocess, "DETACHED_PROCESS", 0)
_started: list[subprocess.Popen[bytes]] = []  # asked for their end now and then: no zombies


def known_editors() -> list[tuple[str, str]]:
    """Name and template of the editors that are installed, the likeliest first."""
    return [(name, template) for name, template in _EDITORS if _program_path(template.split()[0])]


def editor_command(template: str, path: Path, line: int) -> list[str]:
    """The program and its arguments that open a file at a line, counted from 1.

    `{file}` is replaced by the absolute path, and put last where the template has none; `{line}`
    by the number. Raises AnnotationError where the template is no command.
    """
    cut = _template_words(template, path)
    if not cut or _PLACEHOLDER.search(cut[0]):
        raise AnnotationError(path, f"“{template}” names no editor to open it.", _REMEDY)
    if not any("{file}" in word for word in cut):
        cut.append("{file}")
    values = {"file": str(path.absolute()), "line": str(max(1, line))}
    return [_PLACEHOLDER.sub(lambda found: values[found[1]], word) for word in cut]


def open_in_editor(template: str, path: Path, line: int) -> None:
    """Start the editor with the file; with "" the first known one, or else show its folder.

    Raises AnnotationError where there is no such file or the editor cannot be started.
    """
    if not path.is_file():
        raise MissingFile(str(path), (str(path.absolute()),))
    if not template.strip():
        template = next((known for _, known in known_editors()), "")
    command = editor_command(template, path, line) if template else _system_open_command(path)
    program = _program_path(command[0])
    if program is None:
        raise AnnotationError(path, f"the editor “{command[0]}” is not found.", _REMEDY)
    if program.lower().endswith(_BATCH_SUFFIXES) and any(map(_SHELL_SPECIAL.search, command[1:])):
        raise AnnotationError(path, f"“{command[0]}” cannot be given such a name.", _REMEDY)
    _start([program, *command[1:]], path)


def _template_words(template: str, path: Path) -> list[str]:
    """The words of a template, as a shell would cut it."""
    try:
        return split(template)
    except ValueError as error:
        raise AnnotationError(
            path, f"“{template}” has a quote without its end.", _REMEDY
        ) from error


def _program_path(name: str) -> str | None:
    """The absolute path of a program; one that lies in the current folder by chance is none."""
    with contextlib.suppress(RuntimeError):  # ~somebody, whose home is not known
        name = str(Path(name).expanduser()) if name.startswith("~") else name
    found = shutil.which(name)
    return found if found is not None and Path(found).is_absolute() else None


def _system_open_command(path: Path) -> list[str]:
    """What shows the file without knowing an editor; what would run a program is left alone.

    A desktop may run a file that it is told to open: it is given the folder instead.
    """
    if sys.platform == "darwin":
        return ["open", "-t", str(path.absolute())]  # in the editor for texts, always
    opener = "explorer" if os.name == "nt" else "xdg-open"
    return [opener, str(path.absolute().parent)]


def _start(command: Sequence[str], path: Path) -> None:
    """Start a program that outlives us and shares neither our terminal nor our folder."""
    _started[:] = [process for process in _started if process.poll() is None]
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=Path(command[0]).anchor,
            start_new_session=True,
            creationflags=_DETACHED_PROCESS,
        )
    except (OSError, ValueError) as error:  # ValueError: a zero in an argument
        reason = f"“{command[0]}” cannot be started: {error}."
        raise AnnotationError(path, reason, _REMEDY) from error
    _started.append(process)
