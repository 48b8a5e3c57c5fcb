"""All transitive callers and callees, with estimates marked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.table import Role
from qcachegrind_py.models.transitive_calls import TransitiveCallModel
from qcachegrind_py.present.former.cost_format import CostFormat
from tests.profile_text import WHOLE_SCOPE, dump_rows, event_named, queries_for, titles

EXACT = "The cost is exact: it follows from the recorded calls."
ESTIMATED = "≈ is an estimate: only direct calls are recorded."

ABOUT = "≈\N{THIN SPACE}"
ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
SHARED = """
    main@a.c@/bin/prog 10 -> a 2x60, b 1x130, d 1x7
    a 20 -> c 4x100
    b 10 -> a 6x60, d 3x60
    c@c.c@/lib/c.so 100
    d 67
    """


def model_of(
    queries: ProfileQueries,
    name: str,
    *,
    up: bool = False,
    percent: bool = False,
    scope: Scope = WHOLE_SCOPE,
) -> TransitiveCallModel:
    """All callees of a function as a model, or all its callers; percentages are of its cost."""
    event, function = event_named(queries, "Ir"), queries.names.with_name(name)[0]
    ask = queries.transitive_callers if up else queries.transitive_callees
    model = TransitiveCallModel("Caller" if up else "Callee")
    base = queries.inclusive(event, scope)[function].item()
    format_ = CostFormat("Ir", base, percent)
    model.set_calls(queries.labels(scope), ask(function, event, scope), format_)
    return model


def test_model_passes_qt_model_checks(qtmodeltester: Any, tmp_path: Path) -> None:
    """The model passes Qt's consistency checks, even if it is empty."""
    qtmodeltester.check(model_of(queries_for(tmp_path, SHARED), "main"))
    qtmodeltester.check(TransitiveCallModel("Caller"))


def test_all_callees(tmp_path: Path) -> None:
    """Only functions a single call away, and on no other path, are exact; others are marked.

    A self cost is exact if all cost of the function passed here.
    """
    model = model_of(queries_for(tmp_path, SHARED), "main")

    assert titles(model) == ["Incl.", "Self", "Distance", "Called", "Callee", "Location"]
    assert dump_rows(model) == [
        "130 | 10 | 1 | 1 | b | ???",
        f"{ABOUT}120 | {ABOUT}20 | 1–2 | {ABOUT}8 | a | ???",
        f"{ABOUT}100 | {ABOUT}100 | 2–3 | {ABOUT}4 | c | c.so: c.c",
        f"{ABOUT}67 | {ABOUT}67 | 1–2 | {ABOUT}4 | d | ???",
    ]
    assert dump_rows(model, TransitiveCallModel.EXACT) == ["yes", "no", "no", "no"]


def test_all_callers(tmp_path: Path) -> None:
    """Upwards, the costs are the parts of the function's cost that came through each caller."""
    model = model_of(queries_for(tmp_path, SHARED), "c", up=True)

    columns = (
        TransitiveCallModel.INCLUSIVE,
        TransitiveCallModel.DISTANCE,
        TransitiveCallModel.COUNT,
        TransitiveCallModel.NAME,
    )
    assert model.title(TransitiveCallModel.NAME) == "Caller"
    assert sorted(dump_rows(model, *columns)) == [
        "100 | 1 | 4 | a",
        f"{ABOUT}100 | 2–3 | {ABOUT}2 | main",
        f"{ABOUT}50 | 2 | {ABOUT}5 | b",
    ]


def test_self_cost_of_a_part_of_the_cost_is_an_estimate(tmp_path: Path) -> None:
    """If others call the function, too, its self cost on this path is shared in proportion."""
    model = model_of(queries_for(tmp_path, SHARED), "b")

    assert dump_rows(model, 0, TransitiveCallModel.SELF, TransitiveCallModel.NAME) == [
        f"60 | {ABOUT}10 | a",
        f"60 | {ABOUT}60 | d",
        f"{ABOUT}50 | {ABOUT}50 | c",
    ]


def test_percentages_are_of_the_function(tmp_path: Path) -> None:
    """Percentages are of the active function's cost, and marked like other numbers."""
    model = model_of(queries_for(tmp_path, SHARED), "b", percent=True)

    assert titles(model)[:2] == ["Incl. %", "Self %"]
    assert dump_rows(model, 0, TransitiveCallModel.NAME) == [
        "46.15 | a",
        "46.15 | d",
        f"{ABOUT}38.46 | c",
    ]
    assert [model.index(row, 0).data(Role.SHARE) for row in range(3)] == [6 / 13, 6 / 13, 5 / 13]


