"""Two profiles compared as text, to the letter."""

from __future__ import annotations

import io
import re
from dataclasses import replace

from qcachegrind_py.analysis.comparison.comparison import Difference
from qcachegrind_py.present.change import ComparisonOrder, ComparisonReport
from qcachegrind_py.present.change_table import change_page, head_page
from qcachegrind_py.write.text import PLAIN_TEXT, TextLayout, write_page
from tests.write.drawn_comparisons import BASE, NEW, comparison_of, in_shares, per_call

HEAD = """\
Base:    old.out
New:     new.out
Command: ./app -n 10
Growth:  2 of 3 functions make 95 % of it

Total   Base    New  Change       %   Grown  Shrunk
Ir     2,450  3,607  +1,157  +47.22  +1,457    -300
Dw        33     51     +18  +54.55     +21      -3
"""


BOLD = TextLayout(None, is_colored=True)


def text_of(comparison: ComparisonReport, layout: TextLayout = PLAIN_TEXT) -> str:
    """The whole text."""
    stream = io.StringIO()
    write_page(change_page(comparison), stream, layout)
    return stream.getvalue()


def functions_of(text: str) -> str:
    """The table of functions at the end of a text."""
    return text[text.index("Self cost") :]


def test_a_comparison_as_text() -> None:
    """Facts and totals of both sides, then functions by the size of their change."""
    assert text_of(comparison_of()) == (
        f"""{HEAD}
Self cost in Ir
Change        %   Base    New     Called  Function
+1,250  +125.00  1,000  2,250    10 → 12  sort (/bin/app: /src/sort.c)
                                            inclusive +1,450: +488 by calls, +962 by cost per call
  -300     gone    300      –      1 → 0  old (/bin/app: /src/main.c)
  +200   +20.00  1,000  1,200  500 → 600  less (/bin/app: /src/sort.c)
                                            inclusive +200: +200 by calls, 0 by cost per call
    +7      new      –      7      0 → 1  fresh (/bin/app: /src/new.c)
     0     0.00    100    100          0  main (/bin/app: /src/main.c)
     0     0.00     50     50          2  same (/lib/libc.so: /src/main.c)
"""
    )


def test_differences_of_the_runs_come_first() -> None:
    """What makes two runs hard to compare is said before any number."""
    differences = (Difference("Command", "./app -n 10", "./app -n 12"),)
    comparison = replace(comparison_of(), differences=differences, events_only_base=("Dr",))
    assert text_of(comparison).splitlines()[2:5] == [
        "Command: ./app -n 10",
        "Differs: Command: ./app -n 10 → ./app -n 12",
        "Events:  Dr in the base only",
    ]


def test_what_is_not_attributed() -> None:
    """Each total is by its own rule, and what of it no function has is said."""
    base = BASE.replace("events: Ir Dw", "events: Ir Dw\n summary: 2500 33")
    lines = text_of(comparison_of(base)).splitlines()
    assert lines[3:5] == [
        "Remainder: 50 → 0 Ir not attributed to functions",
        "Growth:    2 of 3 functions make 95 % of it",
    ]
    assert lines[7].split()[:4] == ["Ir", "2,500", "3,607", "+1,107"]


def test_rules_of_the_total_say_what_no_function_has() -> None:
    """They are about the recorded total, which can change though no function does."""
    rule, same = "total>+1%", BASE.replace("events: Ir Dw", "events: Ir Dw\n summary: 2475 33")
    for old, now, said in (
        (BASE, NEW, "total 2,450 → 3,607 Ir: +1,157 (+47.22 %)."),
        (BASE, same, "total 2,450 → 2,475 Ir: +25 (+1.02 %), but no function changed: "
         "only the recorded total did."),
        (same, NEW, "total 2,475 → 3,607 Ir: +1,132 (+45.74 %), of which -25 is not "
         "attributed to functions."),
    ):  # fmt: skip
        stream = io.StringIO()
        write_page(head_page(comparison_of(old, now, [rule])), stream)
        assert stream.getvalue().splitlines()[-1] == f"Rule {rule} is met: {said}"


def test_an_empty_base() -> None:
    """All functions are new, and there are no percentages."""
    lines = text_of(comparison_of("events: Ir Dw\n x@a.c 0,0")).splitlines()
    assert [line.split() for line in lines if line.startswith("Ir")] == [
        ["Ir", "0", "3,607", "+3,607", "–", "+3,607", "0"]
    ]
    table = functions_of("\n".join(lines)).splitlines()[2:]
    assert [line.split()[1] for line in table] == ["new"] * 5 + ["gone"]


def test_the_rules_in_the_text() -> None:
    """A rule that is met has its functions below it, with the numbers that it compares."""
    rules = ["self>+5%", "Dw.total>+1%", "name:=x", "called>+50"]
    stream = io.StringIO()
    write_page(head_page(comparison_of(rules=rules)), stream)
    assert stream.getvalue() == (
        f"""{HEAD}
Rule self>+5% is met by 3 functions:
  sort (/bin/app: /src/sort.c:1): self cost 1,000 → 2,250 Ir: +1,250 (+125.00 %)
  less (/bin/app: /src/sort.c:1): self cost 1,000 → 1,200 Ir: +200 (+20.00 %)
  fresh (/bin/app: /src/new.c:1): self cost 0 → 7 Ir: +7, new
Rule Dw.total>+1% is met: total 33 → 51 Dw: +18 (+54.55 %).
Rule name:=x is not met.
Rule called>+50 is met by 1 function:
  less (/bin/app: /src/sort.c:1): called 500 → 600: +100 (+20.00 %)
"""
    )


