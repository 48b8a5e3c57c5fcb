"""A history as an HTML page: its charts, its rows, and nothing but its own script."""

from __future__ import annotations

import io
import re
from dataclasses import replace

from qcachegrind_py.present.history import HistoryReport
from qcachegrind_py.write.html.history import write_history
from tests.write.drawn_history import report_of


def page_of(report: HistoryReport) -> str:
    """The whole page."""
    stream = io.StringIO()
    write_history(report, stream)
    return stream.getvalue()


def texts_of(markup: str) -> list[str]:
    """What stands between tags."""
    texts = re.split(r"<[^>]*>", markup)
    return [text.strip() for text in texts if text.strip()]


def test_the_page() -> None:
    """The total with its labels and steps, the steps with their functions, and the functions."""
    page = page_of(report_of(limit=2)).replace("\N{THIN SPACE}", " ")
    sections = dict(re.findall(r'<section id="(\w+)">(.*?)</section>', page, re.S))
    assert texts_of(sections["total"]) == [
        "Total", "Total of Ir in 8 revisions", "1 100", "1 370", "1 640",
        "v7", "v6", "v5", "v4", "v3", "v2", "v1", "v0", "v3: +500", "v4: +40",
    ]  # fmt: skip
    assert texts_of(sections["steps"]) == [
        "Largest steps of self costs", "v3", "+500", "+500", "sort", "v4", "+40", "+40", "load",
    ]  # fmt: skip
    rows = [texts_of(row) for row in re.findall("<tr>.*?</tr>", sections["functions"])[-2:]]
    assert rows == [
        ["+500", "+50.00 %", "+500", "500", "1 500", "v3", "sort", "sort.c", "app"],
        ["+40", "+40", "40", "40", "v4", "load", "new in v4", "load.c", "libio.so"],
    ]
    assert "The first 2 of 3 functions" in page


def test_a_chart_has_its_own_points() -> None:
    """The line of the total is at its lowest and highest values, and breaks where nothing is."""
    page = page_of(report_of())
    line = re.search(r'<path class="line" d="M([^"]*)"', page)
    assert line is not None
    heights = [float(point.split()[1]) for point in line[1].split("L")]
    assert heights == [206, 206, 206, 35.6, 22, 22, 22, 22]
    small = re.findall(r'<svg class="small".*?</svg>', page)
    assert [chart.count("L") for chart in small] == [7, 3, 7]


def test_names_stay_texts() -> None:
    """A name is escaped, and the page may load and run nothing else."""
    report = report_of()
    names = tuple(("<script>alert(1)</script>", '"><b>', "\x1b[31m") for _ in report.names)
    labels = tuple(f"<i>{number}" for number in range(8))
    page = page_of(replace(report, names=names, history=replace(report.history, labels=labels)))
    assert "<script>alert" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "\x1b" not in page
    assert page.count("<script") == 2
    assert "default-src 'none'" in page
    assert " style=" not in page  # which the policy would forbid


def test_a_page_of_one_revision() -> None:
    """A single revision has a chart, no steps, and a title of its own."""
    page = page_of(report_of(count=1))
    assert "<h1>History: v0</h1>" in page
    assert page.count("<svg") == 3  # the total, main and sort
    assert "No function steps beyond its noise." in page
