"""Journeys of a user who compares: what bar, title and status say, and the buttons of the bar."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QToolBar, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.comparison.bar import ComparisonBar, DifferencesDialog
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.session.loading import ProfileFiles
from tests.journeys.conftest import BASE, NEW
from tests.profile_rows import DATA
from tests.profile_text import THIN
from tests.user_input import LEFT, ignore_offscreen_warnings, process_events, settle

pytestmark = ignore_offscreen_warnings
OpenFile = Callable[..., None]
NUMBERS = [
    f"Ir: 1{THIN}022{THIN}985 → 1{THIN}955{THIN}390",
    f"+932{THIN}405 (+91.15{THIN}%)",
]


def bars(window: MainWindow) -> list[str]:
    """The titles of the bars that are seen, from top to bottom."""
    process_events()
    found = [bar for bar in window.findChildren(QToolBar) if bar.isVisible()]
    return [bar.windowTitle() for bar in sorted(found, key=lambda bar: bar.y())]


def comparison_bar(window: MainWindow) -> ComparisonBar:
    """The bar of the comparison."""
    (bar,) = window.findChildren(ComparisonBar)
    return bar


def numbers(window: MainWindow) -> list[str]:
    """The numbers that the bar shows, from left to right."""
    row = comparison_bar(window).row
    labels = [label for label in row.findChildren(QLabel) if label.isVisible()]
    texts = [label.text() for label in sorted(labels, key=lambda label: label.x())]
    return texts[texts.index("→") + 2 :]


def sides(window: MainWindow) -> list[str]:
    """The names of base and new."""
    row = comparison_bar(window).row
    return [row.base.text(), row.new.text()]


def click(window: MainWindow, button: QWidget, qtbot: QtBot) -> None:
    """Click a button of the bar, and wait for what it does."""
    QTest.mouseClick(button, LEFT)
    settle(window, qtbot)


@pytest.fixture
def comparing(compare: Callable[..., MainWindow]) -> MainWindow:
    """The window on a laptop's screen, comparing two builds of a program."""
    return compare()


def test_the_bar_says_what_is_compared_and_how_much_changed(comparing: MainWindow) -> None:
    """It stands below the toolbar; title and status name both sides as well."""
    row, status = comparison_bar(comparing).row, comparing.status_bar

    assert bars(comparing)[:2] == ["Toolbar", "Comparison"]
    assert sides(comparing) == [BASE.name, NEW.name]
    assert numbers(comparing) == NUMBERS
    assert (row.differences.text(), row.base.accessibleName()) == (
        "1 Difference",
        f"Base: {BASE.name}",
    )
    assert "3 of 4 functions make 95 % of it" in row.change.toolTip()
    most, new = row.strip.texts()
    assert (most.startswith("most from "), most.endswith(f" (+47.1{THIN}%)")) == (True, True)
    assert ("__unguarded_linear_insert" in most, new) == (True, "1 new")
    title = f"{NEW.name} vs. {BASE.name} [./sort-digits] – QCachegrind.py"
    assert comparing.windowTitle() == title
    assert (status.file.text(), status.parts.text(), status.total.text()) == (
        f"{NEW.name} vs. {BASE.name}",
        "",
        f"Total Instruction Fetch: 1{THIN}022{THIN}985 → 1{THIN}955{THIN}390",
    )
    assert not status.cycles.isVisible()


def test_swap_and_stop(comparing: MainWindow, qtbot: QtBot) -> None:
    """Swap changes all signs; Stop Comparing shows the new side alone, without the bar."""
    row = comparison_bar(comparing).row

    click(comparing, row.swap, qtbot)
    swapped = sides(comparing), numbers(comparing)
    click(comparing, row.stop, qtbot)

    assert swapped == (
        [NEW.name, BASE.name],
        [
            f"Ir: 1{THIN}955{THIN}390 → 1{THIN}022{THIN}985",
            f"−932{THIN}405 (−47.68{THIN}%)",
        ],
    )
    assert "Comparison" not in bars(comparing)
    assert comparing.windowTitle() == f"{BASE.name} [./sort-plain] – QCachegrind.py"
    assert comparing.status_bar.file.text() == BASE.name


def test_the_button_lists_what_differs(comparing: MainWindow, qtbot: QtBot) -> None:
    """The dialog is opened by the keyboard, and closed by Escape."""
    button = comparison_bar(comparing).row.differences
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, DifferencesDialog)
    text = dialog.page.toPlainText()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    settle(comparing, qtbot)

    assert [word in text for word in ("Command", "./sort-plain", "./sort-digits")] == [True] * 3
    assert not any(child.isVisible() for child in comparing.findChildren(QDialog))


