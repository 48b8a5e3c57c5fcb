"""Several windows, open requests of the desktop, and the single-instance mode."""

from __future__ import annotations

import gc
import json
import os
import socket as sockets
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QFileOpenEvent, QGuiApplication, QKeySequence
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.app.desktop import single_instance
from qcachegrind_py.app.desktop.application import Application
from qcachegrind_py.app.desktop.single_instance import SingleInstance, socket_name
from qcachegrind_py.app.welcome.page import WelcomePage
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.app.windows import Windows
from qcachegrind_py.profile.errors import NotAProfile, UnreadableFile
from qcachegrind_py.session.settings.store import OpensIn, Settings
from qcachegrind_py.session.start_files import ChosenBase
from qcachegrind_py.views.tables.table_actions import SAVE_SLOT
from tests.patience import PATIENCE
from tests.user_input import ignore_offscreen_warnings, process_events

Draw = Callable[..., Path]
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def windows(qapp: QApplication, settings: Settings) -> Iterator[Windows]:
    """The window manager without a window; all windows are closed afterwards."""
    windows = Windows()
    yield windows
    windows.close_all()
    process_events()


def totals(windows: Windows) -> list[str]:
    return [window.status_bar.total.text() for window in windows.windows]


def ended(window: MainWindow) -> bool:
    return not window.session.is_opening and window.session.queries is not None


def test_desktop_request_replaces_no_profile(windows: Windows, draw: Draw, qtbot: QtBot) -> None:
    """The desktop's file fills an empty window, else it opens in another one."""
    first, second = draw("main 1", "callgrind.out.1"), draw("main 2", "callgrind.out.2")
    windows.add_window()
    windows.open_files([first])
    qtbot.waitUntil(lambda: ended(windows.windows[0]))
    windows.open_files([second])
    qtbot.waitUntil(lambda: len(windows.windows) == 2 and ended(windows.windows[1]))

    assert totals(windows) == [
        "Total Instruction Fetch: 1",
        "Total Instruction Fetch: 2",
    ]
    assert windows.windows[0].pos() != windows.windows[1].pos()


def test_single_window_shows_all_requests(windows: Windows, draw: Draw, qtbot: QtBot) -> None:
    """With a single window, no request opens a second one."""
    Settings().opens_in = OpensIn.ONE
    windows.add_window([draw("main 1", "callgrind.out.1")])
    qtbot.waitUntil(lambda: ended(windows.windows[0]))
    windows.open_files([draw("main 2", "callgrind.out.2")])
    qtbot.waitUntil(lambda: totals(windows) == ["Total Instruction Fetch: 2"])


def test_functions_have_the_keyboard_after_the_start(
    windows: Windows, draw: Draw, qtbot: QtBot
) -> None:
    """A window that opens a file shows no welcome page; its functions get the focus."""
    window = windows.add_window([draw("main 1")])
    qtbot.waitUntil(lambda: ended(window))

    assert window.findChildren(WelcomePage) == []
    assert window.focusWidget() is window.views.function_list.initial_focus


def test_a_window_appears_with_its_profile(windows: Windows, draw: Draw, qtbot: QtBot) -> None:
    """The first thing to be seen is the list of functions, not an empty window before it."""
    window = windows.add_window([draw("main 1")])
    shown: list[tuple[bool, int]] = []
    window.session.opened.connect(
        lambda _queries: shown.append(
            (window.isVisible(), window.views.function_list.model.rowCount())
        )
    )
    before = window.isVisible()
    qtbot.waitUntil(lambda: bool(shown))

    assert (before, shown) == (False, [(True, 1)])


def test_a_window_appears_if_its_file_cannot_be_read(
    windows: Windows, tmp_path: Path, qtbot: QtBot
) -> None:
    """It shows the welcome page, and the notice with the reason."""
    window = windows.add_window([tmp_path / "missing"])
    qtbot.waitUntil(window.isVisible)

    assert len(window.findChildren(WelcomePage)) == 1
    assert list(window.notices.notice_texts()) == ["error"]


