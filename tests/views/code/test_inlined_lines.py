"""Groups of inlined lines: closing one shows the sum of its costs at the line above."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.code_lines import NO_LINES
from qcachegrind_py.present.code_records import inline_groups
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.views.code.code_model import CodeModel
from tests.profile_text import dump_rows
from tests.views.code.test_source_listing import costs_of, model_of, queries_for, texts_of

DESCENDING = Qt.SortOrder.DescendingOrder
LINE, SELF, SELF2, INCL, INCL2, CALLS, JUMPS, TEXT = 0, 1, 2, 5, 6, 9, 10, 11
# b.h is inlined into lines 2 and 5; in line 5 it calls g
INLINED = """
    events: Ir Dr
    fl=a.c
    fn=f
    1 1 1
    2 10 4
    jcnd=3/4 5
    2
    fi=b.h
    7 20 8
    8 30 2
    jfi=a.c
    jump=2 2
    8
    fe=a.c
    3 2 1
    5 5 5
    fi=c.h
    1 40 4
    cfn=g
    calls=6 1
    1 100 10
    jfi=a.c
    jcnd=3/4 3
    1
    fe=a.c
    6 1 1
    fl=g.c
    fn=g
    1 100 10
    """
TEXTS = {"a.c": [f"text {line}" for line in range(1, 7)], "b.h": [f"in b {n}" for n in range(1, 9)]}


def model_in_f(queries: ProfileQueries | None = None, **options: Any) -> CodeModel:
    return model_of(queries or queries_for(INLINED), TEXTS, **options)


def record_of(model: CodeModel, location: str) -> int:
    """The record of a line."""
    records = model.listing.rows.records.record_of_location.tolist()
    return next(record for record in records if texts_of(model).location(record) == location)


def jumps(model: CodeModel) -> list[tuple[str, str]]:
    """The ends of the arrows that are drawn."""
    _, lanes = model.listing.jumps
    ends = zip(lanes.source.tolist(), lanes.target.tolist(), strict=True)
    return [
        (texts_of(model).location(source), texts_of(model).location(target))
        for source, target in ends
    ]


def test_a_group_is_closed_and_opened(qapp: object) -> None:
    """Closed, a line shows the cost and calls of all its inlined lines; arrows lead from there."""
    model = model_in_f()
    opened = dump_rows(model, LINE, SELF, INCL, CALLS)
    arrows = jumps(model)
    host, inlined = record_of(model, "5"), record_of(model, "c.h:1")
    for record in (record_of(model, "2"), inlined):
        model.set_group_closed(record, closed=True)

    assert opened == [
        "1 | 1 | 1 | ",
        "2 | 10 | 10 | ",
        "b.h:7 | 20 | 20 | ",
        "b.h:8 | 30 | 30 | ",
        "3 | 2 | 2 | ",
        "4 |  |  | ",
        "5 | 5 | 5 | ",
        "c.h:1 | 40 | 140 | 6",
        " |  | 100 | 6",
        "6 | 1 | 1 | ",
    ]
    assert arrows == [("2", "5"), ("b.h:8", "2"), ("c.h:1", "3")]
    assert dump_rows(model, LINE, SELF, INCL, CALLS) == [
        "1 | 1 | 1 | ",
        "2 | 60 | 60 | ",
        "3 | 2 | 2 | ",
        "4 |  |  | ",
        "5 | 45 | 145 | 6",
        "6 | 1 | 1 | ",
    ]
    assert jumps(model) == [("2", "5"), ("5", "3")]  # the one within line 2 is hidden
    assert [model.listing.hidden_text(r) for r in (host, inlined)] == ["1 inlined line", ""]
    assert model.listing.costs.first.inclusive.unit.bar_total == 145
    assert model.listing.costs.first.costliest.tolist()[:2] == [host, record_of(model, "2")]
    assert model.listing.shown_record(inlined) == host

    model.reveal(inlined)
    model.set_group_closed(record_of(model, "2"), closed=False)
    assert dump_rows(model, LINE, SELF, INCL, CALLS) == opened
    assert jumps(model) == arrows


def test_ratios_of_a_group_are_those_of_its_sums(qapp: object) -> None:
    """A closed group shows the ratio of its sums, and a new event shows its sums again."""
    queries = queries_for(INLINED)
    queries.set_user_events([UserEvent("Rate", "", "Dr / Ir")])
    model = model_in_f(queries, event="Rate", second="Ir")
    model.set_group_closed(record_of(model, "2"), closed=True)

    assert dump_rows(model, LINE, SELF, SELF2)[1] == f"2 | {14 / 60:.4f} | 60"
    model.show_costs(costs_of(model.listing.rows, queries, "Dr", "Dr"))
    assert dump_rows(model, LINE, SELF, INCL)[1] == "2 | 14 | 14"


def test_hidden_lines_stay_hidden_in_any_order(qapp: object) -> None:
    """Lines are sorted by the costs they show, and inlined lines remain hidden."""
    model = CodeModel(NO_LINES)
    model_in_f(model=model, hides_inlined=True)
    model.sort(SELF, DESCENDING)
    first = dump_rows(model, LINE, SELF)
    model.set_group_closed(record_of(model, "2"), closed=False)

    assert first == ["2 | 60", "5 | 45", "3 | 2", "1 | 1", "6 | 1", "4 | "]
    assert dump_rows(model, LINE, SELF)[:4] == ["5 | 45", "b.h:8 | 30", "b.h:7 | 20", "2 | 10"]


def test_position_in_a_hidden_line_marks_the_line_above(qapp: object) -> None:
    """What is selected elsewhere is marked where its cost is shown."""
    model = model_in_f()
    host, inlined = record_of(model, "2"), record_of(model, "b.h:7")
    model.set_position(texts_of(model).matches_line(*texts_of(model).line_of(inlined)))
    opened = [model.is_marked(record) for record in (host, inlined)]
    model.set_group_closed(host, closed=True)

    assert opened == [False, True]
    assert model.is_marked(host)
    assert not model.is_marked(record_of(model, "5"))


def test_inlined_lines_lose_the_indentation_they_share(qapp: object) -> None:
    """Lines of one file keep their indentation relative to each other."""
    texts = {"a.c": ["\tfirst"] * 6, "b.h": ["", *["          deep"] * 6, "            deeper"]}
    model = model_of(queries_for(INLINED), texts)
    cut = {
        location: texts_of(model).common_indent(record_of(model, location))
        for location in ("1", "2", "b.h:7", "b.h:8", "c.h:1")
    }

    assert cut == {"1": 0, "2": 0, "b.h:7": 10, "b.h:8": 10, "c.h:1": 0}
    assert (
        texts_of(model).full_text(record_of(model, "b.h:8")) == "            deeper"
    )  # copied as it is


def test_tips_name_the_file_of_inlined_lines(qapp: object) -> None:
    """Names of files may be elided in their column; a closed line says what it hides."""
    model = model_in_f()
    host, inlined = record_of(model, "2"), record_of(model, "b.h:8")
    opened = [
        "<br>".join(model.table.tip(record)) for record in (record_of(model, "4"), host, inlined)
    ]
    model.set_group_closed(host, closed=True)

    assert opened[0] == ""
    assert "inlined" not in opened[1]
    assert "Inlined from b.h:8<br>jumps to 2" in opened[2]
    assert "2 inlined lines<br>jumps to 5: 3 of 4 times" in "<br>".join(model.table.tip(host))


@pytest.mark.slow
@given(st.lists(st.sampled_from(["1", "2", "b.h:7", "5", "c.h:1"]), max_size=6), st.booleans())
def test_visible_costs_always_add_up(toggled: list[str], is_folded: bool) -> None:
    """Whatever is closed, the self costs in sight are those of the function."""
    model = model_in_f()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.fold(is_folded)
    for location in toggled:
        record = record_of(model, location)
        model.set_group_closed(record, closed=not model.listing.is_closed(record))

    assert int(model.listing.costs.first.self_cost.new[model.order].sum()) == 109
    _, lanes = model.listing.jumps
    ends = {*lanes.source.tolist(), *lanes.target.tolist()}
    assert ends <= set(model.order.tolist())


def test_groups_of_hosts() -> None:
    """Only lines with inlined lines below them are hosts."""
    groups = inline_groups(np.array([0, 1, 1, 1, 4, 5, 5], np.int64))

    assert groups.of_location.tolist() == [-1, 0, 0, 0, -1, 1, 1]
    assert (groups.host.tolist(), groups.size.tolist()) == ([1, 5], [2, 1])
    assert groups.is_inlined().tolist() == [False, False, True, True, False, False, True]
