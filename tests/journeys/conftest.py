"""What several journeys begin with."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from tests.profile_text import EXAMPLE
from tests.user_input import process_events


@pytest.fixture
def shown(window: MainWindow, open_file: Callable[..., None], qtbot: QtBot) -> MainWindow:
    """The window on a laptop's screen, with the example, of which main is active."""
    window.resize(1366, 768)
    window.show()
    qtbot.waitExposed(window)
    window.docks.reset()
    open_file(EXAMPLE)
    process_events()
    return window
