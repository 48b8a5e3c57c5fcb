"""Recursive calls: lines and instructions do not count their cost twice."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.code.annotated_function import annotate_instructions, annotate_lines
from qcachegrind_py.analysis.code.instructions import NO_CODE
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.code_instructions import instruction_rows
from qcachegrind_py.present.code_lines import source_rows
from qcachegrind_py.present.code_records import CodeRows, EventCosts, event_costs
from tests.code_view_text import RECUR


def of_sites(rows: CodeRows, costs: EventCosts) -> int:
    """The cost of all lines or instructions, including calls."""
    return int(costs.inclusive.new[rows.records.record_of_location].sum())


@pytest.mark.slow
@pytest.mark.parametrize("scope", [Scope(), Scope(cycles=False)], ids=["cycles", "no cycles"])
def test_lines_cost_no_more_than_their_function(scope: Scope) -> None:
    """A function's lines cost as much as the function, with calls that leave it or its cycle.

    So do its instructions; the sum never exceeds the function's own cost.
    """
    queries = ProfileQueries(load(RECUR))
    profile, costs, labels = queries.profile, queries.costs(scope), queries.labels(scope)
    events, event = queries.events, profile.events.measured[0]
    count, calls = len(profile.functions), profile.calls  # behind the functions are cycles
    rows = zip(calls.caller.tolist(), calls.callee.tolist(), calls.values[0].tolist(), strict=True)
    wanted, led_back = costs.self_cost[0, :count].copy(), 0
    for caller, callee, cost in rows:
        same_cycle = costs.cycle[caller] and costs.cycle[caller] == costs.cycle[callee]
        stays = caller == callee or same_cycle
        wanted[caller] += 0 if stays else cost
        led_back += stays
    found, marked = [], 0
    for function in range(count):
        file = int(profile.functions.file[function])
        lines, code = queries.lines(function, None), queries.instructions(function, None)
        by_line = annotate_lines(profile, function, lines, costs.cycle, {})
        of_lines = source_rows(by_line, file, labels, 0)
        marked += int(by_line.costs.within_cycle.sum())
        by_address = annotate_instructions(profile, function, code, costs.cycle, NO_CODE)
        of_code = instruction_rows(by_address, (), labels, 0)
        both = (of_sites(rows, event_costs(rows, events, event)) for rows in (of_lines, of_code))
        found.append(tuple(both))

    assert found == [(cost, cost) for cost in wanted.tolist()]
    assert (wanted <= costs.inclusive[0, :count]).all()
    assert led_back > 3
    assert marked > 3
