"""The table of all functions and cycles, and that of their groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from qcachegrind_py.analysis.costs.scope import Series
from qcachegrind_py.analysis.folding.fold import Folding
from qcachegrind_py.analysis.names.function_names import Grouping, Labels, base_name
from qcachegrind_py.analysis.queries import FoldedQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.figures import Counts, Figures, Reasons, charged_sign
from qcachegrind_py.present.folds import (
    charge_text,
    comparison_mark,
    has_charges,
    no_mark,
    self_estimates,
)
from qcachegrind_py.present.no_figures import NO_COUNTS, NO_FIGURES, NO_NUMBERS, NO_REASONS
from qcachegrind_py.present.table import (
    ACTIVE_TIP,
    Column,
    CostCells,
    CountCells,
    Numbers,
    Shown,
    Table,
    TextCells,
    cell_text,
    cost_column,
    name_columns,
    no_tip,
    per_call_column,
    reason_column,
    side_columns,
)
from qcachegrind_py.present.unit import NO_UNIT
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import NodeId, node_at
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_SUM = "the sum of its members, each of which has a row"


@frozen(slots=False)
class NodeRows:
    """Functions and cycles as the rows of a table: their names, and what is said of them."""

    labels: Labels | None
    nodes: Int64Array
    tip: Callable[[int], tuple[str, ...]] = no_tip
    mark: Callable[[NodeId], str] = no_mark

    def table(
        self, title: str, columns: tuple[Column, ...], more: tuple[Column, ...] = ()
    ) -> Table:
        """Return the table with names, under this title, and locations behind the columns."""
        columns = *columns, *name_columns(title, self.labels, self.nodes), *more
        nodes, mark = self.nodes, self.mark
        return Table(columns, len(nodes), nodes, self.tip, lambda row: mark(node_at(nodes, row)))

    def self_column(self, figures: Figures, *, is_second: bool = False) -> Column:
        """Return the column of self costs of all functions and cycles."""
        tip = "Self cost: the function alone, without its callees"
        column = cost_column("self", "Self", tip, figures, is_second=is_second)
        functions = 0 if self.labels is None else self.labels.function_count
        return replace(column, cells=SelfCells(figures, "Self" if is_second else "", functions))


NO_ROWS = NodeRows(None, NO_NUMBERS)


@frozen
class SelfCells(CostCells):
    """Self costs of functions, and of cycles behind them.

    That of a cycle is the sum of other rows: it is grey, has no bar, and stands behind them.
    """

    functions: int = 0

    def is_faint(self, row: int) -> bool:
        return row >= self.functions or CostCells.is_faint(self, row)

    def bar(self, row: int) -> float | None:
        return CostCells.bar(self, row) if row < self.functions else 0.0

    def tip(self, row: int) -> str:
        tip = CostCells.tip(self, row)
        return tip if row < self.functions else f"{tip} ({_SUM})".lstrip()

    def order(self) -> Numbers:
        order = self.figures.order().copy()
        order[self.functions :] = np.nan if order.dtype.kind == "f" else -np.iinfo(np.int64).max
        return order


def node_tip(
    query: ViewQuery, nodes: Int64Array, more: Callable[[int], tuple[str, ...]] = no_tip
) -> Callable[[int], tuple[str, ...]]:
    """Return a function for the full name and location of a row, `more`, and its callers.

    It does not keep the profile alive.
    """
    labels, callers = query.labels(), query.list_callers()

    def tip(row: int) -> tuple[str, ...]:
        node = node_at(nodes, row)
        return tuple(filter(None, (*labels.details(node), *more(row), callers(node))))

    return tip


# ---------------------------------------------------------------- functions


def function_table(query: ViewQuery) -> Table:
    inclusive, self_cost = _costs(query, query.series)
    if (bases := _group_costs(query)) is not None:
        self_cost = replace(self_cost, total=bases)
    if (charged := has_charges(query)) is not None:
        self_cost = replace(self_cost, sign=charged_sign(charged))
    second_inclusive, second_self = _costs(query, query.second_series)
    called, labels = _called(query), query.labels()
    nodes = np.arange(len(labels))
    # families and folds keep the profile alive
    has_more = query.is_comparing or isinstance(query.queries, FoldedQueries)
    tip = node_tip(query, nodes, partial(_family_and_folds, query) if has_more else no_tip)
    return _table(
        inclusive,
        self_cost,
        second_inclusive,
        second_self,
        called,
        _reasons(query, inclusive, called),
        NodeRows(labels, nodes, tip, comparison_mark(query)),
    )


def _costs(query: ViewQuery, series: Series | None) -> tuple[Figures, Figures]:
    """Return inclusive and self costs, whose changes share one scale of bars."""
    if series is None:
        nothing = Figures.alone(NO_UNIT, np.zeros(len(query.labels()), np.int64))
        return nothing, nothing
    unit = query.function_unit(series.event)
    return (
        replace(
            query.figures(series, query.queries.inclusive, unit),
            why_excess=_excess_reasons(query, series.event),
        ),
        replace(
            query.figures(series, query.queries.self_cost, unit), is_estimate=self_estimates(query)
        ),
    )


def _excess_reasons(query: ViewQuery, event: EventType) -> Callable[[int], str]:
    reason = query.excess_reasons(event)
    return lambda row: reason(NodeId(row))


def _called(query: ViewQuery) -> Counts:
    new, base = query.costs(), query.context.base
    old = new if base is None else query.queries.costs(base)
    return Counts(
        new.called,
        old.called,
        query.context.numbers,
        (old.has_call_counts, new.has_call_counts),
        (old.is_active, new.is_active),
    )


def _reasons(query: ViewQuery, inclusive: Figures, called: Counts) -> Reasons:
    if query.comparison is None:
        return Reasons(inclusive, called, np.zeros(len(inclusive), bool))
    from qcachegrind_py.analysis.comparison.effects import are_functions_split

    return Reasons(inclusive, called, are_functions_split(query.comparison))


def is_of_groups(query: ViewQuery) -> bool:
    """Return whether percentages of self costs are of the cost of the function's group."""
    context = query.context
    return (
        context.unit is CostUnit.PERCENT_OF_PARENT
        and context.grouping is not Grouping.NONE
        and context.event is not None
        and not context.event.is_ratio
        and not query.is_comparing  # a change is of the base, not of a group
    )


