"""The lines of source files: which there are, what they say, and groups of inlined ones."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.present.code_lines import CHUNK_LINES, LineTexts
from qcachegrind_py.present.code_listing import CodeListing
from qcachegrind_py.present.code_records import RecordKind, code_costs
from qcachegrind_py.present.context import Position
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.sources.text_file import Token, highlight
from tests.present.code_text import (
    SOURCE,
    TEXTS,
    asked,
    drawn,
    folded,
    found,
    in_source,
    places,
    places_at,
    record_at,
    shown,
    shown_records,
    source,
)
from tests.present.table_text import headings

# with inlined files, jumps, recursion, no addresses, no lines, a line of 0, without a file, calls=0


def sites(drawing: str, length: int) -> list[str]:
    """`file:line cost` of each location of the first function, with its arrows' targets."""
    query = drawn(drawing)
    file = query.profile.texts[int(query.profile.functions.file[0])]
    rows = source(query, {file: [""] * length}, query.labels().name(0)).rows
    files, arrows = query.profile.texts.lookup(rows.file.tolist()), rows.records.arrows
    costs = [int(rows.costs.self_cost[0, row]) if row >= 0 else "-" for row in rows.cost_row]
    return [
        f"{files[site]}:{rows.line[site]} {costs[site]}"
        + "".join(f" >{target}" for target in arrows.target[arrows.source == site])
        for site in range(len(files))
    ]


TWICE = """
    positions: instr line
    events: Ir
    fl=a.c
    fn=f
    0x10 2 1
    0x20 4 2
    0x30 0 9
    fi=b.h
    0x12 7 10
    0x14 8 20
    0x22 7 30
    0x24 8 40
    jump=5 0x12 7
    0x14 8
    jcnd=3/6 0x22 7
    0x24 8
    jfi=a.c
    jump=1 0x20 4
    0x24 8
    """


def test_code_inlined_twice() -> None:
    """A line inlined below two lines is two locations; jumps stay within their copy."""
    assert sites(TWICE, 5) == [
        "a.c:0 9", "a.c:1 -", "a.c:2 1", "b.h:7 10", "b.h:8 20 >3", "a.c:3 -",
        "a.c:4 2", "b.h:7 30", "b.h:8 40 >6 >7", "a.c:5 -",
    ]  # fmt: skip


def test_a_copy_that_jumps_out_of_itself() -> None:
    """If a jump's target has no copy below the same line, it goes to an existing one."""
    drawing = TWICE.replace("0x22 7 30\n", "")

    assert sites(drawing, 0) == [
        "a.c:0 9", "a.c:2 1", "b.h:7 10", "b.h:8 20 >2", "a.c:4 2", "b.h:8 40 >4 >2",
    ]  # fmt: skip


def test_lines_outside_the_file_are_at_the_ends() -> None:
    """Line 0 and code of unknown files come first, lines beyond the end of the text last."""
    drawing = """
        events: Ir
        fl=a.c
        fn=f
        fi=b.h
        0 1
        3 2
        """
    assert sites(drawing, 2) == ["b.h:0 1", "b.h:3 2", "a.c:1 -", "a.c:2 -"]
    drawing = "events: Ir\nfl=a.c\nfn=f\n0 1\n99999 2\n2 4\nfi=???\n0 8\n7 16\n"
    assert sites(drawing, 3) == [
        "a.c:0 1", "???:0 8", "???:7 16", "a.c:1 -", "a.c:2 4", "a.c:3 -", "a.c:99999 2",
    ]  # fmt: skip


def test_a_function_without_rows() -> None:
    """A function that is only called has the lines of its text without cost, or nothing."""
    query = drawn("events: Ir\nfl=a.c\nfn=f\ncfn=g\ncalls=1 1\n1 5\n")
    for length in (0, 2):
        listing = source(query, {"a.c": ["text"] * length}, "g")
        assert shown(listing) == [f"{line} |  |  |  | text" for line in range(1, length + 1)]
        assert listing.costs.first.inclusive.unit.bar_total == 0


