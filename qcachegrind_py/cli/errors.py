"""Exit codes of the command, and the error that ends it with one of them."""

from __future__ import annotations

from qcachegrind_py.visible_text import print_message

FILE_ERROR = 1
USAGE_ERROR = 2
RULE_MET = 3  # of --fail-if
NOT_COMPARABLE = 4  # with --strict


class CommandError(Exception):
    """The reason for ending the command, and its exit code."""

    def __init__(self, code: int, reason: str) -> None:
        self.code = code
        super().__init__(reason)


def report_error(error: CommandError) -> int:
    """Print the error to stderr; return the exit code."""
    print_message(str(error))
    return error.code
