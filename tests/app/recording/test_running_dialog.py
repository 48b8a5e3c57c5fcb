"""The dialog of running programs, with a drawn /proc and a stand-in for vgdb."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.recording import running_dialog
from qcachegrind_py.app.recording.running_dialog import RunningDialog, RunningProgramModel
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.tools.valgrind.running_programs import RunningProgram, find_running_programs
from tests.drawn_proc import DrawnProc
from tests.profile_text import dump_rows
from tests.user_input import (
    LEFT,
    WindowUser,
    active_name,
    go_to,
    ignore_offscreen_warnings,
    process_events,
    without_mnemonic,
)

pytestmark = [
    ignore_offscreen_warnings,
    pytest.mark.skipif(sys.platform != "linux", reason="the stand-in needs /proc"),
]
PART = """version: 1
creator: callgrind-3.19.0
pid: {pid}
cmd: ./sort
part: {number}
events: Ir
fn=main
1 {number}0
fn=sort
2 {number}
totals: {number}{number}
"""
VGDB = """#!{python} -SE
import os, sys
pid, words = sys.argv[1].partition("=")[2], sys.argv[3:]
with open("{folder}/asked", "a") as log:
    print(pid, *words, file=log)
if os.path.exists("{folder}/deaf"):
    sys.exit(1)
if words[0] == "dump" and not os.path.exists("{folder}/elsewhere"):
    number = 1
    while os.path.exists(name := f"{folder}/callgrind.out.{{pid}}.{{number}}"):
        number += 1
    with open(name, "w") as part:
        part.write('''{part}'''.replace("<pid>", pid).replace("<number>", str(number)))
elif words[0] == "status":
    on = os.path.exists("{folder}/paused")
    print("instrumentation:", "off" if on else "on")
    print("events: Ir\\nthreads: 1\\ncurrent-tid: 1\\nevents-1: 12345")
    print("function-1-0: main\\ncalls-1-0: 1\\nfunction-1-2: sort")
elif words[0] == "instrumentation":
    open("{folder}/paused", "w") if words[1] == "off" else os.remove("{folder}/paused")
