"""Access to the boxes of a canvas without a view."""

from __future__ import annotations

import re
from html import unescape

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication

from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.ids import STAND_INS
from qcachegrind_py.views.boxes.canvas import BoxCanvas
from qcachegrind_py.views.boxes.frame_colors import FrameColors
from qcachegrind_py.views.pictures.export import to_svg
from tests.profile_text import WHOLE_SCOPE
from tests.user_input import NONE


def frame_tree_of(queries: ProfileQueries, root: str) -> FrameTree:
    """All frames below a function, for the first event."""
    graph = queries.accounted_calls(queries.events.measured[0], WHOLE_SCOPE)
    return build_frame_tree(
        graph, queries.names.with_name(root)[:1], min_share=0, max_frames=100_000
    )


def frame_names(canvas: BoxCanvas) -> list[str]:
    """The name of each box."""
    return [canvas.picture.name(box) for box in range(len(canvas.tree))]


def box(canvas: BoxCanvas, name: str) -> int:
    """The first box with this name."""
    return frame_names(canvas).index(name)


def current(canvas: BoxCanvas) -> str:
    """The name of the current box; empty if there is none."""
    return frame_names(canvas)[canvas.current] if canvas.current >= 0 else ""


def fill_color(canvas: BoxCanvas, box: int) -> QColor:
    """The colour of a box without shading."""
    entry, exact = int(canvas.tree.node[box]), bool(canvas.tree.is_exact[box])
    faded = canvas.matches is not None and not canvas.matches[entry]
    return QColor(color_of(canvas, entry, is_exact=exact, is_faded=faded).rgb())


def color_of(
    canvas: BoxCanvas, node: int, *, is_exact: bool = True, is_faded: bool = False
) -> QColor:
    """The colour of the boxes of a function, or of none, -1."""
    colors = FrameColors(canvas.picture, QApplication.palette())
    return colors.color(node + STAND_INS, is_exact=is_exact, is_faded=is_faded)


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
