"""Fixtures shared by all tests: isolated settings, a thread leak check, sessions and windows."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from coverage import Coverage
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSettings
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.desktop.application import collect_garbage
from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings
from tests.patience import PATIENCE, PatientQtBot
from tests.profile_text import write_profile_text
from tests.user_input import begin_at_main, process_events

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("LC_ALL", "C.UTF-8")

# Tests share the processor, so the time that an example takes means nothing.
hypothesis.settings.register_profile(
    "any speed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any speed")

_TESTS = Path(__file__).parent
_WITH_WINDOWS = ("app", "journeys", "views")  # folders of tests/
_OF_THE_WHOLE_PROGRAM = ("faults", "fuzz", "monkey", "proof")
_NOWHERE = f"{os.devnull}/settings"  # nothing can be created below a device


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need the window or a view; `-m "not window"` leaves them out.

    Coverage is measured where it is cheap, as before Python 3.12 tracing takes half as long again
    as the test: not in slow tests nor in those of the whole program, whose code has quicker tests
    of its own, and in the first case of a parametrised test.
    """
    measured: set[str] = set()
    for item in items:
        folder = item.path.relative_to(_TESTS).parts[0]
        test = item.nodeid.partition("[")[0]
        if item.get_closest_marker("slow") or folder in _OF_THE_WHOLE_PROGRAM or test in measured:
            item.add_marker("unmeasured")
        measured.add(test)
        if folder in _WITH_WINDOWS or "window" in getattr(item, "fixturenames", ()):
            item.add_marker("window")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Measure no coverage in some tests, nor in what their fixtures do."""
    coverage = Coverage.current() if item.get_closest_marker("unmeasured") else None
    if coverage is not None:
        coverage.stop()
    try:
        return (yield)
    finally:
        if coverage is not None:
            coverage.start()


def _destroy(object_: QObject) -> None:
    """Delete a Qt object now, without waiting for the event loop."""
    object_.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    """Fail a test that leaves a Python thread running, such as a job in a pool's thread."""
    before = set(sys._current_frames())
    yield
    deadline = time.monotonic() + PATIENCE  # for a cancelled job to end
    while (left := set(sys._current_frames()) - before) and time.monotonic() < deadline:
        time.sleep(0)
    assert set() == left, "a thread was left at work"


@pytest.fixture(autouse=True, scope="session")
def _programs_start_with_default_signals() -> None:
    """Ignore signals in a way that programs do not inherit, where `nohup` or `&` ignores them."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda _number, _frame: None)


@pytest.fixture(autouse=True)
def _no_test_hangs() -> Iterator[None]:
    """Fail a test that waits for a minute; one that computes that long may go on."""
    if sys.platform == "win32":
        yield
        return
    computed = time.process_time()

    def check(_signal: int, _frame: object) -> None:
        nonlocal computed
        before, computed = computed, time.process_time()
        assert computed - before > PATIENCE / 10, f"the test has waited for {PATIENCE:g} seconds"

    signal.signal(signal.SIGALRM, check)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE, PATIENCE)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.fixture(autouse=True, scope="session")
def _no_automatic_collection() -> None:
    """Leave cyclic garbage to the time between two tests, as the window does between events."""
    gc.disable()
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_window_left() -> Iterator[None]:
    """Fail a test that leaves a window on the screen, where it takes the mouse of later tests."""
    yield
    if QApplication.instance() is not None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        left = [window for window in QGuiApplication.topLevelWindows() if window.isVisible()]
        names = [window.objectName() for window in left]
        for window in left:
            window.close()
        assert names == [], "a window was left on the screen"
    collect_garbage()


@pytest.fixture(autouse=True, scope="session")
def _no_picture_left_on_the_clipboard() -> Iterator[None]:
    """Clear the clipboard at the end: offscreen Qt crashes at exit while it holds a picture."""
    yield
    if QApplication.instance() is not None:
        QApplication.clipboard().clear()


def _keep_settings_in(folder: str) -> None:
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, folder)


@pytest.fixture(autouse=True, scope="session")
def _user_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests, and the programs they start, away from the user's own files.

    `Settings()` in a test that does not request `settings` cannot be stored, so no test finds
    another test's settings.
    """
    _keep_settings_in(_NOWHERE)
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as environment:
        for kind in ("CONFIG", "DATA", "STATE"):
            environment.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
        yield


