"""What listings of source lines and of instructions have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.present.code_listing import CodeListing
from qcachegrind_py.present.code_records import code_costs
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.table import NumberCells
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.numbers import NumberStyle
from tests.present.code_text import (
    ASSEMBLER,
    BOTH,
    SOURCE,
    TEXTS,
    asked,
    assembler,
    code_query,
    copied,
    drawn,
    in_assembler,
    in_source,
    jumps_of,
    loaded,
    record_at,
    shown,
    shown_records,
    source,
)
from tests.present.reference_records import CALL, FOLD, LOCATION, plain_records, unmarked_stretches
from tests.present.reference_records import SOURCE as SOURCE_ROW
from tests.present.table_text import bars, headings

both = pytest.mark.parametrize("kind", BOTH)
KEYS = (
    "location", "self", "second_self", "inclusive", "second_inclusive", "calls", "jumps", "text",
)  # fmt: skip

# ------------------------------------------------------------------------ order


def sites_in_order(listing: CodeListing, key: str, *, ascending: bool) -> list[int]:
    """The locations sorted by a column; equal ones stay in code order."""
    rows, first, second = listing.rows, listing.costs.first, listing.costs.second
    records = plain_records(rows.records)
    of_calls = [record for record in records if record.kind == CALL]
    counts = {
        site: sum(int(rows.calls.count[call.call]) for call in of_calls if call.location == site)
        for site in range(len(rows.cost_row))
    }
    values: dict[str, Callable[[int, int], Any]] = {
        "self": lambda n, _site: int(first.self_cost.new[n]),
        "second_self": lambda n, _site: int(second.self_cost.new[n]),
        "inclusive": lambda n, _site: int(first.inclusive.new[n]),
        "second_inclusive": lambda n, _site: int(second.inclusive.new[n]),
        "calls": lambda _n, site: counts[site],
        "source": lambda _n, site: (int(rows.file[site]), int(rows.line[site])),
    }
    value = values.get(key, lambda n, _site: n)
    sites = [(n, record.location) for n, record in enumerate(records) if record.kind == LOCATION]
    ordered = sorted(sites, key=lambda both: value(*both), reverse=not ascending)
    return [site for _, site in ordered]


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize(
    ("kind", "key"),
    [
        *((kind, key) for kind in BOTH for key in KEYS),
        ("assembler", "bytes"),
        ("assembler", "source"),
    ],
)
def test_calls_stay_below_their_line_in_any_order(kind: str, key: str, ascending: bool) -> None:
    """In another order than that of the code nothing is folded, nor are there source lines."""
    listing = in_source() if kind == "source" else in_assembler(texts=TEXTS)
    records = plain_records(listing.rows.records)
    order = shown_records(listing, key, ascending=ascending, opened=())
    if (key, ascending) == ("location", True):
        assert FOLD in {records[record].kind for record in order}
        return
    sites = sites_in_order(listing, key, ascending=ascending)

    assert [records[r].location for r in order if records[r].kind == LOCATION] == sites
    expected = [
        record
        for site in sites
        for record in records
        if record.location == site and record.kind in (LOCATION, CALL)
    ]
    assert [records[r] for r in order if records[r].kind in (LOCATION, CALL)] == expected
    assert sorted(order) == [
        n for n, record in enumerate(records) if record.kind not in (FOLD, SOURCE_ROW)
    ]


SITES = st.lists(st.sampled_from([None, None, None, None, None, 0, 2]), min_size=1, max_size=25)


@pytest.mark.slow
@given(SITES, st.integers(0, 2), st.sets(st.integers(0, 24), max_size=3))
def test_folds_of_any_code(lines: list[int | None], context: int, opened: set[int]) -> None:
    """Each range that is not opened is one row."""
    text = ["events: Ir", "fl=m.c", "fn=main", "cfi=a.c", "cfn=f", "calls=1 1", "1 1"]
    text += ["fl=a.c", "fn=f"]
    for line, calls in enumerate(lines, start=1):
        text += [] if calls is None else [f"{line} 1"]
        for callee in range(calls or 0):
            text += [f"cfi=???\ncfn=g{callee}", f"calls=1 1\n{line} 1"]
    texts = {"a.c": [f"line {line}" for line in range(1, len(lines) + 1)]}
    listing = source(drawn("\n".join([*text, ""])), texts, context=context)
    costly = [site for site, calls in enumerate(lines) if calls is not None]
    stretches = unmarked_stretches(len(lines), costly, context)
    numbers = [n for n, stretch in enumerate(stretches) if set(stretch) & opened]
    closed = [stretch for n, stretch in enumerate(stretches) if n not in numbers]
    hidden = {site for stretch in closed for site in stretch}
    folds = {stretch[0]: len(stretch) for stretch in closed}
    expected = []
    for site, calls in enumerate(lines):
        expected += [f"{folds[site]} lines without cost"] if site in folds else []
        expected += [f"line {site + 1}"] if site not in hidden else []
        expected += [f"g{callee}  ???" for callee in range(calls or 0)]

    assert shown(listing, "text", opened=numbers) == expected


# ------------------------------------------------------------------------ costs


@both
def test_costs_of_other_events_are_those_of_a_new_listing(kind: str) -> None:
    first, other = (BOTH[kind](), BOTH[kind]("Dr"))
    text = {"source": SOURCE, "assembler": ASSEMBLER}[kind]
    again = first.with_costs(code_costs(drawn(text, "Dr"), first.rows, 0))

    for key in KEYS:
        assert shown(again, *KEYS, by=key) == shown(other, *KEYS, by=key)
    assert headings(again.table, *KEYS) == headings(other.table, *KEYS)


def test_percentages_and_ratios() -> None:
    """Percentages are of the function's cost; a ratio has no bar and, if 0, no text.

    The tip of the column says what they are of, as those of lists are of something else.
    """
    query = drawn(SOURCE, unit=CostUnit.PERCENT)
    listing = source(query)
    said = "Percentages are of the function's inclusive cost"
    of_program = source(drawn(SOURCE, unit=CostUnit.PERCENT, percent_of_function=False))
    tips = [each.table.column("inclusive").tip for each in (listing, of_program)]
    assert [said in tip for tip in tips] == [True, False]
    assert headings(listing.table, "self", "inclusive") == ["Self %", "Incl. %"]
    assert shown(listing, "self", "inclusive")[2:5] == ["2.59 | 2.59", "5.18 | 82.90", " | 77.72"]

    queries = query.queries
    queries.set_user_events([UserEvent("Rate", "", "Dr / Ir"), UserEvent("Odd", "", "Ir / Dr")])
    listing = source(asked(queries, "Rate", "Odd"), {})
    keys = "location", "self", "second_self", "inclusive", "second_inclusive"
    assert headings(listing.table, *keys) == ["Line", "Self", "Odd self", "Incl.", "Odd incl."]
    assert shown(listing, *keys) == [
        "– | 0.5000 | 2.000 | 0.5000 | 2.000",
        "2 | 0.4000 | 2.500 | 0.4000 | 2.500",
        "b.h:7 | 0.4000 | 2.500 | 0.1250 | 8.000",
        " |  |  | 0.1067 | 9.375",
        "9 |  | – | 0.04444 | 22.50",
        " |  |  | 0.05000 | 20.00",
        " |  |  | (cycle) | (cycle)",
        "12 | 1.000 | 1.000 | 1.000 | 1.000",
        "99 | 0.3750 | 2.667 | 0.3750 | 2.667",
    ]
    for key in keys[1:]:
        assert set(bars(listing.table, key)) == {0.0}
        cells = listing.table.column(key).cells
        assert len(cells.widest()) >= max(map(len, shown(listing, key)))


def test_bars_and_the_ruler_are_in_parts_of_the_costliest_line() -> None:
    """A ratio has no marks on the ruler, and calls are part of their line."""
    listing = in_source()
    shares = [2 / 320, 0, 10 / 320, 1, 300 / 320]
    cells = listing.table.column("inclusive").cells
    assert isinstance(cells, NumberCells)
    assert [cells.bar(record) for record in range(5)] == shares
    assert listing.shares(np.arange(5)).tolist() == [*shares[:4], 0]
    queries = drawn(SOURCE).queries
    queries.set_user_events([UserEvent("Rate", "", "Dr / Ir")])
    assert not source(asked(queries, "Rate")).shares(np.arange(5)).any()


def test_costs_beyond_64_bits_are_exact() -> None:
    """Costs of a formula beyond 64 bits are displayed and copied exactly, too."""
    queries = drawn(f"events: Ir\nfl=a.c\nfn=f\n1 {2**62}\n2 1\n").queries
    queries.set_user_events([UserEvent("Big", "", "1000 Ir")])
    listing = source(asked(queries, "Big"), {})

    assert copied(listing, "location", "self", by="self", ascending=False) == [
        [1, 1000 * 2**62], [2, 1000]
    ]  # fmt: skip
    assert shown(listing, "inclusive")[1] == "1000"
    widest = listing.table.column("self").cells.widest()
    assert widest.replace("\N{THIN SPACE}", "") == str(1000 * 2**62)


def test_changes_beyond_64_bits_are_exact(tmp_path: Path) -> None:
    """The change of a line needs a bit more than its costs: it is displayed and copied exactly."""
    base, (least, most) = tmp_path / "base", (-(2**63) + 1, 2**63 - 1)
    base.write_text(f"events: Ir\nfl=a.c\nfn=f\n1 {least % 2**64}\n2 1\n")
    new = f"events: Ir\nfl=a.c\nfn=f\n1 {most}\n2 4\n"
    (tmp_path / "a.c").write_text("one\ntwo\n")
    _, listing = loaded("source", code_query(new, "f", tmp_path, base=base))

    assert [text.replace("\N{THIN SPACE}", "") for text in shown(listing, "self")] == [
        f"+{most - least}", "+3"
    ]  # fmt: skip
    assert copied(listing, "location", "self", by="self", ascending=False) == [
        [1, most - least], [2, 3]
    ]  # fmt: skip


def test_cells_for_other_programs() -> None:
    """Exported numbers are whole and without groups, and empty without cost; names are in full."""
    percent = {"unit": CostUnit.PERCENT, "numbers": NumberStyle(decimals=0)}
    listing = source(drawn(SOURCE, **percent))
    keys = "location", "self", "second_self", "inclusive", "second_inclusive", "jumps", "text"
    rows = copied(listing, *keys, opened=())
    assert [rows[row] for row in (0, 2, 3, 4, 6)] == [
        ["–", 2, 1, 2, 1, "", "cost without a line"],
        [2, 10, 4, 10, 4, "jumps here from 9: 3 of 4 times", "text of line 2"],
        ["b.h:7", 20, 8, 320, 40, "", "        inlined 7;"],
        [None, None, None, 300, 32, "", "g"],
        [None, None, None, None, None, "", "4 lines without cost"],
    ]
    counts = [count for (count,) in copied(listing, "calls", opened=())]
    assert [counts[row] for row in (3, 4, 8, 9, 10)] == [3, 3, 1200, 0, 1200]

    text = ASSEMBLER.replace("300 30", "300000 30").replace("calls=3", "calls=3000")
    rows = copied(assembler(drawn(text)), *keys[:5], "calls", "jumps", "bytes", "text", "source")
    assert [rows[row] for row in (0, 1, 4, 5, 6, 9)] == [
        ["e", None, None, None, None, 0, "", "ab 0e", "nop", ""],
        [None, None, None, None, None, 0, "", "", "f:", ""],
        [14, 5, None, 300045, 32, 3000, "jumps here from 1a: 2 times", "ab 14", "call    90 <g>",
         "b.h:7"],
        [None, None, None, 300000, 30, 3000, "", "", "g", ""],
        [None, None, None, 40, 2, 0, "", "", "h", ""],
        ["1b", 1, None, 1, None, 0, "", "", "unknown instruction", ""],
    ]  # fmt: skip


# ------------------------------------------------------------------------ jumps


def test_jumps_are_said_at_both_ends() -> None:
    """How often a jump was taken and, if conditional, executed; a single time is a word.

    A jump to a hidden line is no arrow. The tip says the same.
    """
    listing = in_source()
    assert jumps_of(listing) == {
        "2": "jumps here from 9: 3 of 4 times",
        "9": "jumps to 12: 5 times; jumps to 2: 3 of 4 times",
        "12": "jumps here from 9: 5 times",
    }
    tips = map(listing.table.tip, range(listing.table.length))
    assert [tip for tip in tips if "jumps" in " ".join(tip)] == [
        ("jumps here from 9: 3 of 4 times",),
        ("jumps to 12: 5 times", "jumps to 2: 3 of 4 times"),
        ("jumps here from 9: 5 times",),
    ]
    drawing = "events: Ir\nfl=a.c\nfn=f\njump=1 3\n1\njcnd=1/1 4\n2\n2 1\n3 1\n4 1\n"
    assert jumps_of(source(drawn(drawing), {})) == {
        "1": "jumps to 3: once",
        "2": "jumps to 4: 1 of 1 times",
        "3": "jumps here from 1: once",
        "4": "jumps here from 2: 1 of 1 times",
    }


def test_the_most_frequent_of_many_jumps_are_said() -> None:
    """Of a jump table the five most frequent targets, most frequent first; a menu has them all."""
    times = [4, 1, 9, 30, 2, 3, 30_000, 8]
    text = ["positions: instr line", "events: Ir", "fl=a.c", "fn=f"]
    for number, count in enumerate(times):
        text += [f"jump={count} {0x20 + 2 * number:#x} 2", "0x10 1"]
    text += ["0x10 1 90", *(f"{0x20 + 2 * number:#x} 2 1" for number in range(8)), ""]
    code = "".join(f"{address:x} nop\n" for address in (0x10, *range(0x20, 0x30, 2)))
    listing = assembler(drawn("\n".join(text)), code)
    said, record = jumps_of(listing), record_at(listing, "10")

    texts = (
        "jumps to 2c: 30\N{THIN SPACE}000 times", "jumps to 26: 30 times", "jumps to 24: 9 times",
        "jumps to 2e: 8 times", "jumps to 20: 4 times", "3 more jumps",
    )  # fmt: skip
    assert said["10"] == "; ".join(texts)
    assert listing.table.tip(record) == texts
    assert [said["22"], said["28"]] == ["jumps here from 10: once", "jumps here from 10: 2 times"]
    targets = listing.rows.records.jump_targets(record)
    order = ["2c", "26", "24", "2e", "20", "2a", "28", "22"]
    assert [listing.texts.location(target) for target in targets] == order


# ------------------------------------------------------------------------ names and searches

HOSTILE = "<b>x</b>\tä\x0c\x1b[0m\u2028\u202e\ud800\x00"
LONG = "n" * 1000
NAME = "n\x1b\tx\x7f\xe2\x80\xa8\xff" + LONG


def hostile_source() -> CodeListing:
    file, header = "d/a\x0bb\tc.c", "h\x1b.h"
    text = f"events: Ir\nfl={file}\nfn=f\n1 1\nfi={header}\n1 1\nfe={file}\n2 2\n"
    text += f"cfi={NAME}\ncfn={NAME}\ncalls=1 1\n2 1\njump=1 1\n2\n"
    texts = {file: [HOSTILE, "y" * 100_000], header: ["\r" * 50]}
    return source(drawn(text.encode("latin-1")), texts)


def hostile_assembler() -> CodeListing:
    text = "positions: instr line\nevents: Ir\nfl=d/\x0bb\tc.c\nfn=f\n0x10 1 1\n"
    text += f"cfi={NAME}\ncfn={NAME}\ncalls=1 0x90 1\n0x10 1 1\n"
    code = f"10 call 90 <{NAME}>\n12 m\x00v {'y' * 100_000}\n"
    return assembler(drawn(text.encode("latin-1")), code, [(0x10, "a\nb\t\x00\ud800<b>")])


@pytest.mark.parametrize(
    ("listing", "start"),
    [
        (hostile_source(), "<b>x</b>        ä"),
        (hostile_assembler(), r"a\x0ab       \x00\ud800<b>:"),
    ],
    ids=BOTH,
)
def test_hostile_names_and_texts_are_plain_lines(listing: CodeListing, start: str) -> None:
    """Whatever a profile, source or binary contains, each cell is one line of printable text.

    Texts are not truncated, as they are copied; exported names are in full, and exact.
    """
    keys = [column.key for column in listing.table.columns]
    cells = [cell for line in shown(listing, *keys) for cell in line.split(" | ")]
    exported = [cell for row in copied(listing, *keys) for cell in row if isinstance(cell, str)]

    assert all(map(str.isprintable, cells))
    assert [any("y" * 100_000 in cell for cell in of) for of in (cells, exported)] == [True, True]
    assert [cell for cell in exported if LONG in cell and "<" not in cell] == [
        "n\x1b\tx\x7f\u2028\udcff" + LONG
    ]
    assert not any(LONG in cell and "<" not in cell for cell in cells)
    assert shown(listing, "text")[0].startswith(start)


@both
def test_a_search_makes_texts_small_once_for_all_letters(kind: str) -> None:
    """Each letter that is typed searches all of the code, while the window waits."""
    made: list[str] = []

    class Counted(str):
        __slots__ = ()

        def lower(self) -> str:
            made.append(self)
            return super().lower()

    if kind == "source":
        texts = {name: list(map(Counted, of)) for name, of in TEXTS.items()}
        listing = in_source(texts=texts)
    else:
        listing = BOTH[kind]()
        rows: Any = listing.rows
        rows = replace(rows, texts=tuple(map(Counted, rows.texts)))
        listing = replace(listing, texts=replace(listing.texts, rows=rows))
    for text in ("t", "te", "text", "x"):
        listing.texts.containing(text)

    assert len(made) == {"source": 12, "assembler": 14}[kind]  # of own lines


@pytest.mark.parametrize("unit", list(CostUnit))
def test_costs_below_a_ten_thousandth_are_tiny(unit: CostUnit) -> None:
    """They are grey, in whatever unit costs are: of lines and calls, but not of lines without."""
    drawing = """
        events: Ir
        fl=a.c
        fn=f
        1 1
        2 29900
        cfn=g
        calls=1 1
        3 2
        cfn=h
        calls=1 1
        3 97
        fn=g
        1 2
        fn=h
        1 97
        """
    listing = source(drawn(drawing, unit=unit), {"a.c": ["text"] * 4})
    tiny = [record for record in shown_records(listing) if listing.is_tiny[record]]
    texts = [listing.texts.location(record) or listing.texts.call_text(record) for record in tiny]

    assert texts == ["1", "g  a.c"]
