"""The common parts of call maps and flame graphs: search, note, table, mouse and menu."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.present.context import Context, CostUnit
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.pictures.box_canvas import BoxCanvas
from qcachegrind_py.views.pictures.box_view import NO_COST, BoxView
from qcachegrind_py.views.pictures.flame_view import FlameView
from qcachegrind_py.views.pictures.map_canvas import MapCanvas
from qcachegrind_py.views.widgets.empty_page import NO_CALLS, NO_RATIO_SHARES
from tests.columns import BOXES
from tests.profile_rows import DATA
from tests.profile_text import THIN, dump_rows
from tests.user_input import (
    LEFT,
    active_name,
    choose_action,
    click_row,
    context_menu_opener,
    double_click_row,
    function_id,
    ignore_offscreen_warnings,
    inspect_menu,
    menu_actions,
    process_events,
    without_mnemonic,
)
from tests.views.pictures.box_view_text import (
    ABOUT,
    PROGRAM,
    box,
    box_path,
    box_position,
    canvas_of,
    changed_paths,
    view_lines,
)
from tests.views.pictures.conftest import Settle, ShowBoxes

LEGEND = "≈ estimated (why?)"
CACHEGRIND = DATA / "cachegrind/cachegrind.out.templ-O2.xz"
pytestmark = ignore_offscreen_warnings
every_kind = pytest.mark.parametrize("kind", ["flame", "callees", "callers"])


# ---------------------------------------------------------------- boxes

CALLERS = "hash 80 | walk 40 | main 40 | scan 20 | main 20 | exit 20"
CALLEES = "hash 80 | mix 40"
BELOW_EXIT = f"exit 25 | hash 20 | mix {ABOUT}10"
BELOW_MAIN = f"main 100 | walk 60 | hash 40 | mix {ABOUT}20 | scan 30 | hash 20 | mix {ABOUT}10"
ABOVE_MIX = (
    f"mix 40 | hash 40 | walk {ABOUT}20 | main {ABOUT}20 | scan {ABOUT}10 | main {ABOUT}10"
    f" | exit {ABOUT}10"
)
WHOLE = f"Whole program 125 | {BELOW_MAIN} | {BELOW_EXIT}"


@pytest.mark.parametrize(
    ("kind", "options", "at", "expected"),
    [
        ("callees", {}, "main", BELOW_MAIN),
        ("callees", {}, "hash", CALLEES),
        ("callers", {}, "hash", CALLERS),
        ("callers", {}, "mix", ABOVE_MIX),
        ("flame", {}, "hash", WHOLE),
        ("flame", {"mode": "callees"}, "hash", CALLEES),
        ("flame", {"mode": "callees"}, "exit", BELOW_EXIT),
        ("flame", {"mode": "callers"}, "hash", CALLERS),
        ("flame", {"mode": "callers"}, "exit", "exit 25"),
        ("flame", {"mode": "sandwich"}, "hash", f"{CALLERS} | --- | {CALLEES}"),
        ("flame", {"mode": "sandwich"}, "exit", f"exit 25 | --- | {BELOW_EXIT}"),
    ],
)
def test_boxes_are_those_of_the_active_function(
    show_boxes: ShowBoxes, kind: str, options: dict[str, str], at: str, expected: str
) -> None:
    """Callees inside of it, or callers, or both; or the whole program. They follow it."""
    view = show_boxes(kind, PROGRAM, "walk", **options)
    show_boxes.go(at)

    assert " | ".join(line.strip() for line in view_lines(view)) == expected


@pytest.mark.parametrize(
    ("drawing", "cycles", "expected"),
    [
        # one function called everything: no box is drawn around it
        ("main 10 -> f 1x5\nf 5", True, ["main 15", "  f 5"]),
        # every function has a caller
        (
            "f 10 -> g 1x5\ng 5 -> f 1x2",
            True,
            ["<cycle 1> 15", "  f <cycle 1> 10", "  g <cycle 1> 5"],
        ),
        ("f 10 -> g 1x5\ng 5 -> f 1x2", False, None),
    ],
)
def test_where_a_program_begins(
    show_boxes: ShowBoxes, drawing: str, cycles: bool, expected: list[str] | None
) -> None:
    """In one function, in a cycle, or nowhere: a picture or a text is shown."""
    view = show_boxes("flame", drawing)
    show_boxes.set(scope=Scope(cycles=cycles))

    assert view_lines(view) == expected if expected else (view.message or view_lines(view))


NONSENSE = ["", "{", "[]", "null", '"mode"', "{}", "[" * 100_000, '{"mode": 7}', '{"mode": "else"}']
NONSENSE += ['{"mode": ["a"]}', '{"upside_down": 1}', '{"other": true}', '{"split": "other"}']
NONSENSE += ['{"least_area": 25.0}', '{"deepest": "3"}', '{"deepest": -1}', '{"names": 1}']
NONSENSE += ['{"border": true}', '{"split": null, "least_area": null}', '{"width": "else"}']
MAP = {"split": "rows", "deepest": 5, "least_area": 500, "border": 3, "headers": 1}
MAP |= {"names": False, "costs": False, "places": True, "rotate": False, "shading": False}
MAP |= {"width": "change"}


@pytest.mark.parametrize(
    ("kind", "options", "partly", "taken"),
    [
        ("callees", MAP, '{"deepest": null, "border": 9}', {"deepest": None}),
        (
            "flame",
            {"mode": "sandwich", "upside_down": True},
            '{"mode": "callers", "upside_down": "yes"}',
            {"mode": "callers"},
        ),
    ],
)
def test_options_are_restored(
    show_boxes: ShowBoxes,
    session: Session,
    kind: str,
    options: dict[str, object],
    partly: str,
    taken: dict[str, object],
) -> None:
    """All options are restored; of an invalid text only what is valid changes anything."""
    view = show_boxes(kind, PROGRAM, "hash", **options)
    again = type(view)(session, *([view.title] if kind != "flame" else []))
    again.restore_options(view.saved_options())
    wanted = {**asdict(type(view.options.current)()), **options}
    assert asdict(again.options.current) == wanted
    for text in NONSENSE:
        again.restore_options(text)
    assert asdict(again.options.current) == wanted
    again.restore_options(partly)
    assert asdict(again.options.current) == {**wanted, **taken}
    if isinstance(again, FlameView):
        assert again.mode_button.text() == "Callers"
    else:
        assert again.map.options == again.options.current
    again.deleteLater()


# ---------------------------------------------------------------- search


@pytest.mark.parametrize(
    ("drawing", "options", "expected"),
    [
        (
            PROGRAM,
            {},
            {
                "hash": "80",  # 40 + 20 in main, 20 in exit
                "a": "120",  # all of main, and hash in exit
                "walk": "60",
                "MIX": f"{ABOUT}40",
                "i": "125",  # main and exit, including mix
                "whole": "0",
                "nothing": "0",
                "": "",
            },
        ),
        (  # both halves show the same cost, so each has its own total
            PROGRAM,
            {"mode": "sandwich"},
            {"hash": "80 above · 80 below", "mix": "0 above · 40 below", "": ""},
        ),
        (  # cycles match by their names, members by their own
            "hash 1 -> f 1x9\nf 5 -> g 1x4\ng 4 -> f 1x2",
            {},
            {"cycle": "9", "g": "4", "f": "5"},
        ),
    ],
)
def test_search_shows_the_cost_of_all_matches(
    show_boxes: ShowBoxes, drawing: str, options: dict[str, str], expected: dict[str, str]
) -> None:
    """Matches inside matches are not counted twice; one estimate makes the sum an estimate."""
    view, found = show_boxes("flame", drawing, "hash", **options), {}
    for text in expected:
        view.search.setText(text)
        found[text] = view.match_label.text()

    assert found == expected


def settled(canvas: BoxCanvas, qtbot: QtBot) -> QImage:
    """The picture when it is complete: a map is drawn in steps, which showing it begins."""
    canvas.viewport().grab()
    if isinstance(canvas, MapCanvas):
        qtbot.waitUntil(lambda: canvas.is_drawn)
    return canvas.viewport().grab().toImage()


@every_kind
def test_other_boxes_fade(show_boxes: ShowBoxes, kind: str, qtbot: QtBot) -> None:
    """All boxes but the matches fade; Escape ends the search."""
    view = show_boxes(kind, PROGRAM, "hash")
    canvas = canvas_of(view)
    before = settled(canvas, qtbot)
    qtbot.keyClicks(view.search, "walk")
    lit = settled(canvas, qtbot)
    faded = {names.split()[-1] for names in changed_paths(canvas, before, lit)} - {"program"}
    qtbot.keyClick(view.search, Qt.Key.Key_Escape)

    everything = {
        "flame": {"main", "walk", "hash", "mix", "scan", "exit"},
        "callees": {"hash", "mix"},
        "callers": {"hash", "walk", "main", "scan", "exit"},
    }
    around = set() if kind == "flame" else {"walk", "hash"}  # they contain matches
    assert faded - around == everything[kind] - {"walk"} - around
    assert (view.search.text(), view.match_label.text()) == ("", "")
    assert settled(canvas, qtbot) == before


def test_search_goes_on_in_the_next_picture(show_boxes: ShowBoxes, navigation: Navigation) -> None:
    """The total follows the shown picture and unit."""
    view = show_boxes("callees", PROGRAM, "main")
    view.search.setText("hash")
    found = [view.match_label.text()]
    show_boxes.go("exit")
    found.append(view.match_label.text())
    navigation.set(unit=CostUnit.PERCENT)
    process_events()
    found.append(view.match_label.text())
    navigation.set(unit=CostUnit.PERCENT_OF_PARENT, numbers=NumberStyle(decimals=1))
    process_events()
    found.append(view.match_label.text())

    assert found == ["60", "20", f"16.00{THIN}%", f"80.0{THIN}%"]


def test_return_goes_from_match_to_match(
    show_boxes: ShowBoxes, session: Session, navigation: Navigation
) -> None:
    """Return makes each match current and selects it, wrapping around at the end."""
    view = show_boxes("callees", PROGRAM, "main")
    view.search.setText("h")
    found = []
    for _ in range(3):
        QTest.keyClick(view.search, Qt.Key.Key_Return)
        process_events()
        found.append(box_path(canvas_of(view), canvas_of(view).current))
    view.search.setText("nothing")
    QTest.keyClick(view.search, Qt.Key.Key_Return)

    assert found == ["main walk hash", "main scan hash", "main walk hash"]
    assert navigation.context.selected == function_id(session, "hash")
    assert active_name(session, navigation) == "main"


# ---------------------------------------------------------------- the note


def test_note_says_what_is_left_out(show_boxes: ShowBoxes) -> None:
    """The note has the number of calls too cheap to draw; its tip, the threshold and the cost."""
    drawing = "main 99000 -> a 1x996, b 1x3, c 1x1\na 996\nb 3\nc 1"
    view = show_boxes("callees", drawing, "main")

    assert view_lines(view) == [f"main 100{THIN}000", "  a 996"]
    assert view.note.text() == "2 boxes, 2 too small"
    assert "2 boxes are smaller than 10 and not drawn, together 4." in view.note.toolTip()


def test_note_shows_the_zoomed_path(show_boxes: ShowBoxes) -> None:
    """The path of the zoomed box, which may have no label, is in the note."""
    deep = [f"f{n} 1 -> f{n + 1} 1x{60 - n}" for n in range(6)]
    view = show_boxes("callees", "\n".join([*deep, "f6 55"]), "f0")
    canvas = canvas_of(view)
    notes = []
    for zoomed in (2, 5, 0):
        canvas.zoom_to(zoomed)
        notes.append(view.note.text())

    assert notes == ["f0 › f1 › f2 · 7 boxes", "… › f2 › f3 › f4 › f5 · 7 boxes", "7 boxes"]


def test_note_of_tiny_estimates_makes_sense(show_boxes: ShowBoxes) -> None:
    """A threshold below one count is written as one count."""
    drawing = """
        low 99 -> hub 1x1
        main 0 -> hub 9x99999999
        hub 99900000 -> x 1x100000
        x 100000
        """
    view = show_boxes("callees", drawing, "low")

    assert view_lines(view) == ["low 100", "  hub 1"]
    assert "1 box is smaller than 1 and not drawn" in view.note.toolTip()


def test_filter_hides_boxes(show_boxes: ShowBoxes) -> None:
    """Boxes with nothing inside that passes are left out, and the note says so.

    Those on the way to a function that passes are faint.
    """
    view = show_boxes("callees", PROGRAM, "main")
    show_boxes.set(filter=parse_filter("^walk"))
    found = view_lines(view), view.note.text()
    picture = view.canvases[0].picture
    opacities = [picture.shade(key).opacity for key in picture.color_keys(None).tolist()]
    assert opacities[0] < opacities[1] == 1
    show_boxes.set(filter=parse_filter(""))

    assert found == (["main 100", "  walk 60"], "2 boxes · 2 outside the filter")
    assert (len(view_lines(view)), view.note.text()) == (7, f"7 boxes · {LEGEND}")


# ---------------------------------------------------------------- other formats

NAMED = PROGRAM.replace("hash", "n::hash<int>")
NAMED = NAMED.replace("n::hash<int> 40 ->", "n::hash<int>@h.c 40 ->")


@pytest.mark.parametrize("kind", ["flame", "callees"])
def test_formatting_rebuilds_no_tree(
    show_boxes: ShowBoxes, session: Session, navigation: Navigation, kind: str, qtbot: QtBot
) -> None:
    """Units, numbers, short names and groups change texts and colours; the zoom stays."""
    view = show_boxes(kind, NAMED, "main")
    canvas = canvas_of(view)
    around = ("Whole program", "main", "walk") if kind == "flame" else ("main", "walk")
    canvas.zoom_to(box(canvas, *around))
    canvas.set_current(box(canvas, *around, "n::hash<int>"))
    process_events()
    tree, current = canvas.tree, canvas.current
    found: list[str] = []
    (model,), columns = [model for _, model in view.shown_pairs()], (BOXES.COST, BOXES.NAME)

    def look() -> None:
        process_events()
        running = session.jobs.is_running(view.title)
        same = canvas.tree is tree and canvas.current == current
        zoomed = box_path(canvas, canvas.zoom_root).split()[-1]
        assert (running, same, zoomed) == (False, True, "walk")
        name, cost = (canvas.picture.name(current), canvas.picture.cost(current))
        found.append(f"{name}, {cost}")
        assert f"{cost.removesuffix(THIN + '%')} | {name}" in dump_rows(model, *columns)
        assert canvas.accessibleDescription() == found[-1]

    for change in (
        {"unit": CostUnit.PERCENT},
        {"numbers": NumberStyle(decimals=1)},
        {"short_names": True},
        {"unit": CostUnit.ABSOLUTE},
    ):
        navigation.set(**change)
        look()

    assert found == [
        f"n::hash<int>, 32.00{THIN}%",
        f"n::hash<int>, 32.0{THIN}%",
        f"n::hash<…>, 32.0{THIN}%",
        "n::hash<…>, 40",
    ]
    before = canvas.viewport().grab().toImage()
    navigation.set(grouping=Grouping.FILE)  # replaces the colours of objects
    look()
    qtbot.waitUntil(lambda: canvas.viewport().grab().toImage() != before)


# ---------------------------------------------------------------- mouse, keyboard, menu, table


@every_kind
def test_click_selects_and_double_click_goes_there(
    show_boxes: ShowBoxes, session: Session, navigation: Navigation, kind: str
) -> None:
    """A click selects the function everywhere, a double click activates it."""
    view = show_boxes(kind, PROGRAM, "hash" if kind == "callers" else "main")
    canvas = canvas_of(view)
    names = {
        "flame": ("Whole program", "exit"),
        "callees": ("main", "scan"),
        "callers": ("hash", "exit"),
    }[kind]
    at = box_position(canvas, *names)
    QTest.mouseClick(canvas.viewport(), LEFT, pos=at)
    process_events()
    chosen = (box_path(canvas, canvas.current), navigation.context.selected)
    if kind == "flame":  # below all boxes
        QTest.mouseClick(canvas.viewport(), LEFT, pos=QPoint(5, canvas.viewport().height() - 5))
    after = box_path(canvas, canvas.current)
    QTest.mouseClick(canvas.viewport(), LEFT, pos=at)
    QTest.mouseDClick(canvas.viewport(), LEFT, pos=at)
    show_boxes.go("")

    assert chosen == (" ".join(names), function_id(session, names[-1]))
    assert after == " ".join(names)
    assert active_name(session, navigation) == names[-1]
    assert navigation.back_history[0] == function_id(
        session, "hash" if kind == "callers" else "main"
    )


def test_box_around_all_is_no_function(
    show_boxes: ShowBoxes, session: Session, navigation: Navigation
) -> None:
    """The box of the whole program cannot be selected or activated."""
    view = show_boxes("flame", PROGRAM, "main")
    canvas = canvas_of(view)
    at = box_position(canvas, "Whole program")
    QTest.mouseClick(canvas.viewport(), LEFT, pos=at)
    QTest.mouseDClick(canvas.viewport(), LEFT, pos=at)
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    offered = inspect_menu(context_menu_opener(canvas.viewport(), at), menu_entries)
    process_events()

    assert (active_name(session, navigation), navigation.context.selected) == ("main", -1)
    assert "Go to Function" not in offered


def menu_entries(menu: QMenu) -> list[str]:
    """The entries of a menu, without keys."""
    return [without_mnemonic(action.text()).partition("\t")[0] for action in menu_actions(menu)]


@every_kind
def test_menu_of_a_box(
    show_boxes: ShowBoxes, session: Session, navigation: Navigation, kind: str
) -> None:
    """The menu activates the function, has the window's actions, zooms and exports."""
    view = show_boxes(kind, PROGRAM, "hash" if kind == "callers" else "main")
    asked: list[int] = []
    view.menu_requested.connect(lambda menu, entry: (asked.append(entry), menu.addAction("More")))
    canvas = canvas_of(view)
    names = {
        "flame": ("Whole program", "main", "walk"),
        "callees": ("main", "walk"),
        "callers": ("hash", "exit"),
    }[kind]
    at = box_position(canvas, *names)
    offered = inspect_menu(context_menu_opener(canvas.viewport(), at), menu_entries)
    choose_action(context_menu_opener(canvas.viewport(), at), "Zoom In Here\t+")
    zoomed = [box_path(canvas, canvas.zoom_root)]
    choose_action(context_menu_opener(canvas.viewport()), "Zoom Out\tEsc")
    zoomed.append(box_path(canvas, canvas.zoom_root))
    canvas.zoom_to(box(canvas, *names))
    choose_action(context_menu_opener(canvas.viewport()), "Show All\t0")
    zoomed.append(box_path(canvas, canvas.zoom_root))
    canvas.set_current(box(canvas, *names))
    show_boxes.choose(context_menu_opener(canvas.viewport()), "Go to Function\tReturn")

    begin = ["Go to Function", "Zoom In Here", "Zoom Out", "Show All"]
    assert offered[:4] == begin
    assert offered[-1] == "More", "it is the last entry in every menu of a function"
    assert {"Copy Picture", "Copy as CSV", "Save Picture…"} <= set(offered)
    assert set(asked) == {function_id(session, names[-1])}
    assert zoomed == [" ".join(names), " ".join(names[:-1]), names[0]]
    assert active_name(session, navigation) == names[-1]


