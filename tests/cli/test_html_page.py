"""The command's HTML page, and its tables as CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape
from pathlib import Path

import pytest

from qcachegrind_py.cli.main import main
from tests.profile_text import EXAMPLE, THIN

HOSTILE = """events: Ir
ob=+prog
fl=a,b.c
fn=main
1 10
cfn==cmd|' /C calc'!A0
calls=1 1
1 30
fn==cmd|' /C calc'!A0
1 30
fn=-[NSObject "init"]
1 -5
fn=\x1b[2Jx
1 1
"""


def printed(capfd: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == 0
    return capfd.readouterr().out


def numbers(page: str) -> list[tuple[int, int, int]]:
    """Inclusive and self cost and calls of the rows of the function table."""
    table = page.partition('<table id="table">')[2].partition("</table>")[0]
    rows = re.findall(r"<tr.*?</tr>", table.partition("<tbody>")[2])
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]
    return [tuple(int(row[n].replace(THIN, "")) for n in (0, 2, 4)) for row in cells]  # type: ignore[misc]


def test_page_has_the_numbers_of_the_json_report(capfd: pytest.CaptureFixture[str]) -> None:
    """The same functions are in the same order at the same costs, for the requested event."""
    page = printed(capfd, "report", EXAMPLE, "--format", "html", "--event", "Dr")
    report = json.loads(printed(capfd, "report", EXAMPLE, "--format", "json", "--event", "Dr"))
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    names = [event["name"] for event in data["events"]]

    wanted = [(f["inclusive"]["Dr"], f["self"]["Dr"], f["called"]) for f in report["functions"]]
    assert numbers(page) == wanted
    assert names[data["event"]] == "Dr"
    assert [
        [called, inclusive[: len(report["events"])], own[: len(report["events"])]]
        for called, inclusive, own in data["functions"]
    ] == [
        [f["called"], [*f["inclusive"].values()], [*f["self"].values()]]
        for f in report["functions"]
    ]


def test_page_shows_readable_names_and_sources(capfd: pytest.CaptureFixture[str]) -> None:
    """Names are demangled, and sources found beside the profile are included."""
    page = unescape(printed(capfd, "report", EXAMPLE, "--format", "html"))

    assert "std::vector<int, std::allocator<int> >" in page
    assert "static __attribute__((noinline)) int thrower(int i) { if (i % 5 == 0) throw" in page


def test_length_of_the_page_is_limited(capfd: pytest.CaptureFixture[str]) -> None:
    """A limit cuts the table, and the sort order decides what is kept."""
    page = printed(capfd, "report", EXAMPLE, "--format", "html", "--limit", "3", "--sort", "called")
    report = json.loads(printed(capfd, "report", EXAMPLE, "--format", "json", "--sort", "called"))

    wanted = [(f["inclusive"]["Ir"], f["self"]["Ir"], f["called"]) for f in report["functions"][:3]]
    assert numbers(page) == wanted
    assert "The 3 of 430 functions that are called most often" in page


def test_csv_is_read_back_and_runs_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Quotes and commas follow the RFC; a cell that a spreadsheet would run has an apostrophe."""
    path = tmp_path / "callgrind.out.1"
    path.write_text(HOSTILE)
    out = printed(capfd, "report", path, "--format", "csv")

    assert out.endswith("\r\n")
    assert list(csv.reader(io.StringIO(out, newline=""))) == [
        ["inclusive", "self", "called", "cycle", "name", "file", "object"],
        ["40", "10", "0", "0", "main", "a,b.c", "'+prog"],
        ["30", "30", "1", "0", "'=cmd|' /C calc'!A0", "a,b.c", "'+prog"],
        ["1", "1", "0", "0", r"\x1b[2Jx", "a,b.c", "'+prog"],
        ["-5", "-5", "0", "0", '\'-[NSObject "init"]', "a,b.c", "'+prog"],
    ]


def test_annotation_as_csv(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The lines of one function can be printed as CSV, too."""
    path = tmp_path / "callgrind.out.1"
    path.write_text("events: Ir\nfl=a.c\nfn=main\n2 10\n3 5\n")
    (tmp_path / "a.c").write_text('int main() {\n  f(1, "x");\n-1;\n}\n')
    out = printed(capfd, "annotate", path, "main", "--format", "csv")

    assert list(csv.reader(io.StringIO(out, newline=""))) == [
        ["file", "line", "self", "inclusive", "text"],
        ["a.c", "2", "10", "10", '  f(1, "x");'],
        ["a.c", "3", "5", "5", "'-1;"],
    ]
