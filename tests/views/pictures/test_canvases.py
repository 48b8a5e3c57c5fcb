"""What flame graphs and call maps have in common: mouse and keyboard, colours, unusual profiles."""

from __future__ import annotations

import gc
import re
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.style import theme
from qcachegrind_py.present.frames import CHANGE_LEVELS
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.views.pictures.box_canvas import level_color, text_color
from qcachegrind_py.views.widgets.colors import blended, contrast
from tests.present.boxes_text import PERCENT, PROGRAM, SHARED, boxes_of
from tests.profile_text import EXAMPLE
from tests.user_input import CTRL, LEFT, NONE, move_mouse
from tests.views.pictures.canvas_access import (
    areas,
    box,
    current,
    difference,
    exported_picture,
    exported_texts,
    fill_color,
    frame_names,
    picture_of,
    pixels,
    self_cost_point,
    turn_wheel,
    visible_names,
)
from tests.views.pictures.conftest import PLAIN, ShownCanvas

BARE = replace(PLAIN, names=False, costs=False, shading=False, border=0, least_area=16)
both_kinds = pytest.mark.parametrize("kind", ["map", "flame"])
every_kind = pytest.mark.parametrize("kind", ["map", "flame", "flames"])
KEYS = Qt.Key


# ---------------------------------------------------------------- mouse and keyboard


@both_kinds
def test_a_click_chooses_and_zooms_and_a_double_click_goes(shown: ShownCanvas, kind: str) -> None:
    """A click is one even after a tiny move; a double click goes to what its first click hit."""
    canvas = shown(kind, PROGRAM)
    chosen, gone = QSignalSpy(canvas.selected), QSignalSpy(canvas.activated)
    at = self_cost_point(canvas, "h")

    QTest.mousePress(canvas.viewport(), LEFT, NONE, at)
    move_mouse(canvas.viewport(), at + QPoint(3, 2), LEFT)
    QTest.mouseRelease(canvas.viewport(), LEFT, NONE, at + QPoint(3, 2))
    zoomed = canvas.zoom_root
    QTest.keyClick(canvas, KEYS.Key_Escape)
    returned = canvas.zoom_root
    there = self_cost_point(canvas, "g")
    QTest.mouseClick(canvas.viewport(), LEFT, NONE, there)
    QTest.mouseDClick(canvas.viewport(), LEFT, NONE, there)

    nodes = {name: int(canvas.tree.node[box(canvas, name)]) for name in ("g", "h")}
    seen_large = box(canvas, "f" if kind == "map" else "h")  # h has no contents in a map
    assert (chosen.at(0), zoomed, returned) == ([nodes["h"]], seen_large, 0)
    assert (current(canvas), gone.count(), gone.at(0)) == ("g", 1, [nodes["g"]])


@both_kinds
def test_the_current_box_is_outlined(shown: ShownCanvas, kind: str) -> None:
    """Nothing outside of it changes."""
    canvas = shown(kind, PROGRAM)
    before = picture_of(canvas)
    canvas.set_current(box(canvas, "h"))
    rows, columns = np.nonzero(difference(before, picture_of(canvas)))
    area = canvas.box_rect(box(canvas, "h")).adjusted(-1, -1, 1, 1)

    assert area.contains(QRectF(columns.min(), rows.min(), 1, 1))
    assert area.contains(QRectF(columns.max(), rows.max(), 1, 1))


@both_kinds
def test_the_box_that_keys_act_on_is_seen_and_told(shown: ShownCanvas, kind: str) -> None:
    """Also before a key has led to one. Its ring has two colours, one of which is seen on any box.

    With the mouse the ring would be in the way.
    """
    canvas = shown(kind, PROGRAM)
    canvas.clearFocus()
    before = picture_of(canvas)
    canvas.setFocus(Qt.FocusReason.TabFocusReason)
    ring = difference(before, by_tab := picture_of(canvas))
    colors = {by_tab.pixelColor(int(x), int(y)).name() for y, x in np.argwhere(ring)}
    first = canvas.picture.spoken(0)
    told = [canvas.accessibleDescription()]
    QTest.keyClick(canvas, KEYS.Key_Down)
    told.append(canvas.accessibleDescription())
    QTest.mousePress(canvas.viewport(), LEFT, NONE, self_cost_point(canvas, "h"))

    assert {"#000000", "#ffffff"} <= colors
    assert told == [first, canvas.picture.spoken(canvas.current)]
    assert not canvas.is_led_by_keys


