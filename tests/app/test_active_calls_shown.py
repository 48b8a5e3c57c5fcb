"""Calls that were still running when the profile was written are shown as active, in all views."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.unit import ESTIMATE
from qcachegrind_py.views.active_function import ActiveFunctionHeader
from qcachegrind_py.views.pictures.view import PictureView
from tests.profile_rows import DATA
from tests.profile_text import dump_rows, dump_tree
from tests.user_input import (
    VIEW_IDS,
    ignore_offscreen_warnings,
    process_events,
)

OpenFile = Callable[..., None]
Settle = Callable[[], None]
pytestmark = ignore_offscreen_warnings
RUNNING = """
    main@a.c 10 -> loop 0x90, done 2x14
    loop@a.c 20 -> work 0x70
    work@a.c 70
    done@a.c 14
    """


LISTS = ("Functions", "Callers", "Callees", "All Callers", "All Callees", "Call Stack")


def active_cells(window: MainWindow, qtbot: QtBot) -> dict[str, list[str]]:
    """The rows with a cell that says “(active)”, by dock."""
    rows = {}
    for title in (*LISTS, "Call Tree", "Call Graph"):
        view = window.docks.view(VIEW_IDS[title])
        window.docks.show(VIEW_IDS[title])
        process_events()
        qtbot.waitUntil(lambda: window.jobs.is_idle)
        if isinstance(view, PictureView):
            view.table_button.setChecked(True)
            lines = [line for table in view.tables for line in dump_rows(table.model())]
        elif title == "Call Tree":
            lines = [line.strip() for line in dump_tree(window.views.call_tree.tree.model(), 9)]
        else:
            lines = dump_rows(view.table.model())  # type: ignore[attr-defined]
        rows[title] = [line for line in lines if "(active)" in line]
    return {title: lines for title, lines in rows.items() if lines}


def test_every_list_shows_active_calls(
    window: MainWindow, open_file: OpenFile, draw: Callable[..., Path], settle: Settle, qtbot: QtBot
) -> None:
    """The lists of functions and of calls, path, tree, graph and header agree."""
    open_file(draw(RUNNING))
    window.navigation.select_function(1)  # loop
    settle()

    assert active_cells(window, qtbot) == {
        "Functions": [
            "61.40 | 61.40 | (active) | work | a.c",
            "78.95 | 17.54 | (active) | loop | a.c",
        ],
        "Callers": ["78.95 | 90 | (active) | main | a.c"],
        "Callees": ["61.40 | 70 | (active) | work | a.c"],
        "All Callers": [f"100.00 | {ESTIMATE}8.89 | 1 | (active) | main | a.c"],
        "All Callees": ["77.78 | 77.78 | 1 | (active) | work | a.c"],
        "Call Stack": ["78.95 | (active) | loop | a.c", "61.40 | (active) | work | a.c"],
        "Call Tree": ["61.40 | 61.40 | (active) | work | a.c"],
        "Call Graph": [
            "78.95 | 17.54 | (active) | 78.95 | loop | a.c",
            f"78.95 | {ESTIMATE}7.02 | (active) | 100.00 | main | a.c",
            "61.40 | 61.40 | (active) | 61.40 | work | a.c",
            "78.95 | (active) | 78.95 | main | loop",
            "61.40 | (active) | 61.40 | loop | work",
        ],
    }
    header = window.findChild(ActiveFunctionHeader)
    assert header is not None
    assert header.calls_label.text() == "called (active)"


def test_other_programs_get_numbers(
    window: MainWindow, open_file: OpenFile, draw: Callable[..., Path], settle: Settle
) -> None:
    """Tables for other programs have the count 0, which is no text."""
    open_file(draw(RUNNING))
    settle()
    model = window.views.function_list.model
    columns = [model.table.column(name).cells.values(model.order) for name in ("name", "called")]

    assert dict(zip(*columns, strict=True)) == {"main": 0, "loop": 0, "work": 0, "done": 2}


def test_profiles_without_counts_have_no_active_calls(
    window: MainWindow, open_file: OpenFile, settle: Settle, qtbot: QtBot
) -> None:
    """A writer that counts no calls writes 0 for all of them."""
    open_file(DATA / "pprof-heap/callgrind.out.heap-alloc")
    settle()

    assert active_cells(window, qtbot) == {}
