"""What was opened is opened again from the welcome page: a comparison with its base, a history."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.history import Revision
from qcachegrind_py.app.window import MainWindow
from tests.journeys.conftest import BASE, NEW
from tests.profile_text import EXAMPLE, dump_rows
from tests.user_input import ignore_offscreen_warnings, settle, without_mnemonic

Compare = Callable[..., MainWindow]
Restart = Callable[..., MainWindow]
pytestmark = ignore_offscreen_warnings
COMPARED = "callgrind.out.sort-digits.xz compared with callgrind.out.sort-plain.xz"


def test_a_comparison_is_opened_again(
    compare: Compare, restarted_window: Restart, qtbot: QtBot
) -> None:
    """Its base is part of what the user looked at, and was chosen with care."""
    compare()
    again = restarted_window()
    again.show()
    qtbot.waitExposed(again)
    recent = again.welcome.page.recent
    listed = dump_rows(recent.model(), 0)
    settle(again, qtbot)
    recent.setCurrentIndex(recent.model().index(0, 0))
    QTest.keyClick(recent, Qt.Key.Key_Return)
    settle(again, qtbot)
    base = again.session.comparing.base

    assert listed[0] == COMPARED
    assert base is not None
    assert (again.session.paths, base.chosen.paths) == ((NEW,), (BASE,))


def test_a_history_is_opened_again(
    shown: MainWindow, restarted_window: Restart, qtbot: QtBot
) -> None:
    """*Open Recent* has it with its labels; the newest revision alone is not listed beside it."""
    shown.file_commands.history.open([Revision("plain", str(BASE)), Revision("digits", str(NEW))])
    settle(shown, qtbot)
    again = restarted_window()
    menu = again.actions_.menus["recent"]
    titles = [without_mnemonic(action.text()) for action in menu.actions() if action.text()]
    menu.actions()[0].trigger()
    settle(again, qtbot)
    history = again.session.history.state.history

    assert titles == ["1  2 revisions, plain to digits", f"2  {EXAMPLE}", "Clear List"]
    assert history is not None
    assert (history.labels, history.files) == (("plain", "digits"), (str(BASE), str(NEW)))
