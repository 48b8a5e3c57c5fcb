"""A journey to a view that comes to the front while another profile is entered."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.views.widgets.empty_page import GONE_HAS_NO_CODE
from tests.code_view_text import column_texts
from tests.columns import CODE_LINES
from tests.profile_rows import DATA
from tests.user_input import active_name, go_to, ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings
BASE = DATA / "programs/callgrind.out.jumps-O1.xz"
NEW = DATA / "comparison/callgrind.out.sort-digits.xz"
CTRL = Qt.KeyboardModifier.ControlModifier


def wait_for_jobs(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until all jobs of a window are done, and shown."""
    process_events()
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    process_events()


def test_the_source_behind_a_dock_that_closes(
    shown: MainWindow, open_file: Callable[..., None], qtbot: QtBot
) -> None:
    """*Explain Change* closes when comparing stops, and uncovers the source, that of `main` now.

    Before, a function was active that only the base has, and the view said so.
    """
    settle = partial(wait_for_jobs, shown, qtbot)
    open_file(NEW, own_parts=False)
    QTest.keyClick(shown, Qt.Key.Key_F11)
    settle()
    shown.session.comparing.compare_with(ProfileFiles((BASE,), with_siblings=False))
    settle()
    QTest.keyClick(shown, Qt.Key.Key_F11)
    go_to(shown.session, shown.navigation, "sw")
    settle()
    source = shown.views.source
    missing = source.message
    QTest.keyClick(shown, Qt.Key.Key_E, CTRL | Qt.KeyboardModifier.AltModifier)
    QTest.keyClick(shown, Qt.Key.Key_3, CTRL)  # other numbers, which the source shows later
    settle()
    shown.session.comparing.stop()
    settle()

    assert missing == GONE_HAS_NO_CODE
    assert active_name(shown.session, shown.navigation) == "main"
    assert shown.docks.is_seen("source")
    assert column_texts(source, CODE_LINES.LOCATION, CODE_LINES.SELF)[:2] == [
        "25 | 6",
        "26 | 1",
    ]
