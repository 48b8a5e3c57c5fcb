"""The boxes of call maps and flame graphs, against plain walks over calls and true executions."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import UserEvent
from tests.analysis.named_queries import (
    CYCLES,
    NO_CYCLES,
    event_named,
    node_id,
    node_names,
    queries_from,
)
from tests.profile_rows import DATA, profile_from


@dataclass
class Nested:
    """Boxes, and by which names to read them."""

    boxes: FrameTree
    names: list[str]

    def lines(self) -> list[str]:
        """A line a box, two blanks more a level: name and cost; ~ estimate, ↻ recursion."""
        return [self._line(box) for box in self._walk(0)] if len(self.boxes) else []

    def _walk(self, box: int) -> Iterator[int]:
        yield box
        for child in self.boxes.children_of(box):
            yield from self._walk(child)

    def _line(self, box: int) -> str:
        boxes = self.boxes
        indent, mark = "  " * int(boxes.depth[box]), "" if boxes.is_exact[box] else "~"
        again = " ↻" if boxes.is_recursion[box] else ""
        return f"{indent}{self.name(box)} {mark}{boxes.cost[box]}{again}"

    def name(self, box: int) -> str:
        return self.names[self.boxes.node[box]]

    def branch(self, box: int) -> tuple[str, ...]:
        """The names from box 0 down to this one."""
        return tuple(self.name(above) for above in self.boxes.path(box))

    def left(self) -> tuple[int, int, int]:
        """Boxes, calls that were left out, and calls that were hidden."""
        return len(self.boxes), self.boxes.omitted_calls, self.boxes.filtered_calls


def nest(
    drawing: str | ProfileQueries,
    *roots: str,
    scope: Scope = CYCLES,
    event: str = "Ir",
    **options: Any,
) -> Nested:
    """The boxes from these functions onwards."""
    queries = queries_from(drawing) if isinstance(drawing, str) else drawing
    names = [*node_names(queries, scope), "*"]  # -1 is the last one, for Python, too
    numbers = [names.index(name) for name in roots]
    graph = queries.call_graph(event_named(queries, event), scope)
    return Nested(build_frame_tree(graph, numbers, **options), names)


def mask(queries: ProfileQueries, *names: str, scope: Scope = CYCLES) -> np.ndarray[Any, Any]:
    return np.isin(np.array(node_names(queries, scope)), names)


# half of what work costs is caused by main, half by other
SHARED = """
    main 10 -> work 2x400, leaf 1x90
    other 20 -> work 6x400
    work 300 -> leaf 20x300, deep 4x200
    deep 120 -> leaf 8x80
    leaf 470
    """


def test_boxes_below_a_function() -> None:
    """The function's own calls are known; what they led to is theirs in proportion."""
    got = nest(SHARED, "main")
    assert got.lines() == [
        "main 500",
        "  work 400",
        "    leaf ~150",
        "    deep ~100",
        "      leaf ~40",
        "  leaf 90",
    ]
    boxes = got.boxes
    assert got.branch(5) == ("main", "work", "deep", "leaf")
    assert (boxes.parent.tolist(), boxes.depth.tolist()) == (
        [-1, 0, 0, 1, 1, 4],
        [0, 1, 1, 2, 2, 3],
    )
    assert (boxes.first_child.tolist(), boxes.child_count.tolist()) == (
        [1, 3, 5, 5, 5, 6],
        [2, 2, 0, 0, 1, 0],
    )
    assert boxes.start.tolist() == [0, 0, 400, 0, 150, 150]
    assert boxes.width.tolist() == boxes.cost.tolist() == [500, 400, 90, 150, 100, 40]
    assert boxes.self_width.tolist() == [10, 150, 90, 150, 60, 40]
    assert (boxes.level_count, boxes.min_width, *got.left()) == (4, 0.05, 6, 0, 0)


def test_boxes_above_a_function() -> None:
    """Upwards, boxes are callers, with what of the function's cost they caused.

    All that deep cost in leaf came from work, its only caller: that is known.
    """
    assert nest(SHARED, "leaf", up=True).lines() == [
        "leaf 470",
        "  work 300",
        "    main ~150",
        "    other ~150",
        "  main 90",
        "  deep 80",
        "    work 80",
        "      main ~40",
        "      other ~40",
    ]


