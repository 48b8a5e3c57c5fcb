"""The calls of a whole program, which account for all of its cost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from qcachegrind_py.analysis.calls.call_graph import AccountedCalls
from qcachegrind_py.analysis.calls.call_tree import CallBranches
from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.flame_graph import flame_graph
from qcachegrind_py.profile.ids import NO_NODE, OTHER_CALLERS
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.write.stacks import stack_report
from tests.analysis.named_queries import (
    CYCLES,
    NO_CYCLES,
    contradictory_programs,
    node_names,
    queries_from,
)
from tests.profile_rows import DATA, profile_from

PROFILES = sorted(
    path
    for path in DATA.rglob("*callgrind.out*")
    if path.is_file() and path.stat().st_size and ".tsv" not in path.name
)

THREADS = """\
events: Ir
thread: 1

fn=main
1 10
cfn=work
calls=1 1
1 35
fn=work
1 30
cfn=leaf
calls=1 1
1 5
fn=leaf
1 5

part: 1
thread: 2
events: Ir

fn=work
1 60
cfn=leaf
calls=2 1
1 10
fn=leaf
1 10
"""
# as Callgrind records it: the starting function is left before the thread has run
CLONE = """
    main 10 -> create 1x54
    create 18 -> clone 2x36
    clone 50 -> thread 2x3700
    thread 700 -> work 9x3000
    work 3000
    """


def program_tree(queries: ProfileQueries, scope: Scope = CYCLES, **options: int) -> FrameTree:
    """All frames of the whole program, in the first event."""
    calls = queries.program_calls(queries.events.measured[0], scope)
    return build_frame_tree(calls, calls.program_roots(), min_share=0, **options)


def lines(queries: ProfileQueries, tree: FrameTree, scope: Scope = CYCLES) -> list[str]:
    """A line per frame, indented by depth; ~ marks an estimate."""
    names = [*node_names(queries, scope), "(not attributed)", "(other callers)", "*"]

    def walk(frame: int) -> Iterator[int]:
        yield frame
        for child in tree.children_of(frame):
            yield from walk(child)

    return [
        f"{'  ' * int(tree.depth[frame])}{names[tree.node[frame]]} "
        f"{'' if tree.is_exact[frame] else '~'}{tree.cost[frame]}"
        for frame in walk(0)
    ]


# ---------------------------------------------------------------- hand-computed


def test_a_thread_that_begins_with_a_called_function_is_drawn(tmp_path: Path) -> None:
    """work is called by main in one thread and begins another: it is below main, and a root."""
    path = tmp_path / "callgrind.out.1"
    path.write_text(THREADS, encoding="utf-8")
    queries = ProfileQueries(load(path))

    assert lines(queries, program_tree(queries)) == [
        "* 115",
        "  work 70",
        "    leaf ~10",
        "  main 45",
        "    work 35",
        "      leaf ~5",
    ]


def test_what_exceeds_its_caller_has_a_box() -> None:
    """Of clone's 3750 its caller has 36; the others are below other callers, with the thread."""
    queries = queries_from(CLONE)
    got = lines(queries, program_tree(queries))

    assert got == [
        "* 3778",
        "  (other callers) 3714",
        "    clone 3714",
        "      thread ~3664",
        "        work ~2971",
        "  main 64",
        "    create 54",
        "      clone 36",
        "        thread ~36",
        "          work ~29",
    ]
    assert sum((10, 18, 50, 700, 3000)) == 3778


def test_a_function_that_exceeds_its_caller_shows_what_it_calls() -> None:
    """As the active function, clone has its calls in full, and so have those above the thread."""
    queries = queries_from(CLONE)
    calls = queries.accounted_calls(queries.events.measured[0], CYCLES)
    names = node_names(queries, CYCLES)
    down = build_frame_tree(calls, [names.index("clone")], min_share=0)
    up = build_frame_tree(calls, [names.index("thread")], min_share=0, up=True)

    assert lines(queries, down) == ["clone 3750", "  thread 3700", "    work 3000"]
    assert lines(queries, up) == [
        "thread 3700",
        "  clone 3700",
        "    (other callers) ~3664",
        "    create ~36",
        "      main ~36",
    ]


