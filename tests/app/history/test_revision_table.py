"""The files of a history in the dialog: their order and their labels."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from qcachegrind_py.analysis.history import Revision
from qcachegrind_py.app.history.open_dialog import RevisionTableModel
from qcachegrind_py.session.history import by_name, by_time
from tests.profile_text import dump_rows

EDIT = Qt.ItemDataRole.EditRole


@pytest.fixture
def model(qapp: object, tmp_path: Path) -> RevisionTableModel:
    """Three files, of which the last by name is the earliest."""
    for moment, name in ((300, "v1"), (200, "v2"), (100, "v10")):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (moment, moment))
    revisions = [Revision(f"<{name}>", str(tmp_path / name)) for name in ("v2", "v1", "v10")]
    model = RevisionTableModel(revisions)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    return model


def labels(model: RevisionTableModel) -> list[str]:
    return dump_rows(model, 0)


def test_files_are_ordered_with_their_labels(model: RevisionTableModel) -> None:
    """By name, by time, and by hand."""
    model.sort_files(by_name)
    orders = [labels(model)]
    model.sort_files(by_time)
    orders.append(labels(model))
    model.move(2, 0)
    orders.append(labels(model))

    assert orders == [
        ["<v1>", "<v2>", "<v10>"],
        ["<v10>", "<v2>", "<v1>"],
        ["<v1>", "<v10>", "<v2>"],
    ]


def test_a_file_is_there_once(model: RevisionTableModel, tmp_path: Path) -> None:
    """Added files come last; those that are there already keep their place and label."""
    model.remove(0)
    files = [str(tmp_path / name) for name in ("v10", "new")]
    model.add([Revision(Path(file).name, file) for file in files])

    assert labels(model) == ["<v1>", "<v10>", "new"]


def test_labels_can_be_changed(model: RevisionTableModel) -> None:
    """Only labels can, to a text of bounded length that is not empty."""
    changed = [
        model.setData(model.index(0, 0), "  1.0\n", EDIT),
        model.setData(model.index(1, 0), "   ", EDIT),
        model.setData(model.index(2, 0), "x" * 1000, EDIT),
    ]
    editable = Qt.ItemFlag.ItemIsEditable
    flags = [bool(model.flags(model.index(0, column)) & editable) for column in range(3)]

    assert (changed, flags) == ([True, False, True], [True, False, False])
    assert [len(revision.label) for revision in model.revisions] == [3, 4, 200]
    assert model.index(0, 0).data(EDIT) == "1.0"
