"""The Assembler dock: settings, positions from elsewhere, jumps into folds, jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.context import Position
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.code.code_views import AssemblerView
from tests.code_programs import JUMPS
from tests.columns import CODE_LINES, INSTRUCTIONS
from tests.user_input import go_to, process_events
from tests.views.code.code_rows_text import (
    click,
    current,
    double_click,
    is_row_visible,
    marked_locations,
    rows,
)
from tests.views.code.conftest import ShowCode

Settle = Callable[[AssemblerView], None]


@pytest.fixture
def view(show_code: ShowCode) -> AssemblerView:
    """The instructions of tail0 in the program with jumps."""
    shown: AssemblerView = show_code("assembler", JUMPS, "tail0")
    return shown


def inclusive_costs(view: AssemblerView) -> dict[str, int]:
    """The inclusive cost of each instruction, by address."""
    found = (row.split(" | ") for row in rows(view, CODE_LINES.LOCATION, CODE_LINES.INCLUSIVE))
    return {place: int(cost or 0) for place, cost in found if place}


# ---------------------------------------------------------------- content


def test_settings_are_seen_at_once(
    view: AssemblerView, navigation: Navigation, settle: Settle
) -> None:
    """Changing syntax or bytes keeps the position; bytes are hidden by default."""
    before = rows(view)[-1]
    click(view, "12a2")
    assert view.table.isColumnHidden(INSTRUCTIONS.BYTES)
    style = navigation.context.annotation
    navigation.set(annotation=replace(style, intel_syntax=True, code_bytes=True))
    settle(view)
    assert not view.table.isColumnHidden(INSTRUCTIONS.BYTES)
    columns = CODE_LINES.LOCATION, INSTRUCTIONS.BYTES, view.model.place("text")
    assert rows(view, *columns)[-4:] == [
        "12a2 | 83 c7 01 | add     edi, 1",
        "12a5 | e8 e3 ff ff ff | call    128d <tail1>",
        " |  | tail1  jumps-O1: jumps.c",
        "12aa | c3 | ret",
    ]
    assert (current(view), marked_locations(view)) == ("12a2", ["12a2"])
    navigation.set(annotation=style)
    settle(view)
    assert (rows(view)[-1], current(view)) == (before, "12a2")


# ---------------------------------------------------------------- position


def test_line_marks_its_instructions(
    show_code: ShowCode, navigation: Navigation, settle: Settle
) -> None:
    """All instructions of a chosen source line are marked; the costliest is scrolled to."""
    view = show_code("assembler", JUMPS, "interp")
    bar, model = view.table.verticalScrollBar(), view.model
    file = next(int(f) for f in model.listing.rows.file if f)
    lines = dict(row.split(" | ") for row in rows(view, *model.places("location", "source")))
    costs = inclusive_costs(view)

    navigation.set(position=Position(file, 16))
    process_events()
    of_line = [place for place, source in lines.items() if source == "jumps.c:16"]
    costliest = max(of_line, key=costs.__getitem__)
    assert (marked_locations(view), current(view)) == (of_line, costliest)
    assert (len(of_line) > 0, is_row_visible(view, view.table.currentIndex().row())) == (True, True)

    scrolled = bar.value()
    navigation.set(position=Position(file, 13))  # visible, some rows above
    process_events()
    of_line = [place for place, source in lines.items() if source == "jumps.c:13"]
    costliest = max(of_line, key=costs.__getitem__)
    assert (marked_locations(view), current(view), bar.value()) == (of_line, costliest, scrolled)

    navigation.set(position=Position(file, 13, int(of_line[1], 16)))
    process_events()
    assert (marked_locations(view), current(view)) == ([of_line[1]], of_line[1])
    for nowhere in (Position(file, 900), Position(file, 0), Position(0, 13)):  # no such line
        navigation.set(position=nowhere)
        process_events()
        assert (marked_locations(view), current(view), bar.value()) == ([], of_line[1], scrolled)
    navigation.set(position=Position(file, 13))
    navigation.set(position=None)
    process_events()
    assert (marked_locations(view), bar.value()) == ([], scrolled)


@pytest.mark.parametrize("at_once", [False, True])
def test_source_and_assembler_open_at_the_same_place(
    show_code: ShowCode,
    show_view: Callable[[AssemblerView], AssemblerView],
    session: Session,
    navigation: Navigation,
    settle: Settle,
    at_once: bool,
) -> None:
    """Both open at the costliest source line, whichever loads first.

    The assembler shows the costliest instruction of that line.
    """
    source = show_code("source", JUMPS, "tail0")
    view = show_view(AssemblerView(session, ()))
    for name in ("interp", "main", "interp", "sw", "interp"):
        view.set_active(at_once)
        go_to(session, navigation, name)
        settle(source)
        view.set_active(True)
        settle(view)
        costs = [row.split(" | ") for row in rows(source)]
        costliest = max((cells for cells in costs if cells[0]), key=lambda c: int(c[2] or 0))[0]
        assert (current(source), costliest in marked_locations(source)) == (costliest, True)
        places = dict(
            row.split(" | ") for row in rows(view, CODE_LINES.LOCATION, INSTRUCTIONS.SOURCE)
        )
        assert {places[place] for place in marked_locations(view)} == {f"jumps.c:{costliest}"}
        assert current(view) == max(marked_locations(view), key=inclusive_costs(view).__getitem__)


# ---------------------------------------------------------------- jumps and calls


def test_jump_into_a_fold(show_code: ShowCode, navigation: Navigation) -> None:
    """A jump that was never taken goes into a fold and opens it."""
    view = show_code("assembler", JUMPS, "deep", context_lines=0)
    shown = rows(view)
    assert shown[-1] == " |  |  |  | 5 instructions without cost"
    double_click(view, "12c0")
    opened = [f"{at} |  |  |  | " for at in ("12ca", "12ce", "12cf", "12d4", "12db")]
    assert (current(view), rows(view)[:-5]) == ("12cf", shown[:-1])
    assert [row[:16] for row in rows(view)[-5:]] == opened
    navigation.set(position=Position(0, 0))  # an unknown line, like that of these five
    process_events()
    assert marked_locations(view) == []


# ---------------------------------------------------------------- inactive views, jobs


def test_the_latest_function_wins(
    view: AssemblerView, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """Of several functions chosen quickly, the last is shown."""
    for name in ("interp", "main", "deep", "sw", "tail2"):
        go_to(session, navigation, name)
    settle(view)
    assert rows(view)[0] == " |  |  |  | tail2:"


def test_hidden_while_loading(
    view: AssemblerView, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """A view hidden while loading shows the result later and leaves no thread."""
    go_to(session, navigation, "interp")
    view.set_active(False)
    qtbot.waitUntil(lambda: not session.jobs.is_running("Assembler"))
    view.set_active(True)
    qtbot.waitUntil(lambda: not session.jobs.is_running("Assembler"))
    process_events()
    assert rows(view)[0] == " |  |  |  | interp:"
