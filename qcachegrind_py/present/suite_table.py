"""Two suites as people and programs read them: findings, a table of benchmarks, and a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, Literal

import numpy as np

from qcachegrind_py.analysis.comparison.suite import SharedFunction
from qcachegrind_py.present.exact import (
    TEXT_STYLE,
    ExactCells,
    FullNameCells,
    PhraseCells,
    percentage_text,
)
from qcachegrind_py.present.page import Block, Facts, Listing, Note, Page, Rules
from qcachegrind_py.present.suite import LEAST_SHARE, BenchmarkRow, SuiteFinding, SuiteReport
from qcachegrind_py.present.table import Column, Table, TextCells
from qcachegrind_py.profile.numbers import NumberStyle, format_exact, plural, signed_text
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.visible_text import visible_text

MOST_IN_TEXT = 10  # findings that are named
_MOST_EXPLAINING = 3  # functions named beside a benchmark
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


def finding_facts(report: SuiteReport, style: NumberStyle, most: int) -> Iterator[tuple[str, str]]:
    """Yield direction and sentence of each finding, and how many more there are."""
    for each in report.findings[:most]:
        yield direction(each), finding_text(report, each, style)
    more = max(0, len(report.findings) - most) + report.small
    if more:
        yield "And", f"{more:,} more {plural(more, 'function')} that changed less"


def direction(finding: SuiteFinding) -> str:
    """Return which way the costs of a function went, as a word."""
    changes = finding.change.cost.change.tolist()
    if all(change > 0 for change in changes):
        return "Grew"
    return "Shrank" if all(change < 0 for change in changes) else "Changed"


def finding_text(report: SuiteReport, finding: SuiteFinding, style: NumberStyle) -> str:
    """Return what is said of a finding: name, place, how many benchmarks, and how much in each."""
    change = finding.change
    count = len(change.benchmark)
    first = report.rows[int(change.benchmark[0])].name
    where = f"in {count:,} benchmarks" if count > 1 else f"in {first}"
    total = signed_text(format_exact(change.change, "", style), change.change)
    place = places_text(report, finding)
    of = f" [{change.function.object}]" if change.function.object else ""
    each = " of each" if count > 1 else ""
    return visible_text(
        f"{finding.name}{of} ({place}) {where}: {_shares_text(finding, style)}{each}, "
        f"{total} {report.event}{_calls_text(finding)}"
    )


def places_text(report: SuiteReport, finding: SuiteFinding) -> str:
    """Return the places of a finding: src/hash.c:41, 43, lib/text.c:7."""
    texts, previous = list[str](), ""
    for file, line in finding.places or ((finding.change.function.file, 0),):
        path = _from_folder(file, report.folder)
        texts.append(f"{line}" if line and file == previous else f"{path}:{line}" if line else path)
        previous = file
    return ", ".join(dict.fromkeys(texts))


def _from_folder(file: str, folder: str) -> str:
    path = PurePosixPath(file.replace("\\", "/"))
    return str(path.relative_to(folder)) if folder and path.is_relative_to(folder) else file


def _shares_text(finding: SuiteFinding, style: NumberStyle) -> str:
    """Return by how much of the benchmarks a function changed: one number, or two ends."""
    shares = sorted(finding.change.share.tolist(), key=abs)
    ends = dict.fromkeys(_percent(share, style) for share in (shares[0], shares[-1]))
    return " to ".join(ends)


def _percent(share: float, style: NumberStyle) -> str:
    return f"{percentage_text(share, 1.0, style)} %"


def _calls_text(finding: SuiteFinding) -> str:
    """Return how the number of calls changed, in the benchmark that the function explains most."""
    called = finding.change.called
    base, new = int(called.base[0]), int(called.new[0])
    return f", called {base:,} → {new:,} times" if base != new and min(base, new) > 0 else ""


# ---------------------------------------------------------------- the table


def suite_table(report: SuiteReport, style: NumberStyle, *, for_text: bool = False) -> Table:
    """Return the benchmarks: change in percent, change, base, new, what explains it, and name.

    In text, what explains it and the command that compares the pair stand below the name.
    """
    rows = report.rows
    base, new, change = (
        _numbers([getattr(row, side) for row in rows]) for side in ("base", "new", "change")
    )
    no_base, no_new = (
        np.array([getattr(row, side) is None for row in rows], bool) for side in ("base", "new")
    )
    form = partial(format_exact, event="", style=style)
    relative = np.array([row.relative for row in rows], np.float64)
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
    if not for_text:
        return Table(tuple(columns), len(rows))
    columns.pop(-2)
    return Table(tuple(columns), len(rows), note=partial(_note, report, style))


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


def explanation(report: SuiteReport, row: BenchmarkRow, style: NumberStyle) -> str:
    """Return the functions that explain a benchmark, the largest change first."""
    if row.problem:
        return row.problem
    named = list(islice(_explaining(row), _MOST_EXPLAINING))
    return ", ".join(
        f"{report.name(function)} {signed_text(format_exact(change, '', style), change)}"
        for function, change in named
    )


def _note(report: SuiteReport, style: NumberStyle, place: int) -> str:
    """Return the lines below the name of a benchmark in text."""
    row = report.rows[place]
    lines = [explanation(report, row, style), row.command and f"qcachegrind-py {row.command}"]
    return "\n".join(visible_text(line) for line in lines if line)


# ---------------------------------------------------------------- text


def suite_facts(report: SuiteReport) -> Iterator[tuple[str, str]]:
    """Yield what was compared, and how many benchmarks grew, shrank, are new, gone or failed."""
    yield "Base", visible_text(report.base)
    yield "New", visible_text(report.new)
    yield "Benchmarks", counted(report)
    for fold in report.folds:
        yield "Folded", visible_text(fold)
    for what, count in differences(report).items():
        yield "Differs", f"{visible_text(what)}, in {count:,} of {len(report.rows):,}"
    for row in report.rows:
        for damage in row.damage:
            yield "Damaged", visible_text(f"{row.name}: {damage.message}")
    for note in report.notes:
        yield "Note", visible_text(note)


def counted(report: SuiteReport) -> str:
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
    said = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
    return f"{len(rows):,}: {said}" if said else "none"


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


def suite_text(report: SuiteReport, listed: Int64Array) -> Page:
    """Return the findings, the facts, the rules, and the benchmarks, as text."""
    findings = tuple(finding_facts(report, TEXT_STYLE, MOST_IN_TEXT))
    blocks: list[Block] = [Facts(findings)] if findings else [Note("No function changed.")]
    blocks.append(Facts(tuple(suite_facts(report))))
    verdicts = [verdict for row in report.rows for verdict in row.verdicts]
    if verdicts:
        blocks.append(Rules(verdicts))
    table = suite_table(report, TEXT_STYLE, for_text=True)
    more = unlisted_text(report, listed)
    blocks.append(Listing(table, listed, f"Total cost in {visible_text(report.event)}", more=more))
    return Page(blocks)
