"""The list of functions over revisions: cells, order, marks, exports."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from qcachegrind_py.analysis.history.trends import trends
from qcachegrind_py.present.trends import (
    NO_HISTORY_TABLE,
    HistoryRows,
    blocks,
    history_table,
)
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.views.tables.item_model import Role
from qcachegrind_py.views.tables.table_model import TableModel
from tests.columns import HISTORY
from tests.profile_text import THIN, dump_rows

LABELS = [f"v{number}" for number in range(10)]
FLAT, UP = [500] * 10, [100] * 5 + [1100] * 5
DOWN = [3000] * 7 + [1000] * 3
NAMES = ["flat", "up", "down<int>"]
NODES, UNIT = np.array([NO_NODE, 7, 4], np.int64), Unit("Ir", 100)


def rows_of(*values: list[int], names: list[str] = NAMES) -> HistoryRows:
    """Functions with these costs; `up` is not in the first revision."""
    costs = np.array(values, np.int64)
    is_there = np.ones(costs.shape, bool)
    is_there[1, 0] = False
    identities = [(name, "/src/a.c", "/bin/prog") for name in names]
    locations = ["prog: a.c"] * len(names)
    members = np.ones(len(names), np.int64)
    return HistoryRows(
        identities, names, names, locations, LABELS, costs, is_there, trends(costs), members
    )


@pytest.fixture
def model(qapp: object) -> TableModel:
    model = TableModel(NO_HISTORY_TABLE)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show(history_table(rows_of(FLAT, UP, DOWN), UNIT, NODES))
    return model


def dump(model: TableModel, *columns: int) -> list[str]:
    return [row.replace(THIN, " ") for row in dump_rows(model, *columns)]


def test_a_row_says_what_a_function_does_over_the_revisions(model: TableModel) -> None:
    """The largest step has its revision and its sign; numbers are absolute in every unit."""
    horizontal = Qt.Orientation.Horizontal
    titles = [model.headerData(c, horizontal).strip() for c in range(model.columnCount())]

    assert titles == [
        "Largest step", "At", "Trend", "Spread", "Newest", "Total", "Course", "Function", "Location"
    ]  # fmt: skip
    assert dump(model, *range(9)) == [
        "−2 000 | v7 | −2 000 | 2 000 | 1 000 | 24 000 | ███████▃▃▃ | down<int> | prog: a.c",
        "+1 000 | v5 | +1 000 | 1 000 | 1 100 | 6 000 |  ▁▁▁▁█████ | up | prog: a.c",
        " |  |  |  | 500 | 5 000 | ▄▄▄▄▄▄▄▄▄▄ | flat | prog: a.c",
    ]


@pytest.mark.parametrize(
    ("column", "names"),
    [
        (HISTORY.STEP, ["down<int>", "up", "flat"]),
        (HISTORY.TREND, ["down<int>", "up", "flat"]),
        (HISTORY.SPREAD, ["down<int>", "up", "flat"]),
        (HISTORY.NEWEST, ["up", "down<int>", "flat"]),
        (HISTORY.TOTAL, ["down<int>", "up", "flat"]),
        (HISTORY.NAME, ["up", "flat", "down<int>"]),
    ],
)
def test_rows_are_sorted_by_the_size_of_changes(
    model: TableModel, column: int, names: list[str]
) -> None:
    """Growth and shrinkage of one size rank alike."""
    model.sort(column, Qt.SortOrder.DescendingOrder)

    assert dump_rows(model, HISTORY.NAME) == names


def test_bars_of_changes_share_one_scale(model: TableModel) -> None:
    """The largest step or trend has a full bar; growth goes right, shrinkage left."""
    bars = [model.index(row, 0).data(Role.CHANGE) for row in range(3)]

    assert bars == [-1.0, 0.5, 0.0]


def test_rows_know_their_function_in_the_profile(model: TableModel) -> None:
    """A function that the open profile lacks has none, and its tip says so."""
    nodes = [model.index(row, 0).data(Role.FUNCTION) for row in range(3)]
    tips = [model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole) for row in range(3)]

    assert nodes == [4, 7, NO_NODE]
    assert ["does not have" in tip for tip in tips] == [False, False, True]
    assert model.index_of_function(NodeId(7)).row() == 1
    assert not model.index_of_function(NO_NODE).isValid()
    assert "down&lt;int&gt;<br>/src/a.c<br>/bin/prog" in tips[0]


def test_pinned_functions_are_marked(model: TableModel) -> None:
    """A word is behind the name, for screen readers, too."""
    rows = rows_of(FLAT, UP, DOWN)
    model.show_numbers(history_table(rows, UNIT, NODES, frozenset({1})))
    name = model.index(1, HISTORY.NAME)

    assert name.data(Role.MARK) == "pinned"
    assert name.data(Qt.ItemDataRole.AccessibleTextRole) == "up, pinned"
    assert model.index(0, HISTORY.NAME).data(Role.MARK) == ""


def test_exports_have_all_costs(model: TableModel) -> None:
    """Other programs get plain numbers: changes with their sign, and each revision's cost."""
    columns = HISTORY.STEP, HISTORY.STEP_AT, HISTORY.COURSE
    exported = [model.columns[column].cells.values(model.order)[0] for column in columns]

    assert exported == [-2000, "v7", " ".join(map(str, DOWN))]


def test_families_are_marked(model: TableModel) -> None:
    """A row with costs of several functions is none of them, whether it is pinned or not."""
    rows = replace(rows_of(FLAT, UP, DOWN), members=np.array([1, 3, 1]))
    nodes = np.array([NO_NODE, NO_NODE, 4], np.int64)
    table = history_table(rows, UNIT, nodes)
    assert [table.mark(row) for row in range(3)] == ["", "family of 3", ""]
    table = history_table(rows, UNIT, nodes, frozenset([0, 1]))
    assert [table.mark(row) for row in range(3)] == ["pinned", "family of 3, pinned", ""]
    assert "A family of 3, which are one in comparisons." in table.tip(1)


def test_other_costs_of_the_same_functions_keep_the_current_row(model: TableModel) -> None:
    """Another event sorts the rows anew, and an index stays with its function."""
    from PySide6.QtCore import QPersistentModelIndex

    kept = QPersistentModelIndex(model.index(0, HISTORY.NAME))
    other = history_table(rows_of(DOWN, UP, FLAT), Unit("Dr"), np.array([1, 2, 3], np.int64))
    model.show_numbers(other)

    assert (kept.row(), kept.data()) == (2, "down<int>")


def test_hostile_names_are_text(qapp: object) -> None:
    """Names and labels are shown as text, whatever is in them."""
    model = TableModel(NO_HISTORY_TABLE)
    names = ["<b>x</b>\n", "up", "\u202edown"]
    rows = rows_of(FLAT, UP, DOWN, names=names)
    model.show(history_table(rows, Unit("Ir"), np.zeros(3, np.int64)))

    assert dump_rows(model, HISTORY.NAME) == [r"\u202edown", "up", r"<b>x</b>\x0a"]


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


def test_a_function_that_no_revision_has_has_no_course() -> None:
    """Nothing is drawn for it."""
    assert blocks(np.zeros(3, np.int64), np.zeros(3, bool), 3) == ""


def test_the_revision_of_the_step_never_gives_way() -> None:
    """In a narrow list, what is left of a step says when it came."""
    columns = NO_HISTORY_TABLE.columns

    assert [columns[n].gives_way for n in (HISTORY.STEP, HISTORY.STEP_AT)] == [0, 0]
