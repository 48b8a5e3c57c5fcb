"""The table of events: costs of the active function, names, formulas, ratios, and both sides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.events import ONE_SIDED, event_table
from qcachegrind_py.present.table import Table
from qcachegrind_py.profile.events import UserEvent
from tests.present.table_text import PERCENT, bars, compared_query, headings, table_rows, written
from tests.profile_text import THIN, queries_for, view_query

DRAWING = """
    events: Ir Dr D1mr
    event: Own : Made up
    main 10,4,0 -> f 1x90,0,5
    f 90,0,5
    """
RATES = (UserEvent("Rate", "Misses a read", "D1mr / Dr"), UserEvent("Twice", "", "2 Ir"))


def events_of(queries: ProfileQueries, name: str, **settings: Any) -> Table:
    """The events with the costs of a function."""
    return event_table(view_query(queries, function=queries.names.with_name(name)[0], **settings))


def in_order(table: Table, *keys: str) -> list[str]:
    """The rows in the order of the events."""
    return table_rows(table, *keys, by="event", ascending=True)


@pytest.fixture
def queries(tmp_path: Path) -> ProfileQueries:
    """A small profile with two user events."""
    queries = queries_for(tmp_path, DRAWING)
    queries.set_user_events(RATES)
    return queries


def test_costs_names_and_formulas(queries: ProfileQueries) -> None:
    """Measured events come first, in the file's order; derived ones have a formula.

    A ratio has four digits.
    """
    table = events_of(queries, "main")

    assert headings(table) == ["Event", "Incl.", "Self", "Long name", "Formula"]
    assert in_order(table) == [
        "Ir | 100 | 10 | Instruction Fetch | ",
        "Dr | 4 | 4 | Data Read Access | ",
        "D1mr | 5 |  | L1 Data Read Miss | ",
        "L1m | 5 |  | L1 Miss Sum | I1mr + D1mr + D1mw",
        "CEst | 150 | 10 | Cycle Estimation | Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm",
        "Rate | 1.250 | 0 | Misses a read | D1mr / Dr",
        "Twice | 200 | 20 |  | 2 Ir",
    ]


def test_percentages_are_of_the_total_of_each_event(queries: ProfileQueries) -> None:
    """A division by 0 is a dash; ratios have no bar."""
    table = events_of(queries, "f", unit=PERCENT)

    assert headings(table)[1:3] == ["Incl. %", "Self %"]
    assert in_order(table, "event", "inclusive", "self") == [
        "Ir | 90.00 | 90.00",
        "Dr |  | ",
        "D1mr | 100.00 | 100.00",
        "L1m | 100.00 | 100.00",
        "CEst | 93.33 | 93.33",
        "Rate | – | –",
        "Twice | 90.00 | 90.00",
    ]
    lengths = dict(
        zip(table_rows(table, "event", by="event"), bars(table, "inclusive", "event"), strict=True)
    )
    assert [lengths[name] for name in ("Ir", "D1mr", "Rate")] == [0.9, 1.0, 0.0]


def test_tip_has_names_and_formula_in_full(tmp_path: Path) -> None:
    """Names, formula and what it lacks are in the tip; missing names have no line."""
    queries = queries_for(tmp_path, "events: Ir Ge\nmain 1,1")
    queries.set_user_events([UserEvent("<b>Own</b>", "", "2 Ir / Ir")])
    table = events_of(queries, "main")

    assert [table.tip(row) for row in range(4)] == [
        ("Ir", "Instruction Fetch"),
        ("Ge", "Global Bus Event"),
        (
            "CEst",
            "Cycle Estimation",
            "Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm",
            "Not counted: Bm, L1m, L2m, LLm",
        ),
        ("<b>Own</b>", "2 Ir / Ir"),
    ]


def test_redefined_event_has_its_new_formula(tmp_path: Path) -> None:
    """The same name with another formula is shown with that formula and its costs."""
    queries = queries_for(tmp_path, DRAWING)
    queries.set_user_events([UserEvent("Own", "", "2 Ir")])
    queries.set_user_events([UserEvent("Own", "Long", "3 Ir")])

    assert in_order(events_of(queries, "main"))[-1] == "Own | 300 | 30 | Long | 3 Ir"


def test_changes_of_events(tmp_path: Path) -> None:
    """In a comparison costs are changes; those of an event that one side lacks are not known."""
    query = compared_query(tmp_path, "events: Ir Dr\nmain 100,2", "events: Ir Bc\nmain 150,3")
    table = event_table(query)

    columns = ("event", "inclusive", "self", "base", "new", "growth")
    assert headings(table, *columns[1:]) == ["Incl. ±", "Self ±", "Base", "New", "Growth"]
    assert in_order(table, *columns) == [
        f"Ir | +50 | +50 | 100 | 150 | +50.00{THIN}%",
        "Bc | – | – | – | 3 | ",
        "Dr | – | – | 2 | – | ",
    ]
    assert [table.tip(row)[-1] for row in range(3)] == ["Instruction Fetch", ONE_SIDED, ONE_SIDED]
    assert bars(table, "inclusive", "event") == [0.0, 0.0, 1.0]
    assert written(table, "inclusive", "base", "new", by="event")[-1] == [50, 100, 150]
