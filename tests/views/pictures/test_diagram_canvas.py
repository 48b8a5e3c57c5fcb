"""Canvases: keys of all pictures, and the canvas of diagrams."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QFontInfo,
    QHelpEvent,
    QKeyEvent,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.picture import Arrow, Box, Detail, Diagram, Line, Spot
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.views.pictures.canvas import Zoom, zoom_of_key
from qcachegrind_py.views.pictures.diagram_canvas import MAX_ZOOM, MIN_ZOOM, DiagramCanvas
from qcachegrind_py.views.pictures.diagram_items import DiagramItems
from tests.user_input import CTRL, LEFT, NONE, ignore_offscreen_warnings, move_mouse

KEY, KEYS = QEvent.Type.KeyPress, Qt.KeyboardModifier


@pytest.mark.parametrize("modifier", [KEYS.NoModifier, KEYS.KeypadModifier, KEYS.ControlModifier])
def test_keys_zoom_with_or_without_ctrl(modifier: Qt.KeyboardModifier) -> None:
    """Each step has its key, on the keypad and with Ctrl, as in other programs."""
    steps = {
        key: zoom_of_key(QKeyEvent(KEY, key, modifier))
        for key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_0, Qt.Key.Key_1, Qt.Key.Key_A)
    }
    assert list(steps.values()) == [Zoom.IN, Zoom.OUT, Zoom.FIT, Zoom.ACTUAL_SIZE, None]


def test_keys_that_qt_has_no_name_for() -> None:
    """On a Russian keyboard, the key of a letter is its code point, which is not in Qt's enum."""
    assert zoom_of_key(QKeyEvent(KEY, ord("ж"), KEYS.NoModifier)) is None


def test_keys_with_alt_belong_to_the_window() -> None:
    """Alt+0 brings a view to the front and must not reach the picture."""
    assert zoom_of_key(QKeyEvent(KEY, Qt.Key.Key_0, KEYS.AltModifier)) is None


PLACES = [QPoint(10, 10), QPoint(200, 150), QPoint(391, 7), QPoint(399, 299)]


class Clicks(DiagramCanvas):
    """Records the positions of clicks."""

    def __init__(self) -> None:
        super().__init__("Boxes")
        self.places: list[QPoint] = []

    def click(self, position: QPointF, spot: Spot) -> None:
        self.places.append(position.toPoint())


def box(key: int) -> Box:
    return Box(
        key,
        "",
        "",
        0.0,
        100,
        50,
        "#808080",
        lambda: (f"<b>{key}</b>&amp;", "1 call"),
        lambda: Detail(""),
    )


def two_boxes(centers: list[list[float]], *arrows: tuple[Arrow, Float64Array]) -> DiagramItems:
    """Boxes of 100 x 50 pixels, and arrows along their paths, without labels."""
    return DiagramItems(
        Diagram(
            [box(0), box(1)],
            [arrow for arrow, _ in arrows],
            (),
            np.array(centers),
            [path for _, path in arrows],
            np.full((len(arrows), 2), np.nan),
            np.empty((0, 4)),
            is_horizontal=False,
            anchor=0,
            home=0,
        )
    )


@pytest.fixture
def view(qtbot: QtBot) -> Clicks:
    """A diagram of two boxes, 400 apart, in a view of 400 x 300, unscaled."""
    view = Clicks()
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    view.show_diagram(two_boxes([[50.0, 25], [550, 425]]))
    view.zoom_to_actual_size()
    return view


def turn_wheel(
    view: DiagramCanvas, position: QPoint, notches: int, keys: Qt.KeyboardModifier
) -> None:
    """Turn the wheel at a position; positive is forward."""
    on_screen, turned = view.viewport().mapToGlobal(QPointF(position)), QPoint(0, 120 * notches)
    no_button, no_phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(
        QPointF(position), on_screen, QPoint(), turned, no_button, keys, no_phase, False
    )
    QApplication.sendEvent(view.viewport(), event)


def drag(view: DiagramCanvas, positions: list[QPoint], button: Qt.MouseButton = LEFT) -> None:
    """Press at the first position, move along the others, and release at the last."""
    QTest.mousePress(view.viewport(), button, NONE, positions[0])
    for position in positions[1:]:
        move_mouse(view.viewport(), position, button)
    QTest.mouseRelease(view.viewport(), button, NONE, positions[-1])


