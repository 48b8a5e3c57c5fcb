"""Calls and jumps without their second line: docs/design.md, reading rule 5.

"After a `calls=` line there MUST be a cost line." One that is missing must not cost the lines that
follow anything.
"""

from __future__ import annotations

import pytest

from tests.profile_rows import (
    call_rows,
    cost_rows,
    cost_table,
    diagnostic_rows,
    jump_rows,
    profile_from,
)

HEAD = "events: Ir\nfl=a.c\nfn=m\n1 10\n"
M = ("m", "a.c", "")


def kinds(drawing: str) -> list[str]:
    """The kind of each diagnostic, in order of the lines."""
    return [kind for _line, kind in diagnostic_rows(profile_from(drawing))]


# ------------------------------------------------------------ calls


def test_a_function_behind_calls_has_its_costs() -> None:
    """The cost line behind the next `fn=` is that function's own."""
    drawing = HEAD + "cfn=g\ncalls=4 0\nfn=k\n9 5\n"
    profile = profile_from(drawing)
    assert cost_rows(profile) == [
        (0, M, "a.c", 1, 0, (10,)),
        (0, ("k", "a.c", ""), "a.c", 9, 0, (5,)),
    ]
    assert call_rows(profile) == []
    assert kinds(drawing) == ["call-without-cost"]


NAMES = ["ob=p", "cob=p"] + [f"{key}=b.c" for key in ("fl", "fi", "fe", "cfi", "cfl", "jfi")]
NAMES += ["cfn=h", "jfn=h"]


@pytest.mark.parametrize("name", NAMES)
def test_names_within_a_call_do_no_harm(name: str) -> None:
    """A name between `calls=` and its costs leaves the call as it is; it is of later lines."""
    drawing = f"{HEAD}cfn=g\ncalls=4 0\n{name}\n# x\n\n9 5\n"
    profile = profile_from(drawing)
    assert [(row.function, row.file, row.line, row.costs) for row in cost_rows(profile)] == [
        (M, "a.c", 1, (10,))
    ]
    assert call_rows(profile) == [(0, M, ("g", "a.c", ""), "a.c", 9, 0, 4, (5,))]
    assert kinds(drawing) == []


def test_names_within_a_call_are_of_later_lines() -> None:
    """The costs behind it are in another file, the next function in another object and file."""
    profile = profile_from(
        f"{HEAD}cfn=g\ncalls=4 0\nfl=(7) z.c\nob=p\n2 5\n3 6\nfn=k\n4 7\nfl=(7)\nfn=n\n5 8\n"
    )
    assert [(row.caller, row.callee, row.file) for row in call_rows(profile)] == [
        (M, ("g", "a.c", ""), "a.c")
    ]
    assert [(row.function, row.file, row.line) for row in cost_rows(profile)] == [
        (M, "a.c", 1),
        (M, "z.c", 3),
        (("k", "z.c", "p"), "z.c", 4),
        (("n", "z.c", "p"), "z.c", 5),
    ]


def test_a_callee_within_a_call_is_that_of_the_next() -> None:
    """`cfn=`, `cfi=` and `cob=` between the lines of a call wait for the next `calls=`."""
    profile = profile_from(
        f"{HEAD}cfn=g\ncalls=4 0\ncob=lib\ncfi=b.c\ncfn=h\n2 5\ncalls=1 0\n3 6\n"
    )
    assert [(row.callee, row.call_count, row.costs) for row in call_rows(profile)] == [
        (("g", "a.c", ""), 4, (5,)),
        (("h", "b.c", "lib"), 1, (6,)),
    ]


@pytest.mark.parametrize("end", ["fn=k", "calls=2 7", "desc: x", "totals: 10", "summary: 10"])
def test_what_ends_a_call(end: str) -> None:
    """`fn=`, another `calls=` and each header line do; there is no such call, and it is said."""
    drawing = f"{HEAD}cfn=g\ncalls=4 0\n{end}\nfn=k\n"
    profile = profile_from(drawing)
    assert call_rows(profile) == []
    assert "call-without-cost" in kinds(drawing)
    assert cost_table(profile)["m"] == (10, 10, 0)