def test_table_beside(
    show_boxes: ShowBoxes, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """The button shows all boxes as a list that selects and activates."""
    view = show_boxes("callees", PROGRAM, "main")
    (table,) = view.tables
    hidden = table.isVisible()
    qtbot.mouseClick(view.table_button, LEFT)
    process_events()
    names = dump_rows(view.models[0], BOXES.NAME)
    click_row(table, names.index("mix"))
    selected = navigation.context.selected
    double_click_row(table, names.index("walk"))

    assert (hidden, table.isVisible()) == (False, True)
    assert selected == function_id(session, "mix")
    assert active_name(session, navigation) == "walk"


@every_kind
def test_state_is_restored(show_boxes: ShowBoxes, session: Session, kind: str) -> None:
    """The table and its columns are restored; an invalid state changes nothing."""
    view = show_boxes(kind, PROGRAM, "main")
    view.table_button.setChecked(True)
    view.tables[-1].show_columns((BOXES.DEPTH,), False)
    saved = view.save_state()
    again = type(view)(session, *([view.title] if kind != "flame" else []))

    def state() -> tuple[bool, bool]:
        table = again.tables[-1]
        return again.table_button.isChecked(), table.isColumnHidden(BOXES.DEPTH)

    before = state()
    again.restore_state(saved)
    kept = state()
    for nonsense in ([], [QByteArray()], saved[1:], [*saved, QByteArray()]):
        again.restore_state(nonsense)
    again.restore_state([saved[0], *(QByteArray(b"\xff\x00{") for _ in saved[1:])])
    after = state()
    again.deleteLater()

    assert (before, kept, after) == ((False, False), (True, True), (True, True))


# ---------------------------------------------------------------- unusual profiles


@every_kind
@pytest.mark.parametrize("drawing", [CACHEGRIND, "only 7"])
def test_profiles_without_calls_are_explained(
    show_boxes: ShowBoxes, kind: str, drawing: str | Path
) -> None:
    """Profiles of a single function and of Cachegrind show an explanation."""
    view = show_boxes(kind, drawing)

    assert (view.message, view_lines(view)) == (NO_CALLS, ["nothing"])
    assert (view.note.text(), [model.rowCount() for model in view.models]) == (
        "",
        [0] * len(view.models),
    )


@every_kind
@pytest.mark.parametrize(("event", "why"), [("Ratio", NO_RATIO_SHARES), ("Bc", NO_COST)])
def test_events_without_a_picture_are_explained(
    show_boxes: ShowBoxes, session: Session, navigation: Navigation, kind: str, event: str, why: str
) -> None:
    """A ratio cannot be nested, no cost has no area; another event shows the picture again."""
    calls = "main 10,1,0 -> f 1x40,4,0\nother 5,1,0 -> f 1x20,2,0\nf 60,6,0"
    view = show_boxes(kind, f"events: Ir Dr Bc\n{calls}", "f" if kind == "callers" else "main")
    session.set_user_events([UserEvent("Ratio", "", "Ir / Dr")])
    before, first = view_lines(view), navigation.context.event
    found = []
    for each in (navigation.context.events.find(event), first):
        show_boxes.set(event=each)
        found.append((view.message, view_lines(view)))

    assert found == [(why, ["nothing"]), ("", before)]


# ---------------------------------------------------------------- while a picture is built


class Threads:
    """Holds all threads, so that pictures wait, until they are released."""

    def __init__(self, jobs: JobRunner) -> None:
        self._jobs, self._go_on = jobs, threading.Event()

    def hold(self) -> None:
        for number in range(16):
            self._jobs.start(f"hold {number}", lambda _progress: self._go_on.wait(20))

    def go_on(self) -> None:
        self._go_on.set()


@pytest.fixture
def threads(jobs: JobRunner) -> Iterator[Threads]:
    """The threads of the session's jobs."""
    threads = Threads(jobs)
    yield threads
    threads.go_on()


@pytest.fixture
def cyclic(show_boxes: ShowBoxes, request: pytest.FixtureRequest) -> BoxView:
    """Boxes of cycles, whose numbers do not exist without cycles."""
    drawing = "main 10 -> f 1x50\nf 40 -> g 9x30\ng 10 -> f 2x20"
    return show_boxes(request.param, drawing, "main")


both_kinds = pytest.mark.parametrize("cyclic", ["flame", "callees"], indirect=True)
WITH_CYCLES = ["main", "  <cycle 1>", "    f <cycle 1>", "    g <cycle 1>"]
WITHOUT_CYCLES = ["main", "  f", "    g", "      f"]


def named(view: BoxView) -> list[str]:
    """The names of the boxes, level by level."""
    return [line.replace(" ↻", "").rpartition(" ")[0] for line in view_lines(view)]


@both_kinds
def test_other_unit_while_a_picture_is_built(
    cyclic: BoxView, navigation: Navigation, threads: Threads, settle: Settle
) -> None:
    """The old picture is not relabelled with names of renumbered functions."""
    threads.hold()
    navigation.set(scope=Scope(cycles=False))
    process_events()
    navigation.set(unit=CostUnit.PERCENT)
    process_events()
    cyclic.grab()
    meanwhile = named(cyclic)
    threads.go_on()
    settle(cyclic)

    assert meanwhile in ([""], WITH_CYCLES)  # empty, or unchanged
    assert named(cyclic) == WITHOUT_CYCLES


@both_kinds
def test_picture_that_arrives_while_inactive(
    cyclic: BoxView, navigation: Navigation, threads: Threads, settle: Settle
) -> None:
    """A picture built for an earlier scope is not shown for the present one."""
    threads.hold()
    navigation.set(filter=parse_filter("!nothing"))
    process_events()
    cyclic.set_active(False)
    navigation.set(scope=Scope(cycles=False))
    process_events()
    threads.go_on()
    settle(cyclic)
    asleep = named(cyclic)
    cyclic.set_active(True)
    settle(cyclic)

    assert asleep in ([""], WITH_CYCLES)
    assert named(cyclic) == WITHOUT_CYCLES


@both_kinds
def test_picture_of_the_old_profile_is_inert(
    cyclic: BoxView,
    session: Session,
    navigation: Navigation,
    draw: Callable[..., Path],
    qtbot: QtBot,
    jobs: JobRunner,
    threads: Threads,
    settle: Settle,
) -> None:
    """Until the new profile's picture is there, the old one neither selects nor activates."""
    canvas, follow = canvas_of(cyclic), navigation._derive_context

    def follow_and_hold(before: Context, after: Context) -> Context:
        navigation._derive_context = follow
        threads.hold()
        return follow(before, after)

    navigation._derive_context = follow_and_hold
    with qtbot.waitSignals([session.opened, navigation.changed, session.ended]):
        session.open([draw("alone 5 -> b 1x2\nb 2", "callgrind.out.2")])
    process_events()
    before = navigation.context
    waiting = jobs.is_running(cyclic.title)
    for x in range(5, canvas.viewport().width(), 90):
        for y in range(5, canvas.viewport().height(), 12):
            QTest.mouseClick(canvas.viewport(), LEFT, pos=QPoint(x, y))
            QTest.mouseDClick(canvas.viewport(), LEFT, pos=QPoint(x, y))
    QTest.keyClick(canvas, Qt.Key.Key_Down)
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    process_events()
    after = navigation.context
    threads.go_on()
    settle(cyclic)

    assert waiting
    assert (after.function, after.selected) == (before.function, before.selected)
    assert named(cyclic)[0] == "alone"


@every_kind
def test_old_picture_is_greyed(
    show_boxes: ShowBoxes, navigation: Navigation, threads: Threads, qtbot: QtBot, kind: str
) -> None:
    """If building takes long, all of the old picture is greyed until the next one is there."""
    options = {"mode": "sandwich"} if kind == "flame" else {}
    view = show_boxes(kind, PROGRAM, "hash", **options)
    canvases = [canvas for canvas, _ in view.shown_pairs()]

    def pictures() -> list[QImage]:
        return [canvas.viewport().grab().toImage() for canvas in canvases]

    def differences() -> list[bool]:
        return [one != other for one, other in zip(before, pictures(), strict=True)]

    before = [settled(canvas, qtbot) for canvas in canvases]
    threads.hold()
    navigation.set(filter=parse_filter("!nothing"))
    process_events()
    qtbot.waitUntil(lambda: all(differences()))
    threads.go_on()
    show_boxes.go("")

    assert [settled(canvas, qtbot) for canvas in canvases] == before
