"""The grammar of the format: optional spaces, numbers, and what may be left out."""

from __future__ import annotations

from itertools import product

import pytest

from tests.profile_rows import (
    call_rows,
    cost_rows,
    diagnostic_rows,
    function_rows,
    jump_rows,
    profile_from,
)

BODY = "fn=f\n1 5\n"
FIRST_LINES = ("# callgrind format\n", "version: 1\n", "creator: drawn by hand\n")


@pytest.mark.parametrize("given", list(product((False, True), repeat=3)))
def test_first_lines_are_optional(given: tuple[bool, bool, bool]) -> None:
    """`FormatSpec? FormatVersion? Creator? PartData*`: each of the three may be left out."""
    first = "".join(line for line, is_given in zip(FIRST_LINES, given, strict=True) if is_given)
    profile = profile_from(f"{first}events: Ir\n{BODY}")
    assert [(row.function[0], row.costs) for row in cost_rows(profile)] == [("f", (5,))]
    assert profile.creator == ("drawn by hand" if given[2] else "")
    assert diagnostic_rows(profile) == []


@pytest.mark.parametrize("space", ["", " ", "\t", " \t  "])
def test_spaces_behind_a_colon(space: str) -> None:
    """`":" Space* Number`: spaces and tabs behind the key of a header line are optional."""
    profile = profile_from(
        f"version:{space}1\npid:{space}7\nthread:{space}3\npart:{space}2\ncmd:{space}./a.out -x\n"
        f"desc:{space}Trigger:{space}by hand\nevent:{space}Ir:{space}Instructions\n"
        f"positions:{space}instr line\nevents:{space}Ir\nfn=f\n16 1 5\n"
    )
    (part,) = profile.parts
    assert (part.pid, part.thread, part.part, part.command) == (7, 3, 2, "./a.out -x")
    assert part.trigger == "by hand"
    assert profile.events.measured[0].title == "Instructions"
    assert [(row.address, row.line, row.costs) for row in cost_rows(profile)] == [(16, 1, (5,))]
    assert diagnostic_rows(profile) == []


@pytest.mark.parametrize("space", ["", " ", "\t", " \t  "])
def test_spaces_behind_an_equals_sign(space: str) -> None:
    """`"=" Space*`: spaces and tabs before a name or a count are optional."""
    drawing = (
        "events: Ir\nob=prog\nfl=a.c\nfn=f\n1 5\nfi=b.h\n2 7\nfe=a.c\ncob=lib\ncfi=g.c\ncfn=g\n"
    )
    drawing += "calls=2 9\n3 4\njump=6 8\n5\njcnd=6 2 8\n5\n"
    f, g = ("f", "a.c", "prog"), ("g", "g.c", "lib")
    profile = profile_from(drawing.replace("=", "=" + space))
    assert [(row.function, row.file, row.costs) for row in cost_rows(profile)] == [
        (f, "a.c", (5,)),
        (f, "b.h", (7,)),
    ]
    assert call_rows(profile) == [(0, f, g, "a.c", 3, 0, 2, (4,))]
    assert [(row.executed, row.followed) for row in jump_rows(profile)] == [(6, 6), (6, 2)]
    assert diagnostic_rows(profile) == []


@pytest.mark.parametrize("space", [" ", "\t", "   ", " \t"])
def test_spaces_between_and_behind_numbers(space: str) -> None:
    """`(Number Space+)+`: spaces and tabs part numbers, and may end the line."""
    lines = ["16 1 5 6", "calls=2 32 9", "+1 * 3 4", "jcnd=6 2 48 8", "17 5"]
    lines = [line.replace(" ", space) + space for line in lines]
    profile = profile_from("positions: instr line\nevents: Ir Dr\nfn=f\n" + "\n".join(lines) + "\n")
    assert [(row.address, row.line, row.costs) for row in cost_rows(profile)] == [(16, 1, (5, 6))]
    assert [(row.address, row.line, row.call_count, row.costs) for row in call_rows(profile)] == [
        (17, 1, 2, (3, 4))
    ]
    assert [row[2:12] for row in jump_rows(profile)] == [
        ("", 5, 17, ("f", "", ""), "", 8, 48, 6, 2, True)
    ]


@pytest.mark.parametrize("events", ["A B", "A  B", "\tA\t B \t"])
def test_spaces_between_events(events: str) -> None:
    """`"events:" Space* Name (Space+ Name)*`: any spaces and tabs part the names."""
    profile = profile_from(f"events:{events}\nfn=f\n1 5 6\n")
    assert profile.events.names == ("A", "B")


