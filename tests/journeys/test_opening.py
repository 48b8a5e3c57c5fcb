"""Journeys of a user who opens files: what the window shows before, during and after."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame import notices
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.models.functions import FunctionModel
from tests.profile_text import write_slow_file

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
    """What went well is said for a while; a warning stays, and so does what the mouse is on."""
    monkeypatch.setattr(notices, "PASSING_MS", 3000)  # longer than opening takes
    (tmp_path / "callgrind.out.9.1").write_text("events: Ir\nfn=main\n1 5\n")
    run = tmp_path / "callgrind.out.9"
    run.write_text("events: Ir\nfn=main\n1 7\nwhat is this\n")
    open_file(run)
    said = window.notices.notice_texts()
    assert set(said) == {"information", "warning"}
    assert said["information"] == "Opened together with 1 other file of the same run."

    qtbot.waitUntil(lambda: set(window.notices.notice_texts()) == {"warning"})


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
    active = functions.table.currentIndex().siblingAtColumn(FunctionModel.NAME).data()

    assert active == ("rare" if share else "main")
