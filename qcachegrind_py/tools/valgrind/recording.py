"""Recording with valgrind: its installation, options, command line and state.

A recording is a program with a list of arguments; no shell is involved. Problems are reported
before the start, because valgrind's messages say little. `session.recording.recorder` starts it.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from qcachegrind_py.frozen import frozen
from qcachegrind_py.tools.command_line import program_path
from qcachegrind_py.tools.sources.file_search import expand_home
from qcachegrind_py.tools.system_packages import install_line, package_manager, requirements

# ------------------------------------------------ valgrind on this machine
# The status comes from `vgdb`, a part of valgrind. callgrind_control uses it, too, but passes its
# arguments to a shell, and is confused by line ends in a program's arguments.

_RECORD_ELSEWHERE = (
    "Record on a Linux machine, in a virtual one or in a container, copy the file "
    "callgrind.out.… here, and open it."
)
_ON_MACOS = f"Valgrind does not run on current versions of macOS. {_RECORD_ELSEWHERE}"
_ON_WINDOWS = (
    "Valgrind does not run on Windows. Record in the Windows Subsystem for Linux (WSL): "
    "valgrind --tool=callgrind PROGRAM. Then open the callgrind.out file here."
)
_INSTALL_FROM_SITE = "Install it from your system's packages or from valgrind.org."
_COUNTER_SIGN_BIT = 1 << 63
_VALUE = re.compile(r"^([\w-]+): (.*)$", re.MULTILINE)


@frozen(eq=True)
class RecordingTools:
    """The recording programs by absolute path; None if missing."""

    valgrind: str | None = None
    vgdb: str | None = None  # without it, a recording can only be stopped


@frozen(eq=True)
class InstallAdvice:
    """Advice on installing valgrind: a sentence, and a command if there is one."""

    sentence: str
    command: str = ""


@frozen(eq=True)
class LiveState:
    """The status of a program running under callgrind."""

    is_counting: bool = True
    event: str = ""  # the first event, such as Ir
    count: int = 0  # of that event, in all threads, since the last part was written
    threads: int = 0
    stack: tuple[str, ...] = ()  # the current thread's active functions, the innermost first

    @property
    def function(self) -> str:
        return next(iter(self.stack), "")


def find_tools() -> RecordingTools:
    return RecordingTools(program_path("valgrind"), program_path("vgdb"))


def install_advice(platform: str = sys.platform) -> InstallAdvice:
    if platform == "darwin":
        return InstallAdvice(_ON_MACOS)
    if platform in ("win32", "cygwin"):
        return InstallAdvice(_ON_WINDOWS)
    if not (manager := package_manager()):
        return InstallAdvice(f"Valgrind is not installed. {_INSTALL_FROM_SITE}")
    command = install_line(requirements("valgrind"), manager)
    return InstallAdvice("Valgrind is not installed. Install it with this command:", command)


def parse_live_state(answer: str) -> LiveState | None:
    """Parse the answer to `status internal`; None if it is incomplete, as during the start."""
    values = dict(_VALUE.findall(answer))
    if "instrumentation" not in values:
        return None
    if values["instrumentation"] != "on":
        return LiveState(is_counting=False)
    threads = len(_thread_ids(values))
    costs = [values[f"events-{thread}"].split()[:1] for thread in _thread_ids(values)]
    event = values.get("events", "").split()[:1]
    count = sum(map(_parse_count, costs))
    return LiveState(True, "".join(event), count, threads, _current_stack(values))


def _thread_ids(values: dict[str, str]) -> list[str]:
    matches = (re.fullmatch(r"events-(\d+)", key) for key in values)
    return [match[1] for match in matches if match]


def _current_stack(values: dict[str, str]) -> tuple[str, ...]:
    """Return the current thread's functions; callgrind lists them from the outermost."""
    thread = values.get("current-tid", "")
    names = [name for key, name in values.items() if key.startswith(f"function-{thread}-")]
    return tuple(reversed(names))


def _parse_count(texts: list[str]) -> int:
    text = "".join(texts)
    number = int(text) if text.isascii() and text.isdigit() else 0
    # after a pause, callgrind counts from below zero
    return number if number < _COUNTER_SIGN_BIT else 0


def remove_pipes(process: int) -> None:
    """Remove the vgdb pipes left behind by a killed valgrind."""
    folder = Path(os.environ.get("TMPDIR") or "/tmp")  # valgrind's choice
    for pipe in folder.glob(f"vgdb-pipe-*-{process}-by-*"):
        with contextlib.suppress(OSError):
            pipe.unlink()