def test_a_long_list_of_functions_ends() -> None:
    """Twenty functions of a rule are named, the others counted."""
    new = "\n".join(f"    f{number:02}@a.c@app {number + 1}" for number in range(30))
    lines = text_of(comparison_of("x@a.c@app 1", new, ["self>=+10"])).splitlines()
    first = lines.index("Rule self>=+10 is met by 21 functions:")
    assert lines[first + 1].startswith("  f29 (app: a.c:1): self cost 0 → 30 Ir")
    assert lines[first + 20].startswith("  f10 ")
    assert lines[first + 21] == "  … and 1 more"


def test_shares() -> None:
    """Shares of the totals change in points, and have no percentage of themselves."""
    assert functions_of(text_of(in_shares(comparison_of()))) == (
        """Self cost in Ir, %
Change   Base    New     Called  Function
+21.56  40.82  62.38    10 → 12  sort (/bin/app: /src/sort.c)
-12.24  12.24      –      1 → 0  old (/bin/app: /src/main.c)
 -7.55  40.82  33.27  500 → 600  less (/bin/app: /src/sort.c)
 +0.19      –   0.19      0 → 1  fresh (/bin/app: /src/new.c)
 -1.31   4.08   2.77          0  main (/bin/app: /src/main.c)
 -0.65   2.04   1.39          2  same (/lib/libc.so: /src/main.c)
"""
    )


def test_shares_of_a_profile_that_is_all_dearer() -> None:
    """Costs that are three times as high have the shares that they had before: 0, exactly."""
    tripled = "main@a.c 2100000000000000003 -> f 3x63,\n f@a.c 63"
    comparison = comparison_of("main@a.c 700000000000000001 -> f 3x21\n f@a.c 21", tripled)
    assert in_shares(comparison).figures().change.tolist() == [0.0, 0.0]


def test_costs_per_call_of_a_function() -> None:
    """Each side is divided by its own number of calls: work that grew with them is no change."""
    text = functions_of(text_of(per_call(comparison_of(), "less", (500, 600))))
    assert text.splitlines()[0] == "Self cost in Ir, per call of less"
    row = next(line for line in text.splitlines() if " less (" in line)
    assert row.split()[:4] == ["0.00", "0.00", "2.00", "2.00"]


def test_large_costs() -> None:
    """Costs near 2^63, and their change beyond it, are exact, and so is what is hot of them."""
    large = (1 << 63) - 1
    base = f"f@a.c {-large}\ng@a.c {large}\nh@a.c 1"
    text = text_of(comparison_of(base, f"f@a.c {large}"), layout=BOLD)
    assert f"\x1b[1m+{2 * large:,}\x1b[0m" in functions_of(text)


def test_changes_of_negative_costs_have_no_percentage() -> None:
    """What was freed before is not 100 % of anything."""
    text = text_of(comparison_of("f@a.c -100", "f@a.c -50"))
    (total,) = (line.split() for line in text.splitlines() if line.startswith("Ir "))
    assert total == ["Ir", "-100", "-50", "+50", "–", "+50", "0"]
    assert functions_of(text).splitlines()[-1].split()[:4] == ["+50", "–", "-100", "-50"]


def test_text_fits_a_terminal() -> None:
    """Names lose their folders and then their middle, and a rule that is met is bold."""
    new = "    sort_" + "x" * 60 + "@/src/sort.c@/bin/app 1000"
    layout = TextLayout(60, is_colored=True)
    text = text_of(comparison_of("old@a.c 1", new, ["total>+1%"]), layout=layout)
    plain = re.sub(r"\x1b\[[01]m", "", functions_of(text))
    assert max(map(len, plain.splitlines())) <= 60
    assert "\x1b[1mRule total>+1% is met" in text


def test_hot_changes_are_bold() -> None:
    """In a terminal, a change of at least 5 % of the base's total is bold, whatever its sign."""
    text = functions_of(text_of(comparison_of(), layout=BOLD))
    bold = [line.split("\x1b[0m")[0] for line in text.splitlines() if "\x1b" in line]
    assert bold == ["\x1b[1m+1,250", "\x1b[1m  -300", "\x1b[1m  +200"]


def test_a_side_without_calls() -> None:
    """A profile of cachegrind has no called counts; they are not 0."""
    base = "\n".join(line.partition(" -> ")[0] for line in BASE.splitlines())
    text = text_of(comparison_of(base))
    assert "Differs:   Calls: none → counted" in text.replace("Differs: Calls", "Differs:   Calls")
    less = next(line for line in text.splitlines() if " less (" in line)
    assert less.split()[4:7] == ["–", "→", "600"]


def test_without_a_base() -> None:
    """Rules about changes are left open, and functions are by their cost."""
    comparison = comparison_of(None, rules=["self>+5%", "total>1k"], order=ComparisonOrder("new"))
    assert text_of(comparison) == (
        """\
Base:    none
New:     new.out
Command: ./app -n 10

Total    New
Ir     3,607
Dw        51

Rule self>+5% is not checked, as there is no base.
Rule total>1k is met: total 3,607 Ir.

Self cost in Ir
  New  Called  Function
2,250      12  sort (/bin/app: /src/sort.c)
1,200     600  less (/bin/app: /src/sort.c)
  100       0  main (/bin/app: /src/main.c)
   50       2  same (/lib/libc.so: /src/main.c)
    7       1  fresh (/bin/app: /src/new.c)
"""
    )
