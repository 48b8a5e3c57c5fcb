"""The model of all tables, and the border to Qt."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QAbstractItemModelTester

from qcachegrind_py.analysis.calls.call_graph import costliest_stack
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.calls import (
    CALLEE,
    NO_CALLEES,
    NO_STACK,
    NO_TRANSITIVE,
    call_stack_table,
)
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.events import event_table, no_events
from qcachegrind_py.present.functions import NO_FUNCTIONS, NO_GROUPS, function_table
from qcachegrind_py.present.table import Table
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.views.tables.item_model import AnyIndex, Role, cell_value, make_index
from qcachegrind_py.views.tables.table_model import TableModel
from tests.columns import EVENTS, FUNCTIONS
from tests.compared_graphs import BASE, NEW
from tests.present.table_text import compared_query, direct, groups, transitive
from tests.profile_text import (
    THIN,
    WHOLE_SCOPE,
    dump_rows,
    function_model,
    queries_for,
    titles,
    view_query,
    write_many_functions,
)
from tests.seen_cell import SeenCell

CALLS = 20_000


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(2**40), 2**40),
        (np.int32(-7), -7),
        (np.uint64(2**64 - 1), str(2**64 - 1)),
        (np.float64(0.25), 0.25),
        (np.bool_(True), True),
        (2**63 - 1, 2**63 - 1),
        (2**63, str(2**63)),
        (-(2**63), -(2**63)),
        (-(2**63) - 1, str(-(2**63) - 1)),
        ("text", "text"),
        (None, None),
    ],
)
def test_cell_converts_to_python_values(value: object, expected: object) -> None:
    """Qt takes a numpy scalar for an empty cell and fails on large integers: cells avoid both."""
    made = cell_value(value)

    assert (expected, type(expected)) == (made, type(made))


def filled_model(folder: Path) -> TableModel:
    """A model of three rows."""
    return function_model(queries_for(folder, "a 1\nb 2\nc 3"))


def test_make_index_takes_numbers_of_arrays(tmp_path: Path) -> None:
    """An index created from numpy numbers equals one created from Python's, and has no children."""
    model = filled_model(tmp_path)

    made = make_index(model, np.int64(2), np.int32(1))  # type: ignore[arg-type]

    assert (made.row(), made.column(), made.internalId()) == (2, 1, 0)
    assert made == model.index(2, 1)
    assert (model.rowCount(made), model.columnCount(QPersistentModelIndex(made))) == (0, 0)


def test_calls_from_qt_lose_no_reference_to_none(tmp_path: Path) -> None:
    """However often Qt receives None, its reference count stays: at 0 Python would abort."""
    model = filled_model(tmp_path)
    index = model.index(0, 0)
    header = Qt.Orientation.Horizontal
    before = sys.getrefcount(None)

    for _ in range(CALLS):
        index.data(Qt.ItemDataRole.DecorationRole)
        model.index(0, 2).data(Qt.ItemDataRole.UserRole + 2)
        model.headerData(0, header, Qt.ItemDataRole.DecorationRole)
        model.sort(0)
        model.rowCount(QModelIndex())

    lost = before - sys.getrefcount(None)
    assert lost < CALLS / 100


ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
SELF, CALLED, NAME = FUNCTIONS.SELF, FUNCTIONS.CALLED, FUNCTIONS.NAME
INT64_MINIMUM = -(2**63)
TIP = Qt.ItemDataRole.ToolTipRole
FIVE = """
    events: Ir Dr
    main@a.c@/bin/prog 10,1 -> fast 3x40,4, slow 1x50,55
    fast@src/b.c@/bin/prog 40,4
    slow@src/b.c 50,5 -> ping 1x0,50
    ping 0,20 -> pong 2x0,30
    pong 0,30 -> ping 1x0,10
    """


def call_stack(query: ViewQuery) -> Table:
    """The path through the active function."""
    context = query.context
    assert context.event is not None
    graph = query.queries.call_graph(context.event, context.scope)
    path = costliest_stack(context.function, graph)
    return call_stack_table(replace(query, context=replace(context, stack=path)))


