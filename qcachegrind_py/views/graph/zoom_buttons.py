"""The buttons that zoom a diagram."""

from __future__ import annotations

from PySide6.QtWidgets import QToolButton

from qcachegrind_py.views.buttons import button_of
from qcachegrind_py.views.graph.diagram_canvas import DiagramCanvas
from qcachegrind_py.views.picture_canvas import STEP


def zoom_buttons(canvas: DiagramCanvas) -> list[QToolButton]:
    """Smaller, larger, all of it."""
    buttons = []
    for text, tip, act in (
        ("−", "Zoom out (−, or Ctrl and the wheel)", lambda: canvas.zoom_around(1 / STEP)),
        ("+", "Zoom in (+, or Ctrl and the wheel)", lambda: canvas.zoom_around(STEP)),
        ("Fit", "Show the whole graph (0); 1 shows it in its own size", canvas.fit),
    ):
        button = button_of(text, tip)
        button.clicked.connect(lambda _checked=False, act=act: act())
        buttons.append(button)
    return buttons