@pytest.mark.parametrize("name", ["(1) f", "(1)f", "(1)\tf", "(1)   f", "(0x1) f", "(0X1) f"])
def test_definitions_of_an_id(name: str) -> None:
    """`( "(" Number ")" )? (Space* NoNewLineChar* )?`: the space is optional, the number any."""
    profile = profile_from(f"events: Ir\nfn={name}\n1 5\nfn=g\n1 6\nfn=(1)\n1 7\n")
    names = [(row.function[0], row.costs) for row in cost_rows(profile)]
    assert names == [("f", (5,)), ("g", (6,)), ("f", (7,))]
    assert diagnostic_rows(profile) == []


@pytest.mark.parametrize("number", ["255", "0xff", "0xFF", "0xfF", "0x00ff", "0255"])
def test_numbers_everywhere(number: str) -> None:
    """`Number := HexNumber | (Digit)+` holds for costs, positions, counts, ids and header lines."""
    profile = profile_from(
        f"""
        pid: {number}
        part: {number}
        positions: instr line
        events: Ir
        summary: {number}
        fn=({number}) f
        {number} {number} {number}
        cfn=(255)
        calls={number} {number} {number}
        +{number} -{number} {number}
        jcnd={number} {number} {number} {number}
        * *
        totals: {number}
        """
    )
    f = ("f", "", "")
    (part,) = profile.parts
    assert (part.pid, part.part) == (255, 255)
    assert (part.summary, part.totals) == ({"Ir": 255}, {"Ir": 255})
    assert cost_rows(profile) == [(0, f, "", 255, 255, (255,))]
    assert call_rows(profile) == [(0, f, f, "", 0, 510, 255, (255,))]
    assert jump_rows(profile) == [(0, f, "", 0, 510, f, "", 255, 255, 255, 255, True)]
    assert diagnostic_rows(profile) == []


def test_body_lines_in_any_order_and_number() -> None:
    """`(HeaderLine "\\n")+ (BodyLine "\\n")+`: empty lines and comments are lines of both."""
    profile = profile_from(
        "\n# a header\n\nevents: Ir\n#\n\n# a body\nfn=f\n\n1 5\n\n\n#1 6\nfl=a.c\n\n2 7\n#"
    )
    assert [(row.file, row.line, row.costs) for row in cost_rows(profile)] == [
        ("", 1, (5,)),
        ("a.c", 2, (7,)),
    ]


def test_a_specification_holds_until_the_next_of_its_kind() -> None:
    """Names hold for all cost lines that follow, not only for the first one."""
    profile = profile_from(
        "events: Ir\nob=p\nfl=a.c\nfn=f\n1 1\n2 2\nfn=g\n3 4\n4 8\nob=q\nfn=h\n5 16\n"
    )
    f, g, h = ("f", "a.c", "p"), ("g", "a.c", "p"), ("h", "a.c", "q")
    assert [row.function for row in cost_rows(profile)] == [f, f, g, g, h]
    assert sorted(function_rows(profile)) == [f, g, h]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("I1 cache", "32768 B, 64 B, 8-way associative"),
        ("D1 cache", "32768 B, 64 B, 8-way associative"),
        ("L2 cache", "262144 B, 64 B, 8-way associative"),
        ("LL cache", "8388608 B, 64 B, 16-way associative"),
        ("Timerange", "Basic block 0 - 9"),
        ("Trigger", "Program termination"),
        ("Weather", "fine: no clouds"),
    ],
)
def test_types_of_descriptions(kind: str, value: str) -> None:
    """Known types of any edition and unknown ones are kept with their text, and none is odd."""
    profile = profile_from(f"desc: {kind}: {value}\nevents: Ir\n{BODY}")
    assert profile.parts[0].description(kind) == value
    assert diagnostic_rows(profile) == []


def test_the_order_of_events_is_that_of_costs() -> None:
    """The first event is the number behind all positions, the next ones follow."""
    one = profile_from("events: A B C\nfn=f\n7 1 2 3\n")
    two = profile_from("positions: instr line\nevents: C A\nfn=f\n16 7 1 2\n")
    assert (one.events.names, cost_rows(one)[0].costs) == (("A", "B", "C"), (1, 2, 3))
    assert (two.events.names, cost_rows(two)[0].costs) == (("C", "A"), (1, 2))
    assert (cost_rows(one)[0].line, cost_rows(two)[0].line) == (7, 7)
