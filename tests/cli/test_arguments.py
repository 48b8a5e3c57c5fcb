"""How the command line is read."""

from __future__ import annotations

import pytest

from qcachegrind_py.cli.command_line import parse


@pytest.mark.parametrize(
    "line",
    ["a - b --format csv", "a --format csv - b", "--format csv a - b", "a - --format=csv b"],
)
def test_files_and_options_come_in_any_order(line: str) -> None:
    """Files may be named before, between and behind options, and keep their order."""
    options = parse(["report", *line.split()])
    assert (options.files, options.format) == (["a", "-", "b"], "csv")


def test_a_file_may_begin_with_a_hyphen() -> None:
    """Behind two hyphens, everything is a file."""
    assert parse(["report", "a", "--", "-x", "--format"]).files == ["a", "-x", "--format"]


def test_files_may_be_urls() -> None:
    """All files that are read: profiles, bases, views, programs and folders of sources."""
    files = "file://localhost/x file:/y - z"
    options = parse(f"{files} --base file:///a%20b --view file:/v".split())
    assert (options.files, options.base, options.view) == (["/x", "/y", "-", "z"], ["/a b"], "/v")
    options = parse(["annotate", "file:///x", "f", "--with", "file:///y", "-I", "file:///src"])
    assert (options.files, options.words, options.include) == (["/x", "/y"], ["f"], ["/src"])


@pytest.mark.parametrize(
    ("line", "base", "files"),
    [
        ("compare old new", ["old"], ["new"]),
        ("gate new --strict", [], ["new"]),
        ("compare --base a1 b1 --base a2 b2 b3", ["a1", "a2"], ["b1", "b2", "b3"]),
    ],
)
def test_sides_of_a_comparison(line: str, base: list[str], files: list[str]) -> None:
    """They are two words; a side of several files is told apart by `--base`."""
    options = parse(line.split())
    assert (options.base, options.files) == (base, files)


def test_a_file_that_is_called_as_a_task_is_named_by_its_path() -> None:
    """The first word is a task if it is one, and only the first."""
    assert parse(["./report"]).task == parse(["x.out", "report"]).task == "window"


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("report a -o costs.csv", "csv"),
        ("report a -o PAGE.HTML.gz", "html"),
        ("report a -o costs.csv --format json", "json"),
        ("report a -o costs.md", "text"),
        ("report a -o v1.2", "text"),
        ("compare a b -o change.md", "markdown"),
        ("gate a -o rules.txt --strict", "rules"),
    ],
)
def test_the_form_is_that_of_the_ending(line: str, form: str) -> None:
    """Unless `--format` chooses another, or the task has no such form."""
    assert parse(line.split()).format == form
