"""The frame tree of a comparison: costs of both sides, proven changes, and widths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.calls.frame_widths import (
    BoxWidth,
    Undrawn,
    frames_by_width,
    undrawn_frames,
)
from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import FunctionId, NodeId
from tests.analysis.named_queries import CYCLES, node_id
from tests.profile_rows import DATA
from tests.profile_text import write_profile_text

BASE = "main 10 -> a 1x30, old 1x5, b 1x20\na 10 -> leaf 2x20\nold 5\nleaf 20\nb 20"
NEW = "main 11 -> a 1x34, fresh 1x9, b 1x20\na 10 -> leaf 3x24\nfresh 9\nleaf 24\nb 20"


@dataclass
class ComparedTree:
    """The tree of a comparison, with the names of its frames."""

    compared: Comparison
    tree: FrameTree

    def by(self, width: BoxWidth) -> ComparedTree:
        return ComparedTree(self.compared, frames_by_width(self.tree, width))

    def lines(self) -> list[str]:
        """A line per drawn frame: name, base → new, width in brackets; ~ is not proven."""
        return [self._line(frame) for frame in self._walk(0) if self.tree.width[frame] > 0]

    def _walk(self, frame: int) -> Iterator[int]:
        yield frame
        for child in self.tree.children_of(frame):
            yield from self._walk(child)

    def _line(self, frame: int) -> str:
        tree, sides = self.tree, self.tree.sides
        assert sides is not None
        mark = "" if tree.is_exact[frame] else "~"
        costs = f"{tree.base.cost[frame]} → {tree.new.cost[frame]}"
        indent = "  " * int(tree.depth[frame])
        return f"{indent}{self.name(frame)} {mark}{costs} [{tree.width[frame]:g}]"

    def name(self, frame: int) -> str:
        node = int(self.tree.node[frame])
        return "*" if node < 0 else self.compared.queries.names.name(FunctionId(NodeId(node)))

    def path(self, frame: int) -> tuple[str, ...]:
        return tuple(map(self.name, self.tree.path(frame)))


def compared_tree(
    compared: Comparison, root: str | FunctionId = "", *, up: bool = False
) -> ComparedTree:
    """The tree of a function, or of the whole program, in the first event."""
    queries, event, sides = compared.queries, compared.events[0], []
    for scope in (compared.base, compared.new):
        if root != "":
            node = NodeId(node_id(queries, root) if isinstance(root, str) else root)
            calls = queries.accounted_calls(event, scope)
            sides.append((calls, calls.roots_at([node])))
        else:
            calls = queries.program_calls(event, scope)
            sides.append((calls, calls.program_roots()))
    return ComparedTree(compared, build_frame_tree(*sides[1], base=sides[0], up=up, min_share=0))


def drawn(
    folder: Path, base: str, new: str, root: str = "main", *, up: bool = False
) -> ComparedTree:
    """The tree of a comparison of two drawings."""
    files = [write_profile_text(folder, text, name) for text, name in ((base, "b"), (new, "n"))]
    return compared_tree(compare(load(files[0]), load(files[1])), root, up=up)


def recorded(base: str, new: str) -> Comparison:
    """A comparison of two recorded profiles."""
    folder = DATA / "comparison"
    return compare(load(folder / base), load(folder / new))


# ---------------------------------------------------------------- one side


@pytest.mark.parametrize("up", [False, True])
@pytest.mark.parametrize(
    "name", ["comparison/callgrind.out.sort-digits.xz", "comparison/callgrind.out.sort-plain.xz"]
)
def test_a_side_has_the_costs_of_its_own_tree(name: str, up: bool) -> None:
    """Costs passed down the frames of a tree are those that the tree was built with."""
    queries = ProfileQueries(load(DATA / name))
    event = queries.events.measured[0]
    calls = queries.program_calls(event, CYCLES)
    costliest = NodeId(int(np.argmax(calls.graph.self_cost)))
    roots = calls.roots_at([costliest]) if up else calls.program_roots()
    tree = build_frame_tree(calls, roots, up=up, max_frames=3000)

    side = frame_side(tree, calls, roots, up=up)

    assert len(tree) > 5
    for column in ("cost", "is_exact", "calls", "has_exact_calls"):
        assert np.array_equal(getattr(side, column), getattr(tree, column)), column
    assert np.allclose(side.width, tree.width, rtol=1e-12)


@pytest.mark.parametrize("up", [False, True])
@pytest.mark.parametrize("pair", ["sort-plain sort-digits", "clones-O2 clones-O3"])
def test_each_side_costs_as_its_own_tree(pair: str, up: bool) -> None:
    """A frame has on its side the cost that the tree of this side alone has for the same path."""
    compared = recorded(*(f"callgrind.out.{name}.xz" for name in pair.split()))
    queries, event = compared.queries, compared.events[0]
    root = FunctionId(NodeId(int(np.argmax(compared.self_cost(event).new))))
    tree = compared_tree(compared, root if up else "", up=up).tree
    paths = paths_of(tree)

    for scope, side in ((compared.base, tree.base), (compared.new, tree.new)):
        calls = queries.program_calls(event, scope)
        start = calls.roots_at([root]) if up else calls.program_roots()
        alone = build_frame_tree(calls, start, up=up, min_share=0)
        found = dict(zip(paths, zip(side.cost.tolist(), side.is_exact, strict=True), strict=True))
        expected = zip(alone.cost.tolist(), alone.is_exact, strict=True)
        own = dict(zip(paths_of(alone), expected, strict=True))
        assert len(own) > 5
        assert {path: found[path] for path in own} == own
        assert sum(cost for cost, _ in found.values()) == sum(cost for cost, _ in own.values())


def paths_of(tree: FrameTree) -> list[tuple[int, ...]]:
    """The nodes from the root down to each frame."""
    return [tuple(tree.node[tree.path(frame)].tolist()) for frame in range(len(tree))]


# ---------------------------------------------------------------- widths


def test_frames_are_as_wide_as_the_new_side(tmp_path: Path) -> None:
    """Frames of both sides have both costs; what is gone is left out and counted."""
    tree = drawn(tmp_path, BASE, NEW).by(BoxWidth.NEW)

    assert tree.lines() == [
        "main 65 → 74 [74]",
        "  a 30 → 34 [34]",
        "    leaf 20 → 24 [24]",
        "  b 20 → 20 [20]",
        "  fresh 0 → 9 [9]",
    ]
    assert undrawn_frames(tree.tree) == Undrawn(1, -5, True)


def test_frames_are_as_wide_as_the_base(tmp_path: Path) -> None:
    """By the base, what is new is left out."""
    tree = drawn(tmp_path, BASE, NEW).by(BoxWidth.BASE)

    assert [line.strip() for line in tree.lines()] == [
        "main 65 → 74 [65]",
        "a 30 → 34 [30]",
        "leaf 20 → 24 [20]",
        "b 20 → 20 [20]",
        "old 5 → 0 [5]",
    ]
    assert undrawn_frames(tree.tree) == Undrawn(1, 9, True)


def test_frames_are_as_wide_as_growth_and_shrinkage(tmp_path: Path) -> None:
    """By change, main has its own +1 and all changes inside; of 19, a net of 9 is left."""
    tree = drawn(tmp_path, BASE, NEW).by(BoxWidth.CHANGE)

    assert tree.lines() == [
        "main 65 → 74 [19]",
        "  fresh 0 → 9 [9]",
        "  old 5 → 0 [5]",
        "  a 30 → 34 [4]",
        "    leaf 20 → 24 [4]",
    ]
    assert tree.tree.net.tolist()[:4] == [9 / 19, 1, 1, 1]
    assert undrawn_frames(tree.tree) == Undrawn(1, 0, True)


def test_callers_are_compared_too(tmp_path: Path) -> None:
    """Upwards, frames are callers, with the part of the cost that came through them."""
    tree = drawn(tmp_path, BASE, NEW, "leaf", up=True).by(BoxWidth.NEW)

    assert tree.lines() == [
        "leaf 20 → 24 [24]",
        "  a 20 → 24 [24]",
        "    main 20 → 24 [24]",
    ]


def test_matches_have_both_sides_once(tmp_path: Path) -> None:
    """The cost of nested matches is counted once, with those that are gone."""
    tree = drawn(tmp_path, BASE, NEW).by(BoxWidth.NEW)
    names = tree.compared.queries.names
    nodes = np.array(
        [names.name(FunctionId(NodeId(node))) in ("a", "leaf", "old") for node in range(6)]
    )

    assert tree.tree.combined_costs(nodes) == (35, 34, True)


@pytest.mark.parametrize("width", list(BoxWidth))
@pytest.mark.parametrize("up", [False, True])
def test_frames_are_within_the_frame_around_them(width: BoxWidth, up: bool) -> None:
    """On a real pair, siblings stand side by side, the widest first, inside their parent."""
    compared = recorded("callgrind.out.sort-plain.xz", "callgrind.out.sort-digits.xz")
    costs = compared.self_cost(compared.events[0]).new
    root = FunctionId(NodeId(int(np.argmax(costs)))) if up else "main"
    tree = compared_tree(compared, root, up=up).by(width).tree

    rows = np.arange(1, len(tree))
    around = tree.parent[rows]
    slack = 1e-9 * tree.width[0]
    assert len(tree) > 5
    assert (tree.start[rows] >= tree.start[around] - slack).all()
    ends = tree.start + tree.width
    assert (ends[rows] <= ends[around] + slack).all()
    adjacent = tree.parent[1:-1] == tree.parent[2:]
    assert (tree.width[1:-1][adjacent] >= tree.width[2:][adjacent]).all()
    assert np.allclose((tree.start + tree.width)[1:-1][adjacent], tree.start[2:][adjacent])
    for frame in range(len(tree)):
        assert {int(tree.parent[child]) for child in tree.children_of(frame)} <= {frame}


def test_swapped_sides_change_the_signs() -> None:
    """Base and new the other way round: the same widths of change, and the opposite change."""
    names = "callgrind.out.sort-plain.xz", "callgrind.out.sort-digits.xz"
    there, back = (
        compared_tree(recorded(*pair), "main").by(BoxWidth.CHANGE) for pair in (names, names[::-1])
    )

    def changes(tree: ComparedTree) -> dict[tuple[str, ...], tuple[int, float]]:
        change = tree.tree.both_costs.change.tolist()
        return {
            tree.path(frame): (change[frame], round(float(tree.tree.width[frame]), 3))
            for frame in range(len(tree.tree))
            if tree.tree.is_exact[frame]
        }

    expected = {path: (-change, width) for path, (change, width) in changes(there).items()}
    assert len(expected) > 20
    assert changes(back) == expected


def test_equal_profiles_have_no_change() -> None:
    """X against X: no frame has a width by change."""
    compared = recorded("callgrind.out.sort-plain.xz", "callgrind.out.sort-plain.xz")
    tree = compared_tree(compared).by(BoxWidth.CHANGE)

    assert tree.lines() == []
    assert undrawn_frames(tree.tree) == Undrawn(len(tree.tree), 0, True)


# ---------------------------------------------------------------- estimates


BEFORE = """
    main 0 -> a 1x110, b 1x210
    a 10 -> mid 1x100
    b 10 -> mid 1x200
    mid 0 -> x 1x100, y 1x200
    x 100
    y 200
    """
AFTER = """
    main 0 -> a 1x210, b 1x210
    a 10 -> mid 2x200
    b 10 -> mid 1x200
    mid 0 -> x 2x200, y 1x200
    x 200
    y 200
    """


def test_estimates_have_no_width_of_change(tmp_path: Path) -> None:
    """Below b nothing changed, though the share of x that goes to it did."""
    tree = drawn(tmp_path, BEFORE, AFTER)
    by_change = tree.by(BoxWidth.CHANGE).lines()

    assert by_change[:3] == [
        "main 320 → 420 [100]",
        "  a 110 → 210 [100]",
        "    mid 100 → 200 [100]",
    ]
    assert not any(line.strip().startswith("b ") for line in by_change)
    estimates = [line.strip() for line in tree.by(BoxWidth.NEW).lines() if "~" in line]
    assert estimates == [
        "y ~133 → 100 [100]",
        "x ~67 → 100 [100]",
        "y ~67 → 100 [100]",
        "x ~33 → 100 [100]",
    ]


def test_what_is_called_on_no_side_is_proven(tmp_path: Path) -> None:
    """A call that the base does not have costs nothing there, on whichever path."""
    tree = drawn(
        tmp_path,
        "main 0 -> a 1x10, b 1x10\na 0 -> mid 1x10\nb 0 -> mid 1x10\nmid 20",
        "main 0 -> a 1x10, b 1x14\na 0 -> mid 1x10\nb 0 -> mid 1x14\nmid 20 -> x 1x4\nx 4",
    ).by(BoxWidth.NEW)
    frames = {tree.path(frame): frame for frame in range(len(tree.tree))}
    sides = tree.tree.sides
    assert sides is not None

    frame = frames["main", "b", "mid", "x"]
    assert (sides.base.cost[frame], bool(sides.base.is_exact[frame])) == (0, True)
    assert not sides.new.is_exact[frame]


# ---------------------------------------------------------------- roots


def test_a_function_that_one_side_calls_is_a_root_on_the_other(tmp_path: Path) -> None:
    """What begins a thread in the base, and is called by main now, is drawn on both sides."""
    tree = drawn(tmp_path, "main 10\nwork 30", "main 10 -> work 1x30\nwork 30", "").by(
        BoxWidth.BASE
    )

    assert tree.lines() == ["* 40 → 40 [40]", "  work 30 → 0 [30]", "  main 10 → 40 [10]"]


def test_frames_of_another_program_are_new(tmp_path: Path) -> None:
    """An empty base: all frames are new, and proven."""
    tree = drawn(tmp_path, "other 1", "main 5 -> f 1x5\nf 5", "").by(BoxWidth.CHANGE)

    assert tree.lines() == [
        "* 1 → 10 [11]",
        "  main 0 → 10 [10]",
        "    f 0 → 5 [5]",
        "  other 1 → 0 [1]",
    ]


# ---------------------------------------------------------------- what is not drawn


CUT_BASE = "main 0 -> a 1x90, b 1x9, c 1x1\na 90\nb 4 -> d 1x5\nc 1\nd 5"
CUT_NEW = "main 0 -> a 1x80, b 1x6, e 1x1\na 80\nb 4 -> d 1x2\nd 2\ne 1"


def cut_tree(
    compared: Comparison, names: tuple[str, ...] = (), **options: float | int
) -> tuple[FrameTree, FrameSides]:
    """The tree of the whole program, with what leads to functions of these names if any."""
    queries, event = compared.queries, compared.events[0]
    sides = [queries.program_calls(event, scope) for scope in (compared.base, compared.new)]
    visible = None
    if names:
        visible = np.array(
            [queries.names.name(FunctionId(n)) in names for n in range(len(compared.pairing))]
        )
        visible = np.append(visible, np.zeros(len(sides[0].graph.inclusive) - len(visible), bool))
    base, new = ((calls, calls.program_roots()) for calls in sides)
    tree = build_frame_tree(*new, base=base, visible=visible, **options)
    return tree, tree.sides


def comparison(folder: Path, base: str, new: str) -> Comparison:
    files = [write_profile_text(folder, text, name) for text, name in ((base, "b"), (new, "n"))]
    return compare(load(files[0]), load(files[1]))


def test_what_is_not_drawn_has_a_cost_on_each_side(tmp_path: Path) -> None:
    """Without b, c and e: 9 and 1 in the base, 6 and 1 now; by whatever boxes are as wide as."""
    tree, sides = cut_tree(comparison(tmp_path, CUT_BASE, CUT_NEW), min_share=0.1)

    assert (tree.omitted_calls, sides.omitted_cost) == (3, (10, 7))
    for by in BoxWidth:
        drawn_sides = frames_by_width(tree, by).sides
        assert drawn_sides.omitted_cost == (10, 7)


def test_roots_that_are_not_drawn(tmp_path: Path) -> None:
    """The whole program of one side may begin in one function, that of the other in several."""
    compared = comparison(tmp_path, "main 90\nwork 3", "main 95 -> work 1x2\nwork 2")
    tree, sides = cut_tree(compared, min_share=0.1)

    assert (tree.omitted_calls, sides.omitted_cost) == (2, (3, 2))


def test_what_the_filter_hides_is_not_among_it(tmp_path: Path) -> None:
    """What leads to d in the base is followed on both sides: b is too small, and a is hidden."""
    compared = comparison(tmp_path, CUT_BASE, CUT_NEW.replace("b 4 -> d 1x2\nd 2", "b 6"))
    tree, sides = cut_tree(compared, ("d",), min_share=0.1)

    assert (tree.omitted_calls, tree.filtered_calls, sides.omitted_cost) == (1, 3, (9, 6))


def test_drawn_or_not_each_side_is_whole() -> None:
    """What frames of a larger tree cost that a smaller one lacks, it says, in real profiles."""
    folder = DATA / "comparison"
    files = (folder / f"callgrind.out.words-{side}.xz" for side in ("plain", "scans"))
    compared = compare(*map(load, files))
    options = {"max_depth": 12, "max_frames": 1_000_000}
    more, all_sides = cut_tree(compared, min_share=0, **options)
    few, few_sides = cut_tree(compared, min_share=1e-3, **options)
    kept = {tuple(few.node[few.path(frame)].tolist()) for frame in range(len(few))}
    paths = [tuple(more.node[more.path(frame)].tolist()) for frame in range(len(more))]
    lacks = np.array([path not in kept for path in paths])
    outermost = lacks & ~more.are_inside(lacks)

    assert few.omitted_calls > 0
    assert all_sides.omitted_cost == pytest.approx((0, 0), abs=1)
    for cost, side in zip(few_sides.omitted_cost, (all_sides.base, all_sides.new), strict=True):
        assert cost == pytest.approx(float(side.width[outermost].sum()), abs=1)
