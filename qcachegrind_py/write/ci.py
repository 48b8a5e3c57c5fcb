"""The rules of a gate for CI servers: as JUnit's XML, and as annotations that GitHub shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO
from xml.etree import ElementTree as ET

from qcachegrind_py.present.change import ComparisonReport
from qcachegrind_py.present.change_facts import verdicts
from qcachegrind_py.present.exact import TEXT_STYLE
from qcachegrind_py.present.facts import damaged_text
from qcachegrind_py.present.page import Finding, Verdict
from qcachegrind_py.profile.tables import UNKNOWN
from qcachegrind_py.visible_text import visible_text

_SUITE = "qcachegrind-py"
_COMPARABLE = "the profiles are comparable"


def write_junit(report: ComparisonReport, stream: BinaryIO, *, is_strict: bool) -> None:
    """Write a test for each rule, and one for whether the profiles can be compared.

    That one fails only if `is_strict`; otherwise it tells the differences.
    """
    cases = [_rule_case(verdict) for verdict in verdicts(report, TEXT_STYLE)]
    if report.base is not None or report.damage:
        cases.append(_comparable_case(report, is_strict=is_strict))
    suite = ET.Element("testsuite", name=_SUITE, tests=str(len(cases)))
    for kind, key in (("failure", "failures"), ("skipped", "skipped"), ("error", "errors")):
        suite.set(key, str(sum(case.find(kind) is not None for case in cases)))
    suite.extend(cases)
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    ET.ElementTree(suites).write(stream, encoding="utf-8", xml_declaration=True)
    stream.write(b"\n")


def _rule_case(verdict: Verdict) -> ET.Element:
    case = _case(verdict.rule)
    sentence = visible_text(verdict.sentence)
    if not verdict.is_checkable:
        ET.SubElement(case, "error", message=sentence, type="rule")
    elif verdict.is_met is None:
        ET.SubElement(case, "skipped", message=sentence)
    elif verdict.is_met:
        failure = ET.SubElement(case, "failure", message=sentence, type="rule")
        failure.text = "\n".join(_finding_lines(verdict)) or sentence
    return case


def _finding_lines(verdict: Verdict) -> list[str]:
    lines = [
        f"{finding.name.name} ({finding.name.object}: {finding.place}): {finding.numbers}"
        for finding in verdict.findings
    ]
    more = [f"… and {verdict.more:,} more"] if verdict.more else []
    return [*map(visible_text, lines), *more, *map(visible_text, verdict.advice)]


def _comparable_case(report: ComparisonReport, *, is_strict: bool) -> ET.Element:
    case = _case(_COMPARABLE)
    differences = [
        *map(damaged_text, report.damage),
        *(visible_text(f"{each.what}: {each.base} → {each.new}") for each in report.differences),
    ]
    if differences:
        name = "failure" if is_strict else "system-out"
        told = ET.SubElement(case, name)
        if is_strict:
            told.set("message", "one is damaged" if report.damage else "they differ")
            told.set("type", "comparability")
        told.text = "\n".join(differences)
    return case


def _case(name: str) -> ET.Element:
    return ET.Element("testcase", classname=_SUITE, name=visible_text(name))


_TITLE = "qcachegrind-py"


def github_annotations(report: ComparisonReport, checkout: str) -> Iterator[str]:
    """Yield a line for each rule that is met or cannot be checked, or for each function that meets
    it, and a warning.

    Paths below the folder `checkout` are written relative to it, as GitHub needs them. The warning
    is of what makes two runs hard to compare.
    """
    for verdict in verdicts(report, TEXT_STYLE):
        if verdict.is_met or not verdict.is_checkable:
            yield from _rule_annotations(report, verdict, checkout)
    for damage in report.damage:
        yield _command("warning", {"title": _TITLE}, damaged_text(damage))
    for each in report.differences:
        text = f"The runs differ in {each.what}: {each.base or '–'} → {each.new or '–'}"
        yield _command("warning", {"title": _TITLE}, text)


def _rule_annotations(report: ComparisonReport, verdict: Verdict, checkout: str) -> Iterator[str]:
    rule = f"{_TITLE}: {verdict.rule}"
    if not verdict.findings:
        yield _command("error", {"title": rule}, f"The rule {verdict.sentence}.")
    for finding in verdict.findings:
        numbers = f": {finding.numbers}" if finding.numbers else ""
        place = _place(finding, checkout)
        yield _command("error", {**place, "title": rule}, f"{finding.name.name}{numbers}")
    for advice in verdict.advice:
        yield _command("notice", {"title": rule}, advice)
    if verdict.more:
        yield _command("error", {"title": rule}, f"… and {verdict.more:,} more functions")


def _place(finding: Finding, checkout: str) -> dict[str, str]:
    """Return file and line of a function, as far as they are known."""
    if finding.name.file == UNKNOWN:
        return {}
    path, folder = (
        PurePosixPath(text.replace("\\", "/")) for text in (finding.name.file, checkout)
    )
    if checkout and path.is_relative_to(folder):
        path = path.relative_to(folder)
    return {"file": str(path), **({"line": str(finding.line)} if finding.line else {})}


def _command(name: str, properties: dict[str, str], message: str) -> str:
    """Return a command of a workflow, with the characters escaped that have a meaning in it."""
    texts = (f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {','.join(texts)}::{_data(message)}"


def _data(text: str) -> str:
    return visible_text(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
