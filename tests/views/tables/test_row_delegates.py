"""What delegates draw: numbers beside bars that are seen on every row, names and locations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionViewItem

from qcachegrind_py.app.style import theme
from qcachegrind_py.present.figures import Figures
from qcachegrind_py.present.table import Column, CostCells, Table, TextCells
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.views.tables.bars import number_and_bar, paint_change_bar, paint_cost_bar
from qcachegrind_py.views.tables.row_delegates import (
    LocationDelegate,
    NameDelegate,
    NumberDelegate,
    RowDelegate,
)
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import (
    RowGround,
    contrast,
    marked_color,
    pointed_color,
    selection_color,
)
from tests.columns import FUNCTIONS
from tests.profile_text import function_model, queries_for
from tests.seen_cell import SeenCell

ROLE = QPalette.ColorRole
BAR_WIDTH = 100
WIDTH, HEIGHT = 200, 24
NUMBERS = 60  # pixels for the numbers of a column
EDGE = 4


def rooms() -> tuple[QRect, QRect]:
    """The rooms for the number and for the bar in a cell."""
    return number_and_bar(QRect(0, 0, WIDTH, HEIGHT), NUMBERS)


def model_of(folder: Path, costs: list[int], base: int, unit: Unit | None = None) -> TableModel:
    """A list with one function for each self cost."""
    drawing = "\n".join(f"f{n} {cost}" for n, cost in enumerate(costs))
    model = function_model(queries_for(folder, drawing))
    column = model.table.column("self")
    figures = Figures.alone(unit or Unit("Ir", base), np.array(costs))
    shown = replace(column, cells=CostCells(figures))
    columns = tuple(shown if each is column else each for each in model.columns)
    model.show_numbers(replace(model.table, columns=columns))
    return model


def painted(
    model: TableModel, record: int, *, dark: bool, selected: bool = False, width: int = WIDTH
) -> QImage:
    """One cell, as the table draws it."""
    palette = theme.palette(dark)
    image = QImage(width, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(palette.color(QPalette.ColorRole.Base))
    option = QStyleOptionViewItem()
    option.rect = QRect(0, 0, width, HEIGHT)
    option.palette = palette
    option.font = QFont(QApplication.font())
    option.state = QStyle.StateFlag.State_Enabled | QStyle.StateFlag.State_Active
    if selected:
        option.state |= QStyle.StateFlag.State_Selected
    painter = QPainter(image)
    delegate = NumberDelegate(FUNCTIONS.SELF, {FUNCTIONS.SELF: NUMBERS})
    delegate.paint(painter, option, model.index_of_record(record, FUNCTIONS.SELF))
    painter.end()
    return image


def bar_length(image: QImage) -> int:
    """The number of pixels in the middle of the bar's area that differ from the ground."""
    ground, middle = image.pixel(0, 0), HEIGHT // 2
    return sum(image.pixel(x, middle) != ground for x in range(rooms()[1].left(), image.width()))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("selected", [False, True])
def test_bar_is_as_long_as_the_share(
    qapp: QApplication, tmp_path: Path, dark: bool, selected: bool
) -> None:
    """The room right of the numbers is the total, in light, dark and selected rows."""
    theme.apply_palette(dark)
    model = model_of(tmp_path, [0, 100, 250, 500, 750], 1000)

    lengths = [
        bar_length(painted(model, record, dark=dark, selected=selected)) for record in range(5)
    ]

    expected = [round(rooms()[1].width() * share) for share in (0, 0.1, 0.25, 0.5, 0.75)]
    assert [abs(a - b) <= 1 for a, b in zip(expected, lengths, strict=True)] == [True] * 5, lengths


def test_bar_of_more_than_the_total_stays_in_its_room(qapp: QApplication, tmp_path: Path) -> None:
    """A cost above the total has a full bar, a negative one has none."""
    theme.apply_palette(dark=False)
    model = model_of(tmp_path, [5000, -5000], 1000)

    lengths = [bar_length(painted(model, record, dark=False)) for record in (0, 1)]

    assert lengths == [rooms()[1].width(), 0]


@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_written_across_a_bar(qapp: QApplication, tmp_path: Path, dark: bool) -> None:
    """A number looks the same with a full bar and with none; the bar begins behind its end."""
    theme.apply_palette(dark)
    with_bar, without = (
        painted(model_of(tmp_path, [1000], base, Unit("Ir", base, False)), 0, dark=dark)
        for base in (1000, 0)
    )
    text, bar = rooms()
    inside = QRect(0, 0, text.right() + 1, HEIGHT)

    assert with_bar.copy(inside) == without.copy(inside)
    assert (bar_length(with_bar), bar_length(without)) == (bar.width(), 0)
    assert bar.left() - text.right() > 1


def test_number_without_room_is_written_in_fewer_digits(qapp: QApplication, tmp_path: Path) -> None:
    """The user makes a column narrow: 2 940 422 208 becomes 2.940 G, and keeps its right end."""
    theme.apply_palette(dark=False)
    absolute = Unit("Ir", 0, False)
    large = model_of(tmp_path, [2_940_422_208], 0, absolute)
    metrics = QFontMetrics(QApplication.font())
    narrow = metrics.horizontalAdvance("2.940 G") + 2 * EDGE
    image = painted(large, 0, dark=False, width=narrow)
    ground = image.pixel(0, 0)
    ink = [x for x in range(narrow) for y in range(HEIGHT) if image.pixel(x, y) != ground]

    index = large.index_of_record(0, FUNCTIONS.SELF)
    assert index.data().replace("\N{THIN SPACE}", " ") == "2 940 422 208"
    assert SeenCell(index).short == "2.940 G"
    assert min(ink) >= EDGE - 1
    assert max(ink) < narrow - EDGE