def test_a_file_of_twenty_thousand_lines() -> None:
    """A long file with many costs and jumps has all of them, too."""
    text = ["events: Ir", "fl=a.c", "fn=f"]
    for line in range(1, 20_000, 4):
        text += [f"{line} {line}", f"jcnd=1/2 {line * 7919 % 20_000 + 1}", f"{line}"]
        text += ["cfn=g", "calls=2 1", f"{line} 3"]
    listing = source(drawn("\n".join([*text, ""])), {"a.c": [""] * 20_000})

    records, costs = listing.rows.records, listing.costs.first
    kinds = Counter(records.kind.tolist())
    assert (kinds[RecordKind.LOCATION], kinds[RecordKind.CALL]) == (20_000, 5_000)
    assert costs.self_cost.new.sum() == sum(range(1, 20_000, 4))
    assert costs.inclusive.new[records.kind == RecordKind.CALL].sum() == 15_000
    jumps = {(line - 1, line * 7919 % 20_000) for line in range(1, 20_000, 4)}
    ends = zip(records.arrows.source.tolist(), records.arrows.target.tolist(), strict=True)
    assert sorted(ends) == sorted(jump for jump in jumps if jump[0] != jump[1])


# ---------------------------------------------------------------- what lines say


def texts_of(listing: CodeListing) -> LineTexts:
    assert isinstance(listing.texts, LineTexts)
    return listing.texts


def test_lines_with_text() -> None:
    """All lines of the text, inlined ones, and calls; lines outside the file are at the ends."""
    listing = in_source()

    titles = ["Line", "Self", "Incl.", "Calls", "", "Source"]
    keys = "location", "self", "inclusive", "calls", "jumps", "text"
    assert headings(listing.table, *keys) == titles
    assert shown(listing) == [
        "– | 2 | 2 |  | cost without a line",
        "1 |  |  |  | text of line 1",
        "2 | 10 | 10 |  | text of line 2",
        "b.h:7 | 20 | 320 | 3 |         inlined 7;",
        " |  | 300 | 3 | g  p: g.c",
        *(f"{line} |  |  |  | text of line {line}" for line in range(3, 9)),
        "9 | 5 | 45 | 1200 | text of line 9",
        " |  | 40 | (active) | g  p: g.c",
        " |  | (cycle) | 1200 | f  p: a.c",
        "10 |  |  |  | text of line 10",
        "11 |  |  |  | text of line 11",
        "12 | 1 | 1 |  | text of line 12",
        "99 | 8 | 8 |  | beyond the end of the file",
    ]
    assert shown(listing, "second_self", "second_inclusive")[:5] == [
        "1 | 1", " | ", "4 | 4", "8 | 40", " | 32"
    ]  # fmt: skip
    assert [listing.table.node(record) for record in (3, 4, 14)] == [-1, 1, 0]
    assert listing.table.tip(4) == ("g", "File: lib/g.c", "Object: /bin/p")
    whole = [f"{line} | text of line {line}" for line in range(1, 13)]
    assert folded(listing) == [
        "– | cost without a line",
        *whole[:2],
        "b.h:7 |         inlined 7;",
        " | g  p: g.c",
        whole[2],
        " | 4 lines without cost",
        *whole[7:9],
        " | g  p: g.c",
        " | f  p: a.c",
        *whole[9:],
        "99 | beyond the end of the file",
    ]


def test_lines_without_text() -> None:
    """Only the lines with a cost, a call or a jump; that the file is missing is said above them."""
    assert shown(in_source(texts={})) == [
        "– | 2 | 2 |  | cost without a line",
        "2 | 10 | 10 |  | ",
        "b.h:7 | 20 | 320 | 3 | file not found",
        " |  | 300 | 3 | g  p: g.c",
        "9 | 5 | 45 | 1200 | ",
        " |  | 40 | (active) | g  p: g.c",
        " |  | (cycle) | 1200 | f  p: a.c",
        "12 | 1 | 1 |  | ",
        "99 | 8 | 8 |  | ",
    ]


