"""Levels of recursion, `f'2` and `f'3`, folded into the function `f`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.function_costs import function_costs
from qcachegrind_py.analysis.costs.recursion_levels import (
    deepest_level,
    fold_levels,
    has_levels,
)
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import (
    DATA,
    call_rows,
    cost_rows,
    cost_table,
    function_rows,
    jump_rows,
    profile_from,
)
from tests.profile_text import profile_text

FIBONACCI = profile_text("""
    main@a.c 1 -> f 1x100
    f'2@a.c 20 -> f'3 3x70
    f@a.c 10 -> f'2 1x90
    f'3@a.c 30 -> f'3 5x40, leaf 1x40
    leaf@a.c 40
    """)


def test_levels_become_one_function() -> None:
    """All levels become one function with the sum of their self costs, which calls itself."""
    folded = fold_levels(profile_from(FIBONACCI))
    assert cost_table(folded) == {"main": (1, 101, 0), "f": (60, 100, 10), "leaf": (40, 40, 1)}
    assert [(call.caller[0], call.callee[0], call.call_count) for call in call_rows(folded)] == [
        ("main", "f", 1),
        ("f", "f", 3),
        ("f", "f", 1),
        ("f", "f", 5),
        ("f", "leaf", 1),
    ]


def test_deepest_level() -> None:
    """Names that merely look like a level, such as those of callers, are none."""
    assert deepest_level(profile_from(FIBONACCI)) == 3
    assert deepest_level(profile_from("events: Ir\nfl=a.c\nfn=f\n1 1\nfn=f'2'g\n1 1\n")) == 1


def test_functions_keep_the_order_of_their_first_level() -> None:
    """No unused row is left in the table of functions; its order is that of first appearance."""
    profile = profile_from(
        "events: Ir\nfn=a\n1 1\nfn=g'2\n1 1\nfn=f\n1 1\nfn=g\n1 1\nfn=f'2\n1 1\n"
    )
    assert [name for name, _file, _object in function_rows(fold_levels(profile))] == ["a", "g", "f"]


def test_without_a_first_level_the_lowest_gives_the_name() -> None:
    """If `f` itself was not recorded, the function is named after its lowest level."""
    profile = profile_from("events: Ir\nfn=f'10\n1 1\nfn=f'3\n1 2\nfn=f'9\n1 4\n")
    assert cost_table(fold_levels(profile)) == {"f'3": (7, 7, 0)}


def test_levels_of_other_files_and_objects_are_other_functions() -> None:
    """Only levels with the same file and object are one function."""
    profile = profile_from(
        """
        events: Ir
        ob=/bin/a
        fl=a.c
        fn=f
        1 1
        fn=f'2
        1 2
        fl=b.c
        fn=f'2
        1 4
        ob=/bin/b
        fn=f'2
        1 8
        fn=f'3
        1 16
        """
    )
    folded = fold_levels(profile)
    assert function_rows(folded) == [
        ("f", "a.c", "/bin/a"),
        ("f'2", "b.c", "/bin/a"),
        ("f'2", "b.c", "/bin/b"),
    ]
    assert function_costs(folded).self_cost.tolist() == [[3, 4, 24]]


@pytest.mark.parametrize(
    "name", ["f", "f'main", "f'2'main", "f'1", "f'0", "f'02", "f'2x", "f''", "'2", "f'12345678901"]
)
def test_other_names_are_no_levels(name: str) -> None:
    """A level is a number of at least 2 after the last quote; callers in a name are not levels."""
    profile = profile_from(f"events: Ir\nfn=f\n1 1\nfn={name}\n1 2\nfn=main\n1 4\n")
    assert (has_levels(profile), fold_levels(profile) is profile) == (False, True)


def test_a_level_behind_callers_counts() -> None:
    """`f'main'2` is the second level of `f'main'`, unrelated to `f`."""
    profile = profile_from("events: Ir\nfn=f\n1 1\nfn=f'main\n1 2\nfn=f'main'2\n1 4\n")
    assert cost_table(fold_levels(profile)) == {"f": (1, 1, 0), "f'main": (6, 6, 0)}


def test_names_that_look_alike_stay_apart() -> None:
    """Names of equal length, start and end are still different functions."""
    profile = profile_from(
        "events: Ir\nfn=namespace_one_function\n1 1\n"
        "fn=namespace_two_function'2\n1 2\nfn=namespace_two_function\n1 4\n"
    )
    assert cost_table(fold_levels(profile)) == {
        "namespace_one_function": (1, 1, 0),
        "namespace_two_function": (6, 6, 0),
    }


def test_jumps_move_with_their_functions() -> None:
    """A jump within a level, or out of it, becomes one of the function."""
    profile = profile_from(
        "events: Ir\nfn=f\n1 1\nfn=f'2\n2 2\njump=3 4\n2\njfn=f\njcnd=1/3 2\n2\nfn=g\n1 1\n"
    )
    assert jumping(profile) == [("f'2", "f'2"), ("f'2", "f")]
    assert jumping(fold_levels(profile)) == [("f", "f"), ("f", "f")]


def jumping(profile: Profile) -> list[tuple[str, str]]:
    """The source and target functions of each jump."""
    return [(jump.source_function[0], jump.target_function[0]) for jump in jump_rows(profile)]


def test_nothing_else_is_copied() -> None:
    """Columns without functions are shared with the profile that was folded."""
    profile = profile_from(FIBONACCI)
    folded = fold_levels(profile)
    assert folded.texts is profile.texts
    assert folded.costs is profile.costs
    assert folded.parts is profile.parts
    assert folded.calls.values is profile.calls.values
    assert folded.runs.start is profile.runs.start


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        DATA / "recur-everything" / "callgrind.out.21921.xz",
        DATA / "recur-dumps" / "callgrind.out.21941.xz",
        DATA / "python" / "callgrind.out.python-default.xz",
    ],
    ids=lambda path: path.parent.name,
)
def test_no_cost_is_lost_in_real_profiles(path: Path) -> None:
    """Every line of a real profile is unchanged except for its function, now without a level."""
    profile = load(path)
    folded = fold_levels(profile)
    assert has_levels(profile)
    assert not has_levels(folded)
    assert [row._replace(function=base(row.function)) for row in cost_rows(profile)] == [
        row._replace(function=base(row.function)) for row in cost_rows(folded)
    ]
    assert self_costs(folded) == self_costs(profile)


def base(function: tuple[str, str, str]) -> tuple[str, str, str]:
    """A function's name without its level, cut off as text."""
    name, file, object_ = function
    before, _, level = name.rpartition("'")
    return (before if before and level.isdigit() else name), file, object_


def self_costs(profile: Profile) -> dict[tuple[str, str, str], list[int]]:
    """The self cost of each function, its levels summed."""
    sums: dict[tuple[str, str, str], list[int]] = {}
    values = np.asarray(function_costs(profile).self_cost).T.tolist()
    for function, costs in zip(function_rows(profile), values, strict=True):
        before = sums.get(base(function), [0] * len(costs))
        sums[base(function)] = [a + b for a, b in zip(before, costs, strict=True)]
    return sums
