"""The two palettes: every text can be read on what it stands on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QStyle, QStyleOptionViewItem

from qcachegrind_py.app import theme
from qcachegrind_py.app.notices import NoticeStrip
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.models.functions import FunctionModel
from qcachegrind_py.session.settings import ColorScheme, Settings
from qcachegrind_py.views.cost_bar import CostBarDelegate
from tests.drawn import asked, function_model

LEAST = 4.5  # what the accessibility guidelines ask for (WCAG 2.1, 1.4.3)
ROLE = QPalette.ColorRole
TEXTS = [
    (ROLE.WindowText, ROLE.Window),
    (ROLE.Text, ROLE.Base),
    (ROLE.Text, ROLE.AlternateBase),
    (ROLE.ButtonText, ROLE.Button),
    (ROLE.ButtonText, ROLE.Window),
    (ROLE.HighlightedText, ROLE.Highlight),
    (ROLE.PlaceholderText, ROLE.Base),
    (ROLE.ToolTipText, ROLE.ToolTipBase),
    (ROLE.Link, ROLE.Base),
    (ROLE.Link, ROLE.Window),
    (ROLE.LinkVisited, ROLE.Base),
    (ROLE.LinkVisited, ROLE.Window),
    (ROLE.BrightText, ROLE.Window),
]
both_palettes = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])


@pytest.fixture(autouse=True)
def _light_again(qapp: QApplication) -> Iterator[None]:
    """No test leaves the application dark."""
    yield
    theme.apply_palette(dark=False)


def luminance(color: QColor) -> float:
    """The relative luminance, by the definition of WCAG."""

    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(c) for c in (color.redF(), color.greenF(), color.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: QColor, other: QColor) -> float:
    """The contrast of two colours, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_guidelines() -> None:
    """The measure that this file rests on is right at its ends and in between."""
    found = [
        round(contrast(QColor(a), QColor(b)), 2)
        for a, b in (("#000", "#fff"), ("#777", "#fff"), ("#f00", "#f00"))
    ]

    assert found == [21.0, 4.48, 1.0]


@both_palettes
def test_all_texts_have_contrast(qapp: QApplication, dark: bool) -> None:
    """Each text role has a contrast of 4.5 to 1 at least to the ground that it stands on."""
    palette = theme.palette(dark)

    faint = {
        f"{text.name} on {ground.name}": round(found, 2)
        for text, ground in TEXTS
        if (found := contrast(palette.color(text), palette.color(ground))) < LEAST
    }

    assert faint == {}


def bar_color(folder: Path, dark: bool, ground: QPalette.ColorRole, selected: bool) -> QColor:
    """The colour of a full cost bar, as it is painted."""
    model = function_model(asked(folder, "main 100"))
    option = QStyleOptionViewItem()
    option.rect = QRect(0, 0, 200, 24)
    option.palette = theme.palette(dark)
    option.state = QStyle.StateFlag.State_Enabled | QStyle.StateFlag.State_Active
    if selected:
        option.state |= QStyle.StateFlag.State_Selected
    image = QImage(200, 24, QImage.Format.Format_RGB32)
    image.fill(option.palette.color(ground))
    painter = QPainter(image)
    CostBarDelegate().paint(painter, option, model.index(0, FunctionModel.SELF))
    painter.end()
    return image.pixelColor(100, 4)


@both_palettes
@pytest.mark.parametrize("ground", [ROLE.Base, ROLE.AlternateBase], ids=["odd", "even"])
def test_text_over_a_cost_bar_has_contrast(
    qapp: QApplication, tmp_path: Path, dark: bool, ground: QPalette.ColorRole
) -> None:
    """Digits can be read where the bar is behind them."""
    theme.apply_palette(dark)
    text = theme.palette(dark).color(ROLE.Text)

    assert contrast(text, bar_color(tmp_path, dark, ground, selected=False)) >= LEAST


