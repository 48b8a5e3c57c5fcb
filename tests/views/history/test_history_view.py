"""The dock History on its own: its lines, words, list, and what keys and the mouse do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.history import Revision
from qcachegrind_py.app.style import theme
from qcachegrind_py.present.context import Change
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.history.chart import HistoryChart
from qcachegrind_py.views.history.history_view import NO_HISTORY, HistoryView
from qcachegrind_py.views.widgets.colors import contrast
from tests.columns import HISTORY
from tests.profile_text import THIN, dump_rows
from tests.user_input import (
    context_menu_opener,
    enabled_texts,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
    row_menu,
)

pytestmark = ignore_offscreen_warnings
Show = Callable[..., HistoryView]
Wait = Callable[[HistoryView], None]
KEY = Qt.Key
BEFORE = """
    events: Ir Dr
    main 10,1 -> f 1x100,10, old 1x50,5
    f 100,10
    old 50,5
    """
AFTER = """
    events: Ir Dr
    main 10,1 -> f 1x300,10
    f 300,10
    """
COSTS = HISTORY.STEP, HISTORY.STEP_AT, HISTORY.NAME


@pytest.fixture
def wait_for_chart(session: Session, qtbot: QtBot) -> Callable[[HistoryView], None]:
    """Return a function that waits until the dock shows what is open."""

    def wait(view: HistoryView) -> None:
        process_events()
        qtbot.waitUntil(lambda: session.jobs.is_idle)
        process_events()
        assert bool(view.message) or view.panel.chart is not None

    return wait


@pytest.fixture
def history(
    session: Session,
    draw: Callable[..., Path],
    show_view: Callable[[HistoryView], HistoryView],
    wait_for_chart: Callable[[HistoryView], None],
) -> Show:
    """Return a function that shows the history of drawings, called r0, r1, …"""

    def history(*drawings: str) -> HistoryView:
        view = show_view(HistoryView(session, QAction("Open History")))
        view.resize(900, 700)
        files = [draw(text, f"callgrind.out.{n}") for n, text in enumerate(drawings)]
        session.history.open([Revision(f"r{n}", str(file)) for n, file in enumerate(files)])
        wait_for_chart(view)
        return view

    return history


def six(history: Show) -> HistoryView:
    """Three revisions like `BEFORE`, and three like `AFTER`; `f` is active."""
    view = history(*[BEFORE] * 3, *[AFTER] * 3)
    go_to(view.session, view.navigation, "f")
    process_events()
    return view


def chart_of(view: HistoryView) -> HistoryChart:
    assert view.panel.chart is not None
    return view.panel.chart


def lines(view: HistoryView) -> dict[str, list[int]]:
    """The values of the lines of the chart, by their names."""
    return {line.name: line.values.tolist() for line in view._lines}


def listed(view: HistoryView) -> list[str]:
    return [row.replace(THIN, " ") for row in dump_rows(view.model, *COSTS)]


def place_of(view: HistoryView, revision: int) -> QPoint:
    """The place of a revision in the plot, in pixels."""
    chart = chart_of(view)
    left, right = chart._area.viewRange()[0]
    area = chart._area.sceneBoundingRect()
    x = area.left() + (revision - left) / (right - left) * area.width()
    place: QPoint = chart.plot.mapFromScene(x, area.center().y())
    return place


def click(view: HistoryView, revision: int) -> None:
    """Click at a revision in the chart."""
    viewport = chart_of(view).plot.viewport()
    place = place_of(view, revision)
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place)
    process_events()


def press(view: HistoryView, *keys: Qt.Key) -> None:
    """Press keys in the chart."""
    for key in keys:
        QTest.keyClick(chart_of(view).plot, key)
        process_events()


def test_without_a_history_the_dock_offers_one(
    session: Session, show_view: Callable[[HistoryView], HistoryView]
) -> None:
    """It says what it is for, and a button opens a history, with or without a profile."""
    asked: list[bool] = []
    action = QAction("Open History")
    action.triggered.connect(lambda: asked.append(True))
    view = show_view(HistoryView(session, action))
    (button,) = view.findChildren(QPushButton)
    button.click()

    assert view.message == NO_HISTORY
    assert (button.text(), len(asked)) == ("Open History…", 1)


def test_lines_are_the_total_and_the_active_function(history: Show) -> None:
    """The legend names them; a step is said in words."""
    view = six(history)

    assert lines(view) == {
        "Total": [160] * 3 + [310] * 3,
        "f, inclusive": [100] * 3 + [300] * 3,
        "f, self": [100] * 3 + [300] * 3,
    }
    assert view.panel.legend.accessibleDescription() == "Total, f, inclusive, f, self"
    assert view.headline.text().replace(THIN, " ") == (
        "Total: largest step +150 (+93.75 %) at r3 · "
        "f, inclusive: largest step +200 (+200.00 %) at r3"
    )


def test_lines_follow_the_active_function(
    history: Show,
    draw: Callable[..., Path],
    open_profile: Callable[..., None],
    wait_for_chart: Wait,
) -> None:
    """Another function has other lines; one that the history lacks has none, and it is said."""
    view = six(history)
    go_to(view.session, view.navigation, "main")
    process_events()
    names = [list(lines(view))]
    open_profile(draw("other 5", "callgrind.out.other"))
    wait_for_chart(view)
    names.append(list(lines(view)))

    assert names == [["Total", "main, inclusive", "main, self"], ["Total"]]
    assert view.headline.text().endswith("The history does not have other.")
    assert {view.model.table.node(record) for record in range(3)} == {NO_NODE}


def test_lines_follow_the_event(history: Show, wait_for_chart: Wait) -> None:
    """All costs are of the window's event."""
    view = six(history)
    queries = view.session.queries
    assert queries is not None
    view.navigation.set(event=queries.events.find("Dr"))
    wait_for_chart(view)

    assert lines(view)["Total"] == [16] * 3 + [11] * 3
    assert listed(view)[0] == "−5 | r3 | main"