# ----------------------------------------------------------------- options
# They are those of valgrind 3.19 and later. The slowdowns were measured on a Python program that
# works with dictionaries, regular expressions and sorting: 57 times slower without any option.

Value = bool | int | str


@frozen(eq=True)
class Option:
    """An option: valgrind's switch, its title, benefit and cost as displayed, and its values."""

    name: str
    switch: str  # of valgrind, without the =
    title: str
    benefit: str
    cost: str = ""
    default: Value = False  # valgrind's default; its type is the option's type
    true_value: str = "yes"  # written for True
    maximum: int = 0  # of a number
    multiplier: int = 1  # of a number: the meaning of 1

    def accepts(self, value: object) -> bool:
        is_in_range = not self.maximum or (isinstance(value, int) and 0 <= value <= self.maximum)
        return type(value) is type(self.default) and is_in_range

    def to_arguments(self, value: Value) -> list[str]:
        """Return the command-line arguments for a value; none for valgrind's default."""
        if not self.accepts(value) or value == self.default:
            return []
        if isinstance(value, bool):
            return [f"{self.switch}={self.true_value}"]
        return [f"{self.switch}={value * self.multiplier if isinstance(value, int) else value}"]


OPTION_GROUPS = {
    "Count": (
        Option(
            "dump_instr", "--dump-instr", "Instructions",
            "Costs of instructions, for Assembler and Control Flow.",
            "Hardly slower; the file is about four times as large.",
        ),
        Option(
            "collect_jumps", "--collect-jumps", "Jumps",
            "How often each jump was taken, drawn as arrows beside the code.",
            "Hardly slower.",
        ),
        Option(
            "cache_sim", "--cache-sim", "Caches",
            "Reads, writes and misses of simulated caches, and estimated cycles.",
            "About twice as slow.",
        ),
        Option(
            "branch_sim", "--branch-sim", "Branch prediction",
            "Branches and mispredictions of a simulated processor.",
            "A little slower.",
        ),
        Option(
            "collect_systime", "--collect-systime", "System call time",
            "System calls and the time they took, for programs that wait.",
            "Hardly slower.", true_value="nsec",
        ),
        Option(
            "collect_bus", "--collect-bus", "Locked memory accesses",
            "Atomic instructions, which are expensive when threads share data.",
            "Hardly slower.",
        ),
    ),
    "Separate": (
        Option(
            "separate_threads", "--separate-threads", "Threads",
            "A part for each thread, to look at threads separately.",
            "No slower; one file per thread.",
        ),
        Option(
            "trace_children", "--trace-children", "Child processes",
            "Also a profile for each program that this one starts.",
            "All of them run slowly.",
        ),
        Option(
            "separate_callers", "--separate-callers", "Callers",
            "Counts each function separately for this many callers: exact call trees.",
            "With 3, a third slower; the file grows fivefold or more.", 0, maximum=20,
        ),
        Option(
            "separate_recs", "--separate-recs", "Recursion levels",
            "Counts this many levels of a recursive function separately.",
            "Slightly slower.", 2, maximum=50,
        ),
    ),
    "When to count": (
        Option(
            "paused", "--instr-atstart", "Start paused",
            "Counts nothing until you choose Resume, for programs that take long to start.",
            "Three times faster while paused.", true_value="no",
        ),
        Option(
            "toggle_collect", "--toggle-collect", "Only inside the function",
            "Counts only while this function and its callees run; * matches any text.",
            "No slower. C++ functions need their parameters: work(int)*", "",
        ),
        Option(
            "dump_every", "--dump-every-bb", "A part every … million blocks",
            "A part every so many million basic blocks, for a timeline in Parts.",
            "Slightly slower; one file per part.", 0, maximum=1000, multiplier=1_000_000,
        ),
    ),
}  # fmt: skip
"""By heading, in the order of display and of the command line."""

RECOMMENDED: dict[str, Value] = {"dump_instr": True, "collect_jumps": True}
"""The defaults of a first recording: no view stays empty, at low cost."""


def all_options() -> list[Option]:
    return [option for options in OPTION_GROUPS.values() for option in options]


# ---------------------------------------------------------------- commands

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


@frozen(eq=True)
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
        return Path(expand_home(self.folder or "~")).absolute()

    @property
    def output_folder(self) -> Path:
        return Path(expand_home(self.output)).absolute() if self.output else self.working_folder

    @property
    def name(self) -> str:
        """The program's file name, made safe for use in another file name."""
        name = _UNSAFE_IN_NAME.sub("_", Path(self.program).name)[:_MAX_NAME_LENGTH]
        return name or "program"

    def variables(self) -> dict[str, str]:
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