def test_costs_within_the_recorded_total_are_not_attributed() -> None:
    """Of a call that ended the program, only a part is in a function; `summary:` has all of it."""
    text = "events: Ir\nsummary: 110\n\nfn=main\n1 10\ncfn=exit\ncalls=1 1\n1 90\n\nfn=exit\n1 60\n"
    queries = ProfileQueries(profile_from(text))

    assert lines(queries, program_tree(queries)) == [
        "* 110",
        "  main 100",
        "    exit 90",
        "      (not attributed) 30",
        "  (not attributed) 10",
    ]


def test_calls_are_reduced_to_fit_the_total() -> None:
    """Without a recorded total that has room for it, a program costs what its functions do."""
    queries = queries_from("main 10 -> wait 1x90, run 1x20\nwait 60\nrun 20")

    assert lines(queries, program_tree(queries)) == ["main ~90", "  wait ~60", "  run 20"]
    calls = queries.accounted_calls(queries.events.measured[0], CYCLES)
    active = build_frame_tree(calls, [0], min_share=0)
    assert lines(queries, active) == [
        "main 120",
        "  wait 90",
        "    (not attributed) 30",
        "  run 20",
    ]


def test_calls_that_cost_more_than_their_callee_are_divided() -> None:
    """The 7 of leaf are divided as 10 to 10 and 1, in whole numbers that add up."""
    text = "events: Ir\n\nfn=main\n1 5\n" + "".join(
        f"cfn={name}\ncalls=0 1\n1 {cost}\n" for name, cost in (("a", 10), ("b", 11))
    )
    for name, cost in (("a", 10), ("b", 1), ("c", 10)):
        text += f"\nfn={name}\n1 1\ncfn=leaf\ncalls=0 1\n1 {cost}\n"
    queries = ProfileQueries(profile_from(f"{text}\nfn=leaf\n1 7\n"))
    calls = queries.program_calls(queries.events.measured[0], CYCLES)
    names = node_names(queries, CYCLES)
    shape = calls.graph.adjacency
    to_leaf = {
        names[caller]: cost
        for caller, callee, cost in zip(
            shape.caller.tolist(), shape.callee.tolist(), calls.graph.cost.tolist(), strict=True
        )
        if names[callee] == "leaf"
    }

    assert sum(to_leaf.values()) == 7
    for name, recorded in (("a", 10), ("b", 1), ("c", 10)):
        assert abs(to_leaf[name] - 7 * recorded / 21) < 1
    assert calls.accounted == 5 + 1 + 1 + 1 + 7


def test_less_inclusive_than_self_cost_has_no_negative_width() -> None:
    """A writer's fault: f is called for 5 and costs 30 itself, the rest of which nobody called."""
    queries = queries_from("main 1 -> f 1x5\nf 30")

    assert lines(queries, program_tree(queries)) == [
        "* 31",
        "  (other callers) 25",
        "    f 25",
        "  main 6",
        "    f 5",
    ]


def test_a_circle_that_nobody_calls_is_there_without_cycle_detection() -> None:
    """a begins and calls b, which calls it back: the first call of a has no caller."""
    queries = queries_from("a 30 -> b 1x80\nb 70 -> a 1x10")

    assert lines(queries, program_tree(queries, NO_CYCLES), NO_CYCLES) == [
        "* 100",
        "  (other callers) 100",
        "    a 100",
        "      b ~73",
        "        a ~9",
    ]


def test_the_figure_of_what_is_not_drawn() -> None:
    """The calls that are left out of main cost 9 and 1 by themselves, with that below them."""
    queries = queries_from("main 0 -> a 1x90, b 1x9, c 1x1\na 90\nb 4 -> d 1x5\nc 1\nd 5")
    calls = queries.program_calls(queries.events.measured[0], CYCLES)
    tree = build_frame_tree(calls, calls.program_roots(), min_share=0.1)

    assert lines(queries, tree) == ["main 100", "  a 90"]
    assert (tree.omitted_calls, tree.new.omitted_cost) == (2, 10)


def test_a_filter_leaves_out_what_no_function_has() -> None:
    """What is filtered is a figure of its own, and not part of what is too small."""
    queries = queries_from(CLONE)
    calls = queries.program_calls(queries.events.measured[0], CYCLES)
    visible = np.array([name == "create" for name in node_names(queries, CYCLES)])
    tree = build_frame_tree(calls, calls.program_roots(), min_share=0, visible=visible)

    assert lines(queries, tree) == [
        "* 3778",
        "  (other callers) 3714",
        "  main 64",
        "    create 54",
    ]
    assert (tree.new.omitted_cost, tree.filtered_calls) == (0, 2)