TABLES = {
    "functions": (NO_FUNCTIONS, function_table),
    "groups": (NO_GROUPS, groups),
    "direct calls": (NO_CALLEES, direct),
    "transitive calls": (NO_TRANSITIVE[CALLEE], transitive),
    "call stack": (NO_STACK, call_stack),
    "events": (no_events(), event_table),
}
every_table = pytest.mark.parametrize(("empty", "make"), TABLES.values(), ids=TABLES)


def shown(empty: Table, table: Table) -> TableModel:
    """A model of a table."""
    model = TableModel(empty)
    model.show(table)
    return model


def query_of(folder: Path, drawing: str = FIVE, event: str = "Ir", **settings: Any) -> ViewQuery:
    """The query of a profile in which main is active, grouped by files."""
    queries = queries_for(folder, drawing)
    main = queries.names.with_name("main")[0]
    return view_query(queries, event, function=main, grouping=Grouping.FILE, **settings)


def model_from(folder: Path, text: str = FIVE, event: str = "Ir") -> TableModel:
    """The functions of the profile given as text."""
    return function_model(queries_for(folder, text), event)


def containing(queries: ProfileQueries, text: str) -> BoolArray:
    """Which functions and cycles have the text in their names."""
    labels = queries.labels(WHOLE_SCOPE)
    names = map(labels.name, range(len(labels)))
    return np.array([text in name for name in names], np.bool_)


# ---------------------------------------------------------------- every table


@every_table
def test_qt_model_checks(
    qtmodeltester: Any, tmp_path: Path, empty: Table, make: Callable[[ViewQuery], Table]
) -> None:
    """Each table passes Qt's consistency checks: empty, filled, and with both sides."""
    qtmodeltester.check(TableModel(empty))
    qtmodeltester.check(shown(empty, make(query_of(tmp_path))))
    compared = compared_query(tmp_path, BASE, NEW, grouping=Grouping.FILE)
    qtmodeltester.check(shown(empty, make(compared)))


@every_table
def test_qt_model_checks_while_it_changes(
    tmp_path: Path, empty: Table, make: Callable[[ViewQuery], Table]
) -> None:
    """Each change of sorting, filter, costs and rows is announced as Qt requires."""
    first, second = make(query_of(tmp_path)), make(query_of(tmp_path, event="Dr"))
    model = TableModel(empty)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)

    model.show(first)
    kept = [QPersistentModelIndex(model.index(row, 1)) for row in range(model.rowCount())]
    for column in range(model.columnCount()):
        model.sort(column, ASCENDING)
        model.set_filter(np.arange(first.length) % 2 == 0)
        model.sort(column, DESCENDING)
        if second.length == first.length:
            model.show_numbers(second)
        model.highlight(NodeId(column))
        model.set_filter(None)
    model.show(first)
    model.clear()

    assert [index.isValid() for index in kept] == [False] * first.length
    assert (tester.model() is model, model.rowCount(), model.table) == (True, 0, empty)


@every_table
def test_empty_table_survives_every_change(
    empty: Table, make: Callable[[ViewQuery], Table]
) -> None:
    """A model without a profile has no row, and accepts sorting and filters all the same."""
    model = TableModel(empty)

    for column in range(model.columnCount()):
        model.sort(column, ASCENDING)
        assert model.columns[column].cells.widest() == ""
    model.set_filter(np.empty(0, np.bool_))
    model.show_numbers(empty)
    model.highlight(NodeId(0))

    assert (dump_rows(model), model.index_of_function(NodeId(0)).isValid()) == ([], False)


@every_table
def test_columns_are_the_same_in_every_table(
    tmp_path: Path, empty: Table, make: Callable[[ViewQuery], Table]
) -> None:
    """Saved headers and the menu of columns rely on equal keys in equal places."""
    declared = [(c.key, c.title, c.tip, c.shown, c.stretches) for c in empty.columns]

    for table in (
        make(query_of(tmp_path)),
        make(compared_query(tmp_path, BASE, NEW, grouping=Grouping.FILE)),
    ):
        assert [(c.key, c.title, c.tip, c.shown, c.stretches) for c in table.columns] == declared


