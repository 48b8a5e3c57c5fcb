"""Why an inclusive cost is above 100 %: one cause is told from the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.numbers import ExcessCause, excess_cause
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import NodeId, PartId
from tests.known_stacks import KnownStack, profile_of
from tests.profile_text import event_named

WHOLE, WITHOUT_CYCLES = Scope(None), Scope(None, cycles=False)
A = NodeId(1)

CauseOf = Callable[..., ExcessCause]  # of a profile as text, a node, and a scope


@pytest.fixture
def cause_of(tmp_path: Path) -> CauseOf:
    """A function for the cause of a node's excess in a profile given as text."""

    def cause(text: str, node: NodeId, scope: Scope = WHOLE) -> ExcessCause:
        path = tmp_path / "callgrind.out.1"
        path.write_text(text)
        queries = ProfileQueries(load(path))
        event = event_named(queries, "Ir")
        total = queries.total(event, scope.parts)
        assert queries.node_costs(node, event, scope)[0] > total.counted
        return excess_cause(queries, node, event, scope)

    return cause


def _cycle(cost: int) -> str:
    """main calls a, which calls b five times; b calls a four times, at this cost."""
    return (
        "events: Ir\nfn=main\n1 10\ncfn=a\ncalls=1 1\n1 90\n"
        "fn=a\n1 45\ncfn=b\ncalls=5 1\n1 80\n"
        f"fn=b\n1 45\ncfn=a\ncalls=4 1\n1 {cost}\n"
    )


def test_recursion_is_the_cause_only_where_cycles_are_not_detected(cause_of: CauseOf) -> None:
    """Five calls of 100 at most cost 500: up to there it is recursion, beyond a wrong counter."""
    assert cause_of(_cycle(410), A, WITHOUT_CYCLES) is ExcessCause.NESTED
    assert cause_of(_cycle(411), A, WITHOUT_CYCLES) is ExcessCause.WRONG


def test_running_calls_leave_the_depth_of_recursion_open(cause_of: CauseOf) -> None:
    """A count of 0 may be of any number of calls, so that no cost is impossible."""
    text = _cycle(10**6).replace("calls=4 1", "calls=0 1")
    assert cause_of(text, A, WITHOUT_CYCLES) is ExcessCause.NESTED


def test_calls_that_do_not_overlap_cannot_exceed_the_total(cause_of: CauseOf) -> None:
    """Outside of cycles many calls explain no excess; direct recursion does not count."""
    text = (
        "events: Ir\nfn=main\n1 10\ncfn=fib\ncalls=3 1\n1 250\n"
        "fn=fib\n1 90\ncfn=fib\ncalls=2 1\n1 999\n"
    )
    assert [cause_of(text, A, scope) for scope in (WHOLE, WITHOUT_CYCLES)] == [
        ExcessCause.WRONG,
        ExcessCause.WRONG,
    ]


def test_costs_of_parts_that_are_not_selected_explain_an_excess(cause_of: CauseOf) -> None:
    """Only while the cost fits into the total of all parts."""
    text = (
        "events: Ir\npid: 1\npart: 1\nfn=main\n1 10\nfn=a\n1 50\n"
        "pid: 1\npart: 2\nfn=main\n1 5\ncfn=a\ncalls=1 1\n1 {}\nfn=a\n1 20\n"
    )
    second = Scope(frozenset((PartId(1),)))
    assert cause_of(text.format(85), A, second) is ExcessCause.OTHER_PARTS
    assert cause_of(text.format(86), A, second) is ExcessCause.WRONG


def test_costs_of_no_function_explain_an_excess_over_self_costs(cause_of: CauseOf) -> None:
    """Percentages may be of the self costs, though a larger total was recorded."""
    text = "events: Ir\nsummary: 200\nfn=main\n1 10\ncfn=a\ncalls=1 1\n1 150\nfn=a\n1 90\n"
    assert cause_of(text, A) is ExcessCause.UNATTRIBUTED


def test_members_of_a_detected_cycle_have_no_nested_calls(cause_of: CauseOf) -> None:
    """A member costs itself and the calls that leave the cycle, and these do not overlap."""
    text = _cycle(70).replace("\nfn=b\n", "\ncfn=c\ncalls=1 1\n1 300\nfn=b\n")
    assert cause_of(text, A) is ExcessCause.WRONG


def test_stacks_exceed_the_total_only_where_memory_is_freed() -> None:
    """Each of them counts once, so that negative costs of others alone explain an excess."""
    stacks = KnownStack(0, ("a", "b"), (9, 0)), KnownStack(0, ("a", "c"), (-4, 0))
    queries = ProfileQueries(profile_of(stacks))
    event, b = queries.events.measured[0], NodeId(1)
    assert queries.node_costs(b, event, WHOLE)[0] > queries.total(event, None).counted
    assert excess_cause(queries, b, event, WHOLE) is ExcessCause.NEGATIVE