@both_kinds
def test_escape_returns_to_where_a_click_came_from(shown: ShownCanvas, kind: str) -> None:
    """Not to each box in between; without a click before, it goes to the box around."""
    chain = "\n".join(f"f{n} 10 -> f{n + 1} 1x{10 * (10 - n)}" for n in range(10)) + "\nf10 10"
    canvas = shown(kind, chain, "f0")
    canvas.zoom_by_click(box(canvas, "f3"))
    canvas.zoom_by_click(box(canvas, "f9"))
    roots = [canvas.zoom_root]
    for _ in range(3):
        QTest.keyClick(canvas, KEYS.Key_Escape)
        roots.append(canvas.zoom_root)
    canvas.zoom_to(box(canvas, "f9"))
    QTest.keyClick(canvas, KEYS.Key_Escape)

    assert roots == [9, 3, 0, 0]
    assert canvas.zoom_root == 8


@every_kind
def test_arrow_keys_go_where_boxes_are(shown: ShownCanvas, kind: str) -> None:
    """Down goes to the costliest inner box, Up out, Left and Right to siblings.

    If the graph grows up, Up goes in. In a flame graph keys may leave the zoomed box; in a map they
    start there if the current box is out of sight.
    """
    canvas = shown(kind, PROGRAM)
    keys = {"d": KEYS.Key_Down, "u": KEYS.Key_Up, "l": KEYS.Key_Left, "r": KEYS.Key_Right}
    if kind == "flames":
        keys["d"], keys["u"] = keys["u"], keys["d"]

    def walk(steps: str) -> str:
        went = []
        for step in steps:
            QTest.keyClick(canvas, keys[step])
            went.append(current(canvas))
        return " ".join(went)

    assert walk("llrd") == "main main main f"
    assert walk("rrdlldduu") == "g g g f f h h f main"
    canvas.set_current(box(canvas, "g"))
    canvas.zoom_to(box(canvas, "f"))
    assert walk("rduu") == ("f h f f" if kind == "map" else "g g main main")


@both_kinds
def test_keys_zoom_and_activate(shown: ShownCanvas, kind: str) -> None:
    """Plus zooms to the current box, minus and 0 zoom out, Return activates its function."""
    canvas = shown(kind, PROGRAM)
    activated = QSignalSpy(canvas.activated)
    canvas.set_current(box(canvas, "h"))
    zooms = []
    for key in (KEYS.Key_Plus, KEYS.Key_Minus, KEYS.Key_Minus, KEYS.Key_Plus, KEYS.Key_0):
        QTest.keyClick(canvas, key)
        zooms.append(frame_names(canvas)[canvas.zoom_root])
    QTest.keyClick(canvas, KEYS.Key_Return)

    assert (zooms, current(canvas)) == (["h", "f", "main", "h", "main"], "h")
    assert activated.at(0) == [int(canvas.tree.node[box(canvas, "h")])]


# ---------------------------------------------------------------- painting


@both_kinds
@pytest.mark.parametrize("dark", [False, True])
def test_boxes_have_their_colours(shown: ShownCanvas, kind: str, dark: bool) -> None:
    """Full for exact costs, pale for estimates, faint beside matches; each palette is followed."""
    canvas = shown(kind, SHARED, options=BARE)
    theme.apply_palette(dark)
    QApplication.processEvents()

    def seen() -> list[str]:
        image = picture_of(canvas)
        corners = [area.topLeft().toPoint() + QPoint(3, 1) for area in areas(canvas).values()]
        return [image.pixelColor(corner).name() for corner in corners]

    def wanted() -> list[str]:
        return [fill_color(canvas, box).name() for box in range(len(canvas.tree))]

    full = [canvas.picture.style.color(NodeId(node)) for node in canvas.tree.node.tolist()]
    every, found = wanted(), seen()
    assert found == every
    is_exact = canvas.tree.is_exact.tolist()
    assert [one == other for one, other in zip(every, full, strict=True)] == is_exact
    assert False in is_exact
    matches = np.zeros(len(canvas.picture.style.labels), bool)
    matches[canvas.tree.node[box(canvas, "h")]] = True
    canvas.set_matches(matches)
    faded = wanted()
    assert (seen(), [one == other for one, other in zip(every, faded, strict=True)]) == (
        faded,
        [name == "h" for name in frame_names(canvas)],
    )
    canvas.set_matches(None)
    assert seen() == every


