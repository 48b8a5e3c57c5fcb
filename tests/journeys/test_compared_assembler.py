"""Journeys of a user who asks which instructions made a function slower."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.tools.sources.file_search import PathRule
from tests.profile_rows import DATA
from tests.profile_text import THIN, dump_rows
from tests.user_input import ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings
SUMS = DATA / "comparison" / "sums"
LEFT = Qt.MouseButton.LeftButton
Compare = Callable[[str], MainWindow]


@pytest.fixture
def compare(shown: MainWindow, open_file: Callable[..., None], qtbot: QtBot) -> Compare:
    """Return a function that compares two builds, of which the base's program is not found."""

    def compare(function: str) -> MainWindow:
        rule = PathRule("/corpus/comparison/sums-edited", str(SUMS / "sums-edited"))
        shown.session.set_file_search((rule,), ())
        shown.navigation.set(unit=CostUnit.ABSOLUTE)
        open_file(SUMS / "callgrind.out.sums-edited", own_parts=False)
        base = ProfileFiles((SUMS / "callgrind.out.sums-O2",), with_siblings=False)
        shown.session.comparing.compare_with(base)
        qtbot.waitUntil(lambda: shown.session.comparison is not None)
        queries = shown.session.queries
        assert queries is not None
        shown.navigation.select_function(queries.names.with_name(function)[0])
        process_events()
        return shown

    return compare


def choose(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Answer the next file dialog."""
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args: (str(path), ""))


def test_choosing_the_program_of_the_base(
    compare: Compare, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bar says what is missing; after the choice both views show both sides."""
    window = compare("weighted.constprop.0")
    window.docks.show(DockRegistry.assembler.id)
    assembler = window.views.assembler
    qtbot.waitUntil(assembler.base_bar.isVisible)
    assert "sums-O2 was not found" in assembler.base_bar.label.text()
    choose(monkeypatch, SUMS / "sums-O2")
    QTest.mouseClick(assembler.base_bar.button, LEFT)
    qtbot.waitUntil(lambda: assembler.model.listing.is_compared)
    assert not assembler.base_bar.isVisible()
    model = assembler.model
    rows = dump_rows(
        assembler.model,
        model.place("location"),
        model.place("self"),
        model.place("base"),
        model.place("new"),
    )
    assert "783 | +1072 |  | 1072" in [row.replace(THIN, "") for row in rows]
    window.docks.show(DockRegistry.control_flow.id)
    flow = window.views.control_flow
    qtbot.waitUntil(lambda: len(flow.canvas.boxes) == 7)
    assert not flow.base_bar.isVisible()
    costs = [item.box.cost.replace(THIN, "") for item in flow.canvas.boxes]
    assert "1072→2144 (+100.00%)" in costs


def test_swapping_and_stopping(
    compare: Compare, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Swapped, the new side has no known program any more, and nothing is paired."""
    window = compare("weighted.constprop.0")
    window.docks.show(DockRegistry.assembler.id)
    assembler = window.views.assembler
    qtbot.waitUntil(assembler.base_bar.isVisible)
    choose(monkeypatch, SUMS / "sums-O2")
    QTest.mouseClick(assembler.base_bar.button, LEFT)
    qtbot.waitUntil(lambda: assembler.model.listing.is_compared)
    window.session.comparing.swap()
    qtbot.waitUntil(lambda: "found, too" in assembler.base_bar.label.text())
    assert assembler.missing_file_bar.isVisible()
    assert not assembler.model.listing.is_compared
    assert window.navigation.context.base_programs == ()
    window.session.comparing.stop()
    qtbot.waitUntil(
        lambda: assembler.missing_file_bar.isVisible() and not assembler.base_bar.isVisible()
    )
