"""The page of a profile: all text is escaped, nothing is loaded, and no foreign script runs."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.present.exact import ExactCells, FullNameCells
from qcachegrind_py.present.excerpts import Excerpt, ExcerptLine
from qcachegrind_py.present.flame_graph import FlameGraph
from qcachegrind_py.present.function_articles import Article, Calls, share_cells
from qcachegrind_py.present.profile_page import EventCosts, PageOptions, ProfilePage, profile_page
from qcachegrind_py.present.table import Column, FunctionName, Table
from qcachegrind_py.present.unit import share_text
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.write.html.profile import write_profile
from tests.profile_text import THIN, queries_for

LARGE = 2**53 + 1
HOSTILE = {
    "</script><script>alert(1)</script>": "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>": "<img src=x onerror=alert(1)>",
    "</style></title>]]>-->": "</style></title>]]>-->",
    "\"'><b onclick=x": "\"'><b onclick=x",
    "a\x00b\x1b[1m\u2028\u202ec": r"a\x00b\x1b[1m\u2028\u202ec",
    "lone \udcff": r"lone \xff",
    "&lt;&#60;": "&lt;&#60;",
    "x" * 5000: "x" * 400 + "…",
    "https://example.org/": "https://example.org/",
    "javascript:alert(1)": "javascript:alert(1)",
}
VOID = {"meta"}


def table_of(names: list[FunctionName], title: str, costs: list[int], **more: object) -> Table:
    """Functions with a cost, its share of the first, and names."""
    cost = np.array(costs)
    columns = (
        Column("inclusive", "Inclusive", "", ExactCells(cost, format_count)),
        Column("inclusive_share", "Incl. %", "", share_cells(cost, costs[0])),
        Column("name", title, "", FullNameCells(lambda rows: [names[row] for row in rows])),
    )
    return Table(columns, len(costs), **more)


def page_of(name: str, *, cost: int = LARGE) -> ProfilePage:
    """A page in which every text is this name."""
    mark = ["cycle 1, ≈", ""].__getitem__
    known, unknown = FunctionName(name, name, name), FunctionName(name, "???", "???")
    calls = table_of([known] * 2, "Caller", [cost] * 2, nodes=np.array([0, -1]), mark=mark)
    line = ExcerptLine((3,), (cost, cost), 8, name, omitted_before=1)
    costs = np.array([cost, 0])
    return ProfilePage(
        title=name,
        facts=((name, name),),
        events=(EventCosts(EventType(name, name), cost, name, name, costs, costs),),
        event=0,
        sort="inclusive",
        table=table_of([known, unknown], "Function", [cost, 0], mark=mark),
        functions=np.array([0, 1]),
        caption=name,
        called=(2, 2),
        articles=(
            Article(
                0,
                known,
                (name, name),
                "cycle 1",
                (Calls("Caller", "none", calls, 1), Calls("Callee", "none", calls, 1)),
                (Excerpt(name, (line,), name, name, 2),),
                name,
            ),
        ),
        flame=FlameGraph(
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
        ),
        notes=(name,),
        warnings=((name, name),),
        warning_count=3,
    )


class Page(HTMLParser):
    """A page as a browser parses it: its elements with their attributes, and its texts."""

    def __init__(self, page: ProfilePage) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.inside: dict[str, list[str]] = {"style": [], "script": [], "title": []}
        self.rows: list[list[str]] = []
        self._open: list[str] = []
        written = io.StringIO()
        write_profile(page, written)
        self.text = written.getvalue()
        self.feed(self.text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in VOID and tag != "input":
            self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in self.inside:
            self.inside[self._open[-1]].append(data)
            return
        if self._open[-1:] != ["body"] or data.strip():
            self.texts.append(data)
        if "td" in self._open or "th" in self._open:
            self.rows[-1][-1] += data

    @property
    def data(self) -> dict[str, object]:
        """The data of the script."""
        return json.loads(self.inside["script"][0])

    def attributes(self, name: str) -> list[str]:
        """The values of an attribute, over all elements."""
        return [attributes[name] for _, attributes in self.elements if name in attributes]


@pytest.mark.parametrize(("name", "shown"), HOSTILE.items(), ids=range(len(HOSTILE)))
def test_a_name_is_text_wherever_it_stands(name: str, shown: str) -> None:
    """No name creates an element, an attribute or a script; it is displayed in bounded length.

    The page has the elements and attributes of one without hostile names.
    """
    page, harmless = Page(page_of(name)), Page(page_of("f"))
    shape = [(tag, sorted(attributes)) for tag, attributes in page.elements]

    assert shape == [(tag, sorted(attributes)) for tag, attributes in harmless.elements]
    assert page.inside["title"] == [shown]
    assert page.inside["script"][1] == harmless.inside["script"][1]
    assert page.texts.count(shown) >= 15  # of a path, the last part is shown in one more place
    assert page.data["events"] == [{"name": shown, "total": str(LARGE)}]
    assert page.data["boxes"][1][2] == shown
    assert not re.search(r"[\u2028\ud800-\udfff]|[\x00-\x09\x0b-\x1f]", page.text)


def test_nothing_is_loaded_and_only_our_script_runs() -> None:
    """The policy allows one script and one style, by their hashes, and the page has no address."""
    page = Page(page_of("f"))
    policy = next(a["content"] for _, a in page.elements if "Content-Security-Policy" in a.values())
    hashes = {
        kind: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for kind, text in (
            ("script", page.inside["script"][1]),
            ("style", "".join(page.inside["style"])),
        )
    }

    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes['script']}'; "
        f"style-src 'sha256-{hashes['style']}'; base-uri 'none'; form-action 'none'"
    )
    assert [tag for tag, _ in page.elements if tag in ("link", "img", "iframe", "base")] == []
    assert page.attributes("src") + page.attributes("style") + page.attributes("action") == []
    assert all(re.fullmatch(r"#[a-z]+\d*", target) for target in page.attributes("href"))
    assert not re.search(r"https?:|url\(|@import|//[a-z]|import\(|fetch\(", page.text)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval", page.text)


def test_page_reads_fully_without_scripts() -> None:
    """Tables, lines and boxes are HTML, with exact numbers, shares and links."""
    page = Page(page_of("f"))
    large = f"9{THIN}007{THIN}199{THIN}254{THIN}740{THIN}993"

    assert page.rows == [
        ["Event", "Total", "Percentages are of"],
        ["f f", f"{large} = f", "f"],
        ["Inclusive", "Incl. %", "Function", "File", "Object"],
        [large, "100.00", "f cycle 1, ≈", "f", "f"],
        ["0", "", "f", "–", "–"],
        ["Inclusive", "Incl. %", "Caller"],
        [large, "100.00", "f cycle 1, ≈"],
        [large, "100.00", "f"],
        ["Inclusive", "Incl. %", "Caller"],
        [large, "100.00", "f cycle 1, ≈"],
        [large, "100.00", "f"],
        ["Self", "Inclusive", "Line", "Source"],
        ["⋮", "1 line left out"],
        [large, large, "3", "f"],
    ]
    classes = [a["class"] for tag, a in page.elements if tag == "td" and "q" in a.get("class", "")]
    assert classes[:2] == ["n q s p100", "n q"]
    boxes = [a for tag, a in page.elements if tag == "a" and a.get("id", "").startswith("b")]
    assert [(box.get("href"), box["class"], box["title"]) for box in boxes] == [
        ("#f0", "d0 c8040ff", "f"),
        (None, "d1 c8040ff e t", "f"),
    ]
    assert "#b1{left:0%;width:0.1%}" in page.inside["style"][0]
    assert set(page.attributes("href")) <= {f"#{target}" for target in page.attributes("id")}


def test_data_of_the_script() -> None:
    """Costs of all events, as text where a script would round them, and the boxes."""
    assert Page(page_of("f")).data == {
        "events": [{"name": "f", "total": str(LARGE)}],
        "event": 0,
        "functions": [[2, [str(LARGE)], [str(LARGE)]], [2, [0], [0]]],
        "boxes": [[-1, 0, "", 0.0, 1e6], [0, 1, "f", 0.0, 1000.0]],
    }


def test_a_page_of_nothing() -> None:
    """Without events, functions, calls and diagnostics the page says so."""
    empty = np.empty(0, np.int64)
    page = Page(
        replace(
            page_of("f"), facts=(), events=(), functions=empty, called=(), articles=(), flame=None,
            notes=(), warnings=(), warning_count=0,
        )
    )  # fmt: skip

    assert page.rows == []
    assert "The profile has no functions." in page.texts
    assert page.data == {"events": [], "event": 0, "functions": [], "boxes": []}


def test_active_calls_have_no_count(tmp_path: Path) -> None:
    """The table, the article and the callers say that a function was running at the end."""
    queries = queries_for(tmp_path, "creator: callgrind\nmain 10 -> loop 0x90\nloop 90")
    options = PageOptions(queries.events.all[0])
    page = io.StringIO()
    write_profile(profile_page(NoProgress(), queries, FileSearch(), options), page)
    text = page.getvalue()

    assert text.count('<td class="n">(active)</td>') == 3  # table, caller and callee
    assert text.count("called (active). ") == 1
    assert text.count("called 0\N{MULTIPLICATION SIGN}. ") == 1


@pytest.mark.parametrize(
    ("cost", "total", "text"),
    [
        (1, 1_000_000, "<0.01"),
        (0, 5, "0.00"),
        (5, 5, "100.00"),
        (1, 0, "–"),
        (50, 1_000_000, "0.01"),
    ],
)
def test_a_share_above_zero_is_never_zero(cost: int, total: int, text: str) -> None:
    """A cost that would be rounded to 0.00 % is told from one that is nothing."""
    assert share_text(cost, total) == text


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
