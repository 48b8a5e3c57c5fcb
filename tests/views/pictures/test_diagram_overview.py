"""The overview of a diagram: when it is there, and where, and what dragging in it does."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFont, QImage, QPainter
from PySide6.QtTest import QTest

from qcachegrind_py.views.pictures.call_graph_view import CallGraphView
from qcachegrind_py.views.pictures.canvas import Zoom
from qcachegrind_py.views.pictures.diagram_items import DiagramFonts
from qcachegrind_py.views.pictures.diagram_overview import Corner
from tests.profile_text import EXAMPLE
from tests.user_input import LEFT, NONE, move_mouse, process_events
from tests.views.pictures.conftest import Graph, Settle


def settle_overview(view: CallGraphView) -> None:
    """Wait until the overview is drawn, shortly after the picture."""
    while not view.overview.is_drawn:
        QTest.qWait(1)
    process_events()


def test_the_overview_is_there_while_not_all_is_seen(graph_of: Graph) -> None:
    """It appears when a part is out of sight, and disappears when all is visible."""
    view = graph_of(EXAMPLE)
    overview = view.overview
    settle_overview(view)
    assert overview.isVisible()
    view.resize(1600, 1200)
    view.zoom(Zoom.FIT)
    assert not overview.isVisible()
    view.canvas.zoom_by(2)
    settle_overview(view)
    assert overview.isVisible()
    view.zoom(Zoom.FIT)
    settle_overview(view)
    assert not overview.isVisible()
    view.canvas.clear()
    settle_overview(view)
    assert not overview.isVisible()


def test_the_overview_has_no_texts(graph_of: Graph) -> None:
    """Not even of a small graph: it is the same picture in letters of any size."""
    view = graph_of(EXAMPLE)
    items, palette = view.canvas.items, view.canvas.palette()
    assert items is not None

    def painted(points: int, *, is_overview: bool) -> QImage:
        image = QImage(400, 300, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        fonts = DiagramFonts.of(QFont("DejaVu Sans", points))
        painter = QPainter(image)
        items.paint(painter, palette, fonts, items.bounds, is_overview=is_overview)
        painter.end()
        return image

    assert painted(9, is_overview=True) == painted(12, is_overview=True)
    assert painted(9, is_overview=False) != painted(12, is_overview=False)


def test_the_overview_stands_in_the_corner_that_is_chosen(graph_of: Graph, settle: Settle) -> None:
    """It is in the chosen corner or hidden."""
    view = graph_of(EXAMPLE)
    graph, overview = view.canvas, view.overview
    view.zoom(Zoom.ACTUAL_SIZE)
    graph.scroll_by(QPointF(60, 50) - graph.box_rect(graph.current).center())
    settle_overview(view)
    middle = graph.viewport().rect().center()
    seen = {}
    for corner in Corner:
        view.options.set("corner", corner.value)
        settle(view)
        settle_overview(view)
        seen[corner] = overview.geometry()
        assert overview.isVisible() == (corner is not Corner.HIDDEN)
        assert graph.viewport().rect().contains(overview.geometry())
    for corner in list(Corner)[1:5]:
        center = seen[corner].center()
        assert (center.x() < middle.x()) == corner.value.endswith("left")
        assert (center.y() < middle.y()) == corner.value.startswith("top")

    for area in seen.values():
        assert area.width() < graph.width() / 2
        assert area.height() < graph.height() / 3


@pytest.mark.parametrize("across", [0.25, 0.5, 0.8])
def test_dragging_in_the_overview_moves_the_picture(
    across: float, graph_of: Graph, settle: Settle
) -> None:
    """A press or drag in the overview centres that point of the picture."""
    view = graph_of(EXAMPLE)
    graph, overview = view.canvas, view.overview
    view.options.set("corner", Corner.TOP_RIGHT.value)
    settle(view)
    graph.zoom_by(3)
    settle_overview(view)
    goal = QPoint(round(overview.width() * across), round(overview.height() * (1 - across)))
    whole = graph.content_area()
    expected = QPointF(
        whole.left() + goal.x() / overview.width() * whole.width(),
        whole.top() + goal.y() / overview.height() * whole.height(),
    )
    zoom = graph.zoom
    QTest.mousePress(overview, LEFT, NONE, QPoint(2, 2))
    move_mouse(overview, goal, LEFT)
    QTest.mouseRelease(overview, LEFT, NONE, goal)
    off = graph.visible_area().center() - expected

    assert max(abs(off.x()), abs(off.y())) <= 2
    assert graph.zoom == zoom


def test_a_tiny_canvas_has_no_overview(graph_of: Graph) -> None:
    """An overview that would be too large for the canvas is left out."""
    view = graph_of(EXAMPLE, (130, 110))
    settle_overview(view)
    view.canvas.resize(40, 25)
    settle_overview(view)
    assert not view.overview.isVisible()
