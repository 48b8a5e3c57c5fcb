"""The page of a history: the total, the steps and the functions, as readers see them."""

from __future__ import annotations

from qcachegrind_py.present.history import history_page
from tests.write.drawn_history import report_of
from tests.write.html_page import HtmlPage


def test_the_page() -> None:
    """The total with its labels and steps, the steps with their functions, and the functions."""
    page = HtmlPage(history_page(report_of(limit=2)))
    assert page.sections[""] == [
        *("History: v0 → v7", "Revisions", "8", "Event", "Ir"),
        *("Total", "1 100 → 1 640: +540, +49.09 %"),
    ]
    assert page.sections["total"] == [
        "Total", "Total of Ir in 8 revisions", "1 100", "1 370", "1 640",
        "v7", "v6", "v5", "v4", "v3", "v2", "v1", "v0", "v3: +500", "v4: +40",
    ]  # fmt: skip
    assert page.sections["steps"] == [
        "Largest steps of self costs", "v3", "+500", "+500", "sort", "v4", "+40", "+40", "load",
    ]  # fmt: skip
    assert page.rows["functions"] == [
        ["Trend", "%", "Largest step", "Spread", "Newest", "Step in", "Function", "File", "Object"],
        ["+500", "+50.00 %", "+500", "500", "1 500", "v3", "sort", "sort.c", "app"],
        ["+40", "", "+40", "40", "40", "v4", "load new in v4", "load.c", "libio.so"],
    ]
    assert page.data["rows"] == [[500, 0.5, 500, 500, 1500], [40, None, 40, 40, 40]]
    assert page.sections["functions"][:2] == [
        "Self cost in Ir",
        "The first 2 of 3 functions; the others are not in this file.",
    ]
    lines = [line for line, kind in page.all("path", "d", "class") if kind == "line"]
    assert [point.split()[1] for point in lines[0][1:].split("L")] == [
        "206", "206", "206", "35.6", "22", "22", "22", "22",
    ]  # fmt: skip
    assert [line.count("L") for line in lines[1:]] == [7, 3]  # load is in the last four


def test_a_page_of_one_revision() -> None:
    """A single revision has a chart, no steps, and a title of its own."""
    page = HtmlPage(history_page(report_of(count=1)))
    assert page.sections[""][0] == "History: v0"
    assert len(page.all("svg", "viewbox")) == 3  # the total, main and sort
    assert page.sections["steps"][1:] == ["No function steps beyond its noise."]
