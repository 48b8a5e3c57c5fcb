"""The contents of a report: functions, calls, boxes and lines of a profile, and their costs."""

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
from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.reports.html.contents import ReportOptions, report_contents
from qcachegrind_py.reports.html.page_data import (
    HtmlReport,
    ReportBox,
    ReportCall,
    ReportDetail,
    ReportEvent,
    ReportFlame,
    ReportFunction,
    ReportLine,
    ReportSource,
)
from qcachegrind_py.tools.sources.file_search import FileSearch

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
def report(tmp_path: Path) -> Callable[..., HtmlReport]:
    """The report of a profile whose one source file is beside it."""
    path, source = tmp_path / "callgrind.out.1", tmp_path / "a.c"
    path.write_text(PROFILE)
    source.write_text(SOURCE)

    def made(profile: str = PROFILE, **chosen: object) -> HtmlReport:
        path.write_text(profile)
        for file in (path, source):
            os.utime(file, (1_000_000_000, 1_000_000_000))
        queries = ProfileQueries(load(path))
        event = next(iter(queries.events.all), None)
        search = FileSearch(bases=(str(tmp_path),))
        options = replace(ReportOptions(event), **chosen)
        return report_contents(NoProgress(), queries, search, options)

    return made


def test_every_value_of_the_report(report: Callable[..., HtmlReport], tmp_path: Path) -> None:
    """Every number of a small profile is in its row, and lines have their context."""
    folder = str(tmp_path)
    main, work, other = 0, 1, 2
    place = ("a.c", "/bin/prog", 0)
    color = {name: shade_rgb("a.c", name) for name in ("main", "work", "other")}
    lines_of_main = (
        ReportLine(1, 0, 0, "line 1"),
        ReportLine(2, 10, 10, "line 2"),
        ReportLine(3, 0, 0, "line 3"),
        ReportLine(4, 0, 0, "line 4"),
        ReportLine(7, 0, 0, "line 7", omitted_before=2),
        ReportLine(8, 0, 0, "line 8"),
        ReportLine(9, 0, 80, "line 9"),
        ReportLine(10, 0, 0, "line 10"),
        ReportLine(11, 0, 0, "line 11"),
    )
    lines_of_work = (
        ReportLine(8, 0, 0, "line 8"),
        ReportLine(9, 0, 0, "line 9"),
        ReportLine(10, 50, 50, "line 10"),
        ReportLine(11, 0, 0, "line 11"),
        ReportLine(12, 0, 0, "line 12"),
    )
    lines_of_other = (
        ReportLine(1, 20, 20, "line 1"),
        ReportLine(2, 0, 0, "line 2"),
        ReportLine(3, 0, 0, "line 3"),
    )
    lost = (
        "lost.h was not found. Set its folder with --map FROM=TO, "
        "or in the window with File ▸ Source Paths."
    )
    own = ReportSource("a.c", f"{folder}/a.c")
    wanted = HtmlReport(
        title="Profile of prog",
        facts=(
            ("Command", "./prog -x"),
            ("File", f"{folder}/callgrind.out.1"),
            ("Date", "2001-09-09 01:46 UTC"),
            ("Written by", "drawn"),
            ("Recorded", "3 functions, 1 call, 4 cost lines"),
        ),
        events=(
            ReportEvent("Ir", "Instruction Fetch", 110, 110, 110),
            ReportEvent("Time_(ms)", "", 7, 6, 7, "7 ms"),
            ReportEvent("Twice", "", 220, 220, 220, is_derived=True),
        ),
        event_index=0,
        sort="inclusive",
        functions=(
            ReportFunction(main, "main", *place, 0, (90, 5, 180), (10, 1, 20)),
            ReportFunction(work, "work", *place, 3, (80, 4, 160), (80, 4, 160)),
            ReportFunction(other, "other", *place, 0, (20, 1, 40), (20, 1, 40)),
        ),
        function_count=3,
        details=(
            ReportDetail(
                main, "main", *place, 0, 90, 10,
                callees=(ReportCall(work, "work", 3, 80),),
                sources=(replace(own, lines=lines_of_main),),
            ),
            ReportDetail(
                work, "work", *place, 3, 80, 80,
                callers=(ReportCall(main, "main", 3, 80),),
                sources=(
                    replace(own, lines=lines_of_work),
                    ReportSource("lost.h", "", lost, (ReportLine(4, 30, 30, None),)),
                ),
            ),
            ReportDetail(
                other, "other", *place, 0, 20, 20, sources=(replace(own, lines=lines_of_other),)
            ),
        ),
        flame=ReportFlame(
            (
                ReportBox(-1, "Whole program", 110, 0, -1, 0, 1, True, False, shade_rgb("", "")),
                ReportBox(main, "main", 90, 1, 0, 0, 90 / 110, True, False, color["main"]),
                ReportBox(
                    other, "other", 20, 1, 0, 90 / 110, 20 / 110, True, False, color["other"]
                ),
                ReportBox(work, "work", 80, 2, 1, 0, 80 / 110, True, False, color["work"]),
            ),
            min_fraction=0.001,
        ),
    )  # fmt: skip

    assert report() == wanted


