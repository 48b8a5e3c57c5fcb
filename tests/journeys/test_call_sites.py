"""From a call, in a list or a picture, to the source line that makes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.picture import Spot
from tests.user_input import (
    LEFT,
    active_name,
    choose_action,
    click_row,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    row_menu,
    settle,
    without_mnemonic,
)

pytestmark = ignore_offscreen_warnings
SHOW = "Show Call in Source"

# work calls copy from line 12, at most of its cost, and from line 14; main calls work from line 3
PROFILE = """\
events: Ir
fl={folder}/a.c
fn=main
2 1
cfn=work
calls=1 10
3 2000
fn=work
11 900
cfn=copy
calls=5 20
12 800
calls=50 20
14 90
fn=copy
21 890
"""


@pytest.fixture
def work(
    window: MainWindow, open_file: Callable[..., None], qtbot: QtBot, tmp_path: Path
) -> MainWindow:
    """The window with a small program, of which work is active."""
    (tmp_path / "a.c").write_text("".join(f"line {number};\n" for number in range(1, 31)))
    file = tmp_path / "callgrind.out.1"
    file.write_text(PROFILE.format(folder=tmp_path))
    window.resize(1366, 768)
    window.show()
    qtbot.waitExposed(window)
    open_file(file)
    go_to(window.session, window.navigation, "work")
    settle(window, qtbot)
    return window


def shown_line(window: MainWindow) -> tuple[str, int]:
    """The active function, and the current line of Source."""
    source = window.views.source
    location = source.editable_location(source.table.current_record())
    assert location is not None
    return active_name(window.session, window.navigation), location[1]


def titles(menu: QMenu) -> list[str]:
    return [without_mnemonic(action.text()).partition("\t")[0] for action in menu.actions()]


def test_a_caller_leads_to_the_line_of_its_call(work: MainWindow, qtbot: QtBot) -> None:
    """The caller becomes active; its menu offers its source once, at the call."""
    table = work.views.callers.table
    click_row(table, 0)
    offered = inspect_menu(row_menu(table, 0), titles)
    assert SHOW in offered
    assert "Show in Source" not in offered

    choose_action(row_menu(table, 0), SHOW)
    settle(work, qtbot)

    assert work.docks.is_seen("source")
    assert shown_line(work) == ("main", 3)


def test_a_callee_leads_to_the_costliest_of_its_calls(work: MainWindow, qtbot: QtBot) -> None:
    """The active function stays; the hottest line of the function is another one."""
    work.docks.show("source")
    settle(work, qtbot)
    assert shown_line(work) == ("work", 11)
    click_row(work.views.callees.table, 0)

    QTest.keyClick(work.views.callees.table, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    settle(work, qtbot)

    assert shown_line(work) == ("work", 12)


def test_an_arrow_of_the_call_graph_leads_to_the_line(work: MainWindow, qtbot: QtBot) -> None:
    """The arrow under the pointer, or the current one, is the call."""
    work.docks.show("call_graph")
    canvas = work.views.call_graph.canvas
    qtbot.waitUntil(lambda: len(canvas.arrows) == 2)
    home = next(item.row for item in canvas.boxes if item.box.is_active)
    arrow = next(item.row for item in canvas.arrows if item.arrow.source == home)
    place = canvas.spot_rect(Spot(arrow=arrow)).center().toPoint()

    QTest.mouseClick(canvas.viewport(), LEFT, pos=place)
    QTest.keyClick(canvas, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    settle(work, qtbot)

    assert shown_line(work) == ("work", 12)


def test_what_is_no_call_says_so(work: MainWindow, qtbot: QtBot) -> None:
    """A row of the function list is no call: its menu has no such entry, and the key tells why."""
    table = work.views.function_list.table
    click_row(table, 0)
    assert SHOW not in inspect_menu(row_menu(table, 0), titles)

    work.actions_["show_call"].trigger()

    assert work.notices.notice_texts()["call"] == (
        "There is no call with a source line under the cursor."
    )
