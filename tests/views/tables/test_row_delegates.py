"""The bar behind a cost, rendered to an image."""

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
)
from qcachegrind_py.views.tables.table_model import TableModel
from tests.columns import FUNCTIONS
from tests.profile_text import function_model, queries_for

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


def test_a_cost_too_small_for_a_bar_has_none(qapp: QApplication, tmp_path: Path) -> None:
    """One millionth has no bar, as even a pixel would be a thousand times too long."""
    theme.apply_palette(dark=False)
    model = model_of(tmp_path, [1, 0, 10_000], 1_000_000)

    lengths = [bar_length(painted(model, record, dark=False)) for record in range(3)]

    assert (lengths[:2], lengths[2] > 0) == ([0, 0], True)


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
    nearest = min(distance(pixel, text) for pixel in pixels)
    assert nearest < 60


def distance(one: QColor, other: QColor) -> int:
    """The distance between two colours."""
    return (
        abs(one.red() - other.red())
        + abs(one.green() - other.green())
        + abs(one.blue() - other.blue())
    )


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