def test_another_file_and_a_whole_one() -> None:
    """Another file of the function has its own lines; a whole file those of all functions."""
    query = drawn(f"{SOURCE}\n    fi=inc/b.h\n    7 1000 0\n    3 6 6\n")

    assert shown(source(query, {"inc/b.h": TEXTS["inc/b.h"][:3]}, file="inc/b.h")) == [
        *(f"{line} |  |  |  |         inlined {line};" for line in (1, 2, 3)),
        "7 | 20 | 320 | 3 | beyond the end of the file",
        " |  | 300 | 3 | g  p: g.c",
    ]
    assert shown(source(query, {}, file="inc/b.h", whole=True)) == [
        "3 | 6 | 6 |  | ",
        "7 | 1020 | 1320 | 3 | ",
        " |  | 300 | 3 | g  p: g.c",
    ]


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        (
            "events: Ir\nfn=f\n3 1\n0 2\n",
            ["– | 2 | cost without a source file", "3 | 1 | cost without a source file"],
        ),
        (
            "events: Ir\nfl=a.c\nfn=f\nfi=???\n0 1\n5 2\n",
            [
                "??? | 1 | cost without a source file",
                "???:5 | 2 | cost without a source file",
                "1 |  | one",
            ],
        ),
    ],
)
def test_an_unknown_file_is_labelled(drawing: str, expected: list[str]) -> None:
    """Whether its lines are inlined or the function's own."""
    assert shown(source(drawn(drawing), {"a.c": ["one"]}), "location", "self", "text") == expected


def test_width_of_lines() -> None:
    """The widest line of the file is the one with the most columns, tabs included.

    Names of other files stand before their lines, not beside line numbers; without calls, their
    title has no width.
    """
    text = ["x" * 50, "\t" * 9 + "x" * 20, "short"]
    drawing = "events: Ir\nfl=a.c\nfn=f\n1 1\nfi=inc/long.h\n7 1\n"
    listing = source(drawn(drawing), {"a.c": text})

    assert texts_of(listing).longest_texts() == {"location": "7", "text": text[1]}
    assert headings(listing.table, "self", "calls") == ["Self", ""]
    frames = [texts_of(listing).frame(record) for record in shown_records(listing)]
    assert (frames, shown(listing, "location")[1]) == (["", "long.h:7", "", ""], "long.h:7")


def test_finding_lines() -> None:
    """A search looks at the lines themselves; a position has all copies of a line."""
    listing = in_source()
    own, other = texts_of(listing).own_file, texts_of(listing).line_of(3)[0]

    assert found(listing, "LINE 1") == ["1", "10", "11", "12"]
    assert found(listing, "inlined") == found(listing, "b.h") == ["b.h:7"]
    assert found(listing, "cost without") == found(listing, "g.c") == []  # remarks and calls
    assert places_at(listing, Position(own, 9)) == ["9"]
    assert places_at(listing, Position(other, 7)) == ["b.h:7"]
    assert places_at(listing, Position(own, 4000)) == []


