"""The frames of call maps and flame graphs as a table: costs, callers, estimates."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt

from qcachegrind_py.analysis.calls.frame_tree import build_frame_tree
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.present.frames import NO_BOXES, Frames, FrameStyle, frame_table
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.views.tables.item_model import Role
from qcachegrind_py.views.tables.table_model import TableModel
from tests.analysis.named_queries import CYCLES, event_named, node_id, queries_from
from tests.columns import BOXES
from tests.profile_text import dump_rows, titles

EXACT = "The cost is exact: it follows from the recorded calls."

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
    text: str, *roots: str, percent: bool = False, short: bool = False, **options: Any
) -> TableModel:
    """The frames below these functions; percentages are of their combined cost."""
    queries = queries_from(text)
    graph = queries.accounted_calls(event_named(queries, "Ir"), CYCLES)
    boxes = build_frame_tree(graph, [node_id(queries, root) for root in roots], **options)
    model = TableModel(NO_BOXES)
    unit = Unit("Ir", int(boxes.cost[0]), percent)
    model.show(frame_table(Frames(boxes, style_of(queries.labels(CYCLES, short=short), unit))))
    return model


def style_of(labels: Labels, unit: Unit) -> FrameStyle:
    return FrameStyle(labels, unit, lambda _node: "", lambda _levels: "")


def test_model_passes_qt_model_checks(qtmodeltester: Any) -> None:
    """The model passes Qt's consistency checks, even if it is empty."""
    qtmodeltester.check(model_of(SHARED, "main"))
    qtmodeltester.check(model_of(SHARED, "a", "d"))
    qtmodeltester.check(TableModel(NO_BOXES))


def test_boxes_are_listed_costliest_first(qapp: object) -> None:
    """A row per box: its cost, the remainder outside inner boxes, its depth and its parent.

    Costs of calls of a function that was not all spent here are marked, as are their remainders.
    """
    model = model_of(SHARED, "main")

    assert titles(model) == ["Incl.", "Self", "Depth", "Function", "Inside", "Location"]
    assert dump_rows(model) == [
        "207 | 10 | 0 | main |  | prog: a.c",
        "130 | 10 | 1 | b | main | ???",
        f"60 | {ABOUT}10 | 1 | a | main | ???",
        f"60 | {ABOUT}10 | 2 | a | b | ???",
        "60 | 60 | 2 | d | b | ???",
        f"{ABOUT}50 | {ABOUT}50 | 2 | c | a | c.so: c.c",
        f"{ABOUT}50 | {ABOUT}50 | 3 | c | a | c.so: c.c",
        "7 | 7 | 1 | d | main | ???",
    ]
    assert dump_rows(model, BOXES.EXACT) == [
        *("yes", "yes", "cost only", "cost only", "yes", "no", "no", "yes")
    ]


def test_box_around_several_functions_is_none_itself(qapp: object) -> None:
    """Several roots share a box of the whole program, which is no function and has no row."""
    model = model_of(SHARED, "a", "d")

    assert dump_rows(model) == [
        "187 |  | 0 | Whole program |  | ",
        "120 | 20 | 1 | a | Whole program | ???",
        "100 | 100 | 2 | c | a | c.so: c.c",
        "67 | 67 | 1 | d | Whole program | ???",
    ]
    top = model.index(0, BOXES.NAME)
    assert (top.data(Role.FUNCTION), model.plain_text(top)) == (-1, "Whole program")
    assert top.data(Qt.ItemDataRole.ToolTipRole) == (f"<qt>Whole program<br>{EXACT}</qt>")


def test_callers_are_boxes_inside(qapp: object) -> None:
    """Upwards, the remainder of a box is the cost that came through no caller of the function."""
    model = model_of("main 5 -> f 1x20\nf 20\nother 1 -> g 1x9\ng 9 -> f 1x0", "f", up=True)

    assert dump_rows(model, 0, 1, BOXES.NAME, BOXES.PARENT) == [
        "20 |  | f | ",
        "20 | 20 | main | f",
    ]


def test_calls_costlier_than_their_caller_are_there_in_part(qapp: object) -> None:
    """f costs 80, of which main has 50: five eighths of its self cost of 10 and of its calls."""
    model = model_of("main 1 -> f 1x50\nf 10 -> g 1x40, h 1x30\ng 40\nh 30", "main")

    assert dump_rows(model, 0, 1, BOXES.NAME) == [
        "51 | 1 | main",
        f"50 | {ABOUT}6 | f",
        f"{ABOUT}25 | {ABOUT}25 | g",
        f"{ABOUT}19 | {ABOUT}19 | h",
    ]


def test_costs_beyond_floats_are_exact(qapp: object) -> None:
    """The remainder of a box is an exact integer if all costs are exact."""
    cost = 2**62 + 1
    model = model_of(f"main 1 -> f 1x{cost - 1}\nf {cost - 1}", "main")

    cells = [[model.plain_text(model.index(row, column)) for column in (0, 1)] for row in (0, 1)]

    assert cells == [[str(cost), "1"], [str(cost - 1), str(cost - 1)]]


def test_percentages_have_bars(qapp: object) -> None:
    """Percentages are of the outermost box, marked like other numbers, and copied as numbers."""
    model = model_of(SHARED, "a", "d", percent=True)

    assert titles(model)[:2] == ["Incl. %", "Self %"]
    assert dump_rows(model, 0, 1) == [
        "100.00 | ",
        "64.17 | 10.70",
        "53.48 | 53.48",
        "35.83 | 35.83",
    ]
    assert [model.index(row, 0).data(Role.SHARE) for row in range(4)] == [
        1.0,
        120 / 187,
        100 / 187,
        67 / 187,
    ]


