"""The costs of source lines for editors: JSON and LCOV."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

import qcachegrind_py as q
from qcachegrind_py.analysis.filters.expression import NO_FILTER, Filter, parse_filter
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.write.lines import LineReport, write_lcov, write_lines_json
from tests.profile_rows import profile_from
from tests.profile_text import EXAMPLE

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/lines.schema.json").read_text("utf-8"))
DRAWING = """
    events: Ir Dr
    fl=main.c
    fn=main
    3 10 1
    cfn=f
    calls=2 7
    4 60 6
    4 1 0
    fi=inlined.h
    9 5 0
    fe=main.c
    0 2 0
    fn=f
    7 60 6
    8 -1 0
    """


def report(profile: Profile, folder: Path, filter_: Filter = NO_FILTER) -> LineReport:
    """The lines of the measured events; sources are searched for in a folder."""
    queries = ProfileQueries(profile)
    selection = ReportSelection(queries, queries.events.measured, filter=filter_)
    return LineReport(selection, FileSearch(bases=(str(folder),)))


def as_json(report: LineReport) -> dict[str, Any]:
    """The object, which the schema has to allow."""
    stream = io.StringIO()
    write_lines_json(report, stream)
    parsed: dict[str, Any] = json.loads(stream.getvalue())
    Draft202012Validator(SCHEMA).validate(parsed)
    return parsed


def test_lines_have_their_costs_and_those_of_their_calls(tmp_path: Path) -> None:
    """Inlined code counts for the file that it is from; what has no line is counted apart."""
    (tmp_path / "inlined.h").write_text("\n" * 9)
    found = as_json(report(profile_from(DRAWING), tmp_path))
    assert found["totals"] == {"Ir": 77, "Dr": 7}
    assert found["without_line"] == {"Ir": 2, "Dr": 0}
    assert [(file["path"], file["found"]) for file in found["files"]] == [
        ("main.c", None),
        ("inlined.h", str(tmp_path / "inlined.h")),
    ]
    nothing = {"Ir": 0, "Dr": 0}
    assert found["files"][0]["lines"] == [
        {"line": 3, "self": {"Ir": 10, "Dr": 1}, "calls": 0, "called": nothing},
        {"line": 4, "self": {"Ir": 1, "Dr": 0}, "calls": 2, "called": {"Ir": 60, "Dr": 6}},
        {"line": 7, "self": {"Ir": 60, "Dr": 6}, "calls": 0, "called": nothing},
        {"line": 8, "self": {"Ir": -1, "Dr": 0}, "calls": 0, "called": nothing},
    ]


def test_a_filter_chooses_whose_lines_are_written(tmp_path: Path) -> None:
    """Only the lines of the functions that pass are there."""
    found = as_json(report(profile_from(DRAWING), tmp_path, parse_filter("name:=f")))
    lines = [line["line"] for file in found["files"] for line in file["lines"]]
    assert (lines, found["without_line"]) == ([7, 8], {"Ir": 0, "Dr": 0})


def test_the_lines_of_a_real_profile_add_up_to_the_total(tmp_path: Path) -> None:
    """Lines, and costs without one, are all that the profile counts."""
    profile = q.load(EXAMPLE)
    found = as_json(report(profile, tmp_path))
    for event in found["events"]:
        lines = sum(line["self"][event] for file in found["files"] for line in file["lines"])
        row = profile.events.names.index(event)
        assert lines + found["without_line"][event] == int(profile.costs.values[row].sum())


def test_lcov_counts_self_costs(tmp_path: Path) -> None:
    """A line that only calls has 0, and so has a negative cost, which coverage does not know."""
    (tmp_path / "inlined.h").write_text("\n" * 9)
    stream = io.StringIO()
    write_lcov(report(profile_from(DRAWING), tmp_path), stream)
    assert stream.getvalue().splitlines() == [
        "TN:",
        "SF:main.c",
        *("DA:3,10", "DA:4,1", "DA:7,60", "DA:8,0"),
        *("LF:4", "LH:3", "end_of_record"),
        "TN:",
        f"SF:{tmp_path / 'inlined.h'}",
        *("DA:9,5", "LF:1", "LH:1", "end_of_record"),
    ]
