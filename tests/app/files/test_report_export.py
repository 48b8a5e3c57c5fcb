"""File ▸ Export Report: where it goes, what is said, and what is in it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QProgressDialog, QPushButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from tests.user_input import process_events

DRAWING = "events: Ir Dr\nmain 10,1 -> f 3x70,2\nf 70,2\n"


@pytest.fixture
def export(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], str]:
    """Exports the report to a file of that name; gives where the dialog began."""

    def export(name: str) -> str:
        starts: list[str] = []

        def answer(_parent: object, _title: str, start: str, _filters: str) -> tuple[str, str]:
            starts.append(start)
            return name, ""

        monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
        window.actions_["report"].trigger()
        qtbot.waitUntil(lambda: not window.jobs.is_running("report"))
        process_events()
        return "".join(starts)

    return export


def test_report_of_what_is_shown(
    window: MainWindow,
    open_file: Callable[..., None],
    draw: Callable[..., Path],
    export: Callable[[str], str],
    tmp_path: Path,
) -> None:
    """It is suggested beside the profile, of the event that is shown, and the strip says where."""
    assert not window.actions_["report"].isEnabled()
    path = draw(DRAWING)
    open_file(path)
    window.navigation.set(event=window.session.queries.events.find("Dr"))
    process_events()
    target = tmp_path / "out.html"
    start = export(str(target.with_suffix("")))  # which it gets, where it is left out
    page = target.read_text(encoding="utf-8")
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])

    assert start == f"{path}.html"
    assert "Flame graph of Dr" in page
    assert data["functions"] == [
        [0, [80, 3, 80], [10, 1, 10]],
        [3, [70, 2, 70], [70, 2, 70]],
    ]
    assert window.notices.notice_texts() == {"report": f"Saved {target}."}


def test_why_there_is_no_report(
    window: MainWindow,
    open_file: Callable[..., None],
    draw: Callable[..., Path],
    export: Callable[[str], str],
    tmp_path: Path,
) -> None:
    """A folder that is not there is said; a dialog that is cancelled does nothing."""
    open_file(draw(DRAWING))
    export("")
    silent = window.notices.notice_texts()
    export(str(tmp_path / "nowhere" / "out.html"))

    assert silent == {}
    assert window.notices.notice_texts() == {
        "report": f"{tmp_path}/nowhere/out.html: cannot be written: No such file or directory. "
        "Choose a folder that is there."
    }


def test_a_report_that_is_cancelled_leaves_nothing(
    window: MainWindow,
    open_file: Callable[..., None],
    draw: Callable[..., Path],
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    """Cancel stops the job, here while it waits for others, and no file is begun."""
    open_file(draw(DRAWING))
    target, others = tmp_path / "out.html", threading.Event()
    for slot in "abcd":  # as many as there are threads
        window.jobs.start(slot, lambda _progress: others.wait())
    window.report_export.save(target)
    (progress,) = window.findChildren(QProgressDialog)
    assert not window.actions_["report"].isEnabled()  # a second one would stop this one
    progress.findChild(QPushButton).click()
    others.set()
    qtbot.waitUntil(lambda: not any(map(window.jobs.is_running, "abcd")))
    window.jobs.stop()

    assert (window.jobs.is_running("report"), target.exists()) == (False, False)
    assert window.actions_["report"].isEnabled()
    assert (window.findChildren(QProgressDialog), window.notices.notice_texts()) == ([], {})