@pytest.mark.parametrize("jump", ["jump=3 12", "jcnd=3 3 12"])
def test_a_jump_behind_an_incomplete_call(jump: str) -> None:
    """The position behind the jump is the jump's source."""
    drawing = f"{HEAD}cfn=g\ncalls=4 0\n{jump}\n9\n10 5\n"
    profile = profile_from(drawing)
    assert call_rows(profile) == []
    assert [(row.source_line, row.target_line, row.executed) for row in jump_rows(profile)] == [
        (9, 12, 3)
    ]
    assert [(row.line, row.costs) for row in cost_rows(profile)] == [(1, (10,)), (10, (5,))]
    assert kinds(drawing) == ["call-without-cost"]


@pytest.mark.parametrize("between", ["", "\n", "# a comment\n", "\n# a comment\n\n"])
def test_a_comment_leaves_a_call_complete(between: str) -> None:
    """Empty lines and comments are allowed everywhere, also between a call and its costs."""
    drawing = f"{HEAD}cfn=g\ncalls=4 0\n{between}9 5\n"
    assert call_rows(profile_from(drawing)) == [(0, M, ("g", "a.c", ""), "a.c", 9, 0, 4, (5,))]
    assert kinds(drawing) == []


def test_a_call_whose_cost_line_has_no_costs() -> None:
    """The grammar's costs are optional: the call counts, and costs nothing."""
    drawing = HEAD + "cfn=g\ncalls=4 0\n9\n10 5\n"
    profile = profile_from(drawing)
    assert call_rows(profile) == [(0, M, ("g", "a.c", ""), "a.c", 9, 0, 4, (0,))]
    assert cost_table(profile) == {"m": (15, 15, 0), "g": (0, 0, 4)}
    assert kinds(drawing) == []


def test_a_call_at_the_end_of_a_file() -> None:
    """A file that ends before the costs of a call is cut, and has no such call."""
    drawing = HEAD + "cfn=g\ncalls=4 0\n"
    profile = profile_from(drawing)
    assert cost_table(profile)["m"] == (10, 10, 0)
    assert call_rows(profile) == []
    assert kinds(drawing) == ["cut"]


def test_an_incomplete_call_spends_its_target() -> None:
    """`cob=` and `cfi=` before an incomplete call are not those of the next one."""
    profile = profile_from(HEAD + "cob=lib\ncfi=b.c\ncfn=g\ncalls=4 0\ncfn=h\ncalls=2 7\n9 5\n")
    assert [row.callee for row in call_rows(profile)] == [("h", "a.c", "")]


def test_names_behind_an_incomplete_call_are_of_the_next() -> None:
    """`cob=` and `cfi=` behind an incomplete call are those of the next one."""
    profile = profile_from(HEAD + "cfn=g\ncalls=4 0\ncob=lib\ncfi=b.c\ncfn=h\ncalls=2 7\n9 5\n")
    assert [row.callee for row in call_rows(profile)] == [("h", "b.c", "lib")]


def test_an_incomplete_call_does_not_move_the_base() -> None:
    """Relative positions are based on the last line with positions, not on the call's target."""
    profile = profile_from(HEAD + "cfn=g\ncalls=4 500\nfn=k\n+3 5\n")
    assert [row.line for row in cost_rows(profile)] == [1, 4]


# ------------------------------------------------------------ jumps


@pytest.mark.parametrize(
    ("jump", "conditional", "followed"),
    [("jump=7 5", False, 7), ("jcnd=7 3 5", True, 3), ("jcnd=3/7 5", True, 3)],
)
def test_a_source_line_with_costs(jump: str, conditional: bool, followed: int) -> None:
    """It is the source of the jump, and an ordinary cost line at that place."""
    profile = profile_from(f"{HEAD}{jump}\n2 33\n")
    assert jump_rows(profile) == [(0, M, "a.c", 2, 0, M, "a.c", 5, 0, 7, followed, conditional)]
    assert cost_rows(profile) == [(0, M, "a.c", 1, 0, (10,)), (0, M, "a.c", 2, 0, (33,))]
    assert cost_table(profile) == {"m": (43, 43, 0)}


