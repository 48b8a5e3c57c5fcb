"""The reading rules, one by one, each on a small profile: names, positions, calls and jumps."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.costs.function_costs import has_call_counts
from tests.profile_rows import (
    call_rows,
    cost_rows,
    cost_table,
    diagnostic_rows,
    function_rows,
    jump_rows,
    profile_from,
)

# ------------------------------------------------------------ positions

POSITIONS = {
    "instr bb line": ("0x10 7 3", "+2 * +1", (3, 0x10), (4, 0x12)),
    "instr bb": ("0x10 7", "+2 +1", (0, 0x10), (0, 0x12)),
    "instr line": ("0x10 3", "+2 +1", (3, 0x10), (4, 0x12)),
    "bb line": ("7 3", "* +1", (3, 0), (4, 0)),
    "instr": ("0x10", "+2", (0, 0x10), (0, 0x12)),
    "bb": ("7", "+1", (0, 0), (0, 0)),
    "line": ("3", "+1", (3, 0), (4, 0)),
}


@pytest.mark.parametrize("positions", POSITIONS)
def test_positions_in_any_combination(positions: str) -> None:
    """`positions:` may hold instr, bb and line in any combination; the rest of a line are costs."""
    first, second, wanted_first, wanted_second = POSITIONS[positions]
    profile = profile_from(f"positions: {positions}\nevents: Ir\nfn=f\n{first} 100\n{second} 200\n")
    assert [(row.line, row.address, row.costs) for row in cost_rows(profile)] == [
        (*wanted_first, (100,)),
        (*wanted_second, (200,)),
    ]
    assert diagnostic_rows(profile) == []


@pytest.mark.parametrize("positions", POSITIONS)
def test_targets_in_any_combination_of_positions(positions: str) -> None:
    """Targets of calls and jumps have as many positions as cost lines."""
    place, following, (line, address), (next_line, next_address) = POSITIONS[positions]
    profile = profile_from(
        f"positions: {positions}\nevents: Ir\nfn=f\n{place} 1\n"
        f"jcnd=5 4 {following}\n{place}\n"
        f"cfn=g\ncalls=2 {following}\n{following} 9\n"
    )
    f, g = ("f", "", ""), ("g", "", "")
    assert jump_rows(profile) == [
        (0, f, "", line, address, f, "", next_line, next_address, 5, 4, True)
    ]
    assert call_rows(profile) == [(0, f, g, "", next_line, next_address, 2, (9,))]
    assert diagnostic_rows(profile) == []


def test_position_lines_move_the_base_and_targets_do_not() -> None:
    """Relative positions are based on the last cost, call or jump line, never on a target."""
    profile = profile_from(
        """
        positions: instr line
        events: Ir
        fn=f
        100 10 1
        cfn=g
        calls=1 900 90
        +1 +1 2
        +1 +1 3
        jump=1 +500 +50
        +1 +1
        +1 +1 5
        fn=g
        -4 * 6
        """
    )
    assert [(row.address, row.line) for row in cost_rows(profile)] == [
        (100, 10),
        (102, 12),
        (104, 14),
        (100, 14),
    ]
    assert [(row.address, row.line) for row in call_rows(profile)] == [(101, 11)]
    (jump,) = jump_rows(profile)
    assert (jump.source_address, jump.source_line) == (103, 13)
    assert (jump.target_address, jump.target_line) == (602, 62)


def test_an_address_wraps_and_a_line_does_not() -> None:
    """Addresses are 64-bit and wrap; a line below 0 is 0, with a diagnostic."""
    profile = profile_from(
        """
        positions: instr line
        events: Ir
        fn=f
        0xfffffffffffffffe 5 1
        +3 -9 2
        -2 +4 3
        """
    )
    assert [(row.address, row.line) for row in cost_rows(profile)] == [
        (2**64 - 2, 5),
        (1, 0),
        (2**64 - 1, 4),
    ]
    assert diagnostic_rows(profile) == [(5, "negative-line")]


def test_a_line_of_positions_only_is_no_cost() -> None:
    """A position line without costs counts nothing, but moves the base."""
    profile = profile_from("events: Ir\nfn=f\n14\n+1 7\n")
    assert [(row.line, row.costs) for row in cost_rows(profile)] == [(15, (7,))]
    assert diagnostic_rows(profile) == []


# ------------------------------------------------------------ names and ids


def test_one_id_table_for_each_kind() -> None:
    """Objects (ob cob), files (fl fi fe cfi cfl jfi) and functions (fn cfn jfn) have own tables."""
    profile = profile_from(
        """
        events: Ir
        ob=(1) prog
        fl=(1) a.c
        fn=(1) f
        1 1
        cob=(2) lib
        cfi=(2) b.c
        cfn=(2) g
        calls=1 1
        1 10
        fi=(3) c.h
        2 2
        fe=(1)
        3 3
        jfi=(4) d.h
        jfn=(3) h
        jump=1 9
        4
        ob=(2)
        fl=(4)
        fn=(3)
        5 5
        fl=(3)
        fn=(2)
        6 6
        """
    )
    f, g, h = ("f", "a.c", "prog"), ("g", "b.c", "lib"), ("h", "d.h", "prog")
    assert cost_rows(profile) == [
        (0, f, "a.c", 1, 0, (1,)),
        (0, f, "c.h", 2, 0, (2,)),
        (0, f, "a.c", 3, 0, (3,)),
        (0, h, "d.h", 5, 0, (5,)),
        (0, g, "c.h", 6, 0, (6,)),
    ]
    assert call_rows(profile) == [(0, f, g, "a.c", 1, 0, 1, (10,))]
    assert jump_rows(profile) == [(0, f, "a.c", 4, 0, h, "d.h", 9, 0, 1, 1, False)]
    assert diagnostic_rows(profile) == []


def test_ids_end_with_their_file() -> None:
    """The next file has ids of its own; equal names are the same functions."""
    profile = profile_from(
        "events: Ir\nfl=(1) a.c\nfn=(1) f\n1 1\n",
        "events: Ir\nfl=(1) b.c\nfn=(1) g\n1 2\nfl=a.c\nfn=f\n1 3\nfn=(2)\n1 4\n",
    )
    assert [(row.part, row.function, row.costs) for row in cost_rows(profile)] == [
        (0, ("f", "a.c", ""), (1,)),
        (1, ("g", "b.c", ""), (2,)),
        (1, ("f", "a.c", ""), (3,)),
        (1, ("", "a.c", ""), (4,)),
    ]
    assert diagnostic_rows(profile) == [(8, "undefined-id")]


def test_a_redefined_id() -> None:
    """An id defined again has the new name from there on, and a changed name gives a diagnostic."""
    profile = profile_from("events: Ir\nfn=(1) f\n1 1\nfn=(1) f\n2 2\nfn=(1) g\n3 3\nfn=(1)\n4 4\n")
    rows = [(row.function[0], row.line) for row in cost_rows(profile)]
    assert rows == [("f", 1), ("f", 2), ("g", 3), ("g", 4)]
    assert diagnostic_rows(profile) == [(6, "redefined-id")]
    assert "(1) g" in profile.diagnostics[0].message


def test_an_undefined_id() -> None:
    """A reference to an undefined id is an unknown name, and its costs are kept."""
    profile = profile_from(
        "events: Ir\nob=(7)\nfl=(8)\nfn=(9)\n1 5\ncob=(1)\ncfn=g\ncalls=1 1\n1 2\n"
    )
    unknown = ("", "", "")
    assert cost_rows(profile) == [(0, unknown, "", 1, 0, (5,))]
    assert call_rows(profile) == [(0, unknown, ("g", "", ""), "", 1, 0, 1, (2,))]
    assert diagnostic_rows(profile) == [(line, "undefined-id") for line in (2, 3, 4, 6)]


def test_only_a_number_in_parentheses_is_an_id() -> None:
    """`(below main)` and `(1x) f` are names; `(12)name` and `(0x1f) name` define ids."""
    profile = profile_from(
        """
        events: Ir
        fn=(below main)
        1 1
        fn=(1x) f
        1 2
        fn=(12)g
        1 3
        fn=(0x1f)   h
        1 4
        fn=(31)
        1 5
        fn=(12)
        1 6
        fn=()
        1 7
        """
    )
    names = [row.function[0] for row in cost_rows(profile)]
    assert names == ["(below main)", "(1x) f", "g", "h", "h", "g", "()"]
    assert diagnostic_rows(profile) == []


@pytest.mark.parametrize(
    "name",
    [
        "fib'2",
        "memset'_dl_fixup'0x000000000004f7e0",
        "operator()(int, char) const",
        "a name: with = signs # and blanks",
        "std::vector<int, std::allocator<int> >::operator[]",
        "class@anonymous\0/srv/x.php:3",
        "näme",
        "x" * 3000,
    ],
)
def test_names_are_kept_to_the_last_byte(name: str) -> None:
    """A name is kept unchanged: nothing is cut at spaces, colons or quotes."""
    profile = profile_from(f"events: Ir\nfl={name}.c\nfn={name}\n1 1\n".encode())
    assert function_rows(profile) == [(name, f"{name}.c", "")]
    assert diagnostic_rows(profile) == []


def test_a_name_that_is_not_utf8_keeps_its_bytes() -> None:
    """The bytes can be restored, and two names that differ in them are different."""
    profile = profile_from(b"events: Ir\nfn=caf\xe9\n1 1\nfn=caf\xe8\n1 2\n")
    names = [profile.function_name(0), profile.function_name(1)]
    assert [name.encode("utf-8", "surrogateescape") for name in names] == [b"caf\xe9", b"caf\xe8"]


def test_blank_and_unknown_names_are_one() -> None:
    """An empty name, `???` and an undefined id are the same unknown name."""
    profile = profile_from("events: Ir\nob=???\nfl=\nfn=f\n1 1\nob=\nfl=???\nfn=f\n1 2\n")
    assert function_rows(profile) == [("f", "", "")]
    assert profile.texts[int(profile.functions.file[0])] == "???"


def test_static_functions_of_two_folders_stay_two() -> None:
    """A function is identified by its name, its file by full path, and its object."""
    profile = profile_from(
        "events: Ir\nfl=x/a.c\nfn=f\n1 1\nfl=y/a.c\nfn=f\n1 2\n"
        "ob=lib\nfn=f\n1 4\nfl=x/a.c\nfn=f\n1 8\n"
    )
    assert function_rows(profile) == [
        ("f", "x/a.c", ""),
        ("f", "y/a.c", ""),
        ("f", "y/a.c", "lib"),
        ("f", "x/a.c", "lib"),
    ]


# ------------------------------------------------------------ inlined files


def test_fn_returns_to_the_last_fl() -> None:
    """`fi=` and `fe=` change the file of the lines, not of the function; `fn=` ends that."""
    profile = profile_from(
        """
        events: Ir
        fl=a.c
        fn=f
        1 1
        fi=b.h
        2 2
        fe=c.h
        3 3
        fn=g
        4 4
        fi=b.h
        5 5
        fl=d.c
        6 6
        fn=h
        7 7
        """
    )
    f, g, h = ("f", "a.c", ""), ("g", "a.c", ""), ("h", "d.c", "")
    assert [(row.function, row.file, row.line) for row in cost_rows(profile)] == [
        (f, "a.c", 1),
        (f, "b.h", 2),
        (f, "c.h", 3),
        (g, "a.c", 4),
        (g, "b.h", 5),
        (g, "d.c", 6),
        (h, "d.c", 7),
    ]


def test_fi_without_fl() -> None:
    """Without any `fl=`, a function is in the file of the `fi=` before its `fn=`."""
    profile = profile_from("events: Ir\nfi=a.py\nfn=f\n1 1\nfi=b.py\n2 2\nfn=g\n3 3\n")
    assert [(row.function, row.file) for row in cost_rows(profile)] == [
        (("f", "a.py", ""), "a.py"),
        (("f", "a.py", ""), "b.py"),
        (("g", "b.py", ""), "b.py"),
    ]


# ------------------------------------------------------------ calls


def test_a_callee_without_cob_and_cfi() -> None:
    """Its object is that of the calling function, its file the current one, even if inlined."""
    profile = profile_from(
        """
        events: Ir
        ob=prog
        fl=a.c
        fn=f
        cfn=g
        calls=1 1
        1 10
        fi=b.h
        cfn=h
        calls=1 1
        2 20
        ob=other
        cfn=i
        calls=1 1
        3 30
        """
    )
    assert [row.callee for row in call_rows(profile)] == [
        ("g", "a.c", "prog"),
        ("h", "b.h", "prog"),
        ("i", "b.h", "prog"),
    ]


def test_calls_without_cfn_repeats_the_callee() -> None:
    """`calls=` without `cfn=` repeats the last callee; without any, the callee is unknown."""
    profile = profile_from(
        "events: Ir\nfn=f\ncalls=1 1\n1 10\ncfn=g\ncalls=1 1\n2 20\ncalls=2 1\n3 30\n"
    )
    assert [(row.callee[0], row.call_count, row.costs) for row in call_rows(profile)] == [
        ("", 1, (10,)),
        ("g", 1, (20,)),
        ("g", 2, (30,)),
    ]
    assert diagnostic_rows(profile) == [(3, "call-without-callee")]


def test_an_active_call_keeps_its_cost() -> None:
    """`calls=0` is a call that had not returned: its cost counts."""
    profile = profile_from("events: Ir\nfn=f\n1 1\ncfn=g\ncalls=0 1\n1 50\nfn=g\n1 50\n")
    assert [(row.call_count, row.costs) for row in call_rows(profile)] == [(0, (50,))]
    assert cost_table(profile) == {"f": (1, 51, 0), "g": (50, 50, 0)}


@pytest.mark.parametrize("target", ["", " ", " +4", " -21 ", " *", " -1", " 0 0", " nonsense"])
def test_the_target_of_a_call_may_be_anything(target: str) -> None:
    """A call's target is ignored, whether relative, missing or too long."""
    profile = profile_from(f"events: Ir\nfn=f\n9 1\ncfn=g\ncalls=3{target}\n+1 5\n+1 2\n")
    assert [(row.line, row.call_count, row.costs) for row in call_rows(profile)] == [(10, 3, (5,))]
    assert [(row.line, row.costs) for row in cost_rows(profile)] == [(9, (1,)), (11, (2,))]
    assert diagnostic_rows(profile) == []


