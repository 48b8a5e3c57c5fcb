"""The source of both sides of a comparison, as small as possible: what leaves the table."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint
from PySide6.QtGui import QColor, QGuiApplication, QHelpEvent, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.code.source_view import SourceView
from qcachegrind_py.views.common.bar_color import RowGround, change_color
from tests.moved_function import write_moved_function
from tests.profile_text import THIN
from tests.user_input import LEFT, NONE, choose_action, ignore_offscreen_warnings, row_menu
from tests.views.code.code_rows_text import row_of, rows
from tests.views.code.conftest import ShowCode, WriteFiles

pytestmark = ignore_offscreen_warnings  # of menus and tips
Compare = Callable[..., SourceView]
OLD = "int f() {\n  gone();\n  same();\n}\n"
NEW = "int f() {\n  same();\n  added();\n}\n"
BASE_COSTS = "1 3\n2 20\n3 10\ncfn=g\ncalls=2 90\n3 60\nfn=g\n90 60\n"
NEW_COSTS = "1 3\n2 10\ncfn=g\ncalls=3 90\n2 90\n3 7\nfn=g\n90 90\n"


@pytest.fixture
def compared(
    show_code: ShowCode,
    write_files: WriteFiles,
    session: Session,
    settle: Callable[[Any], None],
    qtbot: QtBot,
    tmp_path: Path,
) -> Compare:
    """Show the source of f, whose profiles and texts are in folders of their own."""

    def compared(
        base: str = BASE_COSTS, new: str = NEW_COSTS, events: tuple[str, str] = ("Ir", "Ir")
    ) -> SourceView:
        write_files({"old/f.c": OLD, "new/f.c": NEW})
        paths = []
        for side, costs, names in (("old", base, events[0]), ("new", new, events[1])):
            paths.append(tmp_path / side / "callgrind.out.1")
            paths[-1].write_text(f"events: {names}\nfl=f.c\nfn=f\n{costs}", encoding="utf-8")
        view: SourceView = show_code("source", paths[1], "f", rules=())
        session.comparing.compare_with(ProfileFiles((paths[0],)))
        qtbot.waitUntil(lambda: session.comparison is not None)
        settle(view)
        return view

    return compared


def copied(view: SourceView, kind: str) -> list[str]:
    """The lines of the table as the menu copies it."""
    choose_action(row_menu(view.table, row_of(view, "1")), kind)
    return QGuiApplication.clipboard().text().splitlines()


# ---------------------------------------------------------------- copying and saving


def test_copied_as_it_is_on_the_screen(compared: Compare) -> None:
    """Changes have signs, counts are those of both sides, and lines of one side are marked."""
    view = compared()

    assert [line.replace(THIN, "") for line in copied(view, "Copy Table as Text")] == [
        "Line\tSelf ±\tIncl. ±\tBase\tNew\tCalls\t\tSource",
        "1\t\t\t3\t3\t\t\tint f() {",
        "−2\t−20\t−20\t20\t\t\t\t  gone();",
        "2\t\t+30\t70\t100\t2→3\t\t  same();",
        "\t\t+30\t60\t90\t2→3\t\tg  f.c",
        "+3\t+7\t+7\t\t7\t\t\t  added();",
        "4\t\t\t\t\t\t\t}",
    ]


def test_copied_for_other_programs(compared: Compare) -> None:
    """Titles say that costs are changes; numbers are plain, and words tell one side's lines."""
    view = compared()

    assert copied(view, "Copy Table as CSV") == [
        "Line,Self ±,Incl. ±,Base,New,Calls,Jumps,Source",
        "1,,,3,3,0,,int f() {",
        "2 (gone),-20,-20,20,,0,,  gone();",
        "2,,30,70,100,2 → 3,,  same();",
        ",,30,60,90,2 → 3,,g",
        "3 (new),7,7,,7,0,,  added();",
        "4,,,,,0,,}",
    ]