def test_a_closed_window_leaves_the_others(windows: Windows, draw: Draw, qtbot: QtBot) -> None:
    """Close Window closes one; the others keep their profiles."""
    first = windows.add_window([draw("main 1", "callgrind.out.1")])
    first.actions_["new_window"].trigger()
    windows.windows[1].open([draw("main 2", "callgrind.out.2")])
    qtbot.waitUntil(lambda: all(map(ended, windows.windows)))
    first.actions_["close"].trigger()
    process_events()

    assert totals(windows) == ["Total Instruction Fetch: 2"]
    windows.windows[0].actions_["reload"].trigger()
    qtbot.waitUntil(lambda: ended(windows.windows[0]))


def test_a_closed_window_keeps_no_profile(windows: Windows, draw: Draw, qtbot: QtBot) -> None:
    """A closed window frees its profile, however many windows there were."""
    windows.add_window()
    windows.add_window([draw("main 1")])
    qtbot.waitUntil(lambda: ended(windows.windows[1]))
    kept = weakref.ref(windows.windows[1].session.queries)
    windows.windows[1].close()
    qtbot.waitUntil(lambda: _is_gone(kept))


def _is_gone(kept: weakref.ref[ProfileQueries | None]) -> bool:
    gc.collect()
    return kept() is None


def test_quit_closes_all_windows(windows: Windows) -> None:
    """Quit closes every window."""
    windows.add_window()
    windows.add_window()
    windows.windows[0].actions_["quit"].trigger()

    assert windows.windows == []


