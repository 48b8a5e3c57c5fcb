"""The table of events: costs of the active function, names, formulas, ratios."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.table import Role
from qcachegrind_py.models.events import EventModel, EventRow
from qcachegrind_py.profile.events import UserEvent
from tests.profile_text import THIN, WHOLE_SCOPE, cost_format, dump_rows, queries_for, titles

ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
DRAWING = """
    events: Ir Dr D1mr
    event: Own : Made up
    main 10,4,0 -> f 1x90,0,5
    f 90,0,5
    """
RATES = (UserEvent("Rate", "Misses a read", "D1mr / Dr"), UserEvent("Twice", "", "2 Ir"))


def rows_of(queries: ProfileQueries, name: str, *, percent: bool = False) -> tuple[EventRow, ...]:
    """The costs of the function in each event."""
    function = queries.names.with_name(name)[0]
    return tuple(
        EventRow(
            event,
            queries.inclusive(event, WHOLE_SCOPE)[function].item(),
            queries.self_cost(event, WHOLE_SCOPE)[function].item(),
            cost_format(queries, event.name, percent=percent),
        )
        for event in queries.events.all
    )


def model_of(folder: Path, name: str, *, percent: bool = False) -> EventModel:
    """The events of a small profile and two user events, as a model."""
    queries = queries_for(folder, DRAWING)
    queries.set_user_events(RATES)
    model = EventModel()
    model.set_rows(rows_of(queries, name, percent=percent))
    model.sort(EventModel.EVENT, ASCENDING)
    return model


def test_model_passes_qt_model_checks(qtmodeltester: Any, tmp_path: Path) -> None:
    """The model passes Qt's consistency checks, even if it is empty."""
    qtmodeltester.check(model_of(tmp_path, "main"))
    qtmodeltester.check(EventModel())


def test_model_passes_qt_model_checks_while_it_changes(tmp_path: Path) -> None:
    """Other costs and other events are announced as Qt requires."""
    queries = queries_for(tmp_path, DRAWING)
    model = EventModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)

    for column in range(model.columnCount()):
        model.set_rows(rows_of(queries, "main"))
        model.sort(column, ASCENDING)
        queries.set_user_events(RATES[:1])
        model.set_rows(rows_of(queries, "f", percent=True))
        model.sort(column, DESCENDING)
        queries.set_user_events(())
        model.set_rows(rows_of(queries, "f"))
    model.clear()

    assert (tester.model() is model, model.rowCount()) == (True, 0)


def test_events_are_listed_with_costs_names_and_formulas(tmp_path: Path) -> None:
    """Measured events come first, in the file's order; derived ones have a formula.

    A ratio has four digits.
    """
    model = model_of(tmp_path, "main")

    assert titles(model) == ["Event", "Incl.", "Self", "Long name", "Formula"]
    assert dump_rows(model) == [
        "Ir | 100 | 10 | Instruction Fetch | ",
        "Dr | 4 | 4 | Data Read Access | ",
        "D1mr | 5 |  | L1 Data Read Miss | ",
        "L1m | 5 |  | L1 Miss Sum | I1mr + D1mr + D1mw",
        "CEst | 150 | 10 | Cycle Estimation | Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm",
        "Rate | 1.250 | 0 | Misses a read | D1mr / Dr",
        "Twice | 200 | 20 |  | 2 Ir",
    ]


def test_undefined_ratio_is_a_dash(tmp_path: Path) -> None:
    """A division by 0 is a dash; percentages are of each event's total."""
    model = model_of(tmp_path, "f", percent=True)

    assert titles(model)[1:3] == ["Incl. %", "Self %"]
    assert dump_rows(model, 0, 1, 2) == [
        "Ir | 90.00 | 90.00",
        "Dr |  | ",
        "D1mr | 100.00 | 100.00",
        "L1m | 100.00 | 100.00",
        "CEst | 93.33 | 93.33",
        "Rate | – | –",
        "Twice | 90.00 | 90.00",
    ]
    shares = [model.index(row, EventModel.INCLUSIVE).data(Role.SHARE) for row in (0, 2, 5)]
    assert shares == [0.9, 1.0, 0.0]


