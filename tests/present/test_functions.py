"""The tables of functions and of groups: texts, titles, order, tips, exports, and both sides."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.functions import function_table
from qcachegrind_py.present.table import Shown
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.profile.numbers import NumberStyle
from tests.compared_graphs import BASE, NEW
from tests.present.table_text import (
    OF_PARENT,
    PERCENT,
    bars,
    cell_tip,
    compared_query,
    groups,
    headings,
    query_of,
    row_named,
    rows_by,
    table_rows,
    written,
)
from tests.profile_text import THIN, event_named, queries_for, view_query

INT64_MINIMUM = -(2**63)
ARROW = f"{THIN}→{THIN}"
FIVE = """
    events: Ir Dr
    main@a.c@/bin/prog 10,1 -> fast 3x40,4, slow 1x50,55
    fast@src/b.c@/bin/prog 40,4
    slow@src/b.c 50,5 -> ping 1x0,50
    ping 0,20 -> pong 2x0,30
    pong 0,30 -> ping 1x0,10
    """


# ---------------------------------------------------------------- texts and titles


COSTS = {
    # costs as they are, with inclusive and self cost, call count, name and location
    CostUnit.ABSOLUTE: [
        "60 | 1 | 0 | main | prog: a.c",
        "55 | 5 | 1 | slow | b.c",
        "50 | 50 | 1 | <cycle 1> | 2 members",
        "30 | 30 | 2 | pong <cycle 1> | ???",
        "20 | 20 | 2 | ping <cycle 1> | ???",
        "4 | 4 | 3 | fast | prog: b.c",
    ],
    # shares of the total, with two digits; counts stay counts
    PERCENT: [
        "100.00 | 1.67 | 0 | main | prog: a.c",
        "91.67 | 8.33 | 1 | slow | b.c",
        "83.33 | 83.33 | 1 | <cycle 1> | 2 members",
        "50.00 | 50.00 | 2 | pong <cycle 1> | ???",
        "33.33 | 33.33 | 2 | ping <cycle 1> | ???",
        "6.67 | 6.67 | 3 | fast | prog: b.c",
    ],
}


@pytest.mark.parametrize("unit", COSTS)
def test_costs_as_they_are_and_as_percentages(tmp_path: Path, unit: CostUnit) -> None:
    """A title says percentages; the tip of a cell has the exact cost, that of a blank one none."""
    table = function_table(query_of(tmp_path, FIVE, "Dr", unit=unit))
    sign = " %" if unit is PERCENT else ""

    assert headings(table) == [f"Incl.{sign}", f"Self{sign}", "Called", "Function", "Location"]
    assert table_rows(table) == COSTS[unit]
    tips = [cell_tip(table, "inclusive", row_named(table, "main"))]
    blank = function_table(query_of(tmp_path, FIVE, "Ir", unit=unit))
    tips.append(cell_tip(blank, "inclusive", row_named(blank, "ping")))
    assert tips == ["60 Dr" if sign else f"60 Dr (100.00{THIN}%)", ""]


def test_calls_that_were_not_counted(tmp_path: Path) -> None:
    """Their number and the cost of one are dashes, and are missing in what is saved."""
    table = function_table(query_of(tmp_path, "main 1 -> f 0x9\nf 9"))
    columns = ("called", "per_call", "self_per_call")

    assert table_rows(table, *columns) == ["– | – | –"] * 2
    assert written(table, *columns) == [[None] * 3] * 2


@pytest.mark.parametrize("cost", [2**53 + 1, 2**62 + 3, 2**63 - 1, INT64_MINIMUM, -(2**53) - 1])
def test_costs_are_shown_to_the_last_digit(tmp_path: Path, cost: int) -> None:
    """A cost beyond float precision is displayed exactly, with thin spaces between thousands."""
    table = function_table(query_of(tmp_path, f"main {cost}\nmain 0 -> f 1000x0"))

    rows = {f"{cost:,} | 0".replace(",", THIN).replace("-", "−"), f" | 1{THIN}000"}
    assert set(table_rows(table, "self", "called")) == rows


def test_derived_costs_beyond_64_bits_are_exact(tmp_path: Path) -> None:
    """A derived cost is a sum of products, shown, sorted and copied exactly beyond 64 bits."""
    misses = 2**60 + 1
    drawing = f"events: Ir ILmr\nmain 0,1\nbig 7,{misses}\nsmall 5,0"
    table = function_table(query_of(tmp_path, drawing, "CEst"))

    costs = [7 + 100 * misses, 100, 5]
    assert table_rows(table, "self", by="self") == [f"{c:,}".replace(",", THIN) for c in costs]
    assert written(table, "self", by="self") == [[cost] for cost in costs]


def test_bars_are_lengths_from_0_to_1(tmp_path: Path) -> None:
    """Bars are never longer than the cell nor shorter than nothing, even for negative costs."""
    drawing = "summary: 100\nmain 50 -> f 1x75\nf 25\ng -30\nh 400"
    query = query_of(tmp_path, drawing, unit=PERCENT, of_recorded=True)
    table = function_table(query)
    total = query.total(event_named(query.queries, "Ir")).base

    shares = dict(
        zip(table_rows(table, "name", by="self"), bars(table, "self", by="self"), strict=True)
    )

    expected = {"main": 50 / total, "f": 25 / total, "g": 0.0, "h": min(1.0, 400 / total)}
    assert shares == pytest.approx(expected)
    assert bars(table, "called") == [None] * 4


def test_nothing_is_a_share_of_nothing(tmp_path: Path) -> None:
    """If the total is 0, cells are blank and there is no bar, not an error."""
    table = function_table(query_of(tmp_path, "main 0", unit=PERCENT))

    assert (table_rows(table, "inclusive", "self"), bars(table, "self")) == ([" | "], [0.0])


def test_second_event_has_columns_of_its_own(tmp_path: Path) -> None:
    """A second event has its own titled columns beside the first, with percentages of its total."""
    queries = queries_for(tmp_path, FIVE)
    second = event_named(queries, "Dr")
    table = function_table(view_query(queries, unit=PERCENT, second_event=second))

    costs = ("inclusive", "self", "second_inclusive", "second_self")
    assert headings(table, *costs) == ["Incl. %", "Self %", "Dr incl. %", "Dr self %"]
    assert table_rows(table, *costs, "called", "name", by="second_self") == [
        " |  | 50.00 | 50.00 | 2 | pong <cycle 1>",
        " |  | 33.33 | 33.33 | 2 | ping <cycle 1>",
        "50.00 | 50.00 | 91.67 | 8.33 | 1 | slow",
        "40.00 | 40.00 | 6.67 | 6.67 | 3 | fast",
        "100.00 | 10.00 | 100.00 | 1.67 | 0 | main",
        " |  | 83.33 | 83.33 | 1 | <cycle 1>",
    ]


def test_optional_columns_are_hidden_by_default(tmp_path: Path) -> None:
    """Columns of the second event and of averages are hidden by default; the others are shown."""
    table = function_table(query_of(tmp_path, FIVE))

    assert [column.key for column in table.columns if column.shown is Shown.OFFERED] == [
        "second_inclusive",
        "second_self",
        "per_call",
        "self_per_call",
    ]
    assert headings(table, "per_call", "self_per_call") == ["Incl. per call", "Self per call"]


def test_cost_of_one_call_is_whole_and_absolute(tmp_path: Path) -> None:
    """An average is rounded down, never a percentage; without calls, one call is assumed."""
    table = function_table(query_of(tmp_path, "main 10 -> f 3x50\nf 50", unit=PERCENT))

    columns = ("per_call", "self_per_call", "name")
    assert table_rows(table, *columns, by="per_call", ascending=True) == [
        "16 | 16 | f",
        "60 | 10 | main",
    ]
    assert written(table, "per_call") == [[60], [16]]


def test_self_percentages_are_of_the_group(tmp_path: Path) -> None:
    """Of a group, self costs and their bars are shares of what the function's group costs."""
    drawing = "main@a.c@/one 10 -> f 1x30, g 1x60\nf@b.c@/two 30\ng@b.c@/two 60"
    query = query_of(tmp_path, drawing, unit=OF_PARENT, grouping=Grouping.OBJECT)
    table = function_table(query)

    assert table_rows(table, "inclusive", "self", "name") == [
        "100.00 | 100.00 | main",
        "60.00 | 66.67 | g",
        "30.00 | 33.33 | f",
    ]
    assert bars(table, "self") == [1.0, 2 / 3, 1 / 3]


