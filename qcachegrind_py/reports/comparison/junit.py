"""The rules of a gate as JUnit's XML, which CI servers show as tests: a failure is a rule met."""

from __future__ import annotations

from typing import BinaryIO
from xml.etree import ElementTree as ET

from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.reports.comparison.contents import ComparisonReport
from qcachegrind_py.reports.comparison.verdict import Verdict, verdicts
from qcachegrind_py.reports.facts import damaged_text
from qcachegrind_py.reports.table_export import cell_text

_STYLE = NumberStyle(group_separator=",")
_SUITE = "qcachegrind-py"
_COMPARABLE = "the profiles are comparable"


def write_junit(report: ComparisonReport, stream: BinaryIO, *, is_strict: bool) -> None:
    """Write a test for each rule, and one for whether the profiles can be compared.

    That one fails only if `is_strict`; otherwise it tells the differences.
    """
    cases = [_rule_case(verdict) for verdict in verdicts(report, _STYLE)]
    if report.base is not None or report.damage:
        cases.append(_comparable_case(report, is_strict=is_strict))
    suite = ET.Element("testsuite", name=_SUITE, tests=str(len(cases)))
    for kind in ("failure", "skipped"):
        count = sum(case.find(kind) is not None for case in cases)
        suite.set({"failure": "failures"}.get(kind, kind), str(count))
    suite.set("errors", "0")
    suite.extend(cases)
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    ET.ElementTree(suites).write(stream, encoding="utf-8", xml_declaration=True)
    stream.write(b"\n")


def _rule_case(verdict: Verdict) -> ET.Element:
    case = _case(verdict.rule)
    sentence = cell_text(verdict.sentence)
    if verdict.is_met is None:
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
    return [*map(cell_text, lines), *more, *map(cell_text, verdict.advice)]


def _comparable_case(report: ComparisonReport, *, is_strict: bool) -> ET.Element:
    case = _case(_COMPARABLE)
    differences = [
        *map(damaged_text, report.damage),
        *(cell_text(f"{each.what}: {each.base} → {each.new}") for each in report.differences),
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
    return ET.Element("testcase", classname=_SUITE, name=cell_text(name))
