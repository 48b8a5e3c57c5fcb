"""The main window: opening files, notices, the status bar, and restored state."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.notices import Notice
from qcachegrind_py.app.style.text_widgets import TextDialog
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import Settings
from tests.columns import CALLS, FUNCTIONS
from tests.profile_text import THIN, dump_rows, write_slow_file
from tests.user_input import (
    VIEW_IDS,
    drag_event,
    ignore_offscreen_warnings,
    process_events,
)

DRAWING = """
    cmd: ./prog --flag
    events: Ir Dr
    main 1000,1 -> f 3x2000,2
    f 2000,2
    """
Draw = Callable[..., Path]
OpenFile = Callable[..., None]


def seen(window: MainWindow) -> list[str]:
    """Everything the window shows about the profile."""
    status = window.status_bar
    lists = (
        window.views.function_list.model,
        window.views.callers.model,
        window.views.callees.model,
    )
    texts = [window.windowTitle(), status.file.text(), status.parts.text(), status.total.text()]
    return (
        texts
        + [window.event_combo.currentText()]
        + [line for model in lists for line in dump_rows(model)]
    )


def choose_event(window: MainWindow, number: int) -> None:
    """Choose an event in the toolbar's box by keyboard."""
    window.event_combo.setFocus()
    for _ in range(number):
        QTest.keyClick(window.event_combo, Qt.Key.Key_Down)


def choice(window: MainWindow, title: str) -> QPushButton:
    """The button of a notice."""
    (button,) = [b for b in window.notices.findChildren(QPushButton) if b.text() == title]
    return button


def test_window_shows_what_was_opened(window: MainWindow, draw: Draw, open_file: OpenFile) -> None:
    """Title, status, events and lists show the opened file."""
    open_file(draw(DRAWING, "callgrind.out.77"))

    assert seen(window) == [
        "callgrind.out.77 [./prog --flag] – QCachegrind.py",
        "callgrind.out.77",
        "1 part",
        f"Total Instruction Fetch: 3{THIN}000",
        "Ir – Instruction Fetch",
        "66.67 | 66.67 | 3 | f | ???",
        "100.00 | 33.33 | 0 | main | ???",
        "66.67 | 666 | 3 | f | ???",
    ]


class Paintings(QObject):
    """Records in `seen` when a widget is painted."""

    def __init__(self, widget: QWidget, seen: list[str]) -> None:
        super().__init__(widget)
        self._seen = seen
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() is QEvent.Type.Paint:
            self._seen.append("painted")
        return False


def test_keys_are_answered_between_filling_and_painting(
    window: MainWindow, draw: Draw, qtbot: QtBot
) -> None:
    """Each takes 40 ms for a large profile, and the event loop has a turn between them."""
    seen = list[str]()
    turns = QTimer(window, interval=0)
    turns.timeout.connect(lambda: seen.append("turn"))
    turns.start()
    paintings = Paintings(window, seen)
    with qtbot.waitSignal(window.session.opened):
        window.session.opened.connect(lambda _: seen.clear())
        window.open([draw(DRAWING)])
    qtbot.waitUntil(lambda: "painted" in seen)
    turns.stop()
    paintings.deleteLater()

    assert seen[0] == "turn"


def test_events_are_the_measured_and_the_derived_ones(
    window: MainWindow, draw: Draw, open_file: OpenFile
) -> None:
    """All events are offered in the order of the file, derived ones marked."""
    open_file(draw("events: Ir Bcm X\nevent: X : My Own\nevent: Twice = 2 Ir : Double\nmain 1,2,3"))

    titles = [window.event_combo.itemText(row) for row in range(window.event_combo.count())]
    assert titles == [
        "Ir – Instruction Fetch",
        "Bcm – Mispredicted Cond. Branch",
        "X – My Own",
        "Bm – Mispredicted Branch (derived)",
        "CEst – Cycle Estimation (derived)",
        "Twice – Double (derived)",
    ]


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("", f"Total Instruction Fetch: 3{THIN}000"),
        ("summary: 3000 3", f"Total Instruction Fetch: 3{THIN}000"),
        (
            "summary: 4234 3",
            f"Total Instruction Fetch: 4{THIN}234 (1{THIN}234 not attributed)",
        ),
        (
            "summary: 1000 3",
            f"Total Instruction Fetch: 3{THIN}000 counted, 2{THIN}000 more than recorded",
        ),
    ],
)
def test_status_says_what_percentages_are_of(
    window: MainWindow, draw: Draw, open_file: OpenFile, summary: str, expected: str
) -> None:
    """The status bar shows the total, and how recorded and counted totals differ."""
    open_file(draw(f"{summary}\n{DRAWING}"))

    assert window.status_bar.total.text() == expected