"""


class User(WindowUser):
    """A user who looks at programs that run elsewhere."""

    def __init__(self, window: MainWindow, folder: Path, qtbot: QtBot) -> None:
        super().__init__(window, qtbot)
        self.folder, self.proc = folder, DrawnProc(folder)
        window.resize(1280, 800)

    def start(
        self, pid: int, *command: str, seconds: float = 10, takes_commands: bool = True
    ) -> None:
        """Start a program elsewhere; callgrind creates its files."""
        shared = self.folder / f"p-shared-mem-vgdb-{pid}-by-me-on-host"
        (self.folder / f"callgrind.out.{pid}").touch()
        if takes_commands:
            shared.touch()
        self.proc.add(pid, "valgrind", *command, shared=str(shared), seconds=seconds)

    def show(self) -> None:
        """Open the dialog, and wait for the programs."""
        self.window.actions_["running"].trigger()
        self.refresh()

    def refresh(self) -> None:
        """Wait until the list is up to date."""
        jobs = self.window.jobs
        self.wait(lambda: not jobs.is_running(running_dialog.RUNNING_JOB))
        self.dialog.refresh()
        self.wait(lambda: not jobs.is_running(running_dialog.RUNNING_JOB))

    @property
    def dialog(self) -> RunningDialog:
        assert self.window.running.dialog is not None
        return self.window.running.dialog

    def dump(self) -> None:
        """Dump, and wait until the part is shown."""
        before = self.window.session.queries
        self.click(self.dialog.panel.dump)
        self.wait(lambda: self.window.session.queries is not before)
        self.wait(lambda: not self.window.session.is_opening)

    @property
    def shown_files(self) -> list[str]:
        return [path.name for path in self.window.file_commands.open_files]


@pytest.fixture
def user(window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> User:
    user = User(window, tmp_path, qtbot)
    vgdb, part = tmp_path / "bin" / "vgdb", PART.format(pid="<pid>", number="<number>")
    vgdb.parent.mkdir()
    vgdb.write_text(VGDB.format(python=sys.executable, folder=tmp_path, part=part))
    vgdb.chmod(0o755)
    monkeypatch.setenv("PATH", f"{vgdb.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(
        running_dialog, "find_running_programs", lambda: find_running_programs(user.proc.folder)
    )
    return user


def test_what_is_shown_of_programs(user: User) -> None:
    """The list has all programs; below are profile, state and call stack of the chosen one."""
    user.start(7, "./sort", "a b", seconds=70)
    user.start(8, "grep", takes_commands=False)
    user.show()
    dialog, table = user.dialog, user.dialog.table
    first = dialog.panel.state.text(), dialog.panel.dump.isEnabled()
    QTest.keyClick(table, Qt.Key.Key_Down)
    user.wait(lambda: "Ir" in dialog.panel.state.text())

    assert dump_rows(dialog.model, 0, 1, 2) == [
        "grep | 8 | 10 s",
        "./sort 'a b' | 7 | 1:10 min",
    ]
    assert first == (
        "It takes no commands: it was forked, runs in a container, or was started with --vgdb=no.",
        False,
    )
    assert dialog.profile.text() == str(user.folder / "callgrind.out.7")
    assert dialog.panel.state.text() == "counting · 12.35 k Ir"
    assert dialog.stack.text() == "sort ← main"


def test_a_dump_opens_and_the_next_one_is_added(user: User) -> None:
    """The run opens with its first part; the next part is read with it, at the same place."""
    user.start(7, "./sort")
    user.show()
    user.dump()
    first, message = user.shown_files, user.dialog.message.text()
    place = user.window.session, user.window.navigation
    go_to(*place, "sort")
    user.dump()

    assert (first, message) == (["callgrind.out.7.1"], "sort has written callgrind.out.7.1.")
    assert user.shown_files == ["callgrind.out.7.1", "callgrind.out.7.2"]
    assert active_name(*place) == "sort"
    assert user.window.session.paths == (user.folder / "callgrind.out.7",)
    assert user.dialog.isVisible()


def test_a_dump_replaces_another_profile_and_joins_what_the_user_put_together(
    user: User, open_file: Callable[..., None]
) -> None:
    """The profile of another run gives way, unless the user added it to a part of this one."""
    other = user.folder / "callgrind.out.3"
    other.write_text(PART.format(pid=3, number=1))
    open_file(other)
    user.start(7, "./sort")
    user.show()
    user.dump()
    alone = user.shown_files
    user.window.file_commands.add([other])
    user.wait(lambda: len(user.shown_files) == 2)
    user.dump()

    assert alone == ["callgrind.out.7.1"]
    assert user.shown_files == ["callgrind.out.7.1", "callgrind.out.3", "callgrind.out.7.2"]


def test_the_program_of_the_open_profile_is_chosen(
    user: User, open_file: Callable[..., None]
) -> None:
    """Who looks at a run wants its next part, whatever else runs."""
    user.start(7, "./sort", seconds=99)
    user.start(8, "grep", seconds=1)
    part = user.folder / "callgrind.out.7.1"
    part.write_text(PART.format(pid=7, number=1))
    open_file(part)
    user.show()

    assert user.dialog.table.currentIndex().row() == user.dialog.model.row_of(7) == 1


def test_requests_reach_the_program(user: User) -> None:
    """Reset and pause are sent as they are pressed; what counts is what callgrind replies."""
    user.start(7, "./sort")
    user.show()
    panel = user.dialog.panel
    user.click(panel.zero)
    user.click(panel.pause)
    user.wait(lambda: without_mnemonic(panel.pause.text()) == "Resume")
    user.refresh()
    user.wait(lambda: panel.state.text() == "paused")
    stack = user.dialog.stack.text()
    user.click(panel.pause)
    user.wait(lambda: without_mnemonic(panel.pause.text()) == "Pause")

    requests = (user.folder / "asked").read_text().splitlines()
    assert [line for line in requests if "status" not in line] == [
        "7 zero",
        "7 instrumentation off",
        "7 instrumentation on",
    ]
    assert stack == "unknown while paused"


@pytest.mark.parametrize(
    ("obstacle", "message"),
    [
        ("deaf", "sort: The program did not respond. No part was written."),
        ("elsewhere", "sort: No new part was found in {}."),
    ],
)
def test_a_dump_that_fails_says_why(obstacle: str, message: str, user: User) -> None:
    """The dialog stays usable, and the window keeps its profile."""
    (user.folder / obstacle).touch()
    user.start(7, "./sort")
    user.show()
    user.click(user.dialog.panel.dump)
    user.wait(lambda: user.dialog.message.text().startswith("sort: "))

    assert user.dialog.message.text() == message.format(user.folder)
    assert user.dialog.panel.dump.isEnabled()
    assert user.shown_files == []


def test_a_program_that_ends(user: User) -> None:
    """Its row goes, and an empty list says how to start a program, with the command to copy."""
    user.start(7, "./sort")
    user.show()
    user.wait(lambda: user.dialog.panel.dump.isEnabled())
    shutil.rmtree(user.proc.folder / "7")
    user.refresh()
    dialog = user.dialog
    user.click(dialog.empty_page.buttons[0])
    copied = QGuiApplication.clipboard().text()
    user.click(dialog.empty_page.buttons[1])

    assert dialog.message.text() == "sort has ended."
    assert dialog.empty_page.isVisible()
    assert dialog.empty_page.label.text() == (
        "None of your programs is running under Callgrind. Start one in a terminal:\n\n"
        "valgrind --tool=callgrind ./program"
    )
    assert copied == "valgrind --tool=callgrind ./program"
    assert not dialog.panel.dump.isEnabled()
    assert user.window.recording.dialog is not None
    assert user.window.recording.dialog.isVisible()


def test_buttons_of_the_empty_list_stay(user: User) -> None:
    """A button that is pressed while the list is brought up to date still does its work."""
    user.show()
    copy = user.dialog.empty_page.buttons[0]
    QTest.mousePress(copy, LEFT)
    user.refresh()
    QTest.mouseRelease(copy, LEFT)

    assert user.dialog.empty_page.buttons[0] is copy
    assert QGuiApplication.clipboard().text() == "valgrind --tool=callgrind ./program"


def test_the_list_rests_while_it_is_hidden(user: User) -> None:
    """The timer of a hidden dialog stands still: nobody looks for programs, none is asked."""
    user.start(7, "./sort")
    user.show()
    timers = user.dialog.findChildren(QTimer, options=Qt.FindChildOption.FindDirectChildrenOnly)
    is_running = [timer.isActive() for timer in timers]
    QTest.keyClick(user.dialog, Qt.Key.Key_Escape)
    process_events()

    assert (is_running, [timer.isActive() for timer in timers]) == ([True], [False])
    assert not user.dialog.isVisible()


def test_without_vgdb_programs_are_listed(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where vgdb is missing, the dialog says what it is needed for."""
    monkeypatch.setenv("PATH", "/nowhere")
    user.start(7, "./sort")
    user.show()

    assert (user.dialog.model.rowCount(), user.dialog.panel.dump.isEnabled()) == (1, False)
    assert user.dialog.panel.state.text() == (
        "vgdb, a part of Valgrind, was not found. It is needed to control programs."
    )