def test_rcalls_and_frfn() -> None:
    """`rcalls=` is a call; `frfn=` is ignored without a diagnostic."""
    profile = profile_from("events: Ir\nfn=f\nfrfn=x\ncfn=g\nrcalls=4 1\n1 5\n")
    assert [(row.callee[0], row.call_count) for row in call_rows(profile)] == [("g", 4)]
    assert diagnostic_rows(profile) == []


def test_frfn_may_define_an_id() -> None:
    """An id defined by a `frfn=` line is valid: later references have its name."""
    profile = profile_from("events: Ir\nfn=(1) f\n1 1\nfrfn=(2) g\nfn=(2)\n1 2\n")
    assert [row.function[0] for row in cost_rows(profile)] == ["f", "g"]
    assert diagnostic_rows(profile) == []


# ------------------------------------------------------------ jumps


@pytest.mark.parametrize(
    "notation", ["jcnd=2/3 12", "jcnd=3 2 12", "jcnd=2/3 +2 ", "jcnd=0x2/0x3 12"]
)
def test_both_notations_of_a_conditional_jump(notation: str) -> None:
    """`jcnd=FOLLOWED/EXECUTED` is Callgrind's notation, `jcnd=EXECUTED FOLLOWED` the grammar's."""
    profile = profile_from(f"events: Ir\nfl=a.c\nfn=f\n10 1\n{notation}\n* \n+1 1\n")
    f = ("f", "a.c", "")
    assert jump_rows(profile) == [(0, f, "a.c", 10, 0, f, "a.c", 12, 0, 3, 2, True)]
    assert [row.line for row in cost_rows(profile)] == [10, 11]
    assert diagnostic_rows(profile) == []


