"""Proposals for renamed functions."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.comparison.matching import How, Rename
from qcachegrind_py.analysis.comparison.sides import MatchingRules
from qcachegrind_py.profile.profile import Profile
from tests.growth import assert_linear
from tests.profile_rows import profile_from
from tests.profile_text import profile_text


def calling(**callees: str) -> Profile:
    """A profile of functions, with the callees of each as letters."""
    rows = [
        f"{name}@a.c 1 -> {', '.join(f'{callee} 1x1' for callee in called)}"
        for name, called in callees.items()
    ]
    known = [f"{letter}@a.c 1" for letter in "abcdefghij"]
    return profile_from(profile_text("\n".join([*rows, *known])).encode())


def proposals(base: Profile, new: Profile) -> list[tuple[str, str, float]]:
    """The proposed names of the base and the new profile, and how much they are alike."""
    return [
        (base.function_name(each.base), new.function_name(each.new), round(each.alike, 3))
        for each in compare(base, new).renames
    ]


@pytest.mark.parametrize(
    ("old", "young", "expected"),
    [
        ("abc", "abc", [("old", "young", 1.0)]),
        ("abcde", "abcdf", [("old", "young", 0.8)]),
        ("abcde", "abfgh", []),
        ("abcde", "edcba", []),  # in another order
        ("ab", "ab", []),  # too few to say
        ("aabbcc", "abc", [("old", "young", 1.0)]),
        ("abcd", "abdc", []),  # 0.75
    ],
)
def test_functions_with_the_same_callees(
    old: str, young: str, expected: list[tuple[str, str, float]]
) -> None:
    """At least three callees, of which 80 % are the same in the same order."""
    # calls of one line have the order of the file
    assert proposals(calling(old=old), calling(young=young)) == expected


def test_proposals_are_the_best_for_each_other() -> None:
    """Where two functions are equally alike, nothing is proposed; a better one wins."""
    assert proposals(calling(old="abcde"), calling(one="abcde", two="abcde")) == []
    assert proposals(calling(old="abcde"), calling(one="abcdf", two="abcde")) == [
        ("old", "two", 1.0)
    ]
    assert proposals(
        calling(first="abcdefghi", second="abcdefgh"), calling(one="abcdefghi", two="abcdefghj")
    ) == [("first", "one", 1.0)]


def test_functions_of_both_sides_are_not_proposed() -> None:
    """What is paired is no other function, however alike the callees are."""
    assert proposals(calling(same="abc"), calling(same="abcd", other="abc")) == []


def test_accepted_proposals_are_pairs() -> None:
    """Then the changes of both are one change; by default nothing is paired by a guess."""
    base, new = calling(old="abcde"), calling(young="abcde")
    plain, accepted = compare(base, new), compare(base, new, MatchingRules(accepts_renames=True))
    ir = plain.events[0]

    assert How.ACCEPTED not in plain.pairing.how
    assert plain.gross_change(ir).grown == 1
    assert accepted.pairing.how.count(How.ACCEPTED) == 1
    assert accepted.gross_change(ir).grown == 0
    assert accepted.renames == ()


def test_swapped_sides_have_the_same_proposals() -> None:
    """Whichever is the base."""
    sides = (
        calling(p="abcde", q="bcdefg", r="cdefgh"),
        calling(x="abcdf", y="bcdefg", z="abcdefgh"),
    )
    there, back = compare(*sides).renames, compare(*reversed(sides)).renames

    assert there
    assert {Rename(each.new, each.base, each.alike) for each in back} == set(there)


def test_many_unpaired_functions() -> None:
    """The work grows with the number of functions, not with that of pairs."""

    def build(count: int) -> tuple[Profile, Profile]:
        def side(name: str) -> Profile:
            lines = ["events: Ir", "fl=a.c"]
            for number in range(count):
                lines += [f"fn={name}{number}", "1 1"]
                for callee in range(number, number + 4):
                    lines += [f"cfn=callee{callee}", "calls=1 1", "1 1"]
            return profile_from("\n".join(lines).encode())

        return side("old"), side("young")

    sides = {count: compare(*build(count)) for count in (250, 2000)}
    assert len(compare(*build(250)).renames) == 250

    def propose(count: int) -> object:
        sides[count].__dict__.pop("renames", None)
        return sides[count].renames

    assert_linear(propose, 2000)
