"""What delegates draw: bars that can be seen on every row of every theme, names and locations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRect, QStringListModel
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionViewItem

from qcachegrind_py.app.style import theme
from qcachegrind_py.present.figures import Figures
from qcachegrind_py.present.table import CostCells
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.views.tables.row_delegates import (
    CostBarDelegate,
    LocationDelegate,
    NameDelegate,
    RowDelegate,
    highlight_brush,
    paint_cost_bar,
    soften_selection,
)
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import RowGround, contrast
from tests.columns import FUNCTIONS
from tests.profile_text import function_model, queries_for

ROLE = QPalette.ColorRole
BAR_WIDTH = 100
WIDTH, HEIGHT = 200, 24
EDGE = 4  # rows of the picture above the digits


def model_of(folder: Path, costs: list[int], base: int) -> TableModel:
    """A list with one function for each self cost."""
    drawing = "\n".join(f"f{n} {cost}" for n, cost in enumerate(costs))
    unit = Unit("Ir", base)
    model = function_model(queries_for(folder, drawing))
    column = model.table.column("self")
    figures = Figures.alone(unit, np.array(costs))
    shown = replace(column, cells=CostCells(figures))
    columns = tuple(shown if each is column else each for each in model.columns)
    model.show_numbers(replace(model.table, columns=columns))
    return model


def painted(model: TableModel, record: int, *, dark: bool, selected: bool = False) -> QImage:
    """One cell, as the table draws it."""
    palette = theme.palette(dark)
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(palette.color(QPalette.ColorRole.Base))
    option = QStyleOptionViewItem()
    option.rect = QRect(0, 0, WIDTH, HEIGHT)
    option.palette = palette
    option.font = QFont(QApplication.font())
    option.state = QStyle.StateFlag.State_Enabled | QStyle.StateFlag.State_Active
    if selected:
        option.state |= QStyle.StateFlag.State_Selected
    painter = QPainter(image)
    CostBarDelegate().paint(painter, option, model.index_of_record(record, FUNCTIONS.SELF))
    painter.end()
    return image


def bar_length(image: QImage) -> int:
    """The number of pixel columns, at the bar's upper edge, that differ from the last."""
    empty = image.pixel(WIDTH - 1, EDGE)
    return sum(image.pixel(x, EDGE) != empty for x in range(WIDTH))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("selected", [False, True])
def test_bar_is_as_long_as_the_share(
    qapp: QApplication, tmp_path: Path, dark: bool, selected: bool
) -> None:
    """The cell's width is the total, in light, dark and selected rows."""
    theme.apply_palette(dark)
    model = model_of(tmp_path, [0, 100, 250, 500, 750], 1000)

    lengths = [
        bar_length(painted(model, record, dark=dark, selected=selected)) for record in range(5)
    ]

    expected = [0, 20, 49, 98, 147]
    assert [abs(a - b) <= 2 for a, b in zip(expected, lengths, strict=True)] == [True] * 5, lengths


def test_bar_of_more_than_the_total_stays_in_its_cell(qapp: QApplication, tmp_path: Path) -> None:
    """A cost above the total fills the cell, a negative one has no bar."""
    theme.apply_palette(dark=False)
    model = model_of(tmp_path, [5000, -5000], 1000)

    full, empty = (painted(model, record, dark=False) for record in (0, 1))

    assert (full.pixel(WIDTH - 6, EDGE), 0) == (full.pixel(6, EDGE), bar_length(empty))


