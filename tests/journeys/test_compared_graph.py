"""Journeys of a user who looks for a change in the call graph of two real profiles."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.views.graph.call_graph_view import CallGraphView
from tests.profile_rows import DATA
from tests.profile_text import THIN
from tests.user_input import function_id, ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings
BASE = DATA / "comparison" / "callgrind.out.sort-plain.xz"
NEW = DATA / "comparison" / "callgrind.out.sort-digits.xz"


@pytest.fixture
def graph(window: MainWindow, qtbot: QtBot) -> CallGraphView:
    """The call graph around main of two real profiles, in absolute numbers."""
    window.resize(1366, 768)
    window.docks.reset()
    window.open([NEW])
    settle(window, qtbot)
    window.file_commands.comparing.compare_with([BASE])
    settle(window, qtbot)
    window.navigation.set(unit=CostUnit.ABSOLUTE)
    window.navigation.select_function(function_id(window.session, "main"))
    window.docks.show("call_graph")
    settle(window, qtbot)
    view = window.views.view(DockRegistry.call_graph)
    assert isinstance(view, CallGraphView)
    return view


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait for all jobs, and for what they change."""
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    process_events()


def costs(view: CallGraphView) -> dict[str, str]:
    """The cost of each box, by its name up to template arguments and parameters."""
    return {
        node.box.name.partition("(")[0] or node.box.name: node.box.cost.replace(THIN, "")
        for node in view.canvas.boxes
    }


def test_the_change_is_followed_down_by_keyboard(
    window: MainWindow, graph: CallGraphView, qtbot: QtBot
) -> None:
    """From main, arrow keys follow the largest costs; the line below says what changed and why."""
    graph.canvas.setFocus()
    key = Qt.Key.Key_Right if graph.canvas.picture.is_horizontal else Qt.Key.Key_Down

    QTest.keyClick(graph.canvas, key)
    process_events()
    line = graph.detail_line.text.replace(THIN, "")
    QTest.keyClick(graph.canvas, Qt.Key.Key_Return)
    settle(window, qtbot)

    assert line.endswith(" · 865675→1798080 (+107.71%) · 5 calls · costlier calls")
    assert costs(graph)["main"] == "865675→1798080 (+107.71%)"


def test_what_is_new_is_marked_and_gone_after_a_swap(
    window: MainWindow, graph: CallGraphView, qtbot: QtBot
) -> None:
    """The function that only the new side has is in the graph of both."""
    before = set(costs(graph).values())
    window.actions_["swap_sides"].trigger()
    settle(window, qtbot)
    after = set(costs(graph).values())

    assert "0→481520 (new)" in before
    assert "481520→0 (gone)" in after
    assert len(before) == len(after)


def test_the_end_of_the_comparison_leaves_the_graph_of_the_new_side(
    window: MainWindow, graph: CallGraphView, qtbot: QtBot
) -> None:
    """Stop Comparing shows the costs of the open profile, as before."""
    window.actions_["stop_comparing"].trigger()
    settle(window, qtbot)

    assert costs(graph)["main"] == "1955390"
    assert "vermilion" not in graph.note.text()
