"""What the window says of its settings and of the last run, beside what it says of a profile."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.crash.report import CrashReport
from qcachegrind_py.app.crash.report_dialog import CrashNotifier
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import Settings

PROFILE = "events: Ir\nfn=main\n1 10\nodd line\n"


def test_what_is_said_of_the_program_stays_when_a_profile_opens(
    tmp_path: Path,
    tomorrow: Callable[..., MainWindow],
) -> None:
    """A broken settings file is said over the profile that opens with the window; each once."""
    file = tmp_path / "broken" / "qcachegrind_py" / "qcachegrind_py.ini"
    file.parent.mkdir(parents=True)
    file.write_text("[General]\njunk\n")
    QSettings.setPath(
        QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "broken")
    )

    window = tomorrow()
    teller = CrashNotifier(window)
    teller.notify_previous_crash(
        CrashReport("Fatal", "the report", is_previous_crash=True), window.notices
    )
    before = window.notices.notice_texts()
    profile = tmp_path / "callgrind.out.1"
    profile.write_text(PROFILE)
    again = tomorrow(profile)

    assert list(before) == ["settings", "crash"]
    assert before["settings"].startswith("The settings file was broken: line 2 makes no sense.")
    assert before["crash"] == "The last time, the program was ended by a crash."
    assert list(again.notices.notice_texts()) == ["warning"]


def test_notices_of_the_program_outlive_those_of_a_profile(
    window: MainWindow, open_file: Callable[..., None], tmp_path: Path
) -> None:
    """Opening a profile takes away what was said of the one before, and nothing else."""
    window.notices.show_notice("warning", "of a profile")
    window.notices.show_notice("warning", "of the program", topic="settings", lasting=True)

    (tmp_path / "callgrind.out.1").write_text(PROFILE.replace("odd line\n", ""))
    open_file(tmp_path / "callgrind.out.1")

    assert window.notices.notice_texts() == {"settings": "of the program"}


def test_settings_that_cannot_be_written_any_more_are_said_once(
    window: MainWindow, settings: Settings, qtbot: QtBot, tmp_path: Path
) -> None:
    """The user hears at the first change that it does not last, and is not told at each."""
    window.problem_reporter._check_timer.setInterval(0)
    folder = Path(settings._store.fileName()).parent
    settings.fold_source = True
    settings._store.sync()
    shutil.rmtree(folder)
    folder.write_text("no folder")

    settings.si = True
    qtbot.waitUntil(lambda: "settings" in window.notices.notice_texts())
    said = window.notices.notice_texts()["settings"]
    window.notices.close_notice("settings")
    settings.decimals = 4
    qtbot.waitUntil(lambda: not window.problem_reporter._check_timer.isActive())

    file = folder / "qcachegrind_py.ini"
    assert said == f"Settings are not remembered: {file}: not a directory."
    assert window.notices.notice_texts() == {}
    assert (settings.si, settings.decimals) == (True, 4)
