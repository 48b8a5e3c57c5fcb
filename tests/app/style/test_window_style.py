"""One look: controls have one height, outlines are seen, and texts are legible on tints."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QImage, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QScrollBar,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.style import theme
from qcachegrind_py.app.style.forms import FormDialog
from qcachegrind_py.app.style.window_style import OUTLINE, RULE, accent, tinted
from qcachegrind_py.views.widgets.colors import contrast
from qcachegrind_py.views.widgets.grid import grid

ROLE, STATE = QPalette.ColorRole, QStyle.StateFlag
both_palettes = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])


@pytest.fixture(autouse=True)
def _light_again(qapp: QApplication) -> Iterator[None]:
    """Restore the light palette after each test."""
    theme.apply_palette(dark=False)
    yield
    theme.apply_palette(dark=False)


@both_palettes
def test_outlines_and_the_accent_are_seen(dark: bool) -> None:
    """With a contrast of 3 to 1 to the window, and to what is within a field."""
    palette = theme.palette(dark)
    found = {
        f"{color.name()} on {ground.name}": contrast(color, palette.color(ground))
        for color in (palette.color(OUTLINE), accent(palette))
        for ground in (ROLE.Window, ROLE.Base)
    }
    assert {name: ratio for name, ratio in found.items() if ratio < 3} == {}


@both_palettes
def test_texts_are_legible_on_tints(dark: bool) -> None:
    """Of buttons under the mouse, pressed and switched on, and of columns under the mouse."""
    palette = theme.palette(dark)
    states = (STATE.State_MouseOver, STATE.State_On, STATE.State_Sunken)
    grounds = [
        tinted(palette, role, STATE.State_Enabled | state)
        for role in (ROLE.Window, ROLE.Button, ROLE.Base)
        for state in states
    ]
    assert min(contrast(palette.color(ROLE.ButtonText), ground) for ground in grounds) >= 4.5


def left_edge(widget: QWidget, width: int) -> QImage:
    """The left pixels of a widget in the middle of its height."""
    widget.resize(widget.sizeHint())
    return widget.grab().toImage().copy(0, widget.height() // 2, width, 1)


@both_palettes
@pytest.mark.parametrize("kind", [QLineEdit, QComboBox, QCheckBox, QRadioButton])
def test_what_can_be_edited_has_an_outline(dark: bool, kind: type[QWidget]) -> None:
    theme.apply_palette(dark)
    widget = kind()
    edge = left_edge(widget, 4)
    window = theme.palette(dark).color(ROLE.Window)
    assert max(contrast(edge.pixelColor(x, 0), window) for x in range(4)) >= 3


@both_palettes
@pytest.mark.parametrize("kind", [QListView, QPlainTextEdit])
def test_lists_and_texts_in_dialogs_have_the_line_that_parts_a_window(
    dark: bool, kind: type[QWidget]
) -> None:
    """Fusion's frame is as dark as a dark window."""
    theme.apply_palette(dark)
    assert left_edge(kind(), 1).pixelColor(0, 0) == theme.palette(dark).color(RULE)


def test_a_dialog_fits_the_screen(qtbot: QtBot) -> None:
    """With the title that the desktop adds, whatever the size of the font."""
    dialog = FormDialog(None, "Large", (1000, 1000))
    qtbot.addWidget(dialog)
    assert dialog.size() == dialog.screen().availableSize() * 9 / 10


@both_palettes
def test_a_check_mark_is_seen(dark: bool) -> None:
    theme.apply_palette(dark)
    box = QCheckBox()
    box.setChecked(True)
    box.resize(box.sizeHint())
    option = QStyleOptionButton()
    box.initStyleOption(option)
    place = box.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, box)
    image = box.grab(place).toImage()
    ground = accent(box.palette())
    colors = [
        image.pixelColor(x, y)
        for x in range(3, place.width() - 3)
        for y in range(3, place.height() - 3)
    ]
    assert max(contrast(color, ground) for color in colors) >= 3


def test_controls_of_a_row_have_one_height() -> None:
    widgets: list[QWidget] = [QLineEdit(), QComboBox(), QPushButton("Close"), QToolButton()]
    for widget in widgets:
        if isinstance(widget, QToolButton):
            widget.setText("Table")
    assert [widget.sizeHint().height() for widget in widgets] == [grid(3)] * len(widgets)


def test_the_text_of_a_box_fits() -> None:
    """Beside the arrow, and away from the outline."""
    box = QComboBox()
    box.addItem("No Grouping")
    box.resize(box.sizeHint())
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    place = box.style().subControlRect(
        QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, box
    )
    assert place.width() >= box.fontMetrics().horizontalAdvance("No Grouping") + grid(0.5)


@pytest.mark.parametrize("value", [0, 40, 100])
def test_the_slider_of_a_scroll_bar_follows_the_mouse(value: int) -> None:
    """It has all room, as there are no arrows, and a length that can be taken hold of."""
    bar = QScrollBar()
    bar.setRange(0, 100)
    bar.setPageStep(1)
    bar.setValue(value)
    bar.resize(grid(1.5), 200)
    image = bar.grab().toImage()
    outline = bar.palette().color(OUTLINE)
    rows = [y for y in range(200) if image.pixelColor(bar.width() // 2, y) == outline]
    assert rows[-1] - rows[0] >= grid(2)
    assert abs(rows[0] - value * (200 - grid(3)) / 100) <= 4