def test_an_unconditional_jump_is_always_followed() -> None:
    """`jump=COUNT` was executed and taken that often."""
    profile = profile_from("events: Ir\nfn=f\n10 1\njump=7 -4\n+1\n")
    f = ("f", "", "")
    assert jump_rows(profile) == [(0, f, "", 11, 0, f, "", 6, 0, 7, 7, False)]


def test_jfi_and_jfn_hold_for_one_jump() -> None:
    """Target file and function apply to the next jump only; they may define ids."""
    profile = profile_from(
        """
        events: Ir
        ob=prog
        fl=(1) a.c
        fn=(1) f
        jfi=(2) b.h
        jfn=(2) g
        jump=1 5
        1
        jump=1 6
        2
        fl=(2)
        fn=(2)
        3 3
        """
    )
    f, g = ("f", "a.c", "prog"), ("g", "b.h", "prog")
    assert jump_rows(profile) == [
        (0, f, "a.c", 1, 0, g, "b.h", 5, 0, 1, 1, False),
        (0, f, "a.c", 2, 0, f, "a.c", 6, 0, 1, 1, False),
    ]
    assert [row.function for row in cost_rows(profile)] == [g]


# ------------------------------------------------------------ costs


@pytest.mark.parametrize(
    ("text", "cost", "odd"),
    [
        (str(2**63 - 1), 2**63 - 1, []),
        (str(2**63 + 1), -(2**63) + 1, [(3, "wrapped-number")]),
        (str(2**64 - 5), -5, [(3, "wrapped-number")]),
        ("0xffffffffffffffff", -1, [(3, "wrapped-number")]),
        ("-7", -7, [(3, "negative-cost")]),
        (str(2**64 + 5), 5, [(3, "huge-number")]),
        ("0x10000000000000005", 5, [(3, "huge-number")]),
        ("0" * 30 + "12", 12, []),
    ],
)
def test_counters_beyond_63_bits(text: str, cost: int, odd: list[tuple[int, str]]) -> None:
    """A counter of 2^63 or more is a wrapped negative one; each such case gives a diagnostic."""
    profile = profile_from(f"events: Ir\nfn=f\n1 {text}\n")
    assert [row.costs for row in cost_rows(profile)] == [(cost,)]
    assert diagnostic_rows(profile) == odd


