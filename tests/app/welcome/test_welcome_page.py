"""The welcome page: actions, recent files, and the progress of the first loading."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QDate, QDateTime, QLocale, QPoint, Qt, QTime
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.style import theme
from qcachegrind_py.app.welcome.page import COMMAND, WelcomePage
from qcachegrind_py.app.welcome.recent_list import RecentList, modified_text
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.recent import Recent
from qcachegrind_py.session.settings.store import Settings
from tests.app.style.test_theme import MIN_CONTRAST, drawn_contrast
from tests.profile_text import EXAMPLE, write_slow_file
from tests.user_input import ignore_offscreen_warnings, process_events, without_mnemonic

KEY = Qt.Key
Draw = Callable[..., Path]
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def page(window: MainWindow) -> WelcomePage:
    """The window's welcome page."""
    process_events()
    return window.welcome.page


def recent(page: WelcomePage) -> RecentList:
    """The list of recent files."""
    return page.recent


def rows(page: WelcomePage) -> list[tuple[str, str, bool]]:
    """Name, folder and availability of each recent file."""
    model, role = recent(page).model(), Qt.ItemDataRole.UserRole
    indexes = [model.index(row, 0) for row in range(model.rowCount())]
    return [(str(i.data()), str(i.data(role)), not i.data(role + 2)) for i in indexes]


@pytest.fixture
def remembered(settings: Settings, draw: Draw, tmp_path: Path) -> list[Path]:
    """Three recent files, the first one missing, stored before a window exists."""
    paths = [tmp_path / "missing", draw("cmd: /bin/prog -x\nmain 10", "callgrind.out.7")]
    paths.append(draw("main 20", "callgrind.out.8"))
    for path in reversed(paths):
        settings.add_recent(Recent((path,)))
    return paths


@pytest.fixture
def checked_page(remembered: list[Path], window: MainWindow, qtbot: QtBot) -> WelcomePage:
    """The page with these files, after all of them have been checked."""
    qtbot.waitUntil(lambda: not window.jobs.is_running("recent files"))
    process_events()
    return window.welcome.page


def test_page_covers_the_docks(window: MainWindow, page: WelcomePage) -> None:
    """The page covers all docks from the menus to the status bar, at any window size."""
    found = []
    for width, height in ((800, 600), (1600, 1000)):
        window.resize(width, height)
        process_events()
        top = window.menuBar().geometry().bottom()
        found.append(page.geometry().getRect())
        expected = (0, top + 1, width, window.statusBar().y() - top - 1)
        assert found[-1] == expected
    middle = window.childAt(window.rect().center())

    assert middle is page or page.isAncestorOf(middle)