@pytest.mark.parametrize(
    ("column", "order", "expected"),
    [
        (TransitiveCallModel.DISTANCE, ASCENDING, "badc"),
        (TransitiveCallModel.DISTANCE, DESCENDING, "cadb"),
        (TransitiveCallModel.COUNT, DESCENDING, "acdb"),
        (TransitiveCallModel.NAME, ASCENDING, "abcd"),
        (TransitiveCallModel.SELF, DESCENDING, "cdab"),
    ],
)
def test_rows_are_sorted_by_number_not_by_text(
    tmp_path: Path, column: int, order: Qt.SortOrder, expected: str
) -> None:
    """Marks and ranges sort as numbers: a distance by the shortest path first."""
    model = model_of(queries_for(tmp_path, SHARED), "main")

    model.sort(column, order)

    assert dump_rows(model, TransitiveCallModel.NAME) == list(expected)


def test_distances_of_two_digits_sort_as_numbers(tmp_path: Path) -> None:
    """Ten calls away is further than two."""
    lines = [f"f{n} 1 -> f{n + 1} 1x{12 - n}" for n in range(12)]
    model = model_of(queries_for(tmp_path, "\n".join([*lines, "f12 1"])), "f0")

    model.sort(TransitiveCallModel.DISTANCE, ASCENDING)

    assert dump_rows(model, TransitiveCallModel.DISTANCE) == [str(n) for n in range(1, 13)]


def test_shortest_path_sorts_before_the_longest(tmp_path: Path) -> None:
    """A direct callee is near, however long its other paths are."""
    drawing = "a 1 -> b 1x30, e 1x10\nb 5 -> c 1x25\nc 5 -> d 1x20\nd 5 -> e 1x15\ne 25"
    model = model_of(queries_for(tmp_path, drawing), "a")

    model.sort(TransitiveCallModel.DISTANCE, ASCENDING)

    columns = (TransitiveCallModel.DISTANCE, TransitiveCallModel.NAME)
    assert dump_rows(model, *columns) == ["1 | b", "1–4 | e", "2 | c", "3 | d"]


def test_numbers_for_other_programs_have_no_marks(tmp_path: Path) -> None:
    """Copied costs and counts are whole numbers, usable in a spreadsheet."""
    model = model_of(queries_for(tmp_path, SHARED), "b", percent=True)

    columns = TransitiveCallModel.INCLUSIVE, TransitiveCallModel.SELF, TransitiveCallModel.COUNT
    cells = [[model.plain_text(model.index(row, column)) for column in columns] for row in (0, 2)]

    assert cells == [["60", "10", "6"], ["50", "50", "2"]]


def test_distance_for_other_programs_is_what_is_seen(tmp_path: Path) -> None:
    """A copied distance is the number or range of calls, not its sort key."""
    model = model_of(queries_for(tmp_path, SHARED), "main")

    distances = [
        model.plain_text(model.index(row, TransitiveCallModel.DISTANCE)) for row in range(4)
    ]

    assert distances == ["1", "1–2", "2–3", "1–2"]


def test_cycle_is_one_step_and_its_members_the_next(tmp_path: Path) -> None:
    """On a path through a cycle the cycle is one call, and its members the next."""
    drawing = """
        main 1 -> a 2x55
        a 10 -> b 3x50, leaf 1x5
        b 20 -> a 1x25, leaf 1x20
        leaf 25
        """
    model = model_of(queries_for(tmp_path, drawing), "main")

    model.sort(TransitiveCallModel.DISTANCE, ASCENDING)

    assert dump_rows(model, 0, TransitiveCallModel.DISTANCE, TransitiveCallModel.NAME) == [
        "55 | 1 | <cycle 1>",
        f"{ABOUT}40 | 2 | b <cycle 1>",
        f"{ABOUT}15 | 2 | a <cycle 1>",
        f"{ABOUT}25 | 3 | leaf",
    ]


def test_tooltip_says_what_is_an_estimate(tmp_path: Path) -> None:
    """The tooltip has full names, and tells whether the cost was recorded."""
    model = model_of(queries_for(tmp_path, SHARED), "main")

    tips = [model.index(row, model.NAME).data(Qt.ItemDataRole.ToolTipRole) for row in (0, 2)]

    assert tips == [
        f"<qt>b<br>{EXACT}</qt>",
        f"<qt>c<br>File: c.c<br>Object: /lib/c.so<br>{ESTIMATED}</qt>",
    ]


def test_model_is_cleared(tmp_path: Path) -> None:
    """Clearing removes all rows."""
    model = model_of(queries_for(tmp_path, SHARED), "main")

    model.clear()

    assert (dump_rows(model), model.record_count) == ([], 0)
