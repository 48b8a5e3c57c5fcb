"""Journeys of a user who opens files: what the window shows before, during and after."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.files.commands import FILE_PATTERNS
from qcachegrind_py.app.files.dialogs import FolderDialog
from qcachegrind_py.app.frame import notices
from qcachegrind_py.app.window import MainWindow
from tests.columns import FUNCTIONS
from tests.profile_text import THIN, dump_rows, write_slow_file
from tests.user_input import drag_event, settle

OpenFile = Callable[..., None]


def test_the_name_of_a_file_is_readable_while_it_loads(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    """The heading above the progress bar has a line of its own, and a long name is shortened."""
    path = tmp_path / f"callgrind.out.{'of-a-program-with-a-long-name-' * 5}"
    write_slow_file(path, 40)
    window.resize(1366, 768)
    window.show()
    window.open([path])
    heading = window.welcome.page.opening
    qtbot.waitUntil(lambda: heading.isVisible() and heading.text() != "")
    QApplication.processEvents()

    needed = heading.fontMetrics().boundingRect(heading.text())
    shown = heading.text().split("…")
    with qtbot.waitSignal(window.session.ended):
        window.session.cancel()
    assert heading.width() >= needed.width()
    assert heading.height() >= needed.height()
    assert shown[0].startswith("Opening callgrind.out.of-a-program")
    assert window.welcome.page.width() > heading.width()


def test_a_success_needs_no_click_to_go_away(
    window: MainWindow,
    open_file: OpenFile,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What went well is said for a while; a warning stays."""
    said: dict[str, str] = {}
    show = window.notices.show_notice

    def show_notice(kind: str, text: str, *buttons: object, **options: object) -> object:
        said[kind] = text
        return show(kind, text, *buttons, **options)  # type: ignore[arg-type]  # as they were given

    monkeypatch.setattr(window.notices, "show_notice", show_notice)
    monkeypatch.setattr(notices, "PASSING_MS", 20)
    (tmp_path / "callgrind.out.9.1").write_text("events: Ir\nfn=main\n1 5\n")
    run = tmp_path / "callgrind.out.9"
    run.write_text("events: Ir\nfn=main\n1 7\nwhat is this\n")
    open_file(run)
    qtbot.waitUntil(lambda: set(window.notices.notice_texts()) == {"warning"})

    assert said["information"] == "Opened 2 parts of one run."


