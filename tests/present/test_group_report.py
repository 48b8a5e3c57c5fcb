"""Totals by source file, object and class."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

import pytest

from qcachegrind_py.analysis.filters.expression import parse_filter, parse_folds
from qcachegrind_py.analysis.queries import ProfileQueries, with_folds
from qcachegrind_py.present.group_report import By, GroupTotals
from qcachegrind_py.present.selection import Order, ReportSelection
from qcachegrind_py.write.json_rows import write_records
from qcachegrind_py.write.separated import write_table
from qcachegrind_py.write.text import TextLayout, write_page
from tests.profile_rows import profile_from

PROFILE = """
    events: Ir Dw
    summary: 200 8
    ob=prog
    fl=/src/a.c
    fn=main
    1 10
    cfn=Tree::grow
    calls=1 1
    1 90 8
    fl=/src/tree.c
    fn=Tree::grow
    5 50 4
    fn=Tree::cut
    9 30 0
    ob=libc
    fl=???
    fn=memcpy
    0 60 4
    """


def totals(by: By, fold: str = "", **choices: Any) -> GroupTotals:
    queries: ProfileQueries = ProfileQueries(profile_from(PROFILE))
    queries = with_folds(queries, parse_folds(fold)) if fold else queries
    events = choices.pop("events", queries.events.measured)
    return GroupTotals(ReportSelection(queries, events, **choices), by)


def rows(by: By, fold: str = "", **choices: Any) -> list[str]:
    """The groups with their self costs in Ir and their functions."""
    found = totals(by, fold, **choices)
    numbers = found.measured[0].tolist(), found.functions.tolist()
    return [f"{found.groups.names[row]} {numbers[0][row]} {numbers[1][row]}" for row in found.rows]


def ordered(key: Any, event: str) -> Order:
    return Order(key, profile_from(PROFILE).events.find(event))


@pytest.mark.parametrize(
    ("by", "choices", "groups"),
    [
        ("file", {}, ["/src/tree.c 80 2", "??? 60 1", "/src/a.c 10 1"]),
        ("object", {}, ["prog 90 3", "libc 60 1"]),
        ("class", {}, ["Tree 80 2", "(global) 70 2"]),
        ("file", {"order": Order("name")}, ["/src/a.c 10 1", "/src/tree.c 80 2", "??? 60 1"]),
        (
            "file",
            {"order": ordered("self", "Dw")},
            ["/src/tree.c 80 2", "??? 60 1", "/src/a.c 10 1"],
        ),
        ("file", {"limit": 1}, ["/src/tree.c 80 2"]),
        ("file", {"threshold": Fraction(41)}, ["/src/tree.c 80 2", "??? 60 1"]),
        ("file", {"filter": parse_filter("name:cut")}, ["/src/tree.c 30 1"]),
        ("file", {"filter": parse_filter("name:nobody")}, []),
        ("object", {"fold": "Tree::grow"}, ["prog 90 2", "libc 60 1"]),
    ],
)
def test_groups(by: By, choices: dict[str, Any], groups: list[str]) -> None:
    """Self costs of the functions that pass the filter, and are not folded; costliest first."""
    assert rows(by, **choices) == groups


def test_text() -> None:
    """Costs in each event, the share so far of the first, and how many functions there are."""
    stream = io.StringIO()
    write_page(totals("file").page(), stream, TextLayout(60, False))
    assert (
        stream.getvalue().partition("\n\n")[2]
        == """\
Ir                     Dw
 Self       %  Cum. %   Self       %  Functions  File
   80   40.00   40.00      4   50.00          2  /src/tree.c
   60   30.00   70.00      4   50.00          1  ???
   10    5.00   75.00      0    0.00          1  /src/a.c
"""
    )


def test_tables_and_json() -> None:
    """Exact numbers below the titles of the function table; JSON has its head and its end."""
    stream = io.StringIO()
    write_table(totals("object").listing(), "csv", stream)
    assert stream.getvalue().splitlines() == [
        "self Ir,self Dw,functions,object",
        "90,4,3,prog",
        "60,4,1,libc",
    ]
    records = totals("object").records()
    stream = io.StringIO()
    write_records(records, stream)
    group = '{"object": "prog", "functions": 3, "self": {"Ir": 90, "Dw": 4}}'
    assert f'"by": "object", "groups": [{group}, ' in stream.getvalue()
    assert list(records.after) == ["diagnostics", "diagnostic_count"]
