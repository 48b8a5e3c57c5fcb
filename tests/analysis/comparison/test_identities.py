"""Sums that must agree in any comparison, on generated profiles.

Numbers of the two profiles alone are the truth: the merged one has to give them back.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.effects import effects, rounded
from qcachegrind_py.analysis.comparison.matching import How
from qcachegrind_py.analysis.costs.scope import BothSides, Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import function_id
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int32Array
from tests.formats.callgrind.generated_profiles import profiles
from tests.profile_rows import profile_from
from tests.profile_text import event_named

# without shrinking, which takes minutes here
generated = settings(
    max_examples=30,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

NAMES = st.sampled_from(
    [
        "main",
        "f",
        "f.isra.0",
        "f.constprop.1",
        "g",
        "g'2",
        "h<int>",
        "h<char>",
        "0x10",
        "k:3",
        "k:4",
    ]
)
FILES = st.sampled_from(["/old/a.c", "/new/a.c", "/new/b.c"])
FUNCTIONS = st.dictionaries(
    st.tuples(NAMES, FILES),
    st.tuples(st.integers(0, 2**40), st.lists(st.tuples(NAMES, FILES, st.integers(0, 9)))),
    max_size=8,
)


@st.composite
def programs(draw: st.DrawFn) -> bytes:
    """A small profile whose names two builds would share."""
    lines = ["events: Ir Dr" if draw(st.booleans()) else "events: Dr Ir"]
    if draw(st.booleans()):
        lines.append(f"summary: {draw(st.integers(0, 2**45))} {draw(st.integers(0, 2**45))}")
    for (name, file), (cost, calls) in draw(FUNCTIONS).items():
        lines += [f"fl={file}", f"fn={name}", f"{draw(st.integers(1, 9))} {cost} {cost // 3}"]
        for callee, callee_file, count in calls:
            lines += [f"cfi={callee_file}", f"cfn={callee}", f"calls={count} 1", f"5 {count * 7} 1"]
    return "\n".join(lines).encode()


def measured(compared: Comparison) -> list[EventType]:
    """The events that can be added up."""
    return [event for event in compared.events if not event.is_ratio]


@generated
@given(st.one_of(programs(), profiles()))
def test_a_profile_against_itself(data: bytes) -> None:
    """Nothing is new or gone, and nothing changed."""
    compared = compare(profile_from(data), profile_from(data))

    assert How.NONE not in compared.pairing.how
    assert compared.differences == ()
    assert compared.renames == ()
    assert not compared.called.change.any()
    for event in measured(compared):
        assert not compared.self_cost(event).change.any()
        assert not compared.inclusive(event).change.any()
        assert compared.gross_change(event).change == 0


@generated
@given(programs(), programs())
def test_swapped_sides(one: bytes, other: bytes) -> None:
    """All changes have the opposite sign, and all functions the same counterparts."""
    sides = profile_from(one), profile_from(other)
    there, back = compare(*sides), compare(*reversed(sides))
    for event in measured(there):
        same = next(each for each in back.events if each.name == event.name)
        assert by_members(there, there.self_cost(event)) == by_members(
            back, back.self_cost(same), is_swapped=True
        )
        assert by_members(there, there.inclusive(event)) == by_members(
            back, back.inclusive(same), is_swapped=True
        )
    assert by_members(there, there.called) == by_members(back, back.called, is_swapped=True)


def by_members(
    compared: Comparison, sides: BothSides, *, is_swapped: bool = False
) -> dict[tuple[tuple[int, ...], ...], int]:
    """The change of each row by its members; of swapped sides, as seen from the other one."""
    found, sign = {}, -1 if is_swapped else 1
    pairing, change = compared.pairing, sides.change.tolist()
    for row in range(len(pairing)):
        members = [tuple(pairing.base_members(row)), tuple(pairing.new_members(row))]
        found[tuple(members[::sign])] = sign * change[row]
    return found


@generated
@given(programs(), programs())
def test_numbers_of_the_separate_profiles(one: bytes, other: bytes) -> None:
    """Families cost what their members cost, and pairs what each function costs in its profile."""
    base, new = profile_from(one), profile_from(other)
    compared = replace(compare(base, new), cycles=False)
    pairing = compared.pairing
    for event in measured(compared):
        self_cost, inclusive = compared.self_cost(event), compared.inclusive(event)
        for profile, rows, own, with_calls, called in (
            (base, pairing.row_of_base, self_cost.base, inclusive.base, compared.called.base),
            (new, pairing.row_of_new, self_cost.new, inclusive.new, compared.called.new),
        ):
            alone, scope = ProfileQueries(profile), Scope(cycles=False)
            kind = event_named(alone, event.name)
            sums = np.zeros(len(pairing), np.int64)
            np.add.at(sums, rows, alone.self_cost(kind, scope))
            assert own.tolist() == sums.tolist()
            is_alone = np.bincount(rows, minlength=len(pairing))[rows] == 1
            for both, wanted in (
                (with_calls, alone.inclusive(kind, scope)),
                (called, alone.costs(scope).called),
            ):
                assert both[rows][is_alone].tolist() == wanted[is_alone].tolist()


@generated
@given(programs(), programs())
def test_functions_add_up_to_the_total(one: bytes, other: bytes) -> None:
    """Growth, shrinkage and the change of the remainder are the change of the total."""
    compared = compare(profile_from(one), profile_from(other))
    for event in measured(compared):
        gross = compared.gross_change(event)
        base, new = compared.total(event)
        remainder = (new.base - new.counted) - (base.base - base.counted)
        assert gross.grown + gross.shrunk + remainder == new.base - base.base


@generated
@given(programs(), programs())
def test_lines_add_up_to_the_function(one: bytes, other: bytes) -> None:
    """The lines of a row on both sides are its self cost, whatever its members are."""
    compared = compare(profile_from(one), profile_from(other))
    queries = compared.queries
    for side, scope in (("base", compared.base), ("new", compared.new)):
        for row in range(len(compared.pairing)):
            lines = queries.lines(function_id(row), scope.parts)
            for number, event in enumerate(queries.events.measured):
                if event not in compared.events:
                    continue
                costs = getattr(compared.self_cost(event), side)
                assert int(lines.self_cost[number].sum()) == int(costs[row])


@generated
@given(programs(), programs())
def test_calls_of_both_sides_are_in_the_same_rows(one: bytes, other: bytes) -> None:
    """They are those of the separate profiles, and their effects add up to their change."""
    sides = profile_from(one), profile_from(other)
    compared = replace(compare(*sides), cycles=False)
    event = measured(compared)[0]
    rows = compared.pairing.row_of_base, compared.pairing.row_of_new
    base, new = (calls_shown(compared, scope, event) for scope in (compared.base, compared.new))

    assert base.keys() == new.keys()
    for profile, row, calls in zip(sides, rows, (base, new), strict=True):
        assert calls == dict.fromkeys(calls, (0, 0)) | calls_recorded(profile, row, event)
    for pair, (count, cost) in base.items():
        split, change = effects((count, new[pair][0]), (cost, new[pair][1])), new[pair][1] - cost
        assert split is None or sum(rounded(split, change)) == change


_CallNumbers = dict[tuple[int, int], tuple[int, int]]  # count and cost by caller and callee


def calls_shown(compared: Comparison, scope: Scope, event: EventType) -> _CallNumbers:
    """The calls of a side, as the lists of callees show them."""
    found = {}
    for row in range(len(compared.pairing)):
        callees = compared.queries.callees(function_id(row), scope)
        costs = callees.cost(compared.queries.events, event).tolist()
        numbers = zip(callees.node.tolist(), callees.count.tolist(), costs, strict=True)
        found |= {(row, callee): (count, cost) for callee, count, cost in numbers}
    return found


def calls_recorded(profile: Profile, row: Int32Array, event: EventType) -> _CallNumbers:
    """The calls of a profile, with the rows of their functions."""
    found: _CallNumbers = {}
    calls, number = profile.calls, profile.events.names.index(event.name)
    pairs = zip(row[calls.caller].tolist(), row[calls.callee].tolist(), strict=True)
    costs = calls.values[number].tolist()
    for pair, count, cost in zip(pairs, calls.count.tolist(), costs, strict=True):
        before = found.get(pair, (0, 0))
        found[pair] = (before[0] + count, before[1] + cost)
    return found


@generated
@given(programs())
def test_a_build_in_another_folder(data: bytes) -> None:
    """Nothing changes but the pass by which functions pair."""
    moved = data.replace(b"/new/", b"/home/x/new/").replace(b"/old/", b"/home/x/old/")
    compared = compare(profile_from(data), profile_from(moved))

    assert How.NONE not in compared.pairing.how
    for event in measured(compared):
        assert not compared.self_cost(event).change.any()


@generated
@given(programs())
def test_all_costs_doubled(data: bytes) -> None:
    """A function changes by what it cost, and the shares of the totals stay what they are."""
    profile = profile_from(data)
    double = replace(
        profile,
        costs=replace(profile.costs, values=2 * profile.costs.values[:]),
        calls=replace(profile.calls, values=2 * profile.calls.values),
        parts=tuple(replace(part, summary=None) for part in profile.parts),
    )
    single = replace(profile, parts=double.parts)
    compared = compare(single, double)
    for event in measured(compared):
        sides = compared.self_cost(event)
        assert sides.change.tolist() == sides.base.tolist()
        base, new = compared.total(event)
        assert new.base == 2 * base.base