def test_colours_are_those_of_the_line() -> None:
    """A word has its colour in the line of its file; other records have none."""
    text = ["// one", *["int x;"] * (CHUNK_LINES - 2), "return 1;", "// last"]
    drawing = (
        f"events: Ir\nfl=a.c\nfn=f\n{CHUNK_LINES} 1\ncfn=g\ncalls=1 1\n{CHUNK_LINES} 1\n"
        "fi=b.c\n2 1\nfe=a.c\n9999 1\n"
    )
    texts = {"a.c": text, "b.c": ["int y;", "//"]}
    listing = source(drawn(drawing), texts)
    code, lines = texts_of(listing), ("1", "2", f"{CHUNK_LINES}", "b.c:2", f"{CHUNK_LINES + 1}")
    first, second, end, inlined, last = (record_at(listing, place) for place in lines)
    call, beyond = end + 1, listing.table.length - 1
    own, other = code.line_of(first)[0], code.line_of(inlined)[0]
    colors = {}
    asked = [first, second, call, inlined, last]
    assert code.uncolored(asked, colors) == [(own, 0), (other, 0), (own, 1)]
    assert {code.colored_words(record, colors) for record in range(beyond + 1)} == {()}

    colors[own, 0] = highlight(text, "a.c", 0, CHUNK_LINES, NoProgress())
    assert code.uncolored(asked, colors) == [(other, 0), (own, 1)]
    assert code.colored_words(first, colors) == ((0, 6, Token.COMMENT),)
    assert code.colored_words(end, colors) == ((0, 6, Token.KEYWORD), (7, 1, Token.NUMBER))
    assert {code.colored_words(record, colors) for record in (inlined, last)} == {()}

    colors[other, 0] = highlight(texts["b.c"], "b.c", 0, CHUNK_LINES, NoProgress())
    colors[own, 1] = highlight(text, "a.c", CHUNK_LINES, 2 * CHUNK_LINES, NoProgress())
    assert code.colored_words(inlined, colors) == ((0, 2, Token.COMMENT),)
    assert code.colored_words(last, colors) == ((0, 7, Token.COMMENT),)
    assert {code.colored_words(record, colors) for record in (call, beyond)} == {()}


# ---------------------------------------------------------------- groups of inlined lines

# b.h is inlined into line 2, c.h into line 5, where it calls g
INLINED = """
    events: Ir Dr
    fl=a.c
    fn=f
    1 1 1
    2 10 4
    jcnd=3/4 5
    2
    fi=b.h
    7 20 8
    8 30 2
    jfi=a.c
    jump=2 2
    8
    fe=a.c
    3 2 1
    5 5 5
    fi=c.h
    1 40 4
    cfn=g
    calls=6 1
    1 100 10
    jfi=a.c
    jcnd=3/4 3
    1
    fe=a.c
    6 1 1
    fl=g.c
    fn=g
    1 100 10
    """
DEEP = {"a.c": ["\tfirst"] * 6, "b.h": ["", *["          deep"] * 6, "            deeper"]}
COSTS = "location", "self", "inclusive", "calls"


def inlined(**options: object) -> CodeListing:
    return source(drawn(INLINED), DEEP, **options)  # type: ignore[arg-type]  # options of source


def closed(listing: CodeListing, *lines: str, is_open: bool = False) -> CodeListing:
    """The listing with the groups of these lines closed, or open."""
    for place in lines:
        listing = listing.with_group(record_at(listing, place), closed=not is_open)
    return listing


def arrows_drawn(listing: CodeListing) -> list[tuple[str, ...]]:
    """The ends of the arrows that are drawn."""
    _, lanes = listing.jumps
    ends = zip(lanes.source.tolist(), lanes.target.tolist(), strict=True)
    return [tuple(places(listing, both)) for both in ends]


def test_a_group_is_closed_and_opened() -> None:
    """Closed, a line shows the cost and calls of all its inlined lines; arrows lead from there."""
    opened = inlined()
    listing = closed(opened, "2", "c.h:1")
    host, hidden = record_at(opened, "5"), record_at(opened, "c.h:1")

    assert shown(opened, *COSTS) == [
        "1 | 1 | 1 | ",
        "2 | 10 | 10 | ",
        "b.h:7 | 20 | 20 | ",
        "b.h:8 | 30 | 30 | ",
        "3 | 2 | 2 | ",
        "4 |  |  | ",
        "5 | 5 | 5 | ",
        "c.h:1 | 40 | 140 | 6",
        " |  | 100 | 6",
        "6 | 1 | 1 | ",
    ]
    assert arrows_drawn(opened) == [("2", "5"), ("b.h:8", "2"), ("c.h:1", "3")]
    assert shown(listing, *COSTS) == [
        "1 | 1 | 1 | ",
        "2 | 60 | 60 | ",
        "3 | 2 | 2 | ",
        "4 |  |  | ",
        "5 | 45 | 145 | 6",
        "6 | 1 | 1 | ",
    ]
    assert arrows_drawn(listing) == [("2", "5"), ("5", "3")]  # the one within line 2 is hidden
    assert [listing.hidden_text(record) for record in (host, hidden)] == ["1 inlined line", ""]
    assert listing.costs.first.inclusive.unit.bar_total == 145
    assert places(listing, listing.costs.first.costliest[:2].tolist()) == ["5", "2"]
    assert listing.shown_record(hidden) == host
    again = closed(listing, "2", "5", is_open=True)
    assert (shown(again, *COSTS), arrows_drawn(again)) == (
        shown(opened, *COSTS), arrows_drawn(opened)
    )  # fmt: skip
    assert closed(opened, "1") is opened  # which has no inlined lines