def test_negative_costs_add_up() -> None:
    """Freed memory is negative cost: sums are signed."""
    profile = profile_from(
        "events: Mem\nfn=f\n1 100\n2 -30\ncfn=g\ncalls=1 1\n3 -50\nfn=g\n1 -50\n"
    )
    assert cost_table(profile) == {"f": (70, 20, 0), "g": (-50, -50, 1)}


def test_costs_of_the_same_line_add_up() -> None:
    """The same line may appear many times."""
    profile = profile_from("events: Ir\nfn=f\n1 1\nfn=g\n1 10\nfn=f\n1 2\n1 4\n")
    assert cost_table(profile) == {"f": (7, 7, 0), "g": (10, 10, 0)}


def test_counts_above_2_to_the_53_are_exact() -> None:
    """No sum is computed in floating point."""
    big = 2**53
    profile = profile_from(f"events: Ir\nfn=f\n1 {big}\n2 1\n3 1\n4 1\nfn=g\n1 {big + 1}\n1 2\n")
    assert cost_table(profile) == {"f": (big + 3, big + 3, 0), "g": (big + 3, big + 3, 0)}


# ------------------------------------------------------------ what other writers do


@pytest.mark.parametrize("key", ["fl", "fi", "fe"])
def test_a_file_with_a_discriminator(key: str) -> None:
    """gperftools takes what addr2line adds to a line for a part of the file's name."""
    profile = profile_from(
        f"events: Hits\nfl=/src/a.c\nfn=main\n12 3\n{key}=/src/a.c:33 (discriminator 2)\n33 5\n"
        f"{key}=(1) /src/b.c (discriminator 1)\n1 1\n{key}=(1)\n2 1\n"
        f"{key}=x (discriminator y)\n3 1\n"
    )
    files = ["/src/a.c", "/src/a.c", "/src/b.c", "/src/b.c", "x (discriminator y)"]
    assert [row.file for row in cost_rows(profile)] == files
    assert diagnostic_rows(profile) == []


