"""File ▸ Export Stacks: formats, events, and what is said of estimates."""

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
    events: Ir
    main 1 -> a 1x60, b 1x40
    a 20 -> c 1x40
    b 10 -> c 1x30
    c 30 -> d 1x40
    d 40
    """
Export = Callable[[str], str]


@pytest.fixture
def export(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Export:
    """Export stacks to a file of this name; return the kinds that the dialog offered."""

    def export(name: str) -> str:
        offered: list[str] = []

        def answer(_parent: object, _title: str, _start: str, filters: str) -> tuple[str, str]:
            offered.append(filters)
            return name, ""

        monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
        window.actions_["stacks"].trigger()
        qtbot.waitUntil(lambda: not window.jobs.is_running("stacks"))
        process_events()
        return "".join(offered)

    return export


def said(window: MainWindow) -> str:
    return window.notices.notice_texts()["stacks"]


def test_speedscope_file_of_the_shown_events(
    window: MainWindow, open_file: Callable[..., None], draw: Callable[..., Path], export: Export,
    tmp_path: Path,
) -> None:  # fmt: skip
    """Both events that are shown, with the filter; the suffix is appended."""
    assert not window.actions_["stacks"].isEnabled()
    open_file(draw(PROVEN))
    window.navigation.set(second_event=window.session.queries.events.find("Dr"))  # type: ignore[union-attr]  # open
    process_events()
    assert export(str(tmp_path / "out")) == "Speedscope (*.json);;Folded stacks (*.folded)"

    profiles = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["profiles"]
    assert [(each["name"], each["weights"]) for each in profiles] == [
        ("Ir", [10, 70]), ("Dr", [1, 2]),
    ]  # fmt: skip
    assert said(window) == (
        f"Saved {tmp_path}/out.json. Its stacks cost 80 Ir. The profile proves all of their paths."
    )


def test_folded_stacks_name_their_estimates(
    window: MainWindow, open_file: Callable[..., None], draw: Callable[..., Path], export: Export,
    tmp_path: Path,
) -> None:  # fmt: skip
    """What c calls is shared among its callers in proportion, 40 to 30, which the notice says."""
    open_file(draw(ESTIMATED))
    export(str(tmp_path / "out.folded"))
    assert (tmp_path / "out.folded").read_text(encoding="utf-8").splitlines() == [
        "main 1", "main;a 20", "main;b 10", "main;a;c 17", "main;b;c 13",
        "main;a;c;≈ estimated;d 23", "main;b;c;≈ estimated;d 17",
    ]  # fmt: skip
    assert said(window) == (
        f"Saved {tmp_path}/out.folded. Its stacks cost 101 Ir. Of that, 40 Ir is on paths that the "
        "profile does not prove, below “≈ estimated” or “(left out)”."
    )


def test_ratio_cannot_be_exported(
    window: MainWindow, open_file: Callable[..., None], draw: Callable[..., Path], export: Export
) -> None:
    open_file(draw("events: Ir Dr\nmain 10,2\n"))
    window.session.set_user_events([UserEvent("Rate", "", "Ir / Dr")])
    window.navigation.set(event=window.session.queries.events.find("Rate"))  # type: ignore[union-attr]  # open
    process_events()
    assert export("unused") == ""
    assert said(window).startswith("Rate is a ratio")


def test_failed_export_is_reported(
    window: MainWindow, open_file: Callable[..., None], draw: Callable[..., Path], export: Export,
    tmp_path: Path,
) -> None:  # fmt: skip
    open_file(draw(PROVEN))
    export("")
    assert window.notices.notice_texts() == {}
    export(str(tmp_path / "nowhere" / "out.json"))
    assert said(window).endswith("Choose an existing folder.")


def test_cancelled_export_leaves_no_file(
    window: MainWindow, open_file: Callable[..., None], draw: Callable[..., Path], tmp_path: Path,
    qtbot: QtBot,
) -> None:  # fmt: skip
    """Cancel stops the job, here while it waits for others, before a file is created."""
    open_file(draw(PROVEN))
    target, others = tmp_path / "out.json", threading.Event()
    for slot in "abcd":  # occupies all threads
        window.jobs.start(slot, lambda _progress: others.wait())
    window.stack_export.save(target)
    (progress,) = window.findChildren(QProgressDialog)
    assert not window.actions_["stacks"].isEnabled()
    progress.findChild(QPushButton).click()
    others.set()
    qtbot.waitUntil(lambda: not any(map(window.jobs.is_running, "abcd")))
    window.jobs.stop()
    assert (target.exists(), window.actions_["stacks"].isEnabled()) == (False, True)