def test_cycle_is_a_row_behind_the_functions(tmp_path: Path) -> None:
    """A cycle is a row with the sums of its members; without cycle detection there is none."""
    text = "main 1 -> a 2x55\na 10 -> b 3x50, leaf 1x5\nb 20 -> a 1x25, leaf 1x20\nleaf 25"
    queries = queries_for(tmp_path, text)
    table = function_table(view_query(queries))
    without = function_table(view_query(queries, scope=Scope(cycles=False)))

    assert table_rows(table, by="name", ascending=True) == [
        "55 | 30 | 2 | <cycle 1> | 2 members",
        "15 | 10 | 3 | a <cycle 1> | ???",
        "40 | 20 | 3 | b <cycle 1> | ???",
        "25 | 25 | 2 | leaf | ???",
        "56 | 1 | 0 | main | ???",
    ]
    assert table.node(table.length - 1) == queries.function_count
    assert table_rows(without, "name", by="name", ascending=True) == ["a", "b", "leaf", "main"]


# ---------------------------------------------------------------- order


def test_sum_of_a_cycle_is_not_the_hottest_function(tmp_path: Path) -> None:
    """By self cost it stands behind what it is the sum of, grey and without a bar."""
    queries = queries_for(tmp_path, FIVE)
    table = function_table(view_query(queries, "Dr"))
    queries.set_user_events([UserEvent("Rate", "", "Dr / Ir")])
    of_ratio = function_table(view_query(queries, "Rate"))
    cells, cycle = table.column("self").cells, row_named(table, "<cycle")

    assert table_rows(table, "self", "name", by="self")[0] == "30 | pong <cycle 1>"
    assert table_rows(table, "self", "name", by="self")[-1] == "50 | <cycle 1>"
    assert (cells.is_faint(cycle), cells.bar(cycle)) == (True, 0.0)
    assert "the sum of its members" in cell_tip(table, "self", cycle)
    assert table_rows(of_ratio, "name", by="self")[-1] == "<cycle 1>"


