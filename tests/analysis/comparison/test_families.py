"""The members of families."""

from __future__ import annotations

import pytest
from hypothesis import given
from qcachegrind_py.analysis.comparison.selections import compare_parts

from qcachegrind_py.analysis.comparison.comparison import Mark, compare, row_marks, row_members
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import function_id
from tests.analysis.comparison.test_identities import generated, measured, programs
from tests.profile_rows import DATA, profile_from
from tests.profile_text import event_named


def test_members_of_a_family() -> None:
    """Each with the costs that it has in its own profile, and its recorded name."""
    folder = DATA / "comparison"
    compared = compare(
        load(folder / "callgrind.out.clones-O2.xz"), load(folder / "callgrind.out.clones-O3.xz")
    )
    count = compared.queries.names.with_name("count")[0]
    members = row_members(compared, count, compared.events[0])

    assert [(one.name, one.self_cost, one.called) for one in members.base] == [
        ("count.constprop.0", 600_720, 80)
    ]
    assert [(one.name, one.self_cost, one.called) for one in members.new] == [
        ("count.constprop.1", 384_200, 40),
        ("count.constprop.0", 192_200, 40),
    ]
    assert {one.object for one in (*members.base, *members.new)} == {
        "/corpus/comparison/clones-O2",
        "/corpus/comparison/clones-O3",
    }


def test_families_with_a_function_on_each_side_are_marked() -> None:
    """The row has another name than its members, so that they are worth a look."""
    base, new = (
        f"events: Ir\nob=/lib/libc.so.6\nfl={file}\nfn={name}\n1 {cost}\nfn=f\n1 1\n"
        for name, file, cost in (("__strlen_sse2", "a.S", 5), ("__strlen_avx2", "b.S", 3))
    )
    compared = compare(profile_from(base), profile_from(new))
    members = row_members(compared, 0, compared.events[0])

    names = [compared.queries.names.name(function_id(row)) for row in (0, 1)]
    assert names == ["strlen", "f"]
    assert row_marks(compared).tolist() == [Mark.FAMILY, Mark.MOVED]
    assert [(one.name, one.self_cost) for one in (*members.base, *members.new)] == [
        ("__strlen_sse2", 5),
        ("__strlen_avx2", 3),
    ]


def test_members_in_parts_of_one_profile() -> None:
    """A function is its own member, with the costs in the parts of each side."""
    profile = profile_from(
        "events: Ir\npart: 1\nfl=a.c\nfn=f\n1 5\npart: 2\nevents: Ir\nfl=a.c\nfn=f\n1 9\n"
    )
    compared = compare_parts(profile, [0], [1])
    members = row_members(compared, 0, compared.events[0])

    costs = [[one.self_cost for one in side] for side in (members.base, members.new)]
    assert costs == [[5], [9]]


def test_an_event_of_one_side() -> None:
    """There is nothing to compare, so that members have no cost in it."""
    sides = [f"events: Ir {name}\nfl=a.c\nfn=f\n1 1 1\n" for name in ("Dr", "Dw")]
    compared = compare(*map(profile_from, sides))
    with pytest.raises(ValueError, match="no event Dr"):
        row_members(compared, 0, event_named(compared.queries, "Dr"))


@generated
@given(programs(), programs())
def test_members_add_up_to_their_family(one: bytes, other: bytes) -> None:
    """The self costs and counts of the members of a side are those of the row on this side."""
    compared = compare(profile_from(one), profile_from(other))
    for event in measured(compared):
        sides = compared.self_cost(event)
        for row in range(len(compared.pairing)):
            members = row_members(compared, row, event)
            for some, costs, called in (
                (members.base, sides.base, compared.called.base),
                (members.new, sides.new, compared.called.new),
            ):
                assert sum(each.self_cost for each in some) == costs[row]
                assert sum(each.called for each in some) == called[row]
