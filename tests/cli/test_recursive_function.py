"""A recursive function has the same costs in its listing, in `--annotate` and in the HTML page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.cli.main import main
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.profile_page import PageOptions, profile_page
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.sources.file_search import FileSearch
from tests.code_programs import lines_of
from tests.present.code_text import code_query, loaded, shown
from tests.profile_rows import RECURSIVE, text_bytes

Costs = dict[str, tuple[int, int]]  # self and inclusive cost of each line or address with cost

BY_LINE = {"3": (10, 10), "4": (7, 27)}  # computed by hand
BY_ADDRESS = {"20": (10, 10), "24": (7, 27)}
CALLS = [("f", "(cycle)"), ("g", "(cycle)"), ("leaf", "20")]


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """The recursive program with its source beside it."""
    (tmp_path / "a.c").write_text(lines_of(12))
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(text_bytes(RECURSIVE))
    return path


def listed(kind: str, profile: Path, scope: Scope) -> tuple[Costs, list[tuple[str, str]]]:
    """The costs of the lines or instructions of f, and the called functions with theirs."""
    rows = [
        row.split(" | ") for row in shown(loaded(kind, code_query(profile, "f", scope=scope))[1])
    ]
    costs = {row[0]: (int(row[1]), int(row[2])) for row in rows if row[0] and row[1]}
    return costs, [(row[4].split()[0], row[2]) for row in rows if not row[0].strip()]


def printed(capfd: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The command's output for f."""
    assert main(["annotate", *map(str, arguments)]) == 0
    return capfd.readouterr().out


def costs_in_json(text: str) -> Costs:
    lines = json.loads(text)["lines"]
    return {str(row["line"]): (row["self"]["Ir"], row["inclusive"]["Ir"]) for row in lines}


def costs_in_table(text: str, place: int) -> Costs:
    """The costs in tab-separated values; `place` is the column of the line or address."""
    title, *table = (row.split("\t") for row in text.splitlines())
    self_cost, inclusive = title.index("self"), title.index("inclusive")
    return {
        row[place].removeprefix("0x"): (int(row[self_cost]), int(row[inclusive])) for row in table
    }


def costs_in_text(text: str) -> Costs:
    """The costs in the text report: location, self cost, percentage, inclusive cost."""
    cells = (row.split() for row in text.split("\n\n", 1)[1].splitlines())
    return {
        row[0].removeprefix("0x"): (int(row[1]), int(row[3]))
        for row in cells
        if len(row) > 3 and row[1].isdecimal()
    }


def calls_in_text(text: str) -> list[tuple[str, str]]:
    """The called functions with their inclusive costs."""
    cells = (row.split() for row in text.splitlines() if "→" in row)
    return [(row[2], row[0]) for row in cells]


def costs_in_page(profile: Path, scope: Scope) -> Costs:
    """The lines of f in the HTML page."""
    queries = ProfileQueries(load(profile))
    options = replace(PageOptions(queries.events.measured[0]), scope=scope)
    search = FileSearch(bases=(str(profile.parent),))
    page = profile_page(NoProgress(), queries, search, options)
    details = next(each for each in page.sections if each.key == "details")
    articles = details.blocks[0].articles
    (found,) = (each for each in articles if each.name.name.startswith("f"))
    return {
        str(line.numbers[0]): line.costs
        for excerpt in found.excerpts
        for line in excerpt.lines
        if line.costs[0]
    }


def test_lines_cost_the_same_everywhere(profile: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A call to the function itself, or back into its cycle, adds nothing to its line."""
    text = printed(capfd, profile, "f")

    assert listed("source", profile, Scope()) == (BY_LINE, CALLS)
    assert costs_in_json(printed(capfd, profile, "f", "--format", "json")) == BY_LINE
    assert costs_in_table(printed(capfd, profile, "f", "--format", "tsv"), 1) == BY_LINE
    assert costs_in_text(text) == BY_LINE
    assert costs_in_page(profile, Scope()) == BY_LINE
    assert calls_in_text(text) == CALLS


def test_instructions_cost_the_same_everywhere(
    profile: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The same for instructions; the JSON lists their calls as recorded."""
    text = printed(capfd, profile, "f", "--asm")
    report = json.loads(printed(capfd, profile, "f", "--format", "json", "--asm"))

    assert listed("assembler", profile, Scope()) == (BY_ADDRESS, CALLS)
    assert costs_in_table(printed(capfd, profile, "f", "--format", "tsv", "--asm"), 0) == BY_ADDRESS
    assert costs_in_text(text) == BY_ADDRESS
    assert calls_in_text(text) == CALLS
    assert [
        [(call["function"], call["inclusive"]) for call in row["calls"]]
        for row in report["instructions"]
    ] == [[("f", {"Ir": 50})], [("g", {"Ir": 30}), ("leaf", {"Ir": 20})]]


def test_listing_and_page_without_cycles(profile: Path) -> None:
    """With cycle detection off, only calls to the function itself add nothing."""
    scope = Scope(cycles=False)
    costs = {"3": (10, 10), "4": (7, 57)}
    assert listed("source", profile, scope)[0] == costs_in_page(profile, scope) == costs
