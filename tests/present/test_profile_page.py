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
from qcachegrind_py.present.function_articles import Calls
from qcachegrind_py.present.profile_page import PageOptions, ProfilePage, profile_page
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
def page_of(tmp_path: Path) -> Callable[..., ProfilePage]:
    """The page of a profile whose one source file is beside it."""
    path, source = tmp_path / "callgrind.out.1", tmp_path / "a.c"
    path.write_text(PROFILE)
    source.write_text(SOURCE)

    def made(profile: str = PROFILE, **chosen: object) -> ProfilePage:
        path.write_text(profile)
        for file in (path, source):
            os.utime(file, (1_000_000_000, 1_000_000_000))
        queries = ProfileQueries(load(path))
        event = next(iter(queries.events.all), None)
        search = FileSearch(bases=(str(tmp_path),))
        options = replace(PageOptions(event), **chosen)
        return profile_page(NoProgress(), queries, search, options)

    return made


def rows_of(page: ProfilePage) -> list[tuple[str, ...]]:
    """The texts of the function table."""
    *numbers, names = page.table.columns
    texts = [column.cells.texts(page.functions) for column in numbers]
    shown = [(each.name, each.file, each.object) for each in names.cells.names(page.functions)]
    return [(*cells, *name) for *cells, name in zip(*texts, shown, strict=True)]


def calls_of(calls: Calls) -> list[tuple[str, ...]]:
    """The texts of callers or callees."""
    return [
        tuple(column.cells.text(row) for column in calls.table.columns)
        for row in range(calls.table.length)
    ]


def lines(first: int, last: int, **costs: tuple[int, int, int]) -> list[ExcerptLine]:
    """Lines of the source with self cost, inclusive cost and heat; others cost nothing."""
    return [
        ExcerptLine((line,), (own, inclusive), heat, f"line {line}")
        for line in range(first, last + 1)
        for own, inclusive, heat in (costs.get(f"line{line}", (0, 0, 0)),)
    ]