@both_kinds
def test_an_export_is_what_the_screen_shows(shown: ShownCanvas, kind: str) -> None:
    """It has no transient marks, any font, and the present size even during a resize."""
    canvas = shown(kind, EXAMPLE)

    def visible_export() -> object:
        return exported_picture(canvas).copy(canvas.viewport().rect())

    if kind == "map":
        assert visible_export() == picture_of(canvas)
        canvas.setFont(QFont(canvas.font().family(), 17))
        assert visible_export() == picture_of(canvas)
    canvas.resize(500, 300)
    at_once = exported_picture(canvas)
    assert at_once.width() == canvas.viewport().width()
    if kind == "map":
        assert at_once == picture_of(canvas)
    canvas.set_current(1)
    assert exported_picture(canvas) == at_once


HOSTILE = [
    "<b>bold</b>&amp;<img/src=x>",
    "a" * 100_000,
    "Z" + "\u0301" * 60,  # a letter that extends far beyond its line
    "\u202egnp.exe\u202c",
    "שלום",
    "\x01\x07tab\there",
    "&file\u2028next",
    "std::vector<std::pair<int,std::string>>::operator[](unsigned_long)'caller",
]


@both_kinds
def test_hostile_names_are_plain_text_in_their_boxes(
    shown: ShownCanvas, tmp_path: Path, kind: str
) -> None:
    """Markup and line breaks have no effect; long names are elided, and nothing overflows."""
    path = tmp_path / "hostile.out"
    calls = "".join(f"cfn={name}\ncalls=1 1\n1 100\n" for name in HOSTILE)
    bodies = "".join(f"fn={name}\n1 100\n" for name in HOSTILE)
    path.write_text(f"events: Ir\n\nfl=a.c\nfn=main\n1 0\n{calls}{bodies}", encoding="utf-8")
    canvas = shown(kind, path, options=replace(PLAIN, split="vertical", costs=False))
    canvas.resize(3000, 400)
    written = [text for text in exported_texts(canvas) if not text.startswith("main\N{EN SPACE}")]

    assert len(written) >= len(HOSTILE)
    assert any("<b>bold</b>&amp;<img/src=x>" in text for text in written)
    assert any(re.fullmatch("(main › )?a+…", text) for text in written)
    assert not any(set("\n\t\x01\u202e\u2028") & set(text) for text in written)


def test_letters_higher_than_their_line_are_clipped(shown: ShownCanvas) -> None:
    """In a map, nothing is painted below the line of a name, however high its letters are."""
    name = "Z" + "\u0301" * 60 + "\u0323" * 60
    canvas = shown("map", f"main 0 -> {name} 1x10\n{name} 10", options=replace(PLAIN, costs=False))
    named = picture_of(canvas)
    canvas.set_options(replace(PLAIN, names=False, costs=False))
    rows = np.flatnonzero(difference(named, picture_of(canvas)).any(axis=1))

    assert 0 < len(rows) <= canvas.fontMetrics().height() + 3


# ---------------------------------------------------------------- colours


def test_texts_are_read_on_any_colour() -> None:
    """The better of black and white by the WCAG formula, with a contrast of at least 4."""
    fills = [
        QColor.fromHsv(hue, saturation, value)
        for hue in range(0, 360, 15)
        for saturation in (0, 90, 180, 255)
        for value in range(0, 256, 15)
    ]
    found = [contrast(text_color(fill), fill) for fill in fills]
    best = [max(contrast(QColor(c), fill) for c in ("#101216", "#f4f5f7")) for fill in fills]

    assert [one for one, other in zip(found, best, strict=True) if one < 0.95 * other] == []
    assert min(found) > 4


@pytest.mark.parametrize("dark", [False, True])
def test_labels_are_legible_on_all_changes(qapp: object, dark: bool) -> None:
    """Every strength of both colours has a contrast of 4.5 to its text, in light and dark."""
    theme.apply_palette(dark=dark)
    levels = range(-CHANGE_LEVELS, CHANGE_LEVELS + 1)
    fills = [level_color(level, QPalette()) for level in levels]
    theme.apply_palette(dark=False)

    assert min(contrast(text_color(fill), fill) for fill in fills) >= 4.5


