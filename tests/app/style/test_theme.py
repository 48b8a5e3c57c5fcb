"""The light and dark palettes: every text is legible on its ground."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
)
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.notices import Notices
from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import ColorScheme, Settings
from qcachegrind_py.views.widgets.colors import (
    GroupPalette,
    contrast,
    marked_color,
    pointed_color,
    selection_color,
)
from tests.profile_text import EXAMPLE
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


@both_palettes
def test_texts_of_tables_have_contrast_to_their_row(qapp: QApplication, dark: bool) -> None:
    """In any row: plain, pointed at, marked, selected; faint texts are in the first two only."""
    palette = theme.palette(dark)
    plain = [palette.color(ROLE.Base), palette.color(ROLE.AlternateBase), pointed_color(palette)]
    tinted = [marked_color(palette), selection_color(palette)]
    pairs = [(ROLE.Text, row) for row in plain + tinted]
    pairs += [(ROLE.PlaceholderText, row) for row in plain]

    found = [contrast(palette.color(role), row) for role, row in pairs]
    assert min(found) >= MIN_CONTRAST, found
    assert min(contrast(row, plain[0]) for row in tinted) >= 1.1  # tints are seen


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
    strip = Notices()
    notices = [strip.show_notice(kind, "Before")]
    strip.show()
    theme.apply_palette(dark)
    notices.append(Notices().show_notice(kind, "After"))

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
