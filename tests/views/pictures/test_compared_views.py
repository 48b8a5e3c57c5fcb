"""Flame graph and maps while profiles are compared: widths, texts, colours, table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.calls.frame_layout import BoxWidth
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.picture import Spot
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.pictures.box_canvas import BoxColors
from qcachegrind_py.views.pictures.box_view import BoxView
from tests.analysis.calls.test_accounted_calls import THREADS
from tests.columns import BOXES
from tests.profile_rows import DATA
from tests.profile_text import write_profile_text
from tests.user_input import (
    context_menu_opener,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
)
from tests.views.pictures.box_view_text import box, box_path, canvas_of
from tests.views.pictures.conftest import ShowBoxes

pytestmark = ignore_offscreen_warnings
Compared = Callable[..., BoxView]
BASE = "main 10 -> a 1x30, old 1x5, b 1x20\na 10 -> leaf 2x20\nold 5\nleaf 20\nb 20"
NEW = "main 11 -> a 1x34, fresh 1x9, b 1x20\na 10 -> leaf 3x24\nfresh 9\nleaf 24\nb 20"
PATHS = DATA / "call-paths"
MINUS = "\N{MINUS SIGN}"


@pytest.fixture
def compared(show_boxes: ShowBoxes, session: Session, qtbot: QtBot, tmp_path: Path) -> Compared:
    """Show a view of two profiles: `compared("flame", "main", width="base")`."""

    def compared(
        kind: str,
        at: str = "main",
        base: str | Path = BASE,
        new: str | Path = NEW,
        **options: object,
    ) -> BoxView:
        view = show_boxes(kind, new, **options)
        if isinstance(base, str):
            base = write_profile_text(tmp_path, base, "callgrind.out.base")
        session.comparing.compare_with(ProfileFiles((base,), with_siblings=False))
        qtbot.waitUntil(lambda: session.comparison is not None)
        show_boxes.go(at)
        return view

    return compared


def drawn_texts(view: BoxView) -> dict[str, str]:
    """The label and the numbers of each box that is drawn, by its path."""
    canvas = canvas_of(view)
    picture = canvas.picture
    return {
        box_path(canvas, row): f"{picture.label(row)} {picture.cost(row)}"
        for row in range(len(picture))
        if picture.tree.width[row] > 0
    }


def menu_titles(view: BoxView) -> list[str]:
    """The titles in the menu of the flame graph's options."""
    return inspect_menu(
        view.mode_button.click,
        lambda menu: [action.text().replace("&", "") for action in menu.actions()],
    )


# ---------------------------------------------------------------- widths


def test_a_key_goes_through_the_widths(compared: Compared, show_boxes: ShowBoxes) -> None:
    """W shows the base, then the changes, then the new side again."""
    view = compared("flame")
    assert menu_titles(view)[-2:] == ["Width of Boxes", "Next Width of Boxes\tW"]
    found = []
    for _ in range(3):
        QTest.keyClick(canvas_of(view), Qt.Key.Key_W)
        show_boxes.go("")
        found.append((view.box_width, sorted(drawn_texts(view)), view.note.text().split(" · ")[1]))

    assert found == [
        (BoxWidth.BASE, ["main", "main a", "main a leaf", "main b", "main old"], "1 new, +9"),
        (
            BoxWidth.CHANGE,
            ["main", "main a", "main a leaf", "main fresh", "main old"],
            "1 without a certain change",
        ),
        (
            BoxWidth.NEW,
            ["main", "main a", "main a leaf", "main b", "main fresh"],
            f"1 gone, {MINUS}5",
        ),
    ]


def test_the_zoom_stays_in_another_width(compared: Compared, show_boxes: ShowBoxes) -> None:
    """The box zoomed to and the current one are the same after W."""
    view = compared("flame")
    canvas = canvas_of(view)
    canvas.zoom_to(box(canvas, "main", "a"))
    canvas.set_current(box(canvas, "main", "a", "leaf"))
    QTest.keyClick(canvas, Qt.Key.Key_W)
    show_boxes.go("")

    assert box_path(canvas, canvas.zoom_root) == "main a"
    assert box_path(canvas, canvas.current) == "main a leaf"


