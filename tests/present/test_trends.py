"""The list of functions over revisions: cells, order, marks, exports."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.analysis.history import trends
from qcachegrind_py.present.history import HistoryRows, blocks, trend_table
from qcachegrind_py.present.table import Table
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.profile.ids import NO_NODE
from tests.present.table_text import bars, headings, rows_by, table_rows, written
from tests.profile_text import THIN

NAMES = ["flat", "up", "down"]
COSTS = np.array([[500] * 10, [100] * 5 + [1100] * 5, [3000] * 7 + [1000] * 3])


def table_of(pinned: tuple[int, ...] = (), members: tuple[int, ...] = (1, 1, 1)) -> Table:
    """Three functions; `up` is not in the first revision, and `flat` not in the open profile."""
    is_there = np.ones(COSTS.shape, bool)
    is_there[1, 0] = False
    rows = HistoryRows(
        [(name, "/src/a.c", "/bin/prog") for name in NAMES],
        NAMES,
        [f"ns::{name}" for name in NAMES],
        ["prog: a.c"] * 3,
        [f"v{number}" for number in range(10)],
        COSTS,
        is_there,
        trends(COSTS),
        np.array(members),
    )
    return trend_table(rows, Unit("Ir", 100), np.array([NO_NODE, 7, 4]), frozenset(pinned))


def test_a_row_says_what_a_function_does_over_the_revisions() -> None:
    """The largest step has its revision and its sign; numbers are absolute in every unit."""
    assert headings(table_of()) == [
        "Largest step", "At", "Trend", "Range", "Newest", "Total", "Trend line", "Function",
        "Location",
    ]  # fmt: skip
    assert [row.replace(THIN, " ") for row in table_rows(table_of())] == [
        "−2 000 | v7 | −2 000 | 2 000 | 1 000 | 24 000 | ███████▃▃▃ | down | prog: a.c",
        "+1 000 | v5 | +1 000 | 1 000 | 1 100 | 6 000 |  ▁▁▁▁█████ | up | prog: a.c",
        " |  |  |  | 500 | 5 000 | ▄▄▄▄▄▄▄▄▄▄ | flat | prog: a.c",
    ]


@pytest.mark.parametrize("column", ["step", "trend", "spread", "total", "course", "newest"])
def test_rows_are_sorted_by_the_size_of_changes(column: str) -> None:
    """Growth and shrinkage of one size rank alike; the course by its trend."""
    orders = {"course": [1, 0, 2], "newest": [1, 2, 0]}
    assert rows_by(table_of(), column) == orders.get(column, [2, 1, 0])


def test_bars_of_changes_share_one_scale() -> None:
    """The largest step or trend has a full bar; growth goes right, shrinkage left."""
    assert bars(table_of(), "step", "step") == [-1.0, 0.5, 0.0]
    assert bars(table_of(), "trend", "step") == [-1.0, 0.5, 0.0]


def test_tips_and_marks() -> None:
    """Families are no function of the profile; a function that it lacks is said to be missing."""
    place = "/src/a.c", "/bin/prog"
    table = table_of(pinned=(0, 1), members=(1, 3, 1))
    assert [table.tip(row) for row in range(3)] == [
        ("ns::flat", *place, "The open profile does not have this function."),
        ("ns::up", *place, "A family of 3, which are one in comparisons."),
        ("ns::down", *place),
    ]
    assert [table.mark(row) for row in range(3)] == ["pinned", "family of 3, pinned", ""]
    assert [table.node(row) for row in range(3)] == [NO_NODE, 7, 4]


def test_exports_have_all_costs() -> None:
    """Other programs get plain numbers: changes with their sign, and each revision's cost."""
    row = [-2000, "v7", " ".join(map(str, COSTS[2]))]
    assert written(table_of(), "step", "step_at", "course", by="step")[0] == row


def test_the_revision_of_the_step_never_gives_way() -> None:
    """In a narrow list, what is left of a step says when it came."""
    assert [table_of().column(key).gives_way for key in ("step", "step_at")] == [0, 0]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([0, 0, 0], "▁▁▁"),
        ([5, 5, 5], "▄▄▄"),
        ([0, 7, 3], "▁█▄"),
        ([100, 101, 107], "▁▂█"),  # close together: from the lowest cost
        ([1, 9, 2, 2, 8, 1], "█▂▇"),  # the highest of each group of neighbours
        ([2**62, 2**62 - 2**60], "█▁"),
    ],
)
def test_a_course_is_drawn_as_text(values: list[int], text: str) -> None:
    """Eight heights from 0, or from the lowest cost, to the highest one."""
    costs = np.array(values, np.int64)

    assert blocks(costs, np.ones(len(costs), bool), 3) == text
