"""Families, functions that are compared as one, and changes of estimates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given

from qcachegrind_py.analysis.calls.cost_flow import change_of_calls
from qcachegrind_py.analysis.comparison.comparison import Mark, compare, member_names, row_marks
from qcachegrind_py.analysis.comparison.selections import compare_parts
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import NodeId, function_id
from tests.analysis.comparison.test_identities import generated, measured, programs
from tests.profile_rows import DATA, profile_from
from tests.profile_text import write_profile_text


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


# ---------------------------------------------------------------- changes of estimates


def test_changes_of_estimates_are_no_facts(tmp_path: Path) -> None:
    """Both a and b call mid, which calls x for a and y for b; then a makes twice the calls.

    Shared out in proportion, b seems to reach x more often than before. Only direct calls are
    exact, so only their changes are.
    """
    base, new = (
        load(
            write_profile_text(
                tmp_path,
                f"a 1 -> mid {n}x{n * 11}\nb 1 -> mid 10x110\n"
                f"mid {10 + n} -> x {n}x{n * 10}, y 10x100\nx {n * 10}\ny 100",
                name,
            )
        )
        for n, name in ((10, "base"), (20, "new"))
    )
    compared = compare(base, new)
    queries, event = compared.queries, compared.events[0]
    b = NodeId(int(queries.names.find("b", "???", "???")))

    sides = [queries.transitive_callees(b, event, scope) for scope in (compared.base, compared.new)]
    nodes = np.union1d(sides[0].node, sides[1].node)
    changes = change_of_calls(*(side.for_nodes(nodes) for side in sides))

    labels = queries.labels(compared.new)
    found = {
        labels.name(NodeId(int(node))): (change != 0, bool(exact))
        for node, change, exact in zip(nodes, changes.cost, changes.is_exact, strict=True)
    }
    assert found == {"mid": (False, True), "x": (True, False), "y": (True, False)}
