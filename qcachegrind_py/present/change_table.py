"""The functions of two profiles as tables: for people, for other programs, and in full as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from qcachegrind_py.analysis.comparison.comparison import CYCLE_DIFFERS
from qcachegrind_py.analysis.comparison.matching import How
from qcachegrind_py.analysis.costs.scope import BothSides
from qcachegrind_py.formats.loading import display_name
from qcachegrind_py.present.change import ComparisonReport, CostKind, EventComparison, ReportSide
from qcachegrind_py.present.change_facts import comparison_facts, totals_grid, verdicts
from qcachegrind_py.present.exact import (
    ESTIMATE_SIGN,
    TEXT_STYLE,
    ExactCells,
    FullNameCells,
    Member,
    PhraseCells,
    Record,
    ValueCells,
    fixed_text,
    percentage_text,
    plain_columns,
    truths,
)
from qcachegrind_py.present.function_articles import article_blocks, missing_texts
from qcachegrind_py.present.page import Article, Facts, Listing, Note, Page, Records, Rules
from qcachegrind_py.present.table import Cells, Column, FunctionName, Numbers, Table
from qcachegrind_py.present.unit import BASE, NEW
from qcachegrind_py.profile.numbers import (
    UNDEFINED,
    NumberStyle,
    format_count,
    format_exact,
    plural,
    signed_text,
)
from qcachegrind_py.profile.profile import Diagnostic
from qcachegrind_py.profile.tables import BoolArray, Int64Array, to_display
from qcachegrind_py.visible_text import visible_text

_MARKS = {
    How.FAMILY: "family",
    How.TEMPLATE: "template",
    How.MOVED: "moved",
    How.ACCEPTED: "renamed",
}
_KINDS: tuple[CostKind, ...] = ("self", "inclusive")


# ---------------------------------------------------------------- for people


def head_page(report: ComparisonReport, articles: Sequence[Article] = ()) -> Page:
    """Return the facts, the totals, which rules are met, and code of the functions that do."""
    facts = Facts(tuple(comparison_facts(report, TEXT_STYLE)))
    rules = (Rules(verdicts(report, TEXT_STYLE)),) if report.rules else ()
    return Page((facts, totals_grid(report, TEXT_STYLE, "Total"), *rules, *_code(articles)))


def _code(articles: Sequence[Article]) -> Iterator[Note | Listing]:
    if articles:
        yield Note("Changed lines and calls, function by function")
    for article in articles:
        yield from article_blocks(article, TEXT_STYLE)
    yield from missing_texts(articles)


def change_page(report: ComparisonReport, articles: Sequence[Article] = ()) -> Page:
    """Return the facts, the totals, which rules are met, the functions, and code of some."""
    costs = "Self cost" if report.kind == "self" else "Inclusive cost"
    unit = f", {visible_text(report.unit)}" if report.unit else ""
    title = f"{costs} in {visible_text(report.event.event.name)}{unit}"
    more = unchanged_text(report) or ("" if len(report.functions) else "No function is listed.")
    functions = Listing(people_table(report, TEXT_STYLE), report.functions, title, more=more)
    return Page((*head_page(report).blocks, functions, *_code(articles)))


def unchanged_text(report: ComparisonReport) -> str:
    """Return how many functions are left out as nothing of them changed; empty if none are."""
    count = report.unchanged
    return f"… and {count:,} {plural(count, 'function')} without a change" if count else ""


def people_table(report: ComparisonReport, style: NumberStyle) -> Table:
    """Return the change of each function, its numbers on both sides and marks.

    A note says how a change comes about if the function is called more or less often. Without a
    base there is no change; of shares there is no percentage of another one.
    """
    pairs, columns = report.pairs, list[Column]()
    figures, called = report.figures(), report.called
    form = partial(_cost_text, style=style)
    if report.base is not None:
        costs = report.event.costs(report.kind)
        signed = partial(_cost_text, style=style, signed=True)
        weight = costs.change, report.event.total[0]
        columns.append(
            Column("change", "Change", "", ExactCells(figures.change, signed, weight=weight))
        )
        if figures.sampling is not None:
            noise = figures.noise if figures.unit.divisors else np.ceil(figures.noise).astype(int)
            cells = ExactCells(noise, partial(_noise_text, form))
            columns.append(Column("noise", "Noise", "", cells))
        if report.unit != "%":
            percent = PhraseCells(
                _growths(figures.change, figures.divided(BASE)),
                phrases=partial(growth_texts, report, style),
            )
            columns.append(Column("percent", "%", "", percent))
        base = ExactCells(figures.divided(BASE), form, is_absent=pairs.only_new)
        columns.append(Column("base", "Base", "", base))
    new = ExactCells(figures.divided(NEW), form, is_absent=pairs.only_base)
    counts = PhraseCells(
        called.change if report.base else called.new, phrases=partial(_called, report, style)
    )
    columns += (
        Column("new", "New", "", new),
        Column("called", "Called", "", counts),
        Column("name", "Function", "", FullNameCells(pairs.shown)),
    )
    return Table(tuple(columns), len(pairs), mark=_marks(report), note=partial(_why, report, style))


def _cost_text(number: int | float, *, style: NumberStyle, signed: bool = False) -> str:
    if isinstance(number, float):
        return fixed_text(number, style, signed=signed)
    text = format_exact(number, "", style)
    return signed_text(text, number) if signed else text


def _noise_text(form: Callable[[int | float], str], noise: int | float) -> str:
    return f"±{form(noise)}" if noise else ""


def _growths(changes: Numbers, base: Numbers) -> Numbers:
    """Return changes as fractions of the base; NaN for those of nothing."""
    pairs = zip(changes.tolist(), base.tolist(), strict=True)
    return np.array([change / abs(cost) if cost else math.nan for change, cost in pairs])


def growth_texts(report: ComparisonReport, style: NumberStyle, rows: Int64Array) -> list[str]:
    """Return “new”, “gone”, or the change in percent of the base, which shares have not."""
    pairs, figures = report.pairs, report.figures()
    columns = figures.change, figures.divided(BASE), pairs.only_new, pairs.only_base
    return [
        "new"
        if is_new
        else "gone"
        if is_gone
        else ""
        if report.unit == "%"
        else percentage_text(change, base, style)
        for change, base, is_new, is_gone in zip(
            *(column[rows].tolist() for column in columns), strict=True
        )
    ]


def _called(report: ComparisonReport, style: NumberStyle, rows: Int64Array) -> list[str]:
    """Return the called counts: both sides if they differ, a dash for one without calls."""
    before, now = (
        [format_count(count, style) for count in counts[rows].tolist()]
        if side and side.has_call_counts
        else [UNDEFINED] * len(rows)
        for side, counts in ((report.base, report.called.base), (report.new, report.called.new))
    )
    if report.base is None:
        return now
    return [
        after if after == count else f"{count} → {after}"
        for count, after in zip(before, now, strict=True)
    ]


def _marks(report: ComparisonReport) -> Callable[[int], str]:
    """Return a function for what is behind names.

    It says how the sides were paired, if not by the name, and whether numbers can be compared.
    """
    event, pairs = report.event, report.pairs
    nothing: BoolArray = np.zeros(len(pairs), bool)
    costs, folded = event.costs(report.kind), report.folded
    cycle_differs = report.split_cycle > 0 if report.kind == "inclusive" else nothing
    is_noise, figures = nothing, report.figures()
    if figures.sampling is not None:
        is_noise = figures.are_noise
    elif event.is_changed is not None:
        is_noise = (costs.base != costs.new) & ~event.is_changed
    is_estimated = nothing
    if folded is not None and report.kind == "self":
        is_estimated = folded.is_estimated_base | folded.is_estimated_new

    def mark(row: int) -> str:
        how, size = pairs.how(np.array([row]))[0], int(pairs.sizes[row])
        pair = _MARKS.get(how, "")
        marks = (
            f"{pair} of {size}" if pair and size > 1 else pair,
            CYCLE_DIFFERS if cycle_differs[row] else "",
            "within noise" if is_noise[row] else "",
            ESTIMATE_SIGN if is_estimated[row] else "",
        )
        return ", ".join(filter(None, marks))

    return mark


def _why(report: ComparisonReport, style: NumberStyle, row: int) -> str:
    """Return how the inclusive cost changed where the called count did; else nothing."""
    effects, called = report.event.effects, report.called
    if report.unit or not effects.is_known[row] or called.base[row] == called.new[row]:
        return ""
    by_calls, per_call = (
        effect[row : row + 1].tolist()[0] for effect in (effects.by_calls, effects.per_call)
    )
    total, calls, call = (
        signed_text(format_exact(number, "", style), number)
        for number in (by_calls + per_call, by_calls, per_call)
    )
    return f"inclusive {total}: {calls} by calls, {call} by cost per call"


# ---------------------------------------------------------------- for other programs


def change_table(report: ComparisonReport) -> Listing:
    """Return the table of TSV and CSV; titles name the event only where there are several.

    `pair` is how the function was paired, or `new` or `gone`. The base's name, file and object are
    there if they differ from those of the new profile. `cycle` is the number of a cycle that one
    side alone does not have, or 0.
    """
    columns = list[tuple[str, Cells]]()

    def add(title: str, numbers: Numbers, is_absent: BoolArray | None = None) -> None:
        columns.append((title, ExactCells(numbers, is_absent=is_absent)))

    for each in report.events:
        of_event = f" {each.event.name}" if len(report.events) > 1 else ""
        for kind in _KINDS:
            figures = report.figures(each, kind)
            add(f"{kind} change{of_event}", figures.change)
            add(f"{kind} base{of_event}", figures.divided(BASE))
            add(f"{kind} new{of_event}", figures.divided(NEW))
            if figures.sampling is not None:
                add(f"{kind} noise{of_event}", figures.noise)
        add(f"by calls{of_event}", each.effects.by_calls, ~each.effects.is_known)
        add(f"by cost per call{of_event}", each.effects.per_call, ~each.effects.is_known)
    if (changed := report.event.is_changed) is not None:
        add("changed", changed.astype(int))
    add("called base", report.called.base)
    add("called new", report.called.new)
    columns.append(("pair", ValueCells(partial(_pair_words, report))))
    columns += _name_cells(report)
    add("cycle", report.split_cycle)
    return Listing(Table(plain_columns(*columns), len(report.pairs)), report.functions)


def _pair_words(report: ComparisonReport, rows: Int64Array) -> list[str]:
    new = report.pairs.only_new[rows].tolist()
    return [
        pair.value or ("new" if is_new else "gone")
        for pair, is_new in zip(report.pairs.how(rows), new, strict=True)
    ]


def _name_cells(report: ComparisonReport) -> Iterator[tuple[str, Cells]]:
    """Yield name, file and object, and those of the base where they differ."""
    pairs = report.pairs

    def base(part: str, rows: Int64Array) -> list[str]:
        names = zip(pairs.shown(rows), pairs.base(rows), strict=True)
        return [_other(part, shown, members) for shown, members in names]

    def shown(part: str, rows: Int64Array) -> list[str]:
        return [getattr(name, part) for name in pairs.shown(rows)]

    for before, ask in (("", shown), ("base ", base)):
        for part in ("name", "file", "object"):
            yield f"{before}{part}", ValueCells(partial(ask, part))


def _other(part: str, shown: FunctionName, base: Sequence[FunctionName]) -> str:
    """Return name, file or object of the one function of the base if it differs from that shown."""
    if len(base) != 1:
        return ""
    before: str = getattr(base[0], part)
    return before if before != getattr(shown, part) else ""


def change_records(report: ComparisonReport) -> Records:
    """Return the contract of docs/report.schema.json.

    Functions that meet a rule are there whatever the report is limited to.
    """
    met = [result.functions for result in report.rules]
    others = np.setdiff1d(np.concatenate([*met, np.zeros(0, np.int64)]), report.functions)
    rows = np.concatenate([report.functions, others])
    return Records(_head(report), {"functions": (_functions(report), rows)}, _tail(report, rows))


def _head(report: ComparisonReport) -> dict[str, Any]:
    folded = {} if report.folded is None else {"folds": list(map(to_display, report.folded.folds))}
    events = {to_display(each.event.name): each for each in report.measured}
    return {
        "base": _side(report.base),
        "new": _side(report.new),
        "comparable": [
            {
                "what": each.what,
                "base": to_display(each.base),
                "new": to_display(each.new),
                "remedy": each.remedy or None,
            }
            for each in report.differences
        ],
        "events": [to_display(each.event.name) for each in report.measured],
        "only_base": list(map(to_display, report.events_only_base)),
        "only_new": list(map(to_display, report.events_only_new)),
        "total": {name: _sides(each.total) for name, each in events.items()},
        "attributed": {name: _sides(each.attributed) for name, each in events.items()},
        "remainder": {name: _sides(each.remainder) for name, each in events.items()},
        "gross": {
            name: {"grown": each.grown, "shrunk": each.shrunk} for name, each in events.items()
        },
        **folded,
    }


def _side(side: ReportSide | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "file": to_display(display_name(side.files[0])),
        "command": to_display(side.command),
        "totals": {to_display(name): total for name, total in side.totals.items()},
        "damaged": [to_display(display_name(each.path)) for each in side.damage],
        "diagnostics": list(map(_diagnostic, side.diagnostics)),
        "diagnostic_count": side.diagnostic_count,
    }


def _diagnostic(each: Diagnostic) -> dict[str, Any]:
    return {
        "file": to_display(display_name(each.path)),
        "line": each.line,
        "kind": each.kind,
        "message": to_display(each.message),
    }


def _sides(costs: tuple[int | float, int | float] | None) -> dict[str, int | float | None] | None:
    if costs is None:
        return None
    base, new = costs
    numbers = {"base": base, "new": new, "change": new - base}
    return {key: number if math.isfinite(number) else None for key, number in numbers.items()}


def _functions(report: ComparisonReport) -> Record:
    pairs, events = report.pairs, report.measured
    names = [to_display(each.event.name) for each in events]
    changed = {
        name: truths(each.is_changed)
        for name, each in zip(names, events, strict=True)
        if each.is_changed is not None
    }
    costs: dict[str, Record] = {
        kind: {name: _pair(each.costs(kind)) for name, each in zip(names, events, strict=True)}
        for kind in _KINDS
    }
    return {
        "base": ValueCells(lambda rows: list(map(_members, pairs.base(rows)))),
        "new": ValueCells(lambda rows: list(map(_members, pairs.new(rows)))),
        "how": ValueCells(lambda rows: [how.value for how in pairs.how(rows)]),
        **costs,
        "called": _called_pair(report),
        "cycle": ExactCells(report.split_cycle),
        **_estimated(report),
        **({"changed": changed} if changed else {}),
        **_noise(report, names),
        "why": ValueCells(partial(_effects, events)),
    }


def _noise(report: ComparisonReport, names: Sequence[str]) -> Record:
    """Return how large changes of samples may be by chance; nothing of exact costs."""
    sampled = [
        (name, each)
        for name, each in zip(names, report.measured, strict=True)
        if each.sampling is not None
    ]
    if not sampled:
        return {}
    return {
        "noise": {
            kind: {name: ExactCells(report.figures(each, kind).noise) for name, each in sampled}
            for kind in _KINDS
        }
    }


def _members(functions: tuple[FunctionName, ...]) -> list[dict[str, str]] | None:
    """Return the functions of one side of a row, None if there are none."""
    return list(map(_name, functions)) or None


def _name(function: FunctionName) -> dict[str, str]:
    return {
        "name": to_display(function.name),
        "file": to_display(function.file),
        "object": to_display(function.object),
    }


def _pair(sides: BothSides) -> Member:
    return ExactCells(sides.base), ExactCells(sides.new)


def _called_pair(report: ComparisonReport) -> Member:
    """Return the called counts of both sides; none on one that does not count calls."""
    return [
        ExactCells(
            counts,
            is_absent=None if side is None or side.has_call_counts else np.ones(len(counts), bool),
        )
        for side, counts in ((report.base, report.called.base), (report.new, report.called.new))
    ]


def _estimated(report: ComparisonReport) -> Record:
    """Return whether self costs are partly estimates on each side; nothing without folds."""
    if (folded := report.folded) is None:
        return {}
    return {"estimated": (truths(folded.is_estimated_base), truths(folded.is_estimated_new))}


def _effects(events: Sequence[EventComparison], rows: Int64Array) -> list[Any]:
    """Return why the costs of each row changed: effects by event, or None."""
    if not events:
        return [None] * len(rows)
    is_known = np.any([each.effects.is_known[rows] for each in events], axis=0)
    columns = [
        (
            to_display(each.event.name),
            each.effects.by_calls[rows].tolist(),
            each.effects.per_call[rows].tolist(),
        )
        for each in events
        if not each.event.is_ratio
    ]
    effects: list[Any] = [None] * len(rows)
    for place in np.flatnonzero(is_known).tolist():
        effects[place] = {
            name: {"calls": calls[place], "per_call": per_call[place]}
            for name, calls, per_call in columns
        }
    return effects


def _rules_of(report: ComparisonReport) -> list[dict[str, Any]]:
    """Return the rules with the names of the functions that meet them."""
    return [
        {
            "text": to_display(result.rule.text),
            "met": result.is_met,
            "reason": result.reason or None,
            **({"within_noise": result.within_noise} if result.within_noise else {}),
            "functions": list(map(_name, report.pairs.shown(result.functions))),
        }
        for result in report.rules
    ]


def _tail(report: ComparisonReport, rows: Int64Array) -> dict[str, Any]:
    place = np.full(len(report.pairs), -1, np.int64)
    place[rows] = np.arange(len(rows))
    earlier = [
        {"which": each.which, "file": to_display(each.file), "rules": _rules_of(each.report)}
        for each in report.earlier
    ]
    return {
        "proposals": [
            {"base": _name(each.base), "new": _name(each.new), "alike": each.alike}
            for each in report.proposals
        ],
        "rules": [
            {
                "text": to_display(result.rule.text),
                "met": result.is_met,
                "reason": result.reason or None,
                **({"within_noise": result.within_noise} if result.within_noise else {}),
                "functions": place[result.functions].tolist(),
            }
            for result in report.rules
        ],
        **({"against": earlier} if earlier else {}),
        "exit": report.exit_code,
    }
