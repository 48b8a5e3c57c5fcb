"""Journeys through what all pictures share, and through the call graph: hover, detail, zoom."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.views.pictures.box_canvas import BoxCanvas
from qcachegrind_py.views.pictures.canvas import WHEEL_NOTCH, Zoom
from qcachegrind_py.views.pictures.diagram_canvas import DiagramCanvas
from qcachegrind_py.views.pictures.view import PictureView
from tests.profile_text import EXAMPLE, THIN
from tests.user_input import (
    LEFT,
    PICTURES,
    VIEW_IDS,
    function_id,
    go_to,
    ignore_offscreen_warnings,
    process_events,
)

pytestmark = ignore_offscreen_warnings


COSTS = {
    "openaux": ["1.35%", "25216 Ir"],
    "_dl_relocate_object": ["86.80%", "1620420 Ir"],
}


class Pictures:
    """A user who brings pictures to the front and waits until they are complete."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self._qtbot = window, qtbot

    def look_at(self, title: str) -> PictureView:
        """Bring a picture to the front; dl_main has one path of callers, which is no map."""
        if title == "Caller Map":
            go_to(self.window.session, self.window.navigation, "_dl_map_object")
        self.window.docks.show(VIEW_IDS[title])
        self.wait()
        view = self.window.docks.view(VIEW_IDS[title])
        assert isinstance(view, PictureView)
        return view

    def settled(self, view: PictureView) -> QImage:
        """What a picture shows as soon as it does not change any more."""
        images = [image(viewport(view))]

        def is_still() -> bool:
            images.append(image(viewport(view)))
            return images[-1] == images[-2]

        self._qtbot.wait(200)  # longer than the flame graph's animation
        self._qtbot.waitUntil(is_still)
        return images[-1]

    def wait(self) -> None:
        """Wait for the pictures, which jobs compute."""
        process_events()
        running = self.window.jobs.is_running
        self._qtbot.waitUntil(lambda: not any(map(running, ("open", *PICTURES))))
        process_events()


@pytest.fixture
def pictures(window: MainWindow, open_file: Callable[..., None], qtbot: QtBot) -> Pictures:
    window.resize(1280, 800)
    open_file(EXAMPLE)
    pictures = Pictures(window, qtbot)
    pictures.wait()
    go_to(window.session, window.navigation, "dl_main")
    pictures.wait()
    return pictures


def turn_wheel(widget: QWidget) -> None:
    """Turn the wheel by one notch with Ctrl over the middle of a widget."""
    middle = QPointF(widget.rect().center())
    notch = QPoint(0, WHEEL_NOTCH)
    event = QWheelEvent(
        middle, widget.mapToGlobal(middle), QPoint(), notch, Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)


def viewport(view: PictureView) -> QWidget:
    """The area of a view in which its picture is painted."""
    (canvas,) = view.shown_canvases()
    return canvas.viewport()


def place_of(view: PictureView, name: str) -> QPoint:
    """A point on the first box of a function, off the boxes inside it."""
    (canvas,) = view.shown_canvases()
    if isinstance(canvas, DiagramCanvas):
        (found,) = [item for item in canvas.boxes if item.box.name == name]
        return canvas.on_screen(found.area.center()).toPoint()
    assert isinstance(canvas, BoxCanvas)
    box = int(canvas.tree.frames_of(function_id(view.session, name))[0])
    return canvas.box_rect(box).topLeft().toPoint() + QPoint(4, 3)


def image(widget: QWidget) -> QImage:
    """What a widget shows now."""
    return widget.grab().toImage()


@pytest.mark.parametrize("title", PICTURES)
def test_a_picture_says_at_once_what_the_mouse_points_at(pictures: Pictures, title: str) -> None:
    """In each picture, the box under the mouse is outlined and described without any delay."""
    view = pictures.look_at(title)
    name = "openaux" if title == "Caller Map" else "_dl_relocate_object"
    QTest.mouseMove(view.search)
    process_events()
    before, at_first = image(viewport(view)), view.note.shown_text
    QTest.mouseMove(viewport(view), place_of(view, name))
    process_events()

    assert view.note.isVisible()
    assert view.note.shown_text.split(" · ")[0] == name
    assert view.note.shown_text.replace(THIN, "").split(" · ")[1:3] == COSTS[name]
    assert image(viewport(view)) != before, "the box is outlined"
    QTest.mouseMove(view.search)
    process_events()
    assert (view.note.shown_text, image(viewport(view)) == before) == (at_first, True)


@pytest.mark.parametrize("title", PICTURES)
def test_zoom_buttons_and_keys_are_the_same_in_all_pictures(pictures: Pictures, title: str) -> None:
    """− + Fit have the keys − + 0, and plus zooms in even if no box was chosen."""
    view = pictures.look_at(title)
    buttons = view.zoom_buttons
    texts = [button.text() for button in buttons.values()]
    assert texts == ["−", "+", "Fit", "1:1"][: 4 if title == "Call Graph" else 3]
    seen = {}
    for name, act in {
        "Fit": lambda: QTest.mouseClick(buttons[Zoom.FIT], LEFT),
        "button +": lambda: QTest.mouseClick(buttons[Zoom.IN], LEFT),
        "button −": lambda: QTest.mouseClick(buttons[Zoom.OUT], LEFT),
        "key 0": lambda: QTest.keyClick(viewport(view), Qt.Key.Key_0),
        "key +": lambda: QTest.keyClick(viewport(view), Qt.Key.Key_Plus),
        "key −": lambda: QTest.keyClick(viewport(view), Qt.Key.Key_Minus),
        "Ctrl and wheel": lambda: turn_wheel(viewport(view)),
    }.items():
        act()
        seen[name] = pictures.settled(view)
    assert seen["button +"] == seen["key +"] != seen["Fit"]
    assert seen["Fit"] == seen["key 0"]
    assert seen["button −"] == seen["key −"] != seen["key +"]
    assert seen["Ctrl and wheel"] != seen["Fit"]