@pytest.mark.parametrize(
    ("column", "order", "expected"),
    [
        (BOXES.SELF, DESCENDING, "d c c main b a a d"),
        (BOXES.DEPTH, ASCENDING, "main b a d a d c c"),
        (BOXES.NAME, ASCENDING, "a a b c c d d main"),
        (BOXES.NAME, DESCENDING, "main d d c c b a a"),
        (BOXES.PARENT, ASCENDING, "main c c a d b a d"),
        (BOXES.LOCATION, DESCENDING, "main c c b a d a d"),
    ],
)
def test_rows_are_sorted(qapp: object, column: int, order: Qt.SortOrder, expected: str) -> None:
    """Numbers sort as numbers, names by letters; equal rows stay level by level, left to right."""
    model = model_of(SHARED, "main")

    model.sort(column, order)

    assert dump_rows(model, BOXES.NAME) == expected.split()


def test_record_is_the_box(qapp: object) -> None:
    """A box is found under its own number in any sort order."""
    model = model_of(SHARED, "main")
    model.sort(BOXES.NAME, ASCENDING)
    boxes = [model.record(model.index(row, 0)) for row in range(model.rowCount())]

    assert sorted(boxes) == list(range(8))
    assert [model.index_of_record(box).row() for box in boxes] == list(range(8))
    assert [model.table.node(box) for box in boxes] == [
        model.index_of_record(box).data(Role.FUNCTION) for box in boxes
    ]


def test_function_is_found_in_its_first_row(qapp: object) -> None:
    """The first row of a function is found; all its rows are highlighted."""
    model = model_of(SHARED, "main")
    function = model.table.node(int(model.order[2]))
    model.sort(BOXES.PARENT, ASCENDING)
    model.highlight(function)
    lit = [model.index(row, 0).data(Role.HIGHLIGHT) for row in range(8)]

    assert dump_rows(model, BOXES.NAME) == ["main", "c", "c", "a", "d", "b", "a", "d"]
    assert lit == [False, False, False, True, False, False, True, False]
    assert model.index_of_function(function).row() == 3
    assert not model.index_of_function(999).isValid()


def test_names_are_shown_as_text_and_copied_whole(qapp: object) -> None:
    """A long name is truncated in the table and copied whole; in the tooltip it is no markup."""
    long, bold = "f" * 1000, "<b>x</b>"
    model = model_of(f"{bold} 1 -> {long} 1x5\n{long} 5", bold)
    inside = model.index(1, BOXES.PARENT)

    assert dump_rows(model, BOXES.NAME, BOXES.PARENT) == [
        f"{bold} | ",
        f"{'f' * 400}… | {bold}",
    ]
    assert [model.plain_text(model.index(1, n)) for n in (BOXES.NAME, BOXES.PARENT)] == [
        long,
        bold,
    ]
    assert inside.data(Qt.ItemDataRole.ToolTipRole) == (
        f"<qt>{long}<br>Inside &lt;b&gt;x&lt;/b&gt;<br>{EXACT}</qt>"
    )


def test_short_names_are_copied_in_full(qapp: object) -> None:
    """Shortened names are copied in full, and sorted by their full names."""
    outer, inner = "f<b>(a)", "f<a>(b)"
    model = model_of(f"{outer} 1 -> {inner} 1x5\n{inner} 5", outer, short=True)
    copied = [model.plain_text(model.index(1, n)) for n in (BOXES.NAME, BOXES.PARENT)]
    model.sort(BOXES.NAME, ASCENDING)

    assert dump_rows(model, BOXES.NAME, BOXES.PARENT) == [
        "f<…>(b) | f<…>(a)",
        "f<…>(a) | ",
    ]
    assert copied == [inner, outer]


def test_boxes_are_formatted_differently(qapp: object) -> None:
    """If only the format changes, the selected and the current row stay so."""
    model = model_of(SHARED, "a", "d")
    kept = QPersistentModelIndex(model.index(2, 0))

    queries = queries_from(SHARED)
    graph = queries.accounted_calls(event_named(queries, "Ir"), CYCLES)
    boxes = build_frame_tree(graph, [node_id(queries, root) for root in ("a", "d")])
    style = style_of(queries.labels(CYCLES), Unit("Ir", 374))
    model.show_numbers(frame_table(Frames(boxes, style)))

    assert dump_rows(model, 0, BOXES.NAME)[2] == "26.74 | c"
    assert (kept.row(), kept.data()) == (2, "26.74")


def test_members_of_a_cycle_are_boxes_inside_it(qapp: object) -> None:
    """A cycle is a box of its own, with nothing left beside its members."""
    model = model_of(
        """
        main 1 -> a 2x55
        a 10 -> b 3x50, leaf 1x5
        b 20 -> a 1x25, leaf 1x20
        leaf 25
        """,
        "main",
    )

    assert dump_rows(model, 0, 1, BOXES.NAME, BOXES.PARENT, BOXES.LOCATION) == [
        "56 | 1 | main |  | ???",
        "55 |  | <cycle 1> | main | 2 members",
        "40 | 20 | b <cycle 1> | <cycle 1> | ???",
        "20 | 20 | leaf | b <cycle 1> | ???",
        "15 | 10 | a <cycle 1> | <cycle 1> | ???",
        "5 | 5 | leaf | a <cycle 1> | ???",
    ]


def test_model_is_cleared(qapp: object) -> None:
    """Clearing removes all rows."""
    model = model_of(SHARED, "main")

    model.clear()

    assert (dump_rows(model), model.table.length, model.rowCount()) == ([], 0, 0)
    assert not model.index_of_function(0).isValid()