@pytest.mark.parametrize(
    ("base", "new", "width", "expected", "other"),
    [
        ("main 1 -> old 1x5\nold 5", "main 1", "new", "Only the base has cost here.", "Base"),
        ("main 1", "main 1 -> old 1x5\nold 5", "base", "Only the new side has cost here.", "New"),
        (BASE, BASE, "change", "No change here is certain.", "New"),
    ],
)
def test_an_empty_view_says_why(
    compared: Compared, base: str, new: str, width: str, expected: str, other: str
) -> None:
    """Where nothing has a width, a sentence says why, and a button shows what has one."""
    at = "main" if width == "change" else "old"
    view = compared("callees", at, base=base, new=new, width=width)

    (button,) = view._empty_page.buttons
    assert (view.message, button.text()) == (expected, f"Show {other} Cost")
    button.click()
    assert view.box_width is BoxWidth(other.lower())


@pytest.mark.parametrize("kind", ["flame", "callees"])
def test_the_note_says_what_is_not_drawn_on_both_sides(compared: Compared, kind: str) -> None:
    """Calls too small for boxes are counted once, and cost something on each side."""
    base = "main 99000 -> a 1x996, b 1x3, c 1x1\na 996\nb 3\nc 1"
    new = "main 99000 -> a 1x990, b 1x2, d 1x5\na 990\nb 2\nd 5"
    note = compared(kind, base=base, new=new).note

    assert ", 3 too small" in note.text()
    assert "3 boxes are smaller than 20 and not drawn, together 4 → 7." in note.toolTip()


def test_the_note_says_what_has_no_room_on_both_sides(
    compared: Compared, show_boxes: ShowBoxes
) -> None:
    """A box below the smallest area of a map is a figure, too."""
    base, new = "main 900 -> a 1x99, b 1x1\na 99\nb 1", "main 900 -> a 1x97, b 1x2\na 97\nb 2"
    view = compared("callees", base=base, new=new)
    show_boxes.choose(context_menu_opener(view.map.viewport()), "500 Pixels")

    assert view.note.text().endswith(" · 1 without room (1 → 2)")


def test_without_a_base_there_is_no_width(show_boxes: ShowBoxes) -> None:
    """Neither the menu nor the note nor the table have anything of a comparison; W does nothing."""
    view = show_boxes("flame", NEW, "main")
    QTest.keyClick(canvas_of(view), Qt.Key.Key_W)
    titles = menu_titles(view)

    assert view.box_width is BoxWidth.NEW
    assert not any("Width" in title for title in titles)
    assert view.note.text() == "5 boxes"
    picture = canvas_of(view).picture
    assert not picture.is_compared


# ---------------------------------------------------------------- texts


def test_a_search_says_what_matches_cost_on_both_sides(compared: Compared) -> None:
    """Base, new and change of all matches, those that are gone included."""
    view = compared("flame")
    view.search.setText("l")
    process_events()

    assert view.match_label.text() == f"25 → 24 ({MINUS}1)"
    assert len(view.matches()) == 1


def test_the_table_has_both_sides(compared: Compared) -> None:
    """Changes, both sides, growth and calls of all boxes, those that are not drawn included."""
    view = compared("flame")
    model, table = view.models[-1], view.tables[-1]
    columns = (BOXES.NAME, BOXES.COST, BOXES.SELF, BOXES.BASE, BOXES.NEW, BOXES.CALLED)
    rows = {
        " | ".join(str(model.index(row, column).data()) for column in columns)
        for row in range(model.rowCount())
    }

    assert rows == {
        "main | +9 | +1 | 65 | 74 | –",
        "a | +4 |  | 30 | 34 | 1",
        "leaf | +4 | +4 | 20 | 24 | 2\N{THIN SPACE}→\N{THIN SPACE}3",
        "b |  |  | 20 | 20 | 1",
        f"old | {MINUS}5 | {MINUS}5 | 5 |  | 1\N{THIN SPACE}→\N{THIN SPACE}0",
        "fresh | +9 | +9 |  | 9 | 0\N{THIN SPACE}→\N{THIN SPACE}1",
    }
    assert model.columns[BOXES.COST].heading == "Incl. ±"
    assert not table.isColumnHidden(BOXES.NEW) or table.width() < 400


# ---------------------------------------------------------------- colours


@pytest.mark.parametrize("kind", ["flame", "callees"])
def test_exports_show_the_changes(compared: Compared, kind: str) -> None:
    """The exported picture has the colours of growth and of grey."""
    from qcachegrind_py.views.widgets.saving import to_image

    view = compared(kind)
    image = to_image(canvas_of(view), 1.0)
    seen = {
        QColor(image.pixel(x, y)).name()
        for x in range(0, image.width(), 3)
        for y in range(0, image.height(), 2)
    }
    reddish = [name for name in seen if QColor(name).red() > QColor(name).blue() + 60]

    assert reddish