def test_several_roots_stand_in_a_box_of_their_sum() -> None:
    """It has no entry; the roots are known, and those without cost are left out."""
    got = nest(SHARED + "idle 0\n", "other", "idle", "main", deepest=2)
    assert got.lines() == [
        "* 920",
        "  main 500",
        "    work 400",
        "    leaf 90",
        "  other 420",
        "    work 400",
    ]
    assert got.boxes.start.tolist() == [0, 0, 500, 0, 400, 500]
    assert got.left() == (6, 0, 0)


def test_without_roots_or_without_cost() -> None:
    """No roots make no boxes; where nothing cost anything, there is box 0 alone."""
    idle = "idle 0 -> f 1x0\nf 0\ng 0"
    nothing = nest(idle).boxes
    assert (len(nothing), nothing.level_count, nothing.self_width.tolist()) == (0, 0, [])
    assert nothing.combined_cost(np.ones(3, bool)) == (0, True)
    assert nest(idle, "idle").lines() == ["idle 0"]
    assert nest(idle, "idle", "g").lines() == ["* 0"]
    assert nest(idle, "f", up=True).lines() == ["f 0"]


def test_a_profile_without_calls() -> None:
    """As Cachegrind writes them: all functions are roots, side by side."""
    queries = asked("cachegrind/cachegrind.out.templ-O2.xz")
    graph = queries.call_graph(event_named(queries, "Ir"), CYCLES)
    boxes = build_frame_tree(graph, range(len(graph.inclusive)), min_share=0)
    costs = sorted((cost for cost in graph.self_cost.tolist() if cost), reverse=True)
    assert boxes.cost.tolist() == [sum(costs), *costs]
    assert (boxes.level_count, bool(boxes.is_exact.all()), boxes.omitted_calls) == (2, True, 0)


# ---------------------------------------------------------------- what is proven


def test_what_goes_on_whole_is_proven() -> None:
    """Where a call is all that its caller cost, the box inside is as well known as the one around.

    In `both` half is not known; from there on nothing is, although `end` costs all of it.
    """
    big = 2**60 + 1
    got = nest(
        f"""
        main 1 -> first 1x{big}
        other 0 -> first 1x{big}
        first 0 -> second 1x{2 * big}
        second 2 -> both 1x{2 * big - 2}
        both 0 -> end 1x{2 * big - 2}
        end {2 * big - 2}
        """,
        "main",
    )
    half = 2**60  # the nearest float
    assert got.lines() == [
        f"main {big + 1}",
        f"  first {big}",
        f"    second {big}",
        f"      both ~{half}",
        f"        end ~{half}",
    ]


@dataclass
class Call:
    """A call of a function as it was executed, not summed up with others."""

    function: str
    own: int
    inner: list[Call] = field(default_factory=list)

    @property
    def cost(self) -> int:
        return self.own + sum(call.cost for call in self.inner)

    def walk(self, *above: Call) -> Iterator[tuple[Call, ...]]:
        """This call and all in it, each with those around it, from the innermost on."""
        yield (self, *above)
        for call in self.inner:
            yield from call.walk(self, *above)


def executed(chance: random.Random, function: int = 0) -> Call:
    """A run of a program whose functions, f0 to f9, call later ones."""
    call = Call(f"f{function}", chance.choice((0, 0, chance.randrange(1, 100))))
    for _ in range(chance.choice((1, 1, 2, 3)) if function < 9 else 0):
        call.inner.append(executed(chance, chance.randrange(function + 1, min(function + 4, 10))))
    return call


def recorded(run: Call) -> str:
    """What a profile holds of a run: a drawing."""
    own: Counter[str] = Counter()
    costs: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for call, *around in run.walk():
        own[call.function] += call.own
        if around:
            costs[around[0].function][call.function] += call.cost
    lines = []
    for name in own:
        calls = ", ".join(f"{callee} 1x{cost}" for callee, cost in costs[name].items())
        lines.append(f"{name} {own[name]}" + (f" -> {calls}" if calls else ""))
    return "\n".join(lines)