def test_a_function_that_was_moved(
    show_code: ShowCode,
    session: Session,
    settle: Callable[[Any], None],
    qtbot: QtBot,
    tmp_path: Path,
) -> None:
    """Its lines in the old file are those of the new one, and so is what was inlined in them."""
    base, new = write_moved_function(tmp_path)
    view: SourceView = show_code("source", new, "f", rules=())
    session.comparing.compare_with(ProfileFiles((base,)))
    qtbot.waitUntil(lambda: session.comparison is not None)
    settle(view)
    choose_action(row_menu(view.table, row_of(view, "4")), "Copy Table as CSV")

    assert QGuiApplication.clipboard().text().splitlines() == [
        "Line,Self ±,Incl. ±,Base,New,Calls,Jumps,Source",
        '1,,,,,0,,"#include ""x.h"""',
        '2,,,,,0,,"#include ""y.h"""',
        "3,,,,,0,,/* how much */",
        "4,,,3,3,0,,int f(int n) {",
        "5,,,1,1,0,,  int s = 0;",
        "10 (gone),-20,-20,20,,0,,  s += slow(n);",
        "6 (new),12,12,,12,0,,  s += fast(n);",
        "7,,,4,4,0,,  s += twice(n);",
        "x.h:2,,,5,5,0,,  return n + n;",
        "8,,,2,2,0,,  return s;",
        "9,,,,,0,,}",
        "10,,,,,0,,",
        "11,,,,,0,,int other(int n) {",
        "12,,,,,0,,  return n;",
        "13,,,,,0,,}",
    ]


def test_a_gone_line_of_a_function_that_was_moved(
    show_code: ShowCode,
    session: Session,
    settle: Callable[[Any], None],
    qtbot: QtBot,
    tmp_path: Path,
) -> None:
    """Other views find it by the file that it was in, and it is found by that file."""
    base, new = write_moved_function(tmp_path)
    view: SourceView = show_code("source", new, "f", rules=())
    session.comparing.compare_with(ProfileFiles((base,)))
    qtbot.waitUntil(lambda: session.comparison is not None)
    settle(view)
    record = next(r for r in range(16) if view.model.listing.texts.is_gone(r))
    position = view.model.listing.texts.position_of(record)

    assert session.comparison is not None
    texts = session.comparison.queries.profile.texts
    assert (texts[position.file], position.line, position.in_base) == ("a.c", 10, True)
    assert np.flatnonzero(view.model.listing.texts.records_at(position)).tolist() == [record]


def test_copied_without_a_comparison(
    compared: Compare, session: Session, settle: Callable[[Any], None], qtbot: QtBot
) -> None:
    """The same table has no signs, words and titles of a comparison after it."""
    view = compared()
    session.comparing.stop()
    qtbot.waitUntil(lambda: session.comparison is None)
    settle(view)

    assert copied(view, "Copy Table as CSV") == [
        "Line,Self,Incl.,Calls,Jumps,Source",
        "1,3,3,0,,int f() {",
        "2,10,100,3,,  same();",
        ",,90,3,,g",
        "3,7,7,0,,  added();",
        "4,,,0,,}",
    ]


# ---------------------------------------------------------------- the ruler


def ruler_colors(view: SourceView) -> list[str]:
    """The colour of the ruler beside each row: + like growth, − like shrinkage, or none."""
    ruler, table = view.panel.ruler, view.table
    image, palette = ruler.grab().toImage(), ruler.palette()
    top, height = ruler.contentsRect().top(), ruler.contentsRect().height()
    count = view.model.rowCount()
    base = palette.color(QPalette.ColorRole.Base)
    signs = {True: "+", False: "−"}
    found = []
    for row in range(count):
        color = image.pixelColor(3, top + round((row + 0.5) * height / count))
        nearest = {
            distance(color, change_color(palette, RowGround.PLAIN, is_growth=sign)): signs[sign]
            for sign in signs
        }
        found.append("" if color == base else nearest[min(nearest)])
    assert table.model().rowCount() == len(found)
    return found


def distance(one: QColor, other: QColor) -> float:
    """How far apart the hues of two colours are."""
    apart = abs(one.hueF() - other.hueF())
    return min(apart, 1 - apart)


@pytest.mark.parametrize("unit", [CostUnit.ABSOLUTE, CostUnit.SHARES, CostUnit.PER_CALL])
def test_the_ruler_shows_growth_and_shrinkage(
    unit: CostUnit, compared: Compare, navigation: Navigation, settle: Callable[[Any], None]
) -> None:
    """In the colours of changes, where the lines are; calls are part of their line.

    By calls of f, which are unknown here, nothing has a change.
    """
    view = compared()
    navigation.set(unit=unit)
    settle(view)

    changes = {CostUnit.ABSOLUTE: " -+ +", CostUnit.SHARES: "--+ +"}.get(unit, "")
    expected = [sign.strip().replace("-", "−") for sign in f"{changes:6}"]
    assert ruler_colors(view) == expected


