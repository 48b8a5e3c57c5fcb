"""Two profiles compared as an HTML page: its rows, its bars, and nothing but its own script."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from qcachegrind_py.analysis.comparison.comparison import Difference
from qcachegrind_py.present.change import ComparisonReport
from qcachegrind_py.write.html.comparison import write_comparison
from tests.write.drawn_comparisons import comparison_of, in_shares, per_call

THIN = "\N{THIN SPACE}"
UNBROKEN = "\N{NARROW NO-BREAK SPACE}"  # within numbers of sentences


class _Rows(HTMLParser):
    """The texts of all rows, by the section that they stand in, and the classes of first cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: dict[str, list[list[str]]] = {}
        self.first_classes: list[str] = []
        self._section = ""
        self._is_cell = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "section":
            self._section = values["id"] or ""
        elif tag == "tr":
            self.rows.setdefault(self._section, []).append([])
        elif tag in ("td", "th"):
            row = self.rows[self._section][-1]
            if tag == "td" and not row:
                self.first_classes.append(values.get("class") or "")
            row.append("")
            self._is_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._is_cell &= tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._is_cell:
            self.rows[self._section][-1][-1] += data.replace(THIN, " ").replace(UNBROKEN, " ")


def page_of(comparison: ComparisonReport, limit: int = 100) -> str:
    """The whole page."""
    stream = io.StringIO()
    write_comparison(comparison, stream, limit=limit)
    return stream.getvalue()


def test_the_tables_of_a_page() -> None:
    """Totals with growth and shrinkage, and functions in the order of the report."""
    rows = _Rows(page_of(comparison_of())).rows
    assert rows["totals"] == [
        ["Event", "Base", "New", "Change", "%", "Grown", "Shrunk"],
        ["Ir", "2 450", "3 607", "+1 157", "+47.22", "+1 457", "-300"],
        ["Dw", "33", "51", "+18", "+54.55", "+21", "-3"],
    ]
    assert rows["functions"] == [
        ["Change", "%", "Base", "New", "Called", "Function", "File", "Object"],
        [
            *("+1 250", "+125.00", "1 000", "2 250", "10 → 12"),
            *("sortinclusive +1 450: +488 by calls, +962 by cost per call", "sort.c", "app"),
        ],
        ["-300", "gone", "300", "–", "1 → 0", "old", "main.c", "app"],
        [
            *("+200", "+20.00", "1 000", "1 200", "500 → 600"),
            *("lessinclusive +200: +200 by calls, 0 by cost per call", "sort.c", "app"),
        ],
        ["+7", "new", "–", "7", "0 → 1", "fresh", "new.c", "app"],
        ["0", "0.00", "100", "100", "0", "main", "main.c", "app"],
        ["0", "0.00", "50", "50", "2", "same", "main.c", "libc.so"],
    ]


def test_bars() -> None:
    """A bar is as long as the change against the largest, to the side of its sign."""
    classes = _Rows(page_of(comparison_of())).first_classes[-6:]
    assert classes == [
        "n c grown b50",
        "n c shrunk b12",
        "n c grown b8",
        "n c grown b1",
        "n c",
        "n c",
    ]


def test_rows_are_sorted_by_exact_numbers() -> None:
    """The script sorts by change, relative change, both sides and the change of calls."""
    page = page_of(comparison_of())
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    assert data["rows"][:4] == [
        [1250, 1.25, 1000, 2250, 2],
        [-300, -1.0, 300, 0, -1],
        [200, 0.2, 1000, 1200, 100],
        [7, None, 0, 7, 1],
    ]
    assert len(data["rows"]) == len(re.findall(r'<tr id="f\d+"><td class="n c', page))


def test_the_limit_of_a_page() -> None:
    """The page says how many functions are not in it."""
    page = page_of(comparison_of(), limit=2)
    assert "The first 2 of 6 functions; the others are not in this file." in page
    assert len(_Rows(page).rows["functions"]) == 3


def test_rules_and_differences() -> None:
    """Rules have their functions below them; what the runs differ in is marked."""
    comparison = comparison_of(rules=["self>+300", "self<-1k", "Dw.total>+1%"])
    differences = (Difference("command", "./a <b>", "./b"),)
    page = page_of(replace(comparison, differences=differences)).replace(THIN, " ")
    assert '<dd class="problem">command: ./a &lt;b&gt; → ./b</dd>' in page
    rules = re.sub(r"\n", "", page[page.index('id="rules"') : page.index('id="totals"')])
    assert re.findall(r'<li class="(\w+)"><code>(.*?)</code> (.*?)<', rules) == [
        ("met", "self&gt;+300", "is met by 1 function"),
        ("kept", "self&lt;-1k", "is not met"),
        ("met", "Dw.total&gt;+1%", "is met: total 33 → 51 Dw: +18 (+54.55 %)"),
    ]
    assert "<li>sort (sort.c:1): self cost 1 000 → 2 250 Ir: +1 250 (+125.00 %)</li>" in rules


@pytest.mark.parametrize("kind", ["share", "per call"])
def test_divided_costs_of_a_page(kind: str) -> None:
    """The headings say what the numbers are of, and rows are sorted by them."""
    page = page_of(
        in_shares(comparison_of())
        if kind == "share"
        else per_call(comparison_of(), "<less>", (500, 600))
    )
    unit = {"share": "%", "per call": "per call of &lt;less&gt;"}[kind]
    assert f"<h2>Self cost in Ir, {unit}</h2>" in page
    assert f"<h2>What changed in Ir, self cost, {unit}</h2>" in page
    rows = {row[-3]: row for row in _Rows(page).rows["functions"]}
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    keys = dict(zip(list(rows)[1:], data["rows"], strict=True))
    change = {"share": 100 * 2250 / 3607 - 100 * 1000 / 2450, "per call": 2250 / 600 - 1000 / 500}
    assert keys["sort"][0] == pytest.approx(change[kind])
    assert rows["sort"][0] == f"+{change[kind]:.2f}"
    assert ("%" in rows["Function"]) == (kind == "per call")


def test_a_page_runs_only_its_own_script() -> None:
    """The policy has the hashes of style and script; nothing is loaded."""
    page = page_of(comparison_of("<script>@a.c 1", "<script>@a.c 2"))
    assert "default-src 'none'; script-src 'sha256-" in page
    assert page.count("<script") == 2
    assert "&lt;script&gt;" in page
    assert {*re.findall(r'(?:src|href)="([^"]*)', page)} <= {
        "#totals",
        "#changes",
        "#functions",
        "#f0",
    }


def test_a_page_without_a_base() -> None:
    """There are the totals of the new profile alone, and nothing is a change."""
    page = page_of(comparison_of(None, rules=["is:new"]))
    rows = _Rows(page).rows
    assert rows["totals"] == [["Event", "New"], ["Ir", "3 607"], ["Dw", "51"]]
    assert "is not checked, as there is no base" in page
    assert rows["functions"][:2] == [
        ["New", "Called", "Function", "File", "Object"],
        ["2 250", "12", "sort", "sort.c", "app"],
    ]
    assert not re.search(r'class="[^"]*(?:grown|shrunk)', page)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    assert data["rows"][0] == [2250, 12]
