"""The header of the active function, and the path to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.active_function import ActiveFunctionHeader, Breadcrumbs, Meter
from tests.profile_text import THIN
from tests.user_input import (
    LEFT,
    active_name,
    go_to,
    ignore_offscreen_warnings,
    opened_menu,
    process_events,
    without_mnemonic,
)

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
        f"Ir  Inclusive 100.00{THIN}%  Self 10.00{THIN}%",
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

    assert absolute == f"Ir  Inclusive 10{THIN}000  Self 1{THIN}000"
    assert texts(line) == ["pong <cycle 1>", "b.c", "Dr  Inclusive 38  Self 38", "called 2×"]


def test_line_is_empty_where_no_function_is(
    line: ActiveFunctionHeader, open_profile: OpenProfile, tmp_path: Path
) -> None:
    """Without an active function the line is empty."""
    path = tmp_path / "empty"
    path.write_text("version: 1\nevents: Ir\n")
    seen = line.name_label.isVisible()

    open_profile(path)

    assert (seen, line.name_label.isVisible()) == (True, False)


def test_header_keeps_its_height(
    line: ActiveFunctionHeader, draw: Draw, open_profile: OpenProfile, navigation: Navigation
) -> None:
    """A long name, and a second event, need no more room than others."""
    heights = [line.height()]
    open_profile(draw(f"events: Ir Dr\n{'name::' * 30}f 1,1", "callgrind.out.2"))
    heights.append(line.height())
    navigation.set(second_event=navigation.context.events.all[1])
    process_events()
    heights.append(line.height())

    assert len(line.costs.texts()) == 2
    assert len(set(heights)) == 1
    assert line.sizeHint().height() <= heights[0]


def test_costs_have_bars(line: ActiveFunctionHeader) -> None:
    """The bar beside a cost is as long as its share of the total, and under no number."""
    process_events()
    _, inclusive, self_cost = line.costs.labels[0]
    image = line.grab().toImage()

    def colored(meter: Meter) -> float:
        assert not meter.bar.geometry().intersects(meter.label.geometry())
        area = meter.bar.rect().translated(meter.bar.mapTo(line, QPoint(0, 0)))
        y = area.center().y()
        row = [image.pixelColor(x, y) for x in range(area.left(), area.right())]
        return sum(color.saturation() > 60 for color in row) / len(row)

    assert colored(inclusive) == pytest.approx(1, abs=0.1)
    assert colored(self_cost) == pytest.approx(0.1, abs=0.06)


def test_long_name_is_cut_and_whole_in_the_tooltip(
    line: ActiveFunctionHeader, draw: Draw, open_profile: OpenProfile
) -> None:
    """A long name is elided without widening the window; the tooltip has all of it."""
    name = "begin_" + "x" * 300 + "_end"
    width = line.minimumSizeHint().width()

    open_profile(draw(f"{name} 1", "callgrind.out.2"))

    assert "…" in line.name_label.text()
    assert line.name_label.accessibleName() == name
    assert line.name_label.toolTip() == f"<qt>{name}</qt>"
    assert line.minimumSizeHint().width() <= width + 50


def test_hostile_name_is_plain_text(
    line: ActiveFunctionHeader, open_profile: OpenProfile, tmp_path: Path
) -> None:
    """Markup in a name is shown literally."""
    path = tmp_path / "hostile"
    path.write_bytes(b"events: <b>Ir</b>\n\nob=<i>\nfl=<u>\nfn=<h1>f</h1>\x00&amp;\n1 1\n")

    open_profile(path)

    process_events()
    labels = [line.name_label, line.location_label, line.calls_label]
    labels += line.costs.findChildren(QLabel)
    assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}
    assert texts(line)[:2] == [r"<h1>f</h1>\x00&amp;", "<i>: <u>"]
    assert texts(line)[2].startswith("<b>Ir</b>  Self 100.00")
    assert line.name_label.toolTip() == (
        r"<qt>&lt;h1&gt;f&lt;/h1&gt;\x00&amp;amp;<br>File: &lt;u&gt;<br>Object: &lt;i&gt;</qt>"
    )


Way = list[tuple[int, str]]
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def crumbs(qapp: QApplication) -> Iterator[Breadcrumbs]:
    """A breadcrumb line, 600 wide."""
    holder, line = QWidget(), Breadcrumbs()
    line.setParent(holder)
    line.resize(600, 30)
    holder.show()
    yield line
    holder.close()
    holder.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def steps(line: Breadcrumbs) -> list[QToolButton]:
    """The visible buttons from the left, that of the menu included."""
    found = [button for button in line.findChildren(QToolButton) if button.isVisible()]
    return sorted(found, key=lambda button: button.x())


def shown(line: Breadcrumbs) -> list[str]:
    """The texts of the visible buttons."""
    return [without_mnemonic(button.text()) for button in steps(line)]


def in_the_menu(line: Breadcrumbs) -> list[str]:
    """The steps that do not fit."""
    return [
        without_mnemonic(action.text()) for action in opened_menu(steps(line)[0].menu()).actions()
    ]


def paths(count: int, name: str = "function") -> Way:
    """A path with this many steps."""
    return [(number, f"{name}{number}") for number in range(count)]


@pytest.mark.parametrize(
    ("count", "width"),
    [(3, 600), (10, 600), (10, 2000), (40, 60), (40, 200), (40, 333), (40, 600), (40, 1500)],
)
def test_first_steps_are_in_a_menu_if_space_is_short(
    crumbs: Breadcrumbs, count: int, width: int
) -> None:
    """At any width the visible buttons are complete, and at least one is visible."""
    crumbs.set_path(paths(count))
    crumbs.resize(width, 30)
    process_events()
    seen, names, wanted = steps(crumbs), shown(crumbs), [name for _, name in paths(count)]
    fits = seen[-1].geometry().right() < width
    has_room = all(button.width() >= button.sizeHint().width() for button in seen)

    assert len(seen) == 2 or (fits, has_room) == (True, True)  # the menu and the last step
    if (count, width) in ((3, 600), (10, 2000)):
        assert names == wanted
    else:
        assert (names[0], in_the_menu(crumbs) + names[1:]) == ("…", wanted)


def test_click_on_a_step_goes_there(crumbs: Breadcrumbs, qtbot: QtBot) -> None:
    """A click activates the button's present function, also in the menu."""
    chosen: list[int] = []
    crumbs.function_activated.connect(chosen.append)
    crumbs.set_path(paths(3))
    crumbs.set_path([(70, "a"), (80, "b"), (90, "c")])
    process_events()
    for button in steps(crumbs):
        qtbot.mouseClick(button, LEFT)
    crumbs.set_path(paths(40))
    process_events()
    actions = opened_menu(steps(crumbs)[0].menu()).actions()
    for action in (actions[0], actions[-1]):
        action.trigger()

    assert chosen == [70, 80, 90, 0, len(actions) - 1]