def test_the_head_of_the_page(page_of: Callable[..., ProfilePage], tmp_path: Path) -> None:
    """Facts, totals of all events with their units, and the caption of the table."""
    page = page_of()
    assert page.title == "Profile of prog"
    assert page.facts == (
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
    assert [(each.event.name, each.total, each.unit, each.total_base) for each in page.events] == [
        ("Ir", 110, "", "the recorded total, which is the sum of all self costs"),
        ("Time_(ms)", 7, "7 ms", "the recorded total, 1 of it not attributed"),
        ("Twice", 220, "", "the recorded total, which is the sum of all self costs"),
    ]
    costs = [(each.inclusive.tolist(), each.self_cost.tolist()) for each in page.events]
    assert costs == [
        ([90, 80, 20], [10, 80, 20]),
        ([5, 4, 1], [1, 4, 1]),
        ([180, 160, 40], [20, 160, 40]),
    ]
    assert (page.caption, page.called, page.notes) == ("All 3 functions.", (0, 3, 0), ())


def test_functions_and_their_calls(page_of: Callable[..., ProfilePage]) -> None:
    """Every number of a small profile is in its row, with its share and its bar."""
    page = page_of()
    assert rows_of(page) == [
        ("90", "81.82", "10", "9.09", "0", "main", "a.c", "/bin/prog"),
        ("80", "72.73", "80", "72.73", "3", "work", "a.c", "/bin/prog"),
        ("20", "18.18", "20", "18.18", "0", "other", "a.c", "/bin/prog"),
    ]
    assert page.table.column("self_share").cells.bar(1) == 80 / 110
    main, work, other = page.articles
    times = "\N{MULTIPLICATION SIGN}"
    assert "".join(main.sentence).replace(THIN, " ") == (
        f"Inclusive 90 (81.82 %), self 10 (9.09 %), called 0{times}."
    )
    assert main.places == ["a.c", "/bin/prog"]
    assert list(map(calls_of, main.calls)) == [[], [("80", "72.73", "3", "work")]]
    assert list(map(calls_of, work.calls)) == [[("80", "72.73", "3", "main")], []]
    assert list(map(calls_of, other.calls)) == [[], []]


def test_lines_have_their_context(page_of: Callable[..., ProfilePage], tmp_path: Path) -> None:
    """Two lines stand around each with cost; what is left out is counted, what is lost is told."""
    excerpts = [article.excerpts for article in page_of().articles]
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


def test_an_unknown_line_has_nothing_around_it(page_of: Callable[..., ProfilePage]) -> None:
    """Costs without a line do not show the first lines of the file."""
    page = page_of("events: Ir\nfl=a.c\nfn=f\n0 5\n10 50\n")
    ((excerpt,),) = (article.excerpts for article in page.articles)
    assert [line.numbers[0] for line in excerpt.lines] == [0, 8, 9, 10, 11, 12]


def test_the_flame_graph(page_of: Callable[..., ProfilePage]) -> None:
    """Boxes stand below their callers, as wide as they cost, in the colours of the window."""
    flame = page_of().flame
    assert flame is not None
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
    assert page.flame is not None
    assert page.flame.about.endswith(
        "Muted, ≈: estimated in proportion, as only direct calls are recorded."
    )
    tips = [tip.replace(THIN, " ") for tip in page.flame.tips]
    assert "c – ≈ 24 (16.00 %)" in tips


def test_a_recursion_is_not_expanded_again(tmp_path: Path) -> None:
    """It has a box that says so, where cycles are not put together."""
    queries = queries_for(tmp_path, "main 0 -> a 1x50\na 20 -> b 1x30\nb 20 -> a 1x10\n")
    options = PageOptions(queries.events.all[0], Scope(cycles=False))
    page = profile_page(NoProgress(), queries, FileSearch(), options)
    assert page.flame is not None
    tips = [tip for tip in page.flame.tips if "recursion" in tip]
    assert len(tips) == 1
    assert tips[0].startswith("a – ")
    assert tips[0].endswith(" – recursion, not expanded again")


def test_table_is_cut_and_filtered(page_of: Callable[..., ProfilePage]) -> None:
    """The costliest are kept, in the requested order; the page states what is filtered."""
    cut = page_of(limit=2, sort="self")
    filtered = page_of(filter=parse_filter("!work"))

    assert [row[5] for row in rows_of(cut)] == ["work", "other"]
    assert cut.caption == (
        "The 2 of 3 functions that are costliest by self cost of Ir; "
        "the others are not in this file."
    )
    assert page_of(limit=2, sort="name").caption == "2 of 3 functions."
    assert (cut.sort, len(cut.articles)) == ("self", 3)
    assert [row[5] for row in rows_of(filtered)] == ["main", "other"]
    assert [one.name.name for one in filtered.articles] == ["main", "other"]
    assert filtered.flame is not None
    assert list(filtered.flame.labels) == ["Whole program", "main", "other"]
    assert filtered.notes == ("Only functions matching the filter “!work”: 1 hidden.",)


def test_long_functions_show_their_hot_lines(
    page_of: Callable[..., ProfilePage], tmp_path: Path
) -> None:
    """Of a hundred lines with cost the sixty costliest are shown; the others are counted."""
    (tmp_path / "a.c").write_text("x\n" * 2000)
    body = "".join(f"{10 * number} {number}\n" for number in range(1, 101))
    (article,) = page_of(f"events: Ir\nfl=a.c\nfn=f\n{body}").articles
    (source,) = article.excerpts

    assert [line.numbers[0] for line in source.lines if line.costs[0]] == list(range(410, 1001, 10))
    assert (len(source.lines), source.omitted) == (60 * 5, 40)


def test_profiles_without_lines_and_without_events(page_of: Callable[..., ProfilePage]) -> None:
    """Without lines the page tells how to record them; without events nothing has a cost."""
    without_lines = page_of("creator: callgrind-3\nevents: Ir\nfl=a.c\nfn=f\n0 5\n")
    (article,) = without_lines.articles
    nothing = page_of("# callgrind format\nevents:\nfl=a.c\nfn=f\n")

    assert (article.excerpts, "--dump-line=yes" in article.problem) == ((), True)
    assert (without_lines.flame, nothing.events, nothing.articles) == (None, (), ())
    assert nothing.notes == ("The profile has no events, so nothing has a cost.",)


def test_the_page_can_be_stopped(page_of: Callable[..., ProfilePage], tmp_path: Path) -> None:
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
