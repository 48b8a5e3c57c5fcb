"""Hidden views do no work, whether closed or behind other tabs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.context import Change, CostUnit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.views.profile_view import ProfileView
from tests.profile_text import EXAMPLE
from tests.user_input import (
    VIEW_IDS,
    click_row,
    go_to,
    ignore_offscreen_warnings,
    process_events,
)

FRONT = {"Functions", "Callers", "Callees", "Call Graph"}
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def refreshed(
    window: MainWindow, open_file: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[str, Change]]:
    """The refreshes from now on, by the title of the view."""
    open_file(EXAMPLE)
    process_events()
    found: list[tuple[str, Change]] = []

    def watch(title: str, view: ProfileView) -> None:
        refresh = view.refresh

        def watched(query: ViewQuery, change: Change) -> None:
            found.append((title, change))
            refresh(query, change)

        monkeypatch.setattr(view, "refresh", watched)

    for title, view_id in VIEW_IDS.items():
        watch(title, window.docks.view(view_id))
    return found


Refreshed = list[tuple[str, Change]]


def test_views_behind_tabs_are_inactive(window: MainWindow, refreshed: Refreshed) -> None:
    """A selection refreshes each visible view once, and no other."""
    go_to(window.session, window.navigation, "main")
    refreshed.clear()
    go_to(window.session, window.navigation, "check_match")

    assert sorted(title for title, _ in refreshed) == sorted(FRONT)


def test_tab_that_comes_to_the_front_catches_up_once(
    window: MainWindow, refreshed: Refreshed
) -> None:
    """Raising a tab makes up for all missed changes in one refresh."""
    go_to(window.session, window.navigation, "main")
    window.docks.by_id["all_callers"].raise_()
    process_events()
    refreshed.clear()
    window.docks.by_id["callers"].raise_()
    process_events()
    refreshed.clear()
    go_to(window.session, window.navigation, "check_match")
    window.navigation.set(unit=CostUnit.ABSOLUTE)
    process_events()
    window.docks.by_id["all_callers"].raise_()
    process_events()
    found = [change for title, change in refreshed if title == "All Callers"]

    assert len(found) == 1
    assert found[0] & Change.FUNCTION
    assert found[0] & Change.UNIT


def test_closed_dock_is_inactive(window: MainWindow, refreshed: Refreshed) -> None:
    """A closed dock costs no time and is up to date when shown again."""
    callees = window.docks.by_id["callees"]
    for dock in [*window.tabifiedDockWidgets(callees), callees]:
        dock.close()
    process_events()
    refreshed.clear()
    go_to(window.session, window.navigation, "check_match")
    closed = {title for title, _ in refreshed}
    refreshed.clear()
    window.docks.show("callees")
    process_events()

    assert closed == {"Functions", "Callers", "Call Graph"}
    assert [title for title, change in refreshed if change & Change.FUNCTION] == ["Callees"]
    assert window.views.callees.model.rowCount() > 0


def test_minimized_window_and_hidden_docks_are_right_again(
    window: MainWindow, refreshed: Refreshed
) -> None:
    """A window shows the active function when it is restored."""
    window.hide()
    go_to(window.session, window.navigation, "check_match")
    hidden = [title for title, _ in refreshed if title in FRONT]
    window.show()
    process_events()

    assert hidden == []
    assert {title for title, _ in refreshed} >= FRONT


def test_parts_are_not_drawn_before_they_are_seen(window: MainWindow) -> None:
    """The timeline, whose library is slow to import, is not created behind a tab."""
    assert window.views.part_list.panel.timeline is None


def test_hidden_list_selects_no_number_of_the_profile_before(
    window: MainWindow, draw: Callable[..., Path], open_file: Callable[..., None], tmp_path: Path
) -> None:
    """A profile without costs hides the list that has the keyboard; the next list may get it.

    That one still had the functions of the profile before, and selected one of them.
    """
    open_file(draw("main 1 -> f 3x60\nf 60 -> g 1x30\ng 30"))
    click_row(window.views.function_list.table, 0)
    empty = tmp_path / "callgrind.out.1"
    empty.write_text("events: Ir\n")
    open_file(empty)

    assert window.session.queries is not None
    assert window.session.queries.function_count == 0
    assert window.navigation.context.selected == NO_NODE