def test_a_function_with_a_discriminator_keeps_its_name() -> None:
    """Only names of files lose it."""
    profile = profile_from("events: Hits\nfl=a.c\nfn=f:33 (discriminator 2)\n12 3\n")
    assert [row.function[0] for row in cost_rows(profile)] == ["f:33 (discriminator 2)"]


def test_an_unknown_line() -> None:
    """`?` as a position is 0, with a notice; the cost counts, and it is the base of the next."""
    profile = profile_from("events: Hits\nfl=a.c\nfn=f\n7 1\n? 3\n+2 4\n?? 5\n? x\n")
    assert [(row.line, row.costs) for row in cost_rows(profile)] == [
        (7, (1,)),
        (0, (3,)),
        (2, (4,)),
        (0, (5,)),
    ]
    odd = [(5, "no-position"), (7, "no-position"), (8, "no-position"), (8, "text-after-costs")]
    assert sorted(diagnostic_rows(profile)) == odd


def test_a_line_of_questions_is_no_cost() -> None:
    """Text that begins with `?` but is no position is an unknown line."""
    profile = profile_from("events: Hits\nfn=f\n?what 3\n1 2\n")
    assert [row.costs for row in cost_rows(profile)] == [(2,)]
    assert diagnostic_rows(profile) == [(3, "unknown-line")]


