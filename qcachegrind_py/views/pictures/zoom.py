"""Zooming, the same in all pictures: the steps, their keys, and the buttons in the header."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QToolButton

from qcachegrind_py.views.widgets.buttons import text_button

ZOOM_STEP = 1.25  # zoom factor for one key press or one notch of the wheel
WHEEL_NOTCH = 120  # one notch in Qt's wheel events, in eighths of a degree


class Zoom(Enum):
    """A step of zooming, as keys and buttons request it."""

    OUT = "out"
    IN = "in"
    FIT = "fit"  # show the whole picture
    ACTUAL_SIZE = "actual size"  # 100 %, in pictures of a fixed size


_KEYS: dict[int, Zoom] = {
    Qt.Key.Key_Minus: Zoom.OUT,
    Qt.Key.Key_Plus: Zoom.IN,
    Qt.Key.Key_Equal: Zoom.IN,  # plus without Shift on many keyboards
    Qt.Key.Key_0: Zoom.FIT,
    Qt.Key.Key_1: Zoom.ACTUAL_SIZE,
}
_BUTTONS = {
    Zoom.OUT: ("−", "Zoom out (−, or Ctrl and the wheel)"),
    Zoom.IN: ("+", "Zoom in (+, or Ctrl and the wheel)"),
    Zoom.FIT: ("Fit", "Show the whole picture (0)"),
    Zoom.ACTUAL_SIZE: ("1:1", "Show the picture in actual size (1)"),
}


def zoom_of_key(event: QKeyEvent) -> Zoom | None:
    """Return the step that a key stands for, with or without Ctrl; None for other keys."""
    extra = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
    return None if event.modifiers() & extra else _KEYS.get(event.key())


def create_zoom_buttons(
    zoom: Callable[[Zoom], None], *, has_actual_size: bool
) -> dict[Zoom, QToolButton]:
    """Return buttons that call `zoom` with their step, from left to right."""
    buttons = {}
    for step, (text, tip) in _BUTTONS.items():
        if step is not Zoom.ACTUAL_SIZE or has_actual_size:
            buttons[step] = button = text_button(text, tip)
            button.setAccessibleName(tip.partition(" (")[0])
            button.clicked.connect(lambda _checked=False, step=step: zoom(step))
    return buttons
