"""The rules of a gate for CI servers: as JUnit's XML, and as annotations that GitHub shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import BinaryIO
from xml.etree import ElementTree as ET

from qcachegrind_py.analysis.comparison.comparability import Difference
from qcachegrind_py.present.change import ComparisonReport
from qcachegrind_py.present.change_facts import verdicts
from qcachegrind_py.present.exact import TEXT_STYLE
from qcachegrind_py.present.facts import damaged_text
from qcachegrind_py.present.page import Verdict
from qcachegrind_py.present.suite import SuiteFinding, SuiteReport
from qcachegrind_py.present.suite_table import direction, finding_text
from qcachegrind_py.profile.profile import Diagnostic
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
        cases.append(_comparable_case(report.damage, report.differences, is_strict=is_strict))
    _write_cases(cases, stream)


def _write_cases(cases: Sequence[ET.Element], stream: BinaryIO) -> None:
    suite = ET.Element("testsuite", name=_SUITE, tests=str(len(cases)))
    for kind, key in (("failure", "failures"), ("skipped", "skipped"), ("error", "errors")):
        suite.set(key, str(sum(case.find(kind) is not None for case in cases)))
    suite.extend(cases)
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    ET.ElementTree(suites).write(stream, encoding="utf-8", xml_declaration=True)
    stream.write(b"\n")


def _rule_case(verdict: Verdict, benchmark: str = _SUITE) -> ET.Element:
    case = _case(verdict.rule, benchmark)
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


def _comparable_case(
    damage: Sequence[Diagnostic],
    differences: Sequence[Difference],
    benchmark: str = _SUITE,
    *,
    is_strict: bool,
) -> ET.Element:
    case = _case(_COMPARABLE, benchmark)
    lines = [
        *map(damaged_text, damage),
        *(visible_text(each.sentence) for each in differences),
    ]
    if lines:
        name = "failure" if is_strict else "system-out"
        told = ET.SubElement(case, name)
        if is_strict:
            told.set("message", "one is damaged" if damage else "they differ")
            told.set("type", "comparability")
        told.text = "\n".join(lines)
    return case


def _case(name: str, benchmark: str) -> ET.Element:
    return ET.Element("testcase", classname=visible_text(benchmark), name=visible_text(name))


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
        yield _command("warning", {"title": _TITLE}, f"The runs differ in {each.sentence}")


def _rule_annotations(report: ComparisonReport, verdict: Verdict, checkout: str) -> Iterator[str]:
    rule = f"{_TITLE}: {verdict.rule}"
    if not verdict.findings:
        yield _command("error", {"title": rule}, f"The rule {verdict.sentence}.")
    for finding in verdict.findings:
        numbers = f": {finding.numbers}" if finding.numbers else ""
        place = _place(finding.name.file, finding.line, checkout)
        yield _command("error", {**place, "title": rule}, f"{finding.name.name}{numbers}")
    for advice in verdict.advice:
        yield _command("notice", {"title": rule}, advice)
    if verdict.more:
        yield _command("error", {"title": rule}, f"… and {verdict.more:,} more functions")


def _place(file: str, line: int, checkout: str) -> dict[str, str]:
    """Return file and line of a function, as far as they are known."""
    if file == UNKNOWN:
        return {}
    path, folder = (PurePosixPath(text.replace("\\", "/")) for text in (file, checkout))
    if checkout and path.is_relative_to(folder):
        path = path.relative_to(folder)
    return {"file": str(path), **({"line": str(line)} if line else {})}


def _command(name: str, properties: dict[str, str], message: str) -> str:
    """Return a command of a workflow, with the characters escaped that have a meaning in it."""
    texts = (f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {','.join(texts)}::{_data(message)}"


def _data(text: str) -> str:
    return visible_text(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# ---------------------------------------------------------------- suites

_MOST_ANNOTATIONS = 10  # that GitHub shows of a step


def write_suite_junit(report: SuiteReport, stream: BinaryIO, *, is_strict: bool) -> None:
    """Write a test for each benchmark and rule, and one for whether its runs can be compared."""
    cases = list(_suite_cases(report, is_strict=is_strict))
    _write_cases(cases, stream)


def _suite_cases(report: SuiteReport, *, is_strict: bool) -> Iterator[ET.Element]:
    for row in report.rows:
        if row.problem:
            case = _case("the profiles can be compared", row.name)
            ET.SubElement(case, "error", message=visible_text(row.problem), type="profile")
            yield case
        for verdict in row.verdicts:
            yield _rule_case(verdict, row.name)
        if row.base_files and row.new_files and not row.problem:
            yield _comparable_case(row.damage, row.differences, row.name, is_strict=is_strict)


def suite_annotations(report: SuiteReport, checkout: str) -> Iterator[str]:
    """Yield a line for each finding in benchmarks that meet a rule, and for each rule without one.

    Paths below the folder `checkout` are written relative to it, as GitHub needs them.
    """
    failed = {at for at, row in enumerate(report.rows) if any(v.is_met for v in row.verdicts)}
    found = [each for each in report.findings if not failed.isdisjoint(_benchmarks(each))]
    met = ", ".join(verdict.rule for verdict in report.rules if verdict.is_met)
    for finding in found[:_MOST_ANNOTATIONS]:
        file, line = (finding.places or ((finding.change.function.file, 0),))[0]
        if finding.caller is not None:
            file, line = finding.caller.file, finding.caller.line
        place = _place(file, line, checkout)
        text = f"{direction(finding)}: {finding_text(report, finding, TEXT_STYLE)}"
        yield _command("error", {**place, "title": f"{_TITLE}: {met}"}, text)
    for verdict in report.rules:
        rule = f"{_TITLE}: {verdict.rule}"
        if verdict.is_met and not found:
            yield _command("error", {"title": rule}, f"The rule {verdict.sentence}.")
        elif verdict.is_met is None:
            yield _command("warning", {"title": rule}, f"The rule {verdict.sentence}.")


def _benchmarks(finding: SuiteFinding) -> list[int]:
    numbers: list[int] = finding.change.benchmark.tolist()
    return numbers
