"""Families: functions of one side, or of both, that are compared as one."""

from __future__ import annotations

from hypothesis import given

from qcachegrind_py.analysis.comparison.comparison import Mark, compare, member_names, row_marks
from qcachegrind_py.analysis.comparison.selections import compare_parts
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import function_id
from tests.analysis.comparison.test_identities import generated, measured, programs
from tests.profile_rows import DATA, profile_from


def test_members_of_a_family() -> None:
    """Each has its recorded name; the family has the costs of all members of a side."""
    folder = DATA / "comparison"
    compared = compare(
        load(folder / "callgrind.out.clones-O2.xz"), load(folder / "callgrind.out.clones-O3.xz")
    )
    count = compared.queries.names.with_name("count")[0]
    costs = compared.self_cost(compared.events[0])

    assert member_names(compared, count) == (
        ["count.constprop.0"],
        ["count.constprop.1", "count.constprop.0"],
    )
    assert (costs.base[count], costs.new[count]) == (600_720, 384_200 + 192_200)
    assert (compared.called.base[count], compared.called.new[count]) == (80, 40 + 40)


def test_families_with_a_function_on_each_side_are_marked() -> None:
    """The row has another name than its members, so that they are worth a look."""
    base, new = (
        f"events: Ir\nob=/lib/libc.so.6\nfl={file}\nfn={name}\n1 {cost}\nfn=f\n1 1\n"
        for name, file, cost in (("__strlen_sse2", "a.S", 5), ("__strlen_avx2", "b.S", 3))
    )
    compared = compare(profile_from(base), profile_from(new))

    names = [compared.queries.names.name(function_id(row)) for row in (0, 1)]
    assert names == ["strlen", "f"]
    assert row_marks(compared).tolist() == [Mark.FAMILY, Mark.MOVED]
    assert member_names(compared, 0) == (["__strlen_sse2"], ["__strlen_avx2"])


def test_members_in_parts_of_one_profile() -> None:
    """A function is its own member, with the costs in the parts of each side."""
    profile = profile_from(
        "events: Ir\npart: 1\nfl=a.c\nfn=f\n1 5\npart: 2\nevents: Ir\nfl=a.c\nfn=f\n1 9\n"
    )
    compared = compare_parts(profile, [0], [1])
    costs = compared.self_cost(compared.events[0])

    assert member_names(compared, 0) == (["f"], ["f"])
    assert (costs.base.tolist(), costs.new.tolist()) == ([5], [9])


@generated
@given(programs(), programs())
def test_members_add_up_to_their_family(one: bytes, other: bytes) -> None:
    """The self costs and counts of the members of a side are those of the row on this side."""
    compared = compare(profile_from(one), profile_from(other))
    pairing, scope = compared.pairing, Scope()
    base, new = map(ProfileQueries, (compared.base_profile, compared.new_profile))
    for event in measured(compared):
        sides = compared.self_cost(event)
        for row in range(len(pairing)):
            for alone, members, costs, called in (
                (base, pairing.base_members(row), sides.base, compared.called.base),
                (new, pairing.new_members(row), sides.new, compared.called.new),
            ):
                own = event if event.is_derived else alone.events.find(event.name)
                assert own is not None
                assert alone.self_cost(own, scope)[members].sum() == costs[row]
                assert alone.costs(scope).called[members].sum() == called[row]
