"""Waiting for the window: what it does in the background, and what follows."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from tests.user_input import process_events

_JOBS = ("open", "scope", "filter", "groups")


@pytest.fixture
def settle(window: MainWindow, qtbot: QtBot) -> Callable[[], None]:
    """Waits until the window shows everything that was asked of it."""

    def settle() -> None:
        process_events()
        qtbot.waitUntil(lambda: not any(window.jobs.is_running(job) for job in _JOBS))
        process_events()

    return settle
