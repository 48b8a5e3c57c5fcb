"""The contract of the writers: one table with cells of all kinds, as each of them writes it."""

from __future__ import annotations

import io
import json
from functools import partial
from typing import Any, Literal

import numpy as np
import pytest

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.call_report import calls_page, paths_page
from qcachegrind_py.present.exact import (
    ExactCells,
    FullNameCells,
    PhraseCells,
    ShareCells,
    ValueCells,
    call_cells,
    truths,
)
from qcachegrind_py.present.function_report import function_listing
from qcachegrind_py.present.page import Facts, Grid, Listing, Page, Records
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.present.table import Column, Table
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.write.json_rows import write_records
from qcachegrind_py.write.separated import write_table
from qcachegrind_py.write.text import PLAIN_TEXT, TextLayout, write_page
from tests.profile_rows import profile_from
from tests.profile_text import profile_text

LARGE = (1 << 63) - 1
NAMES = [
    ("main", "/src/main.c", "/bin/app"),
    ("=f\t(int)\x1b[31m", "/src/f.c", "/bin/app"),
    ("<cycle 1> (2 members)", "", ""),
    ("caf\udce9", "", ""),
]


def of(items: list[Any], rows: Int64Array) -> list[Any]:
    """These items, as cells look them up."""
    return [items[row] for row in rows.tolist()]


ABSENT = np.array([False, False, True, False])
COSTS = ExactCells(
    np.array([LARGE, -1250, 7, 0]),
    total=LARGE,
    is_estimate=np.array([False, True, False, False]),
    is_absent=ABSENT,
    absent="(cycle)",
)
RATIOS = ExactCells(np.array([0.5, np.nan, np.inf, 12345.678]))
BOTH = PhraseCells(np.array([1, 0, 2, 0]), phrases=partial(of, ["3 → 4", "new", "gone", ""]))
COUNTS = np.array([3, 0, 12_345, 0])
CALLED = call_cells(COUNTS, is_known=True, is_active=np.array([False, True, False, False]))
UNKNOWN = call_cells(COUNTS, is_known=False)
LOOKED_UP = FullNameCells(partial(of, NAMES))
WORDS = ValueCells(partial(of, ["a,b", '"', "@x", "line\nend"]))
KINDS = {
    "cost": COSTS,
    "share": ShareCells(COSTS, 2),
    "ratio": RATIOS,
    "both": BOTH,
    "called": CALLED,
    "unknown": UNKNOWN,
    "words": WORDS,
    "name": LOOKED_UP,
}


def table(*keys: str) -> Table:
    """A table of cells of these kinds; costs have a title in common, and the first row a note."""
    columns = tuple(
        Column(key, key.capitalize(), "", KINDS[key], group="Ir" * (key in ("cost", "ratio")))
        for key in keys
    )
    return Table(
        columns,
        4,
        mark=lambda row: "≈, new\x07" if row == 1 else "",
        sign=lambda row: "> " if row == 1 else "",
        note=lambda row: "why" if row == 0 else "",
    )


SHOWN = table("cost", "ratio", "both", "called", "unknown", "name")
ROWS = np.arange(4)


@pytest.mark.parametrize("layout", [PLAIN_TEXT, TextLayout(110, is_colored=True)])
def test_text(layout: TextLayout) -> None:
    """Numbers stand on the right, names at the end, with a sign, a mark and a note.

    On a terminal hot costs are bold, and a location gives way where the line is full.
    """
    stream = io.StringIO()
    write_page(Page((Listing(SHOWN, ROWS, "Costs", frozenset([0, 2])),)), stream, layout)
    place = "" if layout.width else " (/bin/app: /src/f.c)"
    bold, end = ("\x1b[1m", "\x1b[0m") if layout.is_colored else ("", "")
    assert stream.getvalue() == (
        f"""Costs
Ir
                      Cost       %   Ratio   Both    Called   Unknown  Name

{bold} 9,223,372,036,854,775,807  100.00{end}  0.5000  3 → 4         3         –  main (/bin/app: /src/main.c)
                                                                         why
                   ≈−1,250    0.00       –    new  (active)         –  > =f\\x09(int)\\x1b[31m{place} [≈, new\\x07]

                   (cycle)               ∞   gone    12,345         –  <cycle 1> (2 members)
                         0    0.00  12,346                0         –  caf\\xe9
"""  # noqa: E501 -- lines of the report
    )


