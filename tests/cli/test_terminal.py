"""The layout that a terminal, a pipe and the options ask for."""

from __future__ import annotations

import io
import sys

import pytest

from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import text_layout
from qcachegrind_py.write.text import PLAIN_TEXT, TextLayout


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


PIPE, TERMINAL = io.StringIO(), Terminal()


@pytest.fixture(autouse=True)
def _a_terminal_of_100_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "WT_SESSION", "ANSICON", "ConEmuANSI"):
        monkeypatch.delenv(name, raising=False)


def chosen(width: int | None = None, color: str = "auto") -> Options:
    options = Options()
    options.width, options.color = width, color
    return options


def test_a_terminal_has_its_width_and_bold_text() -> None:
    """Without options, lines fit the terminal, and hot costs are bold."""
    assert text_layout(chosen(), TERMINAL) == TextLayout(100, True)


def test_a_pipe_gets_plain_text() -> None:
    """Without options, nothing is cut off or coloured in a pipe, whatever COLUMNS says."""
    assert text_layout(chosen(), PIPE) == PLAIN_TEXT


def test_options_rule() -> None:
    """`--width` and `--color` hold for terminals and pipes; a width of 0 has no limit."""
    for stream in (PIPE, TERMINAL):
        assert text_layout(chosen(60, "always"), stream) == TextLayout(60, True)
        assert text_layout(chosen(0, "never"), stream) == TextLayout(None, False)


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_the_environment_may_refuse_colors(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NO_COLOR and a dumb terminal mean no colours unless `--color always` asks for them."""
    monkeypatch.setenv(name, value)
    assert text_layout(chosen(), TERMINAL) == TextLayout(100, False)
    assert text_layout(chosen(color="always"), TERMINAL) == TextLayout(100, True)


def test_an_empty_no_color_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR counts only if it is not empty, as no-color.org defines it."""
    monkeypatch.setenv("NO_COLOR", "")
    assert text_layout(chosen(), TERMINAL) == TextLayout(100, True)


def test_a_legacy_console_of_windows_gets_no_escape_sequences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On Windows, colours are used only in consoles that are known to interpret them."""
    monkeypatch.setattr(sys, "platform", "win32")
    assert text_layout(chosen(), TERMINAL) == TextLayout(100, False)
    monkeypatch.setenv("WT_SESSION", "0a1b")
    assert text_layout(chosen(), TERMINAL) == TextLayout(100, True)
