"""Open a source file in the user's editor, at a line.

An editor is described by a template such as `code --goto {file}:{line}`. It is split into arguments
before they are filled in, and no shell is involved: a file name is data, whatever it contains.
Terminal editors, such as those in $EDITOR, are not supported; nothing waits for the editor to end.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from qcachegrind_py.profile.errors import AnnotationError, MissingFile
from qcachegrind_py.tools.command_line import program_path, split

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
)  # name and template, the most deliberately installed ones first
_PLACEHOLDER = re.compile(r"\{(file|line)\}")
_REMEDY = "Choose an editor in the settings, such as: code --goto {file}:{line}"
_BATCH_SUFFIXES = (".bat", ".cmd")  # Windows runs them in a shell, whoever starts them
_SHELL_SPECIAL = re.compile(r'["%&|<>^!\r\n]')  # characters with a meaning to that shell
_DETACHED_PROCESS = getattr(subprocess, "DETACHED_PROCESS", 0)
_started: list[subprocess.Popen[bytes]] = []  # polled now and then to avoid zombies


def known_editors() -> list[tuple[str, str]]:
    """Return name and template of the installed editors, the likeliest first."""
    return [(name, template) for name, template in _EDITORS if _program_path(template.split()[0])]


def editor_command(template: str, path: Path, line: int) -> list[str]:
    """Return the command that opens a file at a line, counted from 1.

    `{file}` becomes the absolute path, and is appended if the template lacks it; `{line}` becomes
    the number. Raises AnnotationError if the template is no command.
    """
    arguments = _template_words(template, path)
    if not arguments or _PLACEHOLDER.search(arguments[0]):
        raise AnnotationError(
            path, f"cannot be opened: “{template}” does not name an editor.", _REMEDY
        )
    if not any("{file}" in argument for argument in arguments):
        arguments.append("{file}")
    values = {"file": str(path.absolute()), "line": str(max(1, line))}
    return [_PLACEHOLDER.sub(lambda match: values[match[1]], argument) for argument in arguments]


def open_in_editor(template: str, path: Path, line: int) -> None:
    """Open a file in the editor, by default the first known one; else show its folder.

    Raises AnnotationError if the file does not exist or the editor cannot be started.
    """
    if not path.is_file():
        raise MissingFile(str(path), (str(path.absolute()),))
    if not template.strip():
        template = next((first_template for _, first_template in known_editors()), "")
    command = editor_command(template, path, line) if template else _system_open_command(path)
    program = _program_path(command[0])
    if program is None:
        raise AnnotationError(
            path, f"cannot be opened: the editor “{command[0]}” was not found.", _REMEDY
        )
    if program.lower().endswith(_BATCH_SUFFIXES) and any(map(_SHELL_SPECIAL.search, command[1:])):
        raise AnnotationError(path, f"has a name that “{command[0]}” cannot open.", _REMEDY)
    _start([program, *command[1:]], path)


def _template_words(template: str, path: Path) -> list[str]:
    """Return the arguments of a template, split as a shell does."""
    try:
        return split(template)
    except ValueError as error:
        raise AnnotationError(
            path, f"cannot be opened: “{template}” has an unclosed quote.", _REMEDY
        ) from error


def _program_path(name: str) -> str | None:
    """Return the absolute path of a program, which may begin with `~`."""
    with contextlib.suppress(RuntimeError):  # ~name of a user whose home is unknown
        name = str(Path(name).expanduser()) if name.startswith("~") else name
    return program_path(name)


def _system_open_command(path: Path) -> list[str]:
    """Return the command that shows a file's folder, or on macOS the file, without a known editor.

    The folder, because a desktop may run a file instead of showing it.
    """
    if sys.platform == "darwin":
        return ["open", "-t", str(path.absolute())]  # always in the text editor
    opener = "explorer" if os.name == "nt" else "xdg-open"
    return [opener, str(path.absolute().parent)]


def _start(command: Sequence[str], path: Path) -> None:
    """Start a program that outlives this one and shares neither its terminal nor its folder."""
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
    except (OSError, ValueError) as error:  # ValueError: a zero byte in an argument
        reason = f"cannot be opened: “{command[0]}” does not start: {error}."
        raise AnnotationError(path, reason, _REMEDY) from error
    _started.append(process)
