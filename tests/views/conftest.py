"""A view alone, shown in a window of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from qcachegrind_py.app import theme
from qcachegrind_py.views.base import ProfileView

View = TypeVar("View", bound=ProfileView)


@pytest.fixture
def show_view(qtbot: QtBot) -> Iterator[Callable[[View], View]]:
    """Shows a view; it is destroyed in the end."""
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
