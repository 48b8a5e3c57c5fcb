"""Opening folders, reloading, adding and removing files, and files that change on disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.app.files.dialogs import FolderDialog
from qcachegrind_py.app.frame.notices import Notice
from qcachegrind_py.app.style.text_widgets import TextDialog
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile import files
from qcachegrind_py.session.settings.store import ChangedFiles, OpensIn
from tests.columns import FUNCTIONS
from tests.profile_text import THIN, dump_rows
from tests.user_input import (
    click_row,
    ignore_offscreen_warnings,
    process_events,
    without_mnemonic,
)

Draw = Callable[..., Path]
OpenFile = Callable[..., None]
BEFORE = """
    part: 1
    main@a.c 1000 -> f 3x400
    f@b.c 300 -> g 1x100
    g 100
    """
AFTER = """
    part: 1
    main@a.c 1000 -> h 1x500, f 4x400
    h 500
    f@b.c 300 -> g 1x100
    g 100
    """


def functions(window: MainWindow) -> list[str]:
    return dump_rows(window.views.function_list.model, FUNCTIONS.NAME)


def active(window: MainWindow) -> str:
    queries = window.session.queries
    assert queries is not None
    return queries.names.name(window.navigation.context.function)


def number(window: MainWindow, name: str) -> int:
    queries = window.session.queries
    assert queries is not None
    return queries.names.with_name(name)[0]


def press(window: MainWindow, title: str) -> None:
    """Press a button of a notice."""
    buttons = [
        b for notice in window.findChildren(Notice) for b in notice.findChildren(QPushButton)
    ]
    (button,) = [button for button in buttons if button.text() == title]
    button.click()


@pytest.fixture
def reload(window: MainWindow, qtbot: QtBot) -> Callable[[], None]:
    """Return a function that reloads the open files, as F5 does."""

    def reload() -> None:
        with qtbot.waitSignals([window.session.opened, window.session.ended]):
            window.actions_["reload"].trigger()
        process_events()

    return reload


# ---------------------------------------------------------------- reloading


def test_reload_keeps_the_location(
    window: MainWindow, draw: Draw, open_file: OpenFile, reload: Callable[[], None]
) -> None:
    """Function, path, selection and filter survive a reload that renumbers the functions."""
    open_file(draw(BEFORE))
    for name in ("main", "g", "f"):
        window.navigation.select_function(number(window, name))
    window.navigation.set(selected=number(window, "g"))
    window.filter_bar.setText("!=main")
    window.filter_bar.apply_text()
    process_events()
    old = number(window, "f")

    draw(AFTER)
    reload()

    assert number(window, "f") != old
    assert active(window) == "f"
    assert window.navigation.context.selected == number(window, "g")
    assert [window.navigation.back_history[step] for step in (0, 1)] == [
        number(window, "g"),
        number(window, "main"),
    ]
    assert (window.filter_bar.text(), window.navigation.context.filter.text) == ("!=main", "!=main")


def test_removed_function_leaves_the_history(
    window: MainWindow, draw: Draw, open_file: OpenFile, reload: Callable[[], None]
) -> None:
    """Back skips functions that no longer exist; the costliest one becomes active instead."""
    open_file(draw(AFTER))
    for name in ("main", "h", "f", "h"):
        window.navigation.select_function(number(window, name))

    draw(BEFORE)
    reload()

    behind = [window.session.queries.names.name(f) for f in window.navigation.back_history]  # type: ignore[union-attr]
    assert (active(window), behind) == ("main", ["f", "main"])


def test_chosen_parts_survive_a_reload(
    window: MainWindow,
    draw: Draw,
    open_file: OpenFile,
    reload: Callable[[], None],
    qtbot: QtBot,
) -> None:
    """The same parts stay chosen, even if a new part precedes them."""
    dump_2 = draw("part: 2\nmain 2", "callgrind.out.7.2")
    open_file(dump_2, draw("part: 3\nmain 40", "callgrind.out.7.3"), own_parts=False)
    with qtbot.waitSignal(window.navigation.changed):
        window.session.set_scope(Scope(frozenset({1})))
    assert window.status_bar.total.text() == "Total Instruction Fetch: 40"

    parts = (f"part: {part}\nevents: Ir\nfn=main\n1 {part}\n" for part in (1, 2))
    dump_2.write_text("".join(parts), encoding="ascii")
    reload()

    assert window.navigation.context.scope.parts == frozenset({2})
    assert window.status_bar.total.text() == "Total Instruction Fetch: 40"
    assert functions(window) == ["main"]


def test_reload_summarizes_changes(
    window: MainWindow, draw: Draw, open_file: OpenFile, reload: Callable[[], None]
) -> None:
    """After a reload, the notice has the change of the total; Details has all of it."""
    open_file(draw(BEFORE))
    draw(AFTER)
    reload()

    total = f"Ir 1{THIN}400 → 1{THIN}900 (+35.7{THIN}%)"
    press(window, "Details")
    (dialog,) = window.findChildren(TextDialog)
    details = dialog.text.toPlainText()
    dialog.close()
    assert window.notices.notice_texts() == {"reloaded": f"Reloaded: {total}."}
    assert details.splitlines() == [total, "1 function new"]


def test_unchanged_reload_shows_no_notice(
    window: MainWindow, draw: Draw, open_file: OpenFile, reload: Callable[[], None]
) -> None:
    """If nothing changed, only the status bar says so; no notice appears."""
    open_file(draw(BEFORE))
    reload()

    assert window.notices.notice_texts() == {}
    assert window.statusBar().currentMessage() == "Reloaded: nothing has changed."


def test_vanished_file_leaves_the_profile_open(
    window: MainWindow, draw: Draw, open_file: OpenFile, qtbot: QtBot
) -> None:
    """Reloading a deleted file is an error that leaves the open profile unchanged."""
    path = draw(BEFORE)
    open_file(path)
    window.navigation.select_function(number(window, "g"))
    process_events()
    path.unlink()
    with qtbot.waitSignal(window.session.ended):
        window.actions_["reload"].trigger()
    process_events()

    assert window.notices.notice_texts() == {
        "error": f"{path} was removed. What was read from it stays open."
    }
    assert (active(window), functions(window)) == ("g", ["main", "f", "g"])


# ---------------------------------------------------------------- files that change


@pytest.fixture
def look(window: MainWindow, qtbot: QtBot) -> Callable[[], None]:
    """Return a function that polls the files until a change is certain."""

    def look() -> None:
        for _ in range(2):
            window.file_commands.file_watcher.poll()
            qtbot.waitUntil(lambda: not window.jobs.is_running("watch"))
        process_events()

    return look


def rewrite(draw: Draw, text: str, name: str = "callgrind.out.1") -> Path:
    """Write the file so that every file system reports a change."""
    path = draw(text, name)
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 10**9))
    return path


def test_a_changed_file_is_offered_once(
    window: MainWindow,
    draw: Draw,
    open_file: OpenFile,
    look: Callable[[], None],
    qtbot: QtBot,
) -> None:
    """A rewritten file is noticed; after Reload it is not offered again."""
    open_file(draw(BEFORE))
    look()
    quiet = window.notices.notice_texts()
    rewrite(draw, AFTER)
    look()
    offered = window.notices.notice_texts()
    window.notices.close_all()
    look()
    again = window.notices.notice_texts()
    rewrite(draw, AFTER.replace("500", "600"))
    look()
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        press(window, "Reload")
    look()

    assert (quiet, again) == ({}, {})
    assert offered == {"news": "callgrind.out.1 changed on disk."}
    assert list(window.notices.notice_texts()) == ["reloaded"]
    assert functions(window) == ["main", "h", "f", "g"]


def test_new_dumps_of_the_run_are_offered(
    window: MainWindow, draw: Draw, open_file: OpenFile, look: Callable[[], None]
) -> None:
    """New files of the same run are noticed, those of other runs are not."""
    open_file(draw("main 1", "callgrind.out.7"))
    for name in ("callgrind.out.71", "callgrind.out.7.1", "callgrind.out.7.2"):
        draw("main 1", name)
    look()

    text = "callgrind.out.7.1 and 1 more are new parts of the same run."
    assert window.notices.notice_texts() == {"news": text}


def test_always_reload(
    window: MainWindow, draw: Draw, open_file: OpenFile, look: Callable[[], None], qtbot: QtBot
) -> None:
    """Always Reload is stored as a setting and applies to the present change as well."""
    open_file(draw(BEFORE))
    rewrite(draw, AFTER)
    look()
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        press(window, "Always Reload")
    rewrite(draw, AFTER.replace("500", "700"))
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        look()

    assert window.settings.changed_files is ChangedFiles.RELOAD
    assert window.status_bar.total.text() == f"Total Instruction Fetch: 2{THIN}100"


@pytest.mark.parametrize("fate", ["ignored", "gone", "growing"])
def test_ignored_changes(
    window: MainWindow, draw: Draw, open_file: OpenFile, look: Callable[[], None], fate: str
) -> None:
    """A deleted, unfinished or ignored file shows no notice."""
    path = draw(BEFORE)
    open_file(path)
    if fate == "ignored":
        window.settings.changed_files = ChangedFiles.IGNORE
        rewrite(draw, AFTER)
        look()
    elif fate == "gone":
        path.unlink()
        look()
    else:
        for text in (AFTER, AFTER + "\nlast 1", AFTER + "\nlast 12"):
            rewrite(draw, text)
            window.file_commands.file_watcher.poll()
            while window.jobs.is_running("watch"):
                QApplication.processEvents()

    assert window.notices.notice_texts() == {}


# ---------------------------------------------------------------- adding and removing files


def entries(window: MainWindow, title: str) -> list[str]:
    """The entries of a submenu of the File menu."""
    (menu,) = [m for m in window.findChildren(QMenu) if without_mnemonic(m.title()) == title]
    return [without_mnemonic(action.text()) for action in menu.actions() if menu.isEnabled()]


def test_files_are_added_and_removed(
    window: MainWindow, draw: Draw, open_file: OpenFile, qtbot: QtBot
) -> None:
    """Added files are further parts of the profile; removing them restores it."""
    open_file(draw("main 1\nf 2", "callgrind.out.7"))
    window.navigation.select_function(number(window, "f"))
    alone = entries(window, "Remove Files")
    other = draw("main 10\ng 20", "callgrind.out.8")
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        window.file_commands.add([other, other])
    process_events()
    added = window.status_bar.total.text(), window.status_bar.parts.text(), active(window)
    both = entries(window, "Remove Files")
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        window.file_commands.remove_file(other)
    process_events()

    assert (alone, both) == ([], ["callgrind.out.7", "callgrind.out.8"])
    assert added == ("Total Instruction Fetch: 33", "2 parts", "f")
    assert window.status_bar.total.text() == "Total Instruction Fetch: 3"
    assert entries(window, "Remove Files") == []


def test_many_files_are_stored_at_once(window: MainWindow, draw: Draw, open_file: OpenFile) -> None:
    """With 60 files open, the settings are written once, and the menus stay short."""
    paths = [draw("main 1", f"callgrind.out.{number}") for number in range(1, 61)]
    stored: list[int] = []
    window.settings.changed.connect(lambda: stored.append(1))
    open_file(*paths)
    window.file_commands.remember_opened()

    assert window.settings.recent_files == paths[:-11:-1]
    assert len(stored) <= 2  # one more write for the state of the program
    assert entries(window, "Remove Files")[-2:] == ["callgrind.out.50", "10 More Files"]


def test_adding_an_open_file(window: MainWindow, draw: Draw, open_file: OpenFile) -> None:
    """A file is never counted twice; the status bar says that it is already open."""
    path = draw("main 1")
    open_file(path)
    window.file_commands.add([path])

    assert not window.session.is_opening
    assert window.statusBar().currentMessage() == "This file is already open."


def test_file_actions_are_disabled_while_opening(
    window: MainWindow, draw: Draw, open_file: OpenFile, qtbot: QtBot
) -> None:
    """While a file is read, actions that would reopen the old files are disabled."""
    names = "add", "reload"
    open_file(draw("main 1", "callgrind.out.7"), draw("main 2", "callgrind.out.8"))
    allowed = [window.actions_[name].isEnabled() for name in names]
    with qtbot.waitSignal(window.session.ended):
        window.open([draw("main 3", "callgrind.out.9")])
        meanwhile = [window.actions_[name].isEnabled() for name in names]
        entries_meanwhile = entries(window, "Remove Files")
        window.session.cancel()

    assert (allowed, meanwhile, entries_meanwhile) == ([True] * 2, [False] * 2, [])
    assert [window.actions_[name].isEnabled() for name in names] == [True] * 2
    assert entries(window, "Remove Files") == ["callgrind.out.7", "callgrind.out.8"]


def test_unreadable_file_among_several(
    window: MainWindow, draw: Draw, qtbot: QtBot, tmp_path: Path
) -> None:
    """If one of several files cannot be read, it is named, and a button opens the rest."""
    first, second = draw("main 1", "callgrind.out.7"), draw("main 2", "callgrind.out.8")
    gone = tmp_path / "gone"
    with qtbot.waitSignal(window.session.ended):
        window.open([first, gone, second])
    (said,) = window.notices.notice_texts().values()
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        press(window, "Open Other Files")
    with qtbot.waitSignal(window.session.ended):
        window.file_commands.add([gone])
    process_events()

    assert said.startswith(f"{gone} cannot be read: No such file or directory.")
    assert window.status_bar.total.text() == "Total Instruction Fetch: 3"
    texts = [button.text() for button in window.notices.findChildren(QPushButton)]
    assert "Open Other Files" not in texts  # they are open


def test_a_file_that_takes_much_memory_is_opened_if_the_user_agrees(
    window: MainWindow, draw: Draw, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The notice says how much, a button opens it, and reloading does not ask again."""
    monkeypatch.setattr(files, "_chosen", [files.MemoryLimit(10)])
    path = draw("main 7", "callgrind.out.7")
    with qtbot.waitSignal(window.session.ended):
        window.open([path])
    (said,) = window.notices.notice_texts().values()
    assert said.startswith(f"{path} takes about ")
    assert said.endswith(" of memory, more than the 0 MB that it may.")
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        press(window, "Open Anyway")
    assert window.status_bar.total.text() == "Total Instruction Fetch: 7"
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        window.file_commands.reload()
    assert "Open Anyway" not in [b.text() for b in window.notices.findChildren(QPushButton)]


