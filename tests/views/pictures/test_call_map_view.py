"""The maps of callees and callers of the active function, and their options."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.present.context import Change
from qcachegrind_py.views.pictures.call_map_view import MAP_CHOICES, CallMapView
from tests.user_input import (
    context_menu_opener,
    enabled_texts,
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
    view_lines,
)
from tests.views.pictures.conftest import ShowBoxes

MAIN = [
    "main 100",
    "  walk 60",
    "    hash 40",
    f"      mix {ABOUT}20",
    "  scan 30",
    "    hash 20",
    f"      mix {ABOUT}10",
]
WALK = """
    main 10 -> walk 1x990
    walk 90 -> hash 1x300, find 1x250, open 1x200, close 1x150
    hash@h.c@lib 300
    find 250
    open 200
    close 150
    """
pytestmark = ignore_offscreen_warnings


def test_the_job_lays_out_the_map(show_boxes: ShowBoxes) -> None:
    """A new map takes the layout of its job; another size is laid out by the canvas."""
    view = show_boxes("callees", PROGRAM, "main")
    view.refresh_for(Change.EVENT)
    show_boxes.go("")
    prepared = view.map.prepared_layout
    assert prepared is not None
    at_first = view.map._treemap is prepared.treemap
    view.map.resize(300, 200)
    view.map.lay_out()

    assert (at_first, view.map._treemap is prepared.treemap) == (True, False)


def seen(view: CallMapView) -> list[str]:
    """The paths of the boxes large enough to be drawn."""
    boxes = range(len(view.map.tree))
    return [box_path(view.map, box) for box in boxes if not view.map.box_rect(box).isEmpty()]


def test_map_ends_at_a_depth(show_boxes: ShowBoxes) -> None:
    """Deeper calls have no box; No Limit restores them."""
    view = show_boxes("callees", PROGRAM, "main")
    found = {}
    for text in ("1", "2", "No Limit (Maximum 500)"):
        show_boxes.choose(context_menu_opener(view.map.viewport()), text)
        found[text] = view_lines(view)

    assert found == {
        "1": ["main 100", "  walk 60", "  scan 30"],
        "2": ["main 100", "  walk 60", "    hash 40", "  scan 30", "    hash 20"],
        "No Limit (Maximum 500)": MAIN,
    }


def test_map_ends_at_a_function(show_boxes: ShowBoxes) -> None:
    """The menu of a box collapses all boxes of its function, and expands them again."""
    view = show_boxes("callees", PROGRAM, "main")
    viewport, at = view.map.viewport(), ("main", "walk", "hash")
    offered = inspect_menu(
        context_menu_opener(viewport, box_position(view.map, *at)), enabled_texts
    )
    show_boxes.choose(
        context_menu_opener(viewport, box_position(view.map, *at)), "Stop at This Function"
    )
    stopped = view_lines(view)
    show_boxes.choose(
        context_menu_opener(viewport, box_position(view.map, *at)), "Do Not Stop Here"
    )
    opened = view_lines(view)
    for name in ("scan", "walk"):
        show_boxes.choose(
            context_menu_opener(viewport, box_position(view.map, "main", name)),
            "Stop at This Function",
        )
    both = view_lines(view)
    show_boxes.choose(
        context_menu_opener(viewport, box_position(view.map, "main")), "Stop at No Function"
    )

    assert "Stop at No Function" not in offered
    assert stopped == ["main 100", "  walk 60", "    hash 40", "  scan 30", "    hash 20"]
    assert both == ["main 100", "  walk 60", "  scan 30"]
    assert opened == view_lines(view) == MAIN


def test_collapsed_functions_are_forgotten_on_renumbering(show_boxes: ShowBoxes) -> None:
    """Toggling cycles renumbers functions, so no box stays collapsed."""
    view = show_boxes("callees", PROGRAM, "main")
    at = box_position(view.map, "main", "walk")
    show_boxes.choose(context_menu_opener(view.map.viewport(), at), "Stop at This Function")
    stopped = view_lines(view)
    show_boxes.set(scope=Scope(cycles=False))

    assert stopped == [line for line in MAIN if line not in MAIN[2:4]]
    assert view_lines(view) == MAIN


def test_active_function_is_never_collapsed(show_boxes: ShowBoxes) -> None:
    """A collapsed function is expanded while it is the active one."""
    view = show_boxes("callees", PROGRAM, "main")
    at = box_position(view.map, "main", "walk")
    show_boxes.choose(context_menu_opener(view.map.viewport(), at), "Stop at This Function")
    show_boxes.go("walk")

    assert view_lines(view) == ["walk 60", "  hash 40", f"    mix {ABOUT}20"]


def test_small_boxes_are_not_drawn(show_boxes: ShowBoxes) -> None:
    """Boxes below the minimum area are a figure below the map, and in the table."""
    drawing = "main 900 -> a 1x99, b 1x1\na 99\nb 1"
    view = show_boxes("callees", drawing, "main")
    found = {}
    for area in ("25 Pixels", "500 Pixels"):
        show_boxes.choose(context_menu_opener(view.map.viewport()), area)
        found[area] = (seen(view), view_lines(view), view.note.text())

    whole = ["main 1\N{THIN SPACE}000", "  a 99", "  b 1"]
    assert found == {
        "25 Pixels": (["main", "main a", "main b"], whole, "3 boxes"),
        "500 Pixels": (["main", "main a"], whole, "3 boxes · 1 without room (1)"),
    }


@pytest.mark.parametrize(
    "name", ["split", "border", "names", "costs", "counts", "places", "shading", "rotate"]
)
def test_style_options_change_the_picture(show_boxes: ShowBoxes, qtbot: QtBot, name: str) -> None:
    """Each option is visible and keeps the zoom and the current box."""
    view = show_boxes("callees", WALK, "main")
    view.resize(300, 600)  # taller than wide, as rotation is visible only then
    view.map.lay_out()
    view.map.zoom_to(box(view.map, "main", "walk"))
    view.map.set_current(box(view.map, "main", "walk", "hash"))
    process_events()
    tree, before = view.map.tree, view.map.grab().toImage()
    value = getattr(view.options.current, name)
    view.options.set(name, {"border": 3, "split": "vertical"}.get(name, not value))
    show_boxes.go("")

    qtbot.waitUntil(lambda: view.map.grab().toImage() != before)
    assert view.map.tree is tree
    assert (box_path(view.map, view.map.zoom_root), box_path(view.map, view.map.current)) == (
        "main walk",
        "main walk hash",
    )


def test_texts_of_options_are_right() -> None:
    """One pixel is singular, and no choice is offered twice."""
    offered = [text for choice in MAP_CHOICES.values() for _, text in choice.values]

    assert [text for text in offered if text == "1 Pixels"] == []
    assert all(len({t for _, t in c.values}) == len(c.values) for c in MAP_CHOICES.values())
