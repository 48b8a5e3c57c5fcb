"""Notices about settings and the previous run, beside notices about the profile."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.crash.notifier import CrashNotifier
from qcachegrind_py.app.crash.report import CrashReport
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import Settings

PROFILE = "events: Ir\nfn=main\n1 10\nodd line\n"


def test_program_notice_stays_when_a_profile_opens(
    tmp_path: Path,
    restarted_window: Callable[..., MainWindow],
) -> None:
    """The notice about a broken settings file appears once and stays when a profile opens."""
    file = tmp_path / "broken" / "qcachegrind_py" / "qcachegrind_py.ini"
    file.parent.mkdir(parents=True)
    file.write_text("[General]\njunk\n")
    QSettings.setPath(
        QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "broken")
    )

    window = restarted_window()
    teller = CrashNotifier(window)
    teller.notify_previous_crash(
        CrashReport("Fatal", "the report", is_previous_crash=True), window.notices
    )
    before = window.notices.notice_texts()
    profile = tmp_path / "callgrind.out.1"
    profile.write_text(PROFILE)
    again = restarted_window(profile)

    assert list(before) == ["settings", "crash"]
    assert before["settings"].startswith("The settings file was damaged: line 2 is invalid.")
    assert before["crash"] == "The program crashed last time."
    assert list(again.notices.notice_texts()) == ["warning"]


def test_notices_of_the_program_outlive_those_of_a_profile(
    window: MainWindow, open_file: Callable[..., None], tmp_path: Path
) -> None:
    """Opening a profile removes the notices about the previous one, and no others."""
    window.notices.show_notice("warning", "of a profile")
    window.notices.show_notice("warning", "of the program", topic="settings", lasting=True)

    (tmp_path / "callgrind.out.1").write_text(PROFILE.replace("odd line\n", ""))
    open_file(tmp_path / "callgrind.out.1")

    assert window.notices.notice_texts() == {"settings": "of the program"}


def test_unwritable_settings_are_reported_once(
    window: MainWindow, settings: Settings, qtbot: QtBot, tmp_path: Path
) -> None:
    """The first change that cannot be saved is reported; later ones are not."""
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
    assert said == f"Settings are not saved: {file}: not a directory."
    assert window.notices.notice_texts() == {}
    assert (settings.si, settings.decimals) == (True, 4)