def test_names_sort_as_in_a_dictionary(tmp_path: Path) -> None:
    """Upper and lower case are alike: names sort not by character codes."""
    table = function_table(query_of(tmp_path, "beta 1\nAlpha 2\nalpha2 3\nGamma 4"))

    names = table_rows(table, "name", by="name", ascending=True)
    assert names == ["Alpha", "alpha2", "beta", "Gamma"]


def test_ratios_are_no_percentages(tmp_path: Path) -> None:
    """A ratio has four digits, a division by 0 is a dash, and neither has a bar."""
    queries = queries_for(tmp_path, "events: Dr Ir\nnothing 7,0\nlow -4,4\nhigh 5,2\nzero 0,9")
    queries.set_user_events([UserEvent("Rate", "", "Dr / Ir")])
    table = function_table(view_query(queries, "Rate", unit=PERCENT))

    assert headings(table, "inclusive", "self") == ["Incl.", "Self"]
    assert set(table_rows(table, "self", "name")) == {
        "−1.000 | low",
        "0 | zero",
        "2.500 | high",
        "– | nothing",
    }
    assert bars(table, "self") == [0.0] * 4


# ---------------------------------------------------------------- names and tips


def test_tip_tells_everything_in_full(tmp_path: Path) -> None:
    """The tip of a row has name, full paths, cycle and callers; unknown ones are left out."""
    query = query_of(tmp_path, FIVE)
    table = function_table(query)  # does not keep the profile alive

    tips = [table.tip(row_named(table, name)) for name in ("main", "<cycle", "fast", "ping")]

    assert tips == [
        ("main", "File: a.c", "Object: /bin/prog"),
        ("<cycle 1>", "2 members"),
        ("fast", "File: src/b.c", "Object: /bin/prog", "Costliest callers: main"),
        ("ping", "In recursion cycle 1", "Costliest callers: <cycle 1>"),
    ]


HOSTILE = {
    "HTML": (b"<b>bold</b><img src=x>", "<b>bold</b><img src=x>"),
    "template": (b"std::vector<int>", "std::vector<int>"),
    "control characters": (b"a\x01\x1b[31mb\tc", r"a\x01\x1b[31mb\x09c"),
    "right-to-left override": ("a\u202egnp.exe".encode(), r"a\u202egnp.exe"),
    "line separator": ("a\u2028b\u2029c\x85d".encode(), r"a\u2028b\u2029c\u0085d"),
    "not UTF-8": (b"caf\xe9", r"caf\xe9"),
    "NUL": (b"a\x00b", r"a\x00b"),
    "very long": (b"x" * 100_000, "x" * 400 + "…"),
}


