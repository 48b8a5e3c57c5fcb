"""The flame graph of both sides and the sources of what changed, in the page of a comparison."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.selections import compare_parts
from qcachegrind_py.analysis.filters.expression import NO_FILTER
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.change import report_sides
from qcachegrind_py.present.comparison_page import change_details
from qcachegrind_py.present.flame_graph import FlameGraph, compared_flame_graph
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.sources.file_search import BaseSearch, FileSearch, PathRule
from qcachegrind_py.write.html.comparison import save_comparison
from tests.moved_function import write_moved_function
from tests.profile_rows import DATA, profile_from
from tests.profile_text import profile_text
from tests.write.drawn_comparisons import BASE, NEW, comparison_of

THIN = "\N{THIN SPACE}"

# b calls c as often as before, and only a does more: what c costs below b is an estimate
ESTIMATED = """
    main 0 -> a 1x{a}, b 1x100
    a {own} -> mid 1x50
    b 50 -> mid 1x50
    mid 20 -> c 2x80
    c 80
    """


def compared_of(base: str, new: str) -> Comparison:
    """The comparison of two drawings."""
    return compare(profile_from(profile_text(base)), profile_from(profile_text(new)))


def flame_of(compared: Comparison) -> FlameGraph:
    """The flame graph of both sides."""
    flame = compared_flame_graph(compared, compared.events[0], None, NoProgress())
    assert flame is not None
    return flame


def boxes_of(compared: Comparison) -> dict[str, tuple[str, bool]]:
    """Base and new as they are told, and whether both are proven, of all boxes by their path."""
    flame, paths = flame_of(compared), list[str]()
    names = [tip.partition(":")[0] for tip in flame.tips]
    for name, parent in zip(names, flame.parent, strict=True):
        shown = "" if parent < 0 and name == "Whole program" else name
        paths.append(f"{paths[parent]}/{shown}" if parent >= 0 else shown)
    told = [tip.partition(": ")[2].partition(",")[0].replace(THIN, " ") for tip in flame.tips]
    return dict(zip(paths, zip(told, flame.is_exact, strict=True), strict=True))


def page_of(compared: Comparison, folder: Path) -> str:
    """The page that a window saves."""
    path = folder / "page.html"
    search = FileSearch(bases=(str(folder),))
    save_comparison(NoProgress(), path, compared, compared.events[0], NO_FILTER, search)
    return path.read_text(encoding="utf-8").replace(THIN, " ")


def test_boxes_have_the_costs_of_both_sides() -> None:
    """What is gone has a box, too; a side without a call costs nothing there."""
    assert boxes_of(compared_of(BASE, NEW)) == {
        "main": ("2 450 → 3 607", True),
        "main/sort": ("2 000 → 3 450", True),
        "main/old": ("300 → 0", True),
        "main/same": ("50 → 50", True),
        "main/fresh": ("0 → 7", True),
        "main/sort/less": ("1 000 → 1 200", True),
    }


def test_what_is_left_out_has_a_cost_on_both_sides(tmp_path: Path) -> None:
    """Boxes that are too small to be drawn are 40 of 10,000 in the base, and 50 of 20,000 now."""
    small = [f"f{n}" for n in range(10)]
    texts = []
    for cost, big in ((4, 960), (5, 10_950)):
        calls = ", ".join(f"{name} 1x{cost}" for name in small)
        own = "\n".join(f"{name} {cost}" for name in small)
        texts.append(f"main 9000 -> big 1x{big}, {calls}\nbig {big}\n{own}")
    page = page_of(compared_of(*texts), tmp_path)
    said = "Boxes below 0.1 % are left out, together about 0.4 % of the base and 0.25 % of the new"
    assert f"{said} side.</p>" in page
    assert "Boxes below 0.1 % are left out.</p>" in page_of(compared_of(BASE, NEW), tmp_path)


def test_estimates_are_not_proven() -> None:
    """Below a function with two callers, costs change by estimate although nothing did."""
    base, new = ESTIMATED.format(a=150, own=100), ESTIMATED.format(a=250, own=200)
    boxes = boxes_of(compared_of(base, new))
    assert boxes["main/a"] == ("150 → 250", True)
    assert boxes["main/b/mid"] == ("50 → 50", True)
    assert [proven for _, proven in (boxes["main/a/mid/c"], boxes["main/b/mid/c"])] == [False] * 2


def test_widths_by_new_by_base_and_by_change() -> None:
    """A box of the change has growth and shrinkage within it, and children are within parents."""
    flame = flame_of(compared_of(BASE, NEW))
    names = [tip.partition(":")[0] for tip in flame.tips]
    new, base, change = (
        dict(zip(names, [round(share, 4) for share in width.tolist()], strict=True))
        for _, width in flame.places
    )
    assert flame.widths == ("New", "Base", "Change")
    assert new["sort"] == round(3450 / 3607, 4)
    assert base["old"] == round(300 / 2450, 4)
    # sort grew by 1450, of which less 200; old shrank by 300 and fresh is 7: 1757 together
    assert [change[name] for name in ("sort", "less", "old", "fresh", "same")] == [
        round(part / 1757, 4) for part in (1450, 200, 300, 7, 0)
    ]


def test_a_page_tells_what_grew_and_shrank(tmp_path: Path) -> None:
    """The short answer stands on top, and lists lead to rows and sources."""
    page = page_of(compared_of(BASE, NEW), tmp_path)
    summary = re.search(r'<dl class="summary">(.*?)</dl>', page, re.S)[1]
    assert re.findall(r"<d[td]>(.*?)</d[td]>", summary) == [
        *("Net change", "+1 157 Ir (+47.22 %): 2 450 → 3 607"),
        *("Growth", "+1 457: 2 of 3 functions make 95 % of it"),
        *("Shrinkage", "-300: 1 function"),
        *("Comparable", "yes, the runs differ in nothing but their costs"),
    ]
    changed = page[page.index('id="changes"') : page.index('id="flame"')]
    assert re.findall(r'<td class="n (?:grown|shrunk)">(.*?)</td>', changed) == [
        *("+1 250", "+200", "+7"),
        "-300",
    ]
    titles = re.findall(
        r'<a href="#f\d+" id="b\d+" class="([^"]*)" tabindex="-?\d" title="(.*?)">', page
    )
    assert ("d1 s4", "old: 300 → 0, change -300 (gone)") in [
        (" ".join(kinds.split()[:2]), tip) for kinds, tip in titles
    ]


def test_lines_pair_by_text(tmp_path: Path) -> None:
    """Two lines on top give all others a number of two more, which is no change."""
    for side, text in (("old", "a\nb\n"), ("new", "x\ny\na\nb\n")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "f.c").write_text(text)
    base, new = (
        f"events: Ir\nfl=f.c\nfn=f\n{first} 100\n{first + 1} {cost}\n"
        for first, cost in ((1, 5), (3, 9))
    )
    files = []
    for side, text in (("old", base), ("new", new)):
        files.append(tmp_path / side / "callgrind.out.1")
        files[-1].write_text(text)
    compared = compare(*(load(str(file)) for file in files))
    path = tmp_path / "page.html"
    search = FileSearch(bases=(str(tmp_path / "new"),))
    save_comparison(NoProgress(), path, compared, compared.events[0], NO_FILTER, search)
    page = path.read_text(encoding="utf-8")
    rows = re.findall(r"<tr(?: class=\"\w+\")?>(<td.*?</code></td>)</tr>", page)
    assert [re.findall(r">([^<>]*)</(?:td|code)>", row) for row in rows] == [
        ["", "", "", "–", "2", "y"],
        ["100", "100", "", "1", "3", "a"],
        ["5", "9", "+4", "2", "4", "b"],
    ]


def test_lines_of_a_moved_function_pair_by_text(tmp_path: Path) -> None:
    """Only the line whose text differs is gone and new, and the page says where it was."""
    base, new = write_moved_function(tmp_path)
    compared = compare(load(str(base)), load(str(new)))
    path, search = tmp_path / "page.html", FileSearch(bases=(str(new.parent),))
    save_comparison(NoProgress(), path, compared, compared.events[0], NO_FILTER, search)
    page = path.read_text(encoding="utf-8")
    rows = re.findall(r"<tr(?: class=\"\w+\")?>(<td.*?</code></td>)</tr>", page)
    assert [re.findall(r">([^<>]*)</(?:td|code)>", row) for row in rows] == [
        ["3", "3", "", "8", "4", "int f(int n) {"],
        ["1", "1", "", "9", "5", "  int s = 0;"],
        ["20", "", "-20", "10", "–", "  s += slow(n);"],
        ["", "12", "+12", "–", "6", "  s += fast(n);"],
        ["4", "4", "", "11", "7", "  s += twice(n);"],
        ["2", "2", "", "12", "8", "  return s;"],
    ]
    assert page.count("In the base, the function is in a.c.") == 1


def test_a_missing_text_is_said(tmp_path: Path) -> None:
    """Lines then have numbers, and the page says that the text was not found."""
    page = page_of(compared_of(BASE, NEW), tmp_path)
    assert page.count("The text of this file was not found") == 4
    assert "are paired by number: no source was found on either side." in page


def test_the_source_of_the_base_that_the_user_chose(tmp_path: Path) -> None:
    """It is on the page as it is in the window: a line that is gone has its text."""
    words = DATA / "comparison" / "words"
    compared = compare(*(load(words / side / "callgrind.out.words") for side in ("old", "new")))
    search = FileSearch((PathRule("/corpus/words/new", str(words / "new")),))
    chosen = BaseSearch((PathRule("/corpus/words/old", str(words / "old")),))
    path, event = tmp_path / "page.html", compared.events[0]
    save_comparison(NoProgress(), path, compared, event, NO_FILTER, search, chosen)
    page = path.read_text("utf-8")
    save_comparison(NoProgress(), path, compared, event, NO_FILTER, search)
    assert page.count("was not found") == 0
    assert path.read_text("utf-8").count("was not found") > 0


def test_hostile_names_are_harmless(tmp_path: Path) -> None:
    """No name ends a script, begins a tag or a comment, or leaves an attribute."""
    names = ["</script><b>", "<!--", 'a"onclick="x', "tab\tname", "it's&amp;"]
    files = []
    for cost in (5, 9):
        body = "".join(
            f"fn={name}\n1 {cost}\ncfn=</script><!--\ncalls=1 1\n1 3\n" for name in names
        )
        files.append(tmp_path / f"callgrind.out.{cost}")
        files[-1].write_text(f"events: Ir\nfl=<x>.c\n{body}fn=</script><!--\n1 15\n")
    page = page_of(compare(*(load(str(file)) for file in files)), tmp_path)
    assert page.count("<script") == page.count("</script") == 2
    assert "<!--" not in page
    assert re.findall(r"<b>[^+]", page) == []
    assert 'a"onclick' not in page.replace('a\\"onclick', "")
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    assert all(len(box) == 9 for box in data["boxes"])


def test_the_page_is_bounded(tmp_path: Path) -> None:
    """Thousands of functions, each changed and each with a box, make at most 3000 boxes."""
    many = ", ".join(f"f{n} 1x{10 + n % 7}" for n in range(4000))
    texts = []
    for extra in (0, 5):
        own = "\n".join(f"f{n} {10 + n % 7}" for n in range(4000))
        texts.append(f"main {100 + extra} -> {many}\n{own}")
    compared = compared_of(*texts)
    stream = io.StringIO(page_of(compared, tmp_path))
    page = stream.getvalue()
    assert page.count(' id="b') <= 3000
    assert len(page) < 3_000_000


def test_parts_of_one_profile_have_a_page(tmp_path: Path) -> None:
    """Two dumps have one source, of which each line has one number, so there is no note."""
    path = tmp_path / "callgrind.out.1"
    first, second = (
        f"part: {number}\nfl=f.c\nfn=main\n1 {cost}\ncfn=f\ncalls=1 1\n1 {cost}\nfn=f\n2 {cost}\n"
        for number, cost in ((1, 10), (2, 30))
    )
    path.write_text(f"events: Ir\n{first}{second}")
    (tmp_path / "f.c").write_text("main\nf\n")
    page = page_of(compare_parts(load(str(path)), [0], [1]), tmp_path)
    assert "f: 10 → 30, change +20 (+200.00 %)" in page
    assert "<code>main</code>" in page
    assert "paired by number" not in page


def test_repeated_runs_have_no_flame_graph() -> None:
    """Medians of functions do not add up along calls."""
    runs = [profile_from(profile_text(text)) for text in (BASE, NEW, BASE, NEW)]
    sides = report_sides(runs[:2], runs[2:])
    report = comparison_of()
    assert change_details(report, sides.compared, FileSearch(), NoProgress()) is None
    assert change_details(report, None, FileSearch(), NoProgress()) is None
