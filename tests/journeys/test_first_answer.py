"""Journeys from the first look: what is hottest, which files there are, and notices on the way."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.app.frame.notices import Notice
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.views.summary_strip import SummaryStrip
from tests.profile_rows import DATA
from tests.profile_text import EXAMPLE, THIN, exported, write_slow_file
from tests.user_input import (
    LEFT,
    click_row,
    drag_event,
    go_to,
    ignore_offscreen_warnings,
    process_events,
    settle,
)

pytestmark = ignore_offscreen_warnings
Draw = Callable[..., Path]


@pytest.fixture
def laptop(window: MainWindow) -> MainWindow:
    """The window on a laptop's screen."""
    window.resize(1366, 768)
    window.docks.reset()
    process_events()
    return window


@pytest.fixture
def threads(tmp_path: Path) -> Path:
    """The folder of a run with three threads; the file that Callgrind was told is empty."""
    for number in ("01", "02", "03"):
        shutil.copy(DATA / f"separate-threads/callgrind.out.22265-{number}", tmp_path)
    (tmp_path / "callgrind.out.22265").touch()
    return tmp_path


def active(window: MainWindow) -> str:
    """The name of the active function."""
    assert window.session.query is not None
    return window.session.query.labels().name(window.navigation.context.function)


def shown_notice(window: MainWindow) -> Notice:
    """The notice that is seen; it is the only one."""
    (notice,) = (each for each in window.notices.findChildren(Notice) if each.isVisible())
    return notice


def press(window: MainWindow, qtbot: QtBot, title: str) -> None:
    """Press a button of the notice that is seen."""
    buttons = {button.text(): button for button in shown_notice(window).findChildren(QPushButton)}
    QTest.mouseClick(buttons[title], LEFT)
    settle(window, qtbot)


# -------------------------------------------------------------------- the first function


def test_a_profile_opens_at_its_hottest_function(laptop: MainWindow, qtbot: QtBot) -> None:
    """The header, the lists and the pictures begin there."""
    laptop.open([EXAMPLE])
    settle(laptop, qtbot)

    assert active(laptop) == "_dl_lookup_symbol_x"
    assert laptop.views.function_list.table.current_function() == laptop.navigation.context.function


def test_a_function_is_remembered_within_its_program(
    laptop: MainWindow, draw: Draw, qtbot: QtBot
) -> None:
    """Another run of it opens where the user was; another program with such a function does not."""
    text = "main 1 -> f 1x9\nf 4 -> malloc 1x5\nmalloc 5"
    for command, name in (("one 1", "a.out"), ("one 2", "b.out"), ("two", "c.out")):
        laptop.open([draw(f"cmd: {command}\n{text}", name)])
        settle(laptop, qtbot)
        if name == "a.out":
            go_to(laptop.session, laptop.navigation, "f")
            process_events()
        assert active(laptop) == ("malloc" if name == "c.out" else "f")


# -------------------------------------------------------------------- the summary


def strip(window: MainWindow) -> SummaryStrip:
    """The strip that is seen."""
    (found,) = (each for each in window.findChildren(SummaryStrip) if each.isVisible())
    return found


def follow(window: MainWindow, text: str, qtbot: QtBot) -> None:
    """Click the remark that begins so."""
    (button,) = (b for b in strip(window).buttons if b.isVisible() and b.text().startswith(text))
    QTest.mouseClick(button, LEFT)
    settle(window, qtbot)


def test_the_strip_leads_to_what_it_says(laptop: MainWindow, threads: Path, qtbot: QtBot) -> None:
    """Each remark is a link: to the function, its caller, the library, the parts."""
    laptop.open([threads / "callgrind.out.22265"])
    settle(laptop, qtbot)
    functions = laptop.views.function_list
    assert [text.replace(THIN, " ") for text in strip(laptop).texts()] == [
        "Hottest: work_even 29.2 %",
        "worker",
        "63 % in libraries (ld-linux-x86-64 59 %)",
        "62 % in thread 1 of 3",
    ]

    follow(laptop, "worker", qtbot)
    assert active(laptop) == "worker"
    follow(laptop, "Hottest", qtbot)
    assert active(laptop) == "work_even"
    follow(laptop, "62", qtbot)
    assert laptop.docks.is_seen("part_list")
    for _ in range(2):  # also when the functions are grouped already
        functions.groups.table.clearSelection()
        follow(laptop, "63", qtbot)
        assert laptop.navigation.context.grouping is Grouping.OBJECT
        chosen = functions.groups.current_name()
        assert chosen is not None
        assert chosen.endswith("ld-linux-x86-64.so.2")
        assert functions.groups.selected_groups() is not None


