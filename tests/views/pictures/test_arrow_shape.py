"""The shapes of arrows, and painting only the curves near the exposed area."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication

from qcachegrind_py.present.picture import Arrow, Detail, Line
from qcachegrind_py.views.pictures.arrow_shape import create_arrow_shape
from qcachegrind_py.views.pictures.diagram_items import ArrowItem, default_line_color

# four curves of 300 pixels, one behind the other, that swing to and fro
WAY = np.array([(x, 60 + (20 if x % 200 else -20) * (x > 0)) for x in range(0, 1300, 100)], float)
ESTIMATE = Arrow(0, 1, (), 3.0, 0, 0, Line.ESTIMATED, (), Detail(""))


def test_only_curves_near_the_area_are_painted() -> None:
    """Stroking the rest took most of the time of painting, as arrows are longer than a window."""
    shape = create_arrow_shape(WAY, 3.0)
    counts = []
    for left, right in ((0, 1200), (310, 590), (250, 350), (950, 980), (1500, 1600)):
        path, start = shape.visible_path(QRectF(left, 0, right - left, 120))
        counts.append((path.elementCount() // 3, round(start / shape.starts[1], 1)))

    assert counts == [(4, 0), (1, 1), (2, 0), (1, 3), (0, 0)]
    assert shape.visible_path(QRectF(0, 0, 1200, 120))[0] is shape.path


def test_a_straight_arrow_is_visible() -> None:
    """The control points of a vertical or horizontal arrow span no area."""
    for end in ((0, 90), (90, 0)):
        points = np.linspace((0, 0), end, 4)
        path, _ = create_arrow_shape(points, 1.0).visible_path(QRectF(-5, -5, 100, 100))
        assert not path.isEmpty()


@pytest.mark.parametrize("line", [Line.EXACT, Line.ESTIMATED])
def test_scrolled_parts_of_an_arrow_fit_together(qapp: QApplication, line: Line) -> None:
    """Dashes go on across the edges of separately exposed areas."""
    arrow = replace(ESTIMATE, line=line)
    shape = create_arrow_shape(WAY, arrow.thickness)
    item = ArrowItem(0, arrow, shape, np.full(2, np.nan))
    whole, parts = (QImage(1200, 120, QImage.Format.Format_RGB32) for _ in range(2))
    for image, width in ((whole, 1200), (parts, 200)):
        image.fill(QColor("white"))
        for left in range(0, 1200, width):
            painter, area = QPainter(image), QRectF(left, 0, width, 120)
            painter.setClipRect(area)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            item.paint(painter, QPalette(), area, 1.0)
            painter.end()

    a, b = (np.frombuffer(image.constBits(), np.uint8).astype(int) for image in (whole, parts))
    assert (a != 255).any()
    assert np.abs(a - b).max() <= 40, "only the rounding of dash lengths differs"


def test_lines_are_opaque(qapp: QApplication) -> None:
    """Qt takes four times as long for a translucent line."""
    palette = QPalette()
    assert default_line_color(palette).alpha() == 255
    assert palette.color(QPalette.ColorRole.Text) != default_line_color(palette)


def test_the_head_ends_the_arrow() -> None:
    """The curves end at the foot of the head, so that a thick line does not cover its tip."""
    shape = create_arrow_shape(WAY, 3.0)

    assert shape.head[0] == QPointF(*WAY[-1])
    assert shape.points[-1] == (shape.head[1] + shape.head[2]) / 2
    assert shape.bounds.contains(shape.path.boundingRect())