def test_the_line_below_has_the_colour_of_the_box(compared: Compared) -> None:
    """That of its change, beside its name; alone, that of its group, even for an estimate."""
    view = compared("flame")
    canvas = canvas_of(view)
    keys = canvas.picture.color_keys(None).tolist()
    colors = BoxColors(canvas.picture, canvas.palette())

    found = [canvas.detail_of(Spot(row)).color for row in range(len(keys))]
    assert found == [colors[key].name() for key in keys]
    assert len(set(found)) > 2


def test_the_net_change_is_underlined(compared: Compared) -> None:
    """By change, a line at the bottom of main is as long as its net: 9 of 19."""
    from qcachegrind_py.views.widgets.colors import GROWTH

    view = compared("flame", width="change")
    canvas = canvas_of(view)
    area = canvas.box_rect(0).toRect()
    image = canvas.viewport().grab().toImage()
    y = area.bottom() - 2
    line = [x for x in range(area.width()) if QColor(image.pixel(x, y)) == GROWTH]

    assert len(line) == pytest.approx(area.width() * 9 / 19, abs=3)


def test_the_net_change_is_underlined_in_maps(compared: Compared) -> None:
    """In a map, too: of what changed inside p, 30 and 10 less, a net of half is left."""
    from qcachegrind_py.views.widgets.colors import GROWTH
    from qcachegrind_py.views.widgets.saving import to_image

    base = "main 0 -> p 1x110, q 1x80\np 0 -> f 1x50, g 1x60\nf 50\ng 60\nq 80"
    new = "main 0 -> p 1x130, q 1x40\np 0 -> f 1x80, g 1x50\nf 80\ng 50\nq 40"
    view = compared("callees", base=base, new=new, width="change")
    canvas = canvas_of(view)
    area = canvas.box_rect(box(canvas, "main", "p"))
    image = to_image(canvas, 1.0)
    y = round(area.bottom()) - 3
    across = range(round(area.left()), round(area.right()))
    line = [x for x in across if QColor(image.pixel(x, y)) == GROWTH]

    assert len(line) == pytest.approx(area.width() / 2, abs=4)


# ---------------------------------------------------------------- whole program


def test_threads_of_one_profile_are_compared(
    show_boxes: ShowBoxes, session: Session, qtbot: QtBot, tmp_path: Path
) -> None:
    """A thread that begins with a function that the other one calls is drawn from its start."""
    path = tmp_path / "callgrind.out.1"
    path.write_text(THREADS, encoding="utf-8")
    view = show_boxes("flame", path)
    session.comparing.use_parts_as_base([PartId(0)])
    qtbot.waitUntil(lambda: session.comparison is not None)
    show_boxes.go("")

    assert drawn_texts(view) == {
        "Whole program": "▲ Whole program 70 (+25)",
        "Whole program work": "▲ work 70 (new)",
        "Whole program work leaf": "▲ leaf 10 (new)",
    }
    assert f"3 gone, {MINUS}45" in view.note.text()


def test_the_unit_per_call_follows_the_function(compared: Compared, show_boxes: ShowBoxes) -> None:
    """Costs per call of the active function are shown in the whole program, too."""
    view = compared("flame", "leaf")
    show_boxes.set(unit=CostUnit.PER_CALL)
    before = drawn_texts(view)["main a leaf"]
    show_boxes.go("a")

    assert (before, drawn_texts(view)["main a leaf"]) != (before, before)


def test_shares_have_the_colours_of_shares(compared: Compared, show_boxes: ShowBoxes) -> None:
    """If all costs are three times as high, no share changed, and nothing is coloured."""
    view = compared("flame", base="main 10 -> f 1x5\nf 5", new="main 30 -> f 1x15\nf 15")
    show_boxes.set(unit=CostUnit.SHARES)

    picture = canvas_of(view).picture
    assert {picture.shade(key).level for key in picture.color_keys(None).tolist()} == {0}


@pytest.mark.parametrize(
    ("width", "text"),
    [
        ("new", "width: new cost"),
        ("base", "width: base cost"),
        ("change", "width: growth and shrinkage inside, in counts"),
    ],
)
@pytest.mark.parametrize("unit", [CostUnit.SHARES, CostUnit.PER_CALL])
def test_the_note_says_that_widths_of_changes_are_counts(
    compared: Compared, unit: CostUnit, width: str, text: str, show_boxes: ShowBoxes
) -> None:
    """Growth and shrinkage add up in counts only; proportions of one side are those of counts."""
    view = compared("flame", width=width)
    show_boxes.set(unit=unit)

    assert [part for part in view.note.text().split(" · ") if "width:" in part] == [text]
