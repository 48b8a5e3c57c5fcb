"""What goes with every picture: the keys of zooming, and the line below about one box."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QKeyEvent
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.picture import Detail
from qcachegrind_py.views.pictures.canvas import NO_BOX, DetailLine, Zoom, zoom_of_key

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


def test_the_numbers_stay_in_full_beside_a_long_name(qtbot: QtBot) -> None:
    """A name that is too long is elided; the numbers at the end of the line are not."""
    line = DetailLine()
    qtbot.addWidget(line)
    numbers = ("50.00 %", "1 000 Ir")
    metrics = QFontMetrics(line.font())
    line.resize(metrics.horizontalAdvance("abcdefgh… · 50.00 % · 1 000 Ir") + 40, line.height())
    pictures: list[QImage] = []
    for name in ("a" * 200, "a" * 300, "b"):
        line.show_detail(Detail(name, numbers))
        pictures.append(line.grab().toImage())
        assert line.text == f"{name} · 50.00 % · 1 000 Ir"
    long, longer, short = pictures
    assert long == longer != short, "the middle of the name is left out"


def test_the_line_is_there_without_a_box_too(qtbot: QtBot) -> None:
    """It keeps its height and says what it is for; a swatch shows the colour of the group."""
    line = DetailLine()
    qtbot.addWidget(line)
    line.resize(400, 20)
    height = line.sizeHint().height()
    assert line.text == NO_BOX
    empty = line.grab().toImage()
    line.show_detail(Detail("main", (), QColor("#ff0000")))
    described = line.grab().toImage()
    assert QColor("#ff0000").rgb() in {
        described.pixel(x, described.height() // 2) for x in range(30)
    }
    line.show_detail(None)
    assert (line.sizeHint().height(), line.grab().toImage() == empty) == (height, True)