def test_costs_of_a_source_line_have_all_events() -> None:
    """They are read as those of any cost line: by event, missing ones as 0, relative places too."""
    profile = profile_from(
        """
        positions: instr line
        events: Ir Dr Dw
        fl=a.c
        fn=m
        0x10 1 4 5 6
        jump=7 +8 +2
        +2 * 33 1
        +1 +1 2
        """
    )
    assert [(row.address, row.line, row.costs) for row in cost_rows(profile)] == [
        (0x10, 1, (4, 5, 6)),
        (0x12, 1, (33, 1, 0)),
        (0x13, 2, (2, 0, 0)),
    ]
    (jump,) = jump_rows(profile)
    assert (jump.source_address, jump.source_line) == (0x12, 1)
    assert (jump.target_address, jump.target_line) == (0x18, 3)


def test_costs_of_a_source_line_are_of_the_jumping_function() -> None:
    """`jfi=` and `jfn=` name the target of the jump, not the place of the costs."""
    profile = profile_from(HEAD + "jfi=b.c\njfn=k\njump=7 5\n2 33\n")
    assert [(row.function, row.file, row.costs) for row in cost_rows(profile)] == [
        (M, "a.c", (10,)),
        (M, "a.c", (33,)),
    ]


@pytest.mark.parametrize("jump", ["jump=7 5", "jcnd=3/7 5"])
@pytest.mark.parametrize("name", NAMES)
def test_names_within_a_jump_do_no_harm(jump: str, name: str) -> None:
    """A name between a jump and its source is of later lines, also one for a target."""
    drawing = f"{HEAD}{jump}\n{name}\n9\n"
    followed, conditional = (3, True) if "jcnd" in jump else (7, False)
    assert jump_rows(profile_from(drawing)) == [
        (0, M, "a.c", 9, 0, M, "a.c", 5, 0, 7, followed, conditional)
    ]
    assert kinds(drawing) == []


def test_a_function_makes_a_jump_incomplete() -> None:
    """`fn=` between a jump and its source: there is no jump, and costs count as usual."""
    drawing = f"{HEAD}jump=7 5\nfn=k\n9 5\n"
    profile = profile_from(drawing)
    assert [(row.function[0], row.line, row.costs) for row in cost_rows(profile)] == [
        ("m", 1, (10,)),
        ("k", 9, (5,)),
    ]
    assert jump_rows(profile) == []
    assert kinds(drawing) == ["jump-without-source"]


def test_a_call_behind_an_incomplete_jump() -> None:
    """The line behind both is the cost of the call."""
    drawing = HEAD + "jump=7 5\ncfn=g\ncalls=2 7\n9 5\n"
    profile = profile_from(drawing)
    assert jump_rows(profile) == []
    assert call_rows(profile) == [(0, M, ("g", "a.c", ""), "a.c", 9, 0, 2, (5,))]
    assert kinds(drawing) == ["jump-without-source"]


def test_an_object_behind_an_incomplete_jump_is_in_force_for_a_call() -> None:
    """The jump ends at `calls=`; costs of no function call into the object named last."""
    drawing = "events: Ir\njump=7 5\nob=p\ncfn=g\ncalls=2 7\n9 5\n"
    assert [row.callee for row in call_rows(profile_from(drawing))] == [("g", "", "p")]


def test_a_jump_behind_an_incomplete_jump() -> None:
    """Of two jumps in a row, the second has the source line, without the target of the first."""
    drawing = HEAD + "jfn=k\njump=7 5\njump=2 6\n9\n"
    profile = profile_from(drawing)
    assert jump_rows(profile) == [(0, M, "a.c", 9, 0, M, "a.c", 6, 0, 2, 2, False)]
    assert kinds(drawing) == ["jump-without-source"]


@pytest.mark.parametrize(
    ("end", "kind"), [("", "cut"), ("thread: 2\nfn=k\n9 5\n", "jump-without-source")]
)
def test_a_jump_at_the_end_of_a_part(end: str, kind: str) -> None:
    """There is no jump if its part or its file ends before the source line."""
    drawing = f"{HEAD}jump=7 5\n{end}"
    assert jump_rows(profile_from(drawing)) == []
    assert kinds(drawing) == [kind]
