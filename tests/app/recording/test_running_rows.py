"""The list of the programs that run under callgrind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from qcachegrind_py.app.recording.running_dialog import RunningProgramModel
from qcachegrind_py.tools.valgrind.running_programs import RunningProgram
from tests.profile_text import dump_rows

SORT = RunningProgram(7, ("./sort", "a b", "<b>\n"), 7.9, Path("/tmp/cg.7"), None)
GREP = RunningProgram(8, ("grep",), 7505.0, Path("/tmp/cg.8"), None)


@pytest.fixture
def model(qapp: object) -> RunningProgramModel:
    model = RunningProgramModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_programs([SORT, GREP])
    return model


def test_a_row_says_which_program_it_is(model: RunningProgramModel) -> None:
    """The command as it was typed, the process, and how long it runs; all text is plain."""
    titles = [model.headerData(c, Qt.Orientation.Horizontal) for c in range(model.columnCount())]

    assert titles == ["Command", "Process", "Running For"]
    assert dump_rows(model, 0, 1, 2) == [
        r"./sort 'a b' '<b>\x0a' | 7 | 7.9 s",
        "grep | 8 | 2:05 h",
    ]
    tip = model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == (
        "<qt>./sort &#x27;a b&#x27; &#x27;&lt;b&gt;\\x0a&#x27;<br>Profile: /tmp/cg.7</qt>"
    )


def test_the_same_programs_keep_their_rows(model: RunningProgramModel) -> None:
    """As time goes on, nothing moves; a program that has ended is removed."""
    current = QPersistentModelIndex(model.index(1, 0))
    model.set_programs([replace(SORT, seconds=8.9), replace(GREP, seconds=7566.0)])
    kept = current.isValid(), dump_rows(model, 2)
    model.set_programs([GREP])

    assert kept == (True, ["8.9 s", "2:06 h"])
    assert [model.row_of(program.process) for program in (SORT, GREP)] == [-1, 0]
