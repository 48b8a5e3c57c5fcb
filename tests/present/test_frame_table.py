"""The frames of call maps and flame graphs as a table: costs, callers, estimates."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from qcachegrind_py.present.frames import NO_BOXES, frame_table
from qcachegrind_py.views.tables.item_model import Role
from qcachegrind_py.views.tables.table_model import TableModel
from tests.columns import BOXES
from tests.present.boxes_text import boxes_of
from tests.profile_text import dump_rows, exported, titles

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


def model_of(text: str, *roots: str, percent: bool = False, **options: Any) -> TableModel:
    """The frames below these functions."""
    model = TableModel(NO_BOXES)
    model.show(frame_table(boxes_of(text, *roots, percent=percent, **options)))
    return model


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
    assert (top.data(Role.FUNCTION), exported(model, 0, BOXES.NAME)) == (-1, "Whole program")
    assert top.data(Qt.ItemDataRole.ToolTipRole) == (f"<qt>Whole program<br>{EXACT}</qt>")


@pytest.mark.parametrize(
    ("text", "root", "up", "expected"),
    [
        # upwards, the remainder of a box is the cost that came through no caller
        ("main 5 -> f 1x20\nf 20\ng 9 -> f 1x0", "f", True, ["20 |  | f", "20 | 20 | main"]),
        # f costs 80, of which main has 50: five eighths of its self cost and of its calls
        (
            "main 1 -> f 1x50\nf 10 -> g 1x40, h 1x30\ng 40\nh 30",
            "main",
            False,
            [
                "51 | 1 | main",
                f"50 | {ABOUT}6 | f",
                f"{ABOUT}25 | {ABOUT}25 | g",
                f"{ABOUT}19 | {ABOUT}19 | h",
            ],
        ),
        # a remainder is an exact integer beyond floats
        (
            f"main 1 -> f 1x{2**62}\nf {2**62}",
            "main",
            False,
            [f"{2**62 + 1:,} | 1 | main", f"{2**62:,} | {2**62:,} | f"],
        ),
    ],
)
def test_self_costs_are_what_is_outside_of_inner_boxes(
    qapp: object, text: str, root: str, up: bool, expected: list[str]
) -> None:
    """Exact if all costs are, else as much as is drawn."""
    found = dump_rows(model_of(text, root, up=up), 0, 1, BOXES.NAME)

    assert [row.replace("\N{THIN SPACE}", "") for row in found] == [
        row.replace(",", "").replace("\N{THIN SPACE}", "") for row in expected
    ]


@pytest.mark.parametrize(
    ("column", "order", "expected"),
    [
        (BOXES.SELF, DESCENDING, "d c c main b a a d"),
        (BOXES.DEPTH, ASCENDING, "main b a d a d c c"),
        (BOXES.NAME, ASCENDING, "a a b c c d d main"),
        (BOXES.NAME, DESCENDING, "main d d c c b a a"),
        (BOXES.PARENT, ASCENDING, "main c c a d b a d"),
        (BOXES.LOCATION, DESCENDING, "main c c b a a d d"),
    ],
)
def test_rows_are_sorted(qapp: object, column: int, order: Qt.SortOrder, expected: str) -> None:
    """Numbers sort as numbers, names by letters; equal rows stand by their costs."""
    model = model_of(SHARED, "main")

    model.sort(column, order)

    assert dump_rows(model, BOXES.NAME) == expected.split()


def test_short_names_are_copied_in_full(qapp: object) -> None:
    """Shortened names are copied in full, and sorted by their full names."""
    outer, inner = "f<b>(a)", "f<a>(b)"
    model = model_of(f"{outer} 1 -> {inner} 1x5\n{inner} 5", outer, short=True)
    copied = [exported(model, 1, n) for n in (BOXES.NAME, BOXES.PARENT)]
    model.sort(BOXES.NAME, ASCENDING)

    assert dump_rows(model, BOXES.NAME, BOXES.PARENT) == ["f<…>(b) | f<…>(a)", "f<…>(a) | "]
    assert copied == [inner, outer]


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
