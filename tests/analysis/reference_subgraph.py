"""The subgraph around a function, computed with dictionaries, call by call.

This is the reference for the fast computation. The rules are those of
`qcachegrind_py.analysis.calls.subgraph`: cost is traced in proportion until less than a ten
thousandth is left; a call has the same share of its recorded cost as the node it hangs on.
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
    """A call, with the node whose share it has, and whether that node is above the active one."""

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
        """The cost passing each node, and the nodes that every path reaches by one call.

        Cost is traced over calls into a cycle, and from a cycle to each of its members.
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
            for node, share in here.items():
                for other, cost in onward[node] if self.inclusive[node] > 0 else ():
                    there[other] += cost * share / self.inclusive[node]
            enough = max(whole / 10_000, 1e-300)
            here = {node: c for node, c in there.items() if node != active and c >= enough}
            distance += 1
            for node, cost in here.items():
                passed[node] = min(passed[node] + cost, whole)
                farthest[node] = distance
        return passed, {node for node, far in farthest.items() if far == 1}


class ReferenceSubgraph:
    """The nodes and calls around a function or cycle, drawn or not."""

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

    def whole(self, node: NodeKey) -> int:
        return self.profile.inclusive[node]

    def shown(self, node: NodeKey) -> NodeKey:
        return node if node in self.opened else self.profile.cycle.get(node, node)

    def recorded(self) -> dict[Ends, int]:
        """The cost of each call, with all cycles folded except the expanded ones."""
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
        for side, node, other in ((0, caller, callee), (1, frame, caller)):
            node = frame if is_inner else node
            passed = self.passed[side].get(node, 0)
            is_path = (is_inner or other not in self.starts) and self.whole(node) > 0
            shares.append((passed / self.whole(node) if is_path else 0, side, node))
        share, side, node = max(shares, key=lambda found: found[0])
        return ReferenceCall(recorded, share, node, bool(side), is_inner)

    def is_exact(self, call: ReferenceCall) -> bool:
        node, whole = call.hangs_on, self.whole(call.hangs_on)
        all_of_it = round(self.passed[call.is_up][node]) == whole
        is_only = call.recorded == whole and not call.is_inner
        exact = node in self.exact[call.is_up] and (all_of_it or is_only)
        return exact or call.recorded == 0

    def is_node_exact(self, node: NodeKey) -> bool:
        sides = zip(self.passed, self.exact, strict=True)
        return all(node in exact for passed, exact in sides if passed.get(node, 0) > 0)

    def extend_exactness(self) -> bool:
        led_to: dict[tuple[bool, NodeKey], list[bool]] = defaultdict(list)
        for ends, call in self.calls.items():
            if not call.is_inner:
                far = call.far(ends)
                led_to[call.is_up, self.opened.get(far, far)].append(self.is_exact(call))
        exact = {key for key, calls in led_to.items() if all(calls)}
        new = {(up, p) for up, p in exact if p in self.passed[up] and p not in self.exact[up]}
        for up, node in new:
            self.exact[up].add(node)
        return bool(new)

    def near(self, depth: int | None, *, up: bool) -> set[NodeKey]:
        """The nodes on one side within this number of calls."""
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
        self, limits: SubgraphLimits, least_node: int, least_call: int
    ) -> dict[NodeKey, float]:
        """The cost of each node above the threshold, within the limits."""
        below, above = self.passed
        near = self.near(limits.callee_depth, up=False) | self.near(limits.caller_depth, up=True)
        folded = {f for f in self.profile.cycle if f not in self.opened and f != self.active}
        there = near - folded - set(self.opened.values())
        costs = {node: max(below.get(node, 0), above.get(node, 0)) for node in there}
        found = {node for node, cost in costs.items() if cost >= least_node}
        return {node: costs[node] for node in found | self.entry_points(found, there, least_call)}

    def entry_points(self, found: set[NodeKey], there: set[NodeKey], least: int) -> set[NodeKey]:
        """Members by which a costly call enters or leaves an expanded cycle, however cheap."""
        members = there & set(self.opened)
        return {
            node
            for ends, call in self.calls.items()
            if not call.is_inner and round(call.cost) >= max(1, least)
            if set(ends) <= found | members
            for node in members & set(ends)
        }
