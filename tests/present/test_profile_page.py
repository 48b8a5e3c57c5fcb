"""The page of a profile: functions, calls, boxes and lines, and their costs."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.groups import shade_rgb
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.excerpts import ExcerptLine
from qcachegrind_py.present.flame_graph import FlameGraph
from qcachegrind_py.present.page import Article, FunctionList, Listing, Note, Page
from qcachegrind_py.present.profile_page import PageOptions, profile_page
from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.sources.file_search import FileSearch
from tests.profile_text import THIN, queries_for

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


@pytest.fixture
def page_of(tmp_path: Path) -> Callable[..., Page]:
    """The page of a profile whose one source file is beside it."""
    path, source = tmp_path / "callgrind.out.1", tmp_path / "a.c"
    path.write_text(PROFILE)
    source.write_text(SOURCE)

    def made(profile: str = PROFILE, **chosen: object) -> Page:
        path.write_text(profile)
        for file in (path, source):
            os.utime(file, (1_000_000_000, 1_000_000_000))
        queries = ProfileQueries(load(path))
        event = next(iter(queries.events.all), None)
        search = FileSearch(bases=(str(tmp_path),))
        options = replace(PageOptions(event), **chosen)
        return profile_page(NoProgress(), queries, search, options)

    return made


def section(page: Page, key: str) -> list[object]:
    """The blocks of a section; none if the page does not have it."""
    return [block for each in page.sections if each.key == key for block in each.blocks]


def functions_of(page: Page) -> FunctionList:
    """The functions, behind how many they are."""
    return section(page, "functions")[1]


def articles_of(page: Page) -> list[Article]:
    """What is said of the costliest functions."""
    return [article for block in section(page, "details") for article in block.articles]


def flame_of(page: Page) -> FlameGraph:
    """The flame graph."""
    (block,) = section(page, "flame")
    return block.graph


def rows_of(listing: Listing) -> list[tuple[str, ...]]:
    """The texts of functions, of callers or of callees."""
    columns = [column.cells for column in listing.table.columns]
    return [tuple(cells.text(row) for cells in columns) for row in listing.rows.tolist()]


def lines(first: int, last: int, **costs: tuple[int, int, int]) -> list[ExcerptLine]:
    """Lines of the source with self cost, inclusive cost and heat; others cost nothing."""
    return [
        ExcerptLine((line,), (own, inclusive), heat, f"line {line}")
        for line in range(first, last + 1)
        for own, inclusive, heat in (costs.get(f"line{line}", (0, 0, 0)),)
    ]


def test_the_head_of_the_page(page_of: Callable[..., Page], tmp_path: Path) -> None:
    """Facts, totals of all events with their units, and the caption of the table."""
    page = page_of()
    assert page.title == "Profile of prog"
    facts, *notes = page.blocks[:-1]
    assert facts.lines == (
        ("Command", "./prog -x"),
        ("File", f"{tmp_path}/callgrind.out.1"),
        ("Date", "2001-09-09 01:46 UTC"),
        ("Written by", "drawn"),
        ("Recorded", "3 functions, 1 call, 4 cost lines"),
        ("Event", "Ir, Instruction Fetch"),
        (
            "Total",
            "110; percentages are of the recorded total, which is the sum of all self costs",
        ),
    )
    (totals,) = section(page, "totals")
    assert (totals.rows, totals.asides) == (
        [
            ("Ir", "110", "the recorded total, which is the sum of all self costs"),
            ("Time_(ms)", "7", "the recorded total, 1 of it not attributed"),
            ("Twice", "220", "the recorded total, which is the sum of all self costs"),
        ],
        [("Instruction Fetch", ""), ("", "= 7 ms"), ("", "")],
    )
    caption, functions = section(page, "functions")
    costs = [(each.inclusive.tolist(), each.self_cost.tolist()) for each in functions.events]
    assert costs == [
        ([90, 80, 20], [10, 80, 20]),
        ([5, 4, 1], [1, 4, 1]),
        ([180, 160, 40], [20, 160, 40]),
    ]
    assert (caption, functions.called, notes) == (Note("All 3 functions."), [0, 3, 0], [])


def test_functions_and_their_calls(page_of: Callable[..., Page]) -> None:
    """Every number of a small profile is in its row, with its share and its bar."""
    page = page_of()
    listing = functions_of(page).listing
    assert rows_of(listing) == [
        ("90", "81.82", "10", "9.09", "0", "main"),
        ("80", "72.73", "80", "72.73", "3", "work"),
        ("20", "18.18", "20", "18.18", "0", "other"),
    ]
    assert listing.table.column("self_share").cells.bar(1) == 80 / 110
    main, work, other = articles_of(page)
    times = "\N{MULTIPLICATION SIGN}"
    assert "".join(main.sentence).replace(THIN, " ") == (
        f"Inclusive 90 (81.82 %), self 10 (9.09 %), called 0{times}."
    )
    assert main.places == ["a.c", "/bin/prog"]
    assert list(map(rows_of, main.calls)) == [[], [("80", "72.73", "3", "work")]]
    assert list(map(rows_of, work.calls)) == [[("80", "72.73", "3", "main")], []]
    assert list(map(rows_of, other.calls)) == [[], []]


def test_lines_have_their_context(page_of: Callable[..., Page], tmp_path: Path) -> None:
    """Two lines stand around each with cost; what is left out is counted, what is lost is told."""
    excerpts = [article.excerpts for article in articles_of(page_of())]
    (main,), (work, lost), (other,) = excerpts
    assert main.file == f"{tmp_path}/a.c"
    gap = replace(lines(7, 7)[0], omitted_before=2)
    assert list(main.lines) == [
        *lines(1, 4, line2=(10, 10, 3)),
        gap,
        *lines(8, 11, line9=(0, 80, 8)),
    ]
    assert list(work.lines) == lines(8, 12, line10=(50, 50, 6))
    assert list(other.lines) == lines(1, 3, line1=(20, 20, 8))
    assert (lost.file, lost.lines) == ("lost.h", (ExcerptLine((4,), (30, 30), 5, None),))
    assert lost.problem == (
        "lost.h was not found. Set its folder with --map FROM=TO, "
        "or in the window with File ▸ Source Paths."
    )


def test_an_unknown_line_has_nothing_around_it(page_of: Callable[..., Page]) -> None:
    """Costs without a line do not show the first lines of the file."""
    page = page_of("events: Ir\nfl=a.c\nfn=f\n0 5\n10 50\n")
    ((excerpt,),) = (article.excerpts for article in articles_of(page))
    assert [line.numbers[0] for line in excerpt.lines] == [0, 8, 9, 10, 11, 12]


def test_the_flame_graph(page_of: Callable[..., Page]) -> None:
    """Boxes stand below their callers, as wide as they cost, in the colours of the window."""
    flame = flame_of(page_of())
    assert list(flame.labels) == ["Whole program", "main", "other", "work"]
    assert list(flame.functions) == [-1, 0, 2, 1]
    assert (list(flame.parent), list(flame.depth)) == ([-1, 0, 0, 1], [0, 1, 1, 2])
    ((start, width),) = flame.places
    assert start.tolist() == [0, 0, 90 / 110, 0]
    assert width.tolist() == [1, 90 / 110, 20 / 110, 80 / 110]
    assert list(flame.colors) == [
        shade_rgb("", ""), *(shade_rgb("a.c", name) for name in ("main", "other", "work"))
    ]  # fmt: skip
    assert flame.tips[3].replace(THIN, " ") == "work – 80 (72.73 %)"
    assert all(flame.is_exact)
    assert flame.about == (
        "Callees are drawn below their callers; widths are proportional to costs."
    )


def test_boxes_that_are_estimates(tmp_path: Path) -> None:
    """Below a function with two callers costs are estimates."""
    drawing = """
        main 0 -> a 1x50, b 1x100
        a 20 -> mid 1x30
        b 30 -> mid 1x70
        mid 20 -> c 2x80
        c 80
        """
    queries = queries_for(tmp_path, drawing)
    page = profile_page(NoProgress(), queries, FileSearch(), PageOptions(queries.events.all[0]))
    assert flame_of(page).about.endswith(
        "Muted, ≈: estimated in proportion, as only direct calls are recorded."
    )
    tips = [tip.replace(THIN, " ") for tip in flame_of(page).tips]
    assert "c – ≈ 24 (16.00 %)" in tips


def test_a_recursion_is_not_expanded_again(tmp_path: Path) -> None:
    """It has a box that says so, where cycles are not put together."""
    queries = queries_for(tmp_path, "main 0 -> a 1x50\na 20 -> b 1x30\nb 20 -> a 1x10\n")
    options = PageOptions(queries.events.all[0], Scope(cycles=False))
    page = profile_page(NoProgress(), queries, FileSearch(), options)
    tips = [tip for tip in flame_of(page).tips if "recursion" in tip]
    assert len(tips) == 1
    assert tips[0].startswith("a – ")
    assert tips[0].endswith(" – recursion, not expanded again")


def test_table_is_cut_and_filtered(page_of: Callable[..., Page]) -> None:
    """The costliest are kept, in the requested order; the page states what is filtered."""
    cut = page_of(limit=2, sort="self")
    filtered = page_of(filter=parse_filter("!work"))

    caption, functions = section(cut, "functions")
    assert [row[5] for row in rows_of(functions.listing)] == ["work", "other"]
    assert caption.text == (
        "The 2 of 3 functions that are costliest by self cost of Ir; "
        "the others are not in this file."
    )
    assert section(page_of(limit=2, sort="name"), "functions")[0] == Note("2 of 3 functions.")
    assert (functions.listing.sorted_by, len(articles_of(cut))) == ("self", 3)
    assert [row[5] for row in rows_of(functions_of(filtered).listing)] == ["main", "other"]
    assert [one.name.name for one in articles_of(filtered)] == ["main", "other"]
    assert list(flame_of(filtered).labels) == ["Whole program", "main", "other"]
    assert filtered.blocks[1:-1] == [
        Note("Only functions matching the filter “!work”: 1 hidden.", is_problem=True)
    ]


def test_long_functions_show_their_hot_lines(page_of: Callable[..., Page], tmp_path: Path) -> None:
    """Of a hundred lines with cost the sixty costliest are shown; the others are counted."""
    (tmp_path / "a.c").write_text("x\n" * 2000)
    body = "".join(f"{10 * number} {number}\n" for number in range(1, 101))
    (article,) = articles_of(page_of(f"events: Ir\nfl=a.c\nfn=f\n{body}"))
    (source,) = article.excerpts

    assert [line.numbers[0] for line in source.lines if line.costs[0]] == list(range(410, 1001, 10))
    assert (len(source.lines), source.omitted) == (60 * 5, 40)


def test_profiles_without_lines_and_without_events(page_of: Callable[..., Page]) -> None:
    """Without lines the page tells how to record them; without events nothing has a cost."""
    without_lines = page_of("creator: callgrind-3\nevents: Ir\nfl=a.c\nfn=f\n0 5\n")
    (article,) = articles_of(without_lines)
    nothing = page_of("# callgrind format\nevents:\nfl=a.c\nfn=f\n")

    assert (article.excerpts, "--dump-line=yes" in article.problem) == ((), True)
    assert section(without_lines, "flame") == []
    assert [each.key for each in nothing.sections] == ["functions", "oddities"]
    assert nothing.blocks[1].text == "The profile has no events, so nothing has a cost."


def test_active_calls_have_no_count(tmp_path: Path) -> None:
    """The table, the article and the callers say that a function was running at the end."""
    queries = queries_for(tmp_path, "creator: callgrind\nmain 10 -> loop 0x90\nloop 90")
    options = PageOptions(queries.events.all[0])
    page = profile_page(NoProgress(), queries, FileSearch(), options)
    main, loop = articles_of(page)
    calls = [row for each in (main, loop) for listing in each.calls for row in rows_of(listing)]
    assert [row[4] for row in rows_of(functions_of(page).listing)] == ["0", "(active)"]
    assert [row[2] for row in calls] == ["(active)", "(active)"]
    assert loop.sentence[-1].endswith("called (active).")
    assert main.sentence[-1].endswith("called 0\N{MULTIPLICATION SIGN}.")


def test_odd_lines_are_listed(page_of: Callable[..., Page]) -> None:
    """A page says how many there are, and where."""
    said, oddities = section(page_of(f"{PROFILE}nonsense\n"), "oddities")
    assert said.text == "1 place of the file is not in the expected format."
    assert [(place.rpartition(":")[2], bool(text)) for place, text in oddities.lines] == [
        ("22", True)
    ]


def test_the_page_can_be_stopped(page_of: Callable[..., Page], tmp_path: Path) -> None:
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
