"""The lists of rules and folders: what is shown, what is written, what is wrong with it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.settings.paths import (
    FolderRows,
    PathCompletions,
    PathRole,
    PathRows,
    RuleRows,
    from_editable,
    guess_original,
    suggested_paths,
    to_editable,
)
from qcachegrind_py.tools.sources.file_search import PathRule, SearchFolder

TIP, EDIT = Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.EditRole
RULES = (PathRule("/build/x", "/tmp"), PathRule("/b", "/", "lib*"), PathRule("/c", "/none"))
FOLDERS = (SearchFolder("/"), SearchFolder("/none", "prog"))
NAMES = [
    "/build/x",
    "/caf\udce9/\udcff",
    "C:\\xe9\\x5c\\x80",
    "\\x5cxe9",
    "\\",
    "/ä/😀\n\t\x1f\u202e",
]


def dump(model: PathRows) -> list[str]:
    """All rows as displayed, with their errors."""
    return [
        " | ".join(str(model.index(row, column).data()) for column in range(model.columnCount()))
        + (f"  ! {model.problem(row)}" if model.problem(row) else "")
        for row in range(model.rowCount())
    ]


def test_models_pass_qt_model_checks(qtmodeltester: Any) -> None:
    """The models pass Qt's consistency checks, even if they are empty."""
    for model in (RuleRows(RULES), RuleRows(), FolderRows(FOLDERS), FolderRows()):
        qtmodeltester.check(model)


def test_model_passes_qt_model_checks_while_it_changes(qapp: object) -> None:
    """Inserted, removed, moved and changed rows are announced as Qt requires."""
    model = RuleRows(RULES)
    reporting = QAbstractItemModelTester.FailureReportingMode.Warning
    tester = QAbstractItemModelTester(model, reporting)

    for row in (3, model.add(("/d", "/", ""))):
        model.move(row, -1)
        model.move(0, 1)
        model.move(0, -1)
        model.set_text(row, 1, "/elsewhere")
    model.setData(model.index(0, 2), " prog ")
    model.remove([3, 0, 3])
    model.remove([])
    model.remove(range(model.rowCount()))

    assert (tester.model() is model, model.rowCount()) == (True, 0)


def test_rules_and_folders_are_shown_in_their_order(tmp_path: Path) -> None:
    """Each field is a cell; titles name the fields, placeholders explain empty ones."""
    rules, folders = RuleRows(RULES), FolderRows(FOLDERS)
    across = Qt.Orientation.Horizontal
    titles = [[m.headerData(c, across) for c in range(m.columnCount())] for m in (rules, folders)]
    hints = [rules.index(0, column).data(PathRole.HINT) for column in range(3)]

    assert titles == [
        ["Recorded path", "Path here", "Only for object"],
        ["Folder", "Only for object"],
    ]
    assert hints == ["such as /build/x", "such as ~/x", "all"]
    assert dump(rules) == [
        "/build/x | /tmp | ",
        "/b | / | lib*",
        "/c | /none |   ! No such file or folder.",
    ]
    assert dump(folders) == ["/ | ", "/none | prog  ! No such folder."]


def test_invalid_rows_are_marked_and_kept(tmp_path: Path) -> None:
    """An invalid row is marked in its cell, tooltip and reason, and stays in the list."""
    (tmp_path / "file").touch()
    (tmp_path / "café").mkdir()
    here = str(tmp_path)
    rules = {
        ("/a", here, ""): (-1, ""),
        ("/a", f"{here}/file", ""): (-1, ""),
        ("/a", "~", ""): (-1, ""),
        ("", here, ""): (0, "Enter a recorded path; “.” means all relative paths."),
        ("", "", "prog"): (0, "Enter a recorded path; “.” means all relative paths."),
        ("/a", "", ""): (1, "Enter the path on this machine."),
        ("/a", f"{here}/none", ""): (1, "No such file or folder."),
        ("/a", "~no such/x", ""): (1, "No such file or folder."),
        ("/a", "~\0\ud800", ""): (1, "No such file or folder."),
    }
    folders = {
        (here, ""): (-1, ""),
        (f"{here}/café", "x*"): (-1, ""),
        ("~", ""): (-1, ""),
        ("", "prog"): (0, "Enter a folder."),
        (f"{here}/file", ""): (0, "Not a folder."),
        (f"{here}/none", ""): (0, "No such folder."),
        ("\0\ud800" * 9999, ""): (0, "No such folder."),
    }
    for model, expected in (
        (RuleRows([PathRule(*row) for row in rules]), rules),
        (FolderRows([SearchFolder(*row) for row in folders]), folders),
    ):
        found = {}
        for row, fields in enumerate(expected):
            cells = [model.index(row, column) for column in range(len(fields))]
            marked = [cell.column() for cell in cells if cell.data(PathRole.PROBLEM)]
            assert all(model.problem(row) in (cell.data(TIP) or "") for cell in cells)
            found[fields] = (marked[0] if marked else -1, model.problem(row))
        assert found == expected
        assert model.rows == tuple(expected)


def test_corrected_row_is_not_marked(tmp_path: Path) -> None:
    """Each change of a row is validated again."""
    model = RuleRows([PathRule("", "/none")])
    found = [model.problem(0)]
    for column, text in ((0, "/a"), (1, str(tmp_path)), (1, "")):
        model.set_text(0, column, text)
        found.append(model.problem(0))

    assert found == [
        "Enter a recorded path; “.” means all relative paths.",
        "No such file or folder.",
        "",
        "Enter the path on this machine.",
    ]