def test_ratios_of_a_group_are_those_of_its_sums() -> None:
    """Also once another event is shown."""
    queries = drawn(INLINED).queries
    queries.set_user_events([UserEvent("Rate", "", "Dr / Ir")])
    listing = closed(source(asked(queries, "Rate", "Ir"), DEEP), "2")

    row = shown(listing, "location", "self", "second_self")[1]
    assert row == f"2 | {14 / 60:.4f} | 60"
    listing = listing.with_costs(code_costs(asked(queries, "Dr"), listing.rows, 0))
    assert shown(listing, "location", "self", "inclusive")[1] == "2 | 14 | 14"


def test_hidden_lines_stay_hidden_in_any_order() -> None:
    """Lines are sorted by the costs they show."""
    listing = inlined(hides_inlined=True)
    by_cost = {"by": "self", "ascending": False}
    expected = ["2 | 60", "5 | 45", "3 | 2", "1 | 1", "6 | 1", "4 | "]
    assert shown(listing, "location", "self", **by_cost) == expected
    listing = closed(listing, "2", is_open=True)
    assert shown(listing, "location", "self", **by_cost)[:4] == [
        "5 | 45", "b.h:8 | 30", "b.h:7 | 20", "2 | 10"
    ]  # fmt: skip


def test_inlined_lines_lose_the_indentation_they_share() -> None:
    """Lines of one file keep their indentation relative to each other; copies keep all of it."""
    listing = inlined()
    lines = ("1", "2", "b.h:7", "b.h:8", "c.h:1")
    cut = [listing.texts.common_indent(record_at(listing, place)) for place in lines]

    assert cut == [0, 0, 10, 10, 0]
    assert listing.texts.full_text(record_at(listing, "b.h:8")) == "            deeper"


def test_tips_name_the_file_of_inlined_lines() -> None:
    """Names of files may be elided in their column; a closed line says what it hides."""
    listing = inlined()
    tips = [listing.table.tip(record_at(listing, place)) for place in ("4", "2", "b.h:8")]
    jumps = "jumps here from b.h:8: 2 times"
    taken = "jumps to 5: 3 of 4 times"

    assert tips == [(), (taken, jumps), ("Inlined from b.h:8", "jumps to 2: 2 times")]
    hiding = closed(listing, "2").table.tip(record_at(listing, "2"))
    what = "2 inlined lines of other files, which follow this line in the program"
    assert hiding == (what, taken, jumps)


@pytest.mark.slow
@given(st.lists(st.sampled_from(["1", "2", "b.h:7", "5", "c.h:1"]), max_size=6), st.booleans())
def test_visible_costs_always_add_up(toggled: list[str], is_folded: bool) -> None:
    """Whatever is closed, the self costs in sight are those of the function."""
    listing = inlined()
    for place in toggled:
        record = record_at(listing, place)
        listing = listing.with_group(record, closed=not listing.is_closed(record))
    records = shown_records(listing, opened=() if is_folded else None)

    assert int(listing.costs.first.self_cost.new[records].sum()) == 109
    _, lanes = listing.jumps
    assert {*lanes.source.tolist(), *lanes.target.tolist()} <= set(records)
