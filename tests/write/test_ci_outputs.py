"""What CI servers read: the rules as JUnit's tests, and as annotations of GitHub."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from qcachegrind_py.analysis.comparison.comparability import Difference
from qcachegrind_py.present.change import ComparisonReport
from qcachegrind_py.present.change_table import change_page
from qcachegrind_py.visible_text import visible_text
from qcachegrind_py.write.ci import github_annotations, write_junit
from qcachegrind_py.write.markdown import write_markdown
from qcachegrind_py.write.text import write_page
from tests.write.drawn_comparisons import comparison_of

DIFFERENT = (Difference("command", "./a, b", "./b"), Difference("cache", "32 kB", ""))


def junit_of(comparison: ComparisonReport, *, is_strict: bool = False) -> ET.Element:
    """The one suite of the file."""
    stream = io.BytesIO()
    write_junit(comparison, stream, is_strict=is_strict)
    (suite,) = ET.fromstring(stream.getvalue())
    return suite


def outcome(case: ET.Element) -> tuple[str, str, str]:
    """Name, result and text of a test."""
    (result,) = list(case) or [ET.Element("passed")]
    text = result.get("message", "") + (f"\n{result.text}" if result.text else "")
    return case.get("name", ""), result.tag, text


def test_rules_as_tests() -> None:
    """A rule that is met is a failure, with the functions that meet it."""
    suite = junit_of(comparison_of(rules=["self>+100", "total>+1%", "self<-1k"]))
    assert suite.attrib == {
        "name": "qcachegrind-py",
        "tests": "4",
        "failures": "2",
        "skipped": "0",
        "errors": "0",
    }
    assert list(map(outcome, suite)) == [
        (
            "self>+100",
            "failure",
            "is met by 2 functions\n"
            "sort (/bin/app: /src/sort.c:1): self cost 1,000 → 2,250 Ir: +1,250 (+125.00 %)\n"
            "less (/bin/app: /src/sort.c:1): self cost 1,000 → 1,200 Ir: +200 (+20.00 %)",
        ),
        (
            "total>+1%",
            "failure",
            "is met: total 2,450 → 3,607 Ir: +1,157 (+47.22 %)\n"
            "is met: total 2,450 → 3,607 Ir: +1,157 (+47.22 %)",
        ),
        ("self<-1k", "passed", ""),
        ("the profiles are comparable", "passed", ""),
    ]


def test_rules_without_a_base_are_skipped() -> None:
    """What could not be checked is no success; nothing is said of comparing."""
    suite = junit_of(comparison_of(None, rules=["self>+5%", "total>1"]))
    assert [outcome(case)[:2] for case in suite] == [
        ("self>+5%", "skipped"),
        ("total>1", "failure"),
    ]
    assert (suite.get("skipped"), suite.get("failures")) == ("1", "1")


def test_rules_that_cannot_be_checked_are_errors() -> None:
    """A percentage of nothing fails loudly in every form, and says why."""
    comparison = comparison_of("f@a.c 1", "f@a.c 0", ["incl>1%", "self>+1"])
    assert [(each.is_met, each.reason) for each in comparison.rules] == [
        (None, "the total of Ir is 0, which has no percentages."),
        (False, ""),
    ]
    suite = junit_of(comparison)
    told = "cannot be checked: the total of Ir is 0, which has no percentages"
    assert outcome(suite[0]) == ("incl>1%", "error", told)
    assert [suite.get(kind) for kind in ("errors", "failures", "skipped")] == ["1", "0", "0"]
    assert annotations_of(comparison) == [
        f"::error title=qcachegrind-py%3A incl>1%25::The rule {told}."
    ]
    markdown = io.StringIO()
    write_markdown(comparison, markdown)
    assert "## ❌ No rule met, 1 cannot be checked\n" in markdown.getvalue()
    assert f"- ❗ `incl>1%` {told}" in markdown.getvalue()


@pytest.mark.parametrize(("is_strict", "tag"), [(True, "failure"), (False, "system-out")])
def test_differences_as_a_test(is_strict: bool, tag: str) -> None:
    """What the runs differ in fails the test if that is asked for, and is told otherwise."""
    suite = junit_of(replace(comparison_of(), differences=DIFFERENT), is_strict=is_strict)
    (case,) = suite
    assert case[0].tag == tag
    assert case[0].text == "command: ./a, b → ./b\ncache: 32 kB → –"
    assert suite.get("failures") == ("1" if is_strict else "0")


def test_names_in_xml_are_visible() -> None:
    """Characters that XML does not allow are escapes, so that the file can be read."""
    (case, _) = junit_of(comparison_of("f@a.c 1", "<\x01\ufffe>@a.c 500", ["self>+100"]))
    assert case[0].text == "<\\x01\\ufffe> (???: a.c:1): self cost 0 → 500 Ir: +500, new"


def annotations_of(comparison: ComparisonReport, checkout: str = "/src") -> list[str]:
    """The lines of the annotations."""
    return list(github_annotations(comparison, checkout))


def test_functions_are_annotated() -> None:
    """A function is marked where it begins, by its path in the checkout; a total has no place."""
    title = "title=qcachegrind-py%3A "
    assert annotations_of(comparison_of(rules=["self>+100", "total>+1%", "self<-1k"])) == [
        f"::error file=sort.c,line=1,{title}self>+100"
        "::sort: self cost 1,000 → 2,250 Ir: +1,250 (+125.00 %25)",
        f"::error file=sort.c,line=1,{title}self>+100"
        "::less: self cost 1,000 → 1,200 Ir: +200 (+20.00 %25)",
        f"::error {title}total>+1%25::The rule is met: "
        "total 2,450 → 3,607 Ir: +1,157 (+47.22 %25).",
    ]


@pytest.mark.parametrize(
    ("file", "checkout", "place"),
    [
        ("/src/a.c", "/src", "file=a.c,"),
        ("/src/a.c", "/srcs", "file=/src/a.c,"),
        ("a,b:c.c", "/src", "file=a%2Cb%3Ac.c,"),
        ("C:\\src\\a.c", "C:\\src", "file=a.c,"),
        ("???", "/src", ""),
    ],
)
def test_places(file: str, checkout: str, place: str) -> None:
    """Paths outside of the checkout are whole, and separators within one are escaped."""
    comparison = comparison_of("x@y 1", f"f@{file} 500", ["self>+100"])
    (line,) = annotations_of(comparison, checkout)
    line_number = "line=1," if place else ""
    assert line.startswith(f"::error {place}{line_number}title=")


def test_differences_are_warnings() -> None:
    """What the runs differ in is said, without a place."""
    assert annotations_of(replace(comparison_of(), differences=DIFFERENT)) == [
        "::warning title=qcachegrind-py::The runs differ in command: ./a, b → ./b",
        "::warning title=qcachegrind-py::The runs differ in cache: 32 kB → –",
    ]


def test_an_annotation_is_one_line() -> None:
    """No name ends a line, and so begins no command of its own."""
    comparison = comparison_of("f@a.c 1", "f\x01::error@a.c 500", ["self>+100"])
    (line,) = annotations_of(comparison)
    assert line.isprintable()


COMMANDS = ("::error::y", "::stop-commands::z", "##[error]w")
COSTLY_NAMES = (*COMMANDS, "a%0A::error::b", "c|d", "e,title=f::g", "%25")


def commands_in(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Name, properties and message of the commands that GitHub takes from a log, as it does."""
    found = []
    for line in text.splitlines():
        if match := re.match(r"\s*::([\w-]+)(?: ([^:]*))?::(.*)", line):
            pairs = (pair.partition("=") for pair in (match[2] or "").split(","))
            properties = {key: unescaped(value) for key, _, value in pairs}
            found.append((match[1], properties, unescaped(match[3])))
        elif match := re.search(r"##\[([\w-]+)[^]]*\](.*)", line):
            found.append((match[1], {}, match[2]))
    return found