# ---------------------------------------------------------------- everything is there


def assert_accounted(calls: AccountedCalls, total: int, *, circles: bool = False) -> None:
    """Each node has what is inside of it and comes from somewhere; all is the total."""
    graph, functions = calls.graph, calls.functions
    shape, own = graph.adjacency, graph.self_cost.copy()
    own[functions:] = 0
    assert (graph.cost >= 0).all()
    inside, received = own + calls.missing, np.zeros_like(own)
    np.add.at(inside, shape.caller, graph.cost)
    np.add.at(received, shape.callee, graph.cost)
    assert inside.tolist() == graph.inclusive.tolist()
    assert (received + calls.begun + calls.excess).tolist() == graph.inclusive.tolist()
    assert min((*calls.begun.tolist(), *calls.excess.tolist(), *calls.missing.tolist(), 0)) == 0
    whole = calls.accounted + calls.remainder
    assert whole == total or (circles and whole > total)
    assert whole == int(own.sum()) + calls.not_attributed
    assert reached(calls)[own > 0].all()


def reached(calls: AccountedCalls) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which nodes are below the roots: shape (nodes,)."""
    found = ((calls.begun > 0) | (calls.excess > 0)).astype(bool)
    ends = calls.ends(up=False)
    is_call = (ends.near >= 0) & (ends.far >= 0) & (ends.cost > 0).astype(bool)
    near, far = ends.near[is_call], ends.far[is_call]
    while not found[far[found[near]]].all():
        found[far[found[near]]] = True
    return found


def assert_drawn(tree: FrameTree) -> None:
    """Boxes by themselves and what is not drawn add up; each box is as wide as it must be."""
    own = float(tree.self_width.sum()) - tree.new.omitted_cost
    whole = float(tree.width[0])
    assert own >= -1e-6 * whole
    assert (tree.width >= tree.min_width).all()
    sums = np.zeros(len(tree))
    np.add.at(sums, tree.parent[1:], tree.width[1:])
    assert (sums <= tree.width * (1 + 1e-9)).all()


def assert_limit(queries: ProfileQueries, scope: Scope) -> None:
    """The boxes of a picture are all of those at or above its limit, and costs of the others."""
    calls = queries.program_calls(queries.events.measured[0], scope)
    roots = calls.program_roots()
    more = build_frame_tree(calls, roots, min_share=1e-4, max_frames=200_000, max_depth=30)
    few = build_frame_tree(calls, roots, min_share=1e-3, max_depth=30)
    if not len(few):
        return
    wide = more.width >= few.min_width
    assert few.node.tolist() == more.node[wide].tolist()
    assert few.cost.tolist() == more.cost[wide].tolist()
    parents = more.parent[1:][~wide[1:] & wide[more.parent[1:]]]
    cut = more.width[1:][~wide[1:] & wide[more.parent[1:]]].sum() if len(parents) else 0.0
    inner = more.width[1:][wide[1:]].sum()
    assert few.width[1:].sum() == pytest.approx(inner)
    assert few.new.omitted_cost >= cut - 1e-6 * float(few.width[0])
    for tree in (few, more):
        assert_drawn(tree)


def assert_whole(queries: ProfileQueries) -> None:
    """All of this holds in the first events, with and without cycle detection."""
    for event in queries.events.measured[:3]:
        costs = queries.self_cost(event, CYCLES)
        if (costs < 0).any() or (queries.call_graph(event, CYCLES).cost < 0).any():
            continue  # memory that is given back has no box
        total = int(queries.total(event, None).base)
        assert_accounted(queries.program_calls(event, CYCLES), total)
        assert_accounted(queries.program_calls(event, NO_CYCLES), total, circles=True)


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_real_programs_are_whole(path: Path) -> None:
    """Each function with cost is below the roots, which add up to the total of the program."""
    queries = ProfileQueries(load(path))
    assert_whole(queries)
    assert_limit(queries, CYCLES)


@settings(max_examples=100, deadline=None)
@given(contradictory_programs(7))
def test_contradictory_programs_are_whole(drawing: str) -> None:
    """Whatever a writer records, nothing has a negative width, and all is the total."""
    queries = queries_from(drawing)
    assert_whole(queries)
    for scope in (CYCLES, NO_CYCLES):
        tree = program_tree(queries, scope, max_depth=6)
        if len(tree):
            assert_drawn(tree)


@settings(max_examples=80, deadline=None)
@given(contradictory_programs(7))
def test_frames_hold_the_self_cost_of_each_function(drawing: str) -> None:
    """With cycles detected, what frames of a function have by themselves is its self cost."""
    queries = queries_from(drawing)
    tree = program_tree(queries)
    nodes = len(node_names(queries, CYCLES))
    found = np.zeros(nodes)
    is_node = tree.node >= 0
    np.add.at(found, tree.node[is_node], tree.self_width[is_node])
    expected = queries.self_cost(queries.events.measured[0], CYCLES)[:nodes].astype(float)
    expected[queries.function_count :] = 0
    assert found.tolist() == pytest.approx(expected.tolist(), abs=1e-6)


def test_other_callers_are_one_box() -> None:
    """However many functions exceed their callers, they share a box."""
    drawing = "main 1 -> a 1x1, b 1x1\na 10\nb 20"
    tree = program_tree(queries_from(drawing))
    assert (tree.node == OTHER_CALLERS).sum() == 1


# ---------------------------------------------------------------- all that unfold it


def assert_unfolded(queries: ProfileQueries) -> None:
    """Call tree, stacks and the page of a program have the total, and each function with cost."""
    event, functions = queries.events.measured[0], queries.function_count
    total = int(queries.total(event, None).base)
    own = queries.self_cost(event, CYCLES)[:functions]
    if (own < 0).any() or (queries.call_graph(event, CYCLES).cost < 0).any() or total <= 0:
        return
    report = stack_report(queries, event, CYCLES)
    spent = np.zeros(functions, np.int64)
    for path, cost in report.paths():
        if path[-1] >= 0:
            spent[path[-1]] += cost
    assert (report.total, spent.tolist()) == (total, own.tolist())

    flame = flame_graph(queries, event, Scope(), None, NoProgress())
    if flame is not None:
        ((_, width),) = flame.places
        top = [place for place, parent in enumerate(flame.parent) if parent == 0]
        whole = flame.tips[0].replace("≈\N{THIN SPACE}", "")
        assert f" – {format_count(int(total))}" in whole
        assert sum(float(width[place]) for place in top) <= 1 + 1e-9

    calls = queries.program_calls(event, CYCLES)
    tree = CallBranches(calls, None, up=False)
    waiting, seen = [tree.root(NO_NODE)], set[int]()
    assert not calls.accounted or waiting[0].cost == total
    while waiting:
        branch = waiting.pop()
        below, further = tree.below(branch, 0, 100_000)
        self_cost, _ = tree.self_cost(branch)
        if branch.function >= functions:
            self_cost = 0  # of a cycle: its members have it
        assert further == 0
        if below:
            inside = (self_cost or 0) + sum(each.cost for each in below)
            assert inside == pytest.approx(branch.cost, rel=1e-6, abs=1e-3)
        waiting += [each for each in below if each.function not in seen]
        seen |= {each.function for each in below}
    assert set(np.flatnonzero(own).tolist()) <= seen or not calls.accounted


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_all_that_unfolds_a_program_has_all_of_it(path: Path) -> None:
    """Stacks, page and call tree have each function, and add up."""
    assert_unfolded(ProfileQueries(load(path)))


@settings(max_examples=80, deadline=None)
@given(contradictory_programs(7))
def test_all_that_unfolds_a_contradictory_program_has_all_of_it(drawing: str) -> None:
    """The same, whatever a writer records."""
    assert_unfolded(queries_from(drawing))


@pytest.mark.parametrize("names", ["sort-plain sort-digits", "clones-O2 clones-O3"])
def test_both_sides_of_a_comparison_are_whole(names: str) -> None:
    """The first frame has the total of each side, and so have the frames inside it."""
    base, new = (DATA / f"comparison/callgrind.out.{name}.xz" for name in names.split())
    compared = compare(load(base), load(new))
    queries, event, sides = compared.queries, compared.events[0], []
    for scope in (compared.base, compared.new):
        calls = queries.program_calls(event, scope)
        sides.append((calls, calls.program_roots()))
    tree = build_frame_tree(*sides[1], base=sides[0], min_share=0)
    for side, scope in ((tree.base, compared.base), (tree.new, compared.new)):
        inside = side.cost[tree.parent == 0].sum()
        total = queries.total(event, scope.parts).base
        assert side.cost[0] == total
        assert inside == total or tree.node[0] >= 0