def test_negative_counts_are_unknown() -> None:
    """reli-prof writes `calls=-1 -1`: the cost counts, and the number of calls is unknown."""
    profile = profile_from(
        "events: Samples\nfl=a.php\nfn=f\n12 1\ncfn=g\ncalls=-1 -1\n14 6\nfn=g\n40 6\n"
    )
    assert [(row.call_count, row.costs) for row in call_rows(profile)] == [(0, (6,))]
    assert not has_call_counts(profile)
    assert diagnostic_rows(profile) == [(6, "unknown-count")]


def test_an_unknown_position_is_a_column() -> None:
    """An unknown word in `positions:` is one column that is skipped, wherever it stands."""
    for positions, line in (
        ("index", "1 123 20"),
        ("index line", "1 7 123 20"),
        ("line index", "7 1 123 20"),
        ("instr index line", "0x10 1 7 123 20"),
        ("a line b", "1 7 +2 123 20"),
    ):
        profile = profile_from(f"positions: {positions}\nevents: A B\nfl=a\nfn=f\n{line}\n")
        (row,) = cost_rows(profile)
        assert row.costs == (123, 20)
        assert row.line == (7 if "line" in positions else 0)
        assert row.address == (0x10 if "instr" in positions else 0)
        assert diagnostic_rows(profile) == [(1, "unknown-position")]


def test_empty_positions_are_lines() -> None:
    """`positions:` without a word is the default, and reported."""
    profile = profile_from("positions:\nevents: Ir\nfl=a\nfn=f\n7 5\n")
    assert [(row.line, row.costs) for row in cost_rows(profile)] == [(7, (5,))]
    assert diagnostic_rows(profile) == [(1, "bad-header")]
