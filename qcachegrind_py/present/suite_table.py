"""Two suites as people and programs read them: findings, a table of benchmarks, and a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, Literal

import numpy as np

from qcachegrind_py.analysis.comparison.suite import ChangedFunctions, SharedFunction
from qcachegrind_py.analysis.names.syntax import name_within
from qcachegrind_py.present.exact import (
    TEXT_STYLE,
    ExactCells,
    FullNameCells,
    PhraseCells,
    ValueCells,
    percentage_text,
    plain_columns,
)
from qcachegrind_py.present.facts import damaged_text
from qcachegrind_py.present.page import (
    Block,
    Facts,
    Finding,
    Listing,
    Note,
    Page,
    Records,
    Rules,
    Verdict,
)
from qcachegrind_py.present.suite import LEAST_SHARE, BenchmarkRow, SuiteFinding, SuiteReport
from qcachegrind_py.present.table import Cells, Column, FunctionName, Table, TextCells
from qcachegrind_py.profile.numbers import (
    NumberStyle,
    format_count,
    format_exact,
    plural,
    signed_text,
)
from qcachegrind_py.profile.tables import BoolArray, Int64Array, to_display
from qcachegrind_py.visible_text import visible_text

_LARGEST = float(np.finfo(np.float64).max)
MOST_IN_TEXT = 10  # findings that are named
_MOST_EXPLAINING = 3  # functions named beside a benchmark
_MOST_OF_RULE = 20  # functions or benchmarks of a rule
_MOST_DAMAGED = 5  # benchmarks named
_LEAST_EXPLAINING = 0.02  # of the largest change beside it

SuiteKey = Literal["change", "growth", "base", "new"]
Only = Literal["grown", "shrunk", "new", "gone"]


# ---------------------------------------------------------------- order


def listed_rows(
    report: SuiteReport, key: SuiteKey = "change", only: Only | None = None, *, unchanged: bool
) -> Int64Array:
    """Return the benchmarks to list in their order: those that failed, then the largest first.

    `change` is by size in percent whatever the sign, `growth` with it; benchmarks of one side
    follow. Those without any change are left out unless they are wanted.
    """
    rows = [
        place
        for place, row in enumerate(report.rows)
        if _is_kept(row, only) and (unchanged or is_changed(row))
    ]
    numbers = {place: _sorting(report.rows[place], key) for place in rows}
    return np.array(sorted(rows, key=lambda place: numbers[place]), np.int64)


def is_changed(row: BenchmarkRow) -> bool:
    """Return whether the total changed, or a function by as much as a finding does."""
    return bool(row.state or row.change) or any(_explaining(row))


def _explaining(row: BenchmarkRow) -> Iterator[tuple[SharedFunction, int]]:
    """Yield the functions that explain a benchmark with their changes, the largest first."""
    if row.functions is None or row.base is None:
        return
    changes = row.functions.cost.change.tolist()
    least = max(LEAST_SHARE * row.base, _LEAST_EXPLAINING * abs(changes[0]) if changes else 0)
    for function, change in zip(row.functions.function, changes, strict=True):
        if abs(change) >= least:
            yield function, change


def _is_kept(row: BenchmarkRow, only: Only | None) -> bool:
    match only:
        case "grown":
            return row.change > 0
        case "shrunk":
            return row.change < 0
        case "new" | "gone":
            return row.state == only
    return True


def _sorting(row: BenchmarkRow, key: SuiteKey) -> tuple[int, float]:
    match key:
        case "change":
            number = abs(row.relative)
        case "growth":
            number = row.relative
        case "base":
            number = row.base or 0
        case "new":
            number = row.new or 0
    state = {"failed": 0, "": 1, "new": 2, "gone": 3}[row.state]
    return state, -number if number == number else 0.0


# ---------------------------------------------------------------- findings


def finding_facts(
    report: SuiteReport, style: NumberStyle, most: int, named: Callable[[str], str] = name_within
) -> Iterator[tuple[str, str]]:
    """Yield direction and sentence of each finding, and how many more there are."""
    for each in report.findings[:most]:
        yield direction(each), finding_text(report, each, style, named)
    more = max(0, len(report.findings) - most) + report.small
    if more:
        yield "And", f"{more:,} more {plural(more, 'function')} that changed less"


def direction(finding: SuiteFinding) -> str:
    """Return which way the costs of a function went, as a word."""
    shares = finding.shares.values()
    if all(share > 0 for share in shares):
        return "Grew"
    return "Shrank" if all(share < 0 for share in shares) else "Changed"


def finding_text(
    report: SuiteReport,
    finding: SuiteFinding,
    style: NumberStyle,
    named: Callable[[str], str] = name_within,
) -> str:
    """Return what is said of a finding: name, place, how many benchmarks, and how much in each."""
    total = signed_text(format_exact(finding.total, "", style), finding.total)
    each = " of each" if len(finding.shares) > 1 else ""
    return visible_text(
        f"{named(finding.name)} ({places_text(report, finding)}){others_text(finding)} "
        f"{where_text(report, finding)}: {shares_text(finding, style)}{each}, "
        f"{total} {report.event}{calls_text(report, finding, named)}"
    )


def others_text(finding: SuiteFinding) -> str:
    """Return how many functions changed by the same calls; empty if there are none."""
    count = len(finding.others)
    return f" and {count:,} more {plural(count, 'function')}" if count else ""


def where_text(report: SuiteReport, finding: SuiteFinding) -> str:
    """Return in how many benchmarks a function changed, or in which one."""
    shares = finding.shares
    if len(shares) > 1:
        return f"in {len(shares):,} benchmarks"
    return f"in {report.rows[next(iter(shares))].name}"


def places_text(report: SuiteReport, finding: SuiteFinding) -> str:
    """Return the places of a finding: src/hash.c:41, 43, lib/text.c:7.

    It is the file alone if the function itself did not change, but the calls of it.
    """
    texts, previous = list[str](), ""
    places = () if finding.caller else finding.places
    for file, line in places or ((finding.change.function.file, 0),):
        texts.append(f"{line}" if line and file == previous else _place_text(report, file, line))
        previous = file
    library = finding.change.function.object
    place = ", ".join(dict.fromkeys(texts))
    return f"{library}: {place}" if library else place


def _place_text(report: SuiteReport, file: str, line: int) -> str:
    path = PurePosixPath(file.replace("\\", "/"))
    if report.folder and path.is_relative_to(report.folder):
        file = str(path.relative_to(report.folder))
    return f"{file}:{line}" if line else file


def shares_text(finding: SuiteFinding, style: NumberStyle) -> str:
    """Return by how much of the benchmarks a function changed: one number, or two ends."""
    shares = sorted(finding.shares.values(), key=abs)
    ends = dict.fromkeys(_percent(share, style) for share in (shares[0], shares[-1]))
    return " to ".join(ends)


def _percent(share: float, style: NumberStyle) -> str:
    return f"{percentage_text(share, 1.0, style)} %"


def calls_text(
    report: SuiteReport, finding: SuiteFinding, named: Callable[[str], str] = name_within
) -> str:
    """Return how the number of calls changed, where it did, and from where the calls come."""
    change = finding.change
    at = change.benchmark.tolist().index(finding.seen_in) if finding.seen_in >= 0 else 0
    base, new = int(change.called.base[at]), int(change.called.new[at])
    if base == new or min(base, new) <= 0:
        return ""
    said = f", called {base:,} → {new:,} times"
    if (caller := finding.caller) is None:
        return said
    place = _place_text(report, caller.file, caller.line)
    callee = "" if caller.callee == finding.name else f" calls {named(caller.callee)}"
    return f"{said} {'as' if callee else 'by'} {named(caller.caller)}{callee} ({place})"


# ---------------------------------------------------------------- the table


def suite_table(report: SuiteReport, style: NumberStyle) -> Table:
    """Return the benchmarks: change in percent, change, base, new, what explains it, and name."""
    rows = report.rows
    base, new, change = (
        _numbers([getattr(row, side) for row in rows]) for side in ("base", "new", "change")
    )
    no_base, no_new = _absent(rows)
    form = partial(format_exact, event="", style=style)
    # what grew from nothing is sorted as the largest number, as JSON has no infinity
    relative = np.array([min(row.relative, _LARGEST) for row in rows], np.float64)
    columns = [
        Column(
            "percent",
            "%",
            "",
            PhraseCells(relative, phrases=_texts(rows, partial(_percent_text, style=style))),
        ),
        Column(
            "change",
            "Change",
            "",
            ExactCells(
                change, lambda number: signed_text(form(number), number), is_absent=no_base | no_new
            ),
        ),
        Column("base", "Base", "", ExactCells(base, form, is_absent=no_base)),
        Column("new", "New", "", ExactCells(new, form, is_absent=no_new)),
        Column("functions", "Explained by", "", TextCells(_explanations(report, style))),
        Column(
            "name", "Benchmark", "", FullNameCells(_texts(rows, lambda row: (row.name, "", "")))
        ),
    ]
    return Table(tuple(columns), len(rows))


def noted_table(report: SuiteReport, style: NumberStyle) -> Table:
    """Return the benchmarks with what explains them below their names."""
    table = suite_table(report, style)
    columns = tuple(column for column in table.columns if column.key != "functions")

    def note(place: int) -> str:
        return visible_text(explanation(report, report.rows[place], style))

    return replace(table, columns=columns, note=note)


def _numbers(values: Sequence[int | float | None]) -> Int64Array:
    return np.array([value or 0 for value in values])


def _texts(
    rows: Sequence[BenchmarkRow], text: Callable[[BenchmarkRow], Any]
) -> Callable[[Int64Array], list[Any]]:
    return lambda some: [text(rows[row]) for row in some.tolist()]


def _percent_text(row: BenchmarkRow, style: NumberStyle) -> str:
    if row.state or row.base is None or row.new is None:
        return row.state
    return percentage_text(row.change, row.base, style)


def _explanations(report: SuiteReport, style: NumberStyle) -> list[str]:
    return [explanation(report, row, style) for row in report.rows]


def explanation(
    report: SuiteReport,
    row: BenchmarkRow,
    style: NumberStyle,
    named: Callable[[str], str] = name_within,
) -> str:
    """Return the functions that explain a benchmark, the largest change first."""
    if row.problem:
        return row.problem
    explaining = islice(_explaining(row), _MOST_EXPLAINING)
    return ", ".join(
        f"{named(report.name(function))} {signed_text(format_exact(change, '', style), change)}"
        for function, change in explaining
    )


# ---------------------------------------------------------------- text


def suite_facts(report: SuiteReport) -> Iterator[tuple[str, str]]:
    """Yield what was compared, and how many benchmarks grew, shrank, are new, gone or failed."""
    yield "Base", visible_text(report.base)
    yield "New", visible_text(report.new)
    yield "Compared", counted(report)
    for fold in report.folds:
        yield "Folded", visible_text(f"{fold} into its callers; --fold none shows its functions")
    for what, count in differences(report).items():
        yield "Differs", f"{visible_text(what)}, in {count:,} of {len(report.rows):,}"
    for text in damaged(report):
        yield "Damaged", text
    for note in report.notes:
        yield "Note", visible_text(note)


def damaged(report: SuiteReport) -> list[str]:
    """Return what is damaged in the first benchmarks that are, and how many more there are."""
    rows = [row for row in report.rows if row.damage]
    named = rows[:_MOST_DAMAGED]
    texts = [visible_text(f"{row.name}: {damaged_text(row.damage[0])}") for row in named]
    more = len(rows) - len(named)
    return [*texts, *([f"{more:,} more benchmarks are damaged."] if more else [])]


def counted(report: SuiteReport, style: NumberStyle = TEXT_STYLE) -> str:
    """Return how many benchmarks there are, and what became of them."""
    rows = report.rows
    counts = {
        "grew": sum(row.change > 0 for row in rows),
        "shrank": sum(row.change < 0 for row in rows),
        "equal": sum(not row.state and not row.change for row in rows),
        "new": sum(row.state == "new" for row in rows),
        "gone": sum(row.state == "gone" for row in rows),
        "not compared": sum(row.state == "failed" for row in rows),
    }
    said = (f"{format_count(count, style)} {word}" for word, count in counts.items() if count)
    number = format_count(len(rows), style)
    return f"{number} {plural(len(rows), 'benchmark')}: {', '.join(said)}"


def differences(report: SuiteReport) -> dict[str, int]:
    """Return what differs between the runs besides the code, and in how many benchmarks."""
    found = dict[str, int]()
    for row in report.rows:
        for what in dict.fromkeys(each.what for each in row.differences):
            found[what] = found.get(what, 0) + 1
    return found


def unlisted_text(report: SuiteReport, listed: Int64Array) -> str:
    """Return how many benchmarks are not listed; empty if all are."""
    more = len(report.rows) - len(listed)
    return f"… and {more:,} more {plural(more, 'benchmark')}" if more else ""


def suite_head(report: SuiteReport) -> Page:
    """Return the findings, the facts, and which rules are met, as text."""
    findings = tuple(finding_facts(report, TEXT_STYLE, MOST_IN_TEXT))
    blocks: list[Block] = [Facts(findings)] if findings else [Note("No function changed.")]
    blocks.append(Facts(tuple(suite_facts(report))))
    if report.rules:
        blocks.append(Rules(report.rules))
    return Page(blocks)


def suite_text(report: SuiteReport, listed: Int64Array) -> Page:
    """Return what `suite_head` does, the benchmarks, and the command that compares one alone."""
    title, more = f"Total cost in {visible_text(report.event)}", unlisted_text(report, listed)
    benchmarks = Listing(noted_table(report, TEXT_STYLE), listed, title, more=more)
    rows = (report.rows[place] for place in listed.tolist())
    command = next((visible_text(row.command) for row in rows if row.command), "")
    alone = [Note(f"To compare one alone: qcachegrind-py {command}")] if command else []
    return Page((*suite_head(report).blocks, benchmarks, *alone))


# ---------------------------------------------------------------- rules


def rule_verdicts(report: SuiteReport, rules: Sequence[str]) -> Iterator[Verdict]:
    """Yield what is to be said of each rule in the whole suite: which benchmarks meet it, and why.

    It is met if it is met in one of them. One that cannot be checked in some and is met in none is
    not checked.
    """
    rows = [report.rows[place] for place in listed_rows(report, unchanged=True).tolist()]
    for rule in rules:
        told = [(row, verdict) for row in rows if (verdict := _verdict(row, rule))]
        met = [(row, verdict) for row, verdict in told if verdict.is_met]
        blocked = [(row, verdict) for row, verdict in told if not verdict.is_checkable]
        findings = _found_in(met)
        count = f"{len(told):,} {plural(len(told), 'benchmark')}"
        advice = list(dict.fromkeys(each for _, verdict in met for each in verdict.advice))
        advice += _obstacles(blocked)
        is_met: bool | None = bool(met)
        if met:
            says = f"is met in {len(met):,} of {count}"
        elif blocked:
            is_met, says = None, f"cannot be checked in {len(blocked):,} of {count}"
        elif told and all(verdict.is_met is None for _, verdict in told):
            is_met, says = None, "has no base to compare with in any benchmark"
        else:
            says = f"is met in none of {count}"
        shown = tuple(findings[:_MOST_OF_RULE])
        more = len(findings) - len(shown)
        yield Verdict(rule, is_met, says, shown, more, tuple(advice), bool(met) or not blocked)


def _verdict(row: BenchmarkRow, rule: str) -> Verdict | None:
    """Return what is said of a rule in a benchmark; None if it is not checked there."""
    return next((each for each in row.verdicts if each.rule == rule), None)


def _obstacles(blocked: Sequence[tuple[BenchmarkRow, Verdict]]) -> Iterator[str]:
    """Yield why a rule could not be checked, each reason with the benchmarks that have it."""
    reasons = dict[str, list[str]]()
    for row, verdict in blocked:
        reasons.setdefault(verdict.sentence, []).append(row.name)
    for reason, names in reasons.items():
        others = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        yield f"{names[0]}{others}: {reason}"


def _found_in(met: Sequence[tuple[BenchmarkRow, Verdict]]) -> list[Finding]:
    """Return the benchmarks that meet a rule, or each function by which they do, once."""
    found = dict[tuple[str, str], list[tuple[BenchmarkRow, Finding]]]()
    for row, verdict in met:
        for finding in verdict.findings:
            found.setdefault(finding.name[:2], []).append((row, finding))
        if not verdict.findings:
            numbers = verdict.sentence.removeprefix("is met: ")
            alone = Finding(0, FunctionName(row.name), numbers)
            found[row.name, ""] = [(row, alone)]
    findings = []
    for places in found.values():
        row, finding = places[0]
        if finding.name.file:
            others = f" and {len(places) - 1:,} more" if len(places) > 1 else ""
            finding = replace(
                finding,
                name=finding.name._replace(name=name_within(finding.name.name)),
                numbers=f"{finding.numbers} in {row.name}{others}",
            )
        findings.append(finding)
    return findings


# ---------------------------------------------------------------- for other programs


def suite_listing(report: SuiteReport, listed: Int64Array) -> Listing:
    """Return the benchmarks as a table for other programs, with exact numbers."""
    rows = report.rows
    base, new, change = (
        _numbers([getattr(row, side) for row in rows]) for side in ("base", "new", "change")
    )
    no_base, no_new = _absent(rows)
    percent = np.array([100 * row.relative for row in rows], np.float64)
    no_percent = ~np.isfinite(percent)
    cells: tuple[tuple[str, Cells], ...] = (
        ("benchmark", TextCells([row.name for row in rows])),
        ("state", TextCells([row.state for row in rows])),
        ("base", ExactCells(base, is_absent=no_base)),
        ("new", ExactCells(new, is_absent=no_new)),
        ("change", ExactCells(change, is_absent=no_base | no_new)),
        ("percent", ExactCells(percent, is_absent=no_percent)),
        ("functions", TextCells([_machine_explanation(row) for row in rows])),
        ("base_files", TextCells([" ".join(row.base_files) for row in rows])),
        ("new_files", TextCells([" ".join(row.new_files) for row in rows])),
    )
    return Listing(Table(plain_columns(*cells), len(rows)), listed)


def _absent(rows: Sequence[BenchmarkRow]) -> tuple[BoolArray, BoolArray]:
    """Return which benchmarks have no total of the base, and which no new one."""
    base, new = ([getattr(row, side) is None for row in rows] for side in ("base", "new"))
    return np.array(base, bool), np.array(new, bool)


def _machine_explanation(row: BenchmarkRow) -> str:
    return "; ".join(f"{function.name} {change:+}" for function, change in _explaining(row))


def suite_records(report: SuiteReport, listed: Int64Array) -> Records:
    """Return the suite as one JSON object: findings, benchmarks in their order, and rules."""
    place = {number: at for at, number in enumerate(listed.tolist())}
    return Records(
        {
            "base": to_display(report.base),
            "new": to_display(report.new),
            "event": to_display(report.event),
            "folds": list(report.folds),
            "notes": list(map(to_display, report.notes)),
            "findings": [_finding_record(report, each) for each in report.findings],
        },
        {"benchmarks": (ValueCells(_texts(report.rows, _benchmark_record)), listed)},
        {
            "rules": [
                {
                    "text": to_display(verdict.rule),
                    "met": verdict.is_met,
                    "benchmarks": [
                        place[at]
                        for at, row in enumerate(report.rows)
                        if at in place and (said := _verdict(row, verdict.rule)) and said.is_met
                    ],
                }
                for verdict in report.rules
            ],
            "exit": report.exit_code,
        },
    )


def _finding_record(report: SuiteReport, finding: SuiteFinding) -> dict[str, Any]:
    change = finding.change
    return {
        **_function_record(change.function),
        "change": change.change,
        "places": [{"file": to_display(file), "line": line} for file, line in finding.places],
        "called_from": None
        if finding.caller is None
        else {
            "caller": to_display(finding.caller.caller),
            "callee": to_display(finding.caller.callee),
            "file": to_display(finding.caller.file),
            "line": finding.caller.line,
        },
        "others": [_function_record(each.change.function) for each in finding.others],
        "benchmarks": [
            {
                "name": to_display(report.rows[number].name),
                "base": base,
                "new": new,
                "called": [called_base, called_new],
            }
            for number, base, new, called_base, called_new in zip(
                change.benchmark.tolist(),
                change.cost.base.tolist(),
                change.cost.new.tolist(),
                change.called.base.tolist(),
                change.called.new.tolist(),
                strict=True,
            )
        ],
    }


def _function_record(function: SharedFunction) -> dict[str, str]:
    return {key: to_display(text) for key, text in function._asdict().items()}


def _benchmark_record(row: BenchmarkRow) -> dict[str, Any]:
    functions = row.functions or ChangedFunctions.none()
    costs = zip(
        functions.function, functions.cost.base.tolist(), functions.cost.new.tolist(), strict=True
    )
    return {
        "name": to_display(row.name),
        "state": row.state,
        "problem": to_display(row.problem),
        "base_files": list(map(to_display, row.base_files)),
        "new_files": list(map(to_display, row.new_files)),
        "base": row.base,
        "new": row.new,
        "functions": [
            {**_function_record(function), "base": base, "new": new}
            for function, base, new in costs
        ],
        "more": functions.more,
        "differences": [
            {"what": each.what, "base": to_display(each.base), "new": to_display(each.new)}
            for each in row.differences
        ],
        "rules": [
            {
                "text": to_display(each.rule),
                "met": each.is_met,
                "reason": None if each.is_checkable else to_display(each.sentence),
            }
            for each in row.verdicts
        ],
    }
