"""The table of parts: which they are, and what the active function cost in each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from qcachegrind_py.analysis.costs.totals import part_totals
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.models.base.table import Role
from qcachegrind_py.models.parts import PartLabels, PartModel, PartRows
from qcachegrind_py.present.former.cost_format import CostFormat
from tests.profile_text import WHOLE_SCOPE, dump_rows, event_named, titles

ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
THREE = """
version: 1
pid: 77
part: 1
thread: 1
desc: Trigger: Program termination
desc: I1 cache: <b>32 kB</b>
events: Ir Dr

fn=main
1 10 1
cfn=f
calls=2 1
1 30 2
fn=f
1 30 2

pid: 77
part: 2
thread: 1
desc: Trigger: --dump-every-bb=1
events: Ir Dr

fn=main
1 5 9
cfn=f
calls=1000 1
1 15 3
fn=f
1 15 3

events: Ir Dr

fn=other
1 7 50
"""


@pytest.fixture
def queries(tmp_path: Path) -> ProfileQueries:
    """The queries of a profile with three parts."""
    path = tmp_path / "callgrind.out.77"
    path.write_text(THREE)
    return ProfileQueries(load(path))


def rows_of(queries: ProfileQueries, name: str, event: str = "Ir") -> PartRows:
    """The costs of a function in each part."""
    kind, events = event_named(queries, event), queries.events
    costs = queries.part_costs(queries.names.with_name(name)[0], WHOLE_SCOPE)
    return PartRows(
        queries.profile.parts,
        events.evaluate(kind, part_totals(queries.profile)),
        events.evaluate(kind, costs.inclusive),
        events.evaluate(kind, costs.self_cost),
        costs.called,
        costs.is_active,
    )


def model_of(
    queries: ProfileQueries, name: str, event: str = "Ir", *, percent: bool = False
) -> PartModel:
    """The parts as a model, in their order."""
    model = PartModel()
    rows = rows_of(queries, name, event)
    whole = CostFormat(event, rows.total.sum().item(), percent)
    model.set_rows(rows, whole, CostFormat(event, rows.total.max().item(), percent))
    model.sort(PartModel.NAME, ASCENDING)
    return model


def test_model_passes_qt_model_checks(qtmodeltester: Any, queries: ProfileQueries) -> None:
    """The model passes Qt's consistency checks, even if it is empty."""
    qtmodeltester.check(model_of(queries, "main"))
    qtmodeltester.check(PartModel())


def test_model_passes_qt_model_checks_while_it_changes(queries: ProfileQueries) -> None:
    """Each change of sorting and costs is announced as Qt requires."""
    model = model_of(queries, "main")
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)

    for column in range(model.columnCount()):
        model.sort(column, ASCENDING)
        model.set_costs(rows_of(queries, "f", "Dr"), CostFormat("Dr", 67), CostFormat("Dr", 0))
        model.sort(column, DESCENDING)
    model.clear()

    assert (tester.model() is model, model.rowCount()) == (True, 0)


def test_parts_are_listed_with_costs_and_numbers(queries: ProfileQueries) -> None:
    """Each part is a row with its total, the function's costs in it, and its header."""
    model = model_of(queries, "main")

    assert titles(model) == [
        "Part",
        "Total",
        "Incl.",
        "Self",
        "Called",
        "PID",
        "Dump",
        "Thread",
        "Trigger",
    ]
    assert dump_rows(model) == [
        "PID 77 | 7 |  |  | 0 | 77 |  |  | ",
        "PID 77, part 1, thread 1 | 40 | 40 | 10 | 0 | 77 | 1 | 1 | Program termination",
        "PID 77, part 2, thread 1 | 20 | 20 | 5 | 0 | 77 | 2 | 1 | --dump-every-bb=1",
    ]


def test_active_calls_are_shown_in_their_part(tmp_path: Path) -> None:
    """A function on the stack at the end of a part has no count there; its number is 0."""
    path = tmp_path / "callgrind.out.77"
    path.write_text(
        "events: Ir\npid: 77\npart: 1\nfn=main\n1 1\ncfn=f\ncalls=0 1\n2 4\nfn=f\n1 4\n"
        "events: Ir\npid: 77\npart: 2\nfn=main\n1 1\ncfn=f\ncalls=3 1\n2 4\nfn=f\n1 4\n"
        "events: Ir\npid: 77\npart: 3\nfn=main\n1 1\n"
    )
    model = model_of(ProfileQueries(load(path)), "f")

    assert dump_rows(model, PartModel.CALLED) == ["(active)", "3", "0"]
    assert model.plain_values(PartModel.CALLED) == [0, 3, 0]