def test_adding_without_a_profile_opens(window: MainWindow, draw: Draw, qtbot: QtBot) -> None:
    """Without an open profile, Add opens the file together with its sibling parts."""
    run = draw("main 1", "callgrind.out.7")
    draw("main 2", "callgrind.out.7.1")
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        window.file_commands.add([run])

    assert window.status_bar.parts.text() == "2 parts"


# ---------------------------------------------------------------- folders and windows


@ignore_offscreen_warnings
def test_a_folder_offers_its_profiles(
    window: MainWindow, draw: Draw, qtbot: QtBot, tmp_path: Path
) -> None:
    """Opening a folder lists its profiles; the chosen ones are opened."""
    for run in (7, 8, 9):
        draw(f"cmd: ./prog {run}\nmain {run}", f"callgrind.out.{run}")
        os.utime(tmp_path / f"callgrind.out.{run}", (run, run))
    draw("main 1", "callgrind.out.8.1")
    os.utime(tmp_path / "callgrind.out.8.1", (8, 8))
    window.open([tmp_path])
    qtbot.waitUntil(lambda: bool(window.findChildren(FolderDialog)))
    (dialog,) = window.findChildren(FolderDialog)
    shown = dump_rows(dialog.model, 0, 1)
    click_row(dialog.table, 1)
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        dialog.buttons.button(QDialogButtonBox.StandardButton.Open).click()

    assert shown == [
        "callgrind.out.9 | ./prog 9",
        "callgrind.out.8  (+1) | ./prog 8",
        "callgrind.out.7 | ./prog 7",
    ]
    assert window.status_bar.total.text() == "Total Instruction Fetch: 9"
    assert window.notices.notice_texts() == {"information": "Opened 2 parts of one run."}


