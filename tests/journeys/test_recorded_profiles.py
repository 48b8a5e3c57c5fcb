"""Where a recorded profile opens: it replaces no comparison unasked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from tests.journeys.conftest import BASE
from tests.profile_text import EXAMPLE
from tests.user_input import ignore_offscreen_warnings, settle, without_mnemonic

Compare = Callable[..., MainWindow]
pytestmark = ignore_offscreen_warnings
CHOICES = {  # whether the comparison is still there, and what opens in another window
    "In a New Window": (True, [[EXAMPLE]]),
    "Here, Instead": (False, []),
    "Cancel": (True, []),
}


def answer(choice: str) -> None:
    """Click a button of the question as soon as it is asked."""
    box = QApplication.activeModalWidget()
    assert isinstance(box, QMessageBox)
    (button,) = [each for each in box.buttons() if without_mnemonic(each.text()) == choice]
    button.click()


@pytest.mark.parametrize("choice", CHOICES)
def test_a_recording_asks_before_it_replaces_a_comparison(
    compare: Compare, qtbot: QtBot, choice: str
) -> None:
    """Two builds were found and compared with care; the recorded profile may open elsewhere."""
    window, elsewhere = compare(), []
    window.file_commands.window_requested.connect(lambda paths: elsewhere.append(list(paths)))
    window.actions_["record"].trigger()
    dialog = window.recording.dialog
    assert dialog is not None
    QTimer.singleShot(0, lambda: answer(choice))
    dialog.open_requested.emit((EXAMPLE,))
    settle(window, qtbot)
    dialog.reject()

    assert (window.session.comparing.is_of_files, elsewhere) == CHOICES[choice]


def test_a_recording_opens_at_once_without_a_comparison(shown: MainWindow, qtbot: QtBot) -> None:
    """A profile alone is replaced as by any other that is opened."""
    shown.actions_["record"].trigger()
    dialog = shown.recording.dialog
    assert dialog is not None
    dialog.open_requested.emit((BASE,))
    settle(shown, qtbot)
    opened = shown.file_commands.open_files
    dialog.reject()

    assert opened == [BASE]


def test_the_dialog_fits_into_a_low_window(shown: MainWindow) -> None:
    """720 pixels are the height of a laptop's window below a panel of the desktop."""
    shown.resize(1280, 720)
    shown.actions_["record"].trigger()
    dialog = shown.recording.dialog
    assert dialog is not None
    height = dialog.height()
    dialog.reject()

    assert height <= 680
