"""The help, the manual page and docs/command.md have all options."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest
from qcachegrind_py.cli.arguments import build_parser

from qcachegrind_py.cli.main import main
from tests.resources.man_page import PATH as MANUAL_PAGE

COMMAND = Path(__file__).parents[2] / "docs/command.md"


def options() -> set[str]:
    """All spellings of all options."""
    return {name for action in build_parser()._actions for name in action.option_strings}


def examples() -> list[str]:
    """The command lines of the help."""
    return re.findall(r"^ +(qcachegrind-py .+)$", build_parser().format_help(), re.M)


def test_the_documentation_has_every_option_and_no_other() -> None:
    """docs/command.md names the options that the parser knows, and none that it does not."""
    text = COMMAND.read_text("utf-8")
    quoted = set(re.findall(r"`(--?[a-zA-Z][\w-]*)", text))
    assert quoted == options()


def test_the_manual_page_has_every_option() -> None:
    """The manual page has an entry for each option."""
    text = MANUAL_PAGE.read_text("utf-8").replace(r"\-", "-")
    entries = "".join(re.findall(r"^\.TP\n(\\fB-.*)$", text, re.M))
    assert set(re.findall(r"\\fB(--?[\w-]+)\\fR", entries)) == options()


def test_each_task_has_a_description_and_an_example() -> None:
    """Each group of the help says what it is for; all but the last have a command line."""
    *groups, last = [g for g in build_parser()._action_groups if g._group_actions]
    assert [group.title for group in groups if not group.description] == []
    assert [g.title for g in groups if "\n  qcachegrind-py " not in (g.description or "")] == []
    assert last.title == "Learn about the program"


def test_the_examples_of_the_help_are_tested() -> None:
    """The command lines of the help are lines of docs/command.md, which are run by a test."""
    lines = COMMAND.read_text("utf-8").splitlines()
    assert [example for example in examples() if f"    {example}" not in lines] == []


def test_the_help_fits_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No line of the help wraps in a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert ended.value.code == 0
    assert [line for line in lines if len(line) > 80] == []


def test_options_are_told_from_their_values() -> None:
    """Every option that takes a value names it or lists its choices, and says what it does."""
    silent = [
        action.option_strings
        for action in build_parser()._actions
        if not action.help
        or (action.nargs != 0 and not action.choices and not action.metavar)
        or action.help == argparse.SUPPRESS
    ]
    assert silent == []