def true_costs(run: Call, function: str, *, up: bool) -> Counter[tuple[str, ...]]:
    """What was spent on each branch from the function on."""
    found: Counter[tuple[str, ...]] = Counter()
    for calls in run.walk():
        names = [call.function for call in calls]
        if up and names[0] == function:
            for length in range(1, len(names) + 1):
                found[tuple(names[:length])] += calls[0].cost
        elif not up and function in names:
            found[tuple(names[names.index(function) :: -1])] += calls[0].cost
    return found


@pytest.mark.slow
@pytest.mark.parametrize("up", [False, True], ids=["down", "up"])
def test_what_is_proven_is_true(up: bool) -> None:
    """An exact box has the cost that was spent on its branch when the program ran.

    The profile holds sums over calls only; what estimates come to may be wrong, and often is.
    """
    chance, wrong, deep = random.Random(5), 0, Counter[int]()
    for _ in range(40):
        run = executed(chance)
        queries = queries_from(recorded(run))
        for name in node_names(queries, CYCLES):
            truth = true_costs(run, name, up=up)
            got = nest(queries, name, up=up, least=0)
            for box in range(1, len(got.boxes)):
                cost, exact = int(got.boxes.cost[box]), bool(got.boxes.is_exact[box])
                is_true = truth[got.branch(box)] == cost
                assert is_true or not exact, (recorded(run), got.branch(box))
                wrong += not is_true
                deep[int(got.boxes.depth[box])] += exact
    assert (wrong > 400, deep[1] > 400, deep[2] > 100, deep[3] > 40) == (True,) * 4


@cache
def asked(name: str) -> ProfileQueries:
    return ProfileQueries(q.load(DATA / name))


@pytest.fixture(autouse=True, scope="module")
def _forget() -> Iterator[None]:
    yield
    asked.cache_clear()


def test_functions_with_their_callers_in_their_names_are_proven() -> None:
    """Where --separate-callers recorded the whole way from main, the box has the cost of that name.

    But for what recursion called at its second level, too. The same program without contexts
    proves less.
    """
    queries = asked("templ-callers/callgrind.out.21991.xz")
    names = node_names(queries, CYCLES)
    main = next(name for name in names if name.startswith("main'"))
    got = nest(queries, main, least=0)
    inclusive = queries.inclusive(event_named(queries, "Ir"), CYCLES)
    depths: Counter[int] = Counter()
    shape = queries.call_graph(event_named(queries, "Ir"), CYCLES).adjacency
    pairs = zip(shape.caller.tolist(), shape.callee.tolist(), strict=True)
    recursive = {names[callee] for caller, callee in pairs if "'2'" in names[caller]}
    for box in range(1, len(got.boxes)):
        branch = [name.split("'")[0] for name in got.branch(box)][::-1]
        is_recorded = got.name(box).split("'")[: len(branch)] == branch
        if is_recorded and not recursive & set(got.branch(box)):
            assert got.boxes.is_exact[box], got.name(box)
            assert got.boxes.cost[box] == inclusive[got.boxes.node[box]]
            depths[len(branch) - 1] += 1
    assert all(depths[depth] > 20 for depth in (1, 2, 3)), depths

    plain = nest(asked("templ-nobb/callgrind.out.22021.xz"), "main", least=0, deepest=3).boxes
    known = [boxes.is_exact[boxes.depth == 3].mean() for boxes in (got.boxes, plain)]
    assert known[0] > 0.9 > 0.5 > known[1]


# ---------------------------------------------------------------- a plain walk


@dataclass
class Box:
    entry: int
    parent: int
    branch: tuple[int, ...]  # the entries around it
    cost: Fraction
    is_exact: bool
    start: Fraction
    width: Fraction


