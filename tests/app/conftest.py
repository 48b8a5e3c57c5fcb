"""Fixtures that wait for the window's background jobs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from tests.user_input import process_events

_JOBS = ("open", "scope", "filter", "groups")


@pytest.fixture
def settle(window: MainWindow, qtbot: QtBot) -> Callable[[], None]:
    """Return a function that waits until the window has finished all requested work."""

    def settle() -> None:
        process_events()
        qtbot.waitUntil(lambda: not any(window.jobs.is_running(job) for job in _JOBS))
        process_events()

    return settle