@both_palettes
def test_text_over_a_cost_bar_of_the_selected_row_has_contrast(
    qapp: QApplication, tmp_path: Path, dark: bool
) -> None:
    """Digits of the selected row can be read where the bar is behind them, too."""
    theme.apply_palette(dark)
    text = theme.palette(dark).color(ROLE.HighlightedText)

    assert contrast(text, bar_color(tmp_path, dark, ROLE.Base, selected=True)) >= LEAST


@both_palettes
@pytest.mark.parametrize("ground", [ROLE.Base, ROLE.AlternateBase], ids=["odd", "even"])
def test_cost_bar_is_seen(
    qapp: QApplication, tmp_path: Path, dark: bool, ground: QPalette.ColorRole
) -> None:
    """A bar differs from what it stands on, so that its length can be seen."""
    theme.apply_palette(dark)
    empty = theme.palette(dark).color(ground)

    assert contrast(empty, bar_color(tmp_path, dark, ground, selected=False)) >= 1.25


def drawn_contrast(label: QLabel) -> float:
    """The contrast of a label's text, as it would be drawn, to the ground of its parent."""
    group = label.palette().currentColorGroup()
    if not label.isEnabled():
        group = QPalette.ColorGroup.Disabled
    ground = label.palette().color(group, label.backgroundRole())
    return contrast(label.palette().color(group, label.foregroundRole()), ground)


@both_palettes
def test_messages_of_empty_views_have_contrast(window: MainWindow, dark: bool) -> None:
    """What an empty view says is there to be read."""
    theme.apply_palette(dark)
    labels = [
        label for label in window.functions.findChildren(QLabel) if "No profile" in label.text()
    ]

    assert [drawn_contrast(label) >= LEAST for label in labels] == [True]


@both_palettes
@pytest.mark.parametrize("kind", ["error", "warning", "information"])
def test_notices_have_contrast(qapp: QApplication, qtbot: object, dark: bool, kind: str) -> None:
    """What a notice says can be read on its tint."""
    theme.apply_palette(dark)
    strip = NoticeStrip()
    notice = strip.show_notice(kind, "Text")

    assert drawn_contrast(notice.label) >= LEAST


@both_palettes
def test_notices_have_contrast_after_a_change_of_colours(
    qapp: QApplication, qtbot: object, dark: bool
) -> None:
    """A notice that stands while the colours change can still be read."""
    theme.apply_palette(not dark)
    strip = NoticeStrip()
    notice = strip.show_notice("warning", "Text")
    strip.show()

    theme.apply_palette(dark)

    found = drawn_contrast(notice.label)
    strip.close()
    assert found >= LEAST


@pytest.mark.parametrize(("name", "dark"), [("dark", True), ("light", False)])
def test_scheme_is_chosen_in_the_menu_and_remembered(
    window: MainWindow, settings: Settings, name: str, dark: bool
) -> None:
    """The menu changes all colours at once, and the next start has them, too."""
    window.actions_["light" if dark else "dark"].trigger()
    window.actions_[name].trigger()

    base = QApplication.palette().color(ROLE.Base)
    assert base == theme.palette(dark).color(ROLE.Base)
    assert settings.color_scheme is ColorScheme(name)
    assert theme.is_dark(settings.color_scheme) is dark


@pytest.fixture
def colors_of(window: MainWindow) -> Callable[[str], set[str]]:
    """The colours of the opaque pixels of an action's icon."""

    def colors_of(name: str) -> set[str]:
        image = window.actions_[name].icon().pixmap(32, 32).toImage()
        pixels = [image.pixelColor(x, y) for x in range(32) for y in range(32)]
        return {pixel.name() for pixel in pixels if pixel.alpha() == 255}

    return colors_of


def test_icons_take_the_colour_of_the_palette(
    window: MainWindow, colors_of: Callable[[str], set[str]]
) -> None:
    """Icons are dark on light and light on dark, at once."""
    found = []
    for dark in (False, True, False):
        theme.apply_palette(dark)
        QApplication.processEvents()
        text = theme.palette(dark).color(ROLE.ButtonText).name()
        found.append(text in colors_of("open"))

    assert found == [True, True, True]
