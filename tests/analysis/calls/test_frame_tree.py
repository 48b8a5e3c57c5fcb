"""The frame tree of call maps and flame graphs, against plain walks over calls and true runs."""

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
from qcachegrind_py.analysis.calls.call_graph import AccountedCalls, CallGraph
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
class NamedTree:
    """A frame tree with the names of its nodes."""

    frames: FrameTree
    names: list[str]

    def lines(self) -> list[str]:
        """A line per frame, indented by depth: name and cost; ~ marks an estimate, ↻ recursion."""
        return [self._line(frame) for frame in self._walk(0)] if len(self.frames) else []

    def _walk(self, frame: int) -> Iterator[int]:
        yield frame
        for child in self.frames.children_of(frame):
            yield from self._walk(child)

    def _line(self, frame: int) -> str:
        frames = self.frames
        indent, mark = "  " * int(frames.depth[frame]), "" if frames.is_exact[frame] else "~"
        again = " ↻" if frames.is_recursion[frame] else ""
        return f"{indent}{self.name(frame)} {mark}{frames.cost[frame]}{again}"

    def name(self, frame: int) -> str:
        return self.names[self.frames.node[frame]]

    def branch(self, frame: int) -> tuple[str, ...]:
        """The names from frame 0 down to this one."""
        return tuple(self.name(above) for above in self.frames.path(frame))

    def left(self) -> tuple[int, int, int]:
        """Counts of frames, of omitted calls and of filtered calls."""
        return len(self.frames), self.frames.omitted_calls, self.frames.filtered_calls


def tree_of(
    text: str | ProfileQueries,
    *roots: str,
    scope: Scope = CYCLES,
    event: str = "Ir",
    **options: Any,
) -> NamedTree:
    """The frame tree below these functions."""
    queries = queries_from(text) if isinstance(text, str) else text
    # those of ids below 0 are the last ones, for Python, too
    names = [*node_names(queries, scope), "(not attributed)", "(other callers)", "*"]
    numbers = [names.index(name) for name in roots]
    graph = queries.accounted_calls(event_named(queries, event), scope)
    return NamedTree(build_frame_tree(graph, numbers, **options), names)


def mask(queries: ProfileQueries, *names: str, scope: Scope = CYCLES) -> np.ndarray[Any, Any]:
    return np.isin(np.array(node_names(queries, scope)), names)


# main causes half of work's cost, other the rest
SHARED = """
    main 10 -> work 2x400, leaf 1x90
    other 20 -> work 6x400
    work 300 -> leaf 20x300, deep 4x200
    deep 120 -> leaf 8x80
    leaf 470
    """


def test_frames_below_a_function() -> None:
    """The root's calls are exact; the costs of calls further down are shared in proportion."""
    got = tree_of(SHARED, "main")
    assert got.lines() == [
        "main 500",
        "  work 400",
        "    leaf ~150",
        "    deep ~100",
        "      leaf ~40",
        "  leaf 90",
    ]
    frames = got.frames
    assert got.branch(5) == ("main", "work", "deep", "leaf")
    assert (frames.parent.tolist(), frames.depth.tolist()) == (
        [-1, 0, 0, 1, 1, 4],
        [0, 1, 1, 2, 2, 3],
    )
    assert (frames.first_child.tolist(), frames.child_count.tolist()) == (
        [1, 3, 5, 5, 5, 6],
        [2, 2, 0, 0, 1, 0],
    )
    assert frames.start.tolist() == [0, 0, 400, 0, 150, 150]
    assert frames.width.tolist() == frames.cost.tolist() == [500, 400, 90, 150, 100, 40]
    assert frames.self_width.tolist() == [10, 150, 90, 150, 60, 40]
    assert (frames.level_count, frames.min_width, *got.left()) == (4, 0.05, 6, 0, 0)


# a and b are a cycle that was entered at a cost of 900 and calls leaf
CYCLE = """
    main 100 -> a 1x900
    a 100 -> b 2x600, leaf 1x200
    b 350 -> a 1x300, leaf 3x250
    leaf 450
    """
