"""Command lines: split into words as a shell splits them, without any expansion."""

from __future__ import annotations

import subprocess

import pytest

from qcachegrind_py.tools.command_line import join, split

WORDS = ("a b", "", "$HOME", "*", "\\", "it's", '"', "-x", "grün", "a\nb", "#", ";rm", "\t", "~")


@pytest.mark.parametrize(
    ("line", "cut"),
    [
        ("", []),
        ("  -n  1\t2 ", ["-n", "1", "2"]),
        ("'a  b' \"c d\" e\\ f g''h ''", ["a  b", "c d", "e f", "gh", ""]),
        ('"it\'s" \'say "x"\' "a\\"b" \'\\\'', ["it's", 'say "x"', 'a"b', "\\"]),
        ("$HOME ~ * `id` a;b # c", ["$HOME", "~", "*", "`id`", "a;b", "#", "c"]),
    ],
)
def test_split(line: str, cut: list[str]) -> None:
    """Blanks separate words except in quotes and after backslashes; nothing is expanded."""
    assert split(line) == cut


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a 'b", "Unclosed quote."),
        ('"a\\"', "Unclosed quote."),
        ("a\\", "A character is missing after the last \\."),
    ],
)
def test_unfinished_line_is_an_error(line: str, reason: str) -> None:
    """An unclosed quote is an error, not a shorter line."""
    with pytest.raises(ValueError, match=reason.replace("\\", "\\\\")):
        split(line)


def test_join_is_split_again() -> None:
    """A joined line splits into the same words, here and in a shell."""
    line = join(WORDS)
    by_shell = subprocess.run(
        ["/bin/sh", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True
    )

    assert tuple(split(line)) == WORDS
    assert tuple(by_shell.stdout.decode().split("\0")[:-1]) == WORDS