def test_profiles_without_functions_have_a_total(history: Show) -> None:
    """A profile that was cut off may have none; the line of the whole program is shown alone."""
    view = history("events: Ir", "events: Ir")

    assert (lines(view), listed(view)) == ({"Total": [0, 0]}, [])


def test_an_event_without_history_is_explained(history: Show, wait_for_chart: Wait) -> None:
    """One that a revision lacks, and a ratio; another event shows the history again."""
    view = history("main 1", "events: Ir Dr\nmain 2,3")
    view.session.set_user_events([UserEvent("Rate", "", "Dr / Ir")])
    queries, messages = view.session.queries, []
    assert queries is not None
    for name in ("Dr", "Rate", "Ir"):
        view.navigation.set(event=queries.events.find(name))
        wait_for_chart(view)
        messages.append(view.message.partition("\n")[0])

    assert messages == [
        "Not all revisions of the history have measured Data Read Access.",
        "A ratio of events has no history.",
        "",
    ]
    assert lines(view)["Total"] == [1, 2]


def test_the_list_has_all_functions_of_all_revisions(history: Show) -> None:
    """Also those that the newest one lacks; Return goes to those that it has."""
    view = six(history)
    rows = listed(view)
    table, active = view.table, []
    for row in range(2):
        table.setCurrentIndex(view.model.index(row, 0))
        QTest.keyClick(table, KEY.Key_Return)
        process_events()
        active.append(view.navigation.context.function)

    assert rows == ["+200 | r3 | f", "+150 | r3 | main", "−50 | r3 | old"]
    assert active == [1, 0]
    table.setCurrentIndex(view.model.index(2, 0))
    QTest.keyClick(table, KEY.Key_Return)
    process_events()
    assert view.navigation.context.function == 0


