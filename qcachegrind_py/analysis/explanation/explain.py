"""Take a number of a profile apart: into terms, and into the rows that it is the sum of.

The rules of inclusive costs and counts are those of `analysis.costs`: in each part, a function that
others called has the cost of these calls, any other its self cost and that of the calls it makes.
Members of cycles have their self cost and that of the calls that leave the cycle. Numbers of
recorded stacks are sums over these (`stacks.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from qcachegrind_py.analysis.code.location_costs import rows_of_function
from qcachegrind_py.analysis.costs.function_costs import cycle_members
from qcachegrind_py.analysis.costs.scope import Scope, is_active
from qcachegrind_py.analysis.costs.sums import segment_rows, segment_sums, sums_by_group
from qcachegrind_py.analysis.explanation.numbers import (
    NO_ROWS,
    AnyKey,
    CodePlace,
    EstimateKey,
    Explanation,
    LeftOut,
    LeftOutReason,
    NumberKey,
    NumberKind,
    PercentageBase,
    PercentageRule,
    ProfileSum,
    Term,
    TermKind,
    total_base,
)
from qcachegrind_py.analysis.explanation.stacks import explain_stacks, is_sum_of_contexts
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import NodeId, function_id, node_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import (
    AddressColumn,
    BoolArray,
    Calls,
    Int32Array,
    Int64Array,
    Int64Column,
)

_MOST_TERMS = 200
_Group = tuple[TermKind, NumberKey, ProfileSum]


@frozen
class _Composition:
    """The groups of rows that a number consists of, each a term of it, and what is left out."""

    groups: tuple[_Group, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def rows(self) -> ProfileSum:
        """All rows, in file order."""
        sums = [rows for _, _, rows in self.groups]
        if len(sums) == 1:  # sorting 70 million rows takes seconds
            return sums[0]
        costs, calls = [each.costs for each in sums], [each.calls for each in sums]
        return ProfileSum(
            np.sort(np.concatenate((NO_ROWS, *costs))), np.sort(np.concatenate((NO_ROWS, *calls)))
        )


@frozen(eq=True)
class _Counted:
    """The rows of a profile that count in a scope, and what numbers consist of there."""

    queries: ProfileQueries
    scope: Scope

    def composition(self, key: NumberKey) -> _Composition:
        """Return what a number consists of: its terms, or itself alone if it has none."""
        match key.kind:
            case NumberKind.SELF:
                return self._self_cost(key.node)
            case NumberKind.INCLUSIVE:
                return self._inclusive_cost(key.node)
            case NumberKind.CALLED:
                return self._called_count(key.node)
            case NumberKind.CALL_COST | NumberKind.INNER_CALL_COST | NumberKind.CALL_COUNT:
                rows, left_out = self._calls_between(key)
            case _:
                rows, left_out = self._at_place(key)
        return _Composition(((TermKind.SELF, key, rows),), left_out)

    def _members(self, node: NodeId) -> BoolArray:
        """Return the mask of the functions of a node: of a cycle, all members."""
        count, costs = self.queries.function_count, self.queries.costs(self.scope)
        mask = np.zeros(count, bool)
        is_function = self.queries.is_function(node)
        mask[node if is_function else cycle_members(node, costs, count)] = True
        return mask

    def cost_rows(self, functions: BoolArray, without: BoolArray | None = None) -> Int64Array:
        """Return the rows of the self costs of functions; `without` are parts to leave out."""
        runs = self.queries.profile.runs
        if functions.all() and self.scope.parts is None and without is None:
            return np.arange(len(self.queries.profile.costs))
        chosen = functions[runs.function]
        if self.scope.parts is not None:
            chosen &= is_active(runs.part, self.scope.parts)
        if without is not None:
            chosen &= ~without[runs.part]
        rows, _ = segment_rows(runs.start, np.flatnonzero(chosen))
        return rows

    def _call_rows(self, chosen: BoolArray) -> Int64Array:
        """Return the rows of the calls in a mask of shape (calls,) that are in counted parts."""
        if self.scope.parts is not None:
            chosen = chosen & is_active(self.queries.profile.calls.part, self.scope.parts)
        return np.flatnonzero(chosen)

    def _self_cost(self, node: NodeId) -> _Composition:
        """Return the self cost of a function, or of the members of a cycle."""
        if self.queries.is_function(node):
            return _Composition((self._self_group(node),))
        functions = np.flatnonzero(self._members(node))
        groups = [self._self_group(NodeId(member)) for member in functions.tolist()]
        return _Composition(tuple((TermKind.MEMBER, key, rows) for _, key, rows in groups))

    def _inclusive_cost(self, node: NodeId) -> _Composition:
        """Return the inclusive cost of a function or cycle."""
        if self.queries.costs(self.scope).cycle[node]:
            return self._cost_in_cycle(node)
        profile, calls = self.queries.profile, self.queries.profile.calls
        to, by = calls.callee == node, calls.caller == node
        received = self._call_rows(to & ~by)
        is_called = np.zeros(len(profile.parts), bool)
        is_called[calls.part[received]] = True
        all_to = self._call_rows(to)
        count = sums_by_group(calls.count[all_to], calls.part[all_to], len(profile.parts))
        # the parts in which its cost is that of the calls to it
        by_others = is_called & (count > 0)
        received = received[by_others[calls.part[received]]]
        made = self._call_rows(by & ~to)
        made = made[~by_others[calls.part[made]]]
        groups = [
            *self._call_groups(TermKind.CALLS_FROM, received),
            *self._call_groups(TermKind.CALLS_TO, made),
        ]
        own = self._self_group(node, by_others)
        if len(own[2]) or not groups:
            groups.insert(0, own)
        recursive = self._call_rows(to & by)
        return _Composition(tuple(groups), self._left_out_calls(LeftOutReason.RECURSION, recursive))

    def _cost_in_cycle(self, node: NodeId) -> _Composition:
        """Return the cost of a cycle or of a member: self costs, and calls that leave the cycle."""
        calls = self.queries.profile.calls
        inside = self._members(self.queries.cycle_of(node, self.scope))
        own = self._members(node)
        leaving = self._call_rows(own[calls.caller] & ~inside[calls.callee])
        staying = self._call_rows(own[calls.caller] & inside[calls.callee])
        left_out = self._left_out_calls(LeftOutReason.CYCLE, staying)
        if self.queries.is_function(node):
            groups = [self._self_group(node), *self._call_groups(TermKind.CALLS_TO, leaving)]
            return _Composition(tuple(groups), left_out)
        return _Composition(tuple(self._member_groups(own, leaving)), left_out)

    def _member_groups(self, own: BoolArray, leaving: Int64Array) -> Iterator[_Group]:
        for member in node_ids(np.flatnonzero(own)):
            rows = ProfileSum(
                self._self_group(member)[2].costs,
                leaving[self.queries.profile.calls.caller[leaving] == member],
            )
            yield TermKind.MEMBER, NumberKey(NumberKind.INCLUSIVE, member), rows

    def _called_count(self, node: NodeId) -> _Composition:
        """Return how often a function was called, by itself, too; or a cycle, from outside."""
        calls, own = self.queries.profile.calls, self._members(node)
        chosen = own[calls.callee]
        left_out: tuple[LeftOut, ...] = ()
        if not self.queries.is_function(node):
            inside = self._call_rows(chosen & own[calls.caller])
            left_out = self._left_out_calls(LeftOutReason.CYCLE, inside)
            chosen &= ~own[calls.caller]
        groups = self._call_groups(
            TermKind.CALLS_FROM, self._call_rows(chosen), NumberKind.CALL_COUNT
        )
        return _Composition(tuple(groups), left_out)

    def _self_group(self, node: NodeId, without: BoolArray | None = None) -> _Group:
        rows = self.cost_rows(self._members(node), without)
        return TermKind.SELF, NumberKey(NumberKind.SELF, node), ProfileSum(rows, NO_ROWS)

    def _call_groups(
        self, kind: TermKind, rows: Int64Array, number: NumberKind = NumberKind.CALL_COST
    ) -> list[_Group]:
        """Return a group for each pair of caller and callee, in the order of the functions."""
        calls, functions = self.queries.profile.calls, max(1, self.queries.function_count)
        pairs = calls.caller[rows].astype(np.int64) * functions + calls.callee[rows]
        order = np.argsort(pairs, kind="stable")
        found, starts = np.unique(pairs[order], return_index=True)
        groups = np.split(rows[order], starts[1:])
        return [
            (
                kind,
                NumberKey(number, NodeId(pair // functions), NodeId(pair % functions)),
                ProfileSum(NO_ROWS, group),
            )
            for pair, group in zip(found.tolist(), groups, strict=False)
        ]

    def _left_out_calls(self, reason: LeftOutReason, rows: Int64Array) -> tuple[LeftOut, ...]:
        """Return that these calls are left out; nothing if there are none."""
        if not len(rows):
            return ()
        return (LeftOut(reason, int(self.queries.profile.calls.count[rows].sum()), len(rows)),)

    def _calls_between(self, key: NumberKey) -> tuple[ProfileSum, tuple[LeftOut, ...]]:
        """Return the calls from one function or cycle to another, or those from one place.

        Those from members of a cycle to the cycle are none. Between members they are counted, but
        have no cost.
        """
        calls, cycle = self.queries.profile.calls, self.queries.costs(self.scope).cycle
        by = self._members(key.node)[calls.caller]
        to = self._members(key.callee)[calls.callee]
        chosen = by & to
        if not self.queries.is_function(key.callee):
            chosen &= ~self._members(key.callee)[calls.caller]
        rows = self._call_rows(chosen)
        if key.place != CodePlace():
            rows = rows[_calls_at(calls, rows, key.place)]
        is_inside = cycle[key.node] > 0 and cycle[key.node] == cycle[key.callee]
        if is_inside and key.kind is NumberKind.CALL_COST:
            return ProfileSum(NO_ROWS, NO_ROWS), self._left_out_calls(LeftOutReason.CYCLE, rows)
        return ProfileSum(NO_ROWS, rows), ()

    def _at_place(self, key: NumberKey) -> tuple[ProfileSum, tuple[LeftOut, ...]]:
        """Return the costs of a line or an instruction of a function, and of the calls from there.

        As in the code views, calls of the function to itself or within its cycle are left out.
        """
        profile, place = self.queries.profile, key.place
        rows = rows_of_function(profile, function_id(key.node), self.scope.parts)
        of_costs = _is_at(rows.cost_file, profile.costs.line[rows.costs], place)
        of_calls = _calls_at(profile.calls, rows.calls, place)
        if place.address is not None:
            of_costs = _has_address(profile.costs.address, rows.costs, place.address)
        if key.kind in (NumberKind.LINE_SELF, NumberKind.INSTRUCTION_SELF):
            return ProfileSum(rows.costs[of_costs], NO_ROWS), ()
        calls, callee = rows.calls[of_calls], profile.calls.callee[rows.calls[of_calls]]
        cycle = self.queries.costs(self.scope).cycle
        is_recursive = callee == key.node
        is_inside = ~is_recursive & (cycle[callee] > 0) & (cycle[callee] == cycle[key.node])
        left_out = (
            *self._left_out_calls(LeftOutReason.RECURSION, calls[is_recursive]),
            *self._left_out_calls(LeftOutReason.CYCLE, calls[is_inside]),
        )
        return ProfileSum(rows.costs[of_costs], calls[~is_recursive & ~is_inside]), left_out

    def functions_of(self, key: NumberKey) -> BoolArray:
        """Return the functions of a group, or all for a total, shape (functions,)."""
        if key.kind is NumberKind.TOTAL:
            return np.ones(self.queries.function_count, bool)
        groups, group = self.queries.groups(key.group.grouping, self.scope), key.group
        row = groups.names.index(group.name) if group.name in groups.names else -1
        members: BoolArray = groups.group_of_node[: self.queries.function_count] == row
        return members

    def function_terms(
        self, members: BoolArray, event: EventType
    ) -> tuple[tuple[Term, ...], tuple[int, int]]:
        """Return the costliest of these functions, and number and cost of all others with cost.

        A ratio has no terms, as it is no sum.
        """
        if event.is_ratio:
            return (), (0, 0)
        costs = self.queries.self_cost(event, self.scope)[: self.queries.function_count]
        with_cost = np.flatnonzero(members & (costs != 0).astype(bool))
        ranked = with_cost[np.argsort(-costs[with_cost], kind="stable")]
        terms = tuple(
            Term(TermKind.FUNCTION, NumberKey(NumberKind.SELF, node), as_number(costs[node]))
            for node in node_ids(ranked[:_MOST_TERMS])
        )
        rest = ranked[_MOST_TERMS:]
        return terms, (len(rest), int(costs[rest].sum()))


# ---------------------------------------------------------------- lines and instructions


def _calls_at(calls: Calls, rows: Int64Array, place: CodePlace) -> BoolArray:
    if place.address is not None:
        return _has_address(calls.address, rows, place.address)
    return _is_at(calls.file[rows], calls.line[rows], place)


def _is_at(file: Int32Array, line: Int32Array, place: CodePlace) -> BoolArray:
    is_at: BoolArray = (file == place.file) & (line == place.line)
    return is_at


def _has_address(addresses: AddressColumn | None, rows: Int64Array, address: int) -> BoolArray:
    if addresses is None:
        return np.zeros(len(rows), bool)
    has_address: BoolArray = addresses[rows] == np.uint64(address)
    return has_address


# ---------------------------------------------------------------- explanations


def explain(
    queries: ProfileQueries,
    key: AnyKey,
    event: EventType,
    scope: Scope,
    percentages: PercentageRule | None = None,
) -> Explanation:
    """Explain a number in an event and a scope; for counts, the event does not matter.

    It looks at all calls of the profile, some milliseconds for 100,000. Percentages are of the
    total of the scope unless a rule for them is given.
    """
    contexts = queries.profile.contexts
    if contexts is not None and is_sum_of_contexts(key):
        explained = explain_stacks(queries, contexts, key, event, scope)
    elif isinstance(key, EstimateKey):
        explained = _explain_estimate(queries, key, event, scope)
    else:
        explained = _explain_sum(queries, key, event, scope)
    return replace(explained, bases=_bases(queries, explained, scope, percentages))


def _explain_sum(
    queries: ProfileQueries, key: NumberKey, event: EventType, scope: Scope
) -> Explanation:
    more: tuple[int, int | float]
    counted = _Counted(queries, scope)
    if key.kind in (NumberKind.GROUP_SELF, NumberKind.TOTAL):
        functions = counted.functions_of(key)
        rows = ProfileSum(counted.cost_rows(functions), NO_ROWS)
        composition = _Composition(((TermKind.SELF, key, rows),))
        terms, more = counted.function_terms(functions, event)
    else:
        composition = counted.composition(key)
        terms, more = _terms(queries, composition, key, event)
    value, measured, sums = _evaluated(queries, composition.rows, event, is_count=key.is_count)
    return Explanation(
        key, event, value, terms, composition.left_out, composition.rows, measured, sums, more
    )


def _explain_estimate(
    queries: ProfileQueries, key: EstimateKey, event: EventType, scope: Scope
) -> Explanation:
    """Explain a number that is shared out; an exact one has the rows of the number it equals."""
    from qcachegrind_py.analysis.explanation.estimates import estimate

    event = queries.measured_event(event)  # ratios cannot be shared out
    value, sharing, exact_key = estimate(queries, key, event, scope)
    nothing = ProfileSum(NO_ROWS, NO_ROWS)
    found = Explanation(key, event, value, (), (), nothing, (), (), sharing=sharing)
    if exact_key is None:
        return found
    proof = explain(queries, exact_key, event, scope)
    if proof.value != value or isinstance(exact_key, EstimateKey):
        return found
    return replace(proof, key=key, sharing=sharing, terms=(), left_out=(), more=(0, 0))


def _evaluated(
    queries: ProfileQueries, rows: ProfileSum, event: EventType, *, is_count: bool
) -> tuple[int | float, tuple[EventType, ...], tuple[int, ...]]:
    """Return the number, the measured events it is computed of, and the sums in these."""
    values = _row_sums(queries.profile, rows, is_count=is_count)
    measured = () if is_count else queries.events.constituents(event)
    names = [each.name for each in queries.events.measured]
    chosen = values if is_count else values[[names.index(each.name) for each in measured]]
    return _value(queries, values, event, is_count=is_count), measured, tuple(chosen.tolist())


def _bases(
    queries: ProfileQueries, explained: Explanation, scope: Scope, rule: PercentageRule | None
) -> tuple[PercentageBase, ...]:
    """Return what the number is a percentage of, as the view shows it, and of the total."""
    event = explained.event
    if explained.key.is_count or event.is_ratio:
        return ()
    rule = rule or PercentageRule(parts=scope.parts)
    total = total_base(queries, event, rule.parts, of_recorded=rule.of_recorded)
    total = replace(total, is_of_base=rule.is_of_base)
    if rule.parent is None:
        return (total,)
    whole = explain(queries, rule.parent, event, scope).value
    return (PercentageBase(rule.reason, whole, rule.parent), total)


def _terms(
    queries: ProfileQueries, composition: _Composition, key: NumberKey, event: EventType
) -> tuple[tuple[Term, ...], tuple[int, int | float]]:
    """Return the self cost, then the other terms by size, and number and sum of those beyond.

    What has no parts has no terms.
    """
    groups = composition.groups
    if [group_key for _, group_key, _ in groups] == [key]:
        return (), (0, 0)
    counts, sums = _group_sums(queries.profile, groups)
    values = counts if key.is_count else queries.events.evaluate(event, sums)
    numbers: list[int | float] = values.tolist()
    order = sorted(
        range(len(groups)),
        key=lambda place: (groups[place][0] is not TermKind.SELF, -numbers[place]),
    )
    terms = tuple(
        Term(groups[place][0], groups[place][1], numbers[place], int(counts[place]))
        for place in order[:_MOST_TERMS]
    )
    rest = order[_MOST_TERMS:]
    return terms, (len(rest), sum(numbers[place] for place in rest))


def _group_sums(profile: Profile, groups: Sequence[_Group]) -> tuple[Int64Array, Int64Array]:
    """Return call counts of groups, shape (groups,), and their costs, shape (events, groups).

    Of calls there may be a group for each, so they are summed up together.
    """
    rows = [rows.calls for _, _, rows in groups]
    starts, chosen = np.cumsum([0, *map(len, rows)]), np.concatenate((NO_ROWS, *rows))
    counts = segment_sums(profile.calls.count[chosen], starts)
    sums = segment_sums(profile.calls.values[:, chosen], starts)
    for place, (_, _, own) in enumerate(groups):
        if len(own.costs):
            sums[:, place] += _sums(profile.costs.values, own.costs)
    return counts, sums


def _value(
    queries: ProfileQueries, values: Int64Array, event: EventType, *, is_count: bool
) -> int | float:
    if is_count:
        return int(values[0])
    return as_number(queries.events.evaluate(event, values[:, np.newaxis])[0])


def _row_sums(profile: Profile, rows: ProfileSum, *, is_count: bool) -> Int64Array:
    """Return the sums of rows in all measured events, shape (events,); of counts, one number."""
    calls = profile.calls
    if is_count:
        return np.array([calls.count[rows.calls].sum()], np.int64)
    return _sums(profile.costs.values, rows.costs) + _sums(calls.values, rows.calls)


def _sums(values: Int64Column, rows: Int64Array) -> Int64Array:
    """Return the sums of rows in all events; those of a whole file, which may be many, at once."""
    if len(rows) == values.shape[1]:
        return segment_sums(values, np.array([0, len(rows)]))[:, 0]
    chosen: Int64Array = values[:, rows].sum(axis=1)
    return chosen
