"""Journeys through the call maps of a real program, in the real window."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.views.boxes.call_map_view import CallMapView
from tests.profile_text import EXAMPLE
from tests.user_input import go_to, ignore_offscreen_warnings, process_events
from tests.views.boxes.canvas_access import exported_texts, frame_names

pytestmark = ignore_offscreen_warnings


@pytest.mark.parametrize(
    ("key", "dock", "function"),
    [(Qt.Key.Key_F6, "caller_map", "do_lookup_x"), (Qt.Key.Key_F7, "callee_map", "_dl_start")],
)
def test_maps_name_direct_calls_first(
    window: MainWindow,
    open_file: Callable[..., None],
    qtbot: QtBot,
    key: Qt.Key,
    dock: str,
    function: str,
) -> None:
    """The large boxes of the direct callers or callees are named, each in its own header.

    They were covered by the boxes inside them, with tags over the names of those.
    """
    window.resize(1280, 800)
    open_file(EXAMPLE)
    QTest.keyClick(window, key)
    view = window.docks.view(dock)
    assert isinstance(view, CallMapView)
    go_to(window.session, window.navigation, function)
    process_events()
    qtbot.waitUntil(lambda: not window.jobs.is_running(view.title))
    process_events()
    canvas, tree = view.map, view.map.tree
    assert tree is not None
    names = frame_names(canvas)
    height, width = canvas.viewport().height(), canvas.viewport().width()
    large = [
        box
        for box in tree.children_of(0)
        if canvas.box_rect(box).width() > width / 5 and canvas.box_rect(box).height() > height / 5
    ]
    written = [text.split(" › ")[0] for text in exported_texts(canvas)]

    assert large != []
    assert [names[box] for box in large if names[box] not in written] == []
    line = canvas.fontMetrics().height()
    covered = [
        names[inner]
        for box in large
        for inner in tree.children_of(box)
        if not canvas.box_rect(inner).isEmpty()
        and canvas.box_rect(inner).top() < canvas.box_rect(box).top() + line
    ]
    assert covered == []
