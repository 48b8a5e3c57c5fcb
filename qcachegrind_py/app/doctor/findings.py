"""Findings about this system as plain text: one a line, with a mark and, below it, the remedy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from qcachegrind_py.app.crash.report import shorten_home


class State(Enum):
    """How things stand; the value is the word, which says the same as the mark."""

    GOOD = "good"
    NOTE = "note"  # the program works, something is less than it could be
    PROBLEM = "problem"  # the program, or its window, does not work


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; a remedy may have several lines."""

    state: State
    what: str
    says: str
    remedy: str = ""


def problem(what: str, reason: str) -> Finding:
    """A problem, of a reason whose further lines are the remedy."""
    says, _, remedy = reason.partition("\n")
    says = says.removesuffix(":").removesuffix(" Install with").removesuffix(" Install it with")
    lines = [line.strip() for line in remedy.splitlines()]
    return Finding(State.PROBLEM, what, says, "\n".join(lines))


_MARKS = {State.GOOD: "✓", State.NOTE: "!", State.PROBLEM: "✗"}
_PLAIN = {State.GOOD: "+", State.NOTE: "!", State.PROBLEM: "x"}  # where ✓ cannot be written


def findings_text(findings: Iterable[Finding], encoding: str = "utf-8") -> str:
    """All findings, aligned, and the count of problems, in characters that the encoding has."""
    found = list(findings)
    encoding = encoding if _can_write("", encoding) else "ascii"
    marks = _MARKS if _can_write("✓✗", encoding) else _PLAIN
    states = max(len(state.value) for state in State)
    names = max(len(finding.what) for finding in found)
    lines = []
    for finding in found:
        state = f"{marks[finding.state]} {finding.state.value:{states}}"
        lines.append(f"{state}  {finding.what:{names}}  {_one_line(shorten_home(finding.says))}")
        indent = " " * (len(state) + names + 6)
        lines += [indent + line.rstrip() for line in finding.remedy.splitlines()]
    text = "\n".join([*lines, "", _summary(found)])
    return text.encode(encoding, "backslashreplace").decode(encoding)


def needed_is_there(findings: Iterable[Finding]) -> bool:
    """Whether there is no problem."""
    return all(finding.state is not State.PROBLEM for finding in findings)


def _summary(findings: list[Finding]) -> str:
    names = [finding.what for finding in findings if finding.state is State.PROBLEM]
    if not names:
        return "All that is needed is here."
    return f"{len(names)} problem{'s' if len(names) > 1 else ''}: {', '.join(names)}."


def _one_line(text: str) -> str:
    return " ".join(
        "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text).split(" ")
    )


def _can_write(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
