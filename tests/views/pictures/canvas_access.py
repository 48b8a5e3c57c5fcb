"""Access to the boxes of a canvas without a view."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication

from qcachegrind_py.views.pictures.box_canvas import BoxCanvas, BoxColors
from qcachegrind_py.views.widgets.saving import to_svg
from tests.present.boxes_text import names_of
from tests.user_input import NONE


def frame_names(canvas: BoxCanvas) -> list[str]:
    """The name of each box."""
    return names_of(canvas.picture)


def box(canvas: BoxCanvas, name: str) -> int:
    """The first box with this name."""
    return frame_names(canvas).index(name)


def current(canvas: BoxCanvas) -> str:
    """The name of the current box; empty if there is none."""
    return frame_names(canvas)[canvas.current] if canvas.current >= 0 else ""


def areas(canvas: BoxCanvas) -> dict[int, QRectF]:
    """The areas of the visible boxes."""
    found = {box: canvas.box_rect(box) for box in range(len(canvas.tree))}
    return {box: area for box, area in found.items() if not area.isEmpty()}


def visible_names(canvas: BoxCanvas) -> list[str]:
    return [frame_names(canvas)[box] for box in areas(canvas)]


def self_cost_point(canvas: BoxCanvas, name: str) -> QPoint:
    """A point in the upper part of a box, which is its own in maps, too."""
    area = canvas.box_rect(box(canvas, name))
    return QPointF(area.center().x(), area.top() + 6).toPoint()


def fill_color(canvas: BoxCanvas, box: int) -> QColor:
    """The colour of a box without shading."""
    key = int(canvas.picture.color_keys(canvas.matches)[box])
    return QColor(BoxColors(canvas.picture, QApplication.palette())[key].rgb())


def picture_of(canvas: BoxCanvas) -> QImage:
    """The picture of the viewport once it is complete."""
    image = QImage(canvas.viewport().size(), QImage.Format.Format_RGB32)
    for _ in range(1000):
        canvas.viewport().render(image)
        if getattr(canvas, "is_drawn", True):  # a map is drawn in steps
            break
        QApplication.processEvents()
    return image


def exported_picture(canvas: BoxCanvas) -> QImage:
    """The picture of an export."""
    image = QImage(canvas.picture_size().toSize(), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    canvas.paint_picture(painter)
    painter.end()
    return image


def exported_texts(canvas: BoxCanvas) -> list[str]:
    """The texts of an export's boxes."""
    document = to_svg(canvas).decode()
    found = re.findall(r"<text[^>]*>([^<]*)</text>", document)
    return [unescape(text).strip() for text in found]


def pixels(image: QImage) -> Counter[str]:
    """The number of pixels of each colour."""
    data = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    values, counts = np.unique(data & 0xFFFFFF, return_counts=True)
    return Counter({f"#{v:06x}": n for v, n in zip(values.tolist(), counts.tolist(), strict=True)})


def difference(one: QImage, other: QImage) -> np.ndarray:
    """The differing pixels of two pictures, as rows of pixels."""
    shape = (one.height(), one.width())
    first, second = (np.frombuffer(i.constBits(), np.uint32).reshape(shape) for i in (one, other))
    return first != second


def turn_wheel(
    canvas: BoxCanvas, at: QPointF, x: int = 0, y: int = 0, keys: Qt.KeyboardModifier = NONE
) -> None:
    """Turn the wheel by eighths of a degree; a notch is 120."""
    event = QWheelEvent(
        at,
        QPointF(canvas.viewport().mapToGlobal(at.toPoint())),
        QPoint(),
        QPoint(x, y),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas.viewport(), event)
