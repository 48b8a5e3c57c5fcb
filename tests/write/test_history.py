"""Histories as text, tables, JSON and a page."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from qcachegrind_py.present.history import HISTORY_KEYS, history_page, history_table
from qcachegrind_py.write.history import (
    ASCII,
    BLOCKS,
    characters_for,
    sparkline,
    write_json,
    write_text,
)
from qcachegrind_py.write.separated import write_table
from tests.write.drawn_history import report_of
from tests.write.html_page import HtmlPage

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/history.schema.json").read_text("utf-8"))


def test_text() -> None:
    """Total, steps with the functions that make them, and functions with a small chart each."""
    stream = io.StringIO()
    write_text(report_of(), stream)
    assert stream.getvalue().splitlines() == [
        "History  8 revisions, v0 to v7",
        "Total    1,100 → 1,640 Ir: +540, +49.09 %",
        "         ▁▁▁▇████",
        "",
        "Largest steps of self costs in Ir",
        "v3  +500",
        "  +500  sort (app: /s/sort.c)",
        "v4  +40",
        "  +40  load (libio.so: /s/load.c)",
        "",
        "Self cost in Ir",
        "Trend         %  Largest step  Range  Newest  In  History   Function",
        " +500  +50.00 %          +500    500   1,500  v3  ▁▁▁█████  sort (app: /s/sort.c)",
        "  +40                     +40     40      40  v4      ▁▁▁▁  load (libio.so: /s/load.c)"
        " [new in v4]",
        "    0                              0     100      ▁▁▁▁▁▁▁▁  main (app: /s/main.c)",
    ]


def test_inclusive_costs_in_ascii() -> None:
    """The order may be that of inclusive costs; steps are those of self costs nevertheless."""
    stream = io.StringIO()
    write_text(report_of("spread", "inclusive", 2), stream, characters=ASCII)
    lines = stream.getvalue().splitlines()
    assert lines[5:9] == [
        "v3  +500", "  +500  sort (app: /s/sort.c)", "v4  +40", "  +40  load (libio.so: /s/load.c)",
    ]  # fmt: skip
    assert lines[10:] == [
        "Inclusive cost in Ir",
        "Trend         %  Largest step  Range  Newest  In  History   Function",
        " +500  +45.45 %          +500    500   1,600  v3  ___#####  main (app: /s/main.c)",
        " +500  +50.00 %          +500    500   1,500  v3  ___#####  sort (app: /s/sort.c)",
    ]


def test_families() -> None:
    """They bear their own name and say of how many functions they are, as in a comparison."""
    report = report_of()
    report.history.members[:] = [1, 3, 2]
    stream = io.StringIO()
    write_text(report, stream)
    assert [line.partition(")")[2] for line in stream.getvalue().splitlines()[-3:]] == [
        " [family of 3]", " [family of 2, new in v4]", ""
    ]  # fmt: skip


@pytest.mark.parametrize("key", HISTORY_KEYS)
def test_orders(key: str) -> None:
    """The largest change comes first, whatever its sign."""
    report = report_of(key)
    assert [report.names[row][0] for row in report.functions.tolist()] == ["sort", "load", "main"]


def test_tables() -> None:
    """Costs have a column for each revision, which is empty where the function is missing."""
    stream = io.StringIO()
    write_table(history_table(report_of()), "csv", stream)
    assert stream.getvalue().split("\r\n") == [
        "trend,largest step,step in,spread,name,file,object,v0,v1,v2,v3,v4,v5,v6,v7",
        "500,500,v3,500,sort,/s/sort.c,app,1000,1000,1000,1500,1500,1500,1500,1500",
        "40,40,v4,40,load,/s/load.c,libio.so,,,,,40,40,40,40",
        "0,0,,0,main,/s/main.c,app,100,100,100,100,100,100,100,100",
        "",
    ]


def test_sparklines() -> None:
    """A line has at most 24 characters; blanks are revisions without the function."""
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7], [True] * 8) == BLOCKS
    assert sparkline([5, 5], [True, True]) == "▁▁"
    assert sparkline([0, 3, 9], [False, True, True]) == " ▁█"
    assert sparkline([0, 0], [False, False]) == "  "
    assert sparkline([2**62, -(2**62)], [True, True]) == "█▁"
    assert sparkline([1] * 500 + [2] * 500, [True] * 1000) == "▁" * 12 + "█" * 12


@pytest.mark.parametrize(
    ("encoding", "characters"),
    [("utf-8", BLOCKS), ("cp437", ASCII), ("ascii", ASCII), ("nonsense", ASCII), (None, ASCII)],
)
def test_characters_of_an_encoding(encoding: str | None, characters: str) -> None:
    """Where an encoding lacks blocks, ASCII takes their place."""
    assert characters_for(encoding) == characters


def test_json() -> None:
    """All numbers of a revision are at its place; the schema allows the object."""
    Draft202012Validator.check_schema(SCHEMA)
    stream = io.StringIO()
    write_json(report_of("step", limit=1), stream)
    value = json.loads(stream.getvalue())
    Draft202012Validator(SCHEMA).validate(value)
    sort = {"name": "sort", "file": "/s/sort.c", "object": "app"}
    load = {"name": "load", "file": "/s/load.c", "object": "libio.so"}
    assert value == {
        "labels": [f"v{number}" for number in range(8)],
        "files": [f"/p/v{number}.out" for number in range(8)],
        "events": ["Ir", "Dr"],
        "event": "Ir",
        "totals": [1100, 1100, 1100, 1600, 1640, 1640, 1640, 1640],
        "steps": [
            {"revision": 3, "change": 500, "functions": [{**sort, "change": 500}]},
            {"revision": 4, "change": 40, "functions": [{**load, "change": 40}]},
        ],
        "functions": [
            {
                **sort,
                "members": 1,
                "trend": 500,
                "largest_step": 500,
                "step_revision": 3,
                "spread": 500,
                "self": [1000, 1000, 1000, 1500, 1500, 1500, 1500, 1500],
                "inclusive": [1000, 1000, 1000, 1500, 1500, 1500, 1500, 1500],
                "called": [2] * 8,
                "present": [True] * 8,
            }
        ],
    }


def test_the_page() -> None:
    """The total with its labels and steps, the steps with their functions, and the functions."""
    page = HtmlPage(history_page(report_of(limit=2)))
    assert page.sections[""] == [
        *("History: v0 → v7", "Revisions", "8", "Event", "Ir"),
        *("Total", "1 100 → 1 640: +540, +49.09 %"),
    ]
    assert page.sections["total"] == [
        "Total", "Total of Ir in 8 revisions", "1 100", "1 370", "1 640",
        "v7", "v6", "v5", "v4", "v3", "v2", "v1", "v0", "v3: +500", "v4: +40",
    ]  # fmt: skip
    assert page.sections["steps"] == [
        "Largest steps of self costs", "v3", "+500", "+500", "sort", "v4", "+40", "+40", "load",
    ]  # fmt: skip
    assert page.rows["functions"] == [
        ["Trend", "%", "Largest step", "Range", "Newest", "Step in", "Function", "File", "Object"],
        ["+500", "+50.00 %", "+500", "500", "1 500", "v3", "sort", "sort.c", "app"],
        ["+40", "", "+40", "40", "40", "v4", "load new in v4", "load.c", "libio.so"],
    ]
    assert page.data["rows"] == [[500, 0.5, 500, 500, 1500], [40, None, 40, 40, 40]]
    assert page.sections["functions"][:2] == [
        "Self cost in Ir",
        "The first 2 of 3 functions; the others are not in this file.",
    ]
    lines = [line for line, kind in page.all("path", "d", "class") if kind == "line"]
    assert [point.split()[1] for point in lines[0][1:].split("L")] == [
        "206", "206", "206", "35.6", "22", "22", "22", "22",
    ]  # fmt: skip
    assert [line.count("L") for line in lines[1:]] == [7, 3]  # load is in the last four


def test_a_page_of_one_revision() -> None:
    """A single revision has a chart, no steps, and a title of its own."""
    page = HtmlPage(history_page(report_of(count=1)))
    assert page.sections[""][0] == "History: v0"
    assert len(page.all("svg", "viewbox")) == 3  # the total, main and sort
    assert page.sections["steps"][1:] == ["No function steps beyond its noise."]