class PlainWalk:
    """The boxes one by one, in fractions, with the calls looked up in lists."""

    def __init__(self, graph: CallGraph, *, up: bool) -> None:
        self.inclusive = graph.inclusive.tolist()
        self.calls: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        ends = (graph.adjacency.caller.tolist(), graph.adjacency.callee.tolist())
        one, other = ends[::-1] if up else ends
        for row, cost in enumerate(graph.cost.tolist()):
            if cost > 0 and self.inclusive[one[row]] > 0:
                self.calls[one[row]].append((cost, other[row]))
        for calls in self.calls.values():
            calls.sort(key=lambda call: -call[0])

    def boxes(self, roots: list[int], least: Fraction) -> list[Box]:
        """All of them, level by level."""
        total = Fraction(sum(self.inclusive[root] for root in roots))
        boxes = [Box(-1, -1, (), total, True, Fraction(0), total)]
        start = Fraction(0)
        for root in sorted(roots, key=lambda root: -self.inclusive[root]):
            cost = Fraction(self.inclusive[root])
            if cost >= least * total:
                boxes.append(Box(root, 0, (-1,), cost, True, start, cost))
            start += cost
        if len(roots) == 1:
            boxes = [Box(roots[0], -1, (), total, True, Fraction(0), total)]
        for number, box in enumerate(boxes):  # which grows meanwhile
            if box.entry >= 0 and box.entry not in box.branch:
                boxes += self.inside(box, number, least * total)
        return boxes

    def inside(self, box: Box, number: int, least: Fraction) -> Iterator[Box]:
        """The boxes in this one."""
        whole, calls = self.inclusive[box.entry], self.calls[box.entry]
        scale = min(Fraction(1), box.width / max(whole, sum(cost for cost, _ in calls)))
        start = box.start
        for recorded, other in calls:
            cost, is_exact = self.cost(box, recorded, whole)
            width = recorded * scale
            if width >= least:
                branch = (*box.branch, box.entry)
                yield Box(other, number, branch, cost, is_exact, start, width)
            start += width

    def cost(self, box: Box, recorded: int, whole: int) -> tuple[Fraction, bool]:
        if box.is_exact and box.cost == whole:
            return Fraction(recorded), True
        if box.is_exact and box.cost < whole == recorded:
            return box.cost, True
        return min(recorded * min(box.cost / whole, Fraction(1)), box.cost), False


REAL = [
    "pprof-heap/callgrind.out.heap-alloc",
    "python/callgrind.out.python-default.xz",
    "recur-everything/callgrind.out.21921.xz",
    "templ-callers/callgrind.out.21991.xz",
    "threads-combined-bb/callgrind.out.22283.xz",
    "yappi/callgrind.out.yappi",
]


@pytest.mark.slow
@pytest.mark.parametrize("up", [False, True], ids=["down", "up"])
@pytest.mark.parametrize("scope", [CYCLES, NO_CYCLES], ids=["cycles", "no cycles"])
@pytest.mark.parametrize("name", REAL)
def test_boxes_of_real_profiles_by_a_plain_walk(name: str, scope: Scope, up: bool) -> None:
    """Every box, in its place, with its cost and width: from the whole program and from others."""
    queries = asked(name)
    graph = queries.call_graph(event_named(queries, queries.events.names[0]), scope)
    walk, least = PlainWalk(graph, up=up), Fraction(1, 701)
    called = set((graph.adjacency.caller if up else graph.adjacency.callee).tolist())
    top = [e for e, cost in enumerate(graph.inclusive.tolist()) if cost > 0 and e not in called]
    costly = np.argsort(-graph.inclusive, kind="stable")[[0, 15]].tolist()
    for roots in (top, *([root] for root in costly)):
        got, wanted = (
            build_frame_tree(graph, roots, up=up, min_share=float(least)),
            walk.boxes(roots, least),
        )
        columns = (got.node, got.parent, got.is_exact, got.is_recursion)
        assert list(zip(*(column.tolist() for column in columns), strict=True)) == [
            (box.entry, box.parent, box.is_exact, box.entry in box.branch) for box in wanted
        ]
        assert got.depth.tolist() == [len(box.branch) for box in wanted]
        assert got.start == pytest.approx([float(box.start) for box in wanted])
        assert got.width == pytest.approx([float(box.width) for box in wanted])
        for cost, box in zip(got.cost.tolist(), wanted, strict=True):
            off = abs(cost - box.cost)
            assert not off if box.is_exact else off <= Fraction(1, 2) + box.cost / 10**9
        assert_nested(got)


