"""A recording's settings, their validation, and the valgrind command that records it.

A recording is a program with a list of arguments; no shell is involved. Problems are reported
before the start, because valgrind's messages say little. `session.recording.recorder` starts it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from qcachegrind_py.tools.command_line import program_path
from qcachegrind_py.tools.sources.path_rules import expand_home
from qcachegrind_py.tools.valgrind.options import RECOMMENDED, Value, all_options

_RESERVED_OPTIONS = (
    "--tool",
    "--callgrind-out-file",
    "--log-fd",
    "--xml",
    "--vgdb",
)  # set by `valgrind_command`
_VARIABLE_ASSIGNMENT = re.compile(r"[^=]+=.*", re.DOTALL)
_UNSAFE_IN_NAME = re.compile(r"[^\w.+-]+")
_MAX_NAME_LENGTH = 60
_HEAD_SIZE = 4096  # bytes that tell what kind of program a file is


@dataclass(frozen=True, slots=True)
class Recording:
    """A program, its arguments, and how to record it; paths are as entered by the user."""

    program: str
    arguments: tuple[str, ...] = ()
    folder: str = ""  # working directory; empty: the home folder
    output: str = ""  # the folder for the profile
    environment: tuple[str, ...] = ()  # NAME=value, in addition to the inherited ones
    options: Mapping[str, Value] = field(default_factory=lambda: dict(RECOMMENDED))  # by name
    extra: tuple[str, ...] = ()  # further options of valgrind

    @property
    def working_folder(self) -> Path:
        """The absolute working directory of the program."""
        return Path(expand_home(self.folder or "~")).absolute()

    @property
    def output_folder(self) -> Path:
        """The absolute folder of the profile."""
        return Path(expand_home(self.output)).absolute() if self.output else self.working_folder

    @property
    def name(self) -> str:
        """The program's file name, made safe for use in another file name."""
        name = _UNSAFE_IN_NAME.sub("_", Path(self.program).name)[:_MAX_NAME_LENGTH]
        return name or "program"

    def variables(self) -> dict[str, str]:
        """Return the additional environment variables by name."""
        assignments = (word.partition("=") for word in self.environment)
        return {name: value for name, _, value in assignments}


def resolve_program(recording: Recording) -> str | None:
    """Return the absolute path of the program, searched on the path if it is a bare name."""
    name = expand_home(recording.program)
    if not name or "\0" in name:
        return None
    if os.sep in name:
        path = recording.working_folder / name
        return str(path) if path.exists() else None
    return program_path(name)


def recording_problem(recording: Recording) -> str:
    """Return what prevents the recording, as a sentence; empty if nothing does."""
    try:
        return (
            _folder_problem(recording)
            or _program_problem(recording)
            or _argument_problem(recording)
            or _output_problem(recording)
        )
    except (OSError, ValueError) as error:  # a name too long, or a folder without access
        return f"Cannot check this: {error}."


def _folder_problem(recording: Recording) -> str:
    folder = recording.working_folder
    if folder.is_dir():
        return (
            "" if os.access(folder, os.X_OK) else f"You do not have permission to enter {folder}."
        )
    return (
        f"{folder} is a file, not a folder."
        if folder.exists()
        else f"The folder {folder} does not exist."
    )


def _program_problem(recording: Recording) -> str:
    program = resolve_program(recording)
    if program is None:
        return f"The program {recording.program} was not found.{_missing_program_remedy(recording)}"
    path = Path(program)
    if path.is_dir():
        return f"{program} is a folder, not a program."
    if not os.access(path, os.X_OK):
        mark = "To make it executable: chmod +x"
        return f"{path.name} is not executable. {mark}"
    if not os.access(path, os.R_OK):
        return f"Valgrind needs read permission for {path.name}."
    return _file_type_problem(path)


def _missing_program_remedy(recording: Recording) -> str:
    """Return the remedy for a bare name that was not found: the working folder is not searched."""
    if os.sep in recording.program:
        return ""
    if (recording.working_folder / recording.program).is_file():
        return f" To run the one in the working folder, enter ./{recording.program}."
    return " Choose it with Browse, or enter its full path."


def _file_type_problem(path: Path) -> str:
    """Return what is wrong with a program's first bytes: a script must name its interpreter."""
    with path.open("rb") as stream:
        start = stream.read(_HEAD_SIZE)
    if not start:
        return f"{path.name} is empty."
    if start.startswith(b"\x7fELF"):
        return ""
    if not start.startswith(b"#!"):
        kind = "not a program for this system" if b"\0" in start else "a script without a #! line"
        remedy = "" if b"\0" in start else " Record its interpreter instead, for example: python3"
        return f"{path.name} is {kind}.{remedy}"
    words = start[2:].split(b"\n", 1)[0].split()
    interpreter = os.fsdecode(words[0]) if words else ""
    if not Path(interpreter).is_file():
        return (
            f"{path.name} needs the interpreter {interpreter or '(none)'}, which is not installed."
        )
    return ""


def _argument_problem(recording: Recording) -> str:
    words = (*recording.arguments, *recording.environment, *recording.extra, recording.output)
    if any("\0" in word for word in words):
        return "Arguments must not contain a null character."
    for word in recording.environment:
        if not _VARIABLE_ASSIGNMENT.fullmatch(word):
            return f"“{word}” in the environment must have the form NAME=value."
    for word in recording.extra:
        if not word.startswith("-"):
            return (
                f"“{word}” is not a Valgrind option: options start with -- and contain no spaces."
            )
        if word.startswith(_RESERVED_OPTIONS):
            return f"{word.partition('=')[0]} is already set above."
    return ""


def _output_problem(recording: Recording) -> str:
    """Return why the profile cannot be written; a missing folder is created at the start."""
    folder = recording.output_folder
    existing = next((f for f in (folder, *folder.parents) if f.exists()), folder)
    if not existing.is_dir():
        return f"{existing} is a file, not a folder for profiles."
    if not os.access(existing, os.W_OK | os.X_OK):
        return f"You do not have permission to write to {existing}. Choose another folder."
    return ""


def valgrind_command(recording: Recording, valgrind: str, profile: Path) -> list[str]:
    """Return the command that runs the program under callgrind.

    Args:
        recording: A recording without a `recording_problem`.
        valgrind: Absolute path of valgrind.
        profile: Path of the output file, to which `.` and the process id are appended.
    """
    values = recording.options
    switches = [
        word for o in all_options() for word in o.to_arguments(values.get(o.name, o.default))
    ]
    escaped = str(profile).replace("%", "%%")  # valgrind replaces %p and others
    return [
        valgrind,
        "--tool=callgrind",
        f"--callgrind-out-file={escaped}.%p",
        *switches,
        *recording.extra,
        resolve_program(recording) or recording.program,
        *recording.arguments,
    ]