def test_blank_row_is_no_rule_and_there_is_one_at_most() -> None:
    """An empty row is neither invalid nor a rule."""
    model = RuleRows(RULES[:1])

    rows = [model.add(), model.add()]

    assert (rows, model.is_blank(1), model.problem(1)) == ([1, 1], True, "")
    assert model.rules == RULES[:1]


def test_each_change_is_signalled_once(qtbot: QtBot) -> None:
    """Every change is signalled once, and nothing if nothing changes."""
    model = FolderRows(FOLDERS)
    heard: list[tuple[SearchFolder, ...]] = []
    model.edited.connect(lambda: heard.append(model.folders))
    one, two = FOLDERS

    model.move(0, 1)
    model.move(1, 1)
    model.set_text(0, 1, "prog")
    model.set_text(0, 1, "")
    model.setData(model.index(1, 0), " / ")
    model.setData(model.index(1, 0), "/x", Qt.ItemDataRole.DisplayRole)
    model.remove([0])

    assert heard == [(two, one), (SearchFolder("/none"), one), (one,)]


def test_row_that_moves_stays_the_current_one() -> None:
    """Persistent indexes follow their row."""
    model = RuleRows(RULES)
    current = QPersistentModelIndex(model.index(2, 1))

    places = [model.move(2, -1), model.move(1, -1), model.move(0, -1)]
    model.remove([1])

    assert (places, current.row(), current.data()) == ([1, 0, 0], 0, "/none")


@pytest.mark.parametrize("name", NAMES)
def test_any_path_can_be_written(name: str) -> None:
    """The editor's text for a path survives Qt, and gives the same path."""
    model = RuleRows([PathRule(name, "/", name)])
    shown = [model.index(0, column).data(EDIT) for column in range(3)]
    model.set_text(0, 0, "")
    model.setData(model.index(0, 0), shown[0])

    assert shown == [to_editable(name), "/", to_editable(name)]
    assert model.rules == (PathRule(name, "/", name),)


@given(st.binary(max_size=20).map(os.fsdecode) | st.text("\\x5ce9\udce9", max_size=12))
def test_writing_a_path_loses_no_byte(name: str) -> None:
    """Escapes are undone exactly, even if the name itself contains one."""
    shown = to_editable(name)

    assert from_editable(shown) == name
    assert shown.encode("utf-8").decode("utf-8") == shown


def test_hostile_paths_are_shown_as_text() -> None:
    """A cell is one line of bounded length; a tooltip shows markup as text."""
    model = RuleRows([PathRule("<b>x</b>\n\x1b\udce9", "/" + "y" * 5000, "<img src=x>")])
    texts = [model.index(0, column).data() for column in range(3)]
    tips = [model.index(0, column).data(TIP) for column in (0, 2)]

    assert texts == [r"<b>x</b>\x0a\x1b\xe9", "/" + "y" * 399 + "…", "<img src=x>"]
    assert [tip.split("<br>")[0] for tip in tips] == [
        r"<qt>&lt;b&gt;x&lt;/b&gt;\x0a\x1b\xe9",
        "<qt>&lt;img src=x&gt;",
    ]


def test_folders_of_recorded_paths_are_offered_first() -> None:
    """Rules are mostly about folders: those of recorded paths are offered first, then the paths."""
    recorded = ["/b/x/a.c", "/b/x/y/[1]*.c", "src/a.c", "C:\\w\\a.c", "/b/x/a.c", "a.c", ""]

    assert suggested_paths(recorded) == [
        "/b",
        "/b/x",
        "/b/x/y",
        "C:/w",
        "src",
        "/b/x/a.c",
        "/b/x/y/[[]1][*].c",
        "C:\\w\\a.c",
        "a.c",
        "src/a.c",
    ]
    assert len(suggested_paths([f"/{number}/{'x/' * 99}" for number in range(5000)])) == 500


def test_offered_paths_are_shown_as_text(qapp: object) -> None:
    """A suggestion is displayed as a line of text; the path itself is inserted."""
    model = PathCompletions(suggested_paths(["/a\n\udce9\u202e"]))

    assert model.index(0).data() == r"/a\x0a\xe9\u202e"
    assert model.index(0).data(EDIT) == "/a\n\\xe9\u202e"


@pytest.mark.parametrize(
    ("recorded", "rules", "expected"),
    [
        ([], [], ""),
        (["/build/x/src/a.c"], [], "/build/x/src"),
        (["/build/x/src/a.c", "/build/x/include/a.h"], [], "/build/x"),
        (["/build/x/a.c", "/build/xy/a.c"], [], "/build"),
        (["/build/x/a.c", "/usr/a.c"], [], "/build/x"),
        (["/build/x/a.c", "/usr/a.c"], [PathRule("/build", "/tmp")], "/usr"),
        (["/build/x/a.c"], [PathRule("/*/x", "/tmp")], ""),
        (["src/a.c", "C:\\w\\x\\a.c", "/b/a.c", "c:/w/y/a.c"], [], "C:/w"),
        (["src/a.c", "/a.c", "/", ""], [], ""),
        (["/b[1]/\udce9/a.c"], [], "/b[[]1]/\\xe9"),
    ],
)
def test_first_suggestion_is_a_folder_without_a_rule(
    recorded: list[str], rules: list[PathRule], expected: str
) -> None:
    """A new rule starts with the folder of a missing file that no rule covers."""
    assert guess_original(recorded, rules) == expected
