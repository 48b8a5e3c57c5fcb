"""The rules of a gate as annotations of source lines, which GitHub shows beside a change.

They are commands of GitHub's workflows: `::error file=sort.cpp,line=12,title=…::message`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.profile.tables import UNKNOWN
from qcachegrind_py.reports.comparison.contents import ComparisonReport
from qcachegrind_py.reports.comparison.verdict import Finding, Verdict, verdicts
from qcachegrind_py.reports.facts import damaged_text
from qcachegrind_py.visible_text import visible_text

_STYLE = NumberStyle(group_separator=",")
_TITLE = "qcachegrind-py"


def github_annotations(report: ComparisonReport, checkout: str) -> Iterator[str]:
    """Yield a line for each rule that is met, or for each function that meets it, and a warning.

    Paths below the folder `checkout` are written relative to it, as GitHub needs them. The warning
    is of what makes two runs hard to compare.
    """
    for verdict in verdicts(report, _STYLE):
        if verdict.is_met:
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
