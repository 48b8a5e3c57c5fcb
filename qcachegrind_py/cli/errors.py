"""Exit codes of the command, and the reasons that end it with one of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from qcachegrind_py.visible_text import print_message

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
