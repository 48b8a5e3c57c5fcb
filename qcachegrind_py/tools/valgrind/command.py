"""What is to be recorded, and the command that records it.

A recording is a program with its arguments as a list of words; no shell ever sees them. What is
wrong with it is said before it is started, because valgrind says little. Starting it is the
business of `session/recorder.py`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from qcachegrind_py.tools.sources.path_rules import expand_home
from qcachegrind_py.tools.valgrind.options import RECOMMENDED, Value, all_options

_RESERVED_OPTIONS = (
    "--tool",
    "--callgrind-out-file",
    "--log-fd",
    "--xml",
    "--vgdb",
)  # what we depend on
_VARIABLE_ASSIGNMENT = re.compile(r"[^=]+=.*", re.DOTALL)
_UNSAFE_IN_NAME = re.compile(r"[^\w.+-]+")
_MAX_NAME_LENGTH = 60
_HEAD_SIZE = 4096  # bytes that say what kind of program a file is


@dataclass(frozen=True, slots=True)
class Recording:
    """A program, what it is given, and how it is recorded. All paths as the user wrote them."""

    program: str
    arguments: tuple[str, ...] = ()
    folder: str = ""  # in which it runs; empty: one's home folder
    output: str = ""  # the folder for the profile
    environment: tuple[str, ...] = ()  # NAME=value, besides what is there anyway
    options: Mapping[str, Value] = field(default_factory=lambda: dict(RECOMMENDED))  # by name
    extra: tuple[str, ...] = ()  # other options of valgrind

    @property
    def working_folder(self) -> Path:
        """Where the program runs, absolute."""
        return Path(expand_home(self.folder or "~")).absolute()

    @property
    def output_folder(self) -> Path:
        """Where the profile is written, absolute."""
        return Path(expand_home(self.output)).absolute() if self.output else self.working_folder

    @property
    def name(self) -> str:
        """What the program is called without its folder, as a part of a file's name."""
        name = _UNSAFE_IN_NAME.sub("_", Path(self.program).name)[:_MAX_NAME_LENGTH]
        return name or "program"

    def variables(self) -> dict[str, str]:
        """The environment's additions by name."""
        pairs = (word.partition("=") for word in self.environment)
        return {name: value for name, _, value in pairs}


def resolve_program(recording: Recording) -> str | None:
    """The absolute path of the program that is meant: a name is looked for on the path."""
    name = expand_home(recording.program)
    if not name or "\0" in name:
        return None
    if os.sep in name:
        path = recording.working_folder / name
        return str(path) if path.exists() else None
    found = shutil.which(name)
    return found if found is not None and Path(found).is_absolute() else None


def recording_problem(recording: Recording) -> str:
    """What keeps it from being recorded, as a sentence; empty where nothing does."""
    try:
        return (
            _folder_problem(recording)
            or _program_problem(recording)
            or _argument_problem(recording)
            or _output_problem(recording)
        )
    except (OSError, ValueError) as error:  # a name that is too long, a folder not to be entered
        return f"This cannot be looked at: {error}."


def _folder_problem(recording: Recording) -> str:
    folder = recording.working_folder
    if folder.is_dir():
        return "" if os.access(folder, os.X_OK) else f"{folder} is a folder you may not enter."
    return f"{folder} is a file, no folder." if folder.exists() else f"There is no folder {folder}."


def _program_problem(recording: Recording) -> str:
    found = resolve_program(recording)
    if found is None:
        return f"There is no program {recording.program}.{_missing_program_remedy(recording)}"
    path = Path(found)
    if path.is_dir():
        return f"{found} is a folder, no program."
    if not os.access(path, os.X_OK):
        mark = "To make it one that can be run: chmod +x"
        return f"{path.name} is no program that you may run. {mark}"
    if not os.access(path, os.R_OK):
        return f"You may run {path.name}, but not read it, as valgrind must."
    return _file_type_problem(path)


def _missing_program_remedy(recording: Recording) -> str:
    """What to do where a program is not found by its name: the current folder is not searched."""
    if os.sep in recording.program:
        return ""
    if (recording.working_folder / recording.program).is_file():
        return f" The one in the folder is called ./{recording.program}."
    return " Choose it by Browse, or write its whole path."


def _file_type_problem(path: Path) -> str:
    """What the beginning of a program says: a script needs to name who runs it."""
    with path.open("rb") as stream:
        start = stream.read(_HEAD_SIZE)
    if not start:
        return f"{path.name} is empty."
    if start.startswith(b"\x7fELF"):
        return ""
    if not start.startswith(b"#!"):
        kind = (
            "no program for this system" if b"\0" in start else "a script without a first line #!"
        )
        remedy = "" if b"\0" in start else " Record the program that runs it, such as: python3"
        return f"{path.name} is {kind}.{remedy}"
    words = start[2:].split(b"\n", 1)[0].split()
    interpreter = os.fsdecode(words[0]) if words else ""
    if not Path(interpreter).is_file():
        return f"{path.name} is a script for {interpreter or 'nobody'}, which is not here."
    return ""


def _argument_problem(recording: Recording) -> str:
    words = (*recording.arguments, *recording.environment, *recording.extra, recording.output)
    if any("\0" in word for word in words):
        return "A word has a zero character in it, which no program can be given."
    for word in recording.environment:
        if not _VARIABLE_ASSIGNMENT.fullmatch(word):
            return f"“{word}” in the environment is not written as NAME=value."
    for word in recording.extra:
        if not word.startswith("-"):
            return f"“{word}” is no option of valgrind: they begin with -- and have no blank."
        if word.startswith(_RESERVED_OPTIONS):
            return f"{word.partition('=')[0]} is given already."
    return ""


def _output_problem(recording: Recording) -> str:
    """A folder that is not there is made when the recording begins."""
    folder = recording.output_folder
    above = next((f for f in (folder, *folder.parents) if f.exists()), folder)
    if not above.is_dir():
        return f"{above} is a file: no profile can be kept in it."
    if not os.access(above, os.W_OK | os.X_OK):
        return f"You may not write in {above}: choose another folder for the profile."
    return ""


def valgrind_command(recording: Recording, valgrind: str, profile: Path) -> list[str]:
    """The words that run the program under callgrind, which writes `profile` with its process id.

    Args:
        recording: What `problem` has nothing against.
        valgrind: The program, by its absolute path.
        profile: The file to write; `.` and the number of the process are put behind it.
    """
    values = recording.options
    switches = [
        word for o in all_options() for word in o.to_arguments(values.get(o.name, o.default))
    ]
    written = str(profile).replace("%", "%%")  # %p and others have a meaning to valgrind
    return [
        valgrind,
        "--tool=callgrind",
        f"--callgrind-out-file={written}.%p",
        *switches,
        *recording.extra,
        resolve_program(recording) or recording.program,
        *recording.arguments,
    ]