def test_the_list_is_searched(history: Show) -> None:
    """Typing in the list searches it; a search without matches offers to clear it."""
    view = six(history)
    QTest.keyClicks(view.table, "o")
    QTest.keyClicks(view.search, "ld")
    found = listed(view), view.search.found_text, view.search.toolTip()
    QTest.keyClicks(view.search, "x")
    process_events()
    reason = view.table.empty_page.label.text()
    (clear,) = view.table.empty_page.buttons
    clear.click()
    process_events()

    assert found[:2] == (["−50 | r3 | old"], "1 of 3 functions")
    assert "3 functions, 6 revisions" in found[2]
    assert reason == "No function matches the search."
    assert len(listed(view)) == 3


def test_the_list_shows_self_costs(history: Show) -> None:
    """And so do the lines of pinned functions."""
    view = six(history)
    view.session.history.toggle_pin(("main", "???", "???"))
    process_events()
    shown = [list(lines(view))[-1]]
    view.measure_box.setCurrentIndex(1)
    view.measure_box.activated.emit(1)
    process_events()
    shown.append(list(lines(view))[-1])

    assert shown == ["main, inclusive", "main, self"]
    assert listed(view)[-1] == " |  | main"


def test_a_function_is_pinned_in_the_menu_of_the_list(history: Show) -> None:
    """Its line stays when another function is active, and its row is marked."""
    view = six(history)
    rows = [row.rpartition(" | ")[2] for row in listed(view)]
    opener = row_menu(view.table, rows.index("old"))
    texts = inspect_menu(opener, enabled_texts)
    inspect_menu(opener, lambda menu: menu.actions()[0].trigger())
    process_events()
    pinned = lines(view)["old, inclusive"]
    marks = [view.model.table.mark(record) for record in range(3)]

    assert texts[0] == "Pin Line"
    assert "Go to Function" not in texts
    assert pinned == [50] * 3 + [0] * 3
    assert sorted(marks) == ["", "", "pinned"]
    assert inspect_menu(opener, enabled_texts)[0] == "Unpin Line"


def test_two_clicks_compare_two_revisions(history: Show, qtbot: QtBot) -> None:
    """The first click marks the base, the second opens the other one compared with it."""
    view = six(history)
    click(view, 1)
    marked = view.session.history.state.base
    click(view, 4)
    qtbot.waitUntil(lambda: view.session.comparison is not None)

    assert marked == 1
    assert view.session.history.open_places() == (4, 1)


def test_keys_compare_two_revisions(history: Show, wait_for_chart: Wait, qtbot: QtBot) -> None:
    """Arrows choose a revision, B marks the base, Return compares; Escape drops the base."""
    view = six(history)
    said = []
    for keys in ((KEY.Key_Home,), (KEY.Key_Right, KEY.Key_B), (KEY.Key_End, KEY.Key_Left)):
        press(view, *keys)
        said.append(chart_of(view).detail_line.shown_text.replace(THIN, " "))
    press(view, KEY.Key_Escape)
    without = view.session.history.state.base
    press(view, KEY.Key_B, KEY.Key_Home, KEY.Key_Return)
    qtbot.waitUntil(lambda: view.session.comparison is not None)
    wait_for_chart(view)
    bottom = chart_of(view).plot.getPlotItem().getAxis("bottom")
    labels = {text for level in bottom._tickLevels for _, text in level}

    assert said == [
        "r0 · Total 160 · Inclusive 100 · Self 100",
        "r1, the base: choose a revision to compare with it · Total 160 · Inclusive 100 · Self 100",
        "r4, Return or a click compares it with r1 · Total 310 · Inclusive 300 · Self 300",
    ]
    assert chart_of(view).plot.accessibleDescription().startswith("r0")
    assert without is None
    assert view.session.history.open_places() == (0, 4)
    assert {"r0\nnew", "r4\nbase"} <= labels


