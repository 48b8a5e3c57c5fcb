"""What Source and Assembler have in common: positions, following calls and jumps, sleeping."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.code.code_views import CodeView
from tests.code_programs import JUMPS, PROFILE, PROGRAMS, SOURCES
from tests.user_input import (
    active_name,
    choose_action,
    enabled_texts,
    function_id,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
    row_menu,
)
from tests.views.code.code_rows_text import (
    click,
    current,
    double_click,
    is_row_visible,
    marked_locations,
    row_of,
    rows,
)
from tests.views.code.conftest import ShowCode, WriteFiles

Settle = Callable[[Any], None]


class Places(NamedTuple):
    """Where something is in the shown function, and how a called one begins."""

    function: str
    costliest: str
    plain: str  # a place without a jump
    line: int
    address: int | None
    jump: str
    target: str
    called: str
    first_row: str


OF = {
    "Source": Places(
        "main", "12", "13", 13, None, "11", "12", "helper", '1 |  |  |  | #include "inl.h"'
    ),
    "Assembler": Places(
        "tail0", "12a5", "12a1", 20, 0x12A1, "129a", "12a2", "tail1", " |  |  |  | tail1:"
    ),
}


@pytest.fixture(params=["source", "assembler"])
def view(request: pytest.FixtureRequest, show_code: ShowCode, write_files: WriteFiles) -> CodeView:
    """A function with calls and jumps."""
    write_files(SOURCES)
    profile = PROFILE if request.param == "source" else JUMPS
    shown: CodeView = show_code(request.param, profile, OF[request.param.title()].function)
    return shown


def test_it_opens_at_the_costliest_place(view: CodeView, navigation: Navigation) -> None:
    """Only the source sets the position, which marks the instructions of the line, too."""
    of, position = OF[view.title], navigation.context.position

    assert current(view) == of.costliest
    assert is_row_visible(view, view.table.currentIndex().row())
    assert (position is None) == (view.title == "Assembler")
    assert view.missing_file_bar.isHidden()
    path = f"{PROGRAMS / 'bin/jumps-O1'} (x86-64)" if position is None else "prog.c"
    assert path in view.note.text()


def test_a_click_sets_the_position(view: CodeView, navigation: Navigation) -> None:
    """Only the clicked line or instruction is marked; a click on a call selects its function."""
    of = OF[view.title]
    click(view, of.plain)
    position = navigation.context.position
    assert position is not None
    assert (position.line, position.address) == (of.line, of.address)
    assert marked_locations(view) == [of.plain]

    click(view, of.called)
    assert navigation.context.position == position
    assert navigation.context.selected == function_id(view.session, of.called)


def activate(view: CodeView, start: str, by: str, action: str) -> None:
    """Activate a row by the mouse, a key, or its menu."""
    if by == "double click":
        double_click(view, start)
    elif by == "menu":
        choose_action(row_menu(view.table, row_of(view, start)), action)
    else:
        click(view, start)
        QTest.keyClick(view.table, Qt.Key[f"Key_{by}"])
        process_events()


WAYS = pytest.mark.parametrize("by", ["double click", "Return", "Enter", "menu"])


@ignore_offscreen_warnings
@WAYS
def test_a_call_is_followed_and_back_returns(
    view: CodeView, session: Session, navigation: Navigation, settle: Settle, by: str
) -> None:
    """Activating a call goes to its function, and Back returns to where the view was."""
    of, before = OF[view.title], rows(view)
    activate(view, of.called, by, "Go to Function")
    settle(view)
    assert (active_name(session, navigation), rows(view)[0]) == (of.called, of.first_row)

    navigation.go_back()
    settle(view)
    assert (active_name(session, navigation), rows(view)) == (of.function, before)


@ignore_offscreen_warnings
@WAYS
def test_a_jump_is_followed(view: CodeView, navigation: Navigation, by: str) -> None:
    """Activating a line or instruction goes to its jump target, the new position."""
    of = OF[view.title]
    activate(view, of.jump, by, f"Go to Jump Target {of.target}")
    position = navigation.context.position
    assert position is not None
    assert (current(view), marked_locations(view)) == (of.target, [of.target])
    assert of.target in (str(position.line), f"{position.address or 0:x}")

    double_click(view, of.plain)  # no jump
    assert current(view) == of.plain
    menu = inspect_menu(row_menu(view.table, row_of(view, of.plain)), enabled_texts)
    assert [text for text in menu if "Jump" in text] == []


def test_an_inactive_view_reads_nothing(
    view: CodeView, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """Behind a tab nothing is read or decoded; the view catches up when shown."""
    of, before = OF[view.title], rows(view)
    view.set_active(False)
    go_to(session, navigation, of.called)
    assert not session.jobs.is_running(view.title)
    assert rows(view) == before

    view.set_active(True)
    settle(view)
    assert rows(view)[0] == of.first_row
    assert rows(view) != before