@pytest.mark.parametrize("position", PLACES)
def test_the_wheel_with_ctrl_zooms_around_the_mouse(view: Clicks, position: QPoint) -> None:
    """The point under the mouse stays within a pixel, at every zoom, up to the limits."""
    for notches in (1, 1, -3, 2, 4, -9):
        before, zoom = view.in_diagram(QPointF(position)), view.zoom
        turn_wheel(view, position, notches, CTRL)
        assert view.zoom == pytest.approx(min(4, max(0.05, zoom * 1.25**notches)))
        off = view.on_screen(before).toPoint() - position
        assert max(abs(off.x()), abs(off.y())) <= 1
    turn_wheel(view, position, 50, CTRL)
    assert view.zoom == pytest.approx(4.0)
    turn_wheel(view, position, -100, CTRL)
    assert view.zoom == pytest.approx(0.05)


def test_zoom_has_limits(view: Clicks) -> None:
    """From 5 % to 400 %, by any means; fitting never enlarges."""
    assert (MIN_ZOOM, MAX_ZOOM) == (0.05, 4.0)
    view.zoom_by(1e9)
    assert view.zoom == pytest.approx(4.0)
    view.zoom_by(1e-9)
    assert view.zoom == pytest.approx(0.05)

    view.resize(4000, 3000)
    view.fit()
    assert view.zoom == 1.0
    view.resize(30, 20)
    view.fit()
    assert view.zoom == view.readable_zoom


@pytest.mark.parametrize("size", [(640, 480), (800, 500), (900, 777)])
def test_fit_shows_everything(view: Clicks, size: tuple[int, int]) -> None:
    """Fitting shows all items as large as possible."""
    view.resize(*size)
    view.zoom_by(3.0)
    view.fit()
    whole, seen = view.content_area(), view.visible_area()

    pixel = 1 / view.zoom
    assert seen.adjusted(-pixel, -pixel, pixel, pixel).contains(whole)
    fitting = min(1, size[0] / whole.width(), size[1] / whole.height())
    assert view.zoom == pytest.approx(fitting)


@pytest.mark.parametrize("size", [(400, 300), (333, 777), (900, 211), (57, 41)])
def test_what_is_fitted_can_be_read(view: Clicks, size: tuple[int, int]) -> None:
    """Where not all fits, letters of 10 pixels are around the home, with no space left empty.

    This holds for any size that the view gets afterwards.
    """
    view.fit()
    view.resize(*size)
    assert view.zoom == view.readable_zoom
    assert min(view.zoom * QFontInfo(font).pixelSize()
               for font in (view.fonts.small, view.fonts.code)) >= 10 - 1e-9  # fmt: skip
    home = view.box_rect(0)
    assert view.viewport().rect().contains(home.center().toPoint())
    seen, whole = view.visible_area(), view.content_area()
    assert seen.left() >= min(whole.left(), whole.right() - seen.width()) - 1
    assert seen.top() >= min(whole.top(), whole.bottom() - seen.height()) - 1


def test_actual_size_keeps_the_home_in_view(view: Clicks) -> None:
    """From anywhere, 1:1 shows the box that the diagram is about, and no empty half."""
    for zoom in (0.05, 0.4, 4.0):
        view.zoom_by(zoom / view.zoom)
        view.center_on(QPointF(550, 425))
        QTest.keyClick(view, Qt.Key.Key_1)
        assert view.zoom == 1.0
        assert view.visible_area().contains(view.boxes[0].area)
        assert view.content_area().contains(view.visible_area().adjusted(1, 1, -1, -1))


def test_another_size_keeps_the_home_in_view(view: Clicks) -> None:
    """A box that was seen is seen in a smaller view, and a larger one leaves no space empty."""
    home, whole = view.boxes[0].area, view.content_area()
    for size in ((200, 90), (500, 120), (160, 400), (600, 460)):
        view.resize(*size)
        assert view.visible_area().contains(home)
        assert whole.adjusted(-1, -1, 1, 1).contains(view.visible_area())
    view.center_on(QPointF(550, 425))
    assert not view.visible_area().contains(home)
    view.resize(300, 250)
    assert not view.visible_area().intersects(home), "the user has gone elsewhere"


