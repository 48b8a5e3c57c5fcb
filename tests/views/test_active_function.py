"""The line with the active function's name, costs and calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from qcachegrind_py.session.context import CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.active_function import ActiveFunctionHeader
from tests.profile_text import THIN

DRAWING = """
    events: Ir Dr
    main@src/a.c@/bin/prog 1000,1 -> ping 3x9000,59
    ping@b.c 4000,20 -> pong 2x5000,30
    pong@b.c 5000,38 -> ping 1x0,10
    """
Draw = Callable[..., Path]
OpenProfile = Callable[..., None]


@pytest.fixture
def line(
    session: Session,
    draw: Draw,
    open_profile: OpenProfile,
    show_view: Callable[[ActiveFunctionHeader], ActiveFunctionHeader],
) -> ActiveFunctionHeader:
    """The line for main in the test profile."""
    view = show_view(ActiveFunctionHeader(session))
    open_profile(draw(DRAWING))
    return view


def texts(line: ActiveFunctionHeader) -> list[str]:
    """The texts of the line."""
    return [
        label.text()
        for label in (line.name_label, line.location_label, line.costs_label, line.calls_label)
    ]


def test_line_says_name_place_costs_and_calls(line: ActiveFunctionHeader) -> None:
    """The line has name, location, the event's costs, and the number of calls."""
    assert [
        "main",
        "prog: a.c",
        f"Ir  incl. 100.00{THIN}%   self 10.00{THIN}%",
        "called 0×",
    ] == texts(line)
    assert line.location_label.toolTip() == "<qt>File: src/a.c<br>Object: /bin/prog</qt>"


def test_line_follows_function_event_and_unit(
    line: ActiveFunctionHeader, navigation: Navigation, qtbot: QtBot
) -> None:
    """Function, event and unit are those of the context; a cycle has its number."""
    queries = line.session.queries
    assert queries is not None
    with qtbot.waitSignal(navigation.changed):
        navigation.set(unit=CostUnit.ABSOLUTE)
    absolute = texts(line)[2]
    with qtbot.waitSignal(navigation.changed):
        navigation.select_function(queries.names.with_name("pong")[0])
        navigation.set(event=queries.events.all[1])

    assert absolute == f"Ir  incl. 10{THIN}000   self 1{THIN}000"
    assert texts(line) == ["pong <cycle 1>", "b.c", "Dr  incl. 38   self 38", "called 2×"]


def test_line_is_empty_where_no_function_is(
    line: ActiveFunctionHeader, open_profile: OpenProfile, tmp_path: Path
) -> None:
    """Without an active function the line is empty."""
    path = tmp_path / "empty"
    path.write_text("version: 1\nevents: Ir\n")
    seen = line.name_label.isVisible()

    open_profile(path)

    assert (seen, line.name_label.isVisible()) == (True, False)


def test_long_name_is_cut_in_the_middle_and_whole_in_the_tooltip(
    line: ActiveFunctionHeader, draw: Draw, open_profile: OpenProfile
) -> None:
    """A long name is elided without widening the window; the tooltip has all of it."""
    name = "begin_" + "x" * 300 + "_end"
    width = line.minimumSizeHint().width()

    open_profile(draw(f"{name} 1", "callgrind.out.2"))

    shown = line.name_label.text()
    assert (shown[:6], shown[-4:], "…" in shown) == ("begin_", "_end", True)
    assert line.name_label.toolTip() == f"<qt>{name}</qt>"
    assert line.minimumSizeHint().width() <= width + 50


def test_hostile_name_is_plain_text(
    line: ActiveFunctionHeader, open_profile: OpenProfile, tmp_path: Path
) -> None:
    """Markup in a name is shown literally."""
    path = tmp_path / "hostile"
    path.write_bytes(b"events: <b>Ir</b>\n\nob=<i>\nfl=<u>\nfn=<h1>f</h1>\x00&amp;\n1 1\n")

    open_profile(path)

    labels = (line.name_label, line.location_label, line.costs_label, line.calls_label)
    assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}
    assert texts(line)[:2] == [r"<h1>f</h1>\x00&amp;", "<i>: <u>"]
    assert texts(line)[2].startswith("<b>Ir</b>  self 100.00")
    assert line.name_label.toolTip() == (
        r"<qt>&lt;h1&gt;f&lt;/h1&gt;\x00&amp;amp;<br>File: &lt;u&gt;<br>Object: &lt;i&gt;</qt>"
    )
