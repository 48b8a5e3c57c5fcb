"""Which functions, cycles and calls were only active when the profile was written."""

from __future__ import annotations

from pathlib import Path

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import NodeId, PartId
from tests.profile_rows import DATA
from tests.profile_text import WHOLE_SCOPE, profile_text, queries_for

PARTS = (
    """
    pid: 7
    part: 1
    main 10 -> loop 0x90, done 2x14
    loop 20 -> work 0x70
    work 70
    done 14
    """,
    """
    pid: 7
    part: 2
    main 10 -> loop 1x90
    loop 20 -> work 0x70
    work 70
    """,
)
CYCLE = """
    main 1 -> a 0x55, done 1x3
    a 10 -> b 3x50
    b 20 -> a 0x25
    done 3
    """
WITHOUT_COUNTS = DATA / "pprof-heap/callgrind.out.heap-alloc"


def two_parts(folder: Path) -> ProfileQueries:
    path = folder / "callgrind.out.7"
    path.write_text("\n".join(map(profile_text, PARTS)))
    return ProfileQueries(load(path))


def called(queries: ProfileQueries, scope: Scope = WHOLE_SCOPE) -> dict[str, int | str]:
    """The called count of each function and cycle, or that it was active only."""
    costs, labels = queries.costs(scope), queries.labels(scope)
    return {
        labels.name(NodeId(node)): "active" if is_active else count
        for node, (count, is_active) in enumerate(
            zip(costs.called.tolist(), costs.is_active.tolist(), strict=True)
        )
    }


def test_functions_that_had_not_returned_are_active(tmp_path: Path) -> None:
    """A function that nobody called has 0; one returned call is enough for a count."""
    queries = two_parts(tmp_path)

    assert called(queries) == {"main": 0, "loop": 1, "work": "active", "done": 2}
    first = Scope(parts=frozenset({PartId(0)}))
    assert called(queries, first) == {"main": 0, "loop": "active", "work": "active", "done": 2}
    second = Scope(parts=frozenset({PartId(1)}))
    assert called(queries, second) == {"main": 0, "loop": 1, "work": "active", "done": 0}


def test_parts_have_their_own_active_calls(tmp_path: Path) -> None:
    """A function may have returned in one part and be active in another."""
    queries = two_parts(tmp_path)
    loop, done = (queries.names.with_name(name)[0] for name in ("loop", "done"))

    assert queries.part_costs(loop, WHOLE_SCOPE).is_active.tolist() == [True, False]
    assert queries.part_costs(done, WHOLE_SCOPE).is_active.tolist() == [False, False]


def test_cycles_are_active_by_calls_from_outside(tmp_path: Path) -> None:
    """Calls among members do not count for the cycle; those to its members are no calls."""
    queries = queries_for(tmp_path, CYCLE)
    cycle = NodeId(queries.function_count)

    assert called(queries) == {
        "main": 0,
        "a <cycle 1>": "active",
        "b <cycle 1>": 3,
        "done": 1,
        "<cycle 1>": "active",
    }
    assert queries.part_costs(cycle, WHOLE_SCOPE).is_active.tolist() == [True]
    assert queries.callers(cycle, WHOLE_SCOPE).is_active.tolist() == [True]
    assert queries.callees(cycle, WHOLE_SCOPE).is_active.tolist() == [False, False]


def test_edges_from_a_cycle_to_its_members_are_not_active(tmp_path: Path) -> None:
    """In the call graph, they have no count, because they are no calls."""
    queries = queries_for(tmp_path, CYCLE)
    shape = queries.call_graph(queries.events.all[0], WHOLE_SCOPE).adjacency
    labels = queries.labels(WHOLE_SCOPE)
    edges = zip(shape.caller.tolist(), shape.callee.tolist(), shape.is_active.tolist(), strict=True)

    assert {(labels.name(a), labels.name(b)): active for a, b, active in edges} == {
        ("main", "<cycle 1>"): True,
        ("main", "done"): False,
        ("<cycle 1>", "a <cycle 1>"): False,
        ("<cycle 1>", "b <cycle 1>"): False,
    }


def test_callgrind_counts_calls_even_if_all_are_active(tmp_path: Path) -> None:
    """Other writers without any count do not count."""
    drawing = "main 10 -> loop 0x90\nloop 90"

    assert called(queries_for(tmp_path, drawing)) == {"main": 0, "loop": 0}
    by_callgrind = queries_for(tmp_path, f"creator: callgrind-3.19.0\n{drawing}")
    assert called(by_callgrind) == {"main": 0, "loop": "active"}


def test_without_counts_nothing_is_active() -> None:
    """Some writers count no calls, and write 0 for all of them."""
    queries = ProfileQueries(load(WITHOUT_COUNTS))

    assert len(queries.call_edges(WHOLE_SCOPE)) > 10
    assert not queries.call_edges(WHOLE_SCOPE).count.any()
    assert not queries.call_edges(WHOLE_SCOPE).has_counts
    assert not queries.costs(WHOLE_SCOPE).is_active.any()