def _group_costs(query: ViewQuery) -> CostArray | None:
    """Return what percentages of self costs are of, where that is the cost of the group."""
    context = query.context
    if not is_of_groups(query) or context.event is None:
        return None
    costs = query.queries.group_costs(context.grouping, context.event, context.scope)
    of_node: CostArray = costs[query.groups().group_of_node]
    return of_node


def _family_and_folds(query: ViewQuery, row: int) -> tuple[str, ...]:
    """Return the members of a family, and what the self cost includes of folded functions."""
    charge = (
        "" if query.context.event is None else charge_text(query, query.context.event, NodeId(row))
    )
    return *_family(query, row), charge[:1].upper() + charge[1:]


def _family(query: ViewQuery, row: int) -> tuple[str, ...]:
    """Return the members of a family on both sides; nothing for other functions."""
    compared, node = query.comparison, NodeId(row)
    if compared is None or not query.queries.is_function(node):
        return ()
    from qcachegrind_py.analysis.comparison.comparison import member_names

    sides = member_names(compared, node)
    if node not in compared.pairing.names and max(map(len, sides)) < 2:
        return ()
    base, new = (", ".join(map(cell_text, names)) for names in sides)
    return f"Base: {base}", f"New: {new}"


def _table(
    inclusive: Figures = NO_FIGURES,
    self_cost: Figures = NO_FIGURES,
    second_inclusive: Figures = NO_FIGURES,  # zeros without a second event
    second_self: Figures = NO_FIGURES,
    called: Counts = NO_COUNTS,
    reasons: Reasons = NO_REASONS,  # of changes of inclusive costs
    rows: NodeRows = NO_ROWS,
) -> Table:
    inclusive_tip = "Inclusive cost: the function and its callees"
    columns = (
        cost_column("inclusive", "Incl.", inclusive_tip, inclusive),
        rows.self_column(self_cost),
        cost_column(
            "inclusive", "Incl.", inclusive_tip, second_inclusive, is_second=True, gives_way=7
        ),
        rows.self_column(second_self, is_second=True),
        *side_columns(inclusive, "Inclusive cost"),
        *_self_sides(self_cost),
        Column(
            "called",
            "Called",
            f"Number of calls, including recursive calls. {ACTIVE_TIP}",
            CountCells(called),
            gives_way=4,
        ),
        reason_column(reasons),
        per_call_column(
            "per_call",
            "Incl. per call",
            "Average inclusive cost of one call",
            inclusive,
            called,
            is_offered=True,
        ),
        per_call_column(
            "self_per_call",
            "Self per call",
            "Average self cost of one call",
            self_cost,
            called,
            is_offered=True,
        ),
    )
    return rows.table("Function", columns)