def test_every_control_has_a_name_and_is_reached_by_tab(user: User) -> None:
    """The list has the keyboard focus first; Tab goes through the buttons."""
    user.start(7, "./sort")
    user.show()
    dialog, panel = user.dialog, user.dialog.panel
    user.wait(panel.dump.isEnabled)
    dialog.table.setFocus()
    reached = []
    for _ in range(5):
        widget = dialog.focusWidget()
        reached.append(widget.accessibleName() or without_mnemonic(widget.text()))
        QTest.keyClick(widget, Qt.Key.Key_Tab)

    assert reached == ["Running programs", "Dump Now", "Reset Counts", "Pause", "Close"]
    assert all(b.accessibleDescription() for b in (panel.dump, panel.zero, panel.pause))


# ---------------------------------------------------------------- rows of the list

SORT = RunningProgram(7, ("./sort", "a b", "<b>\n"), 7.9, Path("/tmp/cg.7"), None)
GREP = RunningProgram(8, ("grep",), 7505.0, Path("/tmp/cg.8"), None)


@pytest.fixture
def model(qapp: object) -> RunningProgramModel:
    model = RunningProgramModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_programs([SORT, GREP])
    return model


def test_a_row_says_which_program_it_is(model: RunningProgramModel) -> None:
    """The command as it was typed, the process, and how long it runs; all text is plain."""
    titles = [model.headerData(c, Qt.Orientation.Horizontal) for c in range(model.columnCount())]

    assert titles == ["Command", "Process", "Running For"]
    assert dump_rows(model, 0, 1, 2) == [
        r"./sort 'a b' '<b>\x0a' | 7 | 7.9 s",
        "grep | 8 | 2:05 h",
    ]
    tip = model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == (
        "<qt>./sort &#x27;a b&#x27; &#x27;&lt;b&gt;\\x0a&#x27;<br>Profile: /tmp/cg.7</qt>"
    )


def test_the_same_programs_keep_their_rows(model: RunningProgramModel) -> None:
    """As time goes on, nothing moves; a program that has ended is removed."""
    current = QPersistentModelIndex(model.index(1, 0))
    model.set_programs([replace(SORT, seconds=8.9), replace(GREP, seconds=7566.0)])
    kept = current.isValid(), dump_rows(model, 2)
    model.set_programs([GREP])

    assert kept == (True, ["8.9 s", "2:06 h"])
    assert [model.row_of(program.process) for program in (SORT, GREP)] == [-1, 0]
