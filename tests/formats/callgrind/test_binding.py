"""File and object of a function, and the target of a call: docs/design.md, reading rules 2 and 3.

The names before a line of costs say where these costs belong, in whatever order they stand. An id
is a name; the function of that name has the file and the object in force at its first use.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.profile_rows import (
    call_rows,
    cost_rows,
    cost_table,
    diagnostic_rows,
    function_rows,
    jump_rows,
    profile_from,
)

# What bzr's profiler writes: no fl=, names in full, and cfi= behind cfn=.
CFI_BEHIND_CFN = """
    events: Ticks
    summary: 116
    fi=~
    fn=<len>
    0  6

    fi=lib/index.py
    fn=walk index:10
    10 30
    cfn=parse index:90
    cfi=lib/parse.py
    calls=4 90
    10 47
    cfn=<len>
    cfi=~
    calls=7 0
    10 2

    fi=lib/parse.py
    fn=parse index:90
    90 40
    cfn=<len>
    cfi=~
    calls=9 0
    90 4
    cfn=walk index:10
    cfi=lib/index.py
    calls=1 10
    90 3
    """


# ------------------------------------------------------------ the function of costs


NAMES = ("ob=b.so", "fl=a.c", "fn=m")


@pytest.mark.parametrize("names", list(permutations(NAMES)), ids=" ".join)
def test_names_before_costs_in_any_order(names: tuple[str, ...]) -> None:
    """Object, file and function hold for the costs that follow them, whichever comes last."""
    profile = profile_from("\n".join(("events: Ir", "ob=a.so", "fl=z.c", *names, "1 5", "")))
    assert cost_rows(profile) == [(0, ("m", "a.c", "b.so"), "a.c", 1, 0, (5,))]
    assert function_rows(profile) == [("m", "a.c", "b.so")]


def test_a_function_before_any_file() -> None:
    """`fn=m`, `fl=a.c`, costs: the function is in a.c."""
    profile = profile_from("events: Ir\nfn=m\nfl=a.c\n1 5\n")
    assert cost_rows(profile) == [(0, ("m", "a.c", ""), "a.c", 1, 0, (5,))]


def test_an_inlined_file_before_the_first_costs() -> None:
    """`fi=` names the file of lines only: the function is in the file of the last `fl=`."""
    profile = profile_from("events: Ir\nfl=a.c\nfn=m\nfi=b.h\n7 3\nfe=a.c\n8 4\n")
    m = ("m", "a.c", "")
    assert cost_rows(profile) == [(0, m, "b.h", 7, 0, (3,)), (0, m, "a.c", 8, 0, (4,))]


def test_names_behind_costs_change_no_function() -> None:
    """A function has one file and one object, those of its first costs."""
    profile = profile_from(
        """
        events: Ir
        ob=a.so
        fl=a.c
        fn=m
        1 5
        ob=b.so
        fl=b.c
        2 7
        fn=k
        3 9
        """
    )
    m, k = ("m", "a.c", "a.so"), ("k", "b.c", "b.so")
    assert cost_rows(profile) == [
        (0, m, "a.c", 1, 0, (5,)),
        (0, m, "b.c", 2, 0, (7,)),
        (0, k, "b.c", 3, 0, (9,)),
    ]


def test_an_id_keeps_the_function_of_its_first_use() -> None:
    """A later reference is to the same function, whatever file and object are in force there."""
    profile = profile_from(
        """
        events: Ir
        ob=a.so
        fl=a.c
        fn=(1) m
        1 5
        ob=b.so
        fl=b.c
        fn=(1)
        2 7
        cob=c.so
        cfi=c.c
        cfn=(1)
        calls=1 1
        3 2
        """
    )
    m = ("m", "a.c", "a.so")
    assert cost_rows(profile) == [(0, m, "a.c", 1, 0, (5,)), (0, m, "b.c", 2, 0, (7,))]
    assert call_rows(profile) == [(0, m, m, "b.c", 3, 0, 1, (2,))]
    assert function_rows(profile) == [m]


def test_a_name_in_full_is_another_function_in_another_file() -> None:
    """Without ids, the name says nothing about earlier functions of that name."""
    profile = profile_from("events: Ir\nfl=a.c\nfn=m\n1 5\nfl=b.c\nfn=m\n2 7\n")
    assert [(row.function, row.costs) for row in cost_rows(profile)] == [
        (("m", "a.c", ""), (5,)),
        (("m", "b.c", ""), (7,)),
    ]


def test_an_id_defined_again_is_bound_again() -> None:
    """A definition ends what the id meant before, even with the same name."""
    profile = profile_from(
        "events: Ir\nfl=a.c\nfn=(1) m\n1 5\nfl=b.c\nfn=(1) m\n2 7\nfl=c.c\nfn=(1)\n3 9\n"
    )
    assert [(row.function, row.costs) for row in cost_rows(profile)] == [
        (("m", "a.c", ""), (5,)),
        (("m", "b.c", ""), (7,)),
        (("m", "b.c", ""), (9,)),
    ]
    assert diagnostic_rows(profile) == []


def test_a_definition_without_costs_binds_nothing() -> None:
    """The file of an id's definition means nothing if no costs follow it there."""
    profile = profile_from(
        "events: Ir\nob=a.so\nfl=a.c\nfn=(1) m\nfl=b.c\nfn=k\n1 5\nfn=(1)\n2 7\n"
    )
    assert [(row.function, row.costs) for row in cost_rows(profile)] == [
        (("k", "b.c", "a.so"), (5,)),
        (("m", "b.c", "a.so"), (7,)),
    ]
    assert sorted(function_rows(profile)) == [("k", "b.c", "a.so"), ("m", "b.c", "a.so")]


