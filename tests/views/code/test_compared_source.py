"""The source of both sides of a comparison, as small as possible: what leaves the table."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint
from PySide6.QtGui import QColor, QGuiApplication, QHelpEvent, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.code.code_views import SourceView
from qcachegrind_py.views.widgets.colors import RowGround, change_color
from tests.profile_text import THIN
from tests.user_input import LEFT, NONE, choose_action, ignore_offscreen_warnings, row_menu
from tests.views.code.code_rows_text import click, current, row_of
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

    def compared() -> SourceView:
        write_files({"old/f.c": OLD, "new/f.c": NEW})
        paths = []
        for side, costs in (("old", BASE_COSTS), ("new", NEW_COSTS)):
            paths.append(tmp_path / side / "callgrind.out.1")
            paths[-1].write_text(f"events: Ir\nfl=f.c\nfn=f\n{costs}", encoding="utf-8")
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


def test_a_gone_line_is_no_position_for_other_views(
    compared: Compare, navigation: Navigation
) -> None:
    """There is no such line now; that of the line selected before stays."""
    view = compared()
    before = navigation.context.position
    click(view, "−2")

    assert current(view) == "−2"
    assert navigation.context.position == before


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


def test_the_ruler_shows_growth_and_shrinkage(compared: Compare) -> None:
    """In the colours of changes, where the lines are; calls are part of their line."""
    assert ruler_colors(compared()) == ["", "−", "+", "", "+", ""]


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