def test_the_strip_is_hidden_on_request(laptop: MainWindow, qtbot: QtBot) -> None:
    """By an action of the menu, which is remembered as a setting."""
    laptop.open([EXAMPLE])
    settle(laptop, qtbot)
    assert strip(laptop).texts()[0].startswith("Hottest: ")
    laptop.actions_["summary"].trigger()
    process_events()
    assert [each for each in laptop.findChildren(SummaryStrip) if each.isVisible()] == []
    assert laptop.settings.summary is False


def test_the_strip_gives_way_where_it_is_narrow(
    laptop: MainWindow, draw: Draw, qtbot: QtBot
) -> None:
    """Names are shortened first, and then the last remarks go; no text is cut."""
    name = "ns::" + "very_" * 20 + "long(int)"
    path = draw("part: 1\nmain@m.c@app 1 -> f 1x9\nf@l.c@libl.so 9\npart: 2\nmain@m.c@app 1")
    path.write_bytes(path.read_bytes().replace(b") f\n", f") {name}\n".encode()))
    laptop.open([path])
    settle(laptop, qtbot)
    seen = []
    for width in (1366, 700, 330):
        laptop.resize(width, 700)
        process_events()
        bar = strip(laptop)
        seen.append(len(bar.texts()))
        last = max((b for b in bar.buttons if b.isVisible()), key=lambda b: b.x())
        assert last.geometry().right() <= bar.width() or len(bar.texts()) == 1
        assert all(b.width() == b.sizeHint().width() for b in bar.buttons if b.isVisible())
    assert seen[0] == 4
    assert seen == sorted(seen, reverse=True)


# -------------------------------------------------------------------- notices


def first_row(window: MainWindow) -> QPoint:
    """Where the first row of the functions is on the screen."""
    table = window.views.function_list.table
    corner = table.visualRect(table.model().index(0, 0)).topLeft()
    return table.viewport().mapToGlobal(corner)


@pytest.mark.parametrize("kind", ["error", "warning", "information", "editor"])
def test_a_notice_moves_nothing(laptop: MainWindow, qtbot: QtBot, kind: str) -> None:
    """The first row stays where it is while notices come, wait for each other and go."""
    laptop.open([EXAMPLE])
    settle(laptop, qtbot)
    laptop.notices.close_all()
    places = [first_row(laptop)]

    laptop.notices.show_notice(kind, "A first one. " * 9, ("Do", lambda: None), topic="one")  # type: ignore[arg-type]
    process_events()
    places.append(first_row(laptop))
    laptop.notices.show_notice(kind, "Another one.", topic="two")  # type: ignore[arg-type]
    process_events()
    places.append(first_row(laptop))
    shown = [shown_notice(laptop).label.text()]
    QTest.mouseClick(shown_notice(laptop).label, LEFT)
    process_events()
    shown.append(shown_notice(laptop).label.text())
    QTest.mouseClick(shown_notice(laptop), LEFT, pos=QPoint(3, 3))
    process_events()
    places.append(first_row(laptop))

    assert shown == ["Another one.", "A first one. " * 9]
    assert len(set(places)) == 1
    assert not laptop.notices.isVisible()


def test_notices_wait_for_each_other(laptop: MainWindow, qtbot: QtBot) -> None:
    """The most serious one is in front; a button counts the others, and leads to the next."""
    laptop.open([EXAMPLE])
    settle(laptop, qtbot)
    laptop.notices.close_all()
    for kind in ("information", "error", "warning"):
        laptop.notices.show_notice(kind, f"An {kind}.")  # type: ignore[arg-type]
    process_events()

    seen = []
    for _ in range(4):
        notice = shown_notice(laptop)
        (more,) = (b for b in notice.findChildren(QToolButton) if b.text())
        seen.append((notice.label.text(), more.text()))
        more.click()
        process_events()

    order = ["An error.", "An information.", "An warning.", "An error."]
    assert seen == [(text, "2 more") for text in order]


