"""The instructions of functions: which there are, and what they say."""

from __future__ import annotations

import pytest

from qcachegrind_py.present.code_instructions import InstructionTexts
from qcachegrind_py.present.code_listing import CodeListing
from qcachegrind_py.present.context import Position
from qcachegrind_py.tools.sources.text_file import Token
from tests.present.code_text import (
    ASSEMBLER,
    CODE,
    assembler,
    drawn,
    folded,
    found,
    in_assembler,
    jumps_of,
    places_at,
    record_at,
    shown,
)
from tests.present.table_text import headings

SHOWN = "location", "self", "inclusive", "calls", "bytes", "text", "source"
CALLS = [" |  | 300 | 3 |  | g  p: g.c | ", " |  | 40 | (active) |  | h  p: g.c | "]


def texts_of(listing: CodeListing) -> InstructionTexts:
    assert isinstance(listing.texts, InstructionTexts)
    return listing.texts


def test_instructions_with_their_code() -> None:
    """All instructions are shown, with labels above, calls below, and the bytes between them."""
    listing = in_assembler()

    titles = ["Address", "Self", "Incl.", "Calls", "Bytes", "Instruction", "Source line"]
    assert headings(listing.table, *SHOWN) == titles
    expected = [
        "e |  |  |  | ab 0e | nop | ",
        " |  |  |  |  | f: | ",
        "10 | 10 | 10 |  | ab 10 | mov     %rsp,%rbp | a.c:2",
        "12 | 20 | 20 |  | ab 12 | je      2c <+0x1c> | a.c:2",
        "14 | 5 | 345 | 3 | ab 14 | call    90 <g> | b.h:7",
        *CALLS,
        "18 | 8 | 8 |  | ab 18 | jne     10 <+0x0> | a.c:3",
        "1a |  |  |  | ab 1a | jmp     14 <+0x4> | a.c:3",
        "1b | 1 | 1 |  |  | unknown instruction | ",
        "1c |  |  |  | ab 1c | ret | ",
        *(f"{at} |  |  |  | ab {at} | nop | " for at in ("20", "22", "24", "26")),
        " |  |  |  |  | f [cold]: | ",
        "28 |  |  |  | ab 28 | vfmadd231ps %ymm0,%ymm1,%ymm2 | ",
        "2c |  |  |  | ab 2c | (bad) | ",
        "30 |  |  |  | ab 30 | jmp     90 <g> | ",
    ]
    assert shown(listing, *SHOWN) == expected
    assert shown(listing, "second_self", "second_inclusive")[2:6] == [
        "4 | 4", "8 | 8", " | 32", " | 30"
    ]  # fmt: skip
    assert [listing.table.node(record) for record in (1, 4, 5, 6)] == [-1, -1, 1, 2]
    assert listing.table.tip(5) == ("g", "File: lib/g.c", "Object: /bin/p")
    assert folded(listing, *SHOWN) == [
        *expected[:11], " |  |  |  |  | 3 instructions without cost | ", *expected[14:]
    ]  # fmt: skip


def test_instructions_without_their_code() -> None:
    """Without the program, the addresses of the profile are shown with the calls from them."""
    listing = in_assembler(code="")

    assert shown(listing, *SHOWN) == [
        "10 | 10 | 10 |  |  |  | a.c:2",
        "12 | 20 | 20 |  |  |  | a.c:2",
        "14 | 5 | 345 | 3 |  |  | b.h:7",
        *CALLS,
        "18 | 8 | 8 |  |  |  | a.c:3",
        "1a |  |  |  |  |  | a.c:3",
        "1b | 1 | 1 |  |  |  | ",
    ]
    assert [listing.texts.has_text(record) for record in (0, 3)] == [False, True]


def test_code_that_never_ran_is_folded() -> None:
    """Jumps in code that never ran are no arrows, and do not prevent folding."""
    never = "".join(f"{address:x} jmp {address ^ 0x3E:x}\n" for address in range(0x100, 0x140, 2))
    listing = in_assembler(code=f"{CODE}{never}")

    assert not any(int(place, 16) >= 0x100 for place in jumps_of(listing))
    assert folded(listing)[-2:] == ["2c | (bad)", " | 33 instructions without cost"]


@pytest.mark.parametrize("code", ["", CODE])
def test_cost_without_an_address(code: str) -> None:
    """Costs of a part without addresses are on top."""
    query = drawn(ASSEMBLER.replace("fn=f\n", "fn=f\n    0x0 2 7 0\n", 1))
    first = "0 | 7 | cost without an address"
    assert shown(assembler(query, code), "location", "self", "text")[0] == first