@pytest.mark.parametrize("order", [ASCENDING, DESCENDING])
def test_undefined_ratio_is_last_in_both_directions(tmp_path: Path, order: Qt.SortOrder) -> None:
    """Sorted by cost, the dash comes after all numbers."""
    model = model_of(tmp_path, "f")

    model.sort(EventModel.INCLUSIVE, order)

    assert dump_rows(model, 0, 1)[-1] == "Rate | –"


def test_costs_are_shown_to_the_last_digit(tmp_path: Path) -> None:
    """A cost beyond float precision is displayed exactly."""
    cost = 2**53 + 1
    model = EventModel()

    model.set_rows(rows_of(queries_for(tmp_path, f"main {cost}"), "main"))

    assert dump_rows(model, EventModel.SELF)[0] == f"{cost:,}".replace(",", THIN)


def test_cells_for_other_programs_are_exact(tmp_path: Path) -> None:
    """A copied cost is an exact whole number, whatever unit is shown."""
    cost = 2**53 + 1
    model = EventModel()

    model.set_rows(rows_of(queries_for(tmp_path, f"main {cost}"), "main", percent=True))
    model.sort(EventModel.EVENT, ASCENDING)

    shown = [model.plain_text(model.index(0, column)) for column in range(3)]
    assert shown == ["Ir", str(cost), str(cost)]


def test_current_event_stays_current_when_costs_change(tmp_path: Path, qtbot: Any) -> None:
    """The same events of another function are the same rows; other events are other rows."""
    queries = queries_for(tmp_path, DRAWING)
    model = EventModel()
    model.set_rows(rows_of(queries, "main"))
    model.sort(EventModel.SELF, DESCENDING)
    current = QPersistentModelIndex(model.index(2, 0))
    event = current.data()

    with qtbot.assertNotEmitted(model.modelReset):
        model.set_rows(rows_of(queries, "f"))
    kept = current.isValid() and current.data()
    queries.set_user_events(RATES)
    model.set_rows(rows_of(queries, "f"))

    assert (kept, current.isValid()) == (event, False)


def test_redefined_event_has_its_new_formula(tmp_path: Path) -> None:
    """The same name with another formula is another event, and shown with that formula."""
    queries = queries_for(tmp_path, DRAWING)
    queries.set_user_events([UserEvent("Own", "", "2 Ir")])
    model = EventModel()
    model.set_rows(rows_of(queries, "main"))

    queries.set_user_events([UserEvent("Own", "Long", "3 Ir")])
    model.set_rows(rows_of(queries, "main"))

    assert [line for line in dump_rows(model) if line.startswith("Own")] == [
        "Own | 300 | 30 | Long | 3 Ir"
    ]


def test_tooltip_has_names_and_formula_in_full(tmp_path: Path) -> None:
    """Names and formula are in the tooltip, escaped; missing ones have no line."""
    queries = queries_for(tmp_path, "events: Ir Ge\nmain 1,1")
    queries.set_user_events([UserEvent("<b>Own</b>", "", "2 Ir / Ir")])
    model = EventModel()
    model.set_rows(rows_of(queries, "main"))
    model.sort(EventModel.EVENT, ASCENDING)

    tips = [model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole) for row in range(4)]

    assert tips == [
        "<qt>Ir<br>Instruction Fetch</qt>",
        "<qt>Ge<br>Global Bus Event</qt>",
        "<qt>CEst<br>Cycle Estimation<br>Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm</qt>",
        "<qt>&lt;b&gt;Own&lt;/b&gt;<br>2 Ir / Ir</qt>",
    ]


def test_hostile_names_are_one_line_of_bounded_length(tmp_path: Path) -> None:
    """Names and formulas of events are shown in one line, however long or unusual."""
    queries = queries_for(tmp_path, "events: Ir\nmain 1")
    queries.set_user_events([UserEvent("x" * 5000, "a\x01\u202eb", " + ".join(["Ir"] * 500))])
    model = EventModel()
    model.set_rows(rows_of(queries, "main"))
    model.sort(EventModel.EVENT, ASCENDING)

    cells = [
        model.index(1, column).data()
        for column in (EventModel.EVENT, EventModel.LONG_NAME, EventModel.FORMULA)
    ]

    assert cells[:2] == ["x" * 400 + "…", r"a\x01\u202eb"]
    assert (len(cells[2]) <= 401, cells[2].isprintable()) == (True, True)
