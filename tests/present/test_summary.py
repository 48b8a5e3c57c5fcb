"""The first answer about a profile: what it says, where it leads, and what it leaves out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.summary import Lead, summarize, summary_text
from tests.compared_graphs import BASE, NEW
from tests.present.table_text import compared_query
from tests.profile_text import THIN, queries_for, view_query

PROGRAM = """
    events: Ir
    main@m.c@/bin/app 100 -> work 2x900
    work@w.c@/bin/app 200 -> copy 9x400, find 3x300
    copy@c.S@/lib/libc.so.6 400
    find@f.c@/usr/lib/libfind.so 300
    """


def said(text: str) -> str:
    """A line without thin spaces."""
    return text.replace(THIN, " ")


def test_what_is_hottest_and_where(tmp_path: Path) -> None:
    """The hottest function with its costliest caller, and the share of shared libraries."""
    remarks = summarize(view_query(queries_for(tmp_path, PROGRAM)))

    assert said(summary_text(remarks)) == (
        "Hottest: copy 40.0 % ← work · 70 % in libraries (libc 40 %)"
    )
    assert [(remark.lead, remark.to) for remark in remarks] == [
        (Lead.FUNCTION, 2),
        (Lead.FUNCTION, 1),
        (Lead.OBJECT, "/lib/libc.so.6"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("main 7", "Hottest: main 100.0 %"),
        ("f@a.c@libx.so 999\nmain@a.c@app 1", "Hottest: f 99.9 % · 100 % in libraries (libx)"),
        ("f@a.c@libx.so 1\nmain@a.c@app 999", "Hottest: main 99.9 %"),
        (
            "part: 1\nthread: 1\nf 1\npart: 1\nthread: 2\nf 1",
            "Hottest: f 100.0 % · 50 % in thread 1 of 2",
        ),
        ("part: 1\nf 1\npart: 2\nf 1", "Hottest: f 100.0 % · 2 parts"),
        ("f -5", "Hottest: f −5"),
        ("", ""),
    ],
)
def test_what_there_is_nothing_to_say_of_is_left_out(
    tmp_path: Path, text: str, expected: str
) -> None:
    """Libraries with less than a hundredth, one thread, and shares where there are none."""
    assert said(summary_text(summarize(view_query(queries_for(tmp_path, text))))) == expected


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        (1000, ""),
        (12_000_000, " · 12.0 M of 12.0 M not attributed"),
        (1002, " · 2 of 1 002 not attributed"),
        (900, " · 100 more counted than the 900 recorded"),
    ],
)
def test_recorded_against_attributed(tmp_path: Path, recorded: int, expected: str) -> None:
    """What the profile states beyond its functions, or too little of."""
    path = tmp_path / "callgrind.out.1"
    path.write_text(f"events: Ir\nsummary: {recorded}\nfn=f\n1 1000\n")
    text = said(summary_text(summarize(view_query(ProfileQueries(load(path))))))
    assert text.partition(" %")[2] == expected


def test_the_filter_limits_what_is_hottest(tmp_path: Path) -> None:
    """The strip answers for what is seen: with only one's own code, the hottest of that."""
    query = view_query(queries_for(tmp_path, PROGRAM))
    limited = replace(query, context=replace(query.context, filter=parse_filter("lib:app")))
    assert said(summary_text(summarize(limited))).startswith("Hottest: work 20.0 % ← main")


def test_a_function_is_not_called_by_itself_alone(tmp_path: Path) -> None:
    """The costliest caller of a recursive function is another one, if there is one."""
    drawing = "events: Ir\nmain 1 -> walk 1x99\nwalk 99 -> walk 7x500"
    assert "Hottest: walk 99.0 % ← main" in said(
        summary_text(summarize(view_query(queries_for(tmp_path, drawing))))
    )


def test_what_changed_most(tmp_path: Path) -> None:
    """How the total changed, by which function most, and how many are new and gone."""
    remarks = summarize(compared_query(tmp_path, BASE, NEW))
    assert said(summary_text(remarks)) == (
        "+100.00 % Ir · most from leaf (+95.5 %) · 1 new, 1 gone"
    )
    assert [(remark.lead, remark.to) for remark in remarks[1:]] == [
        (Lead.FUNCTION, 3),
        (Lead.FILTER, "is:new"),
        (Lead.FILTER, "is:gone"),
    ]


def test_a_small_change_is_not_zero(tmp_path: Path) -> None:
    """What changed most never changed by 0.0 %."""
    remarks = summarize(compared_query(tmp_path, "main 100000", "main 99999"))

    assert said(summary_text(remarks)).endswith("most from main (−<0.1 %)")
