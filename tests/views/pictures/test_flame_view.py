"""The flame graph of the whole program, and of the active function's callers and callees."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QVariantAnimation
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.pictures.flame_view import FlameView, Mode
from tests.profile_text import THIN
from tests.user_input import (
    choose_action,
    context_menu_opener,
    enabled_texts,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
)
from tests.views.pictures.box_view_text import (
    ABOUT,
    PROGRAM,
    box,
    box_path,
    box_position,
    canvas_lines,
    changed_paths,
    view_lines,
)
from tests.views.pictures.conftest import ShowBoxes

WHOLE = [
    "Whole program 125",
    "  main 100",
    "    walk 60",
    "      hash 40",
    f"        mix {ABOUT}20",
    "    scan 30",
    "      hash 20",
    f"        mix {ABOUT}10",
    "  exit 25",
    "    hash 20",
    f"      mix {ABOUT}10",
]
CALLERS = ["hash 80", "  walk 40", "    main 40", "  scan 20", "    main 20", "  exit 20"]
CALLEES = ["hash 80", "  mix 40"]
pytestmark = ignore_offscreen_warnings


def test_modes_are_switched(show_boxes: ShowBoxes) -> None:
    """The button names the mode, and its menu offers all others."""
    view = show_boxes("flame", PROGRAM, "hash")
    found = {view.mode_button.text(): view_lines(view)}
    for text in ("Callers and Callees (Sandwich)", "Callers", "Callees"):
        show_boxes.choose(view.mode_button.click, text)
        found[view.mode_button.text()] = view_lines(view)
    show_boxes.choose(view.mode_button.click, "Whole Program")

    assert found == {
        "Whole Program": WHOLE,
        "Sandwich": [*CALLERS, "---", *CALLEES],
        "Callers": CALLERS,
        "Callees": CALLEES,
    }
    assert view_lines(view) == WHOLE
    assert [canvas.isVisible() for canvas in view.canvases] == [False, True]


def picture(view: FlameView) -> QImage:
    return view.main_canvas.viewport().grab().toImage()


def test_whole_program_marks_the_active_function(
    show_boxes: ShowBoxes, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """Another active function changes only which boxes are outlined."""
    view = show_boxes("flame", PROGRAM, "scan")
    view.main_canvas.zoom_to(box(view.main_canvas, "Whole program", "main"))
    view.main_canvas.zoom_to(0)
    zoom = view.main_canvas.findChild(QVariantAnimation)
    qtbot.waitUntil(lambda: zoom.state() == QVariantAnimation.State.Stopped)
    tree, before = view.main_canvas.tree, picture(view)
    go_to(session, navigation, "hash")
    running, after = session.jobs.is_running(view.title), picture(view)

    assert (running, view.main_canvas.tree is tree) == (False, True)
    assert changed_paths(view.main_canvas, before, after) == [
        "Whole program main scan",
        "Whole program exit hash",
        "Whole program main walk hash",
        "Whole program main scan hash",
    ]


def test_selected_function_is_marked_instead(
    show_boxes: ShowBoxes, session: Session, navigation: Navigation
) -> None:
    """A selected function is outlined in place of the active one."""
    view = show_boxes("flame", PROGRAM, "scan")
    before = picture(view)
    navigation.set(selected=session.queries.names.with_name("exit")[0])
    process_events()

    assert changed_paths(view.main_canvas, before, picture(view)) == [
        "Whole program exit",
        "Whole program main scan",
    ]


@pytest.mark.parametrize("turned", [False, True])
def test_upside_down(show_boxes: ShowBoxes, turned: bool) -> None:
    """Icicles hang and callers stand, or vice versa; the sandwich has one orientation."""
    view = show_boxes("flame", PROGRAM, "hash", upside_down=turned)
    found = {}
    for mode in Mode:
        view.options.set("mode", mode.value)
        show_boxes.go("")
        found[mode] = [
            canvas.box_rect(1).top() > canvas.box_rect(0).top() for canvas, _ in view.shown_pairs()
        ]

    assert found == {
        Mode.PROGRAM: [not turned],
        Mode.INVERTED: [not turned],
        Mode.CALLEES: [not turned],
        Mode.CALLERS: [turned],
        Mode.SANDWICH: [False, True],
    }


def test_sandwich_has_the_function_in_the_middle(show_boxes: ShowBoxes) -> None:
    """The active function's two boxes meet in the middle, equally wide."""
    view = show_boxes("flame", PROGRAM, "hash", mode="sandwich")
    above, below = view.callers_canvas, view.main_canvas
    bottom = above.viewport().mapTo(view, above.box_rect(0).bottomLeft().toPoint()).y()
    top = below.viewport().mapTo(view, below.box_rect(0).topLeft().toPoint()).y()

    assert 0 <= top - bottom < above.fontMetrics().height()
    assert above.box_rect(0).width() == below.box_rect(0).width() == above.viewport().width()


