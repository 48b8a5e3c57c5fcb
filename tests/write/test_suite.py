"""Suites for CI servers and people: Markdown, JUnit, annotations, a page; names are any text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from qcachegrind_py.cli.main import main
from tests.profile_text import profile_text

BAD_NAME = "a|b`<img src=x>\n@everyone ::error::x"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    return tmp_path


def write(name: str, cost: int, function: str = "hash") -> None:
    """Write a benchmark of which one function costs so much, and the rest 1000."""
    text = profile_text(f"""
        cmd: ./app
        main@{Path.cwd()}/src/main.c@/bin/app 1000 -> f 1x{cost}
        f@{Path.cwd()}/src/hash.c@/bin/app {cost}
        """)
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace("fn=f\n", f"fn={function}\n"), encoding="utf-8")


def suites(count: int = 2, function: str = "hash", prefix: str = "bench") -> None:
    """Write two suites in which a function is 100 Ir dearer in all benchmarks but the first."""
    for number in range(count):
        write(f"old/{prefix}{number}x.out", 1000, function)
        write(f"new/{prefix}{number}x.out", 1000 + 100 * (number > 0), function)


def run(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(words)
    return code, *capfd.readouterr()


def test_junit_has_a_test_for_each_benchmark_and_rule(capfd: pytest.CaptureFixture[str]) -> None:
    suites()
    write("new/fresh.out", 5)
    rules = "--fail-if", "total>+1%", "--fail-if", "Dw.total>1"
    code, _, _ = run(capfd, "gate", "old", "new", *rules, "--junit", "rules.xml")
    cases = [
        (
            case.get("classname"),
            case.get("name"),
            [(each.tag, each.get("message")) for each in case],
        )
        for case in ET.parse("rules.xml").iter("testcase")
    ]
    not_checked = [("error", "cannot be checked: there is no event Dw")]
    failed = [("failure", "is met: total 2,000 → 2,100 Ir: +100 (+5.00 %)")]
    skipped = [("skipped", "has no base to compare with")]
    told = {
        name: [each[2] for each in cases if each[0] == name and "comparable" not in str(each[1])]
        for name in ("bench0x", "bench1x", "fresh")
    }
    assert code == 2
    assert told == {
        "bench0x": [[], not_checked],
        "bench1x": [failed, not_checked],
        "fresh": [skipped, not_checked],
    }
    suite = ET.parse("rules.xml").getroot()[0]
    assert suite.get("tests") == str(len(cases))
    assert suite.get("failures") == "1"


def test_a_benchmark_that_cannot_be_read_keeps_no_other_from_being_compared(
    capfd: pytest.CaptureFixture[str],
) -> None:
    suites()
    write("old/cut.out", 5)
    Path("new/cut.out").write_text("# callgrind format\nfn=f\n1 1\n")
    code, out, err = run(capfd, "gate", "old", "new", "--fail-if", "total>+1%", "--format", "json")
    answer = json.loads(out)
    told = [(row["name"], row["state"], row["base"]) for row in answer["benchmarks"]]
    assert told == [("cut", "failed", None), ("bench1x", "", 2000), ("bench0x", "", 2000)]
    assert (code, answer["exit"], answer["rules"][0]["met"]) == (1, 1, True)
    assert err.startswith("new/cut.out:3 has costs before any events: line")


def test_annotations_are_of_findings(capfd: pytest.CaptureFixture[str]) -> None:
    """One for each finding of benchmarks that meet a rule, at its line; none if none does."""
    suites(4)
    rules = "--annotations", "github", "--format", "rules"
    code, _, err = run(capfd, "gate", "old", "new", "--fail-if", "total>+1%", *rules)
    assert (code, err.splitlines()) == (
        3,
        [
            "::error file=src/hash.c,line=1,title=qcachegrind-py%3A total>+1%25::"
            "Grew: hash (src/hash.c:1) in 3 benchmarks: +5.00 %25 of each, +300 Ir"
        ],
    )
    assert run(capfd, "gate", "old", "new", "--fail-if", "total>+50%", *rules)[2] == ""


@pytest.mark.parametrize("count", [3, 1000])
@pytest.mark.parametrize("name", ["hash", "ü" * 500 + "`"])
def test_markdown_fits_into_a_comment(
    capfd: pytest.CaptureFixture[str], count: int, name: str
) -> None:
    """20 kB at most, in UTF-8: findings and rules first, and a sentence where the table is cut."""
    suites(count, name, "a-name-that-is-quite-long/of-a-benchmark-")
    rules = "--fail-if", "total>+1%", "--fail-if", "self>+1%", "--summary", "summary.md"
    assert run(capfd, "gate", "old", "new", *rules)[0] == 3
    text = Path("summary.md").read_text("utf-8")
    assert len(text.encode()) <= 20_000
    assert text.startswith(
        f"## ❌ {count - 1:,} of {count:,} benchmarks meet a rule\n\n- **Grew** "
    )
    rows = len(re.findall(r"^\| \+5\.00 ", text, re.MULTILINE))
    assert rows == 2 if count == 3 else 10 < rows < 250
    assert f"… and {count - rows:,} more benchmark" in text
    assert text.count("<details>") == text.count("</details>") == 2
    assert text.count("```") % 2 == 0


@pytest.mark.parametrize("form", ["text", "markdown", "html", "csv", "tsv", "json", "rules"])
def test_hostile_names_are_plain_text(capfd: pytest.CaptureFixture[str], form: str) -> None:
    """Neither names of files nor of functions become markup, commands or lines of their own."""
    suites(2, "<script>alert(1)</script>`|@x", "$(x)\x1b[31m|`<b>\n::error::")
    code, out, _ = run(capfd, "gate", "old", "new", "--fail-if", "total>+1%", "--format", form)
    assert code == 3
    assert "\x1b" not in out
    assert not re.search(r"^::error", out, re.MULTILINE)
    if form in ("markdown", "html"):
        shown = (
            re.sub(r"(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)", "", out) if form == "markdown" else out
        )
        assert "<script>alert" not in shown
        assert "<b>" not in re.sub(r"<p>Self[^\n]*", "", shown)


def test_rows_of_the_page_lead_to_their_benchmarks(capfd: pytest.CaptureFixture[str]) -> None:
    suites(3)
    _, out, _ = run(capfd, "compare", "old", "new", "--format", "html")
    links = set(re.findall(r'href="#(b\d+)"', out))
    places = re.findall(r'<section id="(b\d+)"><h2>([^<]*)</h2>', out)
    assert links == {place for place, _ in places}
    assert [name for _, name in places] == ["bench1x", "bench2x"]
    assert "qcachegrind-py compare old/bench1x.out new/bench1x.out" in out
    assert len(set(re.findall(r' id="([^"]*)"', out))) == len(re.findall(r' id="[^"]*"', out))