RING = "main 0 -> a 1x100\na 0 -> b 1x1000000\nb 100 -> a 1x1000000"
HUGE, HALF = 2**60 + 1, 2**60  # the nearest float
UNDIVIDED = f"""
    main 1 -> first 1x{HUGE}
    other 0 -> first 1x{HUGE}
    first 0 -> second 1x{2 * HUGE}
    second 2 -> both 1x{2 * HUGE - 2}
    both 0 -> end 1x{2 * HUGE - 2}
    end {2 * HUGE - 2}
    """


@pytest.mark.parametrize(
    ("drawing", "root", "scope", "up", "expected"),
    [
        pytest.param(
            SHARED, "leaf", CYCLES, True,
            "leaf 470 > work 300 >> main ~150 >> other ~150 > main 90 > deep 80 >> work 80 "
            ">>> main ~40 >>> other ~40",
            id="callers have the part that they caused: all that deep cost came from work",
        ),
        pytest.param(
            UNDIVIDED, "main", CYCLES, False,
            f"main {HUGE + 1} > first {HUGE} >> second {HUGE} >>> both ~{HALF} >>>> end ~{HALF}",
            id="a call with the whole cost of its caller is as exact as the caller's frame",
        ),
        pytest.param(
            CYCLE, "main", CYCLES, False,
            "main 1000 > <1> 900 >> b 600 >>> leaf 250 >> a 300 >>> leaf 200",
            id="a call of a member is one of its cycle, whose members are side by side",
        ),
        pytest.param(
            CYCLE, "leaf", CYCLES, True,
            "leaf 450 > b 250 >> <1> 250 >>> main 250 > a 200 >> <1> 200 >>> main 200",
            id="only main calls the cycle: all that it cost in leaf came from main",
        ),
        pytest.param(  # a is called for 1200 and costs 900; b is called for 600 and costs 900
            CYCLE, "main", NO_CYCLES, False,
            "main 1000 > a 900 >> b ~450 >>> a ~150 ↻ >>> leaf ~125 >> (not attributed) ~225 "
            ">> leaf ~150",
            id="without cycles, a function inside itself is a frame without children",
        ),
        pytest.param(
            RING, "a", NO_CYCLES, False,
            "a 1000100 > b 1000000 >> a ~999900 ↻ > (not attributed) 100",
            id="a ring, downwards",
        ),
        pytest.param(
            RING, "a", NO_CYCLES, True,
            "a 1000100 > b 1000000 >> a ~999900 ↻ >> (other callers) ~100 > main 100",
            id="a ring, upwards",
        ),
        *(
            pytest.param("f 70 -> f 3x500", "f", scope, up, "f 70", id="direct recursion")
            for scope in (CYCLES, NO_CYCLES)
            for up in (False, True)
        ),
        pytest.param(
            "main 0 -> f 1x100\nf 0 -> g 1x150, h 1x50\ng 90 -> i 1x60\nh 50\ni 60",
            "main", CYCLES, False,
            "main 100 > f 100 >> g ~75 >>> i ~30 >> h ~25",
            id="half of what f calls is in main, which calls it for 100 of its 200",
        ),
        pytest.param(
            "main 0 -> f 1x100\nf 0 -> g 1x150\nother 0 -> g 1x50\ng 100 -> h 1x100\nh 100",
            "main", CYCLES, False,
            "main 100 > f 100 >> g 100 >>> h ~50",
            id="an estimate is a share of the cost of the frame around it",
        ),
        pytest.param(
            "main 0 -> f 1x100\nother 0 -> f 1x100\nf 0 -> g 1x300\ng 200 -> h 1x100\nh 100",
            "main", CYCLES, False,
            "main 100 > f 100 >> g 100 >>> h ~33",
            id="an estimate is never above the frame around it",
        ),
    ],
)  # fmt: skip
def test_frames(drawing: str, root: str, scope: Scope, up: bool, expected: str) -> None:
    """One line: `>` stands before frames of the next level, `>>` before those inside of them."""
    got = tree_of(drawing, root, scope=scope, up=up, min_share=0)
    levels = [line.lstrip() for line in got.lines()]
    depths = [(len(line) - len(line.lstrip())) // 2 for line in got.lines()]
    shown = [f"{'>' * depth} {line}" for depth, line in zip(depths, levels, strict=True)]

    assert " ".join(shown).strip() == expected
    assert_nested(got.frames)


def test_several_roots_share_a_frame_with_their_sum() -> None:
    """Frame 0 is then no function; the roots are exact, and those without cost are left out."""
    got = tree_of(SHARED + "idle 0\n", "other", "idle", "main", max_depth=2)
    assert got.lines() == [
        "* 920",
        "  main 500",
        "    work 400",
        "    leaf 90",
        "  other 420",
        "    work 400",
    ]
    assert got.frames.start.tolist() == [0, 0, 500, 0, 400, 500]
    assert got.left() == (6, 0, 0)


def test_without_roots_or_without_cost() -> None:
    """Without roots there are no frames; without cost, there is frame 0 alone."""
    idle = "idle 0 -> f 1x0\nf 0\ng 0"
    nothing = tree_of(idle).frames
    assert (len(nothing), nothing.level_count, nothing.self_width.tolist()) == (0, 0, [])
    assert nothing.combined_costs(np.ones(3, bool)) == (0, 0, True)
    assert tree_of(idle, "idle").lines() == ["idle 0"]
    assert tree_of(idle, "idle", "g").lines() == ["* 0"]
    assert tree_of(idle, "f", up=True).lines() == ["f 0"]


def test_a_profile_without_calls() -> None:
    """Without calls, as in Cachegrind files, all functions are roots, side by side."""
    queries = load_queries("cachegrind/cachegrind.out.templ-O2.xz")
    graph = queries.accounted_calls(event_named(queries, "Ir"), CYCLES)
    frames = build_frame_tree(graph, range(len(graph.graph.inclusive)), min_share=0)
    costs = sorted((cost for cost in graph.graph.self_cost.tolist() if cost), reverse=True)
    assert frames.cost.tolist() == [sum(costs), *costs]
    assert (frames.level_count, bool(frames.is_exact.all()), frames.omitted_calls) == (2, True, 0)


# ---------------------------------------------------------------- exactness


@dataclass
class Call:
    """One executed call of a function."""

    function: str
    self_cost: int
    inner: list[Call] = field(default_factory=list)

    @property
    def cost(self) -> int:
        return self.self_cost + sum(call.cost for call in self.inner)

    def walk(self, *above: Call) -> Iterator[tuple[Call, ...]]:
        """This call and all calls inside it, each followed by its callers, innermost first."""
        yield (self, *above)
        for call in self.inner:
            yield from call.walk(self, *above)


def executed(chance: random.Random, function: int = 0) -> Call:
    """A random run of a program in which f0 to f9 call later functions."""
    call = Call(f"f{function}", chance.choice((0, 0, chance.randrange(1, 100))))
    for _ in range(chance.choice((1, 1, 2, 3)) if function < 9 else 0):
        call.inner.append(executed(chance, chance.randrange(function + 1, min(function + 4, 10))))
    return call


def recorded(run: Call) -> str:
    """The run as profile text."""
    self_cost: Counter[str] = Counter()
    costs: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for call, *outer in run.walk():
        self_cost[call.function] += call.self_cost
        if outer:
            costs[outer[0].function][call.function] += call.cost
    lines = []
    for name in self_cost:
        calls = ", ".join(f"{callee} 1x{cost}" for callee, cost in costs[name].items())
        lines.append(f"{name} {self_cost[name]}" + (f" -> {calls}" if calls else ""))
    return "\n".join(lines)


def true_costs(run: Call, function: str, *, up: bool) -> Counter[tuple[str, ...]]:
    """The true cost of each branch that starts at the function."""
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
def test_exact_costs_are_true(up: bool) -> None:
    """An exact frame has the true cost of its branch in the executed program.

    A profile has sums over calls only: estimates may be wrong, and often are.
    """
    chance, wrong, deep = random.Random(5), 0, Counter[int]()
    for _ in range(40):
        run = executed(chance)
        queries = queries_from(recorded(run))
        for name in node_names(queries, CYCLES):
            truth = true_costs(run, name, up=up)
            got = tree_of(queries, name, up=up, min_share=0)
            for frame in range(1, len(got.frames)):
                cost, exact = int(got.frames.cost[frame]), bool(got.frames.is_exact[frame])
                is_true = truth[got.branch(frame)] == cost
                assert is_true or not exact, (recorded(run), got.branch(frame))
                wrong += not is_true
                deep[int(got.frames.depth[frame])] += exact
    assert (wrong > 400, deep[1] > 400, deep[2] > 100, deep[3] > 40) == (True,) * 4


@cache
def load_queries(name: str) -> ProfileQueries:
    return ProfileQueries(q.load(DATA / name))


@pytest.fixture(autouse=True, scope="module")
def _clear_cache() -> Iterator[None]:
    yield
    load_queries.cache_clear()


def test_functions_with_recorded_callers_are_exact() -> None:
    """If --separate-callers recorded the whole path from main, the frame has that name's cost.

    Calls made by the second level of recursion are the exception. The same program without contexts
    has fewer exact frames.
    """
    queries = load_queries("templ-callers/callgrind.out.21991.xz")
    names = node_names(queries, CYCLES)
    main = next(name for name in names if name.startswith("main'"))
    got = tree_of(queries, main, min_share=0)
    inclusive = queries.inclusive(event_named(queries, "Ir"), CYCLES)
    depths: Counter[int] = Counter()
    shape = queries.call_graph(event_named(queries, "Ir"), CYCLES).adjacency
    pairs = zip(shape.caller.tolist(), shape.callee.tolist(), strict=True)
    recursive = {names[callee] for caller, callee in pairs if "'2'" in names[caller]}
    for frame in range(1, len(got.frames)):
        branch = [name.split("'")[0] for name in got.branch(frame)][::-1]
        is_recorded = got.name(frame).split("'")[: len(branch)] == branch
        if is_recorded and not recursive & set(got.branch(frame)):
            assert got.frames.is_exact[frame], got.name(frame)
            assert got.frames.cost[frame] == inclusive[got.frames.node[frame]]
            depths[len(branch) - 1] += 1
    assert all(depths[depth] > 20 for depth in (1, 2, 3)), depths

    plain = tree_of(
        load_queries("templ-nobb/callgrind.out.22021.xz"), "main", min_share=0, max_depth=3
    ).frames
    known = [frames.is_exact[frames.depth == 3].mean() for frames in (got.frames, plain)]
    assert known[0] > 0.9 > 0.5 > known[1]


# ---------------------------------------------------------------- a plain walk


@dataclass
class Frame:
    node: int
    parent: int
    branch: tuple[int, ...]  # the enclosing nodes
    cost: Fraction
    is_exact: bool
    start: Fraction
    width: Fraction
    is_reduced: bool = False  # the call is recorded with more


class PlainWalk:
    """A frame tree built frame by frame, in fractions, with the calls looked up in lists."""

    def __init__(self, accounted: AccountedCalls, *, up: bool) -> None:
        graph, recorded = accounted.graph, accounted.recorded.cost.tolist()
        self.inclusive = graph.inclusive.tolist()
        self.calls: defaultdict[int, list[tuple[int, int, bool, bool]]] = defaultdict(list)
        callers = Counter(graph.adjacency.callee[graph.cost > 0].tolist())
        ends = (graph.adjacency.caller.tolist(), graph.adjacency.callee.tolist())
        one, other = ends[::-1] if up else ends
        for row, cost in enumerate(graph.cost.tolist()):
            if cost > 0 and self.inclusive[one[row]] > 0:
                is_reduced = cost != recorded[row]
                is_divided = is_reduced and callers[ends[1][row]] > 1
                self.calls[one[row]].append((cost, other[row], is_reduced, is_divided))
        stand_in, costs = (-2, accounted.excess) if up else (-3, accounted.missing)
        for node, cost in enumerate(costs.tolist()):
            if cost > 0:
                self.calls[node].append((cost, stand_in, False, False))
        for calls in self.calls.values():
            calls.sort(key=lambda call: -call[0])

    def frames(self, roots: list[int], least: Fraction) -> list[Frame]:
        """All frames, level by level."""
        total = Fraction(sum(self.inclusive[root] for root in roots))
        frames = [Frame(-1, -1, (), total, True, Fraction(0), total)]
        start = Fraction(0)
        for root in sorted(roots, key=lambda root: -self.inclusive[root]):
            cost = Fraction(self.inclusive[root])
            if cost >= least * total:
                frames.append(Frame(root, 0, (-1,), cost, True, start, cost))
            start += cost
        if len(roots) == 1:
            frames = [Frame(roots[0], -1, (), total, True, Fraction(0), total)]
        for number, frame in enumerate(frames):  # which grows during the loop
            if frame.node >= 0 and frame.node not in frame.branch:
                frames += self.inside(frame, number, least * total)
        return frames

    def inside(self, frame: Frame, number: int, least: Fraction) -> Iterator[Frame]:
        """The children of this frame."""
        whole, calls = self.inclusive[frame.node], self.calls[frame.node]
        scale = min(Fraction(1), frame.width / max(whole, sum(call[0] for call in calls)))
        start = frame.start
        for recorded, other, is_reduced, is_divided in calls:
            cost, is_exact = self.cost(frame, recorded, whole)
            is_exact &= not is_divided
            width = recorded * scale
            if width >= least:
                branch = (*frame.branch, frame.node)
                yield Frame(other, number, branch, cost, is_exact, start, width, is_reduced)
            start += width

    def cost(self, frame: Frame, recorded: int, whole: int) -> tuple[Fraction, bool]:
        if frame.is_exact and frame.cost == whole:
            return Fraction(recorded), True
        if frame.is_exact and frame.cost < whole == recorded:
            return frame.cost, True
        return min(recorded * min(frame.cost / whole, Fraction(1)), frame.cost), False


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
def test_frames_of_real_profiles_by_a_plain_walk(name: str, scope: Scope, up: bool) -> None:
    """Every frame has the parent, cost and width found by the plain walk."""
    queries = load_queries(name)
    calls = queries.accounted_calls(event_named(queries, queries.events.names[0]), scope)
    walk, least, graph = PlainWalk(calls, up=up), Fraction(1, 701), calls.graph
    called = set((graph.adjacency.caller if up else graph.adjacency.callee).tolist())
    top = [e for e, cost in enumerate(graph.inclusive.tolist()) if cost > 0 and e not in called]
    costly = np.argsort(-graph.inclusive, kind="stable")[[0, 15]].tolist()
    for roots in (top, *([root] for root in costly)):
        got, wanted = (
            build_frame_tree(calls, roots, up=up, min_share=float(least)),
            walk.frames(roots, least),
        )
        columns = (got.node, got.parent, got.is_exact, got.is_recursion)
        assert list(zip(*(column.tolist() for column in columns), strict=True)) == [
            (
                frame.node,
                frame.parent,
                frame.is_exact and not frame.is_reduced,
                frame.node in frame.branch,
            )
            for frame in wanted
        ]
        assert got.depth.tolist() == [len(frame.branch) for frame in wanted]
        assert got.start == pytest.approx([float(frame.start) for frame in wanted])
        assert got.width == pytest.approx([float(frame.width) for frame in wanted])
        for cost, frame in zip(got.cost.tolist(), wanted, strict=True):
            off = abs(cost - frame.cost)
            assert (
                not off
                if frame.is_exact and not frame.is_reduced
                else off <= Fraction(1, 2) + frame.cost / 10**9
            )
        assert_nested(got)


def assert_nested(frames: FrameTree) -> None:
    """Children lie side by side in their parents, costliest first; no estimate exceeds them."""
    assert np.diff(frames.parent).min(initial=0) >= 0
    assert (frames.width[1:] <= frames.width[frames.parent[1:]]).all()
    ends, slack = frames.start + frames.width, 1e-9 * float(frames.width[0])
    for frame in range(len(frames)):
        inside = list(frames.children_of(frame))
        assert [int(frames.parent[child]) for child in inside] == [frame] * len(inside)
        widths = frames.width[inside].tolist()
        assert widths == sorted(widths, reverse=True)
        places = [float(frames.start[frame]), *ends[inside].tolist()]
        assert frames.start[inside].tolist() == pytest.approx(places[:-1], abs=slack)
        assert places[-1] <= ends[frame] + slack
        assert all(frames.is_exact[c] or frames.cost[c] <= frames.cost[frame] for c in inside)


# ---------------------------------------------------------------- unusual costs


def test_a_call_that_cost_more_than_its_callee() -> None:
    """In a file without call counts, a call never contributes more than its callee's cost.

    The rest of what main costs is in no function.
    """
    odd = (
        "events: Ir\n\nfn=main\n1 0\ncfn=f\ncalls=0 1\n1 100\n\nfn=f\n1 0\ncfn=g\ncalls=1 1\n1 40\n"
    )
    queries = ProfileQueries(profile_from(odd + "\nfn=g\n1 40\n"))
    got = tree_of(queries, "main")
    assert got.lines() == ["main 100", "  (not attributed) 60", "  f ~40", "    g 40"]
    assert got.frames.width.tolist() == [100, 60, 40, 40]


def test_costs_below_zero() -> None:
    """Calls with negative cost are omitted, and so is all below a caller with negative cost."""
    definition = UserEvent("Gain", "", "Ir - Dr")
    text = """
        events: Ir Dr
        main 5,0 -> f 3x7,9, g 1x6,2
        f 4,9 -> h 1x3,0
        g 0,0 -> h 1x6,2
        h 9,2
        """
    queries = queries_from(text, definition)
    assert tree_of(queries, "main", event="Gain").lines() == ["main 7", "  g 4", "    h 4"]
    assert tree_of(queries, "f", event="Gain").lines() == ["f -2"]
    assert tree_of(queries, "f", "g", event="Gain").lines() == ["* 4", "  g 4", "    h 4"]


def test_costs_beyond_64_bits() -> None:
    """Costs of 2^62 are exact; sums beyond 64 bits are Python integers."""
    cost = 2**62
    text = f"main 0 -> f 1x{cost + 1}\nf 1 -> g 2x{cost}\ng {cost}\nother {cost} -> g 1x0"
    queries = queries_from(text, UserEvent("Big", "", "4 Ir"))
    assert tree_of(queries, "main").lines() == [
        f"main {cost + 1}",
        f"  f {cost + 1}",
        f"    g {cost}",
    ]
    assert tree_of(queries, "main", "other", max_depth=1).lines() == [
        f"* {2 * cost + 1}",
        f"  main {cost + 1}",
        f"  other {cost}",
    ]
    big = tree_of(queries, "other", "main", event="Big")
    assert big.lines() == [
        f"* {8 * cost + 4}",
        f"  main {4 * cost + 4}",
        f"    f {4 * cost + 4}",
        f"      g {4 * cost}",
        f"  other {4 * cost}",
    ]
    assert big.frames.combined_costs(mask(queries, "other", "f")) == (*[8 * cost + 4] * 2, True)


def test_estimates_of_the_highest_costs() -> None:
    """Estimates that just fit 64 bits are represented, and do not exceed the enclosing frame."""
    cost = 2**63 - 1
    text = f"""
        main 0 -> f 1x{cost - 1}
        other 0 -> f 1x1
        f 1 -> g 1x{cost - 1}
        g 0 -> h 1x{cost - 1}
        h {cost - 1}
        """
    for definitions in ((), (UserEvent("Big", "", "4 Ir"),)):
        got = tree_of(
            queries_from(text, *definitions), "main", event="Big" if definitions else "Ir"
        )
        factor = 4 if definitions else 1
        assert got.lines()[:2] == [f"main {factor * (cost - 1)}", f"  f {factor * (cost - 1)}"]
        for frame in (2, 3):
            assert 0 <= got.frames.cost[1] - got.frames.cost[frame] <= factor * 2048
        assert got.frames.is_exact.tolist() == [True, True, False, False]


# ---------------------------------------------------------------- omitted frames


def test_filtered_functions_are_hidden() -> None:
    """Calls must lead to a function that passes the filter; others leave gaps in their caller."""
    queries = queries_from(SHARED)
    got = tree_of(queries, "main", "other", visible=mask(queries, "deep"))
    assert got.lines() == [
        "* 920",
        "  main 500",
        "    work 400",
        "      deep ~100",
        "  other 420",
        "    work 400",
        "      deep ~100",
    ]
    assert got.left() == (7, 0, 5)  # leaf: below main, twice below work and twice below deep
    assert tree_of(queries, "main", visible=mask(queries)).lines() == ["main 500"]


def test_no_path_to_a_match_is_cut() -> None:
    """Functions between a root and a match stay, with their costs, whatever the filter says."""
    queries = queries_from(SHARED)
    got = tree_of(queries, "main", visible=mask(queries, "leaf"))
    everything = tree_of(queries, "main")
    upwards = tree_of(queries, "leaf", up=True, visible=mask(queries, "other"))
    assert got.lines() == everything.lines()
    assert upwards.lines() == [
        "leaf 470",
        "  work 300",
        "    other ~150",
        "  deep 80",
        "    work 80",
        "      other ~40",
    ]


def test_where_frames_have_no_children() -> None:
    """Frames at the maximal depth and of stop functions have no children, and omit nothing."""
    assert tree_of(SHARED, "main", max_depth=0).lines() == ["main 500"]
    assert tree_of(SHARED, "main", "other", max_depth=0).lines() == ["* 920"]
    assert tree_of(SHARED, "main", max_depth=1).lines() == ["main 500", "  work 400", "  leaf 90"]
    queries = queries_from(SHARED)
    stop, passing = frozenset({node_id(queries, "work")}), mask(queries, "work", "leaf")
    got = tree_of(queries, "main", "other", unexpanded=stop, visible=passing, min_share=0.4)
    assert got.lines() == ["* 920", "  main 500", "    work 400", "  other 420", "    work 400"]
    assert got.left() == (5, 1, 0)
    stop |= {node_id(queries, "main")}
    assert tree_of(queries, "main", unexpanded=stop).lines() == ["main 500"]


def test_frames_below_the_minimal_share_are_omitted() -> None:
    """The minimal share is relative to frame 0; a frame of exactly that share is kept."""
    got = tree_of(SHARED, "main", min_share=0.2)
    assert got.lines() == ["main 500", "  work 400", "    leaf ~150", "    deep ~100"]
    assert (got.frames.min_width, *got.left()) == (100, 4, 2, 0)
    assert not got.frames.new.has_exact_omissions, "one of them is in an estimate"
    assert tree_of(SHARED, "main", min_share=0.5).frames.new.has_exact_omissions is False
    few = tree_of("main 90 -> f 1x9, g 1x1\nf 9\ng 1", "main", min_share=0.05)
    assert (few.left(), few.frames.new.has_exact_omissions) == ((2, 1, 0), True)
    assert tree_of(SHARED, "main", "other", min_share=0.5).left() == (2, 3, 0)
    chain = "main 10 -> f 1x10\nf 0 -> g 1x10\ng 10"
    assert tree_of(chain, "main", min_share=0.5).lines() == ["main 20", "  f 10", "    g 10"]


@pytest.mark.slow
@pytest.mark.parametrize("up", [False, True], ids=["down", "up"])
@pytest.mark.parametrize("scope", [CYCLES, NO_CYCLES], ids=["cycles", "no cycles"])
def test_the_widest_of_too_many_frames_are_kept(scope: Scope, up: bool) -> None:
    """The kept frames are those of a higher minimal share; of equal ones, the first are kept."""
    queries = load_queries("python/callgrind.out.python-default.xz")
    calls = queries.accounted_calls(event_named(queries, "Ir"), scope)
    graph = calls.graph
    root = int(np.argmax(graph.inclusive if not up else graph.self_cost))
    every = build_frame_tree(calls, [root], up=up, min_share=1e-5)
    for most in (1, 2, 50, 300):
        few = build_frame_tree(calls, [root], up=up, min_share=1e-5, max_frames=most)
        wider = build_frame_tree(
            calls, [root], up=up, min_share=few.min_width * (1 + 1e-9) / float(few.width[0])
        )
        assert (len(few), len(wider) <= most < len(every)) == (most, True)
        assert sorted(few.width.tolist()) == sorted(every.width.tolist())[-most:]
        assert few.min_width == few.width.min()
        ways = [
            {frame_key(frames, frame) for frame in range(len(frames))}
            for frames in (wider, few, every)
        ]
        assert ways[0] <= ways[1] <= ways[2]
        opened = sum(offered(graph, few, frame, up=up) for frame in range(len(few)))
        assert few.omitted_calls == opened - (len(few) - 1)
        assert_nested(few)
    assert (
        build_frame_tree(calls, [root], up=up, min_share=1e-5, max_frames=len(every)).min_width
        == every.min_width
    )
    assert len(build_frame_tree(calls, [root], up=up, max_frames=0)) == 1


def frame_key(frames: FrameTree, frame: int) -> tuple[int, ...]:
    """The nodes from frame 0 down to a frame, which identify it."""
    return tuple(frames.node[frames.path(frame)].tolist())


def offered(graph: CallGraph, frames: FrameTree, frame: int, *, up: bool) -> int:
    """The number of calls with cost that lead on from a frame."""
    entry_ = int(frames.node[frame])
    rows = graph.incoming(entry_) if up else graph.outgoing(entry_)
    return 0 if frames.is_recursion[frame] else int((graph.cost[rows] > 0).sum())


def many(callees: int, *, same: bool) -> ProfileQueries:
    calls = ", ".join(f"f{n} 1x{1 if same else n + 1}" for n in range(callees))
    costs = "\n".join(f"f{n} {1 if same else n + 1}" for n in range(callees))
    return queries_from(f"main 0 -> {calls}\n{costs}")


@pytest.mark.slow
def test_a_function_with_25_000_callees() -> None:
    """The costliest that fit are shown, or none if all are too cheap; the rest is counted."""
    queries = many(25_000, same=False)
    got = tree_of(queries, "main", min_share=0)
    assert got.frames.cost.tolist() == [25_000 * 25_001 // 2, *range(25_000, 5_001, -1)]
    assert (got.frames.min_width, *got.left()) == (5_002, 20_000, 5_001, 0)
    assert tree_of(queries, "main").left() == (1, 25_000, 0)
    every = tree_of(queries, "main", min_share=0, max_frames=30_000)
    assert (every.frames.min_width, *every.left()) == (0, 25_001, 0, 0)
    assert tree_of(queries, "f9", up=True).lines() == ["f9 10", "  main 10"]


def test_the_first_of_equally_wide_frames_are_kept() -> None:
    """If callees of equal cost do not all fit, the first ones are shown, in order."""
    got = tree_of(many(30, same=True), "main", min_share=0, max_frames=11)
    assert [got.name(frame) for frame in range(11)] == ["main", *(f"f{n}" for n in range(10))]
    assert (got.frames.min_width, *got.left()) == (1, 11, 20, 0)


def test_many_callers_of_a_function_with_many_callees() -> None:
    """A million frames are never held at once; the result is as if they were.

    All paths to the hub cost the same: there is space for its two costliest callees on each of
    them, and for the third on all but the last.
    """
    callers = "\n".join(f"a{n} 1 -> hub 1x1000" for n in range(1000))
    calls = ", ".join(f"b{n} 1x{n + 1}" for n in range(1000))
    costs = "\n".join(f"b{n} {n + 1}" for n in range(1000))
    queries = queries_from(f"{callers}\nhub {1000 * 1000 - 1000 * 1001 // 2} -> {calls}\n{costs}")
    got = tree_of(queries, *(f"a{n}" for n in range(1000)), min_share=0, max_frames=5000)
    assert got.left() == (5000, 1000 * 1000 + 2000 - 4999, 0)
    costliest = [got.name(frame) for frame in range(2001, 5000)]
    assert costliest == (["b999", "b998", "b997"] * 1000)[:-1]
    assert_nested(got.frames)


# ---------------------------------------------------------------- frames of a node


def test_frames_of_a_node() -> None:
    """All frames of a function, and the combined cost of several, without double counting."""
    queries = queries_from(SHARED)
    got = tree_of(queries, "main", "other")
    leafs = got.frames.frames_of(node_id(queries, "leaf")).tolist()
    assert [got.branch(frame)[1:] for frame in leafs] == [
        ("main", "leaf"),
        ("main", "work", "leaf"),
        ("other", "work", "leaf"),
        ("main", "work", "deep", "leaf"),
        ("other", "work", "deep", "leaf"),
    ]
    total = {
        names: got.frames.combined_costs(mask(queries, *names))[1:]
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
    assert got.frames.combined_costs(everything) == (920, 920, True)


def test_the_total_of_recursive_frames() -> None:
    """A function inside itself counts once."""
    queries = queries_from(CYCLE)
    got = tree_of(queries, "main", scope=NO_CYCLES)
    assert got.frames.combined_costs(mask(queries, "a", scope=NO_CYCLES)) == (900, 900, True)
    assert got.frames.combined_costs(mask(queries, "b", "leaf", scope=NO_CYCLES)) == (
        600,
        600,
        False,
    )