def test_halves_of_the_sandwich_are_equally_wide(show_boxes: ShowBoxes) -> None:
    """If one half has a scroll bar, boxes of equal cost still have equal widths."""
    deep = [f"f{n} 1 -> f{n + 1} 1x{60 - n}" for n in range(59)]
    view = show_boxes("flame", "\n".join([*deep, "f59 2"]), "f1", mode="sandwich")

    assert view.main_canvas.verticalScrollBar().maximum() > 0
    assert view.callers_canvas.box_rect(0).width() == view.main_canvas.box_rect(0).width()


def test_return_goes_from_match_to_match_of_both_halves(show_boxes: ShowBoxes) -> None:
    """In the sandwich the search goes through callers and callees, and wraps around."""
    view = show_boxes("flame", PROGRAM, "hash", mode="sandwich")
    view.search.setText("i")
    found = []
    for _ in range(5):
        before = view.callers_canvas.current, view.main_canvas.current
        QTest.keyClick(view.search, Qt.Key.Key_Return)
        process_events()
        canvas = (
            view.callers_canvas if view.callers_canvas.current != before[0] else view.main_canvas
        )
        found.append(box_path(canvas, canvas.current))

    paths = ["hash exit", "hash walk main", "hash scan main", "hash mix"]
    assert found == [*paths, paths[0]]


def test_both_halves_of_the_sandwich_are_exported(show_boxes: ShowBoxes) -> None:
    """The copied picture has callers and callees."""
    view = show_boxes("flame", PROGRAM, "hash", mode="sandwich")
    choose_action(context_menu_opener(view.main_canvas.viewport()), "Copy Picture")
    data = QGuiApplication.clipboard().mimeData()
    svg = bytes(data.data("image/svg+xml").data()).decode()

    assert [name for name in ("walk", "scan", "exit", "mix") if f">{name}" not in svg] == []


def test_boxes_of_both_halves_are_copied_as_csv(show_boxes: ShowBoxes) -> None:
    """Callers and callees are two tables of whole numbers, an empty line apart."""
    view = show_boxes("flame", PROGRAM, "hash", mode="sandwich")
    choose_action(context_menu_opener(view.main_canvas.viewport()), "Copy as CSV")

    assert QGuiApplication.clipboard().text().splitlines() == [
        "Incl.,Self,Depth,Function,Inside,Location,Proven",
        "80,0,0,hash,,???,yes",
        "40,0,1,walk,hash,???,yes",
        "40,40,2,main,walk,???,yes",
        "20,0,1,scan,hash,???,yes",
        "20,20,1,exit,hash,???,yes",
        "20,20,2,main,scan,???,yes",
        "",
        "Incl.,Self,Depth,Function,Inside,Location,Proven",
        "80,40,0,hash,,???,yes",
        "40,40,1,mix,hash,???,yes",
    ]


def test_units_of_the_modes(show_boxes: ShowBoxes, navigation: Navigation) -> None:
    """Percentages of the parent refer to the active function, or to the total."""
    view = show_boxes("flame", PROGRAM, "hash", mode="callees")
    navigation.set(unit=CostUnit.PERCENT_OF_PARENT)
    process_events()
    found = view_lines(view)
    view.options.set("mode", "program")
    show_boxes.go("")

    assert found == [f"hash 100.00{THIN}%", f"  mix 50.00{THIN}%"]
    assert view_lines(view)[:2] == [f"Whole program 100.00{THIN}%", f"  main 80.00{THIN}%"]


def test_modes_are_in_the_menu_of_a_box(show_boxes: ShowBoxes) -> None:
    """The context menu of a box offers the modes as well."""
    view = show_boxes("flame", PROGRAM, "hash")
    at = box_position(view.main_canvas, "Whole program", "exit")
    offered = inspect_menu(context_menu_opener(view.main_canvas.viewport(), at), enabled_texts)
    show_boxes.choose(context_menu_opener(view.main_canvas.viewport(), at), "Callees")

    assert [text.partition("\t")[0] for text in offered[:4]] == [
        "Go to Function",
        "Zoom In Here",
        "Zoom Out",
        "Show All",
    ]
    assert {"Whole Program", "Callers", "Upside Down"} <= set(offered)
    assert canvas_lines(view.main_canvas) == CALLEES