@pytest.mark.parametrize("dark", [False, True])
def test_digits_are_drawn_over_the_bar(qapp: QApplication, tmp_path: Path, dark: bool) -> None:
    """The number is in front of its bar, in the text colour."""
    theme.apply_palette(dark)
    model = model_of(tmp_path, [1000], 1000)
    text = theme.palette(dark).color(QPalette.ColorRole.Text)

    image = painted(model, 0, dark=dark)

    pixels = [image.pixelColor(x, y) for x in range(WIDTH // 2, WIDTH) for y in range(HEIGHT)]
    assert min(contrast(pixel, text) for pixel in pixels) < 1.2


def grounds(palette: QPalette) -> dict[str, tuple[QColor, RowGround, QColor]]:
    """Everything that a bar is painted on, with the colour of the digits there."""
    soft = QPalette(palette)
    soften_selection(soft)
    tint = QImage(1, 1, QImage.Format.Format_RGB32)
    tint.fill(palette.color(ROLE.Base))
    painter = QPainter(tint)
    painter.fillRect(tint.rect(), highlight_brush(palette))
    painter.end()
    text = palette.color(ROLE.Text)
    return {
        "odd row": (palette.color(ROLE.Base), RowGround.PLAIN, text),
        "even row": (palette.color(ROLE.AlternateBase), RowGround.PLAIN, text),
        "selected row": (soft.color(ROLE.Highlight), RowGround.TINTED, text),
        "highlighted row": (tint.pixelColor(0, 0), RowGround.TINTED, text),
        "active function": (
            palette.color(ROLE.Highlight), RowGround.ACTIVE, palette.color(ROLE.HighlightedText),
        ),
    }  # fmt: skip


def bar_line(palette: QPalette, color: QColor, ground: RowGround, share: float) -> list[QColor]:
    """A line of pixels through the middle of a cell with a bar."""
    image = QImage(BAR_WIDTH, 20, QImage.Format.Format_RGB32)
    image.fill(color)
    painter = QPainter(image)
    paint_cost_bar(painter, QRect(0, 0, BAR_WIDTH, 20), share, palette, ground)
    painter.end()
    return [image.pixelColor(x, 10) for x in range(BAR_WIDTH)]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_bars_have_contrast(qapp: QApplication, dark: bool) -> None:
    """The bar, or its outline, has 3:1 to its row; digits on the bar have 4.5:1."""
    palette = theme.palette(dark)
    found = {}
    for name, (color, ground, text) in grounds(palette).items():
        line = bar_line(palette, color, ground, 0.5)
        edge = max(contrast(pixel, color) for pixel in line)
        found[name] = edge >= 3, contrast(line[BAR_WIDTH // 4], text) >= 4.5

    assert found == dict.fromkeys(found, (True, True))


def test_bars_shorter_than_half_a_pixel_are_not_drawn(qapp: QApplication) -> None:
    """A bar of a whole pixel for next to nothing would say ten times too much."""
    palette = theme.palette(dark=False)
    base = palette.color(ROLE.Base)
    lengths = {
        share: sum(pixel != base for pixel in bar_line(palette, base, RowGround.PLAIN, share))
        for share in (0.004, 0.006, 0.5, 1.0)
    }

    assert lengths[0.004] == 0  # 0.4 of 96 pixels
    assert 1 <= lengths[0.006] <= 2
    assert 47 <= lengths[0.5] <= 49
    assert 95 <= lengths[1.0] <= 97


# ---------------------------------------------------------------- names and locations


def text_cell(delegate: RowDelegate, text: str, room_for: str, *, dark: bool = False) -> QImage:
    """A cell with a text, just wide enough for another one."""
    model, palette = QStringListModel([text]), theme.palette(dark)
    option = QStyleOptionViewItem()
    option.font = QFont(QApplication.font())
    width = QFontMetrics(option.font).horizontalAdvance(room_for) + 2 * EDGE
    option.rect = QRect(0, 0, width, HEIGHT)
    option.palette = palette
    option.state = QStyle.StateFlag.State_Enabled | QStyle.StateFlag.State_Active
    image = QImage(width, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(palette.color(QPalette.ColorRole.Base))
    painter = QPainter(image)
    delegate.paint(painter, option, model.index(0))
    painter.end()
    return image


def test_a_long_name_is_drawn_with_the_name_of_the_function(qapp: QApplication) -> None:
    """A narrow cell looks as one with the short form of the name; a wide one has all of it."""
    theme.apply_palette(dark=False)
    name, short = "std::map<int, std::string>::find(int const&) const", "…::find(…) const"
    delegate = NameDelegate()

    assert text_cell(delegate, name, short) == text_cell(RowDelegate(), short, short)
    assert text_cell(delegate, name, name) == text_cell(RowDelegate(), name, name)


def test_a_long_location_keeps_the_kind_of_the_object(qapp: QApplication) -> None:
    """A narrow cell has the begin and the end of the object, and the file."""
    theme.apply_palette(dark=False)
    location, short = "ld-linux-x86-64.so.2: dl-reloc.c", "ld…so.2: dl-reloc.c"

    narrow = text_cell(LocationDelegate(), location, short)
    assert narrow == text_cell(RowDelegate(), short, short)


@pytest.mark.parametrize("dark", [False, True])
def test_callers_are_grey(qapp: QApplication, dark: bool) -> None:
    """The function stands out from the callers behind it, which can be read all the same."""
    theme.apply_palette(dark)
    name = "llllll'llllll"
    image = text_cell(NameDelegate(), name, name, dark=dark)
    ground = image.pixelColor(0, 0).lightness()

    def strongest(begin: int, end: int) -> int:
        columns, rows = range(begin, end), range(HEIGHT)
        return max(abs(image.pixelColor(x, y).lightness() - ground) for x in columns for y in rows)

    half = image.width() // 2
    function, callers = strongest(0, half - EDGE), strongest(half + EDGE, image.width())
    assert function > callers + 30
    assert callers > 90