@pytest.mark.parametrize(
    ("code", "expected"),
    [("", []), ("10 nop\n12 jmp 10\n", [" |  | f:", "10 |  | nop", "12 |  | jmp     10"])],
)
def test_a_function_without_addresses(code: str, expected: list[str]) -> None:
    """A function that is only called has no cost: its code is shown, or nothing."""
    query = drawn("positions: instr line\nevents: Ir\nfn=m\ncfn=f\ncalls=1 0x10 1\n0x5 1 5\n")
    assert shown(assembler(query, code), "location", "self", "text") == expected


def test_jump_to_an_unknown_address_is_no_arrow() -> None:
    """An indirect jump has no arrow, not even to cost without an address."""
    query = drawn(
        "part: 1\npositions: line\nevents: Ir\nfl=a.c\nfn=f\n1 5\n"
        "part: 2\npositions: instr line\nevents: Ir\nfl=a.c\nfn=f\n0x10 1 3\n"
    )
    listing = assembler(query, "10 jmp 0 *%rcx", ())
    assert (shown(listing, "location"), jumps_of(listing)) == (["0", "10"], {})


def test_jumps_recorded_and_not() -> None:
    """Jumps have the file's counts; those known from the code only have none.

    If other jumps were recorded, these never happened. Jumps to hidden rows are no arrows, and a
    recorded jump is not repeated from the code.
    """
    assert jumps_of(in_assembler()) == {
        "10": "jumps here from 18: 6 of 7 times",
        "12": "jumps to 2c: never",
        "14": "jumps here from 1a: 2 times",
        "18": "jumps to 10: 6 of 7 times",
        "1a": "jumps to 14: 2 times",
        "2c": "jumps here from 12: never",
    }
    lines = (line for line in ASSEMBLER.splitlines() if "jcnd=" not in line and "jump=" not in line)
    assert jumps_of(assembler(drawn("\n".join(lines)))) == {  # 1a has no cost now
        "10": "jumps here from 18: count not recorded",
        "12": "jumps to 2c: count not recorded",
        "18": "jumps to 10: count not recorded",
        "2c": "jumps here from 12: count not recorded",
    }


def test_finding_instructions() -> None:
    """A search finds texts, names and addresses; a position is one instruction or a line's."""
    listing = in_assembler()
    texts = {
        "<F": ["12", "18", "1a"], "cold": ["f [cold]:"], "26": ["26"], "90": ["14", "30"],
        "F [COLD]:": ["f [cold]:"], "without": [], "unknown instruction": [], "026": [], "2x6": [],
    }  # fmt: skip
    assert {text: found(listing, text) for text in texts} == texts
    file, line = listing.texts.line_of(record_at(listing, "10"))
    positions = {
        Position(file, line, 0x14): ["14"],
        Position(file, line): ["10", "12"],
        Position(file, line, 0x15): ["10", "12"],  # by the line, as nothing is there
        Position(file, 0, 0x15): [],
    }
    assert {at: places_at(listing, at) for at in positions} == positions


def test_a_search_finds_source_lines_as_they_are_shown() -> None:
    """With the lines above their instructions, it finds their text, and the file and line."""
    listing = in_assembler(texts={"src/a.c": ("int f()", "  WORK();", "\treturn;")})

    assert found(listing, "work") == ["a.c:2  WORK();"]
    assert found(listing, "a.c:3  RETURN") == ["a.c:3  return;"]
    assert found(listing, "b.h:") == ["b.h:7"]


def test_colours_of_instructions() -> None:
    """The mnemonic, and the name of what is called or jumped to."""
    listing = in_assembler()
    call = record_at(listing, "14")
    records = call, call + 1, record_at(listing, "1b")

    assert [listing.texts.colored_words(record, {}) for record in records] == [
        ((0, 4, Token.KEYWORD), (11, 3, Token.NAME)), (), ()
    ]  # fmt: skip
    assert listing.texts.full_text(call)[11:14] == "<g>"


def test_width_of_instructions() -> None:
    """The longest text is an instruction or a function's name; bytes have a maximal width."""
    listing = in_assembler()
    longest = "vfmadd231ps %ymm0,%ymm1,%ymm2"
    texts = {"location": "30", "bytes": "ab 0e", "text": longest, "source": "???:7"}
    assert texts_of(listing).longest_texts() == texts
    widest = [listing.table.column(key).cells.widest() for key in ("inclusive", "calls")]
    assert widest == ["345", "(active)"]
    name = "std::a_function_with_a_name_longer_than_that"
    listing = in_assembler(symbols=[(0x10, name)])
    assert texts_of(listing).longest_texts()["text"].startswith(name)
    listing = assembler(drawn(ASSEMBLER.replace("calls=0", "calls=9")))
    assert listing.table.column("calls").cells.widest() == "12"
