"""Base and new in the call graph: numbers and words about each node and each call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.calls.subgraph import ComparedSubgraph
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.models.base.comparison_columns import ComparedRows, why_text, why_tip
from qcachegrind_py.present.former.change_format import growth_text, signed
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.former.quotient_format import QuotientChangeFormat
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.numbers import ACTIVE, plural
from qcachegrind_py.profile.tables import BoolArray

UNKNOWN = "–"
ESTIMATE = "≈\N{THIN SPACE}"
NEW, GONE = "new", "gone"
_ARROW = "\N{THIN SPACE}→\N{THIN SPACE}"
_SIDES = 0, 1  # base, new


@dataclass(frozen=True, slots=True)
class SideFormats:
    """How costs and changes are written, and what each side has; of pairs the base is first."""

    costs: tuple[CostFormat, CostFormat]
    changes: CostFormat
    change: Callable[[BothSides], CostArray]  # the changes in the unit shown; NaN: not known
    has_cost: tuple[bool, bool] = (True, True)  # whether a side has the event, and calls
    has_counts: tuple[bool, bool] = (True, True)  # whether a side counts calls


@dataclass(frozen=True, eq=False)
class ComparedCosts:
    """Costs and counts of nodes, or of calls, on both sides; arrays have the shape (rows,)."""

    formats: SideFormats
    rows: ComparedRows
    change: CostArray  # in the unit shown; NaN: not known
    is_exact: BoolArray  # on both sides
    count_is_exact: BoolArray
    is_active: tuple[BoolArray, BoolArray]  # the calls still ran when the side was written

    @property
    def is_known(self) -> bool:
        """Whether both sides have costs, so that there are changes."""
        return all(self.formats.has_cost)

    def values(self, row: int) -> tuple[int | float, int | float]:
        """Return the costs of a row in the base and in the new side."""
        return as_number(self.rows.cost.base[row]), as_number(self.rows.cost.new[row])

    def word(self, row: int) -> str:
        """Return the word for a row that costs something on one side only: "new" or "gone"."""
        base, new = self.values(row)
        if not self.is_known or (base == 0) == (new == 0):
            return ""
        return NEW if base == 0 else GONE

    @cached_property
    def largest_change(self) -> float:
        """The size of the largest change; 0 without any."""
        known = self.change[self.change == self.change]  # without NaN
        return float(max(abs(known.max()), abs(known.min()))) if len(known) else 0.0

    def strength(self, row: int) -> float:
        """Return the change as a part of the largest one, from -1 to 1; 0 if it is not known."""
        change = float(self.change[row])
        return change / self.largest_change if change == change and self.largest_change else 0.0

    def side_text(self, row: int, side: int) -> str:
        """Return the cost of a row in the base, side 0, or in the new side, 1, with its unit."""
        format_, cost = self.formats.costs[side], self.values(row)[side]
        if not self.formats.has_cost[side] or format_.text(cost) == UNKNOWN:
            return UNKNOWN
        return format_.with_unit(cost)

    def cost_text(self, row: int) -> str:
        """Return both costs and the growth: 1 200 → 1 500 (+25 %); one cost if they are equal."""
        base, new = (self.side_text(row, side) for side in _SIDES)
        mark = "" if self.is_exact[row] else ESTIMATE
        change = self.change_text(row)
        if not change or base == new == UNKNOWN:
            return mark + new
        if UNKNOWN not in (base, new):  # the unit is said once
            base = self.formats.costs[0].text(self.values(row)[0])
        both = f"{mark}{base}{_ARROW}{new}"
        return both if change == UNKNOWN else f"{both} ({change})"

    def change_text(self, row: int) -> str:
        """Return "new", "gone", or the growth; the change of shares and of costs per call.

        Empty if there is no change.
        """
        change, word = as_number(self.change[row]), self.word(row)
        if word or not isinstance(self.formats.changes, QuotientChangeFormat):
            return word or self.growth_text(row)
        return self.formats.changes.text(change) if change else ""

    def growth_text(self, row: int) -> str:
        """Return the change in percent of the cost in the base, or "new", or "gone".

        Empty if there is no change; a dash if it is not known.
        """
        return growth_text(*self.values(row), self.formats.costs[1]) if self.is_known else UNKNOWN

    def exact_text(self, row: int) -> str:
        """Return both costs and the change in absolute numbers; a dash for what is not known."""
        base, new = self.values(row)
        if self.is_known and base == new:
            return "Unchanged"
        format_, (has_base, has_new) = self.formats.costs[1], self.formats.has_cost
        sides = [
            format_.absolute_text(cost) if is_there else UNKNOWN
            for cost, is_there in ((base, has_base), (new, has_new))
        ]
        change = UNKNOWN
        if self.is_known:
            change = signed(format_.absolute_text(abs(new - base)), new - base)
        return f"Base {sides[0]}, new {sides[1]}, change {change}"

    def count_text(self, row: int) -> str:
        """Return the numbers of calls on both sides: 3 → 4; empty if there are none."""
        texts = [self._side_count(row, side) for side in _SIDES]
        if not any(text not in ("0", UNKNOWN) for text in texts):
            return ""
        mark = "" if self.count_is_exact[row] else ESTIMATE
        return mark + (texts[1] if texts[0] == texts[1] else _ARROW.join(texts))

    def calls_text(self, row: int) -> str:
        """Return the numbers of calls followed by what they count: 3 → 4 calls."""
        counts = self.count_text(row)
        new = int(self.rows.count.new[row])
        return f"{counts} {plural(new, 'call')}" if counts and counts != ACTIVE else counts

    def _side_count(self, row: int, side: int) -> str:
        if not (self.formats.has_counts[side] and self.formats.has_cost[side]):
            return UNKNOWN  # calls are counted along the paths that costs take
        if self.is_active[side][row]:
            return ACTIVE
        count = int((self.rows.count.base, self.rows.count.new)[side][row])
        return self.formats.costs[side].count_text(count)

    def why_text(self, row: int) -> str:
        """Return in words whether calls or their cost changed; empty if not known."""
        return why_text(self.rows, row)

    def why_tip(self, row: int) -> str:
        """Return how much calls and their cost add to the change; empty if not known."""
        return why_tip(self.rows, row)


@dataclass(frozen=True, slots=True, eq=False)
class GraphSides:
    """The costs of the graph on both sides: on paths through the active function, as recorded."""

    graph: ComparedSubgraph
    nodes: ComparedCosts
    calls: ComparedCosts
    recorded_nodes: ComparedCosts
    recorded_calls: ComparedCosts
    self_change: CostArray  # of each node, in the unit shown
    mark: Callable[[NodeId], str]  # the word that marks a function in lists, such as "moved"


def graph_sides(
    graph: ComparedSubgraph, formats: SideFormats, mark: Callable[[NodeId], str]
) -> GraphSides:
    """Return the numbers of a compared graph in these formats."""
    paths, call_paths = graph.both_exact("is_exact"), graph.both_exact("call_is_exact")
    recorded, recorded_calls = np.ones(len(paths), bool), np.ones(len(call_paths), bool)
    return GraphSides(
        graph,
        _node_costs(graph, formats, "cost", paths, graph.is_split),
        _call_costs(graph, formats, "call_cost", call_paths),
        _node_costs(graph, formats, "recorded_cost", recorded, ~recorded),  # of other calls, too
        _call_costs(graph, formats, "recorded_call_cost", recorded_calls),
        _change(formats, graph.sides("self_cost")),
        mark,
    )


def _node_costs(
    graph: ComparedSubgraph,
    formats: SideFormats,
    column: str,
    is_exact: BoolArray,
    is_split: BoolArray,
) -> ComparedCosts:
    costs, counts = graph.sides(column), graph.sides("count")
    active = graph.base.node_is_active, graph.new.node_is_active
    exact = is_exact, graph.count_is_exact
    return _compared_costs(formats, (costs, counts), is_split, exact, active)


def _call_costs(
    graph: ComparedSubgraph, formats: SideFormats, column: str, is_exact: BoolArray
) -> ComparedCosts:
    costs, counts = graph.sides(column), graph.sides("call_count")
    active = graph.base.call_is_active, graph.new.call_is_active
    exact = is_exact, graph.call_count_is_exact
    return _compared_costs(formats, (costs, counts), graph.call_is_split, exact, active)


def _compared_costs(
    formats: SideFormats,
    numbers: tuple[BothSides, BothSides],
    is_split: BoolArray,
    exact: tuple[BoolArray, BoolArray],
    active: tuple[BoolArray, BoolArray],
) -> ComparedCosts:
    """Return costs and counts; `exact` is of both, and `active` of the calls of both sides."""
    costs, counts = numbers
    rows = ComparedRows(costs, counts, is_split, formats.costs[1], formats.costs[0])
    return ComparedCosts(formats, rows, _change(formats, costs), *exact, active)


def _change(formats: SideFormats, costs: BothSides) -> CostArray:
    """Return the changes in the unit shown; NaN if a side has no such costs."""
    is_known = all(formats.has_cost)
    return formats.change(costs) if is_known else np.full(len(costs.new), np.nan)