def test_quit_can_be_refused(
    windows: Windows, draw: Draw, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the user keeps a file being written, all windows stay open, and it is completed."""
    asked: list[str] = []

    def answer(box: QMessageBox) -> int:
        role = QMessageBox.ButtonRole.AcceptRole if asked[1:] else QMessageBox.ButtonRole.RejectRole
        asked.append(box.text())
        next(b for b in box.buttons() if box.buttonRole(b) == role).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", answer)
    windows.add_window()
    windows.add_window([draw("main 1")])
    qtbot.waitUntil(lambda: ended(windows.windows[1]))
    busy, goes_on = windows.windows[1], threading.Event()
    for slot in ("save", "report", SAVE_SLOT):
        busy.jobs.start(slot, lambda _progress: goes_on.wait(20))
    busy.actions_["quit"].trigger()  # no
    kept = len(windows.windows), busy.jobs.is_running("save")
    busy.close()  # no
    busy.jobs.cancel("save")
    windows.windows[0].actions_["quit"].trigger()  # yes
    goes_on.set()

    assert (kept, windows.windows) == ((2, True), [])
    saving, report = "The profile is still being saved.", "The report is still being written."
    assert asked == [saving, saving, report, "A table is still being saved."]


def test_desktop_request_stops_no_opening(windows: Windows, draw: Draw, qtbot: QtBot) -> None:
    """Two files requested in sequence, as by macOS, open in two windows."""
    windows.add_window()
    windows.open_files([draw("main 1", "callgrind.out.1")])
    windows.open_files([draw("main 2", "callgrind.out.2")])
    qtbot.waitUntil(lambda: len(windows.windows) == 2 and all(map(ended, windows.windows)))

    assert sorted(totals(windows)) == [
        "Total Instruction Fetch: 1",
        "Total Instruction Fetch: 2",
    ]


def test_the_window_used_last_is_filled(windows: Windows, draw: Draw, qtbot: QtBot) -> None:
    """Without the focus, the program fills the window used last, not the newest one."""
    used, _newest = windows.add_window(), windows.add_window()
    QGuiApplication.instance().focusWindowChanged.emit(used.windowHandle())
    QGuiApplication.instance().focusWindowChanged.emit(None)
    windows.open_files([draw("main 1")])
    qtbot.waitUntil(lambda: ended(used))

    assert used.status_bar.total.text() == "Total Instruction Fetch: 1"


def test_keys_changed_in_one_window_hold_in_the_others(windows: Windows, qtbot: QtBot) -> None:
    """A window has the user's keys when it is used next, not only after a restart."""
    one, other = windows.add_window(), windows.add_window()
    qtbot.waitExposed(other)
    (entry,) = [each for each in other.shortcuts.entries if each.action is other.actions_["up"]]
    other.shortcuts.set_key(entry, QKeySequence("Ctrl+Alt+Y"))
    before = one.actions_["up"].shortcut()
    QGuiApplication.instance().focusWindowChanged.emit(one.windowHandle())

    assert before != QKeySequence("Ctrl+Alt+Y")
    assert one.actions_["up"].shortcut() == QKeySequence("Ctrl+Alt+Y")


def test_macos_open_event(qapp: QApplication, tmp_path: Path) -> None:
    """The event by which macOS opens files passes a path on."""
    said: list[list[Path]] = []

    class Heard:
        file_opened = type("Signal", (), {"emit": staticmethod(said.append)})()

    event = QFileOpenEvent(QUrl.fromLocalFile(str(tmp_path / "ü & 1")))
    taken = Application.event(Heard(), event)  # type: ignore[arg-type]  # there is but one application

    assert (taken, said) == (True, [[tmp_path / "ü & 1"]])


# ---------------------------------------------------------------- the single window


@pytest.fixture
def meeting_place(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A socket for this test's programs only; below `tmp_path`, its path would be too long."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield socket_name()


_HAND_OVER = f"""
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from qcachegrind_py.app.desktop import single_instance
single_instance._TIMEOUT_MS = {round(PATIENCE * 1000)}
application = QCoreApplication([])
sys.exit(0 if single_instance.send_to_running([Path(name) for name in sys.argv[1:]]) else 3)
"""


def start_another(*names: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", _HAND_OVER, *names], env=os.environ)


@pytest.mark.usefixtures("meeting_place")
def test_second_start_sends_its_files(qtbot: QtBot, tmp_path: Path) -> None:
    """Paths arrive complete and absolute; without a listener, the sender knows."""
    alone = start_another("x").wait()
    one = SingleInstance()
    listens = one.listen()
    with qtbot.waitSignal(one.files_received) as heard:
        started = start_another(str(tmp_path / "ü 'x'\n"), "relative")
    qtbot.waitUntil(lambda: started.poll() is not None)
    # a temporary file of the sender
    passing = start_another("/tmp/qcachegrind_py-x/standard input").wait()

    assert (alone, listens, started.returncode, passing) == (3, True, 0, 3)
    assert heard.args == [[tmp_path / "ü 'x'\n", Path.cwd() / "relative"]]


def test_invalid_messages_open_nothing(qtbot: QtBot, meeting_place: str) -> None:
    """Anything but a list of paths opens nothing."""
    one = SingleInstance()
    one.listen()
    said: list[object] = []
    one.files_received.connect(said.append)
    for message in (
        b"\xff\n",
        b"[1]\n",
        b'{"a": 1}\n',
        b'["relative"]\n',
        b'["/good", "relative"]\n',
        b'["/good", null]\n',
        b'["/good"]',  # and no line end
        b'["/good"] ["/good"]\n',
        b"9" * 10_000 + b"\n",
        b"[" * 100_000 + b"\n",
        b"x" * (single_instance._MAX_MESSAGE_BYTES + 2) + b"\n",
    ):
        socket = QLocalSocket()
        socket.connectToServer(meeting_place)
        assert socket.waitForConnected(round(PATIENCE * 1000))
        socket.write(message)
        socket.flush()
        qtbot.waitUntil(lambda socket=socket: _sent(socket))
        socket.abort()

    assert said == []


@pytest.mark.parametrize(
    "path", ["/a\0b", "/\ud800", "/dev/zero", "/proc/self/mem", "/" + "x" * 5000, "/\x1b[2J\u202e"]
)
def test_paths_of_a_message_are_only_read(
    qtbot: QtBot, meeting_place: str, windows: Windows, path: str
) -> None:
    """What comes through the socket is opened as if the user had chosen it, or said to be wrong."""
    one = SingleInstance()
    one.listen()
    one.files_received.connect(windows.open_files)
    window = windows.add_window()
    socket = QLocalSocket()
    socket.connectToServer(meeting_place)
    assert socket.waitForConnected(round(PATIENCE * 1000))
    with qtbot.waitSignal(window.session.failed) as failed:
        socket.write(json.dumps([path]).encode() + b"\n")
        socket.flush()
    qtbot.waitUntil(socket.canReadLine)
    with qtbot.waitSignal(socket.disconnected):
        socket.disconnectFromServer()
    process_events()

    (error,) = failed.args
    assert isinstance(error, UnreadableFile | NotAProfile)
    assert window.session.queries is None


def _sent(socket: QLocalSocket) -> bool:
    return socket.bytesToWrite() == 0 or not socket.isValid()


def test_a_second_program_does_not_listen(meeting_place: str) -> None:
    """The first program keeps the socket, unless it crashed."""
    Path(meeting_place).write_bytes(b"")  # as left by a crashed program
    first, second = SingleInstance(), SingleInstance()

    assert (first.listen(), second.listen()) == (True, False)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_only_the_user_reaches_the_socket(meeting_place: str) -> None:
    """Nobody else may connect, which takes the right to write to the socket."""
    one = SingleInstance()
    one.listen()

    assert Path(meeting_place).stat().st_mode & 0o077 == 0


_NOBODY = 65534
_OF_ANOTHER_USER = f"""
import os
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from PySide6.QtNetwork import QLocalServer
from qcachegrind_py.app.desktop.single_instance import SingleInstance, send_to_running
os.setgroups([])
os.setgid({_NOBODY})
os.setuid({_NOBODY})
application = QCoreApplication([])
if sys.argv[1] == "send":
    sys.exit(0 if send_to_running([Path("/x")]) else 3)
one = SingleInstance()
one.files_received.connect(lambda paths: print(paths, flush=True))
print(one.listen(), flush=True)
application.exec()
"""


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root can be two users"
)
def test_two_users_do_not_meet(meeting_place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even root, who may connect to any socket, passes files to another user's program.

    Each start here finds the other user's folder in its environment, as after `su`.
    """
    folder = Path(meeting_place).parent
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    command = [sys.executable, "-c", _OF_ANOTHER_USER]
    own = SingleInstance()
    assert own.listen()
    assert subprocess.run([*command, "send"]).returncode == 3

    os.chown(folder, _NOBODY, _NOBODY)
    Path(meeting_place).unlink()
    with subprocess.Popen([*command, "listen"], stdout=subprocess.PIPE) as theirs:
        assert theirs.stdout is not None
        listens = theirs.stdout.readline()
        is_sent = single_instance.send_to_running([Path("/tmp/callgrind.out.1")])
        joins = SingleInstance().listen()
        theirs.kill()
        received = theirs.stdout.read()

    assert (listens, is_sent, joins, received) == (b"True\n", False, False, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
@pytest.mark.parametrize("mode", [0o770, 0o1777])
def test_no_socket_where_others_may_write(
    meeting_place: str, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    """Somebody else's socket there would take the files, and no window would show them."""
    folder = Path(meeting_place).parent
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    folder.chmod(mode)
    assert socket_name() == ""
    assert not SingleInstance().listen()
    assert not single_instance.send_to_running([Path("/tmp/callgrind.out.1")])


@pytest.mark.skipif(not hasattr(sockets, "AF_UNIX"), reason="this system has no such sockets")
def test_a_program_that_does_not_answer_delays_no_start(
    meeting_place: str, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """A start that gets no answer opens its files itself."""
    monkeypatch.setattr(single_instance, "_TIMEOUT_MS", 50)
    with sockets.socket(sockets.AF_UNIX) as silent:
        silent.bind(meeting_place)
        silent.listen()
        assert not single_instance.send_to_running([Path("/tmp/callgrind.out.1")])


def test_a_window_with_a_base_knows_its_program(
    windows: Windows, draw: Callable[..., Path], qtbot: QtBot, tmp_path: Path
) -> None:
    """The program of the base is chosen before its profile is read, and stays chosen."""
    base = ChosenBase((draw("main 1", "old"),), str(tmp_path / "app"))
    window = windows.add_window([draw("main 2", "new")], base=base)
    qtbot.waitUntil(lambda: window.session.comparison is not None)
    assert window.navigation.context.base_programs == (("", str(tmp_path / "app")),)
