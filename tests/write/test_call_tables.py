"""Functions and cycles with their callers and callees, byte for byte: text, TSV, CSV, JSON."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.call_report import (
    TreeSide,
    calls_page,
    calls_records,
    calls_table,
    tree_page,
)
from qcachegrind_py.present.selection import Order, ReportSelection
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import NodeId, cycle_node
from qcachegrind_py.profile.numbers import ACTIVE
from qcachegrind_py.write.json_rows import write_records
from qcachegrind_py.write.separated import OutputFormat, write_table
from qcachegrind_py.write.text import PLAIN_TEXT, TextLayout, write_page
from tests.profile_rows import profile_from
from tests.profile_text import profile_text

# f and g call each other; the calls of h had not returned; leaf calls itself
DRAWING = """
    events: Ir Dr
    main@a.c@/bin/prog 1000,1 -> f 3x4000,40, g 1x5000,50, h 0x700,0
    f@a.c@/bin/prog 3000,40 -> g 2x2000,20
    g@b.c@/bin/prog 3000,50 -> f 2x1000,20, leaf 2x700,20
    h@a.c@/bin/prog 700,0
    leaf@b.c@/lib/lib.so 700,20 -> leaf 4x300,10
    """
NO_CYCLES = Scope(cycles=False)


def selection_of(drawing: str = DRAWING, events: str = "Ir", **choices: Any) -> ReportSelection:
    """A selection of a drawn profile with these events, named as in `--events`."""
    queries = ProfileQueries(profile_from(profile_text(drawing)))
    types = (queries.events.find(name) for name in events.split(","))
    return ReportSelection(queries, tuple(type_ for type_ in types if type_), **choices)


def node(selection: ReportSelection, name: str) -> NodeId:
    """A function by its name, or the only cycle as `<cycle 1>`."""
    if name == "<cycle 1>":
        return cycle_node(1, selection.queries.function_count)
    (function,) = selection.queries.names.with_name(name)
    return function


def calls(
    selection: ReportSelection,
    *names: str,
    form: OutputFormat = "text",
    layout: TextLayout = PLAIN_TEXT,
) -> str:
    """What is written about the functions of these names."""
    stream = io.StringIO()
    nodes = [node(selection, name) for name in names]
    match form:
        case "text":
            write_page(calls_page(selection, nodes), stream, layout)
        case "json":
            write_records(calls_records(selection, nodes), stream)
        case _:
            write_table(calls_table(selection, nodes), form, stream)
    return stream.getvalue()


def tree(selection: ReportSelection, side: TreeSide) -> list[str]:
    """The lines of a tree below the facts of the profile and the titles."""
    stream = io.StringIO()
    write_page(tree_page(selection, side), stream)
    return stream.getvalue().partition("Called    Function\n")[2].splitlines()


def rows(text: str) -> list[str]:
    """The marks and names of text without costs and locations."""
    lines = (line for line in text.splitlines() if line)
    return [
        line[line.index(mark) :].partition(" (")[0] for line in lines if (mark := mark_of(line))
    ]


def mark_of(line: str) -> str:
    return next((mark for mark in ("< ", "* ", "> ") if f"  {mark}" in line), "")


def test_text() -> None:
    """An entry has callers above and callees below, costliest first, with counts and costs."""
    assert calls(selection_of(), "main", "leaf") == (
        "Ir\n"
        " Incl.       %   Self       %    Called    Function\n"
        "\n"
        "10,700  127.38  1,000   11.90         0  * main (/bin/prog: a.c)\n"
        " 5,000   59.52                       1x  > g <cycle 1> (/bin/prog: b.c)\n"
        " 4,000   47.62                       3x  > f <cycle 1> (/bin/prog: a.c)\n"
        "   700    8.33                 (active)  > h (/bin/prog: a.c)\n"
        "\n"
        "   700    8.33                       2x  < g <cycle 1> (/bin/prog: b.c)\n"
        "   300    3.57                       4x  < leaf (/lib/lib.so: b.c)\n"
        "   700    8.33    700    8.33         6  * leaf (/lib/lib.so: b.c)\n"
        "   300    3.57                       4x  > leaf (/lib/lib.so: b.c)\n"
    )


def test_a_cycle_and_its_members() -> None:
    """Calls within a cycle have no cost of their own; the cycle has callers and members."""
    assert calls(selection_of(), "f", "<cycle 1>").splitlines()[2:] == [
        "",
        "  4,000   47.62                       3x  < main (/bin/prog: a.c)",
        "(cycle)                               2x  < g <cycle 1> (/bin/prog: b.c)",
        "  3,000   35.71  3,000   35.71         5  * f <cycle 1> (/bin/prog: a.c)",
        "(cycle)                               2x  > g <cycle 1> (/bin/prog: b.c)",
        "",
        "  9,000  107.14                       4x  < main (/bin/prog: a.c)",
        "  6,700   79.76  6,000   71.43         4  * <cycle 1> (2 members)",
        "  3,700   44.05                           > g <cycle 1> (/bin/prog: b.c)",
        "  3,000   35.71                           > f <cycle 1> (/bin/prog: a.c)",
    ]


def test_without_cycles_all_calls_have_their_recorded_costs() -> None:
    """If cycles are not looked for, calls in a circle are calls like others."""
    assert calls(selection_of(scope=NO_CYCLES), "f").splitlines()[3:] == [
        "4,000   47.62                       3x  < main (/bin/prog: a.c)",
        "1,000   11.90                       2x  < g (/bin/prog: b.c)",
        "5,000   59.52  3,000   35.71         5  * f (/bin/prog: a.c)",
        "2,000   23.81                       2x  > g (/bin/prog: b.c)",
    ]


def test_several_events_side_by_side() -> None:
    """Each event has its columns, the first one gives the order; ratios have no percentages."""
    selection = selection_of()
    selection.queries.set_user_events([UserEvent("Miss", "", "Dr / Ir")])
    events = tuple(event for event in selection.queries.events.all if event.name in ("Dr", "Miss"))
    assert calls(replace(selection, events=events), "g", "h").splitlines() == [
        "Dr                             Miss",
        "  Incl.       %  Self       %    Incl.       %     Self       %    Called    Function",
        "",
        "     50   45.05                0.01000                                 1x"
        "  < main (/bin/prog: a.c)",
        "(cycle)                        (cycle)                                 2x"
        "  < f <cycle 1> (/bin/prog: a.c)",
        "     70   63.06    50   45.05  0.01892          0.01667                 3"
        "  * g <cycle 1> (/bin/prog: b.c)",
        "     20   18.02                0.02857                                 2x"
        "  > leaf (/lib/lib.so: b.c)",
        "(cycle)                        (cycle)                                 2x"
        "  > f <cycle 1> (/bin/prog: a.c)",
        "",
        "      0    0.00                      0                           (active)"
        "  < main (/bin/prog: a.c)",
        "      0    0.00     0    0.00        0                0          (active)"
        "  * h (/bin/prog: a.c)",
    ]


def test_tables() -> None:
    """TSV and CSV number the entries; a cost within a cycle and other missing cells are empty."""
    selection = selection_of()
    assert calls(selection, "h", "<cycle 1>", form="tsv") == (
        "entry\trelation\tinclusive\tself\tcount\tactive\tcycle\tname\tfile\tobject\n"
        "1\tcaller\t700\t\t0\t1\t0\tmain\ta.c\t/bin/prog\n"
        "1\tfunction\t700\t700\t0\t1\t0\th\ta.c\t/bin/prog\n"
        "2\tcaller\t9000\t\t4\t0\t0\tmain\ta.c\t/bin/prog\n"
        "2\tfunction\t6700\t6000\t4\t0\t1\t<cycle 1>\t\t\n"
        "2\tcallee\t3700\t\t\t0\t1\tg\tb.c\t/bin/prog\n"
        "2\tcallee\t3000\t\t\t0\t1\tf\ta.c\t/bin/prog\n"
    )
    assert calls(selection_of(events="Ir,Dr"), "f", form="csv") == (
        "entry,relation,inclusive Ir,self Ir,inclusive Dr,self Dr,"
        "count,active,cycle,name,file,object\r\n"
        "1,caller,4000,,40,,3,0,0,main,a.c,/bin/prog\r\n"
        "1,caller,,,,,2,0,1,g,b.c,/bin/prog\r\n"
        "1,function,3000,3000,40,40,5,0,1,f,a.c,/bin/prog\r\n"
        "1,callee,,,,,2,0,1,g,b.c,/bin/prog\r\n"
    )


def test_tables_with_percentages() -> None:
    """Percentages of the total stand behind the costs if they are asked for."""
    text = calls(selection_of(with_percentages=True), "h", form="tsv")
    assert [line.split("\t")[1:7] for line in text.splitlines()] == [
        ["relation", "inclusive", "inclusive %", "self", "self %", "count"],
        ["caller", "700", "8.3333", "", "", "0"],
        ["function", "700", "8.3333", "700", "8.3333", "0"],
    ]


def test_json() -> None:
    """JSON has all measured events, null where there is nothing, and no rounding."""
    assert json.loads(calls(selection_of(), "f", "<cycle 1>", form="json")) == {
        "events": ["Ir", "Dr"],
        "base": {"Ir": 8400, "Dr": 111},
        "entries": [
            {
                **{"name": "f", "file": "a.c", "object": "/bin/prog", "cycle": 1},
                **{"called": 5, "active": False},
                "self": {"Ir": 3000, "Dr": 40},
                "inclusive": {"Ir": 3000, "Dr": 40},
                "callers": [
                    {
                        **{"name": "main", "file": "a.c", "object": "/bin/prog", "cycle": 0},
                        **{"count": 3, "active": False, "inclusive": {"Ir": 4000, "Dr": 40}},
                    },
                    {
                        **{"name": "g", "file": "b.c", "object": "/bin/prog", "cycle": 1},
                        **{"count": 2, "active": False, "inclusive": None},
                    },
                ],
                "callees": [
                    {
                        **{"name": "g", "file": "b.c", "object": "/bin/prog", "cycle": 1},
                        **{"count": 2, "active": False, "inclusive": None},
                    },
                ],
            },
            {
                **{"name": "<cycle 1>", "file": None, "object": None, "cycle": 1},
                **{"called": 4, "active": False},
                "self": {"Ir": 6000, "Dr": 90},
                "inclusive": {"Ir": 6700, "Dr": 110},
                "callers": [
                    {
                        **{"name": "main", "file": "a.c", "object": "/bin/prog", "cycle": 0},
                        **{"count": 4, "active": False, "inclusive": {"Ir": 9000, "Dr": 90}},
                    },
                ],
                "callees": [
                    {
                        **{"name": "g", "file": "b.c", "object": "/bin/prog", "cycle": 1},
                        **{"count": None, "active": False, "inclusive": {"Ir": 3700, "Dr": 70}},
                    },
                    {
                        **{"name": "f", "file": "a.c", "object": "/bin/prog", "cycle": 1},
                        **{"count": None, "active": False, "inclusive": {"Ir": 3000, "Dr": 40}},
                    },
                ],
            },
        ],
    }


def test_json_of_chosen_events() -> None:
    """Chosen derived events come behind the measured ones; only chosen events have shares."""
    drawing = f"event: Twice = 2 Ir{DRAWING}"
    text = calls(selection_of(drawing, "Twice", with_percentages=True), "h", form="json")
    (entry,) = json.loads(text)["entries"]
    assert entry["inclusive"] == {"Ir": 700, "Dr": 0, "Twice": 1400}
    assert entry["callers"][0]["inclusive_percent"] == {"Twice": 100 * 700 / 8400}


def test_costs_are_exact() -> None:
    """Numbers above 2^53, which floating point would round, are kept."""
    selection = selection_of("main 1 -> f 9007199254740993x9007199254740995\nf 9007199254740995")
    (_, *cells) = calls(selection, "f", form="tsv").splitlines()
    assert [cell.split("\t")[2:5] for cell in cells] == [
        ["9007199254740995", "", "9007199254740993"],
        ["9007199254740995", "9007199254740995", "9007199254740993"],
    ]


# ---------------------------------------------------------------- which callers and callees


def test_limit_and_threshold_and_filter() -> None:
    """The limit and the threshold hold for callers and callees each, as does the filter."""
    assert rows(calls(selection_of(limit=1), "leaf", "main")) == [
        *("< g <cycle 1>", "* leaf", "> leaf"),
        *("* main", "> g <cycle 1>"),
    ]
    above_40_percent = selection_of(threshold=Fraction(60))
    assert rows(calls(above_40_percent, "main")) == ["* main", "> g <cycle 1>", "> f <cycle 1>"]
    in_b = selection_of(filter=parse_filter("file:b.c"))
    assert rows(calls(in_b, "main", "f")) == [
        *("* main", "> g <cycle 1>"),
        *("< g <cycle 1>", "* f <cycle 1>", "> g <cycle 1>"),
    ]


def test_parts() -> None:
    """Only calls of the active parts are listed, with the costs that they have there."""
    part = "pid: 1\npart: {}\nfn=main\n1 5\ncfn=f\ncalls={} 1\n1 {}\nfn=f\n1 {}\n"
    profile = profile_from("events: Ir\n" + part.format(1, 2, 30, 30) + part.format(2, 3, 40, 40))
    selection = ReportSelection(
        ProfileQueries(profile), profile.events.all[:1], Scope(parts=frozenset({1}))
    )
    assert calls(selection, "f").splitlines()[3:] == [
        "   40   88.89                      3x  < main (???: ???)",
        "   40   88.89    40   88.89         3  * f (???: ???)",
    ]


def test_a_profile_without_events() -> None:
    """Where nothing was measured, calls have counts and no costs."""
    assert calls(selection_of(events="Unknown"), "h").splitlines()[1:] == [
        "",
        "(active)  < main (/bin/prog: a.c)",
        f"{ACTIVE}  * h (/bin/prog: a.c)",
    ]


# ---------------------------------------------------------------- trees


def test_tree_of_callers_and_callees() -> None:
    """The selected functions, in their order, have all callers and callees beside them."""
    selection = selection_of(order=Order("self"), limit=2)
    f_callers = [
        "  4,000   47.62                       3x  < main (/bin/prog: a.c)",
        "(cycle)                               2x  < g <cycle 1> (/bin/prog: b.c)",
    ]
    f_itself = ["  3,000   35.71  3,000   35.71         5  * f <cycle 1> (/bin/prog: a.c)"]
    f_callees = ["(cycle)                               2x  > g <cycle 1> (/bin/prog: b.c)"]
    g_callers = [
        "  5,000   59.52                       1x  < main (/bin/prog: a.c)",
        "(cycle)                               2x  < f <cycle 1> (/bin/prog: a.c)",
    ]
    g_itself = ["  3,700   44.05  3,000   35.71         3  * g <cycle 1> (/bin/prog: b.c)"]
    g_callees = [
        "    700    8.33                       2x  > leaf (/lib/lib.so: b.c)",
        "(cycle)                               2x  > f <cycle 1> (/bin/prog: a.c)",
    ]
    assert tree(selection, "both") == [
        *("", *f_callers, *f_itself, *f_callees),
        *("", *g_callers, *g_itself, *g_callees),
    ]
    assert tree(selection, "callers") == ["", *f_callers, *f_itself, "", *g_callers, *g_itself]
    assert tree(selection, "callees") == ["", *f_itself, *f_callees, "", *g_itself, *g_callees]


def test_tree_begins_with_the_facts() -> None:
    """A tree is a text report: the facts of the profile stand above it."""
    stream = io.StringIO()
    write_page(tree_page(selection_of(), "both"), stream)
    head = stream.getvalue().partition("\n\n")[0].splitlines()
    assert head[-2].split() == ["Totals:", "Ir", "8,400", "Instruction", "Fetch"]


# ---------------------------------------------------------------- the terminal


def test_lines_fit_the_width() -> None:
    """Names give way where lines are short, first their folders, then the location."""
    lines = calls(selection_of(), "leaf", layout=TextLayout(66, False)).splitlines()
    assert lines[3] == "  700    8.33                      2x  < g <cycle 1> (prog: b.c)"
    short = calls(selection_of(), "leaf", layout=TextLayout(50, False)).splitlines()
    assert short[3] == "  700    8.33                      2x  < g <cycle 1>"


def test_hot_costs_are_bold() -> None:
    """Costs of at least 5 % of the total are bold on a terminal, with their percentage."""
    lines = calls(selection_of(), "leaf", layout=TextLayout(None, True)).splitlines()
    assert [line.count("\x1b[1m") for line in lines[3:]] == [1, 0, 2, 0]


def test_control_characters_in_names_are_escaped() -> None:
    """A name cannot send escape sequences to the terminal, or break the lines of a table."""
    drawing = "events: Ir\nmain 1 -> f\x1b[2J 1x5\nf\x1b[2J 5"
    for form in ("text", "tsv", "csv"):
        assert r"f\x1b[2J" in calls(selection_of(drawing), "main", form=form)
