"""The dialogs of files: properties, the profiles of a folder, and the revisions of a history."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextTable
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.facts import profile_facts
from qcachegrind_py.analysis.history import Revision
from qcachegrind_py.app.files.dialogs import (
    ProfileChoiceModel,
    PropertiesDialog,
    RevisionTableModel,
)
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.formats.loading import load
from qcachegrind_py.formats.run_files import FoundProfile
from qcachegrind_py.present.facts import head_facts
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.session.history import by_name, by_time
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.views.active_function import ActiveFunctionHeader
from qcachegrind_py.visible_text import visible_text
from qcachegrind_py.write.text import write_facts
from tests.profile_rows import DATA
from tests.profile_text import EXAMPLE, THIN, dump_rows
from tests.user_input import ignore_offscreen_warnings, process_events

OpenFile = Callable[..., None]
pytestmark = ignore_offscreen_warnings
THREADS = [DATA / f"separate-threads/callgrind.out.22265-0{number}" for number in (1, 2, 3)]


def tables(page: QTextEdit) -> list[list[str]]:
    """The rows of each table on the page, with bars between the cells."""
    found = []
    for frame in page.document().rootFrame().childFrames():
        assert isinstance(frame, QTextTable)
        rows = [
            [cell_text(frame, row, column) for column in range(frame.columns())]
            for row in range(frame.rows())
        ]
        found.append([" | ".join(row) for row in rows])
    return found


def cell_text(table: QTextTable, row: int, column: int) -> str:
    cell = table.cellAt(row, column)
    cursor = cell.firstCursorPosition()
    cursor.setPosition(cell.lastPosition(), cursor.MoveMode.KeepAnchor)
    return cursor.selectedText()


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


def dialog_of(path: Path, parent: QWidget) -> PropertiesDialog:
    """The dialog about a file."""
    return PropertiesDialog(profile_facts(load(path)), NumberStyle(group_separator=""), parent)


def opened(window: MainWindow) -> PropertiesDialog:
    """The dialog, opened by its action."""
    window.actions_["properties"].trigger()
    (dialog,) = window.findChildren(PropertiesDialog)
    return dialog


def test_facts_of_a_run_of_three_threads(window: MainWindow, open_file: OpenFile) -> None:
    """Facts, events and parts are three tables; numbers have the window's digit groups."""
    assert not window.actions_["properties"].isEnabled()
    open_file(*THREADS)
    dialog = opened(window)
    facts, events, function, parts = tables(dialog.page)
    dialog.close()

    sizes = [f"{path} ({path.stat().st_size:,} bytes)".replace(",", THIN) for path in THREADS]
    reading = facts.pop(8)
    assert facts == [
        f"File | {sizes[0]}",
        f" | {sizes[1]}",
        f" | {sizes[2]}",
        "Creator | callgrind-3.19.0",
        "Command | /corpus/a-small/bin/threads-O2",
        "Process | 22265",
        "Contents | 282 functions in 221 files of 4 objects",
        f"Calls | 1{THIN}300",
        "Percentages | of the recorded total",
    ]
    assert reading.startswith("Reading time | ")
    assert reading.endswith("s")
    assert events == [
        "Event | Attributed | Recorded | Meaning",
        f"Ir | 215{THIN}459 | 215{THIN}459 | Instruction Fetch",
    ]
    assert [row.split(" | ")[0] for row in function] == ["Name", "Object", "Source files"]
    ends = "Program termination | Basic block 0–37105 | callgrind.out.22265"
    assert parts == [
        "PID | Part | Thread | Ir | Trigger | Time Range | File",
        f"22265 | 1 | 1 | 133{THIN}508 | {ends}-01",
        f"22265 | 1 | 2 | 18{THIN}226 | {ends}-02",
        f"22265 | 1 | 3 | 63{THIN}725 | {ends}-03",
    ]


def test_facts_of_the_new_side_of_a_comparison(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot
) -> None:
    """Base and new are open together; events that the base alone has are not among the facts."""
    base, new = tmp_path / "base", tmp_path / "new"
    base.write_text("# callgrind format\nevents: Ir Zz\nfn=f\n1 70 7\n")
    new.write_text("# callgrind format\nevents: Ir\nfn=f\n1 50\n")
    open_file(new)
    window.session.comparing.compare_with(ProfileFiles((base,)))
    qtbot.waitUntil(lambda: window.session.comparison is not None)
    facts, events, *_rest = tables(opened(window).page)

    assert facts[0].startswith(f"File | {new}")
    assert [row.split(" | ")[:2] for row in events] == [["Event", "Attributed"], ["Ir", "50"]]


def test_numbers_are_as_the_settings_say(parent: QWidget) -> None:
    """Digit groups and what percentages are of follow the settings."""
    facts = profile_facts(load(EXAMPLE))
    style = NumberStyle(group_separator=".")
    dialog = PropertiesDialog(facts, style, parent, of_recorded=False)
    rows, events = tables(dialog.page)

    assert rows[-1] == "Percentages | of the sum of the self costs"
    assert events[1] == "Ir | 1.866.859 | 1.866.861 | Instruction Fetch"