def test_a_notice_in_use_stays(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A passing notice does not vanish while its button has the focus."""
    monkeypatch.setattr(notices, "PASSING_MS", 20)
    window.show()
    qtbot.waitExposed(window)
    notice = window.notices.show_notice(
        "information", "Saved.", ("Open", lambda: None), topic="save", passing=True
    )
    (button,) = notice.findChildren(QPushButton)
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    qtbot.wait(100)
    assert window.notices.notice_texts() == {"save": "Saved."}

    button.clearFocus()
    qtbot.waitUntil(lambda: not window.notices.notice_texts())


@pytest.mark.parametrize("share", [2, 0], ids=["matters", "negligible"])
def test_another_file_opens_where_there_is_something_to_see(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, share: int
) -> None:
    """The function of the last file is shown again only if it has at least 1 % of the next one."""
    first, second = tmp_path / "callgrind.out.1", tmp_path / "callgrind.out.2"
    text = "cmd: ./prog\nevents: Ir\nfn=main\n1 100\nfn=rare\n2 {}\n"
    first.write_text(text.format(50))
    second.write_text(text.format(share))
    open_file(first)
    functions = window.views.function_list
    queries = window.session.queries
    assert queries is not None
    window.navigation.select_function(queries.names.with_name("rare")[0])
    open_file(second)
    active = functions.table.currentIndex().siblingAtColumn(FUNCTIONS.NAME).data()

    assert active == ("rare" if share else "main")


RUN = "creator: callgrind-3.22.0\npid: 77\ncmd: ./a b\n"


def write_threads(folder: Path, name: str, ending: str, *threads: int) -> list[Path]:
    """Write a file for each thread of a run; NAME with {} for the thread."""
    paths = []
    for thread in threads:
        path = folder / f"{name.format(thread)}{ending}"
        text = f"{RUN}part: 1\nthread: {thread}\nevents: Ir\nfn=main\n1 {10**thread}\n"
        text += f"totals: {10**thread}\n"
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def press(window: MainWindow, title: str, qtbot: QtBot, parent: QWidget | None = None) -> None:
    """Click a button, of a notice also if others are before it, and wait for what it opens."""
    for _ in window.notices.notice_texts():
        buttons = (parent or window).findChildren(QAbstractButton)
        seen = [button for button in buttons if button.isVisible()]
        if any(button.text() == title for button in seen):
            break
        (more,) = (button for button in seen if button.text().endswith(" more"))
        more.click()
    (button,) = [
        button
        for button in (parent or window).findChildren(QPushButton)
        if button.text() == title and button.isVisible()
    ]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(window, qtbot)


def shown_files(window: MainWindow) -> tuple[list[str], str]:
    """The names of the open files, and the total in the status bar."""
    names = [path.name for path in window.file_commands.open_files]
    return names, window.status_bar.total.text().replace(THIN, " ")


@pytest.mark.parametrize("ending", ["", ".old"])
def test_all_files_of_a_run_are_opened_from_one(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot, ending: str
) -> None:
    """A thread of gungraun's shows its own costs; one click in a notice opens the whole run."""
    paths = write_threads(tmp_path, "callgrind.f.two.77.t{}.p1.out", ending, 1, 2, 3)
    write_threads(tmp_path, "callgrind.f.two.77.t{}.p1.out", ".base@main", 1, 2, 3)
    open_file(paths[1])
    settle(window, qtbot)
    assert shown_files(window) == ([paths[1].name], "Total Instruction Fetch: 100")
    assert window.notices.notice_texts()["run"] == "2 other files of this run are not open."

    press(window, "Open All", qtbot)

    names = [path.name for path in paths]
    assert shown_files(window) == (names, "Total Instruction Fetch: 1 110")
    assert "run" not in window.notices.notice_texts()


def test_the_parts_dock_offers_the_other_parts(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot
) -> None:
    """It explains how to record several only where there are no others; the main file is chosen."""
    paths = write_threads(tmp_path, "cg-0{}", "", 1, 2)
    (tmp_path / "cg").write_text("")
    alone = tmp_path / "alone"
    alone.write_text("events: Ir\nfn=main\n1 7\n")
    window.docks.show("part_list")
    view = window.views.part_list
    open_file(alone)
    settle(window, qtbot)
    assert "--separate-threads=yes" in view.message

    open_file(paths[0])
    settle(window, qtbot)
    assert view.message == "The profile has one part.\nThere is one other file of its run."
    press(window, "Open All", qtbot, view)

    assert (shown_files(window)[0], window.session.paths) == (
        ["cg-01", "cg-02"],
        (tmp_path / "cg",),
    )
    assert view.message == ""
    assert window.notices.notice_texts() == {"information": "Opened 2 parts of one run."}


def test_the_run_of_the_base(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot
) -> None:
    """The base has a notice of its own; parts of one side alone are a warning without a button."""
    new = write_threads(tmp_path, "new.t{}.p1.out", "", 1, 2)
    base = write_threads(tmp_path, "new.t{}.p1.out", ".old", 1, 2)
    open_file(*new)
    settle(window, qtbot)
    window.file_commands.comparing.compare_with(base[:1])
    settle(window, qtbot)
    assert window.notices.notice_texts() == {
        "run of the base": "1 other file of the base’s run is not open.",
        "parts": "The base has 1 part, the new profile 2: "
        "the costs of what one side alone has count as changes.",
    }

    press(window, "Open All", qtbot)

    compared_base = window.session.comparing.base
    assert compared_base is not None
    assert compared_base.profile.paths == tuple(map(str, base))
    assert window.notices.notice_texts() == {}


def test_a_leak_profile_opens_on_what_leaked(
    window: MainWindow, open_file: OpenFile, draw: Callable[..., Path], qtbot: QtBot
) -> None:
    """Its first event is 0 throughout; the user may choose that, and it is kept on a reload."""
    path = draw("cmd: leak\nevents: RB PB DB\nmain 0,0,7", "xtleak.kcg.1")
    context = window.navigation
    open_file(path)
    settle(window, qtbot)
    said = "RB is 0 throughout, so DB is shown: the first event that counted anything."
    assert window.notices.notice_texts()["event"] == said
    assert context.context.event == context.context.events.find("DB")

    context.set(event=context.context.events.find("RB"))
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        window.actions_["reload"].trigger()
    settle(window, qtbot)
    assert context.context.event == context.context.events.find("RB")
    assert "event" not in window.notices.notice_texts()

    open_file(draw("cmd: leak\nevents: RB PB DB\nmain 0,5,7", "xtleak.kcg.2"))
    settle(window, qtbot)
    assert context.context.event == context.context.events.find("PB")


def write_archive(path: Path, **costs: int) -> None:
    """Write a zip archive of profiles with these names and costs."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, cost in costs.items():
            text = f"cmd: ./{name}\nevents: Ir\nfn=main\n1 {cost}\ntotals: {cost}\n"
            archive.writestr(f"runs/{name}", text)


def test_profiles_of_an_archive_are_chosen_from_a_list(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    """A dropped archive lists its profiles; one is opened, reloaded and remembered by its name."""
    path = tmp_path / "runs.zip"
    write_archive(path, old=7, new=12)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    place, copy, left = QPointF(300, 300), Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, drag_event(QDragEnterEvent, place.toPoint(), data))
    QApplication.sendEvent(window, QDropEvent(place, copy, data, left, none))
    qtbot.waitUntil(lambda: bool(window.findChildren(FolderDialog)))
    (dialog,) = window.findChildren(FolderDialog)
    assert dialog.windowTitle() == "Profiles in runs.zip"
    assert dump_rows(dialog.model, 0, 1) == ["runs/new | ./new", "runs/old | ./old"]
    dialog.table.selectRow(1)
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        dialog.accept()
    settle(window, qtbot)
    member = Path(f"{path}!runs/old")
    assert window.file_commands.open_files == [member]
    assert window.status_bar.total.text() == "Total Instruction Fetch: 7"

    write_archive(path, old=9)
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        window.actions_["reload"].trigger()
    settle(window, qtbot)
    assert window.status_bar.total.text() == "Total Instruction Fetch: 9"
    window.file_commands.remember_opened()
    assert window.settings.recent_files[:1] == [member]


def test_a_damaged_archive_says_so(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    """Without a profile in it there is nothing to choose."""
    path = tmp_path / "a.zip"
    path.write_bytes(b"PK\3\4" + bytes(100))
    window.open([path])
    settle(window, qtbot)
    said = f"{path} is a damaged zip archive: its end is missing."
    assert window.notices.notice_texts() == {"error": said}


@pytest.mark.parametrize(
    "name",
    [
        *("callgrind.out.1", "callgrind.out.1-02", "cachegrind.out.7", "xtmemory.kcg.1234"),
        *("xtleak.kcg.1", "php.cgrind", "callgrind.f.two.77.t1.p1.out.old", "f.out.base@main"),
        *("x.callgrind", "run.prof", "run.pstats", "x.callgrind.zst", "runs.zip", "runs.tar.gz"),
    ],
)
def test_what_opens_is_shown_when_files_are_chosen(name: str) -> None:
    """The dialog hides files that match none of its patterns."""
    assert any(fnmatchcase(name, pattern) for pattern in FILE_PATTERNS.split())