@pytest.mark.parametrize("button", [LEFT, Qt.MouseButton.MiddleButton])
def test_dragging_pans_and_clicks_nothing(view: Clicks, button: Qt.MouseButton) -> None:
    """The scene moves with the mouse, and releasing the button is not a click."""
    view.center_on(QPointF(250, 200))
    under = view.in_diagram(QPointF(100, 100))
    drag(view, [QPoint(100, 100), QPoint(130, 120), QPoint(180, 90), QPoint(161, 33)], button)

    off = view.on_screen(under).toPoint() - QPoint(161, 33)
    assert max(abs(off.x()), abs(off.y())) <= 1
    assert view.places == []


def test_tiny_move_is_a_click(view: Clicks) -> None:
    """A move shorter than the system's drag distance is a click and pans nothing."""
    before = view.visible_area()
    drag(view, [QPoint(100, 100), QPoint(102, 101)])

    assert view.places == [QPoint(102, 101)]
    assert view.visible_area() == before


def test_other_buttons_click_nothing(view: Clicks) -> None:
    """The middle and right buttons neither select nor pan."""
    before = view.visible_area()
    for button in (Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton):
        QTest.mouseClick(view.viewport(), button, NONE, QPoint(50, 50))
    move_mouse(view.viewport(), QPoint(300, 200))

    assert (view.places, view.visible_area()) == ([], before)


def test_the_wheel_alone_scrolls(view: Clicks) -> None:
    """Without Ctrl the wheel scrolls vertically."""
    view.center_on(QPointF(250, 200))
    before = view.visible_area()
    turn_wheel(view, QPoint(100, 100), -1, NONE)

    assert view.zoom == 1.0
    assert view.visible_area().top() > before.top()
    assert view.visible_area().left() == before.left()


def test_centering_shows_no_margin(view: Clicks) -> None:
    """A point near an edge is centred only as far as no empty margin appears."""
    area = view.content_area()
    view.center_within_content(area.topLeft())
    assert view.visible_area().topLeft().toPoint() == area.topLeft().toPoint()
    view.center_within_content(area.bottomRight())
    seen = view.visible_area().bottomRight() - area.bottomRight()
    assert max(abs(seen.x()), abs(seen.y())) <= 1
    view.center_within_content(area.center())
    off = view.visible_area().center() - area.center()
    assert max(abs(off.x()), abs(off.y())) <= 1

    view.resize(900, 300)  # wider than the scene, which is centred
    view.center_within_content(area.topLeft())
    assert abs(view.visible_area().center().x() - area.center().x()) <= 1
    assert abs(view.visible_area().top() - area.top()) <= 1


@ignore_offscreen_warnings
def test_names_in_tips_are_text(view: Clicks) -> None:
    """Markup in a name is literal."""
    view.center_on(QPointF(550, 425))
    place = view.box_rect(1).center().toPoint()
    tip = "<qt>&lt;b&gt;1&lt;/b&gt;&amp;amp;<br>1 call</qt>"
    assert (view.tip_at(QPointF(place)), view.tip_at(QPointF(2, 2))) == (tip, "")
    event = QHelpEvent(QHelpEvent.Type.ToolTip, place, view.mapToGlobal(place))
    QApplication.sendEvent(view.viewport(), event)
    assert QToolTip.text() == tip
    QToolTip.hideText()


@pytest.mark.parametrize("zoom", [0.05, 0.1, 0.25, 1.0])
def test_arrows_can_be_hit_at_any_zoom(view: Clicks, zoom: float) -> None:
    """As many pixels across an arrow as touch its 10 pixels of the diagram, so one at least."""
    line = np.linspace((50.0, 50.0), (50.0, 900.0), 4)
    arrow = Arrow(0, 1, (), 2.0, 0, 0, Line.EXACT, lambda: ("arrow",), lambda: Detail(""))
    view.show_diagram(two_boxes([[50.0, 25], [50, 925]], (arrow, line)))
    view.zoom_by(zoom / view.zoom)
    view.center_on(QPointF(50, 475))
    hit = [x for x in range(400) if view.tip_at(QPointF(x, 150))]
    left, right = (view.on_screen(QPointF(50 + side, 475)).x() for side in (-5, 5))
    touching = [x for x in range(400) if x + 1 > left and x < right]
    assert touching
    assert set(touching) <= set(hit) <= {touching[0] - 1, *touching, touching[-1] + 1}
