"""The help, the documents and the files of tasks follow from the table of options."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from qcachegrind_py.cli.command_line import help_text
from qcachegrind_py.cli.options import MOVED, OPTIONS, TASK_NAMES, TASKS, WINDOW, options_of

ROOT = Path(__file__).parents[2]
COMMAND = (ROOT / "docs/command.md").read_text("utf-8")


@pytest.mark.parametrize("task", [WINDOW, *TASK_NAMES])
def test_the_help_fits_a_screen(task: str) -> None:
    """It has at most 30 lines of 80 characters, names every option, and ends in two examples."""
    text = help_text(task)
    lines = text.splitlines()
    assert (len(lines) <= 30, [line for line in lines if len(line) > 80]) == (True, [])
    names = {name for row in options_of(task).values() for name in row.names}
    assert names <= set(re.findall(r"--?[a-zA-Z][\w-]*", text))
    if task != WINDOW:
        assert [line[:18] for line in lines[-3:]] == ["", *["  qcachegrind-py " + task[:1]] * 2]


def test_the_help_of_the_window_names_the_tasks() -> None:
    """Each has a line that says what it is for."""
    assert {f"  {task.name:12}{task.summary}" for task in TASKS} <= set(
        help_text(WINDOW).splitlines()
    )


def test_each_task_has_a_file() -> None:
    """It is named after the task, and has `run`."""
    assert all(hasattr(import_module(f"qcachegrind_py.cli.{name}"), "run") for name in TASK_NAMES)


def test_the_documentation_has_every_option_and_no_other() -> None:
    """docs/command.md names the options of the table, and each in a section of a task of it."""
    quoted = set(re.findall(r"`(--?[a-zA-Z][\w-]*)", COMMAND))
    assert quoted == {*(name for row in OPTIONS.values() for name in row.names), "-h", "--help"}


@pytest.mark.parametrize("name", TASK_NAMES)
def test_command_lines_have_only_options_of_their_task(name: str) -> None:
    """The lines of docs/command.md are examples of what a task takes."""
    lines = re.findall(rf"^ +qcachegrind-py {name} (.*)$", COMMAND, re.M)
    used = set(re.findall(r"(?<=\s)--?[a-zA-Z][\w-]*", " ".join([" ", *lines])))
    own = {spelled for row in options_of(name).values() for spelled in row.names}
    assert used <= own | {"-n", "-"}


def test_old_options_have_a_new_spelling_in_the_change_log() -> None:
    """The table of CHANGELOG.md is that of the messages about old options."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(--[\w-]+)` \| `(.*)` \|$", text, re.M))
    assert rows == {old: new.replace(", or ", "`, `") for old, new in MOVED.items()}
    assert all(new.split()[0] in TASK_NAMES for new in MOVED.values())