def assert_nested(boxes: FrameTree) -> None:
    """Children stand side by side within their parents, costliest first; no estimate is above."""
    assert np.diff(boxes.parent).min(initial=0) >= 0
    assert (boxes.width[1:] <= boxes.width[boxes.parent[1:]]).all()
    ends, slack = boxes.start + boxes.width, 1e-9 * float(boxes.width[0])
    for box in range(len(boxes)):
        inside = list(boxes.children_of(box))
        assert [int(boxes.parent[child]) for child in inside] == [box] * len(inside)
        widths = boxes.width[inside].tolist()
        assert widths == sorted(widths, reverse=True)
        places = [float(boxes.start[box]), *ends[inside].tolist()]
        assert boxes.start[inside].tolist() == pytest.approx(places[:-1], abs=slack)
        assert places[-1] <= ends[box] + slack
        assert all(boxes.is_exact[c] or boxes.cost[c] <= boxes.cost[box] for c in inside)


# ---------------------------------------------------------------- cycles and odd costs

# a and b are a cycle that was entered at a cost of 900; leaf is called from within
CYCLE = """
    main 100 -> a 1x900
    a 100 -> b 2x600, leaf 1x200
    b 350 -> a 1x300, leaf 3x250
    leaf 450
    """


def test_a_cycle_holds_its_members() -> None:
    """A call of a member is one of the cycle, whose members stand side by side.

    As nobody else called the cycle, what it cost in leaf came from main.
    """
    assert nest(CYCLE, "main").lines() == [
        "main 1000",
        "  <1> 900",
        "    b 600",
        "      leaf 250",
        "    a 300",
        "      leaf 200",
    ]
    assert nest(CYCLE, "leaf", up=True).lines() == [
        "leaf 450",
        "  b 250",
        "    <1> 250",
        "      main 250",
        "  a 200",
        "    <1> 200",
        "      main 200",
    ]


def test_recursion_is_shown_once_more() -> None:
    """Where cycles are not looked for, a function within itself is a box that is not opened."""
    assert nest(CYCLE, "main", scope=NO_CYCLES).lines() == [
        "main 1000",
        "  a 900",
        "    b ~450",
        "      a ~225 ↻",
        "      leaf ~188",
        "    leaf ~150",
    ]
    ring = "main 0 -> a 1x100\na 0 -> b 1x1000000\nb 100 -> a 1x1000000"
    assert nest(ring, "a", scope=NO_CYCLES).lines() == [
        "a 1000100",
        "  b 1000000",
        "    a 1000000 ↻",
    ]
    assert nest(ring, "a", scope=NO_CYCLES, up=True, least=0).lines() == [
        "a 1000100",
        "  b 1000000",
        "    a 1000000 ↻",
        "  main 100",
    ]


def test_a_function_that_calls_only_itself() -> None:
    """Its calls of itself are in its cost, and no box."""
    for scope in (CYCLES, NO_CYCLES):
        assert nest("f 70 -> f 3x500", "f", scope=scope).lines() == ["f 70"]
        assert nest("f 70 -> f 3x500", "f", scope=scope, up=True).lines() == ["f 70"]


def test_calls_that_cost_more_than_their_caller() -> None:
    """Recorded costs stay; boxes are drawn narrower, so that they have the room of their caller.

    What is inside a narrowed box is narrowed with it.
    """
    drawing = "main 0 -> f 1x100\nf 0 -> g 1x150, h 1x50\ng 90 -> i 1x60\nh 50\ni 60"
    got = nest(drawing, "main")
    assert got.lines() == ["main 100", "  f 100", "    g 150", "      i 60", "    h 50"]
    assert got.boxes.width.tolist() == [100, 100, 75, 25, 30]
    assert got.boxes.start.tolist() == [0, 0, 0, 75, 0]
    assert_nested(got.boxes)


def test_shares_where_calls_cost_more_than_their_caller() -> None:
    """An estimate is one of the cost of the box around, not of its width, and never above it."""
    drawing = "main 0 -> f 1x100\nf 0 -> g 1x150\nother 0 -> g 1x50\ng 100 -> h 1x100\nh 100"
    got = nest(drawing, "main")
    assert got.lines() == ["main 100", "  f 100", "    g 150", "      h ~75"]
    assert got.boxes.width.tolist() == [100, 100, 100, 50]
    drawing = "main 0 -> f 1x100\nother 0 -> f 1x100\nf 0 -> g 1x300\ng 200 -> h 1x100\nh 100"
    got = nest(drawing, "main")
    assert got.lines() == ["main 100", "  f 100", "    g ~100", "      h ~33"]
    assert_nested(got.boxes)


