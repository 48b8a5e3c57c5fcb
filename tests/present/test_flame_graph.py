"""Flame graphs: rows and ranges in the window, and the boxes of a page."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.present.flame_graph import (
    CostRange,
    FlameGraph,
    FlameRows,
    FlameViewport,
    flame_graph,
)
from qcachegrind_py.present.frames import NO_FRAMES, Frames
from qcachegrind_py.profile.progress import NoProgress
from tests.present.boxes_text import boxes_of, names_of
from tests.profile_rows import profile_from
from tests.profile_text import EXAMPLE, THIN, profile_text
from tests.write.drawn_comparisons import BASE, NEW

PROGRAM = """
    m 10 -> f 1x60, g 1x30
    f 20 -> h 1x40
    g 30
    h 0 -> k 1x40
    k 40
"""


def viewport(
    range_: CostRange, columns: int, rows: int, *, scrolled: int = 0, grows_up: bool = False
) -> FlameViewport:
    """A part of a graph of this many pixels, with rows of one pixel."""
    root = rows + scrolled if grows_up else -scrolled
    return FlameViewport(range_.left, columns / range_.width, columns, rows, 1, root, grows_up)


def drawn(picture: Frames, shown: FlameViewport) -> list[str]:
    """The rows of a graph with a letter, the name of the box there, for each pixel."""
    names, flame = names_of(picture), FlameRows(picture.tree)
    cells = [
        [flame.box_at(shown.depth_at(y), shown.cost_at(x)) for x in range(shown.width)]
        for y in range(shown.height)
    ]
    return ["".join(names[box] if box >= 0 else " " for box in line) for line in cells]


def test_rows_are_depths_and_widths_are_costs() -> None:
    """The root is on top, or at the bottom if the graph grows up; a range is a part of all."""
    picture = boxes_of(PROGRAM, "m")
    whole, rows = CostRange(0, 100), ["m" * 10, "ffffffggg ", "hhhh      ", "kkkk      ", " " * 10]

    assert drawn(picture, viewport(whole, 10, 5)) == rows
    assert drawn(picture, viewport(whole, 10, 5, grows_up=True)) == rows[::-1]
    assert drawn(picture, viewport(whole, 10, 2, scrolled=1)) == rows[1:3]
    assert drawn(picture, viewport(CostRange(30, 40), 8, 3)) == ["m" * 8, "ffffffgg", "hh      "]
    half = 2**61
    large = boxes_of(f"m 0 -> f 1x{half}, g 1x{half}\nf {half}\ng {half}", "m")
    assert drawn(large, viewport(CostRange(0, 2.0**62), 6, 2)) == ["mmmmmm", "fffggg"]


@pytest.mark.parametrize("grows_up", [False, True])
@pytest.mark.parametrize(("part", "scrolled"), [(1, 0), (5, 3), (900, 6)])
def test_each_pixel_shows_the_box_that_covers_its_middle(
    grows_up: bool, part: int, scrolled: int
) -> None:
    """What is painted is what the mouse finds, in a real profile, in each range."""
    tree = boxes_of(EXAMPLE).tree
    flame, whole = FlameRows(tree), float(tree.width[0])
    shown = viewport(
        CostRange(whole / 7, whole / part), 500, 12, scrolled=scrolled, grows_up=grows_up
    )
    depths = shown.visible_depths(len(flame))
    boxes = shown.painted_boxes(tree, flame.boxes(depths))
    painted = np.full((12, 500), -1)
    for place, (x, y, width) in enumerate(zip(boxes.left, boxes.top, boxes.width, strict=True)):
        assert (painted[y, x : x + width] == -1).all()
        painted[y, x : x + width] = place

    for y in range(12):
        for x in range(500):
            box, place = flame.box_at(shown.depth_at(y), shown.cost_at(x)), int(painted[y, x])
            assert place == boxes.at(x, y)
            if box >= 0 and (place < 0 or not boxes.is_merged[place]):
                wide = float(tree.width[box]) * shown.scale >= 2
                assert place == boxes.of(box) if wide else place < 0
            elif box >= 0:
                assert boxes.first[place] <= box < boxes.end[place]
            else:
                assert place < 0 or boxes.is_merged[place]
    assert len(depths) <= 12


def test_areas_of_a_real_profile_are_its_costs() -> None:
    """Each box is as wide as its share, not rounded, and lies in its parent."""
    tree = boxes_of(EXAMPLE).tree
    shown = viewport(CostRange(0, float(tree.width[0])), 700, 400)
    left, top, width, _ = np.array([shown.box_area(tree, box) for box in range(len(tree))]).T

    assert len(tree) > 500
    assert np.allclose(width, tree.width / tree.width[0] * 700)
    assert (top == tree.depth).all()
    around = tree.parent[1:]
    assert (left[1:] >= left[around] - 1e-6).all()
    assert ((left + width)[1:] <= (left + width)[around] + 1e-6).all()


def test_of_boxes_in_one_pixel_the_first_is_visible() -> None:
    """Marks of many boxes that share a pixel are painted once; what is outside has none."""
    calls = ", ".join(f"f{n} 1x{600 - n}" for n in range(600))
    each = "\n".join(f"f{n} 0 -> k 1x{600 - n}" for n in range(600))
    tree = boxes_of(f"m 0 -> {calls}\n{each}\nk {sum(range(601))}", "m").tree
    of_k = np.flatnonzero(tree.depth == 2)
    whole, last = CostRange(0, float(tree.width[0])), CostRange(float(tree.start[600]), 1.0)

    columns = np.unique(viewport(whole, 700, 3).pixel_columns(tree.start[of_k]))
    assert len(viewport(whole, 700, 3).visible_boxes(tree, of_k)) == len(columns) < 600
    assert viewport(last, 700, 3).visible_boxes(tree, of_k).tolist() == [1200]
    assert viewport(whole, 700, 2).visible_boxes(tree, of_k).tolist() == []


def test_fifty_thousand_callees() -> None:
    """Many boxes narrower than two pixels are one, which has their area together."""
    costs = range(50_000, 0, -1)
    calls = ", ".join(f"f{n} 1x{cost}" for n, cost in enumerate(costs))
    lines = "\n".join(f"f{n} {cost}" for n, cost in enumerate(costs))
    tree = boxes_of(f"m 0 -> {calls}\n{lines}", "m").tree
    shown = viewport(CostRange(0, float(tree.width[0])), 700, 2)
    painted = shown.painted_boxes(tree, slice(1, len(tree)))

    assert (painted.first.tolist(), painted.end.tolist()) == ([1], [50_001])
    assert (painted.left.tolist(), painted.width.tolist()) == ([0], [700])
    assert painted.any_of(np.arange(len(tree)) == 777).tolist() == [True]
    assert painted.any_of(np.arange(len(tree)) == 0).tolist() == [False]


def test_the_innermost_box_of_a_range() -> None:
    """A range that a box covers belongs to it, though floats are not exact; else to one around."""
    picture = boxes_of(PROGRAM, "m")
    names, flame = names_of(picture), FlameRows(picture.tree)
    ranges = [(0, 100), (0, 60), (10, 45), (0, 40), (5, 5), (60, 30), (60 - 1e-9, 30), (95, 5)]

    found = [names[flame.innermost_box(CostRange(*each))] for each in ranges]
    assert found == ["m", "f", "f", "k", "k", "g", "g", "m"]


def test_a_box_begins_at_its_left_edge() -> None:
    """It includes that edge, and not the right one."""
    picture = boxes_of(PROGRAM, "m")
    names, flame = names_of(picture), FlameRows(picture.tree)

    assert [names[flame.box_at(1, cost)] for cost in (0.0, 59.9, 60.0)] == ["f", "f", "g"]
    assert [flame.box_at(1, 90.0), flame.box_at(4, 0.0), flame.box_at(-1, 0.0)] == [-1] * 3


def test_ranges_are_moved_and_zoomed() -> None:
    """A range stays inside all costs, keeps what is under the mouse, and moves no further."""
    range_ = CostRange(20, 40)

    assert CostRange(-5, 40).clamped(100) == CostRange(0, 40)
    assert CostRange(90, 40).clamped(100) == CostRange(60, 40)
    assert range_.zoomed(0.25, 20) == CostRange(25, 20)
    assert [range_.scrolled_to(*box).left for box in ((30, 5), (10, 5), (65, 5))] == [20, 10, 30]
    assert [range_.scrolled_to(*box).left for box in ((50, 90), (70, 90))] == [20, 70]
    assert range_.interpolated(CostRange(40, 20), 0.5) == CostRange(30, 30)
    assert range_.interpolated(CostRange(0.1, 0.2), 1) == CostRange(0.1, 0.2)


def test_nothing_has_no_rows() -> None:
    """Without boxes there is no row, and nothing is at any place."""
    flame = FlameRows(NO_FRAMES)

    assert (len(flame), flame.box_at(0, 0.0), flame.full_width, flame.min_width) == (0, -1, 1, 1)
    assert viewport(CostRange(0, 1), 10, 10).visible_depths(0) == range(0)


# b calls c as often as before, and only a does more: what c costs below b is an estimate
ESTIMATED = """
    main 0 -> a 1x{a}, b 1x100
    a {own} -> mid 1x50
    b 50 -> mid 1x50
    mid 20 -> c 2x80
    c 80
    """


def compared_of(base: str, new: str) -> Comparison:
    """The comparison of two drawings."""
    return compare(profile_from(profile_text(base)), profile_from(profile_text(new)))


def flame_of(compared: Comparison) -> FlameGraph:
    """The flame graph of both sides."""
    flame = flame_graph(
        compared.queries, compared.events[0], compared.new, None, NoProgress(), base=compared.base
    )
    assert flame is not None
    return flame


def boxes_of_page(compared: Comparison) -> dict[str, tuple[str, bool]]:
    """Base and new as they are told, and whether both are proven, of all boxes by their path."""
    flame, paths = flame_of(compared), list[str]()
    names = [tip.partition(":")[0] for tip in flame.tips]
    for name, parent in zip(names, flame.parent, strict=True):
        shown = "" if parent < 0 and name == "Whole program" else name
        paths.append(f"{paths[parent]}/{shown}" if parent >= 0 else shown)
    told = [tip.partition(": ")[2].partition(",")[0].replace(THIN, " ") for tip in flame.tips]
    return dict(zip(paths, zip(told, flame.is_exact, strict=True), strict=True))


def test_boxes_have_the_costs_of_both_sides() -> None:
    """What is gone has a box, too; a side without a call costs nothing there."""
    assert boxes_of_page(compared_of(BASE, NEW)) == {
        "main": ("2 450 → 3 607", True),
        "main/sort": ("2 000 → 3 450", True),
        "main/old": ("300 → 0", True),
        "main/same": ("50 → 50", True),
        "main/fresh": ("0 → 7", True),
        "main/sort/less": ("1 000 → 1 200", True),
    }


def test_estimates_are_not_proven() -> None:
    """Below a function with two callers, costs change by estimate although nothing did."""
    base, new = ESTIMATED.format(a=150, own=100), ESTIMATED.format(a=250, own=200)
    boxes = boxes_of_page(compared_of(base, new))
    assert boxes["main/a"] == ("150 → 250", True)
    assert boxes["main/b/mid"] == ("50 → 50", True)
    assert [proven for _, proven in (boxes["main/a/mid/c"], boxes["main/b/mid/c"])] == [False] * 2


def test_widths_by_new_by_base_and_by_change() -> None:
    """A box of the change has growth and shrinkage within it, and children are within parents."""
    flame = flame_of(compared_of(BASE, NEW))
    names = [tip.partition(":")[0] for tip in flame.tips]
    new, base, change = (
        dict(zip(names, [round(share, 4) for share in width.tolist()], strict=True))
        for _, width in flame.places
    )
    assert flame.widths == ("New", "Base", "Change")
    assert new["sort"] == round(3450 / 3607, 4)
    assert base["old"] == round(300 / 2450, 4)
    # sort grew by 1450, of which less 200; old shrank by 300 and fresh is 7: 1757 together
    assert [change[name] for name in ("sort", "less", "old", "fresh", "same")] == [
        round(part / 1757, 4) for part in (1450, 200, 300, 7, 0)
    ]
