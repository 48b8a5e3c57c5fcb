"""The frame tree of a comparison: costs of both sides, proven changes, and widths."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from qcachegrind_py.analysis.calls.frame_layout import (
    BoxWidth,
    Undrawn,
    frames_by_width,
    undrawn_frames,
)
from qcachegrind_py.analysis.calls.frame_tree import CallsFrom, FrameTree, build_frame_tree
from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import NodeId
from tests.analysis.named_queries import node_names, queries_from
from tests.profile_rows import DATA

BASE = "main 10 -> a 1x30, old 1x5, b 1x20\na 10 -> leaf 2x20\nold 5\nleaf 20\nb 20"
NEW = "main 11 -> a 1x34, fresh 1x9, b 1x20\na 10 -> leaf 3x24\nfresh 9\nleaf 24\nb 20"
SORT, CLONES = ("sort-plain", "sort-digits"), ("clones-O2", "clones-O3")


def drawn(base: str, new: str) -> Comparison:
    return compare(queries_from(base).profile, queries_from(new).profile)


def recorded(base: str, new: str) -> Comparison:
    """A comparison of two recorded profiles."""
    sides = (load(DATA / f"comparison/callgrind.out.{name}.xz") for name in (base, new))
    return compare(*sides)


def sides_of(compared: Comparison, root: str | NodeId) -> list[CallsFrom]:
    """The calls of both sides in the first event, from a function or the whole program."""
    queries, event, sides = compared.queries, compared.events[0], []
    if isinstance(root, str) and root:
        root = NodeId(node_names(queries, compared.new).index(root))
    for scope in (compared.base, compared.new):
        if root == "":
            calls = queries.program_calls(event, scope)
            sides.append((calls, calls.program_roots()))
        else:
            calls = queries.accounted_calls(event, scope)
            sides.append((calls, calls.roots_at([root])))
    return sides


def tree_of(
    compared: Comparison, root: str | NodeId = "main", by: BoxWidth | None = None, **options: object
) -> FrameTree:
    base, new = sides_of(compared, root)
    tree = build_frame_tree(*new, base=base, **{"min_share": 0, **options})
    return tree if by is None else frames_by_width(tree, by)


def costliest(compared: Comparison) -> NodeId:
    return NodeId(int(np.argmax(compared.self_cost(compared.events[0]).new)))


def named(compared: Comparison) -> Callable[[int], str]:
    names = [*node_names(compared.queries, compared.new), "?", "?", "*"]
    return lambda node: names[node]


def lines(compared: Comparison, tree: FrameTree) -> list[str]:
    """A line per drawn frame: name, base → new, width in brackets; ~ is not proven."""
    name = named(compared)

    def walk(frame: int) -> Iterator[str]:
        mark = "" if tree.is_exact[frame] else "~"
        costs = f"{tree.base.cost[frame]} → {tree.new.cost[frame]}"
        if tree.width[frame] > 0:
            indent = "  " * int(tree.depth[frame])
            yield f"{indent}{name(tree.node[frame])} {mark}{costs} [{tree.width[frame]:g}]"
        for child in tree.children_of(frame):
            yield from walk(child)

    return list(walk(0))


def paths_of(tree: FrameTree) -> list[tuple[int, ...]]:
    """The nodes from the root down to each frame."""
    return [tuple(tree.node[tree.path(frame)].tolist()) for frame in range(len(tree))]


# ---------------------------------------------------------------- one side


@pytest.mark.parametrize("up", [False, True])
@pytest.mark.parametrize("pair", [SORT, CLONES])
def test_each_side_costs_as_its_own_tree(pair: tuple[str, str], up: bool) -> None:
    """A frame has on its side what the tree of this side alone has for the same path."""
    compared = recorded(*pair)
    root = costliest(compared) if up else ""
    tree = tree_of(compared, root, up=up)
    paths = paths_of(tree)

    for calls, side in zip(sides_of(compared, root), (tree.base, tree.new), strict=True):
        alone = build_frame_tree(*calls, up=up, min_share=0)
        assert alone.base is alone.new
        rows = [paths.index(path) for path in paths_of(alone)]
        assert len(rows) > 5
        for column in ("cost", "is_exact", "calls", "has_exact_calls"):
            found, own = getattr(side, column), getattr(alone.new, column)
            assert np.array_equal(found[rows], own), column
        assert np.allclose(side.width[rows], alone.width, rtol=1e-12)
        assert side.cost.sum() == alone.cost.sum()


# ---------------------------------------------------------------- widths


@pytest.mark.parametrize(
    ("by", "expected", "undrawn"),
    [
        (
            BoxWidth.NEW,
            """
            main 65 → 74 [74]
              a 30 → 34 [34]
                leaf 20 → 24 [24]
              b 20 → 20 [20]
              fresh 0 → 9 [9]
            """,
            Undrawn(1, -5, True),
        ),
        (
            BoxWidth.BASE,
            """
            main 65 → 74 [65]
              a 30 → 34 [30]
                leaf 20 → 24 [20]
              b 20 → 20 [20]
              old 5 → 0 [5]
            """,
            Undrawn(1, 9, True),
        ),
        (
            BoxWidth.CHANGE,
            """
            main 65 → 74 [19]
              fresh 0 → 9 [9]
              old 5 → 0 [5]
              a 30 → 34 [4]
                leaf 20 → 24 [4]
            """,
            Undrawn(1, 0, True),
        ),
    ],
)
def test_widths_of_frames(by: BoxWidth, expected: str, undrawn: Undrawn) -> None:
    """Frames of both sides have both costs; what has no width is left out and counted.

    By change, main has its own +1 and all changes inside; of 19, a net of 9 is left.
    """
    compared = drawn(BASE, NEW)
    tree = tree_of(compared, by=by)

    assert lines(compared, tree) == [line[12:] for line in expected.splitlines()[1:-1]]
    assert undrawn_frames(tree) == undrawn
    net = None if tree.net is None else tree.net.tolist()[:4]
    assert net == ([9 / 19, 1, 1, 1] if by is BoxWidth.CHANGE else None)
    names = node_names(compared.queries, compared.new)
    matches = np.isin(names, ["a", "leaf", "old"])
    assert tree.combined_costs(matches) == (35, 34, True), "nested ones count once, gone ones, too"


def test_callers_are_compared_too() -> None:
    """Upwards, frames are callers, with the part of the cost that came through them."""
    compared = drawn(BASE, NEW)

    assert lines(compared, tree_of(compared, "leaf", BoxWidth.NEW, up=True)) == [
        "leaf 20 → 24 [24]",
        "  a 20 → 24 [24]",
        "    main 20 → 24 [24]",
    ]


@pytest.mark.parametrize("by", BoxWidth)
@pytest.mark.parametrize("up", [False, True])
def test_frames_are_within_the_frame_around_them(by: BoxWidth, up: bool) -> None:
    """On a real pair, siblings stand side by side, the widest first, inside their parent."""
    compared = recorded(*SORT)
    tree = tree_of(compared, costliest(compared) if up else "main", by, up=up)

    rows, ends = np.arange(1, len(tree)), tree.start + tree.width
    around, slack = tree.parent[rows], 1e-9 * tree.width[0]
    assert len(tree) > 5
    assert (tree.start[rows] >= tree.start[around] - slack).all()
    assert (ends[rows] <= ends[around] + slack).all()
    adjacent = tree.parent[1:-1] == tree.parent[2:]
    assert (tree.width[1:-1][adjacent] >= tree.width[2:][adjacent]).all()
    assert np.allclose(ends[1:-1][adjacent], tree.start[2:][adjacent])
    for frame in range(len(tree)):
        assert {int(tree.parent[child]) for child in tree.children_of(frame)} <= {frame}


def test_swapped_sides_change_the_signs() -> None:
    """Base and new the other way round: the same widths of change, and the opposite change."""

    def changes(compared: Comparison) -> dict[tuple[str, ...], tuple[int, float]]:
        tree, name = tree_of(compared, by=BoxWidth.CHANGE), named(compared)
        change, paths = tree.both_costs.change.tolist(), paths_of(tree)
        return {
            tuple(map(name, paths[frame])): (change[frame], round(float(tree.width[frame]), 3))
            for frame in np.flatnonzero(tree.is_exact).tolist()
        }

    there, back = changes(recorded(*SORT)), changes(recorded(*SORT[::-1]))
    assert len(there) > 20
    assert back == {path: (-change, width) for path, (change, width) in there.items()}


def test_equal_profiles_have_no_change() -> None:
    """X against X: no frame has a width by change."""
    compared = recorded(SORT[0], SORT[0])
    tree = tree_of(compared, "", BoxWidth.CHANGE)

    assert lines(compared, tree) == []
    assert undrawn_frames(tree) == Undrawn(len(tree), 0, True)


# ---------------------------------------------------------------- estimates and roots


def test_estimates_have_no_width_of_change() -> None:
    """Below b nothing changed, though the share of x that goes to it did."""
    shape = """
        main 0 -> a 1x{a}, b 1x210
        a 10 -> mid {n}x{mid}
        b 10 -> mid 1x200
        mid 0 -> x {n}x{x}, y 1x200
        x {x}
        y 200
        """
    compared = drawn(
        shape.format(a=110, n=1, mid=100, x=100), shape.format(a=210, n=2, mid=200, x=200)
    )

    by_change = lines(compared, tree_of(compared, by=BoxWidth.CHANGE))
    assert by_change[:3] == [
        "main 320 → 420 [100]",
        "  a 110 → 210 [100]",
        "    mid 100 → 200 [100]",
    ]
    assert not any(line.strip().startswith("b ") for line in by_change)
    by_new = lines(compared, tree_of(compared, by=BoxWidth.NEW))
    assert [line.strip() for line in by_new if "~" in line] == [
        "y ~133 → 100 [100]",
        "x ~67 → 100 [100]",
        "y ~67 → 100 [100]",
        "x ~33 → 100 [100]",
    ]


def test_what_is_called_on_no_side_is_proven() -> None:
    """A call that the base does not have costs nothing there, on whichever path."""
    compared = drawn(
        "main 0 -> a 1x10, b 1x10\na 0 -> mid 1x10\nb 0 -> mid 1x10\nmid 20",
        "main 0 -> a 1x10, b 1x14\na 0 -> mid 1x10\nb 0 -> mid 1x14\nmid 20 -> x 1x4\nx 4",
    )
    tree, name = tree_of(compared, by=BoxWidth.NEW), named(compared)
    paths = [" ".join(map(name, path)) for path in paths_of(tree)]
    frame = paths.index("main b mid x")

    assert (tree.base.cost[frame], bool(tree.base.is_exact[frame])) == (0, True)
    assert not tree.new.is_exact[frame]


@pytest.mark.parametrize(
    ("base", "new", "by", "expected"),
    [
        (  # what begins a thread in the base, and is called by main now
            "main 10\nwork 30",
            "main 10 -> work 1x30\nwork 30",
            BoxWidth.BASE,
            ["* 40 → 40 [40]", "  work 30 → 0 [30]", "  main 10 → 40 [10]"],
        ),
        (  # another program: all frames are new, and proven
            "other 1",
            "main 5 -> f 1x5\nf 5",
            BoxWidth.CHANGE,
            ["* 1 → 10 [11]", "  main 0 → 10 [10]", "    f 0 → 5 [5]", "  other 1 → 0 [1]"],
        ),
    ],
)
def test_roots_of_either_side(base: str, new: str, by: BoxWidth, expected: list[str]) -> None:
    """A function that is a root on one side is drawn as one on both."""
    compared = drawn(base, new)

    assert lines(compared, tree_of(compared, "", by)) == expected


# ---------------------------------------------------------------- what is not drawn

CUT_BASE = "main 0 -> a 1x90, b 1x9, c 1x1\na 90\nb 4 -> d 1x5\nc 1\nd 5"
CUT_NEW = "main 0 -> a 1x80, b 1x6, e 1x1\na 80\nb 4 -> d 1x2\nd 2\ne 1"


@pytest.mark.parametrize(
    ("base", "new", "visible", "calls", "expected"),
    [
        # without b, c and e: 9 and 1 in the base, 6 and 1 now
        (CUT_BASE, CUT_NEW, "", (3, 0), (10, 7)),
        # the program of one side may begin in one function, that of the other in several
        ("main 90\nwork 3", "main 95 -> work 1x2\nwork 2", "", (2, 0), (3, 2)),
        # what leads to d in the base is followed on both sides: b is too small, and a is hidden
        (CUT_BASE, CUT_NEW.replace("b 4 -> d 1x2\nd 2", "b 6"), "d", (1, 3), (9, 6)),
    ],
)
def test_what_is_not_drawn_has_a_cost_on_each_side(
    base: str, new: str, visible: str, calls: tuple[int, int], expected: tuple[int, int]
) -> None:
    """It is the same by whatever boxes are as wide as, and without what a filter hides."""
    compared = drawn(base, new)
    mask = np.isin(node_names(compared.queries, compared.new), [visible]) if visible else None
    tree = tree_of(compared, "", min_share=0.1, visible=mask)

    assert (tree.omitted_calls, tree.filtered_calls) == calls
    for by in (None, *BoxWidth):
        shown = tree if by is None else frames_by_width(tree, by)
        assert (shown.base.omitted_cost, shown.new.omitted_cost) == expected


def test_drawn_or_not_each_side_is_whole() -> None:
    """What frames of a larger tree cost that a smaller one lacks, it says, in real profiles."""
    compared = recorded("words-plain", "words-scans")
    options = {"max_depth": 12, "max_frames": 1_000_000}
    more = tree_of(compared, "", **options)
    few = tree_of(compared, "", min_share=1e-3, **options)
    kept = set(paths_of(few))
    lacks = np.array([path not in kept for path in paths_of(more)])
    outermost = lacks & ~more.are_inside(lacks)

    assert few.omitted_calls > 0
    for one, other in ((few.base, more.base), (few.new, more.new)):
        assert other.omitted_cost == pytest.approx(0, abs=1)
        assert one.omitted_cost == pytest.approx(float(other.width[outermost].sum()), abs=1)
