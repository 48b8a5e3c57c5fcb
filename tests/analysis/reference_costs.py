"""Self and inclusive costs, call counts and cycles of a reading, computed in the simplest way.

This is the reference for the fast computation, as the reference reader is for the scanner. The
definitions are KCachegrind's, with two corrections: a cycle is any strongly connected component of
two or more functions, and a function that only calls itself counts as a root.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from tests.formats.callgrind.reference_reader import CallRow, Function, Reading

Costs = list[int]


@dataclass
class FunctionCosts:
    """Sums over parts; `cycle` is 0 or the number of the cycle, counted from 1."""

    self_costs: Costs
    inclusive: Costs
    called: int = 0
    cycle: int = 0


def function_costs(reading: Reading, *, with_cycles: bool) -> dict[Function, FunctionCosts]:
    """The costs of each function that has costs or calls or is called; those with costs first."""
    found = _functions_without_costs(reading)
    for number, cycle in enumerate(cycles(reading) if with_cycles else [], start=1):
        for function in cycle:
            found[function].cycle = number
    for cost in reading.costs:
        _add(found[cost.function].self_costs, cost.costs)
    for call in reading.calls:
        found[call.callee].called += call.call_count
    for part in range(len(reading.parts)):
        _add_inclusive_costs_of_part(reading, part, found)
    return found


def cycles(reading: Reading) -> list[set[Function]]:
    """The strongly connected components of two or more functions, over the calls of all parts."""
    callees: dict[Function, set[Function]] = defaultdict(set)
    callers: dict[Function, set[Function]] = defaultdict(set)
    for call in reading.calls:
        callees[call.caller].add(call.callee)
        callers[call.callee].add(call.caller)
    unvisited = dict.fromkeys(_functions_without_costs(reading))
    finished = [f for root in list(unvisited) for f in _finished_from(root, callees, unvisited)]
    unvisited = dict.fromkeys(finished)
    components = [set(_finished_from(f, callers, unvisited)) for f in reversed(finished)]
    return [component for component in components if len(component) > 1]


def _finished_from(
    root: Function, neighbours: dict[Function, set[Function]], unvisited: dict[Function, None]
) -> list[Function]:
    """The unvisited nodes of a depth-first walk from the root, in order of completion."""
    if root not in unvisited:
        return []
    del unvisited[root]
    finished: list[Function] = []
    path = [(root, iter(neighbours[root]))]
    while path:
        function, rest = path[-1]
        following = next((n for n in rest if n in unvisited), None)
        if following is None:
            path.pop()
            finished.append(function)
        else:
            del unvisited[following]
            path.append((following, iter(neighbours[following])))
    return finished


def _functions_without_costs(reading: Reading) -> dict[Function, FunctionCosts]:
    width = len(reading.events)
    functions: list[Function] = [cost.function for cost in reading.costs]
    for call in reading.calls:
        functions += [call.caller, call.callee]
    return {f: FunctionCosts([0] * width, [0] * width) for f in functions}


def _add_inclusive_costs_of_part(
    reading: Reading, part: int, found: dict[Function, FunctionCosts]
) -> None:
    self_costs: dict[Function, Costs] = defaultdict(lambda: [0] * len(reading.events))
    incoming: dict[Function, list[CallRow]] = defaultdict(list)
    outgoing: dict[Function, list[CallRow]] = defaultdict(list)
    for cost in reading.costs:
        if cost.part == part:
            _add(self_costs[cost.function], cost.costs)
    for call in reading.calls:
        if call.part == part:
            incoming[call.callee].append(call)
            outgoing[call.caller].append(call)
    for function, costs in found.items():
        own_cycle = costs.cycle
        from_others = [c for c in incoming[function] if c.caller != function]
        to_others = [c for c in outgoing[function] if c.callee != function]
        if own_cycle:
            leaving = [c for c in to_others if found[c.callee].cycle != own_cycle]
            _add_all(costs.inclusive, [self_costs[function], *(c.costs for c in leaving)])
        elif from_others and sum(c.call_count for c in incoming[function]) > 0:
            _add_all(costs.inclusive, [c.costs for c in from_others])
        else:
            _add_all(costs.inclusive, [self_costs[function], *(c.costs for c in to_others)])


def _add_all(total: Costs, costs: Iterable[Iterable[int]]) -> None:
    for more in costs:
        _add(total, more)


def _add(total: Costs, more: Iterable[int]) -> None:
    for column, cost in enumerate(more):
        total[column] += cost