@every_table
def test_titles_say_what_they_are(
    tmp_path: Path, empty: Table, make: Callable[[ViewQuery], Table]
) -> None:
    """A title has a tip and a hint how to sort; numbers and their titles stand on the right."""
    model = shown(empty, make(query_of(tmp_path)))
    horizontal, right = Qt.Orientation.Horizontal, Qt.AlignmentFlag.AlignRight

    for place, column in enumerate(model.columns):
        title, tip, hint, alignment = (
            model.headerData(place, horizontal, role)
            for role in (
                Qt.ItemDataRole.DisplayRole,
                TIP,
                Qt.ItemDataRole.WhatsThisRole,
                Qt.ItemDataRole.TextAlignmentRole,
            )
        )
        assert title.rstrip() == model.columns[place].heading == column.heading
        assert (tip, hint.startswith(f"{column.tip}. Click the title to sort")) == (
            column.tip,
            True,
        )
        cell = model.index(0, place).data(Qt.ItemDataRole.TextAlignmentRole)
        assert cell == alignment
        assert bool(Qt.AlignmentFlag(cell) & right) == column.is_number
    assert model.headerData(0, Qt.Orientation.Vertical) is None
    assert model.headerData(len(model.columns), horizontal) is None


@every_table
def test_nodes_of_rows_are_found_again(
    tmp_path: Path, empty: Table, make: Callable[[ViewQuery], Table]
) -> None:
    """A row's function is found by it, marked when selected elsewhere, and is Python's integer.

    Rows without a function are never marked.
    """
    model = shown(empty, make(query_of(tmp_path)))
    model.sort(len(model.columns) - 1, ASCENDING)
    functions = [model.index(row, 0).data(Role.FUNCTION) for row in range(model.rowCount())]
    assert set(map(type, functions)) == {int}

    for row, function in enumerate(functions):
        model.highlight(NodeId(function))
        marked = [SeenCell(model.index(each, 1)).is_highlighted for each in range(len(functions))]
        is_marked = function != NO_NODE
        assert marked == [is_marked and each == row for each in range(len(functions))]
        assert model.index_of_function(function).row() == (row if is_marked else -1)
    model.highlight(NO_NODE)
    assert not any(SeenCell(model.index(row, 0)).is_highlighted for row in range(len(functions)))
    assert not model.index_of_function(NodeId(99)).isValid()


# ---------------------------------------------------------------- order


SMALLEST = f"zero 0\nlow {INT64_MINIMUM}\nhigh {2**63 - 1}"
RATIOS = "events: Dr Ir\nnothing 7,0\nlow -4,4\nhigh 5,2\nnone 0,0\nzero 0,9"
RATIO = ["−1.000 | low", "0 | zero", "2.500 | high"]
UNDEFINED = ["– | nothing", "– | none"]  # in the order of the file


@pytest.mark.parametrize(
    ("drawing", "event", "upwards", "downwards"),
    [
        # equal costs keep the order of the file
        ("a 5\nb 9\nc 1\nd 5\ne 9", "Ir", "cadbe", "beadc"),
        # the smallest integer cannot be negated
        (SMALLEST, "Ir", ["low", "zero", "high"], ["high", "zero", "low"]),
        # Python's integers, beyond 64 bits
        (
            f"events: Ir ILmr\nmain 0,1\nbig 7,{2**60}\nsmall 5,0", "CEst",
            ["small", "main", "big"], ["big", "main", "small"],
        ),
        # a division by 0 is a dash, and comes after all numbers
        (RATIOS, "Rate", RATIO + UNDEFINED, RATIO[::-1] + UNDEFINED),
    ],
    ids=["equal", "smallest", "largest", "undefined"],
)  # fmt: skip
def test_numbers_are_sorted_both_ways(
    tmp_path: Path, drawing: str, event: str, upwards: list[str], downwards: list[str]
) -> None:
    """Columns are as wide as their largest number."""
    queries = queries_for(tmp_path, drawing)
    if event == "Rate":
        queries.set_user_events([UserEvent("Rate", "", "Dr / Ir")])
    model, found = function_model(queries, event), []
    for order in (ASCENDING, DESCENDING):
        model.sort(SELF, order)
        found.append(dump_rows(model, *((SELF, NAME) if event == "Rate" else (NAME,))))

    assert found == [list(upwards), list(downwards)]
    widest = max(len(row) for row in dump_rows(model, SELF))
    assert len(model.columns[SELF].cells.widest()) >= widest