def test_a_call_binds_its_caller() -> None:
    """A function whose first line is a call has the file in force there, not that of its costs."""
    profile = profile_from(
        "events: Ir\nob=a.so\nfl=a.c\nfn=m\ncfn=g\ncalls=1 1\n1 10\nob=b.so\nfl=b.c\n2 5\n"
    )
    m = ("m", "a.c", "a.so")
    assert cost_rows(profile) == [(0, m, "b.c", 2, 0, (5,))]
    assert call_rows(profile) == [(0, m, ("g", "a.c", "a.so"), "a.c", 1, 0, 1, (10,))]


def test_a_jump_binds_its_function() -> None:
    """A function whose first line is a jump has the file in force there."""
    profile = profile_from("events: Ir\nfl=a.c\nfn=m\njump=1 4\n3\nfl=b.c\n4 5\n")
    assert cost_rows(profile) == [(0, ("m", "a.c", ""), "b.c", 4, 0, (5,))]


def test_a_name_keeps_what_it_meant_before_its_id_changed() -> None:
    """An id defined again before the function's first line: the function has its old name."""
    profile = profile_from(
        """
        events: Ir
        fl=a.c
        fn=(1) m
        cfi=x.c
        cfn=(1) k
        calls=1 1
        1 5
        2 7
        fn=(1)
        3 9
        """
    )
    m, k = ("m", "a.c", ""), ("k", "x.c", "")
    assert call_rows(profile) == [(0, m, k, "a.c", 1, 0, 1, (5,))]
    assert [(row.function, row.costs) for row in cost_rows(profile)] == [(m, (7,)), (k, (9,))]
    assert diagnostic_rows(profile) == [(5, "redefined-id")]


# ------------------------------------------------------------ the target of a call

TARGET = ("cob=lib.so", "cfi=b.c", "cfn=g")


@pytest.mark.parametrize("names", list(permutations(TARGET)), ids=" ".join)
@pytest.mark.parametrize("ids", [False, True], ids=["names", "ids"])
def test_the_target_of_a_call_in_any_order(names: tuple[str, ...], ids: bool) -> None:
    """`cob=`, `cfi=` and `cfn=` in any order before `calls=` name one function."""
    lines = [name.replace("=", "=(9) ") if ids else name for name in names]
    profile = profile_from(
        "\n".join(("events: Ir", "ob=a.so", "fl=a.c", "fn=m", *lines, "calls=2 7", "1 10", ""))
        + "ob=lib.so\nfl=b.c\nfn=g\n7 10\n"
    )
    m, g = ("m", "a.c", "a.so"), ("g", "b.c", "lib.so")
    assert call_rows(profile) == [(0, m, g, "a.c", 1, 0, 2, (10,))]
    assert cost_table(profile) == {"m": (0, 10, 0), "g": (10, 10, 2)}
    assert sorted(function_rows(profile)) == [g, m]
    assert diagnostic_rows(profile) == []


def test_a_target_holds_for_one_call_in_any_order() -> None:
    """File and object given behind `cfn=` end with the call, as those before it do."""
    profile = profile_from(
        """
        events: Ir
        ob=a.so
        fl=a.c
        fn=m
        cfn=g
        cfi=b.c
        cob=lib.so
        calls=1 1
        1 10
        cfn=h
        calls=1 1
        2 20
        """
    )
    assert [call.callee for call in call_rows(profile)] == [
        ("g", "b.c", "lib.so"),
        ("h", "a.c", "a.so"),
    ]