def test_blocks_of_a_page() -> None:
    """An empty line is between blocks; values wrap, and columns of texts align."""
    facts = Facts((("Key", "a b c d e f g h"), ("Key", "i"), ("Longer", "j")))
    page = Page((facts, Grid(("Total", "New"), (("数", "1"), ("Ir", "1,000")))))
    stream = io.StringIO()
    write_page(page, stream, TextLayout(24, is_colored=False))
    assert stream.getvalue().splitlines() == [
        *("Key:    a b c d e f g h", "        i", "Longer: j", ""),
        *("Total    New", "数         1", "Ir     1,000"),
    ]


@pytest.mark.parametrize("form", ["tsv", "csv"])
def test_tsv_and_csv(form: Literal["tsv", "csv"]) -> None:
    """What is unknown is empty, and no text breaks a cell, or is a formula."""
    stream = io.StringIO()
    write_table(Listing(table(*KINDS), ROWS[::-1]), form, stream)
    quote, f, x = ('"', "=f", "@x") if form == "tsv" else ('""""', "'=f", "'@x")
    words = "a,b" if form == "tsv" else '"a,b"'
    lines = [
        "Cost|Share|Ratio|Both|Called|Unknown|Words|Name",
        "0|0.00|12345.678|0|0||line\\x0aend|caf\\xe9",
        f"|||2|12345||{x}|<cycle 1> (2 members)",
        f"-1250|-0.00||0|||{quote}|{f}\\x09(int)\\x1b[31m",
        f"{LARGE}|100.00|0.5|1|3||{words}|main",
    ]
    gap, end = ("\t", "\n") if form == "tsv" else (",", "\r\n")
    assert stream.getvalue() == "".join(line.replace("|", gap) + end for line in lines)


def test_json() -> None:
    """Members are in order, numbers exact, null is what is unknown, and text is ASCII."""
    record = {
        **{kind: KINDS[kind] for kind in ("cost", "both", "called", "name")},
        "share": ShareCells(COSTS),
        "pair": [COSTS, RATIOS],
        "100 %": {"is absent": truths(ABSENT)},
    }
    some = ValueCells(lambda rows: [{"row": rows.tolist()}])
    lists = {"rows": (record, ROWS), "some": (some, ROWS[:2]), "none": (record, ROWS[:0])}
    stream = io.StringIO()
    write_records(Records({"a": 1}, lists, {"end": None}), stream)
    columns = [
        *((LARGE, -1250, None, 0), (1, 0, 2, 0), (3, None, 12_345, 0)),
        ("main", "=f\t(int)\x1b[31m", "<cycle 1> (2 members)", "caf\\xe9"),
        *((100.0, 100 * -1250 / LARGE, None, 0.0), (0.5, None, None, 12345.678), ABSENT.tolist()),
    ]
    wanted = {
        "a": 1,
        "rows": [
            {
                **{"cost": cost, "both": both, "called": called, "name": name, "share": share},
                **{"pair": [cost, ratio], "100 %": {"is absent": is_absent}},
            }
            for cost, both, called, name, share, ratio, is_absent in zip(*columns, strict=True)
        ],
        **{"some": [{"row": [0]}, {"row": [1]}], "none": [], "end": None},
    }
    assert stream.getvalue() == json.dumps(wanted) + "\n"


def test_a_report_without_events() -> None:
    """Where nothing was measured, calls have counts and no costs, and no caller is costlier."""
    text = profile_text("main@a.c@app 5 -> h 0x7, f 2x9\nh@a.c@app 7\nf@a.c@app 9")
    selection = ReportSelection(ProfileQueries(profile_from(text)), ())
    h = selection.queries.names.with_name("h")
    for page, lines in (
        (calls_page, ["", "(active)  < main (app: a.c)", "(active)  * h (app: a.c)"]),
        (paths_page, ["", "          h (app: a.c)"]),
    ):
        stream = io.StringIO()
        write_page(page(selection, h), stream)
        assert stream.getvalue().splitlines()[1:] == lines
    stream = io.StringIO()
    write_table(function_listing(selection), "tsv", stream)
    assert stream.getvalue().splitlines()[1] == "0\t0\t0\t0\tmain\ta.c\tapp"
