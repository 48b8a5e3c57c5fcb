"""What several journeys begin with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from tests.profile_rows import DATA
from tests.profile_text import EXAMPLE
from tests.user_input import begin_at_main, process_events, settle

BASE = DATA / "comparison" / "callgrind.out.sort-plain.xz"
NEW = DATA / "comparison" / "callgrind.out.sort-digits.xz"


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


@pytest.fixture
def compare(shown: MainWindow, qtbot: QtBot) -> Callable[..., MainWindow]:
    """Return a function that compares two profiles in the window, or two builds of a program."""

    def compare(base: Path = BASE, new: Path = NEW) -> MainWindow:
        shown.open([new], with_siblings=False)
        settle(shown, qtbot)
        begin_at_main(shown.session)
        shown.file_commands.comparing.compare_with([base])
        settle(shown, qtbot)
        return shown

    return compare