@pytest.mark.parametrize("order", [ASCENDING, DESCENDING])
def test_undefined_ratio_is_the_last_event(tmp_path: Path, order: Qt.SortOrder) -> None:
    """Sorted by cost, an event that is a dash comes after all numbers."""
    query = query_of(tmp_path, "events: Ir Dr\nmain 10,0")
    query.queries.set_user_events([UserEvent("Rate", "", "Ir / Dr")])
    model = shown(no_events(), event_table(query))

    model.sort(EVENTS.INCLUSIVE, order)

    assert dump_rows(model, EVENTS.EVENT, EVENTS.INCLUSIVE)[-1] == "Rate | –"


def test_other_costs_replace_the_shown_ones_and_sort_anew(tmp_path: Path, qtbot: Any) -> None:
    """In another event or unit each cell and title is updated, in the order of the new costs."""
    query = view_query(queries_for(tmp_path, "events: Ir Dr\na 1,30\nb 2,20\nc 3,10"))
    model = shown(NO_FUNCTIONS, function_table(query))
    assert dump_rows(model, SELF, NAME) == ["3 | c", "2 | b", "1 | a"]
    percent = view_query(query.queries, "Dr", unit=CostUnit.PERCENT)

    with qtbot.waitSignals([model.layoutChanged, model.dataChanged, model.headerDataChanged]):
        model.show_numbers(function_table(percent))

    assert dump_rows(model, SELF, NAME) == ["50.00 | a", "33.33 | b", "16.67 | c"]
    assert titles(model) == ["Incl. %", "Self %", "Called", "Function", "Location"]


# ---------------------------------------------------------------- filter and current rows


def test_filter_keeps_the_order_and_the_costs(tmp_path: Path) -> None:
    """A filter removes rows and leaves the others unchanged; another table is shown without it."""
    queries = queries_for(tmp_path, FIVE)
    model = function_model(queries)
    model.sort(NAME, DESCENDING)

    model.set_filter(containing(queries, "s"))
    filtered = dump_rows(model, SELF, NAME)
    model.show(model.table)

    assert (filtered, model.rowCount()) == (["50 | slow", "40 | fast"], 6)