def test_a_notice_leaves_the_current_row_to_be_seen(laptop: MainWindow, qtbot: QtBot) -> None:
    """It lies at the other side if the row that the user is at is at the bottom."""
    laptop.open([EXAMPLE])
    settle(laptop, qtbot)
    laptop.notices.close_all()
    table = laptop.views.function_list.table
    bottom = table.rowAt(table.viewport().height() - 3)
    sides = []
    for row in (0, bottom):
        click_row(table, row)
        laptop.notices.show_notice("warning", "A notice.")
        process_events()
        rect = table.visualRect(table.currentIndex())
        place = rect.translated(table.viewport().mapTo(laptop, QPoint(0, 0)))
        sides.append(laptop.notices.geometry().intersects(place))
        laptop.notices.close_all()

    assert sides == [False, False]


def test_a_notice_is_closed_by_keys(laptop: MainWindow, qtbot: QtBot) -> None:
    """Its buttons are in the round of Tab, and Escape closes it there."""
    laptop.open([EXAMPLE])
    settle(laptop, qtbot)
    laptop.notices.close_all()
    notice = laptop.notices.show_notice("warning", "A notice.", ("Do", lambda: None))
    process_events()
    (button,) = notice.findChildren(QPushButton)
    for _ in range(200):
        QTest.keyClick(laptop.focusWidget(), Qt.Key.Key_Tab)
        if laptop.focusWidget() is button:
            break

    assert laptop.focusWidget() is button
    QTest.keyClick(button, Qt.Key.Key_Escape)
    process_events()
    assert laptop.notices.notice_texts() == {}
    assert laptop.focusWidget() is not None


# -------------------------------------------------------------------- the files of a run


def test_one_of_several_thread_files_offers_the_others(
    laptop: MainWindow, threads: Path, qtbot: QtBot
) -> None:
    """Open All opens the run; the empty file of its name is not a part."""
    laptop.open([threads / "callgrind.out.22265-01"])
    settle(laptop, qtbot)
    offered = dict(laptop.notices.notice_texts())
    press(laptop, qtbot, "Open All")
    opened = laptop.notices.notice_texts()

    assert offered == {"run": "2 other files of this run are not open."}
    assert opened == {"information": "Opened 3 parts of one run."}
    assert laptop.status_bar.parts.text() == "3 parts"


def test_the_base_of_a_comparison_offers_the_other_threads(
    laptop: MainWindow, threads: Path, qtbot: QtBot
) -> None:
    """A warning says that the parts differ; Open All adds those of the base, and ends it."""
    laptop.open([threads / "callgrind.out.22265"])
    settle(laptop, qtbot)
    laptop.notices.close_all()
    laptop.file_commands.comparing.compare_with([threads / "callgrind.out.22265-01"])
    settle(laptop, qtbot)
    said = dict(laptop.notices.notice_texts())
    in_front = shown_notice(laptop).label.text()
    laptop.notices.close_notice("parts")
    process_events()
    press(laptop, qtbot, "Open All")

    assert said == {
        "parts": "The base has 1 part, the new profile 3: the costs of what one side alone has "
        "count as changes.",
        "run of the base": "2 other files of the base’s run are not open.",
    }
    assert in_front == said["parts"]
    assert laptop.notices.notice_texts() == {}


# -------------------------------------------------------------------- dropping and opening


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        (0, (["b.out"], None)),
        (1, (["a.out", "b.out"], None)),
        (2, (["a.out"], ["b.out"])),
    ],
)
def test_fields_say_what_a_drop_does(
    laptop: MainWindow, draw: Draw, qtbot: QtBot, field: int, expected: object
) -> None:
    """While files are dragged, three fields lie over the content; a drop on one does that."""
    paths = [draw(f"cmd: one\nmain {cost}", name) for cost, name in ((1, "a.out"), (2, "b.out"))]
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(paths[1]))])
    copy, keys, button = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier, LEFT
    target = laptop._file_drop.target
    laptop.open([paths[0]])
    settle(laptop, qtbot)

    QApplication.sendEvent(laptop, drag_event(QDragEnterEvent, QPoint(9, 300), data))
    assert [each.title for each in target.fields] == ["Open", "Add", "Compare With"]
    assert target.isVisible()
    place = target.area(target.fields[field]).center()
    QApplication.sendEvent(target, drag_event(QDragMoveEvent, place, data))
    QApplication.sendEvent(target, QDropEvent(place.toPointF(), copy, data, button, keys))
    settle(laptop, qtbot)

    base = laptop.session.comparing.base
    assert expected == (
        [path.name for path in laptop.session.paths],
        None if base is None else [path.name for path in base.chosen.paths],
    )
    assert not target.isVisible()


