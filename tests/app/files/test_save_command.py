"""Saving: the dialog, the written file, and the window's messages during and after."""

from __future__ import annotations

import io
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

import qcachegrind_py as q
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.app.files.save_dialog import SaveDialog
from qcachegrind_py.app.files.saving import exported_path, path_beside
from qcachegrind_py.app.style.resources import EXAMPLE_PROFILE, resource_path
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.formats.callgrind.writing import profile_writer
from qcachegrind_py.formats.callgrind.writing.selection import Selection
from qcachegrind_py.formats.loading import resolve_standard_input
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from tests.profile_rows import cost_table
from tests.user_input import process_events

TEXT = """\
events: Ir
cmd: /bin/pro<g>ram -x
part: 1
fn=main
1 10
cfn=f
calls=1 1
1 50
fn=f
1 50
part: 2
events: Ir
fn=g
1 7
"""
Settle = Callable[[], None]


@pytest.fixture
def profile(window: MainWindow, tmp_path: Path, open_file: Callable[..., None]) -> Path:
    """A profile with two parts, open in the window."""
    path = tmp_path / "callgrind.out.1"
    path.write_text(TEXT)
    open_file(path)
    return path


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Let the file dialog answer with `saved`; return the paths that it suggested."""
    proposed: list[str] = []

    def answer(_window: object, _title: str, name: str, _filters: str) -> tuple[str, str]:
        proposed.append(name)
        return str(tmp_path / "saved"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    return proposed


def save_dialog(window: MainWindow) -> SaveDialog:
    """The dialog, opened as a user does."""
    window.actions_["save"].trigger()
    (dialog,) = [d for d in window.findChildren(SaveDialog) if d.isVisible()]
    return dialog


def press(dialog: SaveDialog, window: MainWindow, qtbot: QtBot) -> None:
    """Press Save and wait until the file is written."""
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    done(window, qtbot)


def done(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.jobs.is_running("save"))
    process_events()


def test_everything_is_saved(
    window: MainWindow, profile: Path, chosen: list[str], qtbot: QtBot
) -> None:
    """Without a choice in the window, everything is saved, and a notice says so."""
    dialog = save_dialog(window)
    seen = [box.isVisible() for box in (dialog.all_parts, dialog.merged, dialog.filtered)]
    text = dialog.content.text()
    press(dialog, window, qtbot)

    assert (seen, text) == (
        [False, True, False], "The file will contain 2 parts, and all 3 functions."
    )  # fmt: skip
    saved = profile.with_name("saved")
    assert (cost_table(q.load(saved)), len(q.load(saved).parts)) == (cost_table(q.load(profile)), 2)
    assert chosen == [str(profile.with_name("pro_g_ram.callgrind"))]
    assert window.notices.notice_texts() == {
        "save": f"Saved {saved}, {saved.stat().st_size} bytes."
    }
    assert window.status_bar.file.text() == "callgrind.out.1"
    assert not window.actions_["cancel"].isEnabled()


def test_shown_selection_is_offered(
    window: MainWindow, profile: Path, chosen: list[str], settle: Settle, qtbot: QtBot
) -> None:
    """Chosen parts and the filter are preselected and can be cleared; a line states the result."""
    window.session.set_scope(Scope(frozenset({0})))
    window.filter_bar.set_text("self>40")
    settle()
    dialog = save_dialog(window)
    texts = [dialog.content.text()]
    for box in (dialog.filtered, dialog.all_parts, dialog.merged):
        box.click()
        texts.append(dialog.content.text())
    dialog.filtered.click()
    press(dialog, window, qtbot)

    assert texts == [
        "The file will contain 1 part, and 1 of 3 functions, with the calls from and to them.",
        "The file will contain 1 part, and all 3 functions.",
        "The file will contain 2 parts, and all 3 functions.",
        "The file will contain 2 parts merged into one, and all 3 functions.",
    ]
    saved = q.load(profile.with_name("saved"))
    assert len(saved.parts) == 1
    assert cost_table(saved) == {"main": (0, 50, 0), "f": (50, 50, 1)}


@pytest.mark.parametrize("are_folded", [True, False])
def test_folded_functions_are_saved_as_shown_or_as_recorded(
    window: MainWindow,
    profile: Path,
    chosen: list[str],
    settle: Settle,
    qtbot: QtBot,
    are_folded: bool,
) -> None:
    """The window's folds are applied to the file unless the user wants all functions."""
    window.filter_bar.set_text("fold:name:=f")
    settle()
    dialog = save_dialog(window)
    assert not dialog.filtered.isVisible()
    if not are_folded:
        dialog.folded.click()
    text = dialog.content.text()
    press(dialog, window, qtbot)
    saved = cost_table(q.load(profile.with_name("saved")))
    before = cost_table(q.load(profile))
    if are_folded:
        end = ", and all 2 functions."
        assert "f" not in saved
        assert "desc: Folded: fold:name:=f" in profile.with_name("saved").read_text()
        assert saved["main"][0] == before["main"][0] + before["f"][0]
    else:
        end = ", and all 3 functions."
        assert saved == before
    assert text == f"The file will contain 2 parts{end}"


