"""Journeys that answer a question: what costs most, who calls it, which thread, what is hidden.

What the window says is compared with plain sums over the lines of the profile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.events import UserEvent
from tests.columns import CALLS, FUNCTIONS, PARTS, STACK, TRANSITIVE
from tests.profile_rows import DATA, call_rows, cost_rows
from tests.profile_text import THIN, dump_rows
from tests.user_input import (
    CTRL,
    LEFT,
    active_name,
    click_row,
    double_click_row,
    go_to,
    ignore_offscreen_warnings,
    process_events,
    without_mnemonic,
)

THREADS = DATA / "threads-combined-bb/callgrind.out.22283.xz"
NAME, SELF = FUNCTIONS.NAME, FUNCTIONS.SELF
KEY, ALT = Qt.Key, Qt.KeyboardModifier.AltModifier
Settle = Callable[[], None]
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def settle(window: MainWindow, qtbot: QtBot) -> Settle:
    """Return a function that waits until the window has finished all requested work."""

    def settle() -> None:
        process_events()
        jobs = ("open", "scope", "filter", "groups", "timeline")
        qtbot.waitUntil(lambda: not any(window.jobs.is_running(job) for job in jobs))
        process_events()

    return settle


@pytest.fixture
def window(window: MainWindow, open_file: Callable[..., None], settle: Settle) -> MainWindow:
    """The window with a run of three threads, written in two dumps."""
    open_file(THREADS)
    settle()
    return window


def self_costs() -> dict[int, dict[str, int]]:
    """The self cost of each function in each part, summed over the lines of the file."""
    costs: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in cost_rows(load(THREADS)):
        costs[row[0]][row[1][0]] += row[5][0]
    return costs


def threads() -> dict[int, list[int]]:
    """The parts of each thread."""
    found: dict[int, list[int]] = defaultdict(list)
    for number, part in enumerate(load(THREADS).parts):
        found[part.thread].append(number)
    return found


def percent(cost: int, of: int) -> str:
    """A percentage as the window writes it."""
    return f"{100 * cost / of:.2f}"


def sort_by(window: MainWindow, column: int, qtbot: QtBot) -> None:
    """Click on a header of the function list."""
    header = window.views.function_list.table.horizontalHeader()
    place = header.rect().topLeft()
    place.setX(header.sectionViewportPosition(column) + 9)
    place.setY(header.height() // 2)
    qtbot.mouseClick(header.viewport(), LEFT, pos=place)
    process_events()


def test_what_costs_most_and_who_calls_it(window: MainWindow, qtbot: QtBot) -> None:
    """The costliest function, the call behind its cost, and the path to it from the start."""
    click_row(window.views.function_list.table, 0)
    costliest = active_name(window.session, window.navigation)
    caller = dump_rows(window.views.callers.model, CALLS.COST, CALLS.COUNT, CALLS.NAME)
    qtbot.keyClick(window, KEY.Key_7, ALT)
    process_events()
    way = dump_rows(window.views.call_stack.model, STACK.NAME)
    qtbot.keyClick(window, KEY.Key_4, ALT)
    process_events()
    everybody = dump_rows(window.views.all_callers.model, TRANSITIVE.NAME)
    qtbot.keyClick(window, KEY.Key_2, ALT)
    process_events()
    double_click_row(window.views.callers.table, 0)
    above = active_name(window.session, window.navigation)

    totals: dict[str, int] = defaultdict(int)
    for costs in self_costs().values():
        for name, cost in costs.items():
            totals[name] += cost
    expected = max(totals, key=totals.__getitem__)
    calls = [row for row in call_rows(load(THREADS)) if row[2][0] == expected]
    cost, count = sum(row[7][0] for row in calls), sum(row[6] for row in calls)
    assert costliest == expected == "work_even"
    assert caller == [f"{percent(cost, sum(totals.values()))} | {count} | worker"]
    pairs = {(row[1][0], row[2][0]) for row in call_rows(load(THREADS))}
    assert way[-4:] == ["clone", "start_thread", "worker", "work_even"]
    assert [step for step in pairwise(way) if step not in pairs] == []
    assert set(way[-4:-1]) <= set(everybody)
    assert above == "worker"


def test_which_thread_spends_it(window: MainWindow, qtbot: QtBot, settle: Settle) -> None:
    """The parts show each thread's cost in a function; one click selects a thread."""
    go_to(window.session, window.navigation, "work_even")
    window.actions_["absolute"].trigger()
    qtbot.keyClick(window, KEY.Key_9, ALT)
    settle()
    of_parts = dump_rows(window.views.part_list.model, PARTS.THREAD, PARTS.SELF)
    found = {}
    for number in threads():
        buttons = window.views.part_list.findChildren(QAbstractButton)
        (button,) = [
            b for b in buttons if without_mnemonic(b.text()) == f"Thread {number}" and b.isVisible()
        ]
        qtbot.mouseClick(button, LEFT)
        settle()
        rows = dict(
            reversed(line.split(" | "))
            for line in dump_rows(window.views.function_list.model, SELF, NAME)
        )
        found[number] = (rows["work_even"], window.status_bar.parts.text())
    window.actions_["all_parts"].trigger()
    settle()

    costs, parts = self_costs(), threads()
    spent = {t: sum(costs[p].get("work_even", 0) for p in numbers) for t, numbers in parts.items()}

    def written(number: int) -> str:
        return f"{number:,}".replace(",", THIN) if number else ""

    assert sorted(of_parts) == sorted(
        f"{thread} | {written(costs[part].get('work_even', 0))}"
        for thread, numbers in parts.items()
        for part in numbers
    )
    assert found == {t: (written(cost), "2 of 6 parts") for t, cost in spent.items()}
    assert len([cost for cost in spent.values() if cost]) == 1
    assert window.status_bar.parts.text() == "6 parts"