def test_percentages_of_the_function_are_of_each_part(queries: ProfileQueries) -> None:
    """A part's total is a share of all parts; the function's costs in it are shares of the part."""
    model = model_of(queries, "f", percent=True)

    columns = (PartModel.TOTAL, PartModel.INCLUSIVE, PartModel.SELF, PartModel.CALLED)
    assert titles(model)[1:4] == ["Total %", "Incl. %", "Self %"]
    assert dump_rows(model, *columns) == [
        "10.45 |  |  | 0",
        "59.70 | 75.00 | 75.00 | 2",
        "29.85 | 75.00 | 75.00 | 1\N{THIN SPACE}000",
    ]
    shares = [model.index(row, PartModel.SELF).data(Role.SHARE) for row in range(3)]
    assert shares == [0.0, 0.75, 0.75]


@pytest.mark.parametrize(
    ("column", "order", "expected"),
    [
        (PartModel.TOTAL, ASCENDING, [0, 2, 1]),
        (PartModel.PART, DESCENDING, [2, 1, 0]),
        (PartModel.CALLED, DESCENDING, [2, 1, 0]),
        (PartModel.TRIGGER, ASCENDING, [0, 2, 1]),
    ],
)
def test_parts_sort_by_any_column(
    queries: ProfileQueries, column: int, order: Qt.SortOrder, expected: list[int]
) -> None:
    """Numbers sort as numbers, unknown ones first, triggers as words."""
    model = model_of(queries, "f")

    model.sort(column, order)

    assert model.order.tolist() == expected


def test_other_event_keeps_the_current_part(queries: ProfileQueries, qtbot: Any) -> None:
    """New costs of the same parts move rows, and their indexes with them."""
    model = model_of(queries, "main")
    model.sort(PartModel.TOTAL, DESCENDING)
    current = QPersistentModelIndex(model.index(0, 0))

    with qtbot.assertNotEmitted(model.modelReset):
        model.set_costs(rows_of(queries, "main", "Dr"), CostFormat("Dr", 67, False), CostFormat())

    assert dump_rows(model, PartModel.TOTAL) == ["50", "12", "3"]
    assert (current.row(), current.data()) == (2, "PID 77, part 1, thread 1")


@pytest.mark.parametrize(
    ("pid", "part", "thread", "name"),
    [
        (77, 1, 2, "PID 77, part 1, thread 2"),
        (77, 1, 0, "PID 77, part 1"),
        (77, 0, 2, "PID 77, thread 2"),
        (77, 0, 0, "PID 77"),
        (0, 1, 2, "1: callgrind.out.77, part 1, thread 2"),
        (0, 0, 0, "1: callgrind.out.77"),
    ],
)
def test_part_is_named_by_its_known_numbers(
    queries: ProfileQueries, pid: int, part: int, thread: int, name: str
) -> None:
    """A part is named by process, dump and thread; without a process by its number and file."""
    known = replace(queries.profile.parts[0], pid=pid, part=part, thread=thread)

    assert list(PartLabels((known,))) == [name]


def test_tooltip_has_the_path_and_all_descriptions_as_text(queries: ProfileQueries) -> None:
    """The descriptions in a part's header are displayed as text, even if they look like HTML."""
    tip = model_of(queries, "main").index(1, 0).data(Qt.ItemDataRole.ToolTipRole)

    path = queries.profile.parts[0].path
    lines = ("Trigger: Program termination", "I1 cache: &lt;b&gt;32 kB&lt;/b&gt;")
    assert tip == f"<qt>{path}<br>{lines[0]}<br>{lines[1]}</qt>"


def test_hostile_trigger_is_one_line_of_plain_text(tmp_path: Path) -> None:
    """A trigger is displayed in one line of bounded length, without unprintable characters."""
    path = tmp_path / "callgrind.out.1"
    text = "desc: Trigger: <i>a\x01\u202eb</i>" + "x" * 100_000
    path.write_text(f"# callgrind format\n{text}\nevents: Ir\n\nfn=main\n1 1\n")
    model = PartModel()

    model.set_rows(rows_of(ProfileQueries(load(path)), "main"), CostFormat(), CostFormat())

    shown = model.index(0, PartModel.TRIGGER).data()
    assert (shown[:22], shown[-2:], len(shown)) == (r"<i>a\x01\u202eb</i>xxx", "x…", 401)


def test_parts_are_no_functions(queries: ProfileQueries) -> None:
    """A part row has no function, so no selection elsewhere highlights it."""
    model = model_of(queries, "main")

    model.highlight(0)

    marked = {model.index(row, 0).data(Role.HIGHLIGHT) for row in range(3)}
    assert (marked, model.index(0, 0).data(Role.FUNCTION)) == ({False}, -1)


def test_cells_for_other_programs_are_whole_numbers(queries: ProfileQueries) -> None:
    """Copied costs are whole numbers, even if percentages are shown."""
    model = model_of(queries, "f", percent=True)

    cells = [model.plain_text(model.index(2, column)) for column in range(9)]

    name = "PID 77, part 2, thread 1"
    assert cells == [name, "20", "15", "15", "1000", "77", "2", "1", "--dump-every-bb=1"]