@ignore_offscreen_warnings
def test_adding_a_folder(
    window: MainWindow, draw: Draw, open_file: OpenFile, qtbot: QtBot, tmp_path: Path
) -> None:
    """Profiles chosen from an added folder join the open file instead of replacing it."""
    (tmp_path / "runs").mkdir()
    open_file(draw("main 1"))
    draw("main 2", "runs/callgrind.out.2")
    window.file_commands.add([tmp_path / "runs"])
    qtbot.waitUntil(lambda: bool(window.findChildren(FolderDialog)))
    (dialog,) = window.findChildren(FolderDialog)
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        dialog.accept()

    assert window.status_bar.total.text() == "Total Instruction Fetch: 3"


def test_folder_without_profiles(
    window: MainWindow, draw: Draw, open_file: OpenFile, qtbot: QtBot, tmp_path: Path
) -> None:
    """A folder without profiles is an error in a sentence; the open profile stays."""
    open_file(draw(BEFORE))
    folder = tmp_path / "empty"
    folder.mkdir()
    window.open([folder])
    qtbot.waitUntil(lambda: "error" in window.notices.notice_texts())

    assert window.notices.notice_texts()["error"] == f"{folder} contains no profiles."
    assert functions(window) == ["main", "f", "g"]


def test_one_window_per_profile(window: MainWindow, draw: Draw, open_file: OpenFile) -> None:
    """With this setting the first profile fills the empty window, later ones request their own."""
    window.settings.opens_in = OpensIn.NEW
    wanted: list[list[Path]] = []
    window.file_commands.window_requested.connect(wanted.append)
    open_file(draw(BEFORE))
    other = draw(AFTER, "callgrind.out.2")
    window.open([other])
    window.actions_["reload"].trigger()

    assert wanted == [[other]]
    assert window.session.is_opening
