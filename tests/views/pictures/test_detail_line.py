"""The line below a picture: what it says about a box, and how it fits into its width."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QFontMetrics, QImage
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.views.pictures.detail_line import (
    NO_BOX,
    Detail,
    DetailLine,
    cost_details,
    count_detail,
)
from tests.profile_text import THIN

FORMAT = CostFormat(event="Ir", base=2_000)


@pytest.mark.parametrize("as_percentage", [True, False])
def test_a_cost_is_given_as_share_and_in_absolute_numbers(as_percentage: bool) -> None:
    """Both are there in either unit, so that nobody has to switch; estimates are marked."""
    format_ = CostFormat(event="Ir", base=2_000, as_percentage=as_percentage)
    exact, estimated = (cost_details(format_, 1_000, is_exact=exact) for exact in (True, False))
    assert exact == (f"50.00{THIN}%", f"1{THIN}000 Ir")
    assert [text.replace(THIN, "") for text in estimated] == ["≈50.00%", "≈1000 Ir"]


def test_a_cost_without_a_share() -> None:
    """A ratio has none, and neither has a cost in a profile whose total is 0."""
    ratio = CostFormat(event="CPI", base=2.5, is_ratio=True)
    assert cost_details(ratio, 1.5, is_exact=True) == ("1.500 CPI",)
    assert cost_details(CostFormat(event="Ir"), 0, is_exact=True) == ("0 Ir",)


def test_a_number_of_calls() -> None:
    """It is left out if it is unknown, and says if the function had not returned."""
    assert count_detail(FORMAT, 1) == ("1 call",)
    assert count_detail(FORMAT, 3, is_exact=False) == (f"≈{THIN}3 calls",)
    assert count_detail(FORMAT, 0) == ()
    assert count_detail(FORMAT, 0, is_active=True) == ("(active)",)


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
