"""File ▸ Export Report: the suggested path, the messages, and the contents."""

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
    """Export the report to a file of this name; return the path that the dialog suggested."""

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


def test_report_of_the_shown_event(
    window: MainWindow,
    open_file: Callable[..., None],
    draw: Callable[..., Path],
    export: Callable[[str], str],
    tmp_path: Path,
) -> None:
    """The report has the shown event, is suggested beside the profile, and a notice names it."""
    assert not window.actions_["report"].isEnabled()
    path = draw(DRAWING)
    open_file(path)
    window.navigation.set(event=window.session.queries.events.find("Dr"))
    process_events()
    target = tmp_path / "out.html"
    start = export(str(target.with_suffix("")))  # the suffix is appended
    page = target.read_text(encoding="utf-8")
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])

    assert start == f"{path}.html"
    assert "Flame graph of Dr" in page
    assert data["functions"] == [
        [0, [80, 3], [10, 1]],
        [3, [70, 2], [70, 2]],
    ]
    assert window.notices.notice_texts() == {"report": f"Saved {target}."}


@pytest.mark.parametrize("is_compared", [False, True])
def test_a_report_has_no_source_from_elsewhere(
    window: MainWindow,
    open_file: Callable[..., None],
    export: Callable[[str], str],
    qtbot: QtBot,
    tmp_path: Path,
    is_compared: bool,
) -> None:
    """A saved page may be published, so a text that the window shows is left out of it."""
    (tmp_path / "here").mkdir()
    (tmp_path / "letter.txt").write_text("Dear Ada,\n")
    (tmp_path / "here" / "a.c").write_text("int a;\n")
    text = f"events: Ir\nfl={tmp_path}/letter.txt\nfn=f\n1 %d\nfi=a.c\n1 %d\n"
    new, base = tmp_path / "here" / "new.out", tmp_path / "here" / "base.out"
    new.write_text(text % (50, 60))
    base.write_text(text % (5, 6))
    open_file(new)
    if is_compared:
        window.file_commands.comparing.compare_with([base])
        qtbot.waitUntil(lambda: window.session.comparison is not None)
        process_events()

    export(str(tmp_path / "out.html"))

    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "Dear Ada" not in page
    assert "int a;" in page
    assert f"{tmp_path}/letter.txt is left out" in page


def test_failed_and_cancelled_export(
    window: MainWindow,
    open_file: Callable[..., None],
    draw: Callable[..., Path],
    export: Callable[[str], str],
    tmp_path: Path,
) -> None:
    """A missing folder is reported; a cancelled dialog does nothing."""
    open_file(draw(DRAWING))
    export("")
    silent = window.notices.notice_texts()
    export(str(tmp_path / "nowhere" / "out.html"))

    assert silent == {}
    assert window.notices.notice_texts() == {
        "report": f"{tmp_path}/nowhere/out.html cannot be written: No such file or directory. "
        "Choose an existing folder."
    }


def test_cancelled_export_leaves_no_file(
    window: MainWindow,
    open_file: Callable[..., None],
    draw: Callable[..., Path],
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    """Cancel stops the job, here while it waits for others, before a file is created."""
    open_file(draw(DRAWING))
    target, others = tmp_path / "out.html", threading.Event()
    for slot in "abcd":  # occupies all threads
        window.jobs.start(slot, lambda _progress: others.wait())
    window.report_export.save(target)
    (progress,) = window.findChildren(QProgressDialog)
    assert not window.actions_["report"].isEnabled()  # a second export would cancel this one
    progress.findChild(QPushButton).click()
    others.set()
    qtbot.waitUntil(lambda: not any(map(window.jobs.is_running, "abcd")))
    window.jobs.stop()

    assert (window.jobs.is_running("report"), target.exists()) == (False, False)
    assert window.actions_["report"].isEnabled()
    assert (window.findChildren(QProgressDialog), window.notices.notice_texts()) == ([], {})
