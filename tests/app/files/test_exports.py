"""File ▸ Export Report and Export Stacks: suggestions, contents, and the messages."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QProgressDialog, QPushButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.events import UserEvent
from tests.user_input import process_events

PROVEN = """
    events: Ir Dr
    main 10,1 -> f 3x70,2
    f 70,2
    """
ESTIMATED = """
    main 1 -> a 1x60, b 1x40
    a 20 -> c 1x40
    b 10 -> c 1x30
    c 30 -> d 1x40
    d 40
    """
Export = Callable[[str, Path | str], list[str]]


@pytest.fixture
def export(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Export:
    """Export one of both to a file; return the path and the kinds that the dialog offered."""

    def export(kind: str, name: Path | str) -> list[str]:
        offered: list[str] = []

        def answer(_parent: object, _title: str, start: str, filters: str) -> tuple[str, str]:
            offered.extend((start, filters))
            return str(name), ""

        monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
        window.actions_[kind].trigger()
        qtbot.waitUntil(lambda: not window.jobs.is_running(kind))
        process_events()
        return offered

    return export


def show_event(window: MainWindow, name: str, column: str = "event") -> None:
    assert window.session.queries is not None
    window.navigation.set(**{column: window.session.queries.events.find(name)})
    process_events()


def test_report_of_the_shown_event(
    window: MainWindow,
    open_file: Callable[..., None],
    draw: Callable[..., Path],
    export: Export,
    tmp_path: Path,
) -> None:
    """The report has the shown event, is suggested beside the profile, and a notice names it."""
    path = draw(PROVEN)
    open_file(path)
    show_event(window, "Dr")
    target = tmp_path / "out.html"
    start, _ = export("report", target.with_suffix(""))  # the suffix is appended
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
    export: Export,
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

    export("report", tmp_path / "out.html")

    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "Dear Ada" not in page
    assert "int a;" in page
    assert f"{tmp_path}/letter.txt is left out" in page


def test_speedscope_file_of_the_shown_events(
    window: MainWindow,
    open_file: Callable[..., None],
    draw: Callable[..., Path],
    export: Export,
    tmp_path: Path,
) -> None:
    """Both events that are shown, with the filter; the suffix is appended."""
    open_file(draw(PROVEN))
    show_event(window, "Dr", "second_event")
    _, kinds = export("stacks", tmp_path / "out")

    assert kinds == "Speedscope (*.json);;Folded stacks (*.folded)"
    profiles = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["profiles"]
    assert [(each["name"], [event["at"] for event in each["events"]]) for each in profiles] == [
        ("Ir", [0, 10, 80, 80]),
        ("Dr", [0, 1, 3, 3]),
    ]
    assert window.notices.notice_texts()["stacks"] == (
        f"Saved {tmp_path}/out.json. Its stacks cost 80 Ir. All of their paths are exact."
    )


def test_folded_stacks_name_their_estimates(
    window: MainWindow,
    open_file: Callable[..., None],
    draw: Callable[..., Path],
    export: Export,
    tmp_path: Path,
) -> None:
    """What c calls is shared among its callers in proportion, 40 to 30, which the notice says."""
    open_file(draw(ESTIMATED))
    export("stacks", tmp_path / "out.folded")

    assert (tmp_path / "out.folded").read_text(encoding="utf-8").splitlines() == [
        "# event: Ir (Instruction Fetch)",
        "main 1", "main;a 20", "main;b 10", "main;a;c 17", "main;b;c 13",
        "main;a;c;≈ estimated;d 23", "main;b;c;≈ estimated;d 17",
    ]  # fmt: skip
    assert window.notices.notice_texts()["stacks"] == (
        f"Saved {tmp_path}/out.folded. Its stacks cost 101 Ir. Of that, 40 Ir is on estimated "
        "paths, below “≈ estimated” or “(left out)”."
    )


def test_stacks_of_a_ratio_cannot_be_exported(
    window: MainWindow, open_file: Callable[..., None], draw: Callable[..., Path], export: Export
) -> None:
    open_file(draw("events: Ir Dr\nmain 10,2\n"))
    window.session.set_user_events([UserEvent("Rate", "", "Ir / Dr")])
    show_event(window, "Rate")

    assert export("stacks", "unused") == []
    assert window.notices.notice_texts()["stacks"].startswith("Rate is a ratio")


@pytest.mark.parametrize(("kind", "ending"), [("report", "html"), ("stacks", "json")])
def test_failed_and_dismissed_exports(
    window: MainWindow,
    open_file: Callable[..., None],
    draw: Callable[..., Path],
    export: Export,
    tmp_path: Path,
    kind: str,
    ending: str,
) -> None:
    """A missing folder is reported; a dismissed dialog does nothing."""
    assert not window.actions_[kind].isEnabled()
    open_file(draw(PROVEN))
    export(kind, "")
    silent = window.notices.notice_texts()
    target = tmp_path / "nowhere" / f"out.{ending}"
    export(kind, target)

    assert silent == {}
    assert window.notices.notice_texts() == {
        kind: f"{target} cannot be written: No such file or directory. Choose an existing folder."
    }


@pytest.mark.parametrize("kind", ["report", "stacks"])
def test_cancelled_export_leaves_no_file(
    window: MainWindow,
    open_file: Callable[..., None],
    draw: Callable[..., Path],
    tmp_path: Path,
    qtbot: QtBot,
    kind: str,
) -> None:
    """Cancel stops the job, here while it waits for others, before a file is created."""
    open_file(draw(PROVEN))
    target, others = tmp_path / "out.json", threading.Event()
    for slot in "abcd":  # occupies all threads
        window.jobs.start(slot, lambda _progress: others.wait())
    {"report": window.report_export, "stacks": window.stack_export}[kind].save(target)
    (progress,) = window.findChildren(QProgressDialog)
    assert not window.actions_[kind].isEnabled()  # a second export would cancel this one
    progress.findChild(QPushButton).click()
    others.set()
    qtbot.waitUntil(lambda: not any(map(window.jobs.is_running, "abcd")))
    window.jobs.stop()

    assert (window.jobs.is_running(kind), target.exists()) == (False, False)
    assert window.actions_[kind].isEnabled()
    assert (window.findChildren(QProgressDialog), window.notices.notice_texts()) == ([], {})