def test_steps_can_be_reached_by_keyboard(crumbs: Breadcrumbs) -> None:
    """Tab visits each step, which has its name as the accessible name."""
    crumbs.set_path(paths(3))
    process_events()
    reached = [button.focusPolicy().name for button in steps(crumbs)]

    assert reached == ["TabFocus"] * 3 or reached == ["StrongFocus"] * 3
    assert [button.accessibleName() for button in steps(crumbs)] == [n for _, n in paths(3)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("operator&&", "operator&&"),
        ("<b>bold</b>", "<b>bold</b>"),
        ("a\u202eb\u2028c\nd", r"a\u202eb\u2028c\x0ad"),
    ],
)
def test_hostile_names_are_shown_as_text(crumbs: Breadcrumbs, name: str, expected: str) -> None:
    """Names are shown literally, in tooltips as well."""
    crumbs.set_path([(1, name)])
    process_events()
    (button,) = steps(crumbs)

    assert without_mnemonic(button.text()) == expected
    assert "<b>" not in button.toolTip()


def test_path_is_that_of_the_session(
    opened: Callable[..., ActiveFunctionHeader],
    session: Session,
    navigation: Navigation,
    qtbot: QtBot,
) -> None:
    """The line shows the session's path to the function, and goes back up along it."""
    line = opened(ActiveFunctionHeader, "main 1 -> a 1x9\na 2 -> b 1x7\nb 3 -> c 1x4\nc 4")
    go_to(session, navigation, "b")
    way = shown(line.breadcrumbs)
    qtbot.mouseClick(steps(line.breadcrumbs)[1], LEFT)
    process_events()

    assert (way, active_name(session, navigation)) == (["main", "a"], "a")
    assert shown(line.breadcrumbs) == ["main"]


def test_a_cost_of_nothing_is_left_blank(opened: Callable[..., ActiveFunctionHeader]) -> None:
    """As in lists: where a function costs nothing itself there is no number and no bar."""
    line = opened(ActiveFunctionHeader, "events: Ir Dr\nmain 0,5 -> f 1x9,0\nf 9,0")
    context = line.navigation.context
    line.navigation.set(second_event=context.events.all[1])
    process_events()

    shares = [[meter.bar.share for meter in meters] for _, *meters in line.costs.labels]
    assert line.costs.texts() == [
        f"Ir  Inclusive 100.00{THIN}%",
        f"Dr  Inclusive 100.00{THIN}%  Self 100.00{THIN}%",
    ]
    assert shares == [[1, None], [1, 1]]


def test_meters_have_the_colours_of_events(
    opened: Callable[..., ActiveFunctionHeader], navigation: Navigation
) -> None:
    """The bar of a formula is divided by its parts; beside a second event each has its own."""
    header = opened(ActiveFunctionHeader, "events: Ir Dr\nevent: Both = Ir + Dr\nmain 30,10")
    first, second = (labels[1] for labels in header.costs.labels)
    events = navigation.context.events
    plain = first.bar.parts
    navigation.set(event=events.find("Both"))
    process_events()
    divided = first.bar.parts
    navigation.set(second_event=events.find("Ir"))
    process_events()

    assert plain == ()
    assert divided == (("Ir", 0.75), ("Dr", 0.25))
    assert (first.bar.parts, second.bar.parts) == ((("Both", 1.0),), (("Ir", 1.0),))