def test_a_call_that_cost_more_than_its_callee() -> None:
    """As a file may say where no calls were counted: no more than the callee's cost is in it."""
    odd = (
        "events: Ir\n\nfn=main\n1 0\ncfn=f\ncalls=0 1\n1 100\n\nfn=f\n1 0\ncfn=g\ncalls=1 1\n1 40\n"
    )
    queries = ProfileQueries(profile_from(odd + "\nfn=g\n1 40\n"))
    got = nest(queries, "main")
    assert got.lines() == ["main 100", "  f 100", "    g ~40"]
    assert got.boxes.width.tolist() == [100, 100, 40]


def test_costs_below_zero() -> None:
    """An event may be a difference: calls below zero are left out, and so is all below a caller."""
    definition = UserEvent("Gain", "", "Ir - Dr")
    drawing = """
        events: Ir Dr
        main 5,0 -> f 3x7,9, g 1x6,2
        f 4,9 -> h 1x3,0
        g 0,0 -> h 1x6,2
        h 9,2
        """
    queries = queries_from(drawing, definition)
    assert nest(queries, "main", event="Gain").lines() == ["main 7", "  g 4", "    h 4"]
    assert nest(queries, "f", event="Gain").lines() == ["f ~0"]
    assert nest(queries, "f", "g", event="Gain").lines() == ["* 4", "  g 4", "    h 4"]


def test_costs_beyond_64_bits() -> None:
    """Costs of 2^62 are exact; where their sums are no machine integers, they are Python's."""
    cost = 2**62
    drawing = f"main 0 -> f 1x{cost + 1}\nf 1 -> g 2x{cost}\ng {cost}\nother {cost} -> g 1x0"
    queries = queries_from(drawing, UserEvent("Big", "", "4 Ir"))
    assert nest(queries, "main").lines() == [
        f"main {cost + 1}",
        f"  f {cost + 1}",
        f"    g {cost}",
    ]
    assert nest(queries, "main", "other", deepest=1).lines() == [
        f"* {2 * cost + 1}",
        f"  main {cost + 1}",
        f"  other {cost}",
    ]
    big = nest(queries, "other", "main", event="Big")
    assert big.lines() == [
        f"* {8 * cost + 4}",
        f"  main {4 * cost + 4}",
        f"    f {4 * cost + 4}",
        f"      g {4 * cost}",
        f"  other {4 * cost}",
    ]
    assert big.boxes.combined_cost(mask(queries, "other", "f")) == (8 * cost + 4, True)


def test_estimates_of_the_highest_costs() -> None:
    """Shares of what just fits 64 bits fit them, too, and are not above the box around them."""
    cost = 2**63 - 1
    drawing = (
        f"main 0 -> f 1x{cost - 1}\nother 0 -> f 1x1\nf 1 -> g 1x{cost - 1}\ng 0 -> h 1x{cost - 1}"
    )
    for definitions in ((), (UserEvent("Big", "", "4 Ir"),)):
        got = nest(
            queries_from(drawing, *definitions), "main", event="Big" if definitions else "Ir"
        )
        factor = 4 if definitions else 1
        assert got.lines()[:2] == [f"main {factor * (cost - 1)}", f"  f {factor * (cost - 1)}"]
        for box in (2, 3):
            assert 0 <= got.boxes.cost[1] - got.boxes.cost[box] <= factor * 2048
        assert got.boxes.is_exact.tolist() == [True, True, False, False]


# ---------------------------------------------------------------- what is left out


def test_the_filter_hides_what_does_not_pass() -> None:
    """The other ends of calls must pass, but not the roots; the room of what is hidden is left."""
    queries = queries_from(SHARED)
    passing = mask(queries, "work", "leaf")
    got = nest(queries, "main", "other", passing=passing)
    assert got.lines() == [
        "* 920",
        "  main 500",
        "    work 400",
        "      leaf ~150",
        "    leaf 90",
        "  other 420",
        "    work 400",
        "      leaf ~150",
    ]
    assert got.left() == (8, 0, 2)
    assert nest(queries, "leaf", up=True, passing=mask(queries, "main")).left() == (2, 0, 2)


