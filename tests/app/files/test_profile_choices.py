"""The list of a folder's profiles."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from qcachegrind_py.app.files.folder_dialog import ProfileChoiceModel
from qcachegrind_py.formats.run_files import FoundProfile
from tests.profile_text import dump_rows

FOLDER = Path("/home/me/runs")
FOUND = [
    FoundProfile(FOLDER / "a/callgrind.out.7", "./a <b>\nx", 2048, 10**9, 3),
    FoundProfile(FOLDER / "x", "", 0, 0, 1),
]


@pytest.fixture
def model(qapp: object) -> ProfileChoiceModel:
    model = ProfileChoiceModel(FOLDER, FOUND)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    return model


def test_a_row_says_which_files_they_are(model: ProfileChoiceModel) -> None:
    """Names are relative to the folder, with the number of further files; all text is plain."""
    titles = [model.headerData(c, Qt.Orientation.Horizontal) for c in range(model.columnCount())]

    assert titles == ["File", "Program", "Written", "Size"]
    assert dump_rows(model, 0, 1) == [
        r"a/callgrind.out.7  (+2) | ./a <b>\x0ax",
        "x | ",
    ]
    assert dump_rows(model, 3) == ["2.0 KiB", "0 bytes"]
    tip = model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith("<qt>/home/me/runs/a/callgrind.out.7<br>./a &lt;b&gt;")
