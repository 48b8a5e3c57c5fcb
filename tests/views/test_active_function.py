"""The line with the active function's name, costs and calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontDatabase, QFontMetrics
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.active_function import ActiveFunctionHeader, broken
from tests.profile_text import THIN
from tests.user_input import process_events

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
        line.name_label.text(),
        line.location_label.text(),
        *line.costs.texts(),
        line.calls_label.text(),
    ]


def test_line_says_name_place_costs_and_calls(line: ActiveFunctionHeader) -> None:
    """The line has name, location, the event's costs, and the number of calls."""
    assert [
        "main",
        "prog: a.c",
        f"Ir  Incl. 100.00{THIN}%  Self 10.00{THIN}%",
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

    assert absolute == f"Ir  Incl. 10{THIN}000  Self 1{THIN}000"
    assert texts(line) == ["pong <cycle 1>", "b.c", "Dr  Incl. 38  Self 38", "called 2×"]


def test_line_is_empty_where_no_function_is(
    line: ActiveFunctionHeader, open_profile: OpenProfile, tmp_path: Path
) -> None:
    """Without an active function the line is empty."""
    path = tmp_path / "empty"
    path.write_text("version: 1\nevents: Ir\n")
    seen = line.name_label.isVisible()

    open_profile(path)

    assert (seen, line.name_label.isVisible()) == (True, False)


@pytest.mark.parametrize(
    ("name", "width", "expected"),
    [
        ("main", 20, ("main", "")),
        ("std::map<int, char>::at(int)", 20, ("std::map<int, char>", "::at(int)")),
        ("f(std::string, std::vector<int>)", 20, ("f(std::string, std", "::vector<int>)")),
        ("x" * 30, 20, ("x" * 20, "x" * 10)),
        ("a::" + "x" * 30, 20, ("a::" + "x" * 17, "x" * 13)),
        ("abc", 0, ("a", "bc")),
    ],
)
def test_names_are_broken_between_their_parts(
    qapp: QApplication, name: str, width: int, expected: tuple[str, str]
) -> None:
    """A line ends after a comma or bracket or before ::, unless that leaves it half empty."""
    metrics = QFontMetrics(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))

    assert broken(name, metrics, metrics.horizontalAdvance("x" * width)) == expected


def test_header_keeps_its_height(
    line: ActiveFunctionHeader, draw: Draw, open_profile: OpenProfile, navigation: Navigation
) -> None:
    """A name on two lines, and a second event, need no more room than others."""
    heights = [line.height()]
    open_profile(draw(f"events: Ir Dr\n{'name::' * 30}f 1,1", "callgrind.out.2"))
    heights.append(line.height())
    navigation.set(second_event=navigation.context.events.all[1])
    process_events()
    heights.append(line.height())

    assert line.names.rest_label.isVisible()
    assert len(line.costs.texts()) == 2
    assert len(set(heights)) == 1
    assert line.sizeHint().height() <= heights[0]


def test_costs_have_bars(line: ActiveFunctionHeader) -> None:
    """The bar behind a cost is as long as its share of the total."""
    process_events()
    _, inclusive, self_cost = line.costs.labels[0]
    image = line.grab().toImage()

    def colored(label: QWidget) -> float:
        area = label.rect().translated(label.mapTo(line, QPoint(0, 0)))
        y = area.top() + 3  # above the text
        row = [image.pixelColor(x, y) for x in range(area.left(), area.right())]
        return sum(color.saturation() > 60 for color in row) / len(row)

    assert colored(inclusive) == pytest.approx(1, abs=0.1)
    assert colored(self_cost) == pytest.approx(0.1, abs=0.06)


def test_long_name_is_cut_in_the_middle_and_whole_in_the_tooltip(
    line: ActiveFunctionHeader, draw: Draw, open_profile: OpenProfile
) -> None:
    """A long name is elided without widening the window; the tooltip has all of it."""
    name = "begin_" + "x" * 300 + "_end"
    width = line.minimumSizeHint().width()

    open_profile(draw(f"{name} 1", "callgrind.out.2"))

    first, rest = line.name_label.text(), line.names.rest_label.text()
    assert (first[:6], rest[-4:], "…" in rest) == ("begin_", "_end", True)
    assert line.name_label.toolTip() == f"<qt>{name}</qt>"
    assert line.minimumSizeHint().width() <= width + 50


def test_hostile_name_is_plain_text(
    line: ActiveFunctionHeader, open_profile: OpenProfile, tmp_path: Path
) -> None:
    """Markup in a name is shown literally."""
    path = tmp_path / "hostile"
    path.write_bytes(b"events: <b>Ir</b>\n\nob=<i>\nfl=<u>\nfn=<h1>f</h1>\x00&amp;\n1 1\n")

    open_profile(path)

    labels = [line.name_label, line.names.rest_label, line.location_label, line.calls_label]
    labels += [label for row in line.costs.labels for label in row]
    assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}
    assert texts(line)[:2] == [r"<h1>f</h1>\x00&amp;", "<i>: <u>"]
    assert texts(line)[2].startswith("<b>Ir</b>  Self 100.00")
    assert line.name_label.toolTip() == (
        r"<qt>&lt;h1&gt;f&lt;/h1&gt;\x00&amp;amp;<br>File: &lt;u&gt;<br>Object: &lt;i&gt;</qt>"
    )
