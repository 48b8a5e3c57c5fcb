"""Comparisons as a page, and what sessions of the command cannot draw: schema and odd numbers."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from qcachegrind_py import load
from qcachegrind_py.analysis.comparison.comparability import Difference
from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.selections import compare_parts
from qcachegrind_py.analysis.filters.expression import NO_FILTER
from qcachegrind_py.present.change import (
    ComparisonOrder,
    ComparisonReport,
    RenameProposal,
    report_sides,
    rows_in_order,
)
from qcachegrind_py.present.change_table import change_records, change_table, head_page
from qcachegrind_py.present.comparison_page import comparison_page, window_page
from qcachegrind_py.present.figures import Figures
from qcachegrind_py.present.table import FunctionName
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.sources.file_search import BaseSearch, FileSearch, PathRule
from qcachegrind_py.write.json_rows import write_records
from qcachegrind_py.write.separated import write_table
from qcachegrind_py.write.text import write_page
from tests.moved_function import write_moved_function
from tests.profile_rows import DATA, profile_from
from tests.profile_text import profile_text
from tests.write.drawn_comparisons import BASE, NEW, comparison_of, in_shares, per_call
from tests.write.html_page import HtmlPage

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/comparison.schema.json").read_text("utf-8"))
RULES = ["is:gone", "total>+1%", "self>+5%"]
ODD = replace(
    comparison_of(),
    differences=(Difference("Command", "./a", "./b"),),
    events_only_new=("Dr",),
    proposals=(RenameProposal(FunctionName("f", "a.c"), FunctionName("g", "b.c"), 0.75),),
)


@pytest.mark.parametrize(
    "comparison",
    [comparison_of(rules=RULES, exit_code=3), comparison_of(None, rules=RULES), ODD],
    ids=["with rules", "without a base", "with differences and proposals"],
)
def test_the_schema_allows_what_is_written(comparison: ComparisonReport) -> None:
    """The schema is valid, and allows no other keys than those it describes."""
    stream = io.StringIO()
    write_records(change_records(comparison), stream)
    read = json.loads(stream.getvalue())
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(SCHEMA).validate(read)
    assert set(read) == set(SCHEMA["required"]) == set(SCHEMA["properties"]) - {"folds", "against"}
    assert not Draft202012Validator(SCHEMA).is_valid(read | {"more": 1})


def test_what_cannot_be_divided_is_an_empty_cell() -> None:
    stream = io.StringIO()
    write_table(change_table(per_call(comparison_of(), "less", (500, 0))), "tsv", stream)
    assert stream.getvalue().splitlines()[1].split("\t")[:3] == ["", "2.0", ""]


def test_order_of_undefined_numbers() -> None:
    """What has no number comes last, and large numbers are exact."""
    comparison = comparison_of("f@a.c 5\n g@a.c 1", "f@a.c 9223372036854775807\n g@a.c 1")
    costs = comparison.figures()
    unknown = Figures(costs.unit, np.array([np.nan, 2.0]), np.array([1.0, 1.0]))
    assert rows_in_order(ComparisonOrder(), costs, comparison.called).tolist() == [0, 1]
    assert rows_in_order(ComparisonOrder(), unknown, comparison.called).tolist() == [1, 0]


def test_shares_of_a_profile_that_is_all_dearer() -> None:
    """Costs that are three times as high have the shares that they had before: 0, exactly."""
    tripled = "main@a.c 2100000000000000003 -> f 3x63,\n f@a.c 63"
    comparison = comparison_of("main@a.c 700000000000000001 -> f 3x21\n f@a.c 21", tripled)
    assert in_shares(comparison).figures().change.tolist() == [0.0, 0.0]


def test_a_long_list_of_functions_ends() -> None:
    """Twenty functions of a rule are named, the others counted."""
    new = "\n".join(f"    f{number:02}@a.c@app {number + 1}" for number in range(30))
    stream = io.StringIO()
    write_page(head_page(comparison_of("x@a.c@app 1", new, ["self>=+10"])), stream)
    rule, first, *others, last = stream.getvalue().splitlines()[-22:]
    assert rule == "Failed: rule self>=+10 is met by 21 functions:"
    assert first == "  f29 (app: a.c:1): self cost 0 → 30 Ir: +30, new"
    assert (len(others), last) == (19, "  … and 1 more")


def page_of(report: ComparisonReport, **options: object) -> HtmlPage:
    """The page of a report, without flame graph and sources."""
    return HtmlPage(comparison_page(NoProgress(), report, None, FileSearch(), **options))


def saved_page(compared: Comparison, search: FileSearch, *more: BaseSearch) -> HtmlPage:
    """The page that a window saves."""
    event = compared.events[0]
    return HtmlPage(window_page(NoProgress(), compared, event, NO_FILTER, search, *more))


def compared_of(base: str, new: str) -> Comparison:
    """The comparison of two drawings."""
    return compare(profile_from(profile_text(base)), profile_from(profile_text(new)))


# ---------------------------------------------------------------- tables


def test_the_tables_of_a_page() -> None:
    """Totals with growth and shrinkage, and functions in the order of the report with bars.

    A bar is as long as the change against the largest, to the side of its sign. The script sorts by
    change, relative change, both sides and the change of calls.
    """
    page = page_of(comparison_of())
    assert page.rows["totals"] == [
        ["Event", "Base", "New", "Change", "%", "Grown", "Shrunk"],
        ["Ir", "2 450", "3 607", "+1 157", "+47.22", "+1 457", "−300"],
        ["Dw", "33", "51", "+18", "+54.55", "+21", "−3"],
    ]
    assert page.rows["functions"] == [
        ["Change", "%", "Base", "New", "Called", "Function", "File", "Object"],
        [
            *("+1 250", "+125.00", "1 000", "2 250", "10 → 12"),
            *("sortinclusive +1 450: +488 by calls, +962 by cost per call", "sort.c", "app"),
        ],
        ["−300", "gone", "300", "–", "1 → 0", "old", "main.c", "app"],
        [
            *("+200", "+20.00", "1 000", "1 200", "500 → 600"),
            *("lessinclusive +200: +200 by calls, 0 by cost per call", "sort.c", "app"),
        ],
        ["+7", "new", "–", "7", "0 → 1", "fresh", "new.c", "app"],
        ["0", "0.00", "100", "100", "0", "main", "main.c", "app"],
        ["0", "0.00", "50", "50", "2", "same", "main.c", "libc.so"],
    ]
    assert [kind for (kind,) in page.all("td", "class") if kind.startswith("n c")] == [
        "n c grown b50", "n c shrunk b12", "n c grown b8", "n c grown b1", "n c", "n c",
    ]  # fmt: skip
    assert page.data["rows"] == [
        [1250, 1.25, 1000, 2250, 2],
        [-300, -1.0, 300, 0, -1],
        [200, 0.2, 1000, 1200, 100],
        [7, None, 0, 7, 1],
        [0, 0.0, 100, 100, 0],
        [0, 0.0, 50, 50, 0],
    ]


def test_the_limit_of_a_page() -> None:
    """The page says how many functions are not in it."""
    page = page_of(comparison_of(), limit=2)
    assert "The first 2 of 6 functions; the others are not in this file." in page.texts
    assert len(page.rows["functions"]) == 3


def test_rules_and_differences() -> None:
    """Rules have their functions below them; what the runs differ in is marked."""
    comparison = comparison_of(rules=["self>+300", "self<-1k", "Dw.total>+1%"])
    page = page_of(replace(comparison, differences=(Difference("command", "./a", "./b"),)))
    assert page.all("dd", "class") == [("problem",)]
    assert "command: ./a → ./b" in page.sections[""]
    assert page.sections["rules"] == [
        *("Rules", "self>+300", "is met by 1 function"),
        "sort (sort.c:1): self cost 1 000 → 2 250 Ir: +1 250 (+125.00 %)",
        *("self<-1k", "is not met"),
        *("Dw.total>+1%", "is met: total 33 → 51 Dw: +18 (+54.55 %)"),
    ]
    assert page.all("li", "class") == [("met",), ("kept",), ("met",)]


@pytest.mark.parametrize(
    ("report", "unit", "change"),
    [
        (in_shares(comparison_of()), "%", 100 * 2250 / 3607 - 100 * 1000 / 2450),
        (
            per_call(comparison_of(), "<less>", (500, 600)),
            "per call of <less>",
            2250 / 600 - 1000 / 500,
        ),
    ],
    ids=["share", "per call"],
)
def test_divided_costs_of_a_page(report: ComparisonReport, unit: str, change: float) -> None:
    """The headings say what the numbers are of, and rows are sorted by them."""
    page = page_of(report)
    assert page.sections["functions"][0] == f"Self cost in Ir, {unit}"
    assert page.sections["changes"][0] == f"What changed in Ir, self cost, {unit}"
    titles, *rows = page.rows["functions"]
    place = next(place for place, row in enumerate(rows) if row[-3].startswith("sort"))
    assert rows[place][0] == f"+{change:.2f}"
    assert page.data["rows"][place][0] == pytest.approx(change)
    assert ("%" in titles) == (unit != "%")


def test_a_page_without_a_base() -> None:
    """There are the totals of the new profile alone, and nothing is a change."""
    page = page_of(comparison_of(None, rules=["is:new"]))
    assert page.rows["totals"] == [["Event", "New"], ["Ir", "3 607"], ["Dw", "51"]]
    assert "has no base to compare with" in page.texts
    assert page.rows["functions"][:2] == [
        ["New", "Called", "Function", "File", "Object"],
        ["2 250", "12", "sort", "sort.c", "app"],
    ]
    assert not {"grown", "shrunk"} & set(" ".join(page.attributes("class")).split())
    assert page.data["rows"][0] == [2250, 12]


# ---------------------------------------------------------------- what only single runs have


def test_a_page_tells_what_grew_and_shrank() -> None:
    """The short answer stands on top, and lists and boxes lead to rows."""
    page = saved_page(compared_of(BASE, NEW), FileSearch())
    assert page.sections[""][1:9] == [
        *("Net change", "+1 157 Ir (+47.22 %): 2 450 → 3 607"),
        *("Growth", "+1 457: 2 of 3 functions make 95 % of it"),
        *("Shrinkage", "−300: 1 function"),
        *("Comparable", "yes, the runs differ in nothing but their costs"),
    ]
    assert [row[:1] for row in page.rows["changes"]] == [
        ["Change"], ["+1 250"], ["+200"], ["+7"], ["Change"], ["−300"],
    ]  # fmt: skip
    assert {target for (target,) in page.all("a", "href")} <= {
        f"#{place}" for place in page.attributes("id")
    }
    boxes = dict(page.all("a", "title", "class"))
    assert boxes["old: 300 → 0, change −300 (gone)"] == "d1 s4 t"
    assert {len(box) for box in page.data["boxes"]} == {9}  # with places by New, Base and Change


def test_what_is_left_out_has_a_cost_on_both_sides() -> None:
    """Boxes that are too small to be drawn are 40 of 10,000 in the base, and 50 of 20,000 now."""
    small = [f"f{n}" for n in range(10)]
    texts = []
    for cost, big in ((4, 960), (5, 10_950)):
        calls = ", ".join(f"{name} 1x{cost}" for name in small)
        own = "\n".join(f"{name} {cost}" for name in small)
        texts.append(f"main 9000 -> big 1x{big}, {calls}\nbig {big}\n{own}")
    said = [
        saved_page(compared_of(*sides), FileSearch()).sections["flame"][1].partition("Boxes ")[2]
        for sides in (texts, (BASE, NEW))
    ]
    assert said == [
        "below 0.1 % are left out, together about 0.4 % of the base and 0.25 % of the new side.",
        "below 0.1 % are left out.",
    ]


def source_rows(page: HtmlPage) -> list[list[str]]:
    """The lines of sources."""
    return [row for row in page.rows["sources"] if len(row) == 6 and row[-1] != "Source"]


def test_lines_of_a_moved_function_pair_by_text(tmp_path: Path) -> None:
    """Only the line whose text differs is gone and new, and the page says where it was."""
    base, new = write_moved_function(tmp_path)
    compared = compare(load(str(base)), load(str(new)))
    page = saved_page(compared, FileSearch(bases=(str(new.parent),)))
    assert source_rows(page) == [
        ["3", "3", "", "8", "4", "int f(int n) {"],
        ["1", "1", "", "9", "5", "  int s = 0;"],
        ["20", "", "−20", "10", "–", "  s += slow(n);"],
        ["", "12", "+12", "–", "6", "  s += fast(n);"],
        ["4", "4", "", "11", "7", "  s += twice(n);"],
        ["2", "2", "", "12", "8", "  return s;"],
    ]
    assert page.text.count("In the base, the function is in a.c.") == 1


def test_a_missing_text_is_said() -> None:
    """Lines then have numbers, and the page says that the text was not found."""
    page = saved_page(compared_of(BASE, NEW), FileSearch())
    assert page.text.count("The text of this file was not found") == 4
    assert "are paired by number: no source was found on either side." in page.text


def test_the_source_of_the_base_that_the_user_chose() -> None:
    """It is on the page as it is in the window: a line that is gone has its text."""
    words = DATA / "comparison" / "words"
    compared = compare(*(load(words / side / "callgrind.out.words") for side in ("old", "new")))
    search = FileSearch((PathRule("/corpus/words/new", str(words / "new")),))
    chosen = BaseSearch((PathRule("/corpus/words/old", str(words / "old")),))
    assert "was not found" not in saved_page(compared, search, chosen).text
    assert "was not found" in saved_page(compared, search).text


def test_parts_of_one_profile_have_a_page(tmp_path: Path) -> None:
    """Two dumps have one source, of which each line has one number, so there is no note."""
    path = tmp_path / "callgrind.out.1"
    first, second = (
        f"part: {number}\nfl=f.c\nfn=main\n1 {cost}\ncfn=f\ncalls=1 1\n1 {cost}\nfn=f\n2 {cost}\n"
        for number, cost in ((1, 10), (2, 30))
    )
    path.write_text(f"events: Ir\n{first}{second}")
    (tmp_path / "f.c").write_text("main\nf\n")
    page = saved_page(compare_parts(load(str(path)), [0], [1]), FileSearch(bases=(str(tmp_path),)))
    assert "f: 10 → 30, change +20 (+200.00 %)" in page.attributes("title")
    assert "main" in page.sections["sources"]
    assert "paired by number" not in page.text


def test_repeated_runs_have_no_flame_graph() -> None:
    """Medians of functions do not add up along calls."""
    runs = [profile_from(profile_text(text)) for text in (BASE, NEW, BASE, NEW)]
    compared = report_sides(runs[:2], runs[2:]).compared
    page = comparison_page(NoProgress(), comparison_of(), compared, FileSearch())
    assert [section.key for section in page.sections] == ["totals", "changes", "functions"]


def test_the_page_is_bounded() -> None:
    """Thousands of functions, each changed and each with a box, make at most 3000 boxes."""

    def drawn(extra: int) -> str:
        costs: Sequence[str] = [f"{10 + n % 7}" for n in range(4000)]
        calls = ", ".join(f"f{n} 1x{cost}" for n, cost in enumerate(costs))
        own = "\n".join(f"f{n} {cost}" for n, cost in enumerate(costs))
        return f"main {100 + extra} -> {calls}\n{own}"

    page = saved_page(compared_of(drawn(0), drawn(5)), FileSearch())
    assert len(json.loads(page.inside["script"][0])["boxes"]) <= 3000
    assert len(page.text) < 3_000_000
