"""The keys of zooming."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from qcachegrind_py.views.pictures.zoom import Zoom, zoom_of_key

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