def test_the_largest_change_has_the_strongest_mark(
    compared: Compare, navigation: Navigation, settle: Callable[[Any], None]
) -> None:
    """Also where changes are small numbers, such as points of shares."""
    large = "fn=h\n90 1000000\n"  # so that all changes of f are small shares
    view = compared(BASE_COSTS + large, NEW_COSTS + large)
    strongest = []
    for unit in CostUnit.ABSOLUTE, CostUnit.SHARES:
        navigation.set(unit=unit)
        settle(view)
        ruler = view.panel.ruler
        image, rect = ruler.grab().toImage(), ruler.contentsRect()
        strongest.append(image.pixelColor(3, rect.top() + round(2.5 * rect.height() / 6)).name())

    palette = view.panel.ruler.palette()
    assert strongest == [change_color(palette, RowGround.PLAIN, is_growth=True).name()] * 2


def test_the_ruler_goes_to_the_line(compared: Compare, qtbot: QtBot) -> None:
    """A gone line has a place on it, too, and its tip says what changed there."""
    view = compared()
    ruler, rect = view.panel.ruler, view.panel.ruler.contentsRect()
    at_gone = QPoint(3, rect.top() + round(1.5 * rect.height() / 6))

    with qtbot.waitSignal(ruler.row_requested) as requested:
        QTest.mouseClick(ruler, LEFT, NONE, at_gone)
    event = QHelpEvent(QEvent.Type.ToolTip, at_gone, ruler.mapToGlobal(at_gone))
    QCoreApplication.sendEvent(ruler, event)

    assert requested.args == [1]
    assert plain(QToolTip.text()) == "−2 −20 gone();"
    QToolTip.hideText()


def plain(tip: str) -> str:
    """A tip without its markup."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", tip)).split())


# ---------------------------------------------------------------- what a side lacks

BOTH_EVENTS = "1 3 1\n2 20 2\n3 10 3\ncfn=g\ncalls=2 90\n3 60 6\nfn=g\n90 60 6\n"
NEW_EVENTS = "1 3 1\n2 10 3\ncfn=g\ncalls=3 90\n2 90 9\n3 7 4\nfn=g\n90 90 9\n"


@pytest.mark.parametrize(
    ("costs", "events", "expected", "exported"),
    [
        (
            (BOTH_EVENTS, NEW_COSTS),
            ("Ir Dr", "Ir"),
            [
                "1 | – | – | 1 | –",
                "−2 | – | – | 2 | –",
                "2 | – | – | 9 | –",
                " | – | – | 6 | –",
                "+3 | – | – |  | –",
                "4 |  |  |  | ",
            ],
            ["1,,,1,", "2 (gone),,,2,", "2,,,9,", ",,,6,", "3 (new),,,,", "4,,,,"],
        ),
        (
            (BASE_COSTS, NEW_EVENTS),
            ("Ir", "Ir Dr"),
            [
                "1 | – | – | – | 1",
                "−2 | – | – | – | ",
                "2 | – | – | – | 12",
                " | – | – | – | 9",
                "+3 | – | – | – | 4",
                "4 |  |  |  | ",
            ],
            ["1,,,,1", "2 (gone),,,,", "2,,,,12", ",,,,9", "3 (new),,,,4", "4,,,,"],
        ),
    ],
)
def test_an_event_that_one_side_did_not_record(
    costs: tuple[str, str],
    events: tuple[str, str],
    expected: list[str],
    exported: list[str],
    compared: Compare,
    navigation: Navigation,
    settle: Callable[[Any], None],
) -> None:
    """A dash is what is unknown; the other side's costs are there. Exports leave it empty."""
    view = compared(*costs, events=events)
    queries = view.session.queries
    assert queries is not None
    (event,) = [event for event in queries.events.measured if event.name == "Dr"]
    navigation.set(event=event)
    settle(view)

    model = view.model
    assert rows(
        view,
        model.place("location"),
        model.place("self"),
        model.place("inclusive"),
        model.place("base"),
        model.place("new"),
    ) == (expected)
    lines = copied(view, "Copy Table as CSV")
    assert [",".join(line.split(",")[:5]) for line in lines[1:]] == exported
    assert set(ruler_colors(view)) == {""}


def test_a_function_that_is_new_has_no_costs_in_the_base(compared: Compare) -> None:
    """What is not there costs nothing: cells of that side are empty, not dashes."""
    view = compared(base="fn=g\n90 60\n")

    model = view.model
    shown = rows(view, *model.places("location", "self", "base", "new"))
    assert shown == [
        "1 | +3 |  | 3", "−2 |  |  | ", "2 | +10 |  | 100", " |  |  | 90", "+3 | +7 |  | 7",
        "4 |  |  | ",
    ]  # fmt: skip
