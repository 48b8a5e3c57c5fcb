"""The ruler beside the code: marks of costly rows, clicks, and the visible range."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QImage, QPalette, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPlainTextEdit, QToolTip, QWidget

from qcachegrind_py.app.style import theme
from qcachegrind_py.views.code.cost_ruler import CostRuler
from qcachegrind_py.views.widgets.colors import contrast
from qcachegrind_py.views.widgets.controls import tip_text
from tests.user_input import LEFT, NONE, ignore_offscreen_warnings, move_mouse, process_events

HEIGHT = 200
Show = Callable[..., CostRuler]


@pytest.fixture
def show(qapp: QApplication) -> Iterator[Show]:
    """Return a function that shows a ruler beside a text, with these shares."""
    windows: list[QWidget] = []

    def show(shares: dict[int, float], rows: int, *, dark: bool = False) -> CostRuler:
        theme.apply_palette(dark)
        window = QWidget()
        text = QPlainTextEdit("\n".join(["line"] * rows))
        ruler = CostRuler(text, lambda row: tip_text(f"row <{row}>"))
        layout = QHBoxLayout(window)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(text)
        layout.addWidget(ruler)
        windows.append(window)
        window.resize(300, HEIGHT)
        window.show()
        column = np.zeros(rows)
        column[list(shares)] = list(shares.values())
        ruler.compute_shares_by(lambda: column)
        process_events()
        return ruler

    yield show
    QToolTip.hideText()
    for window in windows:
        window.close()
        window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def text_of(ruler: CostRuler) -> QPlainTextEdit:
    (text,) = ruler.window().findChildren(QPlainTextEdit)
    return text


def image_of(ruler: CostRuler) -> QImage:
    return ruler.grab().toImage()


def marks(ruler: CostRuler) -> list[int]:
    """The pixels from the top that differ from the ground."""
    image, ground = image_of(ruler), ruler.palette().color(QPalette.ColorRole.Base)
    middle = ruler.width() // 2
    return [y for y in range(image.height()) if image.pixelColor(middle, y) != ground]


def unframed(ruler: CostRuler) -> CostRuler:
    """Make all rows visible, so that no frame is drawn."""
    text_of(ruler).clear()
    process_events()
    return ruler


@pytest.mark.parametrize(
    ("rows", "shares", "pixels"),
    [
        (2000, {}, []),
        (2000, {0: 1.0}, [0, 1]),
        (2000, {1000: 1e-9, 1999: 0.5}, [100, 101, 199]),  # the last has no pixel below it
        (4, {1: 1.0}, list(range(50, 100))),
        (1, {0: 0.2}, list(range(HEIGHT))),
    ],
)
def test_marks_are_where_the_rows_are(
    show: Show, rows: int, shares: dict[int, float], pixels: list[int]
) -> None:
    """A mark is at its row's share of the height, at least two pixels high."""
    ruler = unframed(show(shares, rows))

    assert marks(ruler) == pixels


def test_no_rows(show: Show) -> None:
    """Without rows there is nothing to see, to describe or to jump to."""
    ruler = show({}, 0)
    jumps: list[object] = []
    ruler.row_requested.connect(jumps.append)

    QTest.mouseClick(ruler, LEFT, NONE, QPoint(2, 50))

    assert (marks(ruler), ruler.row_at(50), jumps) == ([], -1, [])


