"""Instruction costs by address, for every function of real profiles and for small ones."""

from __future__ import annotations

import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.code.location_costs import has_addresses, instruction_costs
from qcachegrind_py.profile.profile import Profile
from tests.analysis.code.test_line_costs import PROFILES, active_parts
from tests.analysis.reference_locations import (
    Rows,
    address_locations,
    found_instructions,
    read_file,
    rows_by,
)
from tests.profile_rows import DATA, function_rows, profile_from

COMPARED = [
    "recur-everything/callgrind.out.21921.xz",
    "recur-dumps/callgrind.out.21941.xz",
    "programs/annotate/callgrind.out.inlined-O2.xz",
    "templ-nobb/callgrind.out.22021.xz",
    "control/callgrind.out.control.2",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPARED)
def test_instructions_of_functions(name: str) -> None:
    """Each address has exactly the file's costs and calls; jumps have the file's counts."""
    profile, reading = q.load(DATA / name), read_file(DATA / name)
    rows = rows_by(reading, of_function=True)
    for number, function in enumerate(function_rows(profile)):
        costs = instruction_costs(profile, number)
        wanted = address_locations(rows.get(function, Rows()), len(profile.events.names))
        assert found_instructions(profile, costs) == wanted
        assert costs.address.tolist() == sorted(wanted)


def test_instructions_of_some_parts() -> None:
    """Only the active parts are counted."""
    path = DATA / "recur-dumps/callgrind.out.21941.xz"
    profile, reading = q.load(path), read_file(path)
    parts = active_parts(profile)
    rows = rows_by(reading, of_function=True, parts=parts)
    for number, function in enumerate(function_rows(profile)):
        costs = instruction_costs(profile, number, parts)
        wanted = address_locations(rows.get(function, Rows()), len(profile.events.names))
        assert found_instructions(profile, costs) == wanted


def sums_differ(profile: Profile) -> list[int]:
    """The functions whose instructions do not add up to their self cost."""
    self_cost = q.function_costs(profile).self_cost
    return [
        function
        for function in range(len(profile.functions))
        if instruction_costs(profile, function).self_cost.sum(axis=1).tolist()
        != self_cost[:, function].tolist()
    ]


@pytest.mark.slow
def test_sums_of_instructions() -> None:
    """In every real file with addresses, a function's instructions add up to its self cost."""
    profiles = [q.load(DATA / path) for path in PROFILES]
    with_addresses = [profile for profile in profiles if has_addresses(profile)]
    assert [sums_differ(profile) for profile in with_addresses] == [[]] * len(with_addresses)
    assert len(with_addresses) > 8


DRAWING = """
    positions: instr line
    events: Ir
    part: 1
    fl=a.c
    fn=f
    0x10 10 1
    jcnd=3/4 0x10 10
    0x14 11
    jump=2 0x30 12
    0x14 11
    fi=b.h
    0x12 3 5
    cfi=a.c
    cfn=f
    calls=1 0x10 1
    0x12 3 6
    calls=0 0x10 1
    0x16 3 7
    part: 2
    fl=a.c
    fn=f
    jcnd=1/6 0x10 10
    0x14 11
    0xffffffffffffffff 0 2
    part: 3
    positions: line
    fl=a.c
    fn=f
    10 9
    """


def test_instructions_of_a_drawn_function() -> None:
    """Jumps are summed over parts by target and kind; cost without an address is at address 0."""
    profile = profile_from(DRAWING)
    function = function_rows(profile).index(("f", "a.c", ""))
    costs = instruction_costs(profile, function)
    jumps, calls = costs.jumps, costs.calls
    assert [hex(address) for address in costs.address.tolist()] == [
        "0x0", "0x10", "0x12", "0x14", "0x16", "0xffffffffffffffff",
    ]  # fmt: skip
    assert profile.texts.lookup(costs.file.tolist())[2] == "b.h"
    assert costs.line.tolist() == [0, 10, 3, 11, 3, 0]
    assert costs.self_cost[0].tolist() == [9, 1, 5, 0, 0, 2]
    assert costs.inclusive[0].tolist() == [9, 1, 11, 0, 7, 2]
    assert list(zip(calls.location.tolist(), calls.count.tolist(), strict=True)) == [(2, 1), (4, 0)]
    columns = (jumps.location, jumps.target, jumps.executed, jumps.followed, jumps.conditional)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == [
        (3, 0x10, 10, 4, True),
        (3, 0x30, 2, 2, False),
    ]


def test_a_part_without_addresses_claims_no_line() -> None:
    """Costs without an address come from many lines and files: no line claims all of them."""
    profile = profile_from("""
        events: Ir
        part: 1
        positions: line
        fl=a.c
        fn=f
        5 10
        7 3
        fi=b.h
        9 1
        part: 2
        positions: instr line
        fl=a.c
        fn=f
        0x10 9 4
        """)
    whole, second = instruction_costs(profile, 0), instruction_costs(profile, 0, frozenset({1}))
    assert profile.texts.lookup(whole.file.tolist()) == ["???", "a.c"]
    assert (whole.address.tolist(), whole.line.tolist()) == ([0, 0x10], [0, 9])
    assert (whole.self_cost.tolist(), second.self_cost.tolist()) == ([[14, 4]], [[4]])


def test_a_profile_without_addresses() -> None:
    """A profile without instructions raises an error."""
    profile = profile_from("events: Ir\nfn=f\n1 5\n")
    assert not has_addresses(profile)
    with pytest.raises(ValueError, match="no instructions"):
        instruction_costs(profile, 0)