def test_the_menu_of_a_revision(history: Show, qtbot: QtBot) -> None:
    """It opens the revision, alone or compared, and saves the chart; keys open it, too."""
    view = six(history)
    view.session.history.mark_base(0)
    press(view, KEY.Key_Home, KEY.Key_Right)
    texts = inspect_menu(context_menu_opener(chart_of(view).plot), enabled_texts)
    before = texts.index("Compare with the Revision Before")
    opener = context_menu_opener(chart_of(view).plot)
    inspect_menu(opener, lambda menu: menu.actions()[before].trigger())
    qtbot.waitUntil(lambda: view.session.comparison is not None)

    assert texts == [
        "Open r1", "Compare with the Revision Before", "Compare with r0", "Use as Base",
        "Copy Picture", "Save Picture…", "Close History",
    ]  # fmt: skip
    assert view.session.history.open_places() == (1, 0)


def test_closing_the_history_empties_the_dock(history: Show) -> None:
    """And the profile stays open."""
    view = six(history)
    view.session.history.close()
    process_events()

    assert view.message == NO_HISTORY
    assert view.model.rowCount() == 0
    assert view.session.queries is not None


def test_lines_can_be_left_out(history: Show) -> None:
    """Each line, and the scale, is an option, and the options are saved with the dock.

    Relative lines are in percent of their first value above 0.
    """
    view = six(history)
    view.options.set("total", False)
    view.options.set("self_cost", False)
    view.options.set("scale", "relative")
    process_events()
    state = view.save_state()
    view.options.restore('{"total": true, "scale": "costs"}')
    view.restore_state(state)
    view.refresh_for(Change.NUMBERS)
    process_events()

    (inclusive,) = view._lines
    assert inclusive.name == "f, inclusive"
    assert inclusive.heights(relative=True).tolist() == [100.0] * 3 + [300.0] * 3
    axis = chart_of(view).plot.getPlotItem().getAxis("left")
    assert axis.text(100.0) == f"100{THIN}%"


def test_short_names_are_shown_short(history: Show, wait_for_chart: Wait) -> None:
    """*Shorten Templates* applies to the list and to the lines."""
    view = history("f<int> 1", "f<int> 2")
    view.navigation.set(short_names=True)
    wait_for_chart(view)

    assert dump_rows(view.model, HISTORY.NAME) == ["f<…>"]
    assert list(lines(view)) == ["Total", "f<…>, inclusive", "f<…>, self"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_lines_can_be_told_apart(history: Show, dark: bool) -> None:
    """Each has a contrast of 3:1 to the ground, and a look of its own, in both palettes."""
    theme.apply_palette(dark=dark)
    view = six(history)
    for name in ("main", "old", "f"):
        view.session.history.toggle_pin((name, "???", "???"))
    process_events()
    looks = [line.look for line in view._lines]

    assert len(looks) == 6
    assert len({(look.color.name(), look.dashes, look.symbol) for look in looks}) == 6
    assert len({look.symbol for look in looks}) == 6
    assert [look for look in looks if contrast(look.color, view.palette().base().color()) < 3] == []
    theme.apply_palette(dark=False)


def test_a_thousand_labels_fit_the_axis(history: Show, wait_for_chart: Wait) -> None:
    """As many revisions are labelled as have room, the marked ones always."""
    view = six(history)
    chart = chart_of(view)
    chart.show_revisions([f"revision {number}" for number in range(1000)])
    bottom = chart.plot.getPlotItem().getAxis("bottom")
    ticks = [place for level in bottom._tickLevels for place, _ in level]

    assert 3 < len(ticks) < 40
    assert 5.0 in ticks  # the open profile


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (["0", "5.000 M", "10.00 M"], ["0", "5 M", "10 M"]),
        (["2.500 M", "5.000 M"], ["2.5 M", "5.0 M"]),
        (["5,000", "10,000"], ["5,000", "10,000"]),
        (["100 %"], ["100 %"]),
    ],
)
def test_numbers_of_an_axis_have_no_needless_zeros(texts: list[str], wanted: list[str]) -> None:
    from qcachegrind_py.views.history.chart import shortened

    assert shortened(texts, ".") == wanted
