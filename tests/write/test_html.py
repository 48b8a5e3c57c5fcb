"""Every block of a page as HTML: all text is escaped, nothing is loaded, no foreign script runs."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files

import numpy as np
import pytest

from qcachegrind_py.present.exact import ExactCells, FullNameCells
from qcachegrind_py.present.excerpts import Excerpt, ExcerptLine
from qcachegrind_py.present.flame_graph import FlameGraph
from qcachegrind_py.present.function_articles import share_cells
from qcachegrind_py.present.history import SeriesCells
from qcachegrind_py.present.page import (
    Article,
    Articles,
    Beside,
    Chart,
    Contents,
    EventCosts,
    Facts,
    Finding,
    Flames,
    FunctionList,
    Grid,
    Listing,
    Note,
    Oddities,
    Page,
    Rules,
    Section,
    Step,
    StepList,
    Verdict,
)
from qcachegrind_py.present.table import Column, FunctionName, Table
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.numbers import format_count
from tests.write.html_page import HtmlPage

LARGE = 2**53 + 1
HOSTILE = {
    "</script><script>alert(1)</script>": "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>": "<img src=x onerror=alert(1)>",
    "<!--": "<!--",
    "</style></title>]]>-->": "</style></title>]]>-->",
    "\"'><b onclick=x": "\"'><b onclick=x",
    "a\x00b\x1b[1m\u2028\u202ec": r"a\x00b\x1b[1m\u2028\u202ec",
    "lone \udcff": r"lone \xff",
    "&lt;&#60;": "&lt;&#60;",
    "x" * 5000: "x" * 400 + "…",
    "https://example.org/": "https://example.org/",
    "javascript:alert(1)": "javascript:alert(1)",
}


def listing_of(names: list[FunctionName], of: str, costs: list[int], **more: object) -> Listing:
    """Functions with a cost, its share of the first, a course, and names."""
    cost, marks = np.array(costs), ["cycle 1, ≈", "", ""]
    course = np.array([[1, 2, 4], [2, 0, 1], [0, 0, 0]])[: len(costs)]
    columns = (
        Column("inclusive", "Inclusive", "", ExactCells(cost, format_count)),
        Column("inclusive_share", "Incl. %", "", share_cells(cost, costs[0])),
        Column("course", "Course", "", SeriesCells(
            lambda rows: [names[row].name for row in rows], costs=course, present=course > 0,
        )),
        Column("name", of, "", FullNameCells(lambda rows: [names[row] for row in rows])),
    )  # fmt: skip
    nodes, note = np.array([0, -1])[: len(costs)], lambda row: "" if row else names[row].name
    table = Table(columns, len(costs), nodes, mark=marks.__getitem__, note=note)
    return Listing(table, np.arange(len(costs)), **more)


def page_of(name: str) -> Page:
    """A page with all kinds of blocks, in which every text is this name."""
    known, unknown = FunctionName(name, name, name), FunctionName(name, "???", "???")
    links, costs = {0: "f0"}, np.array([LARGE, 0])
    calls = listing_of([known], "Caller", [LARGE], more=name, has_files=False)
    grown = listing_of([known], "Function", [1], title="Grown", links=links)
    nobody = Listing(Table(()), np.arange(0), none=name)
    excerpts = (
        Excerpt(name, (ExcerptLine((3,), (LARGE, LARGE), 8, name, 1),), name, name, 2),
        Excerpt(name, (ExcerptLine((0, 4), (0, 5), 2, f"\t{name}", 1),), omitted=1),
    )  # fmt: skip
    flame = FlameGraph(
        event=name,
        about="Boxes.",
        functions=(0, 99),
        labels=(name, name),
        tips=(name, name),
        parent=(-1, 0),
        depth=(0, 1),
        is_exact=(True, False),
        places=((np.array([0.0, 0.0]), np.array([1.0, 0.001])),),
        colors=[(0.5, 0.25, 1.0)] * 2,
    )
    functions = FunctionList(
        listing_of([known, unknown], "Function", [LARGE, 0], anchored={-1}, sorted_by="inclusive"),
        [EventCosts(EventType(name, name), LARGE, name, name, costs, costs)],
        0,
        (2, 2),
    )
    verdicts = [
        Verdict(name, True, name, (Finding(0, known, name, 3),), 2, (name,)),
        Verdict(name, None, name, (), 0),
    ]
    article = Article(0, known, (name, name), "cycle 1", (calls, nobody), excerpts, name)
    grid = Grid(("Event", "Total", "Of"), [(name, "1", name)], [(name, name)], has_sentences=True)
    return Page(
        [
            Facts([(name, name)], is_answer=True, warnings=frozenset((name,))),
            Facts([]),
            Note(name, is_problem=True),
            Contents(),
        ],
        name,
        [
            Section("totals", name, [grid], is_open=True),
            Section("rules", name, [Rules(verdicts)], "Rules"),
            Section("changes", name, [Beside([grown])]),
            Section("flame", name, [Flames(flame, links)], "Flame graph"),
            Section("functions", name, [Note(name), functions], "Functions"),
            Section("details", name, [Articles([article], links)]),
            Section("total", name, [Chart(name, [name] * 3, [1, 5, 3], [(1, 4), (2, -2)])]),
            Section("steps", name, [StepList([Step(name, 4, [(4, known)], 2)], 1)]),
            Section("oddities", name, [Oddities([(name, name)], 2)]),
        ],
        "profile",
    )  # fmt: skip


@pytest.mark.parametrize(("name", "shown"), HOSTILE.items(), ids=range(len(HOSTILE)))
def test_a_name_is_text_wherever_it_stands(name: str, shown: str) -> None:
    """No name creates an element, an attribute or a script; it is displayed in bounded length.

    The page has the elements and attributes of one without hostile names.
    """
    page, harmless = HtmlPage(page_of(name)), HtmlPage(page_of("f"))
    shape = [(tag, sorted(attributes)) for tag, attributes in page.elements]

    assert shape == [(tag, sorted(attributes)) for tag, attributes in harmless.elements]
    assert page.inside["title"] == [shown]
    assert page.inside["script"][1] == harmless.inside["script"][1]
    assert page.texts.count(shown) >= 30
    assert page.data["events"] == [{"name": shown, "total": str(LARGE)}]
    assert page.data["boxes"][1][2] == shown
    assert not re.search(r"[\u2028\ud800-\udfff]|[\x00-\x09\x0b-\x1f]", page.text)


def test_nothing_is_loaded_and_only_our_script_runs() -> None:
    """The policy allows one script and one style, by their hashes, and the page has no address."""
    page = HtmlPage(page_of("f"))
    policy = next(a["content"] for _, a in page.elements if "Content-Security-Policy" in a.values())
    script, style = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (page.inside["script"][1], page.inside["style"][0])
    )

    assert policy == (
        f"default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert [tag for tag, _ in page.elements if tag in ("link", "img", "iframe", "base")] == []
    assert page.attributes("src") + page.attributes("style") + page.attributes("action") == []
    assert set(page.attributes("href")) <= {f"#{target}" for target in page.attributes("id")}
    assert not re.search(r"https?:|url\(|@import|//[a-z]|import\(|fetch\(", page.text)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval", page.text)


def test_a_page_reads_fully_without_scripts() -> None:
    """Tables, lines, boxes and charts are HTML, with exact numbers, shares and links."""
    page, large = HtmlPage(page_of("f")), "9 007 199 254 740 993"
    assert page.rows == {
        "totals": [["Event", "Total", "Of"], ["f f", "1 f", "f"]],
        "changes": [
            ["Inclusive", "Incl. %", "Course", "Function", "File", "Object"],
            ["1", "100.00", "f", "f cycle 1, ≈f", "f", "f"],
        ],
        "functions": [
            ["Inclusive", "Incl. %", "Course", "Function", "File", "Object"],
            [large, "100.00", "f", "f cycle 1, ≈f", "f", "f"],
            ["0", "", "f", "f", "–", "–"],
        ],
        "details": [
            ["Inclusive", "Incl. %", "Course", "Caller"],
            [large, "100.00", "f", "f cycle 1, ≈f"],
            ["Self", "Inclusive", "Line", "Source"],
            ["⋮", "1 line left out"],
            [large, large, "3", "f"],
            ["Base", "New", "Change", "Base line", "New line", "Source"],
            ["⋮", "lines without change"],
            ["", "5", "+5", "–", "4", "    f"],
        ],
    }
    shown = {
        key: " ".join(page.sections[key]) for key in ("", "rules", "total", "steps", "oddities")
    }
    assert shown == {
        "": "f f f f Rules Flame graph Functions",
        "rules": "f f f f (f:3): f … and 2 more f f f",
        "total": "f f 1 3 5 f f f f: +4 f: −2",
        "steps": "f f +4 +4 f … and 2 more functions … and 1 more revision.",
        "oddities": f"f f f … and 2 more {page.texts[-1]}",
    }
    assert [text for text in page.sections["details"] if text.startswith("…")] == [
        "… and 2 more lines of less cost.",
        "… and 1 more line that changed less.",
    ]
    assert page.all("a", "id", "href", "class", "title") == [
        ("b0", "#f0", "d0 c8040ff", "f"),
        ("b1", "", "d1 c8040ff e t", "f"),
    ]
    assert page.all("li", "class") == [("met",), ("open",)]
    assert page.all("details", "open", "id") == [("", "totals")]
    assert page.all("dd", "class") == page.all("p", "class")[:1] == [("problem",)]
    assert page.all("th", "aria-sort") == [("descending",)]
    assert page.all("tr", "id") == [("f-1",)]
    bars = [kind for (kind,) in page.all("td", "class") if "q" in kind]
    assert bars == ["n q s p100", "n q s p100", "n q", "n q s p100"]
    assert "#b1{left:0%;width:0.1%}" in page.inside["style"][0]
    course = "M2 22L60 15.3L118 2"
    assert [d for d, kind in page.all("path", "d", "class") if kind == "line"] == [
        course, course, "M2 2h1", "M118 22h1", course, "M110 206L495 22L880 114",
    ]  # fmt: skip


def test_data_of_the_script() -> None:
    """Costs of all events, as text where a script would round them, and the boxes."""
    assert HtmlPage(page_of("f")).data == {
        "events": [{"name": "f", "total": str(LARGE)}],
        "event": 0,
        "functions": [[2, [str(LARGE)], [str(LARGE)]], [2, [0], [0]]],
        "boxes": [[-1, 0, "", 0.0, 1e6], [0, 1, "f", 0.0, 1000.0]],
    }
    assert HtmlPage(Page([], "f")).data == {"boxes": []}


@pytest.mark.parametrize(("theme", "ground"), [(0, "light"), (1, "dark")])
def test_bars_can_be_seen_and_their_digits_read(theme: int, ground: str) -> None:
    """Bars have a contrast of 3 to both rows, and digits on them one of 4.5, in both themes."""
    css = (files("qcachegrind_py.write.html") / "page.css").read_text("utf-8")
    colors = [
        re.findall(rf"--{name}: (#[0-9a-f]{{6}})", css)[theme]
        for name in ("bar", "ground", "stripe", "onbar")
    ]
    bar, plain, stripe, digits = map(luminance, colors)

    assert min(contrast(bar, plain), contrast(bar, stripe)) >= 3
    assert contrast(bar, digits) >= 4.5


def luminance(color: str) -> float:
    """The relative luminance of a colour, as WCAG 2 defines it."""
    parts = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: float, other: float) -> float:
    """The contrast of two luminances."""
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
