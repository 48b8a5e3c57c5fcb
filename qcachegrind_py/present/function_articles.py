"""Articles of a page on its costliest functions, or on those that changed most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import DirectCalls
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.calls import CALLEE, CALLER, no_calls_text
from qcachegrind_py.present.exact import (
    CodeCells,
    ExactCells,
    FullNameCells,
    PhraseCells,
)
from qcachegrind_py.present.excerpts import (
    NO_TEXT,
    ChangedLineExcerpts,
    Excerpt,
    ExcerptLine,
    ExcerptReader,
    LineExcerpts,
)
from qcachegrind_py.present.page import Article, Listing, Note
from qcachegrind_py.present.table import Column, FunctionName, Table
from qcachegrind_py.present.unit import share_text
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, function_id, function_ids, node_at
from qcachegrind_py.profile.numbers import (
    DEFAULT_STYLE,
    UNDEFINED,
    NumberStyle,
    format_call_count,
    format_count,
    has_percentages,
    plural,
    signed_text,
)
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.tools.sources.file_search import BaseSearch, FileSearch
from qcachegrind_py.visible_text import visible_text

_MOST_BY_COST = 25  # functions by inclusive cost, and as many by self cost
_MOST_CALLS = 12  # callers of a function, and callees
_MOST_CHANGED = 10  # functions
_THIN = "\N{THIN SPACE}"
_T = TypeVar("_T")


def share_cells(costs: CostArray, total: int | float) -> PhraseCells:
    """Return costs in percent of a total, with bars; blank for zero."""

    def texts(rows: Int64Array) -> list[str]:
        return [share_text(cost, total) if cost else "" for cost in costs[rows].tolist()]

    return PhraseCells(costs, phrases=texts, longest=total)


# ---------------------------------------------------------------- a profile


def costliest_functions(
    queries: ProfileQueries,
    search: FileSearch,
    event: EventType,
    scope: Scope,
    visible: Int64Array,
    progress: Progress,
) -> Iterator[Article]:
    """Yield articles on the costliest of the `visible` functions, costliest first."""
    inclusive, self_cost = queries.inclusive(event, scope), queries.self_cost(event, scope)
    chosen = {
        function
        for key in (inclusive, self_cost)
        for function in function_ids(_costliest(key, visible)[:_MOST_BY_COST])
        if key[function] > 0
    }
    writer = _ArticleWriter(queries, event, scope, LineExcerpts(queries, search, event, scope))
    order = sorted(chosen, key=lambda f: (-inclusive[f], -self_cost[f], f))
    for done, function in enumerate(order):
        progress.check(0.4 + 0.6 * done / len(chosen), "Reading sources")
        yield writer.article(function, progress)


def _costliest(costs: CostArray, among: Int64Array) -> Int64Array:
    """Return functions by cost, the costliest first; equal ones stay in profile order."""
    return among[np.argsort(-costs[among], kind="stable")]


class _ArticleWriter:
    """Collects what is said of one function after another."""

    def __init__(
        self, queries: ProfileQueries, event: EventType, scope: Scope, excerpts: ExcerptReader
    ) -> None:
        self._queries, self._event, self._scope = queries, event, scope
        self._excerpts = excerpts
        self._labels = queries.labels(scope)
        self._total = queries.total(event, scope.parts).base

    def article(self, function: FunctionId, progress: Progress) -> Article:
        queries, scope, names = self._queries, self._scope, self._queries.names
        costs = queries.costs(scope)
        excerpts, problem = self._excerpts.read(function, progress)
        cycle = int(costs.cycle[function])
        return Article(
            function,
            FunctionName(names.name(function), names.file(function), names.object(function)),
            self._sentence(function),
            f"cycle {cycle}" if cycle else "",
            (
                self._calls(CALLER, queries.callers(function, scope)),
                self._calls(CALLEE, queries.callees(function, scope)),
            ),
            excerpts,
            problem,
        )

    def _sentence(self, function: FunctionId) -> tuple[str, ...]:
        costs = self._queries.costs(self._scope)
        inclusive, own = self._queries.node_costs(function, self._event, self._scope)
        is_active = bool(costs.is_active[function])
        count = int(costs.called[function]) if costs.has_call_counts else None
        called = format_call_count(count, is_active=is_active)
        times = "" if count is None or is_active else "\N{MULTIPLICATION SIGN}"
        return (
            "Inclusive ",
            format_count(int(inclusive)),
            f"{self._share(inclusive)}, self ",
            format_count(int(own)),
            f"{self._share(own)}, called {called}{times}.",
        )

    def _share(self, cost: int | float) -> str:
        if not has_percentages(self._total):
            return ""
        return f" ({share_text(cost, self._total)}{_THIN}%)"

    def _calls(self, title: str, calls: DirectCalls) -> Listing:
        """Return the costliest of the calls."""
        cost = calls.cost(self._queries.events, self._event)
        rows = np.argsort(-cost, kind="stable")[:_MOST_CALLS]
        nodes = [node_at(calls.node, row) for row in rows.tolist()]
        names = [FunctionName(self._labels.name(node)) for node in nodes]
        functions = [node if self._queries.is_function(node) else NO_FUNCTION for node in nodes]
        counts = [
            format_call_count(count, is_active=is_active) if count or is_active else UNDEFINED
            for count, is_active in zip(
                calls.count[rows].tolist(), calls.is_active[rows].tolist(), strict=True
            )
        ]
        in_cycle = calls.in_cycle[rows].tolist()
        columns = (
            Column("inclusive", "Incl.", "", ExactCells(cost[rows], format_count)),
            Column("share", "%", "", share_cells(cost[rows], self._total)),
            Column("count", "Calls", "", PhraseCells(calls.count[rows], phrases=_of(counts))),
            Column("name", title, "", FullNameCells(_of(names))),
        )
        table = Table(
            columns,
            len(rows),
            np.array(functions, np.int64),
            mark=lambda row: "in the cycle" if in_cycle[row] else "",
        )
        more = len(calls) - len(rows)
        return Listing(
            table,
            np.arange(len(rows)),
            none=no_calls_text(self._queries.profile, title),
            more=f"… and {format_count(more)} more {title.lower()}s of less cost." if more else "",
            has_files=False,
        )


def _of(items: Sequence[_T]) -> Callable[[Int64Array], list[_T]]:
    return lambda rows: [items[row] for row in rows.tolist()]


# ---------------------------------------------------------------- both sides


class NamesOfRows(Protocol):
    """Names the functions of a comparison."""

    def __call__(self, rows: Int64Array) -> Sequence[FunctionName]:
        """Return the names of these functions."""


def most_changed_functions(
    compared: Comparison,
    event: EventType,
    functions: Sequence[FunctionId],
    names: NamesOfRows,
    searches: tuple[FileSearch, BaseSearch],
    progress: Progress,
    style: NumberStyle | None = None,
) -> Iterator[Article]:
    """Yield articles on these functions: the lines of which self costs changed.

    With a `style` of numbers, they have the calls that changed, too.
    """
    costs, chosen = compared.self_cost(event), np.array(functions, np.int64)
    reader = ChangedLineExcerpts(compared, event, *searches)
    sides = zip(costs.base[chosen].tolist(), costs.new[chosen].tolist(), strict=True)
    rows = zip(functions, names(chosen), sides, strict=True)
    form = style or DEFAULT_STYLE
    for done, (function, name, (base, new)) in enumerate(rows):
        progress.check(0.4 + 0.6 * done / len(chosen), "Reading sources")
        excerpts, problem = reader.read(function, progress)
        change = signed_text(format_count(new - base, form), new - base)
        yield Article(
            function,
            name,
            (f"Self {format_count(base, form)} → {format_count(new, form)}: ", change, "."),
            calls=tuple(_changed_calls(compared, event, function, style)) if style else (),
            excerpts=excerpts,
            problem=problem,
        )


def changed_most(
    compared: Comparison, event: EventType, among: Int64Array, limit: int = _MOST_CHANGED
) -> list[FunctionId]:
    """Return the functions whose self cost changed most, in either direction."""
    sizes = np.abs(compared.self_cost(event).change[among])
    order = np.argsort(-sizes, kind="stable")[:limit]
    return function_ids(among[order[(sizes[order] > 0).astype(bool)]])


def _changed_calls(
    compared: Comparison, event: EventType, function: FunctionId, style: NumberStyle
) -> Iterator[Listing]:
    """Yield the callers and the callees of which the calls changed, most changed first."""
    queries = compared.queries
    names = queries.names
    for title, ask in (("Caller", queries.callers), ("Callee", queries.callees)):
        base, new = ask(function, compared.base), ask(function, compared.new)
        before, now = base.cost(queries.events, event), new.cost(queries.events, event)
        sizes = np.where(new.in_cycle | base.in_cycle, 0, np.abs(now - before))
        is_changed = (sizes > 0) | (base.count != new.count)
        order = np.argsort(-sizes, kind="stable")
        rows = order[is_changed[order]]
        if not len(rows):
            continue
        shown = rows[:_MOST_CALLS]
        called = zip(base.count.tolist(), new.count.tolist(), strict=True)
        known = [queries.costs(side).has_call_counts for side in (compared.base, compared.new)]
        counts = [
            " → ".join(
                dict.fromkeys(
                    format_count(count, style) if is_known else UNDEFINED
                    for count, is_known in zip(pair, known, strict=True)
                )
            )
            for pair in called
        ]
        nodes = [function_id(node) for node in new.node.tolist()]
        labels = [
            (names.name(node), names.file(node), names.object(node))
            if queries.is_function(node)
            else ("(cycle)", "", "")
            for node in nodes
        ]
        columns = (
            *_change_columns(before, now, style),
            Column("count", "Calls", "", PhraseCells(new.count, phrases=_of(counts))),
            Column("name", title, "", FullNameCells(_of(labels))),
        )
        more = len(rows) - len(shown)
        yield Listing(
            Table(columns, len(new)),
            shown,
            more=f"… and {format_count(more, style)} more {title.lower()}s" if more else "",
        )


def _change_columns(base: Int64Array, new: Int64Array, style: NumberStyle) -> Iterator[Column]:
    """Yield the costs of both sides and their change, where there is one."""
    nothing = (base == 0) & (new == 0)
    change = new - base

    def form(number: int) -> str:
        return format_count(number, style)

    def signed(number: int) -> str:
        return signed_text(format_count(number, style), number)

    yield Column("base", "Base", "", ExactCells(base, form, is_absent=nothing, absent=""))
    yield Column("new", "New", "", ExactCells(new, form, is_absent=nothing, absent=""))
    cells = ExactCells(change, signed, is_absent=change == 0, absent="")
    yield Column("change", "Change", "", cells)


def article_blocks(article: Article, style: NumberStyle) -> Iterator[Note | Listing]:
    """Yield what text has of a function: the lines that changed, file by file, and the calls."""
    name, place = article.name, f"{base_name(article.name.object)}: {base_name(article.name.file)}"
    yield Note(f"▸ {name.name} ({place}): {''.join(article.sentence)}")
    if article.problem:
        yield Note(article.problem)
    for excerpt in article.excerpts:
        if excerpt.lines:
            yield _excerpt_listing(excerpt, style)
        if excerpt.problem != NO_TEXT and (text := f"{excerpt.problem} {excerpt.note}".strip()):
            yield Note(text)
    yield from article.calls


def missing_texts(articles: Sequence[Article]) -> Iterator[Note]:
    """Yield what is said once of all excerpts without a text."""
    files = {e.file for each in articles for e in each.excerpts if e.problem == NO_TEXT}
    if files:
        count = f"{len(files):,} {plural(len(files), 'file')}"
        yield Note(f"{count} not found: lines have numbers only. Name folders with -I or --map.")


def _excerpt_listing(excerpt: Excerpt, style: NumberStyle) -> Listing:
    """Return the lines with those around them, and … where lines are left out."""
    lines = list[ExcerptLine | None]()
    for line in excerpt.lines:
        lines += [None, line] if line.omitted_before else [line]
    base, new = (
        np.array([int(each.costs[side]) if each else 0 for each in lines], np.int64)
        for side in (0, 1)
    )
    places = ["…" if each is None else _numbers_text(each.numbers) for each in lines]
    texts = [visible_text((each.text or "").expandtabs()) if each else "" for each in lines]
    columns = (
        Column("line", "Line", "", PhraseCells(base, phrases=_of(places), least_width=7)),
        *_change_columns(base, new, style),
        Column("text", "Source", "", CodeCells(_of(texts))),
    )
    more = f"… and {excerpt.omitted:,} more lines that changed" if excerpt.omitted else ""
    rows = np.arange(len(lines))
    return Listing(Table(columns, len(lines)), rows, visible_text(excerpt.file), more=more)


def _numbers_text(numbers: tuple[int, ...]) -> str:
    """Return the numbers of a line on both sides: 12, 12 → 14, or – → 14 for one that is new."""
    return " → ".join(dict.fromkeys(str(number) if number else UNDEFINED for number in numbers))
