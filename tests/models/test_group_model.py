"""The list of groups: what they cost by themselves, how many functions they show, their colours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.cost_format import NO_FORMAT
from qcachegrind_py.models.base.group_colors import GroupPalette
from qcachegrind_py.models.base.table import Role
from qcachegrind_py.models.groups import GroupModel, GroupRows
from qcachegrind_py.profile.tables import BoolArray
from tests.profile_text import WHOLE_SCOPE, cost_format, dump_rows, event_named, queries_for, titles

ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
DRAWING = """
    main@a.c@/bin/prog 10 -> ping 1x50
    other@b.c@/bin/prog 5
    ping@/usr/x.c@/lib/x.so 20 -> pong 1x30
    pong@/usr/x.c@/lib/x.so 30 -> ping 1x10
    lost 7
    """


def rows_of(
    queries: ProfileQueries, grouping: Grouping, event: str = "Ir", shown: BoolArray | None = None
) -> GroupRows:
    """The rows of a grouping."""
    groups = queries.groups(grouping, WHOLE_SCOPE)
    own = queries.self_cost(event_named(queries, event), WHOLE_SCOPE)
    return GroupRows(
        groups.names,
        groups.sums(own, queries.function_count),
        groups.counts(shown, queries.function_count),
        grouping in (Grouping.OBJECT, Grouping.FILE),
    )


def model_of(queries: ProfileQueries, grouping: Grouping, *, percent: bool = False) -> GroupModel:
    """The groups as a model."""
    model = GroupModel()
    model.set_rows(rows_of(queries, grouping), cost_format(queries, percent=percent))
    return model


def test_model_passes_qt_model_checks(qtmodeltester: Any, tmp_path: Path) -> None:
    """The model passes Qt's consistency checks, even if it is empty."""
    qtmodeltester.check(model_of(queries_for(tmp_path, DRAWING), Grouping.OBJECT))
    qtmodeltester.check(GroupModel())


def test_model_passes_qt_model_checks_while_it_changes(tmp_path: Path) -> None:
    """Each change of sorting, filter and costs is announced as Qt requires."""
    queries = queries_for(tmp_path, DRAWING)
    model = model_of(queries, Grouping.OBJECT)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)

    for column in range(model.columnCount()):
        model.sort(column, ASCENDING)
        model.set_filter(np.array([True, False, True]))
        model.set_costs(rows_of(queries, Grouping.OBJECT), cost_format(queries, percent=True))
        model.sort(column, DESCENDING)
    model.set_rows(rows_of(queries, Grouping.FILE), cost_format(queries))

    assert (tester.model() is model, model.rowCount()) == (True, 4)


@pytest.mark.parametrize(
    ("grouping", "expected"),
    [
        (Grouping.OBJECT, ["50 | 2 | x.so", "15 | 2 | prog", "7 | 1 | ???"]),
        (Grouping.FILE, ["50 | 2 | x.c", "10 | 1 | a.c", "7 | 1 | ???", "5 | 1 | b.c"]),
        (Grouping.CYCLE, ["50 | 2 | <cycle 1>", "22 | 3 | (no cycle)"]),
    ],
)
def test_groups_are_listed_by_cost(tmp_path: Path, grouping: Grouping, expected: list[str]) -> None:
    """Each group is a row with its functions' total, their number, and its short name.

    A cycle is not a function: neither its cost nor its number counts.
    """
    model = model_of(queries_for(tmp_path, DRAWING), grouping)

    assert titles(model) == ["Self", "Functions", "Group"]
    assert dump_rows(model) == expected


def test_groups_of_a_name_in_two_folders_stay_two(tmp_path: Path) -> None:
    """Paths are displayed by their last part; the full path in the tooltip distinguishes them."""
    model = model_of(queries_for(tmp_path, "f@/a/x.c 1\ng@/b/x.c 2"), Grouping.FILE)

    tips = [model.index(row, model.NAME).data(Qt.ItemDataRole.ToolTipRole) for row in range(2)]

    assert (dump_rows(model, GroupModel.NAME), tips) == (
        ["x.c", "x.c"],
        ["<qt>/b/x.c</qt>", "<qt>/a/x.c</qt>"],
    )