def test_the_dialog_shows_all_lines_when_it_is_small(
    window: MainWindow, profile: Path, settle: Settle
) -> None:
    """However small the dialog, the description of the file is never covered."""
    window.filter_bar.set_text("self>40")
    settle()
    dialog = save_dialog(window)
    dialog.resize(1, 1)
    process_events()

    content = dialog.content
    assert content.height() >= content.heightForWidth(content.width())
    assert content.geometry().bottom() < dialog.buttons.y()


def test_no_dialog_without_options(
    window: MainWindow,
    draw: Callable[..., Path],
    open_file: Callable[..., None],
    chosen: list[str],
    qtbot: QtBot,
) -> None:
    """A profile with one part and no filter only asks for the path."""
    assert not window.actions_["save"].isEnabled()
    path = draw("events: Ir\nmain 10")
    open_file(path)
    window.actions_["save"].trigger()
    done(window, qtbot)

    assert cost_table(q.load(path.with_name("saved"))) == {"main": (10, 10, 0)}


def test_unwritable_file_is_reported(window: MainWindow, profile: Path, qtbot: QtBot) -> None:
    """The notice gives the reason and a remedy and stays until closed; so does the profile."""
    queries = window.session.queries
    assert queries is not None
    path = profile.parent / "nowhere" / "saved"
    window.save_command.save(queries.profile, path, Selection())
    done(window, qtbot)

    reason = "cannot be written: No such file or directory. Choose an existing folder."
    assert window.notices.notice_texts() == {"save": f"{path} {reason}"}
    assert window.session.queries is queries
    with qtbot.waitSignals([window.session.opened, window.session.ended]):
        window.actions_["reload"].trigger()
    assert "save" in window.notices.notice_texts()


def test_saving_is_stopped(
    window: MainWindow, profile: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While saving, the status bar says so; Escape stops it and leaves no file."""
    going = threading.Event()
    save = profile_writer.save

    def slow(p: Profile, path: Path, selection: Selection, progress: Progress) -> None:
        class Slow:
            def check(self, fraction: float, text: str = "") -> None:
                going.wait(5)
                progress.check(fraction, text)

        save(p, path, selection, Slow())

    monkeypatch.setattr(profile_writer, "save", slow)
    assert window.session.queries is not None
    path = profile.with_name("saved")
    window.save_command.save(window.session.queries.profile, path, Selection())
    process_events()
    during = window.status_bar.file.text(), window.status_bar.progress.isVisible()
    offered = [window.actions_["save"].isEnabled()]  # a second save would cancel the first
    window.actions_["cancel"].trigger()
    offered.append(window.actions_["save"].isEnabled())
    after = window.status_bar.file.text(), window.status_bar.progress.isVisible()
    going.set()
    window.jobs.stop()

    assert (during, after) == (("Saving saved…", True), ("callgrind.out.1", False))
    assert offered == [False, True]
    assert list(profile.parent.glob("*saved*")) == list(profile.parent.glob(".*")) == []


def test_saving_and_opening_at_once(
    window: MainWindow, profile: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The status bar shows opening first, then saving; Escape stops the one it shows."""
    going = threading.Event()
    slow = "qcachegrind_py.app.files.saving._save_job"
    monkeypatch.setattr(slow, lambda progress, *_of: _waiting(progress, going))
    stop = window.actions_["cancel"]
    said: list[tuple[str, bool]] = []
    assert window.session.queries is not None
    window.session.open([profile, profile])
    window.save_command.save(window.session.queries.profile, profile.with_name("s"), Selection())
    for _ in range(3):
        # behind two blanks: how to compile the scanner, where it is interpreted
        said.append((window.status_bar.file.text().partition("  ")[0], stop.isEnabled()))
        stop.trigger()
    going.set()
    window.jobs.stop()

    name = "callgrind.out.1"
    assert said == [
        (f"Opening {name} and 1 more…", True), ("Saving s…", True), (name, False)
    ]  # fmt: skip


def _waiting(progress: Progress, going: threading.Event) -> int:
    going.wait(20)
    progress.check(0.5)
    return 0


def test_suggested_folder_is_permanent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is suggested beside the profile, never in a temporary folder or the program's."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"events: Ir\n")))
    (kept,) = map(Path, resolve_standard_input(["-"]))
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    found = [
        path_beside(path, "x") for path in (tmp_path / "p", kept, resource_path(EXAMPLE_PROFILE))
    ]
    gone = path_beside(tmp_path / "gone" / "p", "x")
    shutil.rmtree(kept.parent)

    home = tmp_path / "home" / "x"
    assert [*found, gone] == [tmp_path / "x", home, home, home]


def test_exports_are_named_as_the_profile(tmp_path: Path) -> None:
    """What is exported of a packed profile is not packed, and does not seem to be."""
    names = [exported_path(tmp_path / name, ".html").name for name in ("a.out.1", "a.out.1.xz")]
    assert names == ["a.out.1.html", "a.out.1.html"]
