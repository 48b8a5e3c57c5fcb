"""The page of a profile: facts, functions, calls, boxes and lines, as readers see them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.group_colors import distinct_hues, shade_rgb
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.profile_page import PageOptions, profile_page
from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.sources.file_search import FileSearch
from tests.profile_text import profile_text
from tests.write.html_page import HtmlPage

PROFILE = """# callgrind format
version: 1
creator: drawn
cmd: ./prog -x
events: Ir Time_(ms)
event: Twice = 2 Ir
summary: 110 7

ob=/bin/prog
fl=a.c
fn=main
2 10 1
cfn=work
calls=3 9
9 80 4
fn=work
10 50 3
fi=lost.h
4 30 1
fn=other
1 20 1
"""
SOURCE = "".join(f"line {number}\n" for number in range(1, 14))


PageOf = Callable[..., HtmlPage]


@pytest.fixture
def page_of(tmp_path: Path) -> PageOf:
    """The page of a profile whose one source file is beside it."""
    path, source = tmp_path / "callgrind.out.1", tmp_path / "a.c"
    source.write_text(SOURCE)

    def made(profile: str = PROFILE, **chosen: object) -> HtmlPage:
        path.write_text(profile)
        for file in (path, source):
            os.utime(file, (1_000_000_000, 1_000_000_000))
        queries = ProfileQueries(load(path))
        options = replace(PageOptions(next(iter(queries.events.all), None)), **chosen)
        search = FileSearch(bases=(str(tmp_path),))
        return HtmlPage(profile_page(NoProgress(), queries, search, options))

    return made


def boxes(page: HtmlPage) -> list[str]:
    """What is told of the boxes of the flame graph."""
    return [title for _, title in page.all("a", "id", "title")]


def names(page: HtmlPage) -> list[str]:
    """The functions in the table."""
    return [row[5] for row in page.rows["functions"][1:]]


def test_the_head_of_the_page(page_of: PageOf, tmp_path: Path) -> None:
    """Facts, and totals of all events with their units."""
    page = page_of()
    attributed = "the recorded total, which is the sum of all self costs"
    assert page.sections[""] == [
        *("Profile of prog", "Command", "./prog -x", "File", f"{tmp_path}/callgrind.out.1"),
        *("Date", "2001-09-09 01:46 UTC", "Written by", "drawn"),
        *("Recorded", "3 functions, 1 call, 4 cost lines", "Event", "Ir, Instruction Fetch"),
        *("Total", f"110; percentages are of {attributed}"),
        *("Flame graph", "Functions", "Costliest functions"),
    ]
    assert page.rows["totals"] == [
        ["Event", "Total", "Percentages are of"],
        ["Ir Instruction Fetch", "110", attributed],
        ["Time_(ms)", "7 = 7 ms", "the recorded total (1 not attributed)"],
        ["Twice", "220", attributed],
    ]


def test_functions_with_their_calls_and_lines(page_of: PageOf) -> None:
    """Every number of a small profile is in its row, with its share and its bar.

    Two lines stand around each with cost; what is left out is counted, what is lost is told.
    """
    page = page_of()
    assert page.rows["functions"] == [
        ["Inclusive", "Incl. %", "Self", "Self %", "Called", "Function", "File", "Object"],
        ["90", "81.82", "10", "9.09", "0", "main", "a.c", "prog"],
        ["80", "72.73", "80", "72.73", "3", "work", "a.c", "prog"],
        ["20", "18.18", "20", "18.18", "0", "other", "a.c", "prog"],
    ]
    assert "All 3 functions." in page.sections["functions"]
    costs = [90, 5, 180], [10, 1, 20], [80, 4, 160], [20, 1, 40]
    assert page.data["functions"] == [
        [0, costs[0], costs[1]], [3, costs[2], costs[2]], [0, costs[3], costs[3]]
    ]  # fmt: skip
    assert page.rows["details"] == [
        ["Incl.", "%", "Calls", "Callee"],
        ["80", "72.73", "3", "work"],
        ["Self", "Inclusive", "Line", "Source"],
        ["", "", "1", "line 1"],
        ["10", "10", "2", "line 2"],
        ["", "", "3", "line 3"],
        ["", "", "4", "line 4"],
        ["⋮", "2 lines left out"],
        ["", "", "7", "line 7"],
        ["", "", "8", "line 8"],
        ["", "80", "9", "line 9"],
        ["", "", "10", "line 10"],
        ["", "", "11", "line 11"],
        ["Incl.", "%", "Calls", "Caller"],
        ["80", "72.73", "3", "main"],
        ["Self", "Inclusive", "Line", "Source"],
        ["", "", "8", "line 8"],
        ["", "", "9", "line 9"],
        ["50", "50", "10", "line 10"],
        ["", "", "11", "line 11"],
        ["", "", "12", "line 12"],
        ["Self", "Inclusive", "Line", "Source"],
        ["30", "30", "4", ""],
        ["Self", "Inclusive", "Line", "Source"],
        ["20", "20", "1", "line 1"],
        ["", "", "2", "line 2"],
        ["", "", "3", "line 3"],
    ]
    heat = [kind for (kind,) in page.all("tr", "class") if kind != "gap"]
    assert heat == ["h3", "h8", "h6", "h5", "h8"]
    assert page.sections["details"][:8] == [
        *("The costliest functions by Ir", "main", "a.c · /bin/prog"),
        *("Inclusive", "90", "(81.82 %), self", "10", "(9.09 %), called 0×."),
    ]
    said = "was not found. Set its folder with --map FROM=TO, or in the window with View ▸ Code"
    assert f"lost.h {said} ▸ Source Paths." in page.texts


def test_an_unknown_line_has_nothing_around_it(page_of: PageOf) -> None:
    """Costs without a line do not show the first lines of the file."""
    rows = page_of("events: Ir\nfl=a.c\nfn=f\n0 5\n10 50\n").rows["details"]
    assert [row[2] for row in rows if len(row) == 4] == ["Line", "–", "8", "9", "10", "11", "12"]


def test_the_flame_graph(page_of: PageOf) -> None:
    """Boxes stand below their callers, as wide as they cost, in the colours of the window."""
    page = page_of()
    millionths = [round(1e6 * part / 110, 2) for part in (90, 20, 80)]
    assert boxes(page) == [
        "Whole program – 110 (100.00 %)",
        "main – 90 (81.82 %)",
        "other – 20 (18.18 %)",
        "work – 80 (72.73 %)",
    ]
    assert page.data["boxes"] == [
        [-1, 0, "", 0, 1e6],
        [0, 1, "", 0, millionths[0]],
        [0, 1, "", *millionths[:2]],
        [1, 2, "", 0, millionths[2]],
    ]
    ((_, hue),) = distinct_hues(["/bin/prog"])
    functions = ("main", "other", "work")
    colors = [shade_rgb("", ""), *(shade_rgb("/bin/prog", name, hue) for name in functions)]
    css = ["".join(f"{round(255 * part):02x}" for part in color) for color in colors]
    assert page.all("a", "id", "href", "class") == [
        (f"b{at}", link, f"d{depth} c{css[at]}")
        for at, (link, depth) in enumerate([("", 0), ("#f0", 1), ("#f2", 1), ("#f1", 2)])
    ]
    about = "Callees are drawn below their callers; widths are proportional to costs."
    assert page.sections["flame"][1] == about


def test_boxes_that_are_estimates(page_of: PageOf) -> None:
    """Below a function with two callers costs are estimates."""
    page = page_of(
        profile_text(
            """
            main 0 -> a 1x50, b 1x100
            a 20 -> mid 1x30
            b 30 -> mid 1x70
            mid 20 -> c 2x80
            c 80
            """
        )
    )
    told = "Pale boxes with ≈ are estimates, as only direct calls are recorded."
    assert page.sections["flame"][1].endswith(told)
    assert "c – ≈ 24 (16.00 %)" in boxes(page)


def test_a_recursion_is_not_expanded_again(page_of: PageOf) -> None:
    """It has a box that says so, where cycles are not put together."""
    drawn = profile_text("main 0 -> a 1x50\na 20 -> b 1x30\nb 20 -> a 1x10\n")
    (tip,) = (tip for tip in boxes(page_of(drawn, scope=Scope(cycles=False))) if "recurs" in tip)
    assert (tip[:4], tip.partition(") ")[2]) == ("a – ", "– recursion, not expanded again")


def test_table_is_cut_and_filtered(page_of: PageOf) -> None:
    """The costliest are kept, in the requested order; the page states what is filtered."""
    cut, filtered = page_of(limit=2, sort="self"), page_of(filter=parse_filter("!work"))
    assert names(cut) == ["work", "other"]
    assert cut.sections["functions"][1] == (
        "The 2 of 3 functions that are costliest by self cost of Ir; "
        "the others are not in this file."
    )
    assert cut.all("article", "id") == [("f0",), ("f1",), ("f2",)]
    assert "2 of 3 functions." in page_of(limit=2, sort="name").texts
    assert names(filtered) == ["main", "other"]
    assert filtered.all("article", "id") == [("f0",), ("f2",)]
    assert [tip.partition(" – ")[0] for tip in boxes(filtered)] == [
        "Whole program", "main", "other",
    ]  # fmt: skip
    assert "Only functions matching the filter “!work”: 1 hidden." in filtered.sections[""]


@pytest.mark.parametrize(
    ("sort", "order"), [("inclusive", 0), ("self", 2), ("called", 4), ("name", 5)]
)
def test_the_title_that_rows_are_sorted_by(page_of: PageOf, sort: str, order: int) -> None:
    """It is the one of the order that was asked for: numbers fall, names rise."""
    titles = [attributes for tag, attributes in page_of(sort=sort).elements if tag == "th"]
    of_functions = titles[3:11]  # behind those of the totals
    assert [each.get("aria-sort") for each in of_functions] == [
        (None if place != order else "ascending" if sort == "name" else "descending")
        for place in range(8)
    ]


def test_long_functions_show_their_hot_lines(page_of: PageOf, tmp_path: Path) -> None:
    """Of a hundred lines with cost the sixty costliest are shown; the others are counted."""
    page_of()
    (tmp_path / "a.c").write_text("x\n" * 2000)
    body = "".join(f"{10 * number} {number}\n" for number in range(1, 101))
    page = page_of(f"events: Ir\nfl=a.c\nfn=f\n{body}")
    lines = [row for row in page.rows["details"] if len(row) == 4][1:]
    assert [int(row[2].replace(" ", "")) for row in lines if row[0]] == list(range(410, 1001, 10))
    assert len(lines) == 60 * 5
    assert "… and 40 more lines of less cost." in page.texts


def test_profiles_without_lines_and_without_events(page_of: PageOf) -> None:
    """Without lines the page tells how to record them; without events nothing has a cost."""
    without_lines = page_of("creator: callgrind-3\nevents: Ir\nfl=a.c\nfn=f\n0 5\n")
    nothing = page_of("# callgrind format\nevents:\nfl=a.c\nfn=f\n")
    assert "--dump-line=yes" in " ".join(without_lines.sections["details"])
    assert "flame" not in without_lines.sections
    assert list(nothing.sections) == ["", "functions", "oddities"]
    assert "The profile has no events, so nothing has a cost." in nothing.sections[""]
    assert "The profile has no functions." in nothing.sections["functions"]


def test_active_calls_have_no_count(page_of: PageOf) -> None:
    """The table, the article and the callers say that a function was running at the end."""
    page = page_of(profile_text("creator: callgrind\nmain 10 -> loop 0x90\nloop 90"))
    assert [row[4] for row in page.rows["functions"]] == ["Called", "0", "(active)"]
    calls = [row[2:] for row in page.rows["details"] if row[0] == "90"]
    assert calls[:2] == [["(active)", "loop"], ["(active)", "main"]]
    said = [text.partition("called ")[2] for text in page.sections["details"] if "called" in text]
    assert said == ["0×.", "(active)."]


def test_odd_lines_are_listed(page_of: PageOf, tmp_path: Path) -> None:
    """A page says how many there are, and where."""
    title, said, place, _ = page_of(f"{PROFILE}nonsense\n").sections["oddities"][:4]
    assert (title, said) == ("Problems", "1 place of the file is not in the expected format.")
    assert place == f"{tmp_path}/callgrind.out.1:22"


def test_the_page_can_be_stopped(page_of: PageOf, tmp_path: Path) -> None:
    """Every progress check may stop the page."""
    page_of()
    checks = 0

    class Stopping:
        def check(self, fraction: float, text: str = "") -> None:
            nonlocal checks
            checks += 1
            assert 0 <= fraction <= 1
            if checks == stop:
                raise Cancelled

    queries = ProfileQueries(load(tmp_path / "callgrind.out.1"))
    options = PageOptions(queries.events.measured[0], Scope())
    for stop in range(1, 8):
        checks = 0
        with pytest.raises(Cancelled):
            profile_page(Stopping(), queries, FileSearch(), options)
        assert checks == stop
