"""The Explain Change dock on its own: sums, remarks, lines, and why it is empty."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.context import CostUnit, Position
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import NodeId, PartId, TextId
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.explain_change import NOTHING_COMPARED, ExplainChange
from qcachegrind_py.views.tables.table_actions import table_export
from qcachegrind_py.views.widgets.empty_page import NO_FUNCTION_CHOSEN
from tests.columns import CONTRIBUTIONS, LINES
from tests.profile_text import THIN, dump_rows
from tests.seen_cell import SeenCell
from tests.user_input import (
    enabled_texts,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
    row_menu,
)

pytestmark = ignore_offscreen_warnings
Draw = Callable[..., Path]
Compared = Callable[..., ExplainChange]
BASE = """
    main@a.c 10 -> f 10x300, g 1x50
    f@a.c 300
    g@a.c 20 -> h 1x30, g 2x5
    h@a.c 30 -> i 1x10
    i@a.c 10 -> h 1x5
    """
NEW = """
    main@a.c 13 -> f 20x600, g 1x60, young 1x4
    f@a.c 600
    g@a.c 20 -> h 1x40, g 2x5
    h@a.c 30 -> i 1x10
    i@a.c 20 -> h 1x5
    young@a.c 4
    """
CHANGE, NAME = CONTRIBUTIONS.CHANGE, CONTRIBUTIONS.NAME


@pytest.fixture
def compared(
    session: Session,
    draw: Draw,
    open_profile: Callable[..., None],
    show_view: Callable[[ExplainChange], ExplainChange],
    qtbot: QtBot,
) -> Compared:
    """Return a function that shows the view of two profiles, given as text or files."""

    def compared(base: str | Path = BASE, new: str | Path = NEW) -> ExplainChange:
        view = show_view(ExplainChange(session, QAction("Compare")))
        paths = [
            side if isinstance(side, Path) else draw(side, name)
            for side, name in ((base, "callgrind.out.1"), (new, "callgrind.out.2"))
        ]
        open_profile(paths[1], own_parts=False)
        assert view.message == NOTHING_COMPARED
        session.comparing.compare_with(ProfileFiles((paths[0],), with_siblings=False))
        qtbot.waitUntil(lambda: session.comparison is not None)
        process_events()
        return view

    return compared


def go_to(session: Session, name: str) -> None:
    """Make a function active, or the first cycle."""
    assert session.queries is not None
    names = session.queries.names
    cycle = NodeId(session.queries.function_count)
    session.navigation.select_function(cycle if name == "cycle" else names.with_name(name)[0])
    process_events()


def sums(view: ExplainChange) -> str:
    """The sums above the list, with usual spaces."""
    return view.headline.sums.text().replace("\N{NARROW NO-BREAK SPACE}", " ")


def cells(view: ExplainChange, *columns: int) -> list[str]:
    return [row.replace(THIN, " ") for row in dump_rows(view.model, *columns)]


def test_sums_add_up(session: Session, compared: Compared) -> None:
    """Above the list: both sides, the change, and the terms that it is the sum of."""
    view = compared()
    texts = {}
    for name in ("main", "young", "g", "h", "cycle"):
        go_to(session, name)
        texts[name] = sums(view), view.headline.remarks.text()

    assert texts == {
        "main": ("Incl. 360 → 677: +317 (+88.06 %) = self +3 + calls +314", ""),
        "young": (
            "Incl. 0 → 4: +4 (new) = self +4 + calls 0",
            "Only the new side has this function.",
        ),
        "g": ("Incl. 50 → 60: +10 (+20.00 %) = self 0 + calls +10", ""),
        "h": (
            "Incl. 30, unchanged",
            "It is in <cycle 1>: calls within it have no cost of their own.",
        ),
        "cycle": (
            "Incl. 40 → 50: +10 (+25.00 %) = members +10",
            "The self cost of a cycle is part of its members.",
        ),
    }


def test_parts_of_one_profile(
    session: Session,
    tmp_path: Path,
    open_profile: Callable[..., None],
    show_view: Callable[[ExplainChange], ExplainChange],
    qtbot: QtBot,
) -> None:
    """Two dumps of one run are explained like two runs."""
    path = tmp_path / "callgrind.out.1"
    part = "part: {0}\nevents: Ir\nfn=main\n1 {1}\ncfn=f\ncalls={2} 1\n1 {3}\nfn=f\n1 {3}\n"
    path.write_text(part.format(1, 10, 1, 5) + part.format(2, 30, 3, 15), encoding="utf-8")
    view = show_view(ExplainChange(session, QAction("Compare")))
    open_profile(path)
    session.comparing.use_parts_as_base([PartId(0)])
    qtbot.waitUntil(lambda: session.comparison is not None)
    process_events()

    assert sums(view) == "Incl. 15 → 45: +30 (+200.00 %) = self +20 + calls +10"
    assert cells(view, CONTRIBUTIONS.COUNT, NAME) == [" | Self", "1 → 3 | f"]


def test_rows_are_counts(session: Session, compared: Compared, qtbot: QtBot) -> None:
    """In any unit of costs, as they add up; tips have the percentage of the base's total.

    A call leads to its function, Self to its lines; only callees have marks. Once nothing is
    compared, the view lets go of both profiles.
    """
    view = compared()
    assert session.navigation.context.unit is CostUnit.PERCENT
    tip = view.model.index(0, CHANGE).data(Qt.ItemDataRole.ToolTipRole)
    rows = {
        name: (
            SeenCell(view.model.index(row, NAME)).mark,
            inspect_menu(row_menu(view.table, row), enabled_texts)[0],
        )
        for row, name in enumerate(cells(view, NAME))
    }

    assert cells(view, CHANGE, NAME) == ["+300 | f", "+10 | g", "+4 | young", "+3 | Self"]
    assert view.model.columns[CHANGE].heading.strip() == "Change"
    assert "+300 Ir (+81.08 % of the base)" in tip.replace(THIN, " ")
    assert rows == {
        "f": ("", "Go to Function"),
        "g": ("", "Go to Function"),
        "young": ("new", "Go to Function"),
        "Self": ("", "Show or Hide Lines"),
    }
    session.comparing.stop()
    qtbot.waitUntil(lambda: session.comparison is None)
    process_events()
    assert (view.message, view.model.rowCount()) == (NOTHING_COMPARED, 0)


def test_what_cannot_be_explained(session: Session, compared: Compared, qtbot: QtBot) -> None:
    """Ratios, an event of one side and no function: the view says so, and what to do."""
    view = compared(
        "events: Ir Dr\nmain 10,1 -> f 1x5,1\nf 5,1", "events: Ir Dw\nmain 10,1 -> f 1x5,1\nf 5,1"
    )
    session.set_user_events([UserEvent("R", "Ratio", "Ir / Dr")])
    assert session.queries is not None
    messages = {}
    for event in map(session.queries.events.find, ("Ir", "Dr", "Dw", "R")):
        assert event is not None
        session.navigation.set(event=event)
        process_events()
        messages[event.name] = view.message.partition("\n")[0]
    session.navigation.set(event=session.queries.events.find("Ir"), function=NodeId(-1))
    process_events()

    assert messages == {
        "Ir": "",
        "Dr": "Only the base has Dr.",
        "Dw": "Only the new side has Dw.",
        "R": "A ratio is no sum: the changes of calls do not add up to its change.",
    }
    assert view.message == NO_FUNCTION_CHOSEN


# ---------------------------------------------------------------- lines


@pytest.fixture
def two_builds(tmp_path: Path) -> tuple[Path, Path]:
    """The profiles of two checkouts with their sources; the new one has a line on top."""
    sources = "f() {\n  work();\n}\n", "// why\nf() {\n  work();\n}\n"
    profiles = ("1 5\n2 10\n", 1), ("2 5\n3 30\n", 2)
    paths = []
    for folder, source, (rows, g) in zip(("old", "new"), sources, profiles, strict=True):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "f.c").write_text(source, encoding="utf-8")
        path = tmp_path / folder / "callgrind.out.1"
        path.write_text(f"events: Ir\nfl=f.c\nfn=f\n{rows}cfn=g\ncalls=1 1\n3 7\nfn=g\n{g} 7\n")
        paths.append(path)
    return paths[0], paths[1]


def wait_for_lines(view: ExplainChange, qtbot: QtBot) -> list[str]:
    """The lines, once they are loaded."""
    qtbot.waitUntil(lambda: not view.session.jobs.is_running("lines of self"))
    process_events()
    rows = dump_rows(view.lines.model)
    return [row.replace(THIN, " ") for row in rows]


def test_self_opens_to_its_lines(
    session: Session, compared: Compared, two_builds: tuple[Path, Path], qtbot: QtBot
) -> None:
    """Return on Self, or the button, shows lines paired by text; again hides them."""
    view = compared(*two_builds)
    view.table.setFocus()
    assert view.table.is_self(view.table.currentIndex())
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    shown = wait_for_lines(view, qtbot)
    is_open = view.lines.isVisible()
    QTest.keyClick(view.table, Qt.Key.Key_Return)

    assert shown == ["+20 | 10 | 30 | 2 → 3 | work();", " | 5 | 5 | 1 → 2 | f() {"]
    assert (is_open, view.lines.isVisible(), view.headline.lines_button.isChecked()) == (
        True,
        False,
        False,
    )
    assert view.lines.note.isHidden()


def test_text_from_outside_is_left_out_of_saved_lines(
    compared: Compared, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, qtbot: QtBot
) -> None:
    """Lines keep their numbers and costs; a copy has what is on the screen."""
    outside = tmp_path_factory.mktemp("outside") / "secret.c"
    outside.write_text("return x;\n")
    paths = [tmp_path / "callgrind.out.1", tmp_path / "callgrind.out.2"]
    for path, cost in zip(paths, (5, 7), strict=True):
        path.write_text(f"events: Ir\nfl={outside}\nfn=f\n1 {cost}\n")
    view = compared(*paths)
    view.headline.lines_button.click()
    wait_for_lines(view, qtbot)
    table = view.lines.table
    copied = table_export(table)(NoProgress())
    saved = table_export(table, is_for_writing=True)(NoProgress())

    assert (copied.rows, copied.withheld) == ([(2, 5, 7, 1, "return x;")], ())
    assert saved.rows == [(2, 5, 7, 1, "")]
    assert [file.path for file in saved.withheld] == [str(outside)]


def test_a_line_is_found_in_the_source(
    session: Session, compared: Compared, two_builds: tuple[Path, Path], qtbot: QtBot
) -> None:
    """The line that the user moves to is highlighted in all views of code."""
    view = compared(*two_builds)
    view.headline.lines_button.click()
    wait_for_lines(view, qtbot)
    view.lines.table.setFocus()
    QTest.keyClick(view.lines.table, Qt.Key.Key_Down)
    position = session.navigation.context.position

    assert session.queries is not None
    file = session.queries.profile.texts.index_of("f.c")
    assert position in (Position(TextId(file), 3), Position(TextId(file), 2))


def test_lines_follow_the_active_function(
    session: Session, compared: Compared, two_builds: tuple[Path, Path], qtbot: QtBot
) -> None:
    """While they are open; a function whose lines cost the same has them, too."""
    view = compared(*two_builds)
    view.headline.lines_button.click()
    first = wait_for_lines(view, qtbot)
    go_to(session, "g")
    second = wait_for_lines(view, qtbot)

    assert len(first) == 2
    assert [row.split(" | ")[0] for row in second] == [""]
    assert view.lines.model.index(0, LINES.LINE).data() == f"1{THIN}→{THIN}2"


def test_a_cycle_has_no_lines(session: Session, compared: Compared) -> None:
    """The button says why; the lines come back with a function."""
    view, states = compared(), []
    view.headline.lines_button.click()
    for name in ("main", "cycle", "main"):
        go_to(session, name)
        states.append((view.headline.lines_button.isEnabled(), view.lines.isVisible()))

    assert states == [(True, True), (False, False), (True, True)]