@pytest.mark.parametrize(("name", "shown"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_one_line_of_plain_text(tmp_path: Path, name: bytes, shown: str) -> None:
    """Any name is displayed in one line of bounded length, whatever its bytes."""
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(b"events: Ir\n\nob=/lib/%s\nfl=%s\nfn=%s\n1 1\n" % ((name,) * 3))
    query = view_query(ProfileQueries(load(path)))

    table = function_table(query)

    place = table.column("location").cells.text(0)
    assert table_rows(table, "name") == [shown]
    assert (place.isprintable(), len(place) <= 401) == (True, True)


def test_exported_names_are_whole(tmp_path: Path) -> None:
    """A copied name is not truncated like a cell: names of templates are often longer."""
    name = "std::map<" + "int," * 200 + "int>::find"

    assert written(function_table(query_of(tmp_path, f"{name} 1")), "name") == [[name]]


def test_exported_numbers_are_plain(tmp_path: Path) -> None:
    """Copied cells have whole numbers, whatever unit is shown, for use in a spreadsheet."""
    queries = queries_for(tmp_path, "events: Ir Dr\nmain@a.c@/bin/prog 1234567,5 -> f 1000x98765,4")
    style = NumberStyle(use_si_prefixes=True)
    second = event_named(queries, "Dr")
    query = view_query(queries, unit=PERCENT, numbers=style, second_event=second)

    lasting = [c.key for c in function_table(query).columns if not c.is_comparison]
    assert written(function_table(query), *lasting, by="self") == [
        [1333332, 1234567, 9, 5, 0, 1333332, 1234567, "main", "prog: a.c"],
        [98765, 0, 4, 0, 1000, 98, 0, "f", "???"],
    ]


# ---------------------------------------------------------------- both sides


def test_changes_of_functions(tmp_path: Path) -> None:
    """In a comparison costs are changes, blank where nothing changed, the largest first.

    Both sides, the growth, both counts and the reason stand beside them; a call costs what it does
    in the new profile.
    """
    table = function_table(compared_query(tmp_path, BASE, NEW, "work"))

    titles = ["Incl. ±", "Self ±", "Base", "New", "Growth"]
    columns = ("inclusive", "self", "base", "new", "growth", "called", "why", "per_call", "name")
    assert headings(table, *columns[:5]) == titles
    assert table_rows(table, *columns) == [
        f"+440 |  | 440 | 880 | +100.00{THIN}% | 0 |  | 880 | main",
        f"+420 |  | 400 | 820 | +105.00{THIN}% | 2{ARROW}4 | more calls | 205 | work",
        f"+420 | +420 | 300 | 720 | +140.00{THIN}% | 4{ARROW}8 | more, costlier | 90 | leaf",
        f"+50 | +50 |  | 50 | new | 0{ARROW}1 |  | 50 | fresh",
        f"\N{MINUS SIGN}30 | \N{MINUS SIGN}30 | 30 |  | gone | 1{ARROW}0 |  |  | old",
    ]
    assert bars(table, "inclusive") == pytest.approx([1, 42 / 44, 42 / 44, 5 / 44, -3 / 44])


def test_changes_have_words_and_tips(tmp_path: Path) -> None:
    """Names are marked as new or gone; tips have the share of a change, and its reasons."""
    table = function_table(compared_query(tmp_path, BASE, NEW, "work"))
    work = row_named(table, "work")

    marks = {name: table.mark(row_named(table, name)) for name in ("work", "fresh", "old")}
    assert marks == {"work": "", "fresh": "new", "old": "gone"}
    assert cell_tip(table, "inclusive", work) == f"+420 Ir (+95.45{THIN}% of the base)"
    assert cell_tip(table, "why", work) == (
        f"+405 by the number of calls (2{ARROW}4), +15 by the cost per call"
    )


def test_exported_changes_are_numbers(tmp_path: Path) -> None:
    """Changes, both sides and growth are numbers; what is new has no growth."""
    table = function_table(compared_query(tmp_path, BASE, NEW, "work", unit=PERCENT))

    assert written(table, "inclusive", "base", "new", "growth", "called", "why", "name") == [
        [440, 440, 880, 1.0, 0, "", "main"],
        [420, 400, 820, 1.05, 4, "more calls", "work"],
        [420, 300, 720, 1.4, 8, "more, costlier", "leaf"],
        [50, 0, 50, None, 1, "", "fresh"],
        [-30, 30, 0, -1.0, 0, "", "old"],
    ]
    assert [c.key for c in table.columns if c.written_title.endswith("±")][:2] == [
        "inclusive",
        "self",
    ]


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        (
            CostUnit.SHARES,
            [
                "+13.64 | 68.18 | 81.82 | leaf",
                "+2.27 | 90.91 | 93.18 | work",
                " | 100.00 | 100.00 | main",
            ],
        ),
        (
            CostUnit.PER_CALL,
            [
                "+30.00 | 150.00 | 180.00 | leaf",
                "+5.00 | 200.00 | 205.00 | work",
                " | 220.00 | 220.00 | main",
            ],
        ),
    ],
)
def test_changes_of_divided_costs(tmp_path: Path, unit: CostUnit, expected: list[str]) -> None:
    """Each side is divided by its own total, or by its calls of the active function."""
    table = function_table(compared_query(tmp_path, BASE, NEW, "work", unit=unit))

    rows = table_rows(table, "inclusive", "base", "new", "name")
    assert [row for row in rows if row.split(" | ")[-1] in ("leaf", "work", "main")] == expected


