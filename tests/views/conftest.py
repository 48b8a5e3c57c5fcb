"""Fixtures that show a single view in a window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.style import theme
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.pictures.view import PictureView
from qcachegrind_py.views.profile_view import ProfileView
from tests.user_input import process_events

View = TypeVar("View", bound=ProfileView)


@pytest.fixture
def show_view(qtbot: QtBot) -> Iterator[Callable[[View], View]]:
    """Return a function that shows a view, which is destroyed afterwards."""
    theme.apply_palette(dark=False)
    shown: list[ProfileView] = []

    def show_view(view: View) -> View:
        view.resize(700, 400)
        view.show()
        view.activateWindow()
        qtbot.waitUntil(view.isActiveWindow)
        shown.append(view)
        return view

    yield show_view
    for view in shown:
        view.close()
        view.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def opened(
    session: Session,
    draw: Callable[..., Path],
    open_profile: Callable[..., None],
    show_view: Callable[[View], View],
) -> Callable[..., View]:
    """Return a function to show a view of a profile: `opened(lambda s: CallList(s, …), text)`."""

    def opened(make: Callable[[Session], View], drawing: str) -> View:
        view = show_view(make(session))
        open_profile(draw(drawing))
        return view

    return opened


@pytest.fixture
def settle(qtbot: QtBot) -> Callable[[PictureView], None]:
    """Return a function that waits until no picture is being built."""

    def settle(view: PictureView) -> None:
        process_events()
        jobs = view.session.jobs
        qtbot.waitUntil(lambda: not jobs.is_running(view.title))
        process_events()

    return settle