@pytest.fixture
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings of this test alone; `Settings()` reads and writes the same file."""
    # Beside `tmp_path`, which has only what the test makes; a random name, as a numbered one
    # makes pytest read the whole folder.
    folder = tempfile.mkdtemp(prefix="settings-", dir=tmp_path_factory.getbasetemp())
    _keep_settings_in(folder)
    yield Settings()
    _keep_settings_in(_NOWHERE)


@pytest.fixture
def draw(tmp_path: Path) -> Callable[..., Path]:
    """Write profile text to a file: `draw(text)`, `draw(text, "callgrind.out.7")`."""
    return lambda drawing, name="callgrind.out.1": write_profile_text(tmp_path, drawing, name)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """The `qtbot` of pytest-qt, with patience for a busy machine."""
    return PatientQtBot(request)


@pytest.fixture
def jobs(qapp: QApplication) -> Iterator[JobRunner]:
    """A job runner that is stopped after the test."""
    jobs = JobRunner()
    yield jobs
    jobs.stop()
    _destroy(jobs)


@pytest.fixture
def session(jobs: JobRunner) -> Iterator[Session]:
    """A session without a window, before its first profile."""
    session = Session(jobs)
    yield session
    _destroy(session)


@pytest.fixture
def navigation(session: Session) -> Navigation:
    """The navigation of the session."""
    return session.navigation


@pytest.fixture
def open_profile(qtbot: QtBot, session: Session, navigation: Navigation) -> Callable[..., None]:
    """Open files in the session, begin at main, and wait until all changes are announced."""

    def open_profile(*paths: Path, own_parts: bool = True) -> None:
        with qtbot.waitSignals([session.opened, navigation.changed, session.ended]):
            session.open(paths, with_siblings=own_parts)
        begin_at_main(session)

    return open_profile


@pytest.fixture
def window(qtbot: QtBot, settings: Settings) -> Iterator[MainWindow]:
    """The window as `start` creates it, shown and active, with no profile open."""
    theme.apply_palette(dark=False)
    window = MainWindow(settings)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield window
    window.close()
    _destroy(window)


@pytest.fixture
def open_file(window: MainWindow, qtbot: QtBot) -> Callable[..., None]:
    """Open files in the window, begin at main, and wait until they and their run are known."""

    def open_file(*paths: Path, own_parts: bool = True, at_main: bool = True) -> None:
        signals = [window.session.opened, window.navigation.changed, window.session.ended]
        with qtbot.waitSignals(signals):
            window.open(paths, with_siblings=own_parts)
        qtbot.waitUntil(lambda: not window.jobs.is_running("run files"))
        if at_main:
            begin_at_main(window.session)

    return open_file


@pytest.fixture
def restarted_window(window: MainWindow, qtbot: QtBot) -> Iterator[Callable[..., MainWindow]]:
    """Close the window, and open another with the same settings and optionally a file."""
    made: list[MainWindow] = []

    def restarted_window(*paths: Path) -> MainWindow:
        (made[-1] if made else window).close()
        again = MainWindow(Settings())
        made.append(again)
        again.show()
        if paths:
            with qtbot.waitSignals([again.session.ended, again.navigation.changed]):
                again.open(paths)
        process_events()
        qtbot.waitUntil(lambda: not again.jobs.is_running("groups"))
        process_events()
        return again

    yield restarted_window
    for again in made:
        again.close()
        again.deleteLater()
