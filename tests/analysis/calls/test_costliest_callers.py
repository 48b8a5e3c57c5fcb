"""The chain of costliest callers above a function, as tips name it."""

from __future__ import annotations

from pathlib import Path

from qcachegrind_py.analysis.calls.call_graph import costliest_callers
from qcachegrind_py.analysis.costs.scope import Scope
from tests.profile_text import WHOLE_SCOPE, event_named, queries_for

DRAWING = """
    events: Ir Dr
    main 1,1 -> a 1x60,1, b 9x30,90
    a 1,1 -> b 1x40,1, leaf 1x5,1
    b 1,1 -> leaf 3x50,50
    leaf 55,51
    """
ROUND = """
    main 1 -> start 1x60
    start 1 -> f 2x55
    f 10 -> g 3x50, leaf 1x5
    g 20 -> f 1x25, leaf 1x20
    leaf 25
    """


def chain(
    folder: Path, drawing: str, name: str, most: int = 3, *, event: str = "Ir", scope: Scope
) -> list[str]:
    """The names of the costliest callers of a function or cycle, from below."""
    queries = queries_for(folder, drawing)
    labels, kind = queries.labels(scope), event_named(queries, event)
    names = [labels.name(node) for node in range(len(labels))]
    found = costliest_callers(
        names.index(name),
        lambda node: queries.callers(node, scope),
        lambda calls: calls.cost(queries.events, kind),
        lambda node: queries.cycle_of(node, scope),
        most,
    )
    return [names[node] for node in found]


def test_each_is_the_costliest_caller_of_the_one_before(tmp_path: Path) -> None:
    """The event decides, and the chain ends at a root or when it is long enough."""
    assert chain(tmp_path, DRAWING, "leaf", scope=WHOLE_SCOPE) == ["b", "a", "main"]
    assert chain(tmp_path, DRAWING, "leaf", 2, scope=WHOLE_SCOPE) == ["b", "a"]
    assert chain(tmp_path, DRAWING, "leaf", event="Dr", scope=WHOLE_SCOPE) == ["b", "main"]
    assert chain(tmp_path, DRAWING, "main", scope=WHOLE_SCOPE) == []


def test_members_of_a_cycle_are_called_by_it(tmp_path: Path) -> None:
    """Calls inside a cycle have no cost; the cycle is called from outside."""
    inner, entered = (
        chain(tmp_path, ROUND, name, scope=WHOLE_SCOPE) for name in ("g <cycle 1>", "f <cycle 1>")
    )
    assert (inner, entered) == (["<cycle 1>", "start", "main"], ["start", "main"])


def test_recursion_does_not_repeat_a_function(tmp_path: Path) -> None:
    """Without detection of cycles a function is named once, and the chain goes on outside."""
    assert chain(tmp_path, ROUND, "g", scope=Scope(cycles=False)) == ["f", "start", "main"]
    recursive = "main 1 -> f 1x50\nf 50 -> f 9x400"
    assert chain(tmp_path, recursive, "f", scope=WHOLE_SCOPE) == ["main"]