# ---------------------------------------------------------------- groups


GROUPED = """
    main@a.c@/bin/prog 10 -> ping 1x50
    other@b.c@/bin/prog 5
    ping@/usr/x.c@/lib/x.so 20 -> pong 1x30
    pong@/usr/x.c@/lib/x.so 30 -> ping 1x10
    lost 7
    """


@pytest.mark.parametrize(
    ("grouping", "expected"),
    [
        (Grouping.OBJECT, ["50 | 2 | x.so", "15 | 2 | prog", "7 | 1 | ???"]),
        (Grouping.FILE, ["50 | 2 | x.c", "10 | 1 | a.c", "7 | 1 | ???", "5 | 1 | b.c"]),
        (Grouping.CYCLE, ["50 | 2 | <cycle 1>", "22 | 3 | (no cycle)"]),
    ],
)
def test_groups(tmp_path: Path, grouping: Grouping, expected: list[str]) -> None:
    """Each group is a row with its functions' total, their number, and its short name.

    A cycle is not a function: neither its cost nor its number counts. A group has no function, so
    no selection elsewhere highlights it.
    """
    table = groups(query_of(tmp_path, GROUPED, grouping=grouping))

    assert headings(table) == ["Self", "Functions", "Group"]
    assert table_rows(table) == expected
    assert {table.node(row) for row in range(table.length)} == {NO_NODE}


def test_groups_of_a_name_in_two_folders_stay_two(tmp_path: Path) -> None:
    """Paths are displayed by their last part; the full path in the tip distinguishes them."""
    table = groups(query_of(tmp_path, "f@/a/x.c 1\ng@/b/x.c 2", grouping=Grouping.FILE))

    assert table_rows(table, "name") == ["x.c", "x.c"]
    assert [table.tip(row) for row in rows_by(table)] == [("/b/x.c",), ("/a/x.c",)]


def test_percentages_of_groups_add_up(tmp_path: Path) -> None:
    """As percentages, groups are shares of the total, and add up to 100."""
    table = groups(query_of(tmp_path, GROUPED, unit=PERCENT, grouping=Grouping.OBJECT))

    assert headings(table)[0] == "Self %"
    assert table_rows(table) == ["69.44 | 2 | x.so", "20.83 | 2 | prog", "9.72 | 1 | ???"]
    assert sum(length or 0 for length in bars(table, "self")) == pytest.approx(1)


def test_hidden_functions_are_not_counted_but_cost(tmp_path: Path) -> None:
    """A filter changes the number of visible functions in a group, not the group's cost."""
    query = query_of(tmp_path, GROUPED, grouping=Grouping.OBJECT)
    queries = query.queries
    shown = np.array([queries.names.name(f) == "ping" for f in range(queries.function_count)])

    assert table_rows(groups(query, shown)) == ["50 | 1 | x.so", "15 | 0 | prog", "7 | 0 | ???"]


def test_changes_of_groups(tmp_path: Path) -> None:
    """A group's self cost changes as its functions do, with both sides beside it."""
    base, new = "main@a.c 10 -> f 1x5\nf@b.c 5", "main@a.c 10 -> f 1x9\nf@b.c 9"
    table = groups(compared_query(tmp_path, base, new, grouping=Grouping.FILE))

    assert table_rows(table, "self", "base", "new", "growth", "name") == [
        f"+4 | 5 | 9 | +80.00{THIN}% | b.c",
        " | 10 | 10 |  | a.c",
    ]
    assert bars(table, "self") == [1.0, 0.0]