def _self_sides(self_cost: Figures) -> tuple[Column, ...]:
    """Return the columns of the self costs of both sides, which the header's menu offers."""
    return tuple(
        replace(
            column,
            key=f"self_{column.key}",
            title=f"Self {column.title.lower()}",
            shown=Shown.OFFERED_COMPARED,
            gives_way=0,
        )
        for column in side_columns(self_cost, "Self cost")
    )


NO_FUNCTIONS = _table()


def counted(
    labels: Labels, self_cost: Figures, shown: BoolArray | None, folding: Folding | None
) -> tuple[str, str]:
    """Return how many functions there are, and how many of them are shown; empty for all.

    `shown` is a mask, shape (nodes,), or None for all: `18 of 304 functions (81.8 % of self cost)`.
    """
    count, style, folded = len(labels.names), self_cost.unit.style, 0
    functions = np.ones(count, bool)
    if folding is not None:  # these cost nothing, and are not for a filter to show
        functions &= ~folding.is_folded
        folded = int(folding.is_folded.sum())
        count -= folded
    noun = plural(count, "function")
    cycles = len(labels) - labels.function_count
    more = [f"{format_count(count, style)} {noun}"]
    more += [f"{format_count(cycles, style)} {plural(cycles, 'cycle')}"] if cycles else []
    more += [f"{format_count(folded, style)} folded"] if folded else []
    all_text = ", ".join(more)
    if shown is None or bool(shown[: len(functions)][functions].all()):
        return all_text, ""
    found = np.zeros(len(labels), bool)
    found[: len(functions)] = functions & shown[: len(functions)]
    text = f"{format_count(int(found.sum()), style)} of {format_count(count, style)} {noun}"
    cost = self_cost.part_text(found)
    return all_text, f"{text} ({cost} of self cost)" if cost else text


# ---------------------------------------------------------------- groups


def group_table(query: ViewQuery, counts: Int64Array) -> Table:
    """Return the groups of the current grouping; `counts` are the functions shown of each."""
    names, grouping = query.groups().names, query.context.grouping
    if (series := query.series) is None:
        return NO_GROUPS
    costs = query.figures(series, partial(query.queries.group_costs, grouping))
    if costs.is_compared and not costs.unit.is_ratio:
        costs = costs.with_longest_bar()
    are_paths = grouping in (Grouping.OBJECT, Grouping.FILE)
    shown = [base_name(name) for name in names] if are_paths else list(names)
    return _group_table(names, shown, costs, Counts.alone(counts, query.context.numbers))


def _group_table(names: tuple[str, ...], shown: list[str], costs: Figures, counts: Counts) -> Table:
    columns = (
        cost_column("self", "Self", "Self cost of all functions of the group", costs),
        *side_columns(costs, "Self cost"),
        Column("count", "Functions", "Number of functions shown in the group", CountCells(counts)),
        Column("name", "Group", "Name", TextCells(shown), stretches=True),
    )
    return Table(columns, len(names), tip=lambda row: (names[row],))


NO_GROUPS = _group_table((), [], NO_FIGURES, NO_COUNTS)
