"""The line below a picture: what it says about a box, and how it fits into its width."""

from __future__ import annotations

from PySide6.QtGui import QColor, QFontMetrics, QImage
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.picture import Detail
from qcachegrind_py.views.pictures.detail_line import NO_BOX, DetailLine


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