def unescaped(text: str) -> str:
    for code, character in (("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


@pytest.mark.parametrize("name", COSTLY_NAMES)
def test_names_of_costly_functions_are_no_commands(name: str) -> None:
    """A name adds no annotation and stops none: each line is the one command that it should be."""
    comparison = comparison_of("f@a.c 1", f"{name}@a.c 500", ["self>+100"])

    ((command, properties, message),) = commands_in("\n".join(annotations_of(comparison)))
    assert command == "error"
    assert properties == {"file": "a.c", "line": "1", "title": "qcachegrind-py: self>+100"}
    assert message == f"{visible_text(name)}: self cost 0 → 500 Ir: +500, new"


@pytest.mark.parametrize("name", COSTLY_NAMES)
def test_a_report_in_the_log_gives_no_commands(name: str) -> None:
    """The text of a gate goes to the same log, and a name may be the first word of a line."""
    comparison = comparison_of("f@a.c 1", f"{name}@{name}.c 500", ["self>+100"])
    text, markdown = io.StringIO(), io.StringIO()
    write_page(change_page(comparison), text)
    write_markdown(comparison, markdown)

    assert visible_text(name) in text.getvalue()
    assert commands_in(text.getvalue() + markdown.getvalue()) == []
    rows = [line for line in markdown.getvalue().splitlines() if line.startswith("| +500")]
    assert [len(re.split(r"(?<!\\)\|", row)) for row in rows] == [8]