def test_an_id_without_target_file_is_bound_at_its_call() -> None:
    """Without `cfi=`, the callee is in the file in force at `calls=`, here an inlined one."""
    profile = profile_from(
        """
        events: Ir
        fl=a.c
        fn=(1) m
        cfn=(2) g
        fi=b.h
        calls=1 1
        1 10
        fl=c.c
        fn=(2)
        4 10
        """
    )
    g = ("g", "b.h", "")
    assert [call.callee for call in call_rows(profile)] == [g]
    assert cost_rows(profile) == [(0, g, "c.c", 4, 0, (10,))]


def test_a_callee_defined_ahead_is_bound_at_its_call() -> None:
    """The file at a function's definition gives way to the `cfi=` of its first call."""
    profile = profile_from(
        """
        events: Ir
        fl=(1) a.c
        fn=(1) m
        fn=(2) g
        fn=(1)
        cfi=(2) b.c
        cfn=(2)
        calls=1 1
        1 10
        fl=(2)
        fn=(2)
        9 10
        """
    )
    m, g = ("m", "a.c", ""), ("g", "b.c", "")
    assert call_rows(profile) == [(0, m, g, "a.c", 1, 0, 1, (10,))]
    assert cost_rows(profile) == [(0, g, "b.c", 9, 0, (10,))]


def test_the_object_of_a_callee_is_that_of_the_caller() -> None:
    """Without `cob=`, an `ob=` behind the caller's first costs does not move the callee."""
    profile = profile_from("events: Ir\nob=a.so\nfn=m\n1 1\nob=b.so\ncfn=g\ncalls=1 1\n2 5\n")
    assert [call.callee for call in call_rows(profile)] == [("g", "", "a.so")]


def test_a_callee_without_calls_takes_its_file_along() -> None:
    """A `cfn=` that no `calls=` follows leaves neither its file nor its object behind."""
    profile = profile_from(
        """
        events: Ir
        ob=a.so
        fl=a.c
        fn=m
        cob=lib.so
        cfi=b.c
        cfn=g
        1 5
        cfn=h
        calls=1 1
        2 20
        """
    )
    m = ("m", "a.c", "a.so")
    assert call_rows(profile) == [(0, m, ("h", "a.c", "a.so"), "a.c", 2, 0, 1, (20,))]
    assert cost_rows(profile) == [(0, m, "a.c", 1, 0, (5,))]


def test_a_callee_without_calls_leaves_the_names_behind_it() -> None:
    """`cfi=` between two `cfn=` belongs to the second if the first has no call."""
    profile = profile_from(
        """
        events: Ir
        fl=a.c
        fn=m
        cfi=b.c
        cfn=g
        cfi=c.c
        cfn=h
        calls=1 1
        2 20
        """
    )
    assert [call.callee for call in call_rows(profile)] == [("h", "c.c", "")]


def test_an_uncalled_definition_binds_nothing() -> None:
    """An id defined by a `cfn=` without `calls=` is bound where it is used later."""
    profile = profile_from(
        """
        events: Ir
        fl=a.c
        fn=m
        cfi=b.c
        cfn=(2) g
        1 5
        fl=c.c
        fn=(2)
        9 10
        """
    )
    assert [(row.function, row.costs) for row in cost_rows(profile)] == [
        (("m", "a.c", ""), (5,)),
        (("g", "c.c", ""), (10,)),
    ]


def test_callees_with_their_file_behind_them_join_their_bodies() -> None:
    """In a file with `cfi=` behind `cfn=`, callee and body are one function."""
    profile = profile_from(CFI_BEHIND_CFN)
    length = ("<len>", "~", "")
    walk, parse = ("walk index:10", "lib/index.py", ""), ("parse index:90", "lib/parse.py", "")
    assert sorted(function_rows(profile)) == [length, parse, walk]
    assert call_rows(profile) == [
        (0, walk, parse, "lib/index.py", 10, 0, 4, (47,)),
        (0, walk, length, "lib/index.py", 10, 0, 7, (2,)),
        (0, parse, length, "lib/parse.py", 90, 0, 9, (4,)),
        (0, parse, walk, "lib/parse.py", 90, 0, 1, (3,)),
    ]
    # walk is entered from parse only: 3; parse from walk only: 47; <len> 2 + 4
    assert cost_table(profile, cycles=False) == {
        "<len>": (6, 6, 16),
        "walk index:10": (30, 3, 1),
        "parse index:90": (40, 47, 4),
    }
    assert diagnostic_rows(profile) == []