def test_box_and_total_follow_the_event(
    window: MainWindow, draw: Draw, open_file: OpenFile, qtbot: QtBot
) -> None:
    """It is chosen in the box, or Ctrl+E goes through all events, and the box follows."""
    open_file(draw("events: A B C\nmain 1,2,3"))
    chosen = []
    for act in (lambda: choose_event(window, 1), *[window.actions_["next_event"].trigger] * 3):
        with qtbot.waitSignal(window.navigation.changed):
            act()
        event = window.navigation.context.event
        assert event is not None
        chosen.append((window.event_combo.currentText(), event.name))
    assert chosen == [("B", "B"), ("C", "C"), ("A", "A"), ("B", "B")]
    assert window.status_bar.total.text() == "Total B: 2"


# -------------------------------------------------------------------- notices


@pytest.mark.parametrize("kind", ["missing", "text", "empty"])
def test_bad_file_leaves_the_old_profile(
    window: MainWindow, draw: Draw, open_file: OpenFile, qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    """An unreadable file is named with the reason, and everything else stays."""
    open_file(draw(DRAWING))
    window.file_commands.remember_opened()
    before = (
        seen(window),
        window.navigation.context,
        window.settings.recent_files,
    )
    path = tmp_path / "bad.out"
    if kind == "text":
        path.write_text("Dear diary,\n")
    elif kind == "empty":
        path.write_bytes(b"")
    with qtbot.waitSignal(window.session.ended):
        window.open([path])
    qtbot.wait(0)

    notices = window.notices.notice_texts()
    assert (list(notices), notices["error"].startswith(f"{path} ")) == (["error"], True)
    assert notices["error"].count("\n") == 0
    assert (
        seen(window),
        window.navigation.context,
        window.settings.recent_files,
    ) == before
    assert window.notices.isVisible()


def test_notices_about_a_file_go_when_another_is_opened(
    window: MainWindow, draw: Draw, open_file: OpenFile, qtbot: QtBot, tmp_path: Path
) -> None:
    """An error goes at once; warnings go with their profile, when the next one is there."""
    found = []
    odd = tmp_path / "odd.out"
    odd.write_text(ODD)
    for path in (tmp_path / "missing", odd):
        with qtbot.waitSignal(window.session.ended):
            window.open([path])
        process_events()
        before = list(window.notices.notice_texts())
        window.open([write_slow_file(tmp_path / "slow.gz", 300)])
        found.append((before, list(window.notices.notice_texts())))
        window.session.cancel()
    open_file(draw(DRAWING))

    assert found == [(["error"], []), (["warning"], ["warning"])]
    assert (window.notices.notice_texts(), window.notices.isVisible()) == ({}, False)


def test_notice_is_closed_by_its_button(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    """The close button removes the notice."""
    with qtbot.waitSignal(window.session.ended):
        window.open([tmp_path / "missing"])
    (notice,) = window.notices.findChildren(Notice)
    (close,) = (b for b in notice.findChildren(QToolButton) if b.isVisible())

    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)

    assert (window.notices.notice_texts(), window.notices.isVisible()) == ({}, False)


ODD = "events: Ir\n\nfl=a.c\nfn=main\n1 1\nwhat is this\n2 2\n<b>and this</b>\n3 4\n"


def test_warnings_have_line_numbers_and_are_listed_in_a_dialog(
    window: MainWindow, open_file: OpenFile, qtbot: QtBot, tmp_path: Path
) -> None:
    """The notice has the first one and a count; Show All lists them as text to copy."""
    path = tmp_path / "odd.out"
    path.write_text(ODD)
    open_file(path)
    said = window.notices.notice_texts()
    qtbot.mouseClick(choice(window, "Show All"), Qt.MouseButton.LeftButton)
    (dialog,) = [d for d in window.findChildren(TextDialog) if d.isVisible()]
    (text,) = dialog.findChildren(QPlainTextEdit)
    shown = text.toPlainText()
    dialog.close()

    assert said == {"warning": "Line 6: Unknown line; ignored: “what is this”. And 1 more."}
    passed_over = "Unknown line; ignored"
    assert shown.splitlines() == [
        f"{path}:6: {passed_over}: “what is this”.",
        f"{path}:8: {passed_over}: “<b>and this</b>”.",
    ]
    assert text.isReadOnly()


def test_sibling_parts_can_be_left_out(
    window: MainWindow, draw: Draw, open_file: OpenFile, qtbot: QtBot
) -> None:
    """A notice says that further parts were read; Only This File drops them."""
    run = draw("main 1", "callgrind.out.7")
    draw("main 2", "callgrind.out.7.1")
    draw("main 4", "callgrind.out.7.2")
    open_file(run)
    with_parts = (
        window.notices.notice_texts(),
        window.status_bar.parts.text(),
        window.status_bar.total.text(),
    )

    signals = [window.session.opened, window.navigation.changed, window.session.ended]
    with qtbot.waitSignals(signals):
        qtbot.mouseClick(choice(window, "Only This File"), Qt.MouseButton.LeftButton)

    assert with_parts == (
        {"information": "Opened 3 parts of one run."},
        "3 parts",
        "Total Instruction Fetch: 7",
    )
    assert (
        window.notices.notice_texts(),
        window.status_bar.parts.text(),
        window.status_bar.total.text(),
    ) == (
        {},
        "1 part",
        "Total Instruction Fetch: 1",
    )


# -------------------------------------------------------------------- opening


def drag(
    window: MainWindow,
    *urls: str,
    over: QWidget | None = None,
    keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> tuple[bool, list[Path]]:
    """Drag data over the window and drop it if accepted; return the files it opened."""
    data, over = QMimeData(), over or window
    data.setUrls([QUrl(url) for url in urls])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    opening: list[Path] = []
    window.session.opening.connect(opening.extend)
    enter = drag_event(QDragEnterEvent, QPoint(3, 3), data, keys)
    enter.ignore()
    QApplication.sendEvent(over, enter)
    if enter.isAccepted():
        QApplication.sendEvent(over, QDropEvent(QPointF(3, 3), copy, data, left, keys))
    return enter.isAccepted(), opening


@ignore_offscreen_warnings
@pytest.mark.parametrize("part", ["a field", "a floating dock"])
def test_files_can_be_dropped_on_every_part(
    window: MainWindow, draw: Draw, qtbot: QtBot, part: str
) -> None:
    """Text fields do not take a file for text, and floating docks accept drops, too."""
    window.docks.float_dock(window.docks.by_id["part_list"])
    over = window.filter_bar if part == "a field" else window.docks.by_id["part_list"]
    path = draw("main 1")
    with qtbot.waitSignals([window.session.ended, window.navigation.changed]):
        result = drag(window, path.as_uri(), over=over)

    assert (result, window.filter_bar.text()) == ((True, [path]), "")


def test_files_that_are_dropped_with_ctrl_are_added(
    window: MainWindow, draw: Draw, open_file: OpenFile, qtbot: QtBot
) -> None:
    """The dropped file is added to the open profile."""
    first, second = draw("main 1", "callgrind.out.1"), draw("main 2", "callgrind.out.2")
    open_file(first)
    with qtbot.waitSignals([window.session.ended, window.navigation.changed]):
        result = drag(window, second.as_uri(), keys=Qt.KeyboardModifier.ControlModifier)

    assert result == (True, [first, second])


def test_files_are_opened_by_drag_and_drop(window: MainWindow, draw: Draw, qtbot: QtBot) -> None:
    """Files dropped on the window are opened as one profile; links beside them are ignored."""
    link = "https://example.org/callgrind.out.1"
    rejected = drag(window, link)[0]
    paths = [draw("main 1", "callgrind.out.1"), draw("main 2", "with space & ü.out")]
    with qtbot.waitSignals([window.session.ended, window.navigation.changed]):
        result = drag(window, link, *(path.as_uri() for path in paths))

    assert (rejected, result) == (False, (True, paths))
    assert dump_rows(window.views.function_list.model, FUNCTIONS.SELF) == ["100.00"]
    assert window.status_bar.parts.text() == "2 parts"


def recent(window: MainWindow) -> QMenu:
    """The menu of recent files."""
    (menu,) = [m for m in window.findChildren(QMenu) if m.title().replace("&", "") == "Open Recent"]
    return menu


def test_recent_files_are_opened_and_cleared_by_their_menu(
    window: MainWindow, draw: Draw, open_file: OpenFile, qtbot: QtBot
) -> None:
    """Opened files are listed, the latest first, and open again."""
    first, second = draw("one 1", "callgrind.out.1"), draw("two 2", "b & c.out")
    before = recent(window).isEnabled()
    open_file(first)
    open_file(second)
    window.file_commands.remember_opened()
    texts = [action.text() for action in recent(window).actions()]
    with qtbot.waitSignals([window.session.ended, window.navigation.changed]):
        recent(window).actions()[1].trigger()
    window.file_commands.remember_opened()
    opened = dump_rows(window.views.function_list.model, FUNCTIONS.NAME)
    order = window.settings.recent_files
    recent(window).actions()[-1].trigger()

    escaped = str(second).replace("&", "&&")
    assert (before, texts) == (False, [f"&1  {escaped}", f"&2  {first}", "", "&Clear List"])
    assert (opened, order) == (["one"], [first, second])
    assert (recent(window).isEnabled(), window.settings.recent_files) == (
        False,
        [],
    )


def test_reload_after_a_failed_open_reads_what_is_open(
    window: MainWindow, draw: Draw, open_file: OpenFile, tmp_path: Path, qtbot: QtBot
) -> None:
    """A failed open does not change which files a reload reads."""
    run = draw("main 1", "callgrind.out.7")
    draw("main 2", "callgrind.out.7.1")
    open_file(run, own_parts=False)
    with qtbot.waitSignals([window.session.failed, window.session.ended]):
        window.open([tmp_path / "missing"])
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        window.actions_["reload"].trigger()

    assert window.status_bar.parts.text() == "1 part"


def test_undecodable_event_shows_its_costs(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot
) -> None:
    """The chosen event is the one whose costs are shown, whatever bytes its name has."""
    path = tmp_path / "profile"
    path.write_bytes(b"events: Ir B\xff\nfn=main\n1 1 2\n")
    open_file(path)
    with qtbot.waitSignal(window.navigation.changed):
        window.actions_["next_event"].trigger()

    assert window.navigation.context.event is not None
    assert window.navigation.context.event.name == "B\udcff"
    assert window.status_bar.total.text() == r"Total B\xff: 2"


def test_search_while_the_list_is_hidden_leaves_the_next_profile_alone(
    window: MainWindow, draw: Draw, open_file: OpenFile
) -> None:
    """Switching the search while a profile waits to be shown does not filter the old list."""
    open_file(draw("alpha 1\nbeta 2\ngamma 3", "a.out"))
    window.views.function_list.search.setText("a")
    window.docks.by_id["function_list"].hide()
    open_file(draw("\n".join(f"f{n} {n}" for n in range(50)), "b.out"))
    window.actions_["regular_expression"].toggle()
    window.views.function_list.search.setText("f4")
    window.docks.by_id["function_list"].show()
    QApplication.processEvents()

    assert window.views.function_list.model.rowCount() == 11


def test_columns_grow_with_the_numbers_of_the_next_function(
    window: MainWindow, draw: Draw, open_file: OpenFile, qtbot: QtBot
) -> None:
    """Columns of call lists widen for the larger numbers of the next function."""
    window.resize(2400, 900)  # no column gives way
    open_file(draw("main 1 -> f 1x123456789012\nf 123456789012"))
    queries = window.session.queries
    assert queries is not None
    with qtbot.waitSignal(window.navigation.changed):
        window.navigation.select_function(queries.names.with_name("f")[0])
    table = window.views.callers.table
    text = str(table.model().index(0, CALLS.PER_CALL).data())

    assert text == "123\u2009456\u2009789\u2009012"
    width = table.columnWidth(CALLS.PER_CALL)
    assert width > table.fontMetrics().horizontalAdvance(text)


def test_hidden_pictures_free_the_old_profile(
    window: MainWindow, draw: Draw, open_file: OpenFile, qtbot: QtBot
) -> None:
    """A picture behind a tab keeps no reference to the previous profile."""
    open_file(draw("one 1 -> f 1x2\nf 2", "a.out"))
    for title in ("Caller Map", "Callee Map", "Call Graph", "Flame Graph", "Callers", "Callees"):
        window.docks.show(VIEW_IDS[title])
        qtbot.waitUntil(lambda title=title: not window.jobs.is_running(title))
        process_events()
    old = weakref.ref(window.session.queries)
    open_file(draw("two 2 -> g 1x3\ng 3", "b.out"))

    qtbot.waitUntil(lambda: old() is None)


# -------------------------------------------------------------------- progress


def progress_seen(window: MainWindow) -> tuple[bool, bool, bool]:
    """Whether the progress bar and cancel button are visible, and cancel is enabled."""
    cancel = window.actions_["cancel"]
    buttons = [
        widget
        for widget in window.statusBar().children()
        if getattr(widget, "defaultAction", lambda: None)() is cancel
    ]
    assert len(buttons) == 1
    return window.status_bar.progress.isVisible(), buttons[0].isVisible(), cancel.isEnabled()


def test_progress_and_cancel_are_seen_while_opening(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """They are shown only while a file is read: the latest one, if several are opened."""
    files = [write_slow_file(tmp_path / name, 300) for name in ("one.gz", "two.gz")]
    before, during = progress_seen(window), []
    for path in files:
        with qtbot.waitSignal(window.session.progressed):
            window.open([path])
        text = window.status_bar.file.text().partition("…")[0]
        during.append((progress_seen(window), text))
    with qtbot.waitSignal(window.session.ended):
        window.actions_["cancel"].trigger()
    after = (progress_seen(window), window.status_bar.file.text())

    assert before == (False, False, False)
    assert during == [((True, True, True), f"Opening {path.name}") for path in files]
    assert after == ((False, False, False), "No profile is open")


def test_window_can_be_closed_while_opening(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """Closing the window stops its background work."""
    with qtbot.waitSignal(window.session.progressed):
        window.open([write_slow_file(tmp_path / "slow.gz", 300)])

    window.close()

    assert (window.isVisible(), window.session.is_opening) == (False, False)


# -------------------------------------------------------------------- size and saved state


LONG = b"x" * 9000
HOSTILE = {
    "names": b"events: Ir\nob=%s\nfl=%s\nfn=%s\n1 1\n" % (LONG, LONG, LONG),
    "command": b"cmd: %s\nevents: Ir\nfn=main\n1 1\n" % LONG,
    "event": b"events: %s\nfn=main\n1 1\n" % LONG,
    "long name of an event": b"events: Ir\nevent: Ir : %s\nfn=main\n1 1\n" % LONG,
    "costs": b"events: Ir\nfn=main\n1 -9223372036854775808\nfn=f\n1 9223372036854775807\n",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_do_not_widen_the_window(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, text: bytes
) -> None:
    """However long the texts in a file, the window keeps its size."""
    path = tmp_path / ("n" * 200)
    path.write_bytes(text)
    window.resize(800, 600)
    open_file(path)
    QApplication.processEvents()

    assert (window.width(), window.height()) == (800, 600)
    assert window.minimumSizeHint().width() <= 800


def test_long_notice_does_not_widen_the_window(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """A long message is wrapped, and all its lines are visible."""
    window.resize(800, 600)
    folder = tmp_path / ("long name " * 20)
    with qtbot.waitSignal(window.session.ended):
        window.open([folder / "missing.out"])
    QApplication.processEvents()
    (notice,) = window.notices.findChildren(Notice)
    label = notice.label

    assert (window.width(), window.height()) == (800, 600)
    assert label.height() >= label.heightForWidth(label.width())


def restarted(window: MainWindow) -> MainWindow:
    """The window of the next start."""
    window.close()
    again = MainWindow(Settings())
    again.show()
    QApplication.processEvents()
    return again


def test_notices_are_not_restored(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    """A notice of the last start is not in the next."""
    with qtbot.waitSignal(window.session.ended):
        window.open([tmp_path / "missing"])

    again = restarted(window)
    qtbot.addWidget(again)

    assert not again.notices.isVisible()
