"""The line below a picture, and where tips are."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.picture import Detail
from qcachegrind_py.views.pictures.canvas import tip_place
from qcachegrind_py.views.pictures.detail_line import NO_BOX, DetailLine, StatusLine
from qcachegrind_py.views.widgets.controls import tip_text
from tests.user_input import ignore_offscreen_warnings

pytestmark = ignore_offscreen_warnings

SCREEN, PICTURE = QRect(0, 0, 1000, 800), QRect(100, 100, 800, 600)


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (QRect(100, 200, 800, 60), QPoint(500, 267)),  # below
        (QRect(100, 660, 800, 60), QPoint(500, 572)),  # above, as there is no room below
        (QRect(100, 60, 800, 740), QPoint(500, 707)),  # below the picture
    ],
)
def test_a_tip_is_beside_what_is_read(read: QRect, expected: QPoint) -> None:
    """Below it, or above; if there is no room, at an edge of the picture."""
    size, pointer = QSize(200, 80), QPoint(500, 300)
    assert tip_place(size, pointer, read=read, picture=PICTURE, screen=SCREEN) == expected


def test_a_tip_in_a_picture_as_large_as_the_screen_is_far_from_the_pointer() -> None:
    """It is in the opposite corner, and inside the screen in all cases."""
    size, whole = QSize(200, 80), QRect(0, 0, 1000, 800)
    places = [
        tip_place(size, pointer, read=whole, picture=whole, screen=whole)
        for pointer in (QPoint(100, 100), QPoint(990, 790))
    ]
    row = QRect(0, 90, 1000, 20)
    beside = tip_place(size, QPoint(990, 100), read=row, picture=whole, screen=whole)

    assert places == [QPoint(799, 719), QPoint(0, 0)]
    assert beside.x() + size.width() <= 1000


def test_the_sentence_gives_way_to_what_is_pointed_at(qtbot: QtBot) -> None:
    """There is one line below a picture; its question is a link to the reasons."""
    line = StatusLine()
    qtbot.addWidget(line)
    line.resize(500, 20)
    line.setText("5 boxes · ≈ estimated (why?)", "Only direct calls are recorded.")
    shown = [line.shown_text]
    line.grab()
    link = line._link.center()
    line.show_detail(Detail("main", ("50 %",)))
    shown.append(line.shown_text)
    line.grab()
    hidden = line._link.isEmpty()
    line.show_detail(None)
    line.grab()
    qtbot.mouseRelease(line, Qt.MouseButton.LeftButton, pos=link)
    told = QToolTip.text()
    QToolTip.hideText()

    assert shown == ["5 boxes · ≈ estimated (why?)", "main · 50 %"]
    assert (line.text(), hidden) == (shown[0], True)
    assert told == tip_text("Only direct calls are recorded.")
    assert line.accessibleDescription() == "Only direct calls are recorded."


def test_the_reasons_are_told_by_keys_too(qtbot: QtBot) -> None:
    """Tab leads to the question while there is one, and Return asks it."""
    line = StatusLine()
    qtbot.addWidget(line)
    line.setText("5 boxes")
    policies = [line.focusPolicy()]
    line.setText("5 boxes · ≈ estimated (why?)", "Only direct calls are recorded.")
    policies.append(line.focusPolicy())
    qtbot.keyClick(line, Qt.Key.Key_Return)
    told = QToolTip.text()
    QToolTip.hideText()

    assert policies == [Qt.FocusPolicy.NoFocus, Qt.FocusPolicy.TabFocus]
    assert told == tip_text("Only direct calls are recorded.")


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
        assert line.shown_text == f"{name} · 50.00 % · 1 000 Ir"
    long, longer, short = pictures
    assert long == longer != short, "the middle of the name is left out"


def test_the_line_is_there_without_a_box_too(qtbot: QtBot) -> None:
    """It keeps its height and says what it is for; a swatch shows the colour of the group."""
    line = DetailLine()
    qtbot.addWidget(line)
    line.resize(400, 20)
    height = line.sizeHint().height()
    assert line.shown_text == NO_BOX
    empty = line.grab().toImage()
    line.show_detail(Detail("main", (), QColor("#ff0000")))
    described = line.grab().toImage()
    assert QColor("#ff0000").rgb() in {
        described.pixel(x, described.height() // 2) for x in range(30)
    }
    line.show_detail(None)
    assert (line.sizeHint().height(), line.grab().toImage() == empty) == (height, True)
