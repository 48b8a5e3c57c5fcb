"""The dock Benchmarks on its own: its rows, words and order, and what keys and the mouse do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.benchmarks import NO_BENCHMARK_TABLE
from qcachegrind_py.present.suite import SuiteReport
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.benchmarks import NO_SUITES, BenchmarkView
from qcachegrind_py.views.tables.row_delegates import mark_width
from qcachegrind_py.views.widgets.controls import NoteLabel
from tests.profile_text import THIN, dump_rows, profile_text
from tests.user_input import (
    enabled_texts,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
    row_menu,
)

pytestmark = ignore_offscreen_warnings
COLUMNS = [NO_BENCHMARK_TABLE.place(key) for key in ("growth", "change", "name", "functions")]
SUITES = {
    # path of a benchmark: its own cost and that of a function they share, before and after
    "io/read.a": ((1000, 100), (1000, 150)),
    "io/read.b": ((1000, 200), (900, 300)),
    "text/read.b": ((5000, 0), (5000, 0)),
    "text/added": (None, (70, 7)),
    "text/gone": ((80, 8), None),
}


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders of benchmarks, of which `probe` changed in two."""
    both = tmp_path / "old", tmp_path / "new"
    for path, sides in SUITES.items():
        for folder, costs in zip(both, sides, strict=True):
            if costs is not None:
                file = folder / f"{path}.out"
                file.parent.mkdir(parents=True, exist_ok=True)
                text = f"run@a.c {costs[0]} -> probe 1x{costs[1]}\nprobe@src/hash.c {costs[1]}"
                file.write_text(profile_text(text), encoding="utf-8")
    return both


@pytest.fixture
def view(
    session: Session,
    folders: tuple[Path, Path],
    show_view: Callable[[BenchmarkView], BenchmarkView],
    qtbot: QtBot,
) -> BenchmarkView:
    """The dock, with both folders compared and the first pair open."""
    view = show_view(BenchmarkView(session, QAction("Compare Folders")))
    view.resize(1100, 500)
    with qtbot.waitSignal(session.opened):
        session.open_suites(*folders)
    settle(view, qtbot)
    return view


def settle(view: BenchmarkView, qtbot: QtBot) -> None:
    process_events()
    qtbot.waitUntil(lambda: view.session.jobs.is_idle)
    process_events()


def listed(view: BenchmarkView) -> list[str]:
    return [row.replace(THIN, " ") for row in dump_rows(view.model, *COLUMNS)]


def names(view: BenchmarkView) -> list[str]:
    return [row.split(" | ")[2] for row in listed(view)]


def report(view: BenchmarkView) -> SuiteReport:
    found = view.session.suite.state.report
    assert found is not None
    return found


def marks(view: BenchmarkView) -> dict[str, str]:
    """What is said behind the names of benchmarks, where something is."""
    said = {each.name: view.model.table.mark(row) for row, each in enumerate(report(view).rows)}
    return {name: mark for name, mark in said.items() if mark}


def opened(view: BenchmarkView) -> tuple[list[str], list[str]]:
    """The files that are open, and those of their base."""
    base = view.session.comparing.base
    sides = ((), view.session.paths) if base is None else (base.chosen.paths, view.session.paths)
    return tuple(["/".join(path.parts[-3:]) for path in side] for side in sides)  # type: ignore[return-value]


def test_rows(view: BenchmarkView) -> None:
    """Changes in percent come first by their size, then new and gone ones, then equal ones.

    Of equal ones the costliest is the first.
    """
    assert listed(view) == [
        "+4.55 % | +50 | read.a | probe +50",
        "new | +77 | added | ",
        "gone | −88 | gone | ",
        " |  | text/read.b | ",
        " |  | io/read.b | run −100, probe +100",
    ]


def test_findings_and_counts_stand_above(view: BenchmarkView) -> None:
    """A change of one function in two benchmarks is one line, whose tip has the path of the file.

    The last line has the counts.
    """
    lines = [each.text() for each in view.findChildren(NoteLabel) if each.isVisible()]
    assert "probe (src/hash.c:" in view.findings[0].toolTip()
    assert lines[0].startswith("Grew: probe (hash.c:")
    assert "in 2 benchmarks" in lines[0]
    assert lines[-1].endswith("in Ir. 5 benchmarks: 1 grew, 2 equal, 1 new, 1 gone")


def test_the_largest_change_is_opened_and_marked(view: BenchmarkView) -> None:
    """Its comparison is the open profile, and its row says so, to screen readers as well."""
    assert opened(view) == (["old/io/read.a.out"], ["new/io/read.a.out"])
    assert marks(view) == {"io/read.a": "open"}


