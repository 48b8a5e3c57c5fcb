"""A journey without a mouse: from the start to the hottest code, its callers, and back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from tests.columns import CALLS, FUNCTIONS
from tests.profile_rows import DATA
from tests.profile_text import dump_rows
from tests.user_input import ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings


def test_seven_keys_lead_to_the_hottest_instruction_its_line_a_caller_and_back(
    window: MainWindow, open_file: Callable[..., None], qtbot: QtBot
) -> None:
    """The keys are those of the menus; each leads on from where the one before it ended."""
    window.resize(1366, 768)
    window.show()
    qtbot.waitExposed(window)
    open_file(DATA / "programs" / "callgrind.out.jumps-O1.xz")
    views, found = window.views, []
    table = views.function_list.table

    def press(keys: str) -> None:
        QTest.keySequence(QApplication.focusWidget() or window, keys)
        qtbot.waitUntil(lambda: window.jobs.is_idle)
        process_events()

    def active() -> str:
        return str(table.currentIndex().siblingAtColumn(FUNCTIONS.NAME).data())

    press("Ctrl+H")
    hottest = active()
    press("F12")
    press("F4")
    instruction = views.assembler.table.current_record()
    press("F11")
    line = views.source.table.current_record()
    press("Alt+2")
    press("Return")
    found.append(active())
    press("Alt+Left")
    found.append(active())
    callers = dump_rows(views.callers.model, CALLS.NAME)
    press("Alt+Up")
    found.append(active())
    press("Ctrl+F")
    searching = QApplication.focusWidget()

    queries = window.session.queries
    assert queries is not None
    event = queries.events.measured[0]
    costs = queries.self_cost(event, window.navigation.context.scope)[: queries.function_count]
    assert hottest == queries.names.name(int(costs.argmax()))
    assert instruction >= 0
    assert line >= 0
    assert found[0] != hottest
    assert found[1] == hottest
    assert found[2] in callers
    assert searching is views.function_list.search
