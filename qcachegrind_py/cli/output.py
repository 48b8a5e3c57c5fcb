"""What the command prints and how it ends: exit codes, messages, standard output or a file."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from qcachegrind_py.cli.options import Options
from qcachegrind_py.visible_text import print_message

if TYPE_CHECKING:
    from qcachegrind_py.profile.profile import Profile
    from qcachegrind_py.write.text import TextLayout

STANDARD_OUTPUT = "-"
_MAX_NAMED = 5  # files with problems

FILE_ERROR = 1
USAGE_ERROR = 2
RULE_MET = 3  # of --fail-if
NOT_COMPARABLE = 4  # with --strict

# where several apply, the first of them is the exit code
_MEANINGS = {
    FILE_ERROR: "a file could not be read or written",
    USAGE_ERROR: "wrong usage, or a rule that cannot be checked",
    NOT_COMPARABLE: "the profiles are damaged or not comparable",
    RULE_MET: "a rule is met",
}


class CommandError(Exception):
    """The reason for ending the command, in a line or several, and its exit code."""

    def __init__(self, code: int, *lines: str) -> None:
        self.code = code
        self.lines = lines
        super().__init__(*lines)


class Reasons:
    """All reasons for which a command does not end with 0, and their exit code."""

    def __init__(self) -> None:
        self._codes: set[int] = set()
        self._lines: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._codes)

    @property
    def code(self) -> int:
        """The exit code: 0 without any reason; of several, 1, 2, 4 and 3 in this order."""
        return next((code for code in _MEANINGS if code in self._codes), 0)

    @property
    def is_wrong_usage(self) -> bool:
        """Whether the command cannot do what it was asked for."""
        return USAGE_ERROR in self._codes

    def add(self, code: int, *lines: str) -> None:
        """Add a reason; the lines say it unless it is printed elsewhere. 0 is none."""
        self._codes |= {code} - {0}
        self.say(*lines)

    def say(self, *lines: str) -> None:
        """Add lines that are printed with the reasons."""
        self._lines += lines

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Add the `CommandError` that ends these lines, if one does."""
        try:
            yield
        except CommandError as error:
            self.add(error.code, *error.lines)

    def report(self) -> int:
        """Print all reasons to stderr, and what they come to if they differ; return the code."""
        others = [text for code, text in _MEANINGS.items() if code in self._codes - {self.code}]
        if others:
            first = f"Exit code {self.code}: {_MEANINGS[self.code]}."
            self._lines.append(f"{first} Besides, {', and '.join(others)}.")
        if self._lines:
            print_message(*self._lines)
        return self.code


def report_error(error: CommandError) -> int:
    """Print the error to stderr; return the exit code."""
    print_message(*error.lines)
    return error.code


# ---------------------------------------------------------------- output


def write_output(write: Callable[[TextIO], object]) -> int:
    """Let a function write to standard output; return the exit code, 1 if that is impossible.

    A reader that has closed the pipe, such as `head`, has all it wants.
    """
    output = sys.stdout or _unwritable_output()
    try:
        write(output)
        output.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())  # for the rest, at exit
        if isinstance(error, BrokenPipeError):
            return 0
        reason = f"Standard output cannot be written: {error.strerror or error}."
        return report_error(CommandError(FILE_ERROR, reason))
    return 0


def _unwritable_output() -> TextIO:
    """Return a stream for the standard output that Python leaves out as it is closed.

    Only what writes to it fails.
    """
    return open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: PTH123 (a descriptor, until the exit)


def print_output(
    options: Options, profile: Profile, write: Callable[[TextIO], object], *notes: str
) -> int:
    """Print as `print_with_problems` does; the problems are the diagnostics of the profile."""
    files = (each.path for each in profile.diagnostics)
    return print_with_problems(options, profile.diagnostic_count, files, write, *notes)


def print_with_problems(
    options: Options,
    problems: int,
    files: Iterable[str],
    write: Callable[[TextIO], object],
    *notes: str,
) -> int:
    """Write to stdout or `-o OUT`, then notes and the number of problems to stderr.

    Returns the exit code. `files` are those that have the problems, once or several times. A line
    on stderr says so if the file was read slowly, for lack of a C compiler.
    """
    from qcachegrind_py.formats.callgrind.scanner import COMPILED
    from qcachegrind_py.formats.loading import display_name
    from qcachegrind_py.profile.numbers import plural

    def say() -> None:
        for note in notes:
            print_message(note)
        if problems:
            names = list(dict.fromkeys(map(display_name, files)))
            more = f" and {len(names) - _MAX_NAMED:,} more" if len(names) > _MAX_NAMED else ""
            where = ", ".join(names[:_MAX_NAMED]) + more
            print_message(f"{problems} {plural(problems, 'problem')} found in {where}.")
        if not COMPILED:
            from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text

            print_message(slow_scanner_text())

    if options.output not in (None, STANDARD_OUTPUT):
        try:
            _write_file(options, write)
        except CommandError as error:
            return report_error(error)
        say()
        return 0
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")

    def write_all(stream: TextIO) -> None:
        write(stream)
        stream.flush()  # nothing follows what cannot be written
        say()

    return write_output(write_all)


def _write_file(options: Options, write: Callable[[TextIO], object]) -> None:
    """Write `-o OUT`, packed as its ending says; raises CommandError."""
    from qcachegrind_py.formats.compression import atomic_write, compressing_stream
    from qcachegrind_py.profile.errors import UnwritableFile

    path = options.output or ""
    check_not_read("-o", path, [*options.files, *options.base])
    try:
        with atomic_write(path) as file, compressing_stream(file, path) as stream:
            text = io.TextIOWrapper(stream, "utf-8", "replace", newline="\n")
            write(text)
            text.flush()
            text.detach()
    except UnwritableFile as error:
        raise CommandError(FILE_ERROR, str(error)) from error


def check_not_read(option: str, path: str, files: Iterable[str]) -> None:
    """Raise CommandError if the path that an option writes is one that is read, also by a link."""
    from qcachegrind_py.profile.files import path_on_disk

    for file in files if path != STANDARD_OUTPUT else ():
        with suppress(OSError):  # one is not there: reading and writing tell which
            if Path(path).samefile(path_on_disk(Path(file))):
                reason = f"{option} {path} would replace {file}, which is being read."
                raise CommandError(USAGE_ERROR, f"{reason} Choose another name.")


# ---------------------------------------------------------------- text


def text_layout(options: Options, stream: TextIO) -> TextLayout:
    """Return the layout that `--width` and `--color` ask for, or else suits the stream."""
    from qcachegrind_py.write.text import TextLayout  # not for `--version`

    is_terminal = stream.isatty()
    width = options.width
    if width is None and is_terminal:
        width = shutil.get_terminal_size().columns
    if options.color == "auto":
        return TextLayout(width or None, is_terminal and _takes_colors())
    return TextLayout(width or None, options.color == "always")


def _takes_colors() -> bool:
    """Return whether the terminal shows escape sequences as colours, and the user wants them."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.platform != "win32" or _is_modern_console()


def _is_modern_console() -> bool:
    """Return whether a console of Windows is one that is known to interpret escape sequences."""
    return bool(
        os.environ.get("WT_SESSION")  # Windows Terminal
        or os.environ.get("ANSICON")
        or os.environ.get("ConEmuANSI") == "ON"  # noqa: SIM112 - ConEmu spells it so
    )
