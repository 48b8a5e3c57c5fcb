"""All calls around a function of a profile, worked out with dictionaries, call by call.

This guards the fast computation. The rules are those of `qcachegrind_py.analysis`: what reached a
place is handed on in proportion, until less than a ten thousandth is left; a call has as much of
its recorded cost as the place it hangs on has of its own.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from tests.analysis.reference_costs import function_costs
from tests.formats.callgrind.reference_reader import Function, Reading

NodeKey = Function | frozenset[Function]
"""A function, or a cycle as its members."""
Ends = tuple[NodeKey, NodeKey]


@dataclass
class ReferenceCall:
    """A call with the place of whose cost it has a part, and whether that is above."""

    recorded: int
    share: float
    hangs_on: NodeKey
    is_up: bool
    is_inner: bool

    @property
    def cost(self) -> float:
        return self.recorded * self.share

    def far(self, ends: Ends) -> NodeKey:
        """The end away from the active function."""
        return ends[0] if self.is_up else ends[1]


class ReferenceProfile:
    """Costs and calls of a profile in dictionaries."""

    def __init__(self, reading: Reading) -> None:
        costs = function_costs(reading, with_cycles=True)
        members: dict[int, set[Function]] = defaultdict(set)
        for function, known in costs.items():
            members[known.cycle].add(function)
        self.cycle = {f: frozenset(members[c.cycle]) for f, c in costs.items() if c.cycle}
        self.inclusive: dict[NodeKey, int] = {f: c.inclusive[0] for f, c in costs.items()}
        for cycle in set(self.cycle.values()):
            self.inclusive[cycle] = sum(self.inclusive[f] for f in cycle)
        self.calls: dict[tuple[Function, Function], int] = defaultdict(int)
        for call in reading.calls:
            if call.caller != call.callee:
                self.calls[call.caller, call.callee] += call.costs[0]

    def is_inside(self, caller: NodeKey, callee: NodeKey) -> bool:
        return caller in self.cycle and self.cycle[caller] == self.cycle.get(callee)

    def flow_from(self, active: NodeKey, *, up: bool) -> tuple[dict[NodeKey, float], set[NodeKey]]:
        """What passed by each place, and which places are one call away and on no other way.

        Over calls into a cycle, and over one from a cycle to each of its members.
        """
        edges: dict[Ends, int] = defaultdict(int)
        for (caller, callee), cost in self.calls.items():
            if not self.is_inside(caller, callee):
                edges[caller, self.cycle.get(callee, callee)] += cost
        edges |= {(cycle, f): self.inclusive[f] for f, cycle in self.cycle.items()}
        onward: dict[NodeKey, list[tuple[NodeKey, int]]] = defaultdict(list)
        for (caller, callee), cost in edges.items():
            onward[callee if up else caller].append((caller if up else callee, cost))
        whole, distance = self.inclusive[active], 0
        here, passed, farthest = {active: float(whole)}, defaultdict(float), {}
        while here:
            there: dict[NodeKey, float] = defaultdict(float)
            for place, share in here.items():
                for other, cost in onward[place] if self.inclusive[place] > 0 else ():
                    there[other] += cost * share / self.inclusive[place]
            enough = max(whole / 10_000, 1e-300)
            here = {place: c for place, c in there.items() if place != active and c >= enough}
            distance += 1
            for place, cost in here.items():
                passed[place] = min(passed[place] + cost, whole)
                farthest[place] = distance
        return passed, {place for place, far in farthest.items() if far == 1}


class ReferenceSubgraph:
    """What there is around a function or cycle, call by call; drawn or not."""

    def __init__(self, profile: ReferenceProfile, active: NodeKey, opened: set[NodeKey]) -> None:
        self.profile, self.active = profile, active
        self.opened = {f: cycle for f, cycle in profile.cycle.items() if cycle in opened}
        self.starts = {active, *(f for f in self.opened if self.opened[f] == active)}
        self.passed: list[dict[NodeKey, float]] = []  # below, above
        self.exact: list[set[NodeKey]] = []
        for up in (False, True):
            passed, exact = profile.flow_from(active, up=up)
            exact |= {p for p, cost in passed.items() if abs(cost - self.whole(p)) < cost / 1e9}
            self.passed.append(passed | {f: float(self.whole(f)) for f in self.starts})
            self.exact.append(exact | self.starts)
        above = self.passed[1]
        for function, cycle in self.opened.items():
            if cycle in above and function not in self.starts:
                least = self.whole(function) * above[cycle] / self.whole(cycle)
                above[function] = max(above.get(function, 0), least)
                self.exact[1].discard(function)
        calls = {ends: self.call(ends, cost) for ends, cost in self.recorded().items()}
        self.calls = {ends: call for ends, call in calls.items() if call.share > 0}
        while self.extend_exactness():
            pass

    def whole(self, place: NodeKey) -> int:
        return self.profile.inclusive[place]

    def shown(self, place: NodeKey) -> NodeKey:
        return place if place in self.opened else self.profile.cycle.get(place, place)

    def recorded(self) -> dict[Ends, int]:
        """The cost of each call, cycles closed but for those that are opened."""
        sums: dict[Ends, int] = defaultdict(int)
        for (caller, callee), cost in self.profile.calls.items():
            if not self.profile.is_inside(caller, callee) or caller in self.opened:
                start = caller if caller == self.active else self.shown(caller)
                sums[start, self.shown(callee)] += cost
        if self.shown(self.active) != self.active:
            sums[self.shown(self.active), self.active] = self.whole(self.active)
        return sums

    def call(self, ends: Ends, recorded: int) -> ReferenceCall:
        caller, callee = ends
        frame = self.opened.get(callee, callee)
        is_inner = callee in self.opened and self.opened.get(caller) == frame
        shares = []
        for side, place, other in ((0, caller, callee), (1, frame, caller)):
            place = frame if is_inner else place
            passed = self.passed[side].get(place, 0)
            is_way = (is_inner or other not in self.starts) and self.whole(place) > 0
            shares.append((passed / self.whole(place) if is_way else 0, side, place))
        share, side, place = max(shares, key=lambda found: found[0])
        return ReferenceCall(recorded, share, place, bool(side), is_inner)

    def is_exact(self, call: ReferenceCall) -> bool:
        place, whole = call.hangs_on, self.whole(call.hangs_on)
        all_of_it = round(self.passed[call.is_up][place]) == whole
        is_only = call.recorded == whole and not call.is_inner
        proven = place in self.exact[call.is_up] and (all_of_it or is_only)
        return proven or call.recorded == 0

    def is_node_exact(self, place: NodeKey) -> bool:
        sides = zip(self.passed, self.exact, strict=True)
        return all(place in exact for passed, exact in sides if passed.get(place, 0) > 0)

    def extend_exactness(self) -> bool:
        led_to: dict[tuple[bool, NodeKey], list[bool]] = defaultdict(list)
        for ends, call in self.calls.items():
            if not call.is_inner:
                far = call.far(ends)
                led_to[call.is_up, self.opened.get(far, far)].append(self.is_exact(call))
        proven = {key for key, calls in led_to.items() if all(calls)}
        new = {(up, p) for up, p in proven if p in self.passed[up] and p not in self.exact[up]}
        for up, place in new:
            self.exact[up].add(place)
        return bool(new)

    def near(self, depth: int | None, *, up: bool) -> set[NodeKey]:
        """The places on one side that are at most so many calls away."""
        reached = set(self.passed[up])
        reached |= {f for f, cycle in self.opened.items() if cycle in reached}
        if depth is None:
            return reached
        found = set(self.starts)
        for _ in range(depth):
            found |= {
                ends[0] if up else ends[1]
                for ends, call in self.calls.items()
                if (call.is_inner or (call.is_up == up and round(call.cost) > 0))
                and (ends[1] if up else ends[0]) in found
            }
        return found & reached

    def nodes(
        self, extent: SubgraphLimits, least_node: int, least_call: int
    ) -> dict[NodeKey, float]:
        """The cost of each place that is a node, where that many are wanted."""
        below, above = self.passed
        near = self.near(extent.callee_depth, up=False) | self.near(extent.caller_depth, up=True)
        folded = {f for f in self.profile.cycle if f not in self.opened and f != self.active}
        there = near - folded - set(self.opened.values())
        costs = {place: max(below.get(place, 0), above.get(place, 0)) for place in there}
        found = {place for place, cost in costs.items() if cost >= least_node}
        return {place: costs[place] for place in found | self.doors(found, there, least_call)}

    def doors(self, found: set[NodeKey], there: set[NodeKey], least: int) -> set[NodeKey]:
        """Members by which a costly call enters or leaves an opened cycle, whatever they cost."""
        members = there & set(self.opened)
        return {
            place
            for ends, call in self.calls.items()
            if not call.is_inner and round(call.cost) >= max(1, least)
            if set(ends) <= found | members
            for place in members & set(ends)
        }