def test_where_boxes_are_not_opened() -> None:
    """Neither at a depth nor at functions to stop at; what is not opened leaves nothing out."""
    assert nest(SHARED, "main", deepest=0).lines() == ["main 500"]
    assert nest(SHARED, "main", "other", deepest=0).lines() == ["* 920"]
    assert nest(SHARED, "main", deepest=1).lines() == ["main 500", "  work 400", "  leaf 90"]
    queries = queries_from(SHARED)
    stop, passing = frozenset({node_id(queries, "work")}), mask(queries, "work", "leaf")
    got = nest(queries, "main", "other", stop=stop, passing=passing, least=0.4)
    assert got.lines() == ["* 920", "  main 500", "    work 400", "  other 420", "    work 400"]
    assert got.left() == (5, 1, 0)
    stop |= {node_id(queries, "main")}
    assert nest(queries, "main", stop=stop).lines() == ["main 500"]


def test_boxes_below_the_least_share_are_left_out() -> None:
    """The share is one of box 0; what is as large stays, and what is inside cheap boxes is none."""
    got = nest(SHARED, "main", least=0.2)
    assert got.lines() == ["main 500", "  work 400", "    leaf ~150", "    deep ~100"]
    assert (got.boxes.min_width, *got.left()) == (100, 4, 2, 0)
    assert nest(SHARED, "main", "other", least=0.5).left() == (2, 3, 0)
    chain = "main 10 -> f 1x10\nf 0 -> g 1x10\ng 10"
    assert nest(chain, "main", least=0.5).lines() == ["main 20", "  f 10", "    g 10"]


@pytest.mark.slow
@pytest.mark.parametrize("up", [False, True], ids=["down", "up"])
@pytest.mark.parametrize("scope", [CYCLES, NO_CYCLES], ids=["cycles", "no cycles"])
def test_of_too_many_boxes_the_widest_stay(scope: Scope, up: bool) -> None:
    """They are those that a higher least share leaves, in all levels; of equal ones, the first."""
    queries = asked("python/callgrind.out.python-default.xz")
    graph = queries.call_graph(event_named(queries, "Ir"), scope)
    root = int(np.argmax(graph.inclusive if not up else graph.self_cost))
    every = build_frame_tree(graph, [root], up=up, min_share=1e-5)
    for most in (1, 2, 50, 300):
        few = build_frame_tree(graph, [root], up=up, min_share=1e-5, max_frames=most)
        wider = build_frame_tree(
            graph, [root], up=up, min_share=few.min_width * (1 + 1e-9) / float(few.width[0])
        )
        assert (len(few), len(wider) <= most < len(every)) == (most, True)
        assert sorted(few.width.tolist()) == sorted(every.width.tolist())[-most:]
        assert few.min_width == few.width.min()
        ways = [{box_key(boxes, box) for box in range(len(boxes))} for boxes in (wider, few, every)]
        assert ways[0] <= ways[1] <= ways[2]
        opened = sum(offered(graph, few, box, up=up) for box in range(len(few)))
        assert few.omitted_calls == opened - (len(few) - 1)
        assert_nested(few)
    assert (
        build_frame_tree(graph, [root], up=up, min_share=1e-5, max_frames=len(every)).min_width
        == every.min_width
    )
    assert len(build_frame_tree(graph, [root], up=up, max_frames=0)) == 1


def box_key(boxes: FrameTree, box: int) -> tuple[int, ...]:
    """The entries from box 0 down to a box: no two boxes have the same."""
    return tuple(boxes.node[boxes.path(box)].tolist())


def offered(graph: CallGraph, boxes: FrameTree, box: int, *, up: bool) -> int:
    """How many calls with cost lead on from a box."""
    entry_ = int(boxes.node[box])
    rows = graph.incoming(entry_) if up else graph.outgoing(entry_)
    return 0 if boxes.is_recursion[box] else int((graph.cost[rows] > 0).sum())