def test_a_function_that_calls_itself_is_bound_as_caller() -> None:
    """The caller is bound first, so the `cfi=` of its call is not its file."""
    profile = profile_from("events: Ir\nfl=a.c\nfn=(1) m\ncfi=x.c\ncfn=(1)\ncalls=1 1\n1 5\n")
    m = ("m", "a.c", "")
    assert call_rows(profile) == [(0, m, m, "a.c", 1, 0, 1, (5,))]
    assert function_rows(profile) == [m]


# ------------------------------------------------------------ the target of a jump


@pytest.mark.parametrize("names", list(permutations(("jfi=b.h", "jfn=(2) g"))), ids=" ".join)
def test_the_target_of_a_jump_in_any_order(names: tuple[str, ...]) -> None:
    """`jfi=` and `jfn=` before the jump, in any order, name one function."""
    lines = ("events: Ir", "ob=p", "fl=a.c", "fn=f", *names, "jump=1 5", "1", "fl=c.c", "fn=(2)")
    profile = profile_from("\n".join((*lines, "5 5", "")))
    f, g = ("f", "a.c", "p"), ("g", "b.h", "p")
    assert jump_rows(profile) == [(0, f, "a.c", 1, 0, g, "b.h", 5, 0, 1, 1, False)]
    assert cost_rows(profile) == [(0, g, "c.c", 5, 0, (5,))]


# ------------------------------------------------------------ callees without a file

BODIES = "fl=b.c\nfn=g\n5 7\nfl=a.c\nfn=main\n1 2\ncfn=g\ncalls=1 0\n2 7\n"


def test_a_callee_without_a_file_is_the_only_body_of_its_name() -> None:
    """Where no line gives the file of a callee, a name with one body is that body."""
    profile = profile_from("events: Ir\n" + BODIES)
    g = ("g", "b.c", "")
    assert [row.callee for row in call_rows(profile)] == [g]
    assert sorted(function_rows(profile)) == [g, ("main", "a.c", "")]
    assert cost_table(profile) == {"main": (2, 9, 0), "g": (7, 7, 1)}


def test_a_body_behind_the_call() -> None:
    """The body may come later, and make calls only."""
    profile = profile_from(
        "events: Ir\nfl=a.c\nfn=main\ncfn=g\ncalls=1 0\n2 7\nfl=b.c\nfn=g\ncfn=h\ncalls=3 0\n5 7\n"
    )
    assert [(row.caller[:2], row.callee[:2]) for row in call_rows(profile)] == [
        (("main", "a.c"), ("g", "b.c")),
        (("g", "b.c"), ("h", "b.c")),
    ]


@pytest.mark.parametrize(
    ("text", "callee"),
    [
        (BODIES + "fl=c.c\nfn=g\n5 7\n", ("g", "a.c", "")),  # two bodies
        (BODIES + "fl=a.c\nfn=g\n5 7\n", ("g", "a.c", "")),  # a body in the file of the caller
        (BODIES.replace("cfn=g", "cfn="), ("", "a.c", "")),  # an unknown name
        (BODIES.replace("cfn=g", "cfl=a.c\ncfn=g"), ("g", "a.c", "")),  # a callee with a file
        (BODIES.replace("cfn=g", "cob=x\ncfn=g"), ("g", "a.c", "x")),  # in another object
    ],
)
def test_callees_that_are_other_functions(text: str, callee: tuple[str, str, str]) -> None:
    """With two bodies, a body where the callee is looked for, or a place of its own, it is that."""
    calls = call_rows(profile_from("events: Ir\n" + text))
    assert [row.callee for row in calls] == [callee]


@pytest.mark.parametrize(("creator", "file"), [("", "b.c"), ("creator: callgrind-3.22.0\n", "a.c")])
def test_callees_without_a_file_beside_others(creator: str, file: str) -> None:
    """R's proftools gives the files it knows; Callgrind leaves out that of the caller alone."""
    text = "cfl=c.c\ncfn=h\ncalls=1 0\n3 7\n"
    profile = profile_from(f"{creator}events: Ir\n{BODIES}{text}")
    assert [row.callee[:2] for row in call_rows(profile)] == [("g", file), ("h", "c.c")]