def test_what_the_filter_hides(window: MainWindow, qtbot: QtBot, settle: Settle) -> None:
    """The number and cost of hidden functions are shown; one key shows them again."""
    all_rows = dump_rows(window.views.function_list.model, NAME)
    qtbot.keyClick(window, KEY.Key_L, CTRL)
    qtbot.keyClicks(window.filter_bar, "self>1% !^_dl")
    qtbot.keyClick(window.filter_bar, KEY.Key_Return)
    settle()
    shown = dump_rows(window.views.function_list.model, NAME)
    said = window.views.function_list.search.found_text
    status = window.status_bar.filter.text()
    qtbot.keyClick(window, KEY.Key_L, CTRL | Qt.KeyboardModifier.ShiftModifier)
    settle()

    profile = load(THREADS)
    totals: dict[object, int] = defaultdict(int)
    for row in cost_rows(profile):
        totals[row[1]] += row[5][0]
    whole = sum(totals.values())
    kept = {f: c for f, c in totals.items() if 100 * c > whole and not f[0].startswith("_dl")}  # type: ignore[index]
    share = f"{100 * sum(kept.values()) / whole:.1f}"
    assert sorted(shown) == sorted(f[0] for f in kept)  # type: ignore[index]
    of_all = f"{len(kept)} of {len(profile.functions)} functions"
    assert said == f"{of_all} ({share}{THIN}% of self cost)"
    assert status == "Filter: self>1% !^_dl"
    assert (dump_rows(window.views.function_list.model, NAME), window.filter_bar.text()) == (
        all_rows,
        "",
    )


def window_state(window: MainWindow) -> dict[str, object]:
    """The complete visible state of the window."""
    context, docks = window.navigation.context, window.docks.by_id
    functions = window.views.function_list
    header = functions.table.horizontalHeader()
    return {
        "closed": [name for name, dock in docks.items() if dock.isHidden()],
        "tabs": {name: len(window.tabifiedDockWidgets(dock)) for name, dock in docks.items()},
        "columns": [header.logicalIndex(place) for place in range(header.count())],
        "hidden": [c for c in range(header.count()) if functions.table.isColumnHidden(c)],
        "rows": dump_rows(functions.model, NAME)[:20],
        "event": window.event_combo.currentText(),
        "second": window.second_event_combo.currentText(),
        "grouping": functions.grouping_box.currentText(),
        "groups": dump_rows(functions.groups.model)[:5],
        "active": active_name(window.session, window.navigation),
        "current": functions.table.current_function() == context.function,
        "unit": window.actions_["absolute"].isChecked(),
        "cycles": window.actions_["cycles"].isChecked(),
        "size": (window.width(), window.height()),
    }


def test_restart_restores_everything(
    window: MainWindow,
    qtbot: QtBot,
    settle: Settle,
    restarted_window: Callable[[Path], MainWindow],
) -> None:
    """Docks, columns, sorting, events, grouping, unit and active function are restored."""
    twice = UserEvent("Twice", "", "2 Ir")  # the profile measures one event
    window.settings.definitions = (twice,)
    window.session.set_user_events([twice])
    settle()
    plain_one = window_state(window)
    window.resize(780, 600)
    window.docks.by_id["call_tree"].close()
    window.docks.by_id["all_callers"].close()
    window.tabifyDockWidget(window.docks.by_id["function_list"], window.docks.by_id["call_stack"])
    window.docks.by_id["function_list"].raise_()
    table = window.views.function_list.table
    table.setColumnHidden(FUNCTIONS.LOCATION, True)
    table.setColumnHidden(FUNCTIONS.PER_CALL, False)
    table.horizontalHeader().moveSection(table.horizontalHeader().visualIndex(NAME), 0)
    table.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
    window.actions_["next_event"].trigger()
    window.second_event_combo.setCurrentIndex(1)
    window.second_event_combo.activated.emit(1)
    window.actions_["absolute"].trigger()
    window.actions_["cycles"].trigger()
    settle()
    place = window.views.function_list.grouping_box.findText("Source File")
    window.views.function_list.grouping_box.setCurrentIndex(place)
    window.views.function_list.grouping_box.activated.emit(place)
    settle()
    go_to(window.session, window.navigation, "worker")
    settle()
    left = window_state(window)
    found = window_state(restarted_window(THREADS))

    assert found == left
    same = [key for key in left if left[key] == plain_one[key] and key != "current"]
    assert same == []