def many(callees: int, *, same: bool) -> ProfileQueries:
    calls = ", ".join(f"f{n} 1x{1 if same else n + 1}" for n in range(callees))
    costs = "\n".join(f"f{n} {1 if same else n + 1}" for n in range(callees))
    return queries_from(f"main 0 -> {calls}\n{costs}")


@pytest.mark.slow
def test_a_function_with_25_000_callees() -> None:
    """The costliest that fit are shown, or none where all are too cheap; the rest is counted."""
    queries = many(25_000, same=False)
    got = nest(queries, "main", least=0)
    assert got.boxes.cost.tolist() == [25_000 * 25_001 // 2, *range(25_000, 5_001, -1)]
    assert (got.boxes.min_width, *got.left()) == (5_002, 20_000, 5_001, 0)
    assert nest(queries, "main").left() == (1, 25_000, 0)
    every = nest(queries, "main", least=0, most=30_000)
    assert (every.boxes.min_width, *every.left()) == (0, 25_001, 0, 0)
    assert nest(queries, "f9", up=True).lines() == ["f9 10", "  main 10"]


def test_of_equally_wide_boxes_the_first_stay() -> None:
    """Where callees cost the same and there is no room for all, some are shown, in order."""
    got = nest(many(30, same=True), "main", least=0, most=11)
    assert [got.name(box) for box in range(11)] == ["main", *(f"f{n}" for n in range(10))]
    assert (got.boxes.min_width, *got.left()) == (1, 11, 20, 0)


def test_many_callers_of_a_function_with_many_callees() -> None:
    """A million boxes are not kept at once; the result is as if they were.

    All ways to the hub cost the same: there is room for its two costliest callees on each of them,
    and for the third on all but the last.
    """
    callers = "\n".join(f"a{n} 1 -> hub 1x1000" for n in range(1000))
    calls = ", ".join(f"b{n} 1x{n + 1}" for n in range(1000))
    costs = "\n".join(f"b{n} {n + 1}" for n in range(1000))
    queries = queries_from(f"{callers}\nhub {1000 * 1000 - 1000 * 1001 // 2} -> {calls}\n{costs}")
    got = nest(queries, *(f"a{n}" for n in range(1000)), least=0, most=5000)
    assert got.left() == (5000, 1000 * 1000 + 2000 - 4999, 0)
    costliest = [got.name(box) for box in range(2001, 5000)]
    assert costliest == (["b999", "b998", "b997"] * 1000)[:-1]
    assert_nested(got.boxes)


# ---------------------------------------------------------------- marks


def test_boxes_of_an_entry() -> None:
    """All rows of a function, and the total of some functions, in which nothing counts twice."""
    queries = queries_from(SHARED)
    got = nest(queries, "main", "other")
    leafs = got.boxes.frames_of(node_id(queries, "leaf")).tolist()
    assert [got.branch(box)[1:] for box in leafs] == [
        ("main", "leaf"),
        ("main", "work", "leaf"),
        ("other", "work", "leaf"),
        ("main", "work", "deep", "leaf"),
        ("other", "work", "deep", "leaf"),
    ]
    total = {
        names: got.boxes.combined_cost(mask(queries, *names))
        for names in (
            (),
            ("leaf",),
            ("work",),
            ("work", "leaf"),
            ("deep", "leaf"),
            ("main", "deep"),
        )
    }
    assert total == {
        (): (0, True),
        ("leaf",): (90 + 2 * 150 + 2 * 40, False),
        ("work",): (800, True),
        ("work", "leaf"): (890, True),
        ("deep", "leaf"): (90 + 2 * 150 + 2 * 100, False),
        ("main", "deep"): (600, False),
    }
    everything = np.ones(queries.function_count, bool)
    assert got.boxes.combined_cost(everything) == (920, True)


def test_the_total_of_recursive_boxes() -> None:
    """A function within itself counts once."""
    queries = queries_from(CYCLE)
    got = nest(queries, "main", scope=NO_CYCLES)
    assert got.boxes.combined_cost(mask(queries, "a", scope=NO_CYCLES)) == (900, True)
    assert got.boxes.combined_cost(mask(queries, "b", "leaf", scope=NO_CYCLES)) == (600, False)
