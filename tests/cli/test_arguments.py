"""How the command line is read."""

from __future__ import annotations

import pytest
from qcachegrind_py.cli.arguments import parse_options


@pytest.mark.parametrize(
    "line",
    ["a - b --report text", "a --report text - b", "--report text a - b", "a - --report=text b"],
)
def test_files_and_options_come_in_any_order(line: str) -> None:
    """Files may be named before, between and behind options, and keep their order."""
    options = parse_options(line.split())
    assert (options.files, options.report) == (["a", "-", "b"], "text")


def test_a_file_may_begin_with_a_hyphen() -> None:
    """Behind two hyphens, everything is a file."""
    assert parse_options(["--report", "text", "--", "-x", "--report"]).files == ["-x", "--report"]


def test_files_may_be_urls() -> None:
    """All files that are read: profiles, bases, views, programs and folders of sources."""
    files = "file://localhost/x file:/y - z"
    options = parse_options(f"{files} --base file:///a%20b --view file:/v".split())
    assert (options.files, options.base, options.view) == (["/x", "/y", "-", "z"], ["/a b"], "/v")
    options = parse_options(["--annotate", "f", "-I", "file:///src", "file:///x"])
    assert (options.files, options.include) == (["/x"], ["/src"])


@pytest.mark.parametrize("line", ["--nonsense a", "a --report text --nonsense b", "-z a"])
def test_unknown_options_are_refused(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An option that does not exist is no file, wherever it stands."""
    with pytest.raises(SystemExit) as ended:
        parse_options(line.split())
    assert ended.value.code == 2
    assert "unrecognized arguments: -" in capsys.readouterr().err
