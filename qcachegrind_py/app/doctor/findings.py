"""Findings about this system, and their text: one a line, with the remedy below it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from qcachegrind_py.app.crash.report import shorten_home
from qcachegrind_py.frozen import frozen
from qcachegrind_py.visible_text import visible_text


class State(Enum):
    """How serious a finding is; the value is printed beside the mark."""

    GOOD = "good"
    NOTE = "note"  # the program works, but something is less than it could be
    PROBLEM = "problem"  # the program, or its window, does not work


@frozen(eq=True)
class Finding:
    """One thing that was checked; the remedy may have several lines."""

    state: State
    name: str
    text: str
    remedy: str = ""


def problem(name: str, reason: str) -> Finding:
    """Return a problem for a reason whose further lines are the remedy."""
    text, _, remedy = reason.partition("\n")
    text = text.removesuffix(":").removesuffix(" Install with").removesuffix(" Install it with")
    lines = [line.strip() for line in remedy.splitlines()]
    return Finding(State.PROBLEM, name, text, "\n".join(lines))


_MARKS = {State.GOOD: "✓", State.NOTE: "!", State.PROBLEM: "✗"}
_ASCII_MARKS = {State.GOOD: "+", State.NOTE: "!", State.PROBLEM: "x"}
_STATE_WIDTH = max(len(state.value) for state in State)


def findings_text(findings: Iterable[Finding], encoding: str = "utf-8") -> str:
    """Return all findings, aligned, and the number of problems, in characters of the encoding."""
    marks, encoding = _marks_for(encoding)
    findings = list(findings)
    width = max(len(finding.name) for finding in findings)
    indent = " " * (_STATE_WIDTH + width + 8)
    lines = []
    for finding in findings:
        state = f"{marks[finding.state]} {finding.state.value:{_STATE_WIDTH}}"
        lines.append(f"{state}  {finding.name:{width}}  {_shown(finding.text)}")
        lines += [indent + visible_text(line.rstrip()) for line in finding.remedy.splitlines()]
    text = "\n".join([*lines, "", _summary(findings)])
    return text.encode(encoding, "backslashreplace").decode(encoding)


def has_problem(findings: Iterable[Finding]) -> bool:
    """Return whether any finding is a problem."""
    return any(finding.state is State.PROBLEM for finding in findings)


def _marks_for(encoding: str) -> tuple[dict[State, str], str]:
    """Return marks that the encoding can express, and the encoding; ASCII if it is unknown."""
    try:
        "".join(_MARKS.values()).encode(encoding)
    except UnicodeEncodeError:
        return _ASCII_MARKS, encoding
    except LookupError:
        return _ASCII_MARKS, "ascii"
    return _MARKS, encoding


def _summary(findings: list[Finding]) -> str:
    names = [finding.name for finding in findings if finding.state is State.PROBLEM]
    if not names:
        return "Everything needed is installed."
    return f"{len(names)} problem{'s' if len(names) > 1 else ''}: {', '.join(names)}."


def _shown(text: str) -> str:
    """Return a text that may quote a path, or what another program says, for a line."""
    return visible_text(shorten_home(text))