def test_a_slow_file_shows_its_name_size_and_progress(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    """A file that was given to the program is announced in place of empty views."""
    path = write_slow_file(tmp_path / "slow.gz", 300)
    window.hide()
    window.open([path])
    window.show()
    qtbot.waitUntil(lambda: "welcome" in vars(window))
    page = window.welcome.page
    shown = page.isVisible(), page.is_opening, page.opening.text(), page.cancel.isEnabled()
    size = page.size_label.text()
    page.cancel.click()
    qtbot.waitUntil(lambda: not page.is_opening)

    assert shown == (True, True, "Opening slow.gz…", True)
    assert size.endswith("B")
    assert page.isVisible()


# -------------------------------------------------------------------- explanations


def test_explanations_end_with_what_they_explain(
    laptop: MainWindow,
    compare: Callable[..., MainWindow],
    restarted_window: Callable[..., MainWindow],
    qtbot: QtBot,
) -> None:
    """They are gone with the comparison and at the next start, unless opened as a view."""
    compare()
    laptop.actions_["explain_number"].trigger()
    settle(laptop, qtbot)
    docks = [laptop.docks.by_id[name] for name in ("explain_change", "explain_number")]
    shown = [not dock.isHidden() for dock in docks]
    laptop.actions_["stop_comparing"].trigger()
    settle(laptop, qtbot)
    alone = [not dock.isHidden() for dock in docks]
    again = restarted_window(EXAMPLE)
    next_time = not again.docks.by_id["explain_number"].isHidden()
    again.docks.by_id["explain_number"].toggleViewAction().trigger()
    process_events()
    kept = not restarted_window(EXAMPLE).docks.by_id["explain_number"].isHidden()

    assert (shown, alone, next_time, kept) == ([True, True], [False, True], False, True)


def test_a_window_closed_in_a_comparison_opens_as_before_it(
    laptop: MainWindow,
    compare: Callable[..., MainWindow],
    restarted_window: Callable[..., MainWindow],
    qtbot: QtBot,
) -> None:
    """*Explain Change* covers a view, and it is that view that is in front at the next start."""
    before = [each for each in laptop.docks.by_id if laptop.docks.is_seen(each)]
    compare()
    qtbot.waitUntil(lambda: laptop.docks.is_seen("explain_change"))
    again = restarted_window()

    assert [each for each in again.docks.by_id if again.docks.is_seen(each)] == before


def test_who_calls_a_new_function_is_seen_while_new_ones_are_listed(
    laptop: MainWindow, draw: Draw, qtbot: QtBot
) -> None:
    """The link in the bar of a comparison lists what is new; its callers seldom are."""
    base = draw("main@m.c@p 1 -> f 1x9\nf@m.c@p 9", "old.out")
    new = draw("main@m.c@p 1 -> f 1x12\nf@m.c@p 9 -> g 1x3\ng@m.c@p 3", "new.out")
    laptop.file_commands.open_here([new], base=[base])
    settle(laptop, qtbot)
    laptop.docks.by_id["function_list"].hide()
    follow(laptop, "1 new", qtbot)
    listed, callers = (
        [exported(model, row, model.place("name")) for row in range(model.rowCount())]
        for model in (laptop.views.function_list.model, laptop.views.callers.model)
    )

    assert laptop.docks.is_seen("function_list")
    assert (listed, callers) == (["g"], ["f"])


# -------------------------------------------------------------------- swapped sides


def test_a_swap_keeps_function_and_history(laptop: MainWindow, draw: Draw, qtbot: QtBot) -> None:
    """The user stays where they are in two builds of a program, and nothing is said again."""
    base = draw("cmd: ./old\nmain@m.c@old 1 -> f 1x9\nf@m.c@old 9", "old.out")
    new = draw("cmd: ./new\nmain@m.c@new 1 -> f 1x4, g 1x8\nf@m.c@new 4\ng@m.c@new 8", "new.out")
    laptop.file_commands.open_here([new], base=[base])
    settle(laptop, qtbot)
    started = active(laptop)
    for name in ("main", "f"):
        go_to(laptop.session, laptop.navigation, name)
        process_events()
    laptop.notices.close_all()

    for back in (["main", "g"], ["main", "g"]):
        laptop.actions_["swap_sides"].trigger()
        settle(laptop, qtbot)
        labels = laptop.session.query.labels()
        history = [labels.name(node) for node in laptop.navigation.back_history]
        assert (active(laptop), history) == ("f", back)
        assert laptop.notices.notice_texts() == {}
    assert started == "g"
