"""Journeys through flame graph and maps while profiles are compared, in the real window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.calls.frame_widths import BoxWidth
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.views.boxes.view import BoxView
from tests.profile_rows import DATA
from tests.profile_text import write_profile_text
from tests.user_input import go_to, ignore_offscreen_warnings, process_events
from tests.views.boxes.box_view_text import box_path, canvas_of

pytestmark = ignore_offscreen_warnings
FOLDER = DATA / "comparison"
BASE = FOLDER / "callgrind.out.sort-plain.xz"
NEW = FOLDER / "callgrind.out.sort-digits.xz"


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait for all jobs, and for what they change."""
    process_events()
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    process_events()


def compare(window: MainWindow, qtbot: QtBot, base: Path = BASE, new: Path = NEW) -> None:
    """Open the new side and compare it with the base."""
    window.open([new])
    settle(window, qtbot)
    window.file_commands.comparing.compare_with([base])
    settle(window, qtbot)


def box_view(window: MainWindow, qtbot: QtBot, dock: str) -> BoxView:
    """The view of a dock, brought to the front."""
    window.docks.show(dock)
    settle(window, qtbot)
    view = window.docks.view(dock)
    assert isinstance(view, BoxView)
    return view


def drawn_names(view: BoxView) -> list[str]:
    """The names of the boxes that are drawn."""
    canvas = canvas_of(view)
    picture = canvas.picture
    assert picture is not None
    return list(map(picture.name, np.flatnonzero(picture.tree.width > 0).tolist()))


@pytest.mark.parametrize("dock", ["flame_graph", "callee_map", "caller_map"])
def test_w_shows_what_is_gone(window: MainWindow, qtbot: QtBot, dock: str) -> None:
    """In each picture, W goes from the new side to the base and to the changes, and back."""
    compare(window, qtbot)
    view = box_view(window, qtbot, dock)
    go_to(window.session, window.navigation, "main")
    settle(window, qtbot)
    canvas_of(view).setFocus()
    widths = []
    for _ in range(3):
        QTest.keyClick(canvas_of(view), Qt.Key.Key_W)
        settle(window, qtbot)
        widths.append((view.box_width, len(drawn_names(view)) > 0, view.message))

    assert widths == [
        (BoxWidth.BASE, True, ""),
        (BoxWidth.CHANGE, True, ""),
        (BoxWidth.NEW, True, ""),
    ]


def test_stop_comparing_brings_the_usual_picture_back(window: MainWindow, qtbot: QtBot) -> None:
    """The colours of groups, the note and the table are as they were before the comparison."""
    window.open([NEW])
    settle(window, qtbot)
    view = box_view(window, qtbot, "flame_graph")
    view.table_button.setChecked(True)
    settle(window, qtbot)

    def look() -> tuple[list[str], str, list[str]]:
        table = view.tables[-1]
        header = table.horizontalHeader()
        shown = [
            column.key
            for number, column in enumerate(view.models[-1].columns)
            if not header.isSectionHidden(number)
        ]
        return drawn_names(view), view.note.text(), shown

    before = look()
    window.file_commands.comparing.compare_with([BASE])
    settle(window, qtbot)
    compared = look()
    window.actions_["stop_comparing"].trigger()
    settle(window, qtbot)

    assert "new" in compared[1].split(" · ")[1] or "gone" in compared[1].split(" · ")[1]
    assert look() == before


def test_the_width_is_there_after_a_restart(
    window: MainWindow, qtbot: QtBot, restarted_window: Callable[..., MainWindow]
) -> None:
    """The width chosen last is that of the next start."""
    compare(window, qtbot)
    view = box_view(window, qtbot, "flame_graph")
    view.options.set("width", "change")
    settle(window, qtbot)
    again = restarted_window()

    assert box_view(again, qtbot, "flame_graph").box_width is BoxWidth.CHANGE


def test_a_thread_without_callers_is_part_of_the_whole_program(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """What begins a thread on one side, and is called on the other, is drawn on both."""
    base = write_profile_text(tmp_path, "main 10\nwork 30 -> leaf 1x5\nleaf 5", "callgrind.out.b")
    new = write_profile_text(
        tmp_path, "main 10 -> work 1x35\nwork 30 -> leaf 1x5\nleaf 5", "callgrind.out.n"
    )
    compare(window, qtbot, base, new)
    view = box_view(window, qtbot, "flame_graph")
    view.options.set("width", "base")
    settle(window, qtbot)
    canvas = canvas_of(view)
    assert canvas.tree is not None
    drawn = np.flatnonzero(canvas.tree.width > 0).tolist()

    assert {box_path(canvas, box) for box in drawn} == {
        "Whole program",
        "Whole program work",
        "Whole program work leaf",
        "Whole program main",
    }
    assert float(canvas.tree.width[0]) == 45