CHANGES: dict[str, Callable[[TableModel, ProfileQueries], None]] = {
    "sort": lambda model, _queries: model.sort(NAME, ASCENDING),
    "sort the other way": lambda model, _queries: model.sort(0, ASCENDING),
    "filter": lambda model, queries: model.set_filter(containing(queries, "s")),
    "event": lambda model, queries: model.show_numbers(function_table(view_query(queries, "Dr"))),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_current_function_stays_current(
    tmp_path: Path, change: Callable[[TableModel, ProfileQueries], None]
) -> None:
    """The current function stays current, in the same column, however its row moves.

    The index of a row that is filtered out becomes invalid, and never another row's.
    """
    queries = queries_for(tmp_path, FIVE)
    model = function_model(queries)
    model.sort(SELF, DESCENDING)
    slow = queries.names.with_name("slow")[0]
    current = QPersistentModelIndex(model.index_of_record(slow, CALLED))

    change(model, queries)

    row = dump_rows(model, NAME).index("slow")
    assert (row, CALLED, slow) == (current.row(), current.column(), current.data(Role.FUNCTION))
    model.set_filter(containing(queries, "fast"))
    assert (current.isValid(), model.index_of_function(slow).isValid()) == (False, False)


class CountingModel(TableModel):
    """Counts how often a cell is requested."""

    asked = 0

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        self.asked += 1
        return super().data(index, role)


@pytest.mark.slow
def test_a_hundred_thousand_rows_sort_and_filter_by_arrays_alone(tmp_path: Path) -> None:
    """Sorting and filtering requests no cell: one request per row would take seconds."""
    count = 100_000
    path = write_many_functions(tmp_path / "callgrind.out.1", count)
    queries = ProfileQueries(load(path))
    model = CountingModel(NO_FUNCTIONS)
    model.show(function_table(view_query(queries)))
    kept = QPersistentModelIndex(model.index(0, 0))

    model.sort(NAME, ASCENDING)
    by_name = model.order.copy()
    model.set_filter(containing(queries, "9999"))
    filtered = model.rowCount()
    model.sort(SELF, ASCENDING)
    model.set_filter(None)

    assert model.asked == 0
    assert by_name.tolist() == sorted(range(count), key=lambda f: queries.names.name(f))
    assert filtered == sum("9999" in f"name{n * 7919 % count}" for n in range(1, count + 1))
    assert not kept.isValid() or count - 1 == kept.row()
    assert model.index(count - 1, SELF).data() == f"100{THIN}000"


# ---------------------------------------------------------------- cells


def test_bars_of_costs_and_of_changes_are_drawn_differently(tmp_path: Path) -> None:
    """A cost has a share from the left, a change a length from the middle; counts have neither."""
    alone = model_from(tmp_path, "main 50 -> f 1x50\nf 50")
    compared = shown(NO_FUNCTIONS, function_table(compared_query(tmp_path, BASE, NEW)))

    cells = [
        [SeenCell(model.index(0, column)) for column in (0, CALLED)] for model in (alone, compared)
    ]

    assert [[cell.bar for cell in row] for row in cells] == [[1.0, None], [1.0, None]]
    assert [row[0].is_change for row in cells] == [False, True]


def test_words_stand_behind_names_and_are_spoken(tmp_path: Path) -> None:
    """What the table says of a row is drawn behind its name, and read out with it."""
    model = shown(NO_FUNCTIONS, function_table(compared_query(tmp_path, BASE, NEW)))
    row = dump_rows(model, NAME).index("old")

    marks = [SeenCell(model.index(row, column)).mark for column in (0, NAME)]
    spoken = model.index(row, NAME).data(Qt.ItemDataRole.AccessibleTextRole)
    assert (marks, spoken) == (["", "gone"], "old, gone")


def test_another_highlight_updates_its_rows_alone(tmp_path: Path) -> None:
    """Only the rows of the function before and after are drawn anew, and none for the same one."""
    model = model_from(tmp_path)
    drawn: list[tuple[int, int, int, int]] = []
    model.dataChanged.connect(lambda a, b: drawn.append((a.row(), a.column(), b.row(), b.column())))
    rows = [model.index_of_function(NodeId(function)).row() for function in (2, 3)]
    for function in (2, 2, 3):
        model.highlight(NodeId(function))

    last = FUNCTIONS.LOCATION
    assert drawn == [(row, 0, row, last) for row in (rows[0], *sorted(rows))]


def test_only_names_have_colors(tmp_path: Path, qtbot: Any) -> None:
    """The colour of a function stands before its name, wherever its row is."""
    model = model_from(tmp_path, "a@x.c@/bin/one 4\nb@y.c@/bin/one 3\nc@z.c@/lib/two 2")
    model.sort(NAME, ASCENDING)
    of_node = {0: QColor("red"), 1: QColor("red"), 2: QColor("blue")}

    with qtbot.waitSignal(model.dataChanged):
        model.set_node_colors(of_node.__getitem__)
    colors = [SeenCell(model.index(row, NAME)).color for row in range(3)]
    others = {SeenCell(model.index(0, column)).color for column in (0, SELF, CALLED)}
    model.set_colors(None)

    assert (colors, others) == (list(of_node.values()), {None})
    assert SeenCell(model.index(0, NAME)).color is None


@pytest.mark.parametrize(
    "name",
    [b"<b>bold</b><img src=x>", b"a\x01\x1b[31mb\tc", "a\u2028b\x85d".encode(), b"x" * 100_000],
)
def test_hostile_names_are_escaped_in_tips(tmp_path: Path, name: bytes) -> None:
    """A tip is HTML in which a name is text: its only tags are our own line breaks."""
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(b"events: Ir\n\nob=%s\nfl=%s\nfn=%s\n1 1\n" % ((name,) * 3))

    tip = function_model(ProfileQueries(load(path))).index(0, NAME).data(TIP)

    assert re.findall("<[^>]*>", tip) == ["<qt>", "<br>", "<br>", "</qt>"]
    assert (tip.isprintable(), len(tip) < 15_000) == (True, True)


def test_tip_of_a_number_ends_with_what_the_cell_does_not_say(tmp_path: Path) -> None:
    """Where percentages are shown, the cost is in the tip, below the names."""
    query = query_of(tmp_path, unit=CostUnit.PERCENT)
    model = shown(NO_FUNCTIONS, function_table(query))

    tips = [model.index(0, column).data(TIP) for column in (NAME, 0)]
    names = "<qt>main<br>File: a.c<br>Object: /bin/prog"
    assert tips == [f"{names}</qt>", f"{names}<br>100 Ir</qt>"]