def test_return_opens_a_pair_and_the_list_stays(view: BenchmarkView, qtbot: QtBot) -> None:
    """Keys suffice."""
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_End)
    with qtbot.waitSignal(view.session.opened):
        QTest.keyClick(view.table, Qt.Key.Key_Return)
    settle(view, qtbot)
    assert opened(view) == (["old/io/read.b.out"], ["new/io/read.b.out"])
    assert marks(view) == {"io/read.b": "open"}


@pytest.mark.parametrize(
    ("name", "files"),
    [("added", "new/text/added.out"), ("gone", "old/text/gone.out")],
)
def test_a_benchmark_of_one_side_opens_alone(
    view: BenchmarkView, qtbot: QtBot, name: str, files: str
) -> None:
    """There is nothing to compare it with."""
    record = [each.name for each in report(view).rows].index(f"text/{name}")
    with qtbot.waitSignal(view.session.opened):
        view.table.doubleClicked.emit(view.model.index_of_record(record))
    settle(view, qtbot)
    assert opened(view) == ([], [files])


def test_the_open_pair_is_not_read_again(view: BenchmarkView, qtbot: QtBot) -> None:
    """Return on its row does nothing."""
    with qtbot.assertNotEmitted(view.session.opening):
        view.session.suite.open_row(view.session.suite.open_place or 0)


def test_search(view: BenchmarkView) -> None:
    """Whole names are searched; Escape shows all again."""
    view.search.setText("io/")
    assert names(view) == ["read.a", "io/read.b"]
    assert view.search.found_text == "2 of 5 benchmarks"
    view.search.setText("nothing")
    assert listed(view) == []
    view.search.setFocus()
    QTest.keyClick(view.search, Qt.Key.Key_Escape)
    assert len(listed(view)) == 5


def test_the_menu_opens_a_comparison(view: BenchmarkView) -> None:
    """It has that and what all lists have."""
    texts = inspect_menu(row_menu(view.table, 0), enabled_texts)
    assert texts[0] == "Open Comparison"


def test_without_suites(
    session: Session, show_view: Callable[[BenchmarkView], BenchmarkView]
) -> None:
    """The dock says why it is empty, and a button asks for the folders."""
    asked: list[bool] = []
    action = QAction("Compare Folders")
    action.triggered.connect(lambda: asked.append(True))
    view = show_view(BenchmarkView(session, action))
    assert view.message == NO_SUITES
    (button,) = view.findChildren(QPushButton)
    button.click()
    assert len(asked) == 1


def test_a_folder_without_profiles(
    session: Session, folders: tuple[Path, Path], tmp_path: Path, qtbot: QtBot
) -> None:
    """It is named, and nothing is opened."""
    (tmp_path / "empty").mkdir()
    with qtbot.waitSignal(session.failed) as failed:
        session.open_suites(folders[0], tmp_path / "empty")
    assert "empty is a folder without profiles." in str(failed.args[0])
    assert not session.suite.is_open


def test_comparing_can_be_stopped(
    session: Session, folders: tuple[Path, Path], qtbot: QtBot
) -> None:
    """What was open stays."""
    with qtbot.waitSignal(session.ended):
        session.open_suites(*folders)
        session.cancel()
    qtbot.waitUntil(lambda: session.jobs.is_idle)
    assert not session.suite.is_open
    assert session.loaded is None


def test_the_open_benchmark_has_its_whole_name(
    view: BenchmarkView, tmp_path: Path, qtbot: QtBot
) -> None:
    """Its name and its mark come before the functions that explain it, which are cut."""
    name, function = "a_name_of_twenty_four_in", "a_function::" * 9
    for side, cost in (("base", 1), ("after", 2)):
        (tmp_path / side).mkdir()
        text = profile_text(f"{function} {cost}")
        (tmp_path / side / f"{name}.out").write_text(text, encoding="utf-8")
    with qtbot.waitSignal(view.session.opened):
        view.session.open_suites(tmp_path / "base", tmp_path / "after")
    settle(view, qtbot)
    column = NO_BENCHMARK_TABLE.place("name")
    index = view.model.index(0, column)
    assert index.data() == name
    table = view.table
    needed = table.fontMetrics().horizontalAdvance(name) + mark_width(table.font(), "open")
    for width in (900, 1100):
        view.resize(width, 500)
        process_events()
        assert table.columnWidth(column) > needed
        assert table.columnWidth(NO_BENCHMARK_TABLE.place("functions")) > needed / 3
