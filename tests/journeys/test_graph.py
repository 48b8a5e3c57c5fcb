"""Journeys through what all pictures share, and through the call graph: hover, detail, zoom."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QFontInfo, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.docks.arrangements import arrangements
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.picture import Spot
from qcachegrind_py.views.pictures.box_canvas import BoxCanvas
from qcachegrind_py.views.pictures.call_graph_view import CallGraphView
from qcachegrind_py.views.pictures.canvas import WHEEL_NOTCH, Zoom
from qcachegrind_py.views.pictures.diagram_canvas import DiagramCanvas
from qcachegrind_py.views.pictures.view import PictureView
from tests.profile_text import EXAMPLE, THIN, write_profile_text
from tests.user_input import (
    LEFT,
    PICTURES,
    VIEW_IDS,
    function_id,
    go_to,
    ignore_offscreen_warnings,
    move_mouse,
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
        key = function_id(view.session, name)
        assert canvas.picture is not None
        spot = canvas.picture.spot_of(key)
        area = canvas.box_rect(spot.box)
        rows = range(round(area.top()), round(area.bottom()))
        column = (QPointF(area.center().x(), y) for y in rows)
        return next(at.toPoint() for at in column if canvas.spot_at(at) == spot)
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
    QApplication.sendEvent(viewport(view), QEvent(QEvent.Type.Leave))
    before, at_first = image(viewport(view)), view.note.shown_text
    move_mouse(viewport(view), place_of(view, name))

    assert view.note.isVisible()
    assert view.note.shown_text.split(" · ")[0] == name
    assert view.note.shown_text.replace(THIN, "").split(" · ")[1:3] == COSTS[name]
    assert image(viewport(view)) != before, "the box is outlined"
    QApplication.sendEvent(viewport(view), QEvent(QEvent.Type.Leave))
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


READABLE = 10  # pixels of the smallest letters


def seen_well(canvas: DiagramCanvas, name: str) -> bool:
    """Whether the box of the active function is in view, with letters that can be read."""
    (active,) = [item for item in canvas.boxes if item.box.is_active]
    assert active.box.name == name
    small = QFontInfo(canvas.fonts.small).pixelSize()
    whole = canvas.visible_area().contains(active.area.adjusted(1, 1, -1, -1))
    return whole and canvas.zoom * small >= READABLE - 1e-9


def no_pane_is_wasted(canvas: DiagramCanvas) -> bool:
    """Whether no side of the pane is empty while boxes are out of sight on the other."""
    seen, whole = canvas.visible_area(), canvas.content_area()
    return all(
        low <= start + 2 and end <= high + 2
        for start, end, low, high in (
            (seen.left(), seen.right(), whole.left(), whole.right()),
            (seen.top(), seen.bottom(), whole.top(), whole.bottom()),
        )
        if high - low > end - start
    )


@pytest.mark.parametrize("act", ["Fit", "1:1"])
def test_the_active_function_stays_in_view_and_legible(pictures: Pictures, act: str) -> None:
    """After Fit and 1:1, in any size of the window, splitter and layout, at any function."""
    view = pictures.look_at("Call Graph")
    assert isinstance(view, CallGraphView)
    window, step = pictures.window, Zoom.FIT if act == "Fit" else Zoom.ACTUAL_SIZE
    for name in ("dl_main", "_dl_relocate_object", "strcmp"):
        go_to(window.session, window.navigation, name)
        pictures.wait()
        for _ in range(4):
            QTest.keyClick(viewport(view), Qt.Key.Key_Minus)
        QTest.mouseClick(view.zoom_buttons[step], LEFT)
        assert seen_well(view.canvas, name)
        assert no_pane_is_wasted(view.canvas)
        for size in ((900, 560), (1366, 768), (1920, 1080), (1280, 800)):
            window.resize(*size)
            process_events()
            pictures.wait()
            assert seen_well(view.canvas, name), size
            assert no_pane_is_wasted(view.canvas), size
        view.table_button.click()
        process_events()
        assert seen_well(view.canvas, name)
        view.table_button.click()


def test_a_chain_of_eighteen_levels_is_read_at_once(
    window: MainWindow, open_file: Callable[..., None], tmp_path: Path, qtbot: QtBot
) -> None:
    """Its ends are lines of one box beside the active function, in any layout."""
    levels = [f"f{n} 1 -> f{n + 1} 1x{1000 - n}" for n in range(18)]
    window.resize(1280, 800)
    open_file(write_profile_text(tmp_path, "\n".join([*levels, "f18 982"]), "callgrind.out.1"))
    pictures = Pictures(window, qtbot)
    go_to(window.session, window.navigation, "f9")
    view = pictures.look_at("Call Graph")
    assert isinstance(view, CallGraphView)
    QTest.mouseClick(view.zoom_buttons[Zoom.FIT], LEFT)
    texts = [[line.text for line in item.box.lines] for item in view.canvas.boxes]
    assert sorted(texts) == [
        [],
        ["f0", "› f1", "› + 6 more", "› f8"],
        ["f10", "› f11", "› + 6 more", "› f18"],
    ]
    for layout in arrangements(window.width()):
        window.docks.arrange(layout)
        pictures.look_at("Call Graph")
        assert seen_well(view.canvas, "f9"), layout.id
        assert no_pane_is_wasted(view.canvas), layout.id


def test_a_call_is_selected_in_the_lists(pictures: Pictures) -> None:
    """A click on an arrow highlights its row among the callers or callees, and tells of it."""
    window = pictures.window
    view = pictures.look_at("Call Graph")
    assert isinstance(view, CallGraphView)
    canvas = view.canvas
    lists = {"callers": window.views.callers, "callees": window.views.callees}
    for name, of_home in (("callees", "source"), ("callers", "target")):
        window.docks.show(name)
        pictures.wait()
        home = next(item.row for item in canvas.boxes if item.box.is_active)
        arrow = next(item for item in canvas.arrows if getattr(item.arrow, of_home) == home)
        QTest.mouseClick(
            canvas.viewport(), LEFT, pos=canvas.spot_rect(Spot(arrow=arrow.row)).center().toPoint()
        )
        process_events()
        assert canvas.keyboard_spot() == Spot(arrow=arrow.row)
        selected = window.navigation.context.selected
        assert selected == canvas.key_at(Spot(arrow=arrow.row))
        table = lists[name].model.table
        assert table.nodes is not None
        assert selected in table.nodes.tolist()
        assert " → " in view.note.shown_text