def test_mixed_colours() -> None:
    """A colour over a background yields the visible, opaque colour."""
    red, white = QColor(200, 0, 100), QColor(255, 255, 255)

    assert [blended(red, white, opacity).getRgb() for opacity in (1, 0, 0.5)] == [
        red.getRgb(), white.getRgb(), (228, 128, 178, 255)
    ]  # fmt: skip


# ---------------------------------------------------------------- unusual profiles


@both_kinds
def test_an_empty_picture(shown: ShownCanvas, kind: str) -> None:
    """Without boxes, cost or a profile the picture is empty, and input does nothing."""
    canvas = shown(kind, PROGRAM)
    no_cost = boxes_of("main 0 -> f 1x0\nf 0\ng 5")
    base = canvas.palette().base().color().name()
    for act in (lambda: canvas.set_boxes(no_cost.tree, no_cost.style), canvas.clear):
        act()
        assert set(pixels(picture_of(canvas))) == {base}
        for key in (KEYS.Key_Down, KEYS.Key_Plus, KEYS.Key_Minus, KEYS.Key_Right, KEYS.Key_0):
            QTest.keyClick(canvas, key)
        for y, keys in ((120, CTRL), (-120, CTRL), (120, Qt.KeyboardModifier.ShiftModifier)):
            turn_wheel(canvas, QPointF(5, 5), y=y, keys=keys)
        QTest.mousePress(canvas.viewport(), LEFT, NONE, QPoint(5, 5))
        move_mouse(canvas.viewport(), QPoint(300, 50), LEFT)
        QTest.mouseRelease(canvas.viewport(), LEFT, NONE, QPoint(300, 50))
        canvas.set_matches(None)
        assert (canvas.box_rect(0).isEmpty(), set(pixels(exported_picture(canvas)))) == (
            True,
            {base},
        )


@both_kinds
def test_a_single_box(shown: ShownCanvas, kind: str) -> None:
    """A leaf function is a single box as wide as the picture, and every key stays there."""
    canvas = shown(kind, "main 7")
    for key in (KEYS.Key_Down, KEYS.Key_Left, KEYS.Key_Right, KEYS.Key_Plus, KEYS.Key_Up):
        QTest.keyClick(canvas, key)

    assert (current(canvas), canvas.box_rect(0).width()) == ("main", canvas.viewport().width())
    assert f"100.00{PERCENT}" in " ".join(exported_texts(canvas))


@both_kinds
def test_a_cycle_is_a_box_with_its_members_in_it(shown: ShownCanvas, kind: str) -> None:
    """Recursion goes no deeper than the members."""
    canvas = shown(kind, "main 1 -> a 1x99\na 59 -> b 1x40\nb 40 -> a 1x30")

    assert visible_names(canvas) == ["main", "<cycle 1>", "a <cycle 1>", "b <cycle 1>"]


@both_kinds
def test_clear_frees_the_profile(shown: ShownCanvas, kind: str) -> None:
    """Clearing, even during drawing or a drag, drops names, arrays and pictures."""
    for in_the_middle in (False, True):
        canvas = shown(kind, EXAMPLE)
        view = canvas.viewport()
        if in_the_middle:
            canvas.set_box_style(canvas.picture.style)
            canvas.resize(800, 500)
            QTest.mousePress(view, LEFT, NONE, QPoint(20, 20))
            move_mouse(view, QPoint(90, 20), LEFT)
        kept = [weakref.ref(canvas.picture.style.labels), weakref.ref(canvas.tree.node)]
        canvas.clear()
        move_mouse(view, QPoint(120, 20), LEFT)
        QTest.mouseRelease(view, LEFT, NONE, QPoint(120, 20))
        gc.collect()
        assert [ref() for ref in kept] == [None, None]
        assert (canvas.current, view.cursor().shape()) == (-1, Qt.CursorShape.ArrowCursor)


@both_kinds
def test_new_boxes_reset_the_view(shown: ShownCanvas, kind: str) -> None:
    """All are in sight and none is current, not even one with a pressed button."""
    canvas = shown(kind, PROGRAM)
    before = areas(canvas)
    canvas.zoom_to(box(canvas, "g"))
    canvas.set_current(box(canvas, "g"))
    QTest.mousePress(canvas.viewport(), LEFT, NONE, QPoint(20, 5))
    canvas.set_boxes(canvas.tree, canvas.picture.style)
    QTest.mouseRelease(canvas.viewport(), LEFT, NONE, QPoint(20, 5))

    assert (canvas.current, canvas.zoom_root, areas(canvas)) == (-1, 0, before)