def test_a_narrow_window_keeps_the_names_and_the_change(comparing: MainWindow) -> None:
    """Details give way first, which the tip still has; then the names are elided."""
    wide = sides(comparing), numbers(comparing)
    comparing.resize(1000, 768)
    process_events()
    narrower = numbers(comparing)
    comparing.resize(620, 768)  # or as narrow as it can be
    process_events()
    narrow = sides(comparing), numbers(comparing)
    row = comparison_bar(comparing).row
    narrow_width = comparing.width()
    last = row.stop.mapTo(comparing, row.stop.rect().bottomRight()).x()
    comparing.resize(1366, 768)
    process_events()

    assert narrower == NUMBERS[1:]
    assert narrow[1] == [f"+932{THIN}405"]
    assert all(name.startswith("callgr") and "…" in name for name in narrow[0])
    assert f"+1{THIN}140{THIN}505" in row.change.toolTip()
    assert last < narrow_width
    assert (sides(comparing), numbers(comparing)) == wide


def test_each_event_has_its_totals(
    compare: Callable[..., MainWindow], draw: Callable[..., Path]
) -> None:
    """Of one that a side lacks, the bar says so instead of a change from 0."""
    base, new = (
        draw("events: Ir Dr\nmain 7,5", "base"),
        draw("events: Ir Dr Bc\nmain 10,5,9", "new"),
    )
    window = compare(base, new)
    found = []
    for name in ("Ir", "Dr", "Bc"):
        window.navigation.set(event=window.navigation.context.events.find(name))
        process_events()
        found.append((numbers(window), window.status_bar.total.text()))

    assert found[0][0] == ["Ir: 7 → 10", f"+3 (+42.86{THIN}%)"]
    assert found[1] == (["Dr: 5 → 5", "unchanged"], "Total Data Read Access: 5 → 5")
    assert found[2][0] == ["Bc was measured on one side only"]


def test_profiles_without_a_common_event(
    compare: Callable[..., MainWindow], draw: Callable[..., Path]
) -> None:
    """Nothing can be compared, and the bar says so instead of a change from 0."""
    window = compare(draw("events: Dr\nmain 7", "base"), draw("events: Ir\nmain 10", "new"))

    assert numbers(window) == ["Ir was measured on one side only"]
    assert window.status_bar.total.text() == ""
    assert comparison_bar(window).row.differences.text() == "1 Difference"


def test_cycles_that_one_side_alone_would_not_have(
    compare: Callable[..., MainWindow], draw: Callable[..., Path], qtbot: QtBot
) -> None:
    """The status bar counts them, until the comparison stops."""
    new = draw("main 1 -> f 1x10\nf 5 -> g 1x5\ng 5 -> f 1x1", "new")
    window = compare(draw("main 1 -> f 1x10\nf 5 -> g 1x5\ng 5", "base"), new)
    during = window.status_bar.cycles.text(), window.status_bar.cycles.isVisible()
    click(window, comparison_bar(window).row.stop, qtbot)

    assert during == ("1 cycle differs", True)
    assert not window.status_bar.cycles.isVisible()


def test_parts_of_one_profile(window: MainWindow, open_file: OpenFile, qtbot: QtBot) -> None:
    """They are named as in the list of parts; the status bar counts them."""
    open_file(DATA / "separate-threads" / "callgrind.out.22265")
    window.resize(1600, 768)
    window.session.comparing.use_parts_as_base([PartId(0)])
    qtbot.waitUntil(lambda: window.session.comparison is not None)
    settle(window, qtbot)

    assert sides(window) == ["PID 22265, part 1, thread 1", "2 parts"]
    assert window.status_bar.parts.text() == "1 → 2 of 3 parts"
    assert window.windowTitle().startswith(
        "callgrind.out.22265: 2 parts vs. PID 22265, part 1, thread 1 ["
    )
    assert comparison_bar(window).row.differences.isHidden()


def test_the_bar_stays_in_its_place_when_layouts_change(
    comparing: MainWindow, qtbot: QtBot
) -> None:
    """A layout saved without a comparison, or with one, has no say in whether it is shown."""
    during = comparing.docks.save_state()
    click(comparing, comparison_bar(comparing).row.stop, qtbot)
    alone = comparing.docks.save_state()
    comparing.docks.restore_state(during)
    shown_alone = "Comparison" in bars(comparing)
    comparing.session.comparing.compare_with(ProfileFiles((BASE,), with_siblings=False))
    qtbot.waitUntil(lambda: comparing.session.comparison is not None)
    settle(comparing, qtbot)
    comparing.docks.restore_state(alone)

    assert not shown_alone
    assert bars(comparing)[:2] == ["Toolbar", "Comparison"]
