"""A journey of a user who asks which instructions made a function slower."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.tools.sources.file_search import PathRule
from tests.profile_rows import DATA
from tests.profile_text import THIN, dump_rows
from tests.user_input import LEFT, go_to, ignore_offscreen_warnings, settle

pytestmark = ignore_offscreen_warnings
SUMS = DATA / "comparison" / "sums"


def test_the_program_of_the_base_is_chosen_and_goes_with_it(
    compare: Callable[..., MainWindow], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the choice all views of code show both sides; of swapped sides nothing is paired."""
    window = compare(SUMS / "callgrind.out.sums-O2", SUMS / "callgrind.out.sums-edited")
    rule = PathRule("/corpus/comparison/sums-edited", str(SUMS / "sums-edited"))
    window.session.set_file_search((rule,), ())
    window.navigation.set(unit=CostUnit.ABSOLUTE)
    go_to(window.session, window.navigation, "weighted.constprop.0")
    window.docks.show("assembler")
    assembler = window.views.assembler
    qtbot.waitUntil(assembler.base_bar.isVisible)
    missing = assembler.base_bar.label.text()

    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(SUMS / "sums-O2"), ""))
    QTest.mouseClick(assembler.base_bar.button, LEFT)
    qtbot.waitUntil(lambda: assembler.model.listing.is_compared)
    columns = assembler.model.places("location", "self", "base", "new")
    rows = [row.replace(THIN, "") for row in dump_rows(assembler.model, *columns)]
    window.docks.show("control_flow")
    flow = window.views.control_flow
    qtbot.waitUntil(lambda: len(flow.canvas.boxes) == 7)
    costs = [item.box.cost.replace(THIN, "") for item in flow.canvas.boxes]
    bars = assembler.base_bar.isVisible(), flow.base_bar.isVisible()

    window.docks.show("assembler")
    window.session.comparing.swap()
    qtbot.waitUntil(lambda: "found, too" in assembler.base_bar.label.text())
    swapped = assembler.missing_file_bar.isVisible(), assembler.model.listing.is_compared
    programs = window.navigation.context.base_programs
    window.session.comparing.stop()
    settle(window, qtbot)

    assert "sums-O2 was not found" in missing
    assert "783 | +1072 |  | 1072" in rows
    assert "1072→2144 (+100.00%)" in costs
    assert bars == (False, False)
    assert (swapped, programs) == ((True, False), ())
    assert (assembler.missing_file_bar.isVisible(), assembler.base_bar.isVisible()) == (True, False)
