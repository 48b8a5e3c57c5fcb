"""The dock History of drawn profiles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.history.history import Revision
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.history.history_view import HistoryView
from tests.user_input import process_events

Show = Callable[..., HistoryView]


@pytest.fixture
def wait_for_chart(session: Session, qtbot: QtBot) -> Callable[[HistoryView], None]:
    """Return a function that waits until the dock shows what is open."""

    def wait(view: HistoryView) -> None:
        process_events()
        qtbot.waitUntil(lambda: session.jobs.is_idle)
        process_events()
        assert bool(view.message) or view.panel.chart is not None

    return wait


@pytest.fixture
def history(
    session: Session,
    draw: Callable[..., Path],
    show_view: Callable[[HistoryView], HistoryView],
    wait_for_chart: Callable[[HistoryView], None],
) -> Show:
    """Return a function that shows the history of drawings, called r0, r1, …"""

    def history(*drawings: str) -> HistoryView:
        view = show_view(HistoryView(session, QAction("Open History")))
        view.resize(900, 700)
        files = [draw(text, f"callgrind.out.{n}") for n, text in enumerate(drawings)]
        session.history.open([Revision(f"r{n}", str(file)) for n, file in enumerate(files)])
        wait_for_chart(view)
        return view

    return history