def test_percentages_are_of_the_total(tmp_path: Path) -> None:
    """As percentages, groups are shares of the total, and add up to 100."""
    model = model_of(queries_for(tmp_path, DRAWING), Grouping.OBJECT, percent=True)

    assert titles(model)[0] == "Self %"
    assert dump_rows(model) == ["69.44 | 2 | x.so", "20.83 | 2 | prog", "9.72 | 1 | ???"]
    assert sum(model.index(row, 0).data(Role.SHARE) for row in range(3)) == pytest.approx(1)


def test_hidden_functions_are_not_counted_but_cost(tmp_path: Path) -> None:
    """A filter changes the number of visible functions in a group, not the group's cost."""
    queries = queries_for(tmp_path, DRAWING)
    model = model_of(queries, Grouping.OBJECT)
    shown = np.array([queries.names.name(f) == "ping" for f in range(queries.function_count)])

    model.set_costs(rows_of(queries, Grouping.OBJECT, shown=shown), cost_format(queries))

    assert dump_rows(model) == ["50 | 1 | x.so", "15 | 0 | prog", "7 | 0 | ???"]


def test_current_group_stays_current(tmp_path: Path) -> None:
    """New costs move a group's row, and its index with it."""
    queries = queries_for(tmp_path, "events: Ir Dr\na@x@/one 1,9\nb@x@/two 5,2")
    model = model_of(queries, Grouping.OBJECT)
    current = QPersistentModelIndex(model.index(0, GroupModel.NAME))

    model.set_costs(rows_of(queries, Grouping.OBJECT, "Dr"), cost_format(queries, "Dr"))

    assert dump_rows(model, 0, GroupModel.NAME) == ["9 | one", "2 | two"]
    assert (current.row(), current.data()) == (1, "two")


def test_group_has_its_colour_at_its_name_only(tmp_path: Path) -> None:
    """The colour square is before the name, in the group's colour."""
    model = model_of(queries_for(tmp_path, DRAWING), Grouping.OBJECT)
    decoration = Qt.ItemDataRole.DecorationRole

    colors = [model.index(row, GroupModel.NAME).data(decoration) for row in range(3)]

    assert colors == [GroupPalette().group(name) for name in ("/lib/x.so", "/bin/prog", "???")]
    assert [model.index(0, column).data(decoration) for column in (0, 1)] == [None, None]


def test_groups_are_no_functions(tmp_path: Path) -> None:
    """A group row has no function, so no selection elsewhere highlights it."""
    model = model_of(queries_for(tmp_path, DRAWING), Grouping.OBJECT)

    model.highlight(0)

    functions = {model.index(row, 0).data(Role.FUNCTION) for row in range(3)}
    marked = {model.index(row, 0).data(Role.HIGHLIGHT) for row in range(3)}
    assert (functions, marked) == ({-1}, {False})


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("<b>x</b>", "<b>x</b>"),
        ("a\x01b\u202ec", r"a\x01b\u202ec"),
        ("y" * 100_000, "y" * 400 + "…"),
    ],
)
def test_hostile_names_are_one_line_of_plain_text(name: str, shown: str) -> None:
    """A group's name is displayed as one line of bounded length, in its tooltip, too."""
    model = GroupModel()
    column = np.array([1], np.int64)
    model.set_rows(GroupRows((name,), column, column), NO_FORMAT)

    tip = model.index(0, model.NAME).data(Qt.ItemDataRole.ToolTipRole)

    assert dump_rows(model, GroupModel.NAME) == [shown]
    assert (tip.isprintable(), tip.count("<"), len(tip) < 5000) == (True, 2, True)


def test_model_is_cleared(tmp_path: Path) -> None:
    """Clearing removes all rows."""
    model = model_of(queries_for(tmp_path, DRAWING), Grouping.OBJECT)

    model.clear()

    assert (dump_rows(model), model.record_count) == ([], 0)