def test_page_stays_on_top_of_docks_and_below_notices(
    window: MainWindow, page: WelcomePage, qtbot: QtBot, tmp_path: Path
) -> None:
    """A raised dock stays below the page, and an error lies over it."""
    window.docks.by_id["picture"].raise_()
    window.docks.reset()
    with qtbot.waitSignal(window.session.ended):
        window.open([tmp_path / "missing"])
    process_events()
    notice = window.notices.geometry().center()
    inside = range(20, window.width() - 20, 60)
    seen = [window.childAt(QPoint(x, window.height() // 2)) for x in inside]

    assert [w for w in seen if w is not page and not page.isAncestorOf(w)] == []
    qtbot.waitUntil(lambda: window.notices.isAncestorOf(window.childAt(notice)))
    assert (window.notices.isVisible(), page.is_opening) == (True, False)


def test_page_goes_with_the_first_profile_and_leaves_the_docks_as_they_were(
    window: MainWindow, page: WelcomePage, open_file: Callable[..., None]
) -> None:
    """The first profile hides the page, keeps the docks' layout, and focuses the list."""

    def places() -> dict[str, object]:
        docks = window.docks.by_id
        return {title: (d.x(), d.width(), d.isHidden()) for title, d in docks.items()}

    window.settings.summary = False  # the strip below the toolbar
    window.docks.by_id["call_tree"].raise_()
    window.docks.by_id["part_list"].close()
    process_events()
    before = places()
    page.setFocus()
    open_file(EXAMPLE)
    process_events()

    assert (page.isVisible(), places()) == (False, before)
    assert QApplication.focusWidget() is window.views.function_list.table
    assert window.docks.by_id["function_list"].isEnabled()
    assert all(bar.isEnabled() for bar in window.findChildren(QTabBar))


def test_tab_visits_visible_widgets_only(
    checked_page: WelcomePage, window: MainWindow, qtbot: QtBot
) -> None:
    """Tab visits every action, the list and the bars, never the covered widgets."""
    checked_page.setFocus()
    reached: list[QWidget] = []
    for _ in range(60):
        focused = QApplication.focusWidget()
        assert focused is not None
        reached.append(focused)
        qtbot.keyClick(focused, KEY.Key_Tab)
    below = [*window.docks.by_id.values(), window.centralWidget()]
    wanted = [*checked_page.action_cards, recent(checked_page), checked_page.copy]

    assert [w for w in reached if any(each.isAncestorOf(w) for each in below)] == []
    assert [w for w in wanted if w not in reached] == []
    assert [w for w in wanted if not w.accessibleName()] == []


def test_choices_do_what_the_menu_does(window: MainWindow, page: WelcomePage, qtbot: QtBot) -> None:
    """Each action explains itself and has its key; Space triggers it."""
    titles = {choice.text(): choice for choice in page.action_cards}
    spoken = [choice.accessibleDescription() for choice in page.action_cards]
    with qtbot.waitSignal(window.session.opened):
        QTest.keyClick(titles["Open Example"], KEY.Key_Space)

    assert {"Open", "Open Example", "Guide"} <= set(titles)
    assert all(spoken)


def test_recent_files_are_described(checked_page: WelcomePage, tmp_path: Path) -> None:
    """The latest comes first, with program and folder; a missing file is marked."""
    assert rows(checked_page) == [
        ("missing", str(tmp_path), False),
        ("callgrind.out.7  –  prog -x", str(tmp_path), True),
        ("callgrind.out.8", str(tmp_path), True),
    ]


def test_recent_file_is_opened_by_keyboard(
    checked_page: WelcomePage, window: MainWindow, qtbot: QtBot
) -> None:
    """Down and Return open a file; Return on a missing file does nothing."""
    table = recent(checked_page)
    table.setFocus()
    QTest.keyClick(table, KEY.Key_Return)
    is_quiet = not window.session.is_opening
    QTest.keyClick(table, KEY.Key_Down)
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        QTest.keyClick(table, KEY.Key_Return)

    assert (is_quiet, window.status_bar.file.text()) == (True, "callgrind.out.7")


def test_recent_files_are_removed(
    checked_page: WelcomePage, window: MainWindow, remembered: list[Path]
) -> None:
    """A missing file's cross, Delete and the menu remove it, from the File menu as well."""
    table, found = recent(checked_page), []
    cross = table.remove_button_rect(table.model().index(0, 0))
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cross.center())
    found.append(window.settings.recent_files)
    table.setCurrentIndex(table.model().index(1, 0))
    QTest.keyClick(table, KEY.Key_Delete)
    found.append(window.settings.recent_files)
    texts = [
        without_mnemonic(a.text()) for a in window.actions_.menus["recent"].actions() if a.text()
    ]

    assert found == [remembered[1:], remembered[1:2]]
    assert texts == [f"1  {remembered[1]}", "Clear List"]
    assert [name for name, _, _ in rows(checked_page)] == ["callgrind.out.7  –  prog -x"]


def test_first_loading_shows_name_progress_and_cancel(
    window: MainWindow, page: WelcomePage, qtbot: QtBot, tmp_path: Path
) -> None:
    """While a file is read the page names it; Escape restores the actions."""
    with qtbot.waitSignal(window.session.progressed):
        window.open([write_slow_file(tmp_path / "slow.gz", 300)])
    qtbot.waitUntil(lambda: page.progress.value() > 0)
    during = (page.is_opening, page.opening.text(), page.cancel.isVisible())
    with qtbot.waitSignal(window.session.ended):
        window.actions_["cancel"].trigger()

    assert during == (True, "Opening slow.gz…", True)
    assert (page.is_opening, page.isVisible()) == (False, True)


def test_later_loading_keeps_the_profile_visible(
    window: MainWindow,
    page: WelcomePage,
    open_file: Callable[..., None],
    qtbot: QtBot,
    tmp_path: Path,
) -> None:
    """The page does not reappear for a second file."""
    open_file(EXAMPLE)
    with qtbot.waitSignal(window.session.progressed):
        window.open([write_slow_file(tmp_path / "slow.gz", 300)])
    is_seen = page.isVisible()
    window.session.cancel()

    assert not is_seen


def test_command_is_copied(page: WelcomePage) -> None:
    """The recording command is copied to the clipboard, with a message."""
    page.copy.click()

    assert (QApplication.clipboard().text(), page.copy.text()) == (COMMAND, "Copied")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_page_is_legible(checked_page: WelcomePage, dark: bool) -> None:
    """Labels have contrast, and actions follow the palette."""
    theme.apply_palette(not dark)
    process_events()
    theme.apply_palette(dark)
    process_events()
    faint = [
        w.text() for w in checked_page.findChildren(QLabel) if drawn_contrast(w) < MIN_CONTRAST
    ]
    image = checked_page.action_cards[0].grab().toImage()
    ground = image.pixelColor(image.width() // 2, image.height() // 2)
    theme.apply_palette(dark=False)

    assert faint == []
    assert ground == theme.palette(dark).base().color()


def test_modification_times_are_short() -> None:
    """Files of today and yesterday have a time, others a date; a missing one says so."""
    now = QDateTime.fromString("2024-03-10T12:00:00", Qt.DateFormat.ISODate)
    then = [now.addSecs(-3600 * hour).toSecsSinceEpoch() for hour in (1, 20, 60)]
    locale, short = QLocale(), QLocale.FormatType.ShortFormat

    assert [modified_text(each, now) for each in (*then, None)] == [
        f"today {locale.toString(QTime(11, 0), short)}",
        f"yesterday {locale.toString(QTime(16, 0), short)}",
        locale.toString(QDate(2024, 3, 8), short),
        "not found",
    ]


def test_no_letter_is_a_shortcut_of_the_window(window: MainWindow, page: WelcomePage) -> None:
    """Alt with a letter of the page is no shortcut of an action: Qt would choose neither."""
    keys = {key.toString() for action in window.actions_ for key in action.shortcuts()}
    letters = {
        QKeySequence.mnemonic(label.text()).toString()
        for label in page.findChildren(QLabel)
        if label.buddy() is not None
    }

    assert letters != set()
    assert letters & keys == set()
