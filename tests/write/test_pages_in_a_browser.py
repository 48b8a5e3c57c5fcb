"""Each kind of HTML page in a real browser: it opens, searches and sorts without any complaint."""

from __future__ import annotations

import contextlib
import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from qcachegrind_py.cli.main import main
from tests.browser import BrowserPage, browser_page, find_browser
from tests.profile_rows import DATA

pytestmark = pytest.mark.slow

PAIR = DATA / "comparison"
OLD, NEW = (str(PAIR / f"callgrind.out.words-{name}.xz") for name in ("plain", "scans"))
SOURCES = ["--map", f"/corpus/comparison={PAIR}"]
KINDS = {
    "report": ["report", NEW],
    "report-with-source": ["report", NEW, *SOURCES],
    "report-with-cycles": ["report", str(DATA / "python" / "callgrind.out.python-default.xz")],
    "report-without-calls": ["report", str(DATA / "cachegrind" / "cachegrind.out.templ-O2.xz")],
    "comparison": ["compare", OLD, NEW],
    "comparison-with-source": ["compare", OLD, NEW, *SOURCES],
    "comparison-of-shares": ["compare", OLD, NEW, "--shares"],
    "comparison-of-repeats": ["compare", "--base", OLD, "--base", OLD, NEW, NEW, "--repeats"],
    "comparison-without-base": ["compare", "missing.out", NEW, "--base-optional"],
    "comparison-with-rules": ["gate", OLD, NEW, "--fail-if", "self>+1%"],
    "suite": ["gate", "{suites}/old", "{suites}/new", "--fail-if", "total>+1%"],
    "history": ["history", OLD, NEW, NEW],
    "history-of-one": ["history", NEW],
}
ROWS = "Array.from(document.querySelectorAll('#table tbody tr'))"
NAMES = f"{ROWS}.map((row) => row.querySelector('.name').textContent)"
FOUND = f"{ROWS}.filter((row) => !row.hidden).map((row) => row.querySelector('.name').textContent)"
TEXTS = (
    "Array.from(row.cells).filter((cell) => !cell.matches('.n'))"
    ".map((cell) => cell.title || cell.textContent).join()"
)
HEADINGS = "Array.from(document.querySelectorAll('#table th'))"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserPage]:
    """A browser without a window."""
    path = find_browser()
    if path is None:
        pytest.skip("needs Chromium or Chrome, which opens the pages")
    with browser_page(path, tmp_path_factory.mktemp("browser")) as page:
        yield page


def written_page(folder: Path, options: list[str]) -> Path:
    """The page that a task prints with `--format html`."""
    write_suites(folder)
    options = [word.replace("{suites}", str(folder)) for word in options]
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        assert main([*options, "--format", "html"]) in (0, 3)
    file = folder / "page.html"
    file.write_text(output.getvalue(), encoding="utf-8")
    return file


def write_suites(folder: Path) -> None:
    """Write two suites: one benchmark changed, one did not, one grew from nothing, one is new."""
    for side, words, costs in (("old", OLD, (7, 0)), ("new", NEW, (7, 5, 9))):
        (folder / side).mkdir()
        shutil.copy(words, folder / side / "words.xz")
        for name, cost in zip(("same", "grown", "fresh"), costs, strict=False):
            (folder / side / f"{name}.out").write_text(f"cmd: x\nevents: Ir\nfn=f\n1 {cost}\n")


def numbers_of(texts: list[str]) -> list[float]:
    """The texts of a column that are numbers."""
    numbers = []
    for text in texts:
        plain = text.replace("\N{THIN SPACE}", "").removesuffix("%").replace("\N{MINUS SIGN}", "-")
        with contextlib.suppress(ValueError):
            numbers.append(float(plain))
    return numbers


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_opens_searches_and_sorts(browser: BrowserPage, kind: str, tmp_path: Path) -> None:
    """Whoever opens it can search and sort its functions, and the browser complains of nothing."""
    browser.open(written_page(tmp_path, KINDS[kind]))
    assert browser.complaints == []
    assert browser.evaluate("document.getElementById('tools').hidden") is False

    names = browser.evaluate(NAMES)
    texts = browser.evaluate(f"{ROWS}.map((row) => {TEXTS})")
    word = names[-1].split()[0]
    browser.type_text("#search", word.upper())
    found = [name for name, text in zip(names, texts, strict=True) if word.lower() in text.lower()]
    assert browser.evaluate(FOUND) == found
    said = browser.evaluate("document.getElementById('found').textContent")
    assert said.replace("\N{THIN SPACE}", "") == f"{len(found)} of {len(names)}"
    browser.type_text("#search", "")
    assert browser.evaluate(FOUND) == names

    is_number = browser.evaluate(f"{HEADINGS}.map((one) => one.matches('.n'))")
    for column, falls in enumerate(is_number):
        first = "descending" if falls else "ascending"
        if browser.evaluate(f"{HEADINGS}[{column}].getAttribute('aria-sort')") == first:
            browser.evaluate(f"{HEADINGS}[{column}].firstElementChild.click()")
        browser.evaluate(f"{HEADINGS}[{column}].firstElementChild.click()")
        assert browser.evaluate(f"{HEADINGS}.map((one) => one.getAttribute('aria-sort'))") == [
            first if place == column else None for place in range(len(is_number))
        ]
        if column == 0:
            numbers = numbers_of(browser.evaluate(f"{ROWS}.map((row) => row.cells[0].innerText)"))
            assert numbers
            assert numbers == sorted(numbers, reverse=True)
    assert sorted(browser.evaluate(NAMES)) == sorted(names)
    assert browser.complaints == []


@pytest.mark.parametrize("kind", ["report", "comparison"])
def test_a_flame_graph_answers(browser: BrowserPage, kind: str, tmp_path: Path) -> None:
    """A click makes a box as wide as the picture, and the first key brings back what is around."""
    browser.open(written_page(tmp_path, KINDS[kind]))
    widths = "Array.from(document.getElementById('boxes').children, (box) => box.style.width)"
    whole = browser.evaluate(widths)
    place = next(at for at, width in enumerate(whole) if 0 < float(width.rstrip("%") or 0) < 60)

    browser.evaluate(f"document.getElementById('boxes').children[{place}].click()")
    assert browser.evaluate(widths)[place] == "100%"
    browser.send("Input.dispatchKeyEvent", type="keyDown", key="Escape")
    browser.evaluate("document.getElementById('all').click()")
    assert browser.evaluate(widths) == whole

    choices = "Array.from(document.querySelectorAll('input[name=width], #event option'))"
    for choice in range(browser.evaluate(f"{choices}.length")):
        browser.evaluate(f"{choices}[{choice}].click()")
    browser.evaluate("document.getElementById('event')?.dispatchEvent(new Event('change'))")
    assert browser.complaints == []


def test_complaints_are_noticed(browser: BrowserPage, tmp_path: Path) -> None:
    """A script that fails, one that the policy forbids and one that writes are all complaints."""
    broken = tmp_path / "broken.html"
    policy = '<meta http-equiv="Content-Security-Policy" content="script-src \'none\'">'
    for text in ("<script>data.map()</script>", "<script>console.log(1)</script>",
                 f"{policy}<script>1</script>"):  # fmt: skip
        broken.write_text(f"<!DOCTYPE html>{text}", encoding="utf-8")
        browser.open(broken)
        assert browser.complaints, text
        browser.complaints.clear()