def grounds(palette: QPalette) -> dict[str, tuple[QColor, RowGround]]:
    """Everything that a bar is painted on."""
    return {
        "odd row": (palette.color(ROLE.Base), RowGround.PLAIN),
        "even row": (palette.color(ROLE.AlternateBase), RowGround.PLAIN),
        "row pointed at": (pointed_color(palette), RowGround.PLAIN),
        "selected row": (selection_color(palette), RowGround.TINTED),
        "marked row": (marked_color(palette), RowGround.TINTED),
        "active function": (palette.color(ROLE.Highlight), RowGround.ACTIVE),
    }


def bar_line(
    palette: QPalette, color: QColor, ground: RowGround, share: float, *, is_change: bool = False
) -> list[QColor]:
    """A line of pixels through the middle of the room for a bar."""
    image = QImage(BAR_WIDTH, 20, QImage.Format.Format_RGB32)
    image.fill(color)
    painter = QPainter(image)
    paint = paint_change_bar if is_change else paint_cost_bar
    paint(painter, QRect(0, 0, BAR_WIDTH, 20), share, palette, ground)
    painter.end()
    return [image.pixelColor(x, 10) for x in range(BAR_WIDTH)]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_bars_have_contrast(qapp: QApplication, dark: bool) -> None:
    """Bars of costs and of changes have 3:1 to every kind of row."""
    palette = theme.palette(dark)
    found = {}
    for name, (color, ground) in grounds(palette).items():
        cost = bar_line(palette, color, ground, 0.5)[BAR_WIDTH // 4]
        growth = bar_line(palette, color, ground, 0.8, is_change=True)[BAR_WIDTH * 3 // 4]
        loss = bar_line(palette, color, ground, -0.8, is_change=True)[BAR_WIDTH // 4]
        found[name] = [contrast(bar, color) >= 3 for bar in (cost, growth, loss)]

    assert found == dict.fromkeys(found, [True] * 3)


def test_bars_shorter_than_half_a_pixel_are_not_drawn(qapp: QApplication) -> None:
    """A bar of a whole pixel for next to nothing would say ten times too much."""
    palette = theme.palette(dark=False)
    base = palette.color(ROLE.Base)
    lengths = {
        share: sum(pixel != base for pixel in bar_line(palette, base, RowGround.PLAIN, share))
        for share in (0.004, 0.006, 0.5, 1.0)
    }

    assert lengths == {0.004: 0, 0.006: 1, 0.5: 50, 1.0: 100}


def test_changes_grow_from_a_line_in_the_middle(qapp: QApplication) -> None:
    """Growth is at the right of the line and shrinkage at the left; no change is the line alone."""
    palette = theme.palette(dark=False)
    base = palette.color(ROLE.Base)

    def sides(change: float) -> tuple[int, bool, int]:
        line = bar_line(palette, base, RowGround.PLAIN, change, is_change=True)
        ink = [pixel != base for pixel in line]
        half = BAR_WIDTH // 2
        return sum(ink[:half]), ink[half], sum(ink[half + 1 :])

    assert {change: sides(change) for change in (-1.0, -0.2, 0.0, 0.2)} == {
        -1.0: (50, True, 0),
        -0.2: (10, True, 0),
        0.0: (0, True, 0),
        0.2: (0, True, 10),
    }


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("active", [False, True], ids=["selected", "active"])
def test_colour_of_a_selected_row_is_that_of_the_picture(
    qapp: QApplication, tmp_path: Path, dark: bool, active: bool
) -> None:
    """A selection does not tint the mark in front of a name."""
    theme.apply_palette(dark)
    model, color = model_of(tmp_path, [1000], 1000), QColor("#a02669")
    model.set_colors(lambda _: color)
    model.mark_active(0 if active else -1)
    palette = theme.palette(dark)
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    option = QStyleOptionViewItem()
    option.rect, option.palette = QRect(0, 0, WIDTH, HEIGHT), palette
    option.state = QStyle.StateFlag.State_Enabled | QStyle.StateFlag.State_Selected
    option.decorationPosition = QStyleOptionViewItem.Position.Left
    option.decorationAlignment = Qt.AlignmentFlag.AlignCenter
    option.decorationSize = QSize(16, 16)
    painter = QPainter(image)
    NameDelegate().paint(painter, option, model.index_of_record(0, FUNCTIONS.NAME))
    painter.end()

    shown = {image.pixelColor(x, HEIGHT // 2).name() for x in range(20)}
    assert color.name() in shown


# ---------------------------------------------------------------- names and locations


def text_cell(delegate: RowDelegate, text: str, room_for: str, *, dark: bool = False) -> QImage:
    """A cell with a text, just wide enough for another one."""
    column = Column("name", "Name", "", TextCells([text]), stretches=True)
    model, palette = TableModel(Table((column,), 1)), theme.palette(dark)
    model.show(model.table)
    option = QStyleOptionViewItem()
    option.font = QFont(QApplication.font())
    width = QFontMetrics(option.font).horizontalAdvance(room_for) + 2 * EDGE
    option.rect = QRect(0, 0, width, HEIGHT)
    option.palette = palette
    option.state = QStyle.StateFlag.State_Enabled | QStyle.StateFlag.State_Active
    image = QImage(width, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(palette.color(QPalette.ColorRole.Base))
    painter = QPainter(image)
    delegate.paint(painter, option, model.index(0, 0))
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