def test_table_is_cut_and_filtered(report: Callable[..., HtmlReport]) -> None:
    """The costliest are kept, in the requested order; the page states what is filtered."""
    cut = report(limit=2, sort="self")
    filtered = report(filter=parse_filter("!work"))

    assert [one.name for one in cut.functions] == ["work", "other"]
    assert (cut.function_count, cut.sort, len(cut.details)) == (3, "self", 3)
    assert [one.name for one in filtered.functions] == ["main", "other"]
    assert [one.name for one in filtered.details] == ["main", "other"]
    assert [box.name for box in filtered.flame.boxes] == ["Whole program", "main", "other"]
    assert filtered.notes == ("Only functions matching the filter “!work”: 1 hidden.",)


def test_long_functions_show_their_hot_lines(
    report: Callable[..., HtmlReport], tmp_path: Path
) -> None:
    """Of a hundred lines with cost the sixty costliest are shown; the others are counted."""
    (tmp_path / "a.c").write_text("x\n" * 2000)
    body = "".join(f"{10 * number} {number}\n" for number in range(1, 101))
    (detail,) = report(f"events: Ir\nfl=a.c\nfn=f\n{body}").details
    (source,) = detail.sources

    assert [line.line for line in source.lines if line.self_cost] == list(range(410, 1001, 10))
    assert (len(source.lines), source.omitted) == (60 * 5, 40)


def test_profiles_without_lines_and_without_events(report: Callable[..., HtmlReport]) -> None:
    """Without lines the page tells how to record them; without events nothing has a cost."""
    without_lines = report("creator: callgrind-3\nevents: Ir\nfl=a.c\nfn=f\n0 5\n")
    (detail,) = without_lines.details
    nothing = report("# callgrind format\nevents:\nfl=a.c\nfn=f\n")

    assert (detail.sources, "--dump-line=yes" in detail.problem) == ((), True)
    assert (without_lines.flame.boxes, nothing.events, nothing.details) == ((), (), ())


def test_a_report_can_be_stopped(report: Callable[..., HtmlReport], tmp_path: Path) -> None:
    """Every progress check may stop the report."""
    report()
    checks = 0

    class Stopping:
        def check(self, fraction: float, text: str = "") -> None:
            nonlocal checks
            checks += 1
            assert 0 <= fraction <= 1
            if checks == stop:
                raise Cancelled

    queries = ProfileQueries(load(tmp_path / "callgrind.out.1"))
    options = ReportOptions(queries.events.measured[0], Scope())
    for stop in range(1, 8):
        checks = 0
        with pytest.raises(Cancelled):
            report_contents(Stopping(), queries, FileSearch(), options)
        assert checks == stop
