"""The light and dark palettes: every text is legible on its ground."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QLabel,
    QRadioButton,
    QStyle,
    QStyleOptionButton,
    QStyleOptionViewItem,
)
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import ColorScheme, Settings
from qcachegrind_py.views.tables.row_delegates import CostBarDelegate
from qcachegrind_py.views.widgets.colors import GroupPalette, contrast
from tests.columns import FUNCTIONS
from tests.profile_text import EXAMPLE, function_model, queries_for
from tests.user_input import process_events

MIN_CONTRAST = 4.5  # required by the accessibility guidelines (WCAG 2.1, 1.4.3)
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
    (ROLE.BrightText, ROLE.Base),  # errors in an input line
    (ROLE.Text, ROLE.Button),
    (ROLE.WindowText, ROLE.Button),  # inactive tabs
    (ROLE.WindowText, ROLE.Base),
    (ROLE.PlaceholderText, ROLE.Window),  # messages of empty views
]
both_palettes = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])


@pytest.fixture(autouse=True)
def _light_again(qapp: QApplication) -> Iterator[None]:
    """Restore the light palette after each test."""
    yield
    theme.apply_palette(dark=False)


def test_contrast_is_that_of_the_guidelines() -> None:
    """The measure used here is correct at its ends and in between."""
    found = [
        round(contrast(QColor(a), QColor(b)), 2)
        for a, b in (("#000", "#fff"), ("#777", "#fff"), ("#f00", "#f00"))
    ]

    assert found == [21.0, 4.48, 1.0]


@both_palettes
def test_all_texts_have_contrast(qapp: QApplication, dark: bool) -> None:
    """Each text role has a contrast of at least 4.5 to 1 to its ground."""
    palette = theme.palette(dark)

    faint = {
        f"{text.name} on {ground.name}": round(found, 2)
        for text, ground in TEXTS
        if (found := contrast(palette.color(text), palette.color(ground))) < MIN_CONTRAST
    }

    assert faint == {}


def bar_color(
    folder: Path,
    dark: bool,
    ground: QPalette.ColorRole,
    selected: bool,
    *,
    marked: bool = False,
    active: bool = False,
    part: float = 0.25,
) -> QColor:
    """The painted colour of a half-length cost bar, or of the ground beside it."""
    model = function_model(queries_for(folder, "main 100\nother 100"))
    model.highlight(0 if marked else -1)
    model.mark_active(0 if active else -1)
    option = QStyleOptionViewItem()
    option.rect = QRect(0, 0, 200, 24)
    option.palette = theme.palette(dark)
    option.state = QStyle.StateFlag.State_Enabled | QStyle.StateFlag.State_Active
    if selected:
        option.state |= QStyle.StateFlag.State_Selected
    image = QImage(200, 24, QImage.Format.Format_RGB32)
    image.fill(option.palette.color(ground))
    painter = QPainter(image)
    CostBarDelegate().paint(painter, option, model.index(0, FUNCTIONS.SELF))
    painter.end()
    return image.pixelColor(round(200 * part), 4)


@both_palettes
@pytest.mark.parametrize("ground", [ROLE.Base, ROLE.AlternateBase], ids=["odd", "even"])
@pytest.mark.parametrize("part", [0.25, 0.75], ids=["on the bar", "beside it"])
def test_digits_have_contrast_to_their_row(
    qapp: QApplication, tmp_path: Path, dark: bool, ground: QPalette.ColorRole, part: float
) -> None:
    """Digits are legible on the bar and beside it: in any row, active, marked or selected.

    A row that is marked because it is selected in another view has a visible tint.
    """
    theme.apply_palette(dark)
    palette = theme.palette(dark)

    def painted(**state: bool) -> QColor:
        return bar_color(tmp_path, dark, ground, part=part, **state)

    digits = [
        (ROLE.Text, painted(selected=False)),
        (ROLE.Text, painted(selected=True)),
        (ROLE.Text, painted(selected=False, marked=True)),
        (ROLE.HighlightedText, painted(selected=False, active=True)),
        (ROLE.HighlightedText, painted(selected=True, active=True)),
    ]
    for role, color in digits:
        assert contrast(palette.color(role), color) >= MIN_CONTRAST, color.name()
    marked = painted(selected=False, marked=True)
    assert marked != painted(selected=False) or part < 0.5  # the bar has the same colour


@both_palettes
@pytest.mark.parametrize("name", ["a", "libc.so.6", "src/main.cpp", "std", "(global)", "???"])
def test_colours_of_groups_are_seen(qapp: QApplication, dark: bool, name: str) -> None:
    """The mark of a group is visible in both palettes, on marked rows, too."""
    palette = theme.palette(dark)
    grounds = [palette.color(role) for role in (ROLE.Base, ROLE.AlternateBase)]

    assert [contrast(GroupPalette().group(name), ground) >= 1.9 for ground in grounds] == [
        True,
        True,
    ]


@both_palettes
@pytest.mark.parametrize("ground", [ROLE.Base, ROLE.AlternateBase], ids=["odd", "even"])
def test_cost_bar_is_seen(
    qapp: QApplication, tmp_path: Path, dark: bool, ground: QPalette.ColorRole
) -> None:
    """A bar differs visibly from its ground."""
    theme.apply_palette(dark)
    empty = theme.palette(dark).color(ground)

    assert contrast(empty, bar_color(tmp_path, dark, ground, selected=False)) >= 1.25


def drawn_contrast(label: QLabel) -> float:
    """The contrast of a label's rendered text to its parent's ground."""
    group = label.palette().currentColorGroup()
    if not label.isEnabled():
        group = QPalette.ColorGroup.Disabled
    ground = label.palette().color(group, label.backgroundRole())
    return contrast(label.palette().color(group, label.foregroundRole()), ground)


@both_palettes
def test_all_labels_of_the_window_have_contrast(
    window: MainWindow, open_file: Callable[..., None], dark: bool
) -> None:
    """Messages of empty views, notes, breadcrumbs, status and the active function's line."""
    for is_open in (False, True):
        if is_open:
            open_file(EXAMPLE)
        theme.apply_palette(dark)
        QApplication.processEvents()
        labels = [
            label for label in window.findChildren(QLabel) if label.isVisible() and label.text()
        ]
        faint = [label.text() for label in labels if drawn_contrast(label) < MIN_CONTRAST]

        assert faint == []
        assert len(labels) > 6 or not is_open
        assert is_open or any("No profile" in label.text() for label in labels)