@pytest.mark.parametrize("dark", [False, True])
def test_more_cost_is_seen_better(show: Show, dark: bool) -> None:
    """Marks range from faint to strong in both palettes, and the faintest is visible."""
    shares = {200: 1e-6, 600: 0.01, 1000: 0.1, 1400: 0.4, 1800: 1.0}
    ruler = unframed(show(shares, 2000, dark=dark))
    image, ground = image_of(ruler), theme.palette(dark).color(QPalette.ColorRole.Base)

    seen = [contrast(image.pixelColor(3, row // 10), ground) for row in shares]

    assert seen == sorted(seen)
    assert (seen[0] > 1.3, seen[-1] > 3.0) == (True, True), seen


def test_strongest_row_of_a_pixel_wins(show: Show) -> None:
    """Of the rows in one pixel, the costliest is marked and clicked."""
    ruler = unframed(show({500: 0.1, 507: 1.0, 508: 0.1, 511: 0.2}, 2000))
    jumps: list[object] = []
    ruler.row_requested.connect(jumps.append)

    rows = [ruler.row_at(y) for y in (50, 51, 52, 53, -9, 999)]
    strongest = image_of(ruler).pixelColor(3, 50)
    QTest.mouseClick(ruler, LEFT, NONE, QPoint(3, 51))

    assert strongest == ruler.palette().color(QPalette.ColorRole.Highlight)
    assert rows == [507, 507, 511, 535, 5, 1995]
    assert (jumps, [type(row) for row in jumps]) == ([507], [int])


def test_drag_jumps_along(show: Show) -> None:
    """Dragging with the left button visits each row once; other movements do not."""
    ruler = show({}, 10)
    jumps: list[object] = []
    ruler.row_requested.connect(jumps.append)

    move_mouse(ruler, QPoint(3, 30))
    QTest.mouseClick(ruler, Qt.MouseButton.RightButton, NONE, QPoint(3, 30))
    QTest.mousePress(ruler, LEFT, NONE, QPoint(3, 10))
    for y in (15, 30, 35, 300):
        move_mouse(ruler, QPoint(3, y), LEFT)
    QTest.mouseRelease(ruler, LEFT, NONE, QPoint(3, 300))

    assert jumps == [0, 1, 9]


@ignore_offscreen_warnings
def test_tip_describes_the_row(show: Show) -> None:
    """The tooltip describes the row under the pointer as the table does."""
    ruler = show({1234: 1.0}, 2000)

    place = QPoint(3, 123)
    event = QHelpEvent(QEvent.Type.ToolTip, place, ruler.mapToGlobal(place))
    QApplication.sendEvent(ruler, event)

    assert QToolTip.text() == tip_text("row <1234>")


@pytest.mark.parametrize("dark", [False, True])
def test_frame_follows_the_scroll_bar(show: Show, dark: bool) -> None:
    """The visible range is framed, unless all rows are visible."""
    ruler = show({}, 2000, dark=dark)
    bar = text_of(ruler).verticalScrollBar()

    framed = {}
    for value in (bar.minimum(), bar.maximum() // 2, bar.maximum()):
        bar.setValue(value)
        process_events()
        framed[value] = marks(ruler)

    whole = bar.maximum() + bar.pageStep()
    for value, pixels in framed.items():
        top, bottom = (HEIGHT * end / whole for end in (value, value + bar.pageStep()))
        assert abs((pixels[0] + pixels[-1] + 1) / 2 - (top + bottom) / 2) <= 3
        assert pixels == list(range(pixels[0], pixels[-1] + 1))
    assert marks(unframed(ruler)) == []


def test_marks_follow_size_and_palette(show: Show) -> None:
    """The ruler is redrawn when its size or the palette changes."""
    ruler = unframed(show({1000: 1.0}, 2000))
    before = marks(ruler)

    ruler.window().resize(300, HEIGHT // 2)
    process_events()
    halved = marks(ruler)
    ruler.window().resize(300, HEIGHT)
    theme.apply_palette(dark=True)
    process_events()

    assert (before, halved, marks(ruler)) == ([100, 101], [50, 51], [100, 101])
    heat = theme.palette(dark=True).color(QPalette.ColorRole.Highlight)
    assert image_of(ruler).pixelColor(3, 100) == heat


def test_shares_out_of_range_are_harmless(show: Show) -> None:
    """Negative and undefined shares have no mark; shares above 1 count as 1."""
    ruler = unframed(show({}, 4))

    ruler.compute_shares_by(lambda: np.array([np.nan, -3.0, 7.0, np.inf]))

    heat = ruler.palette().color(QPalette.ColorRole.Highlight)
    assert marks(ruler) == list(range(100, 200))
    assert image_of(ruler).pixelColor(3, 120) == heat


def test_wheel_scrolls_the_table(show: Show) -> None:
    """The wheel over the ruler scrolls the table."""
    ruler = show({}, 2000)
    place = QPointF(3, 30)
    event = QWheelEvent(
        place, ruler.mapToGlobal(place), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
        NONE, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip

    QApplication.sendEvent(ruler, event)

    assert text_of(ruler).verticalScrollBar().value() > 0


def test_ruler_has_an_accessible_name(show: Show) -> None:
    """It has a name for screen readers, and takes no focus, as the table has the keys."""
    ruler = show({}, 3)

    assert (ruler.accessibleName(), ruler.focusPolicy()) == (
        "Cost overview",
        Qt.FocusPolicy.NoFocus,
    )
    assert ruler.width() == ruler.sizeHint().width() < 20
