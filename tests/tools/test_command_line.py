"""Words of a line: cut as a shell cuts them, and nothing else is done to them."""

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
def test_a_line_is_cut(line: str, cut: list[str]) -> None:
    """Blanks part words but in quotes and behind backslashes; nothing is expanded or left out."""
    assert split(line) == cut


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a 'b", "A quote has no end."),
        ('"a\\"', "A quote has no end."),
        ("a\\", "After the last \\ a character is missing."),
    ],
)
def test_a_line_without_its_end_is_said(line: str, reason: str) -> None:
    """What is not finished is no line of fewer words, but said."""
    with pytest.raises(ValueError, match=reason.replace("\\", "\\\\")):
        split(line)


def test_a_line_of_words_gives_them_back() -> None:
    """What is shown and copied means the same words, here and to a shell."""
    line = join(WORDS)
    by_shell = subprocess.run(
        ["/bin/sh", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True
    )

    assert tuple(split(line)) == WORDS
    assert tuple(by_shell.stdout.decode().split("\0")[:-1]) == WORDS