@both_palettes
def test_wrong_filter_has_contrast(
    window: MainWindow, open_file: Callable[..., None], dark: bool
) -> None:
    """An invalid filter is red and legible, before and after a change of palette."""
    open_file(EXAMPLE)
    theme.apply_palette(not dark)
    process_events()
    window.filter_bar.setText("self>")
    window.filter_bar.apply_text()
    process_events()
    theme.apply_palette(dark)
    process_events()
    palette = window.filter_bar.palette()
    red = palette.color(ROLE.Text)

    assert red != theme.palette(dark).color(ROLE.Text)
    assert contrast(red, palette.color(ROLE.Base)) >= MIN_CONTRAST


@both_palettes
@pytest.mark.parametrize("kind", ["error", "warning", "information"])
def test_notices_have_contrast(qapp: QApplication, qtbot: QtBot, dark: bool, kind: str) -> None:
    """The text of a notice is legible on its tint, also if it is open when the palette changes."""
    theme.apply_palette(not dark)
    strip = NoticeStrip()
    notices = [strip.show_notice(kind, "Before")]
    strip.show()
    theme.apply_palette(dark)
    notices.append(NoticeStrip().show_notice(kind, "After"))

    found = [drawn_contrast(notice.label) >= MIN_CONTRAST for notice in notices]
    strip.close()
    assert found == [True, True]


@pytest.mark.parametrize(("name", "dark"), [("dark", True), ("light", False)])
def test_scheme_is_chosen_in_the_menu_and_remembered(
    window: MainWindow, settings: Settings, name: str, dark: bool
) -> None:
    """The menu changes all colours at once, and the next start restores them."""
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


@pytest.mark.parametrize("kind", [QCheckBox, QRadioButton])
def test_unchecked_boxes_are_visible_in_the_dark(
    qapp: QApplication, kind: type[QCheckBox | QRadioButton]
) -> None:
    """Checkboxes and their marks have a contrast of 3 to 1 to the window."""
    theme.apply_palette(dark=True)
    box = kind("text")
    box.resize(box.sizeHint())
    option = QStyleOptionButton()
    box.initStyleOption(option)
    element = QStyle.SubElement.SE_CheckBoxIndicator
    place = box.style().subElementRect(element, option, box).center()
    image = box.grab().toImage()
    empty, ground = image.pixelColor(place), box.palette().color(ROLE.Window)

    assert contrast(empty, ground) >= 3
    assert contrast(box.palette().color(ROLE.Text), empty) >= 3