def test_copy_copies_all_as_text(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    """The button copies the head of a text report, with all parts."""
    path = tmp_path / "callgrind.out.1"
    path.write_text("".join(f"events: Ir\npart: {n}\nfn=f\n1 1\n" for n in range(1, 31)))
    facts = profile_facts(load(path))
    dialog = PropertiesDialog(facts, NumberStyle(), window)
    dialog.show()
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    dialog.close()

    report = io.StringIO()
    write_facts(head_facts(facts, max_parts=None), report)
    assert copied == report.getvalue()
    assert copied.endswith("part 30\n")


@pytest.mark.parametrize(
    "name", ["<b>bold</b><img src=x>", "a\N{RIGHT-TO-LEFT OVERRIDE}b", "a\tb\x1b[2Jc", "x" * 9999]
)
def test_names_are_plain_text(parent: QWidget, tmp_path: Path, name: str) -> None:
    """Markup is shown as it is, other characters are escaped, and long texts are cut."""
    path = tmp_path / "callgrind.out.1"
    header = f"creator: {name}\ncmd: {name}\ndesc: {name}: {name}\ndesc: Trigger: {name}\n"
    path.write_text(f"{header}events: {name[:50]}\nfn=f\n1 2\n{header}fn=f\n1 2\n")
    dialog = dialog_of(path, parent)
    cells = [cell for table in tables(dialog.page) for row in table for cell in row.split(" | ")]

    assert all(cell.isprintable() and len(cell) <= 4001 for cell in cells)
    expected = visible_text(name)
    shown = expected if len(expected) <= 4000 else expected[:4000] + "…"
    assert cells.count(shown) >= 3


def test_hundreds_of_parts_can_be_scrolled(qtbot: QtBot, parent: QWidget, tmp_path: Path) -> None:
    """The dialog stays as it is, and the page scrolls with the keyboard."""
    path = tmp_path / "callgrind.out.1"
    path.write_text("".join(f"events: Ir\npart: {n}\nfn=f\n1 1\n" for n in range(1, 301)))
    dialog = dialog_of(path, parent)
    dialog.resize(600, 400)
    dialog.show()
    page = dialog.page
    process_events()
    qtbot.keyClick(page, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    bar = page.verticalScrollBar()

    assert len(tables(page)[2]) == 301
    assert bar.maximum() > page.height()
    assert bar.value() > 0.9 * bar.maximum()
    assert page.horizontalScrollBar().maximum() == 0


def test_more_parts_than_can_be_laid_out_are_counted(parent: QWidget, tmp_path: Path) -> None:
    """A table of thousands of parts would take seconds; the last line tells how many are left."""
    path = tmp_path / "callgrind.out.1"
    path.write_text("".join(f"events: Ir\npart: {n}\nfn=f\n1 1\n" for n in range(1, 1008)))
    dialog = dialog_of(path, parent)
    page = dialog.page

    assert len(tables(page)[2]) == 1001
    assert page.toPlainText().endswith("… and 7 more")


def test_all_source_files_of_the_active_function(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot
) -> None:
    """The function's own file comes first, then those that code was inlined from, without limit."""
    headers = [f"inc/{number:02}.h" for number in range(12)]
    inlined = "".join(f"fi={header}\n1 1\n" for header in reversed(headers))
    path = tmp_path / "callgrind.out.1"
    path.write_text(f"events: Ir\nob=/bin/p\nfl=src/a.c\nfn=f\n1 100\n{inlined}")
    open_file(path)
    dialog = opened(window)
    found = tables(dialog.page)[-1]
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    dialog.close()

    assert found == [
        "Name | f",
        "Object | /bin/p",
        "Source files | src/a.c",
        *(f" | {header}" for header in headers),
    ]
    assert copied.endswith(f"Source files: {headers[-2]}\nSource files: {headers[-1]}\n")
    header = window.centralWidget()
    assert isinstance(header, ActiveFunctionHeader)
    tip = header.location_label.toolTip()
    assert [line for line in headers if line in tip] == headers[:6]
    assert "… and 6 more files" in tip


FOLDER = Path("/home/me/runs")
FOUND = [
    FoundProfile(FOLDER / "a/callgrind.out.7", "./a <b>\nx", 2048, 10**9, 3),
    FoundProfile(FOLDER / "x", "", 0, 0, 1),
]


@pytest.fixture
def choices(qapp: object) -> ProfileChoiceModel:
    model = ProfileChoiceModel(FOLDER, FOUND)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    return model


def test_a_row_says_which_files_they_are(choices: ProfileChoiceModel) -> None:
    """Names are relative to the folder, with the number of further files; all text is plain."""
    titles = [
        choices.headerData(c, Qt.Orientation.Horizontal) for c in range(choices.columnCount())
    ]

    assert titles == ["File", "Program", "Written", "Size"]
    assert dump_rows(choices, 0, 1) == [
        r"a/callgrind.out.7  (+2) | ./a <b>\x0ax",
        "x | ",
    ]
    assert dump_rows(choices, 3) == ["2.0 KiB", "0 bytes"]
    tip = choices.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith("<qt>/home/me/runs/a/callgrind.out.7<br>./a &lt;b&gt;")


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
