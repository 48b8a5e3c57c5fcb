"""What the bars of the timeline are divided into: the active function, its callees, or groups."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import cached_property

import numpy as np
from PySide6.QtGui import QColor, QPalette

from qcachegrind_py.analysis.costs.totals import PartBreakdown, costs_by_callee, costs_by_group
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.parts import PartCosts
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.views.widgets.colors import (
    RowGround,
    bar_color,
    blended,
    group_palette,
    node_colors,
)

_MOST_SHARES = 12  # the others are in the rest
_SELF_SHARE = 0.45  # of the text colour, in the colour of self cost


class BarMode(Enum):
    """What bars are divided into."""

    FUNCTION = "function"  # self and inclusive cost of the active function
    CALLEES = "callees"  # its self cost and its costliest callees
    GROUPS = "groups"  # the costliest groups; without a grouping, the costliest functions


@frozen(slots=False)
class Share:
    """One of the shares that bars are divided into: what it is, and its cost in each part."""

    name: str
    color: QColor
    cost: CostArray  # shape (parts,)
    node: NodeId = NO_NODE  # the function or cycle that it is the cost of

    @cached_property  # 0.04 ms for 10,000 parts, and each move of the mouse needs all shares
    def height(self) -> Float64Array:
        """The costs as float64, which is precise enough for pixels; those below 0 are 0."""
        return as_heights(self.cost)


@frozen
class BarContent:
    """What the bars show; the rest of a part, which is in no share, has a colour of its own."""

    total: Float64Array  # shape (parts,)
    shares: Sequence[Share]  # from the bottom up
    is_active: BoolArray  # shape (parts,)
    rest: QColor
    is_base: BoolArray | None = None  # shape (parts,); None: nothing is compared

    def share_at(self, part: int, height: float) -> int | None:
        """Return which share of a part is at a height from 0 to 1; None if it is the rest."""
        costs = np.array([share.height[part] for share in self.shares]).reshape(-1, 1)
        levels = share_levels(costs, self.total[part : part + 1])[1:, 0]
        share = int(np.searchsorted(levels, height, side="right"))
        return share if share < len(self.shares) else None


def as_heights(costs: CostArray) -> Float64Array:
    """Convert costs to float64; NaN and costs below 0, which have no height, become 0."""
    floats: Float64Array = np.maximum(np.nan_to_num(np.asarray(costs, np.float64)), 0)
    return floats


def share_levels(costs: Float64Array, total: Float64Array) -> Float64Array:
    """Return the height where each share begins, and 1 where the rest ends.

    `costs` has the shape (shares, bars), `total` (bars,), the result (shares + 2, bars).
    """
    whole = np.where(total > 0, total, 1)
    upper = np.minimum(np.cumsum(costs, axis=0) / whole, 1)
    ends = np.zeros((1, len(total))), upper, np.ones((1, len(total)))
    levels: Float64Array = np.concatenate(ends)
    return levels


def break_down(query: ViewQuery, mode: BarMode) -> PartBreakdown:
    """Compute the costliest callees or groups in each part; takes long, so it belongs in a job."""
    context, queries = query.context, query.queries
    assert context.event is not None
    event = queries.measured_event(context.event)
    if mode is BarMode.CALLEES:
        costs, node = query.costs(), context.function
        return costs_by_callee(query.profile, event, query.events, node, costs, _MOST_SHARES)
    is_grouped = context.grouping is not Grouping.NONE
    group = query.groups().group_of_node if is_grouped else np.arange(queries.function_count)
    return costs_by_group(query.profile, event, query.events, group, _MOST_SHARES)


def function_shares(query: ViewQuery, costs: PartCosts, palette: QPalette) -> list[Share]:
    """Return the self cost of the active function, and the rest of its inclusive cost."""
    color, node = bar_color(palette, RowGround.PLAIN), query.context.function
    strong = blended(palette.color(QPalette.ColorRole.Text), color, _SELF_SHARE)
    self_cost = np.minimum(costs.self_cost, costs.inclusive)
    name = query.labels().full_name(node)
    return [
        Share(f"{name}, self", strong, self_cost, node),
        Share(f"{name}, callees", color, costs.inclusive - self_cost, node),
    ]


def shares_of(
    query: ViewQuery, mode: BarMode, costs: PartCosts, breakdown: PartBreakdown
) -> list[Share]:
    if mode is BarMode.GROUPS and query.context.grouping is not Grouping.NONE:
        names = [query.groups().names[key] for key in breakdown.key.tolist()]
        pairs = zip(names, breakdown.cost, strict=True)
        color_of = group_palette(query).group
        return [Share(name, color_of(name), cost) for name, cost in pairs]
    color, labels, node = node_colors(query), query.labels(), query.context.function
    shares = [
        Share(labels.full_name(key), color(key), cost, key)
        for key, cost in zip(map(NodeId, breakdown.key.tolist()), breakdown.cost, strict=True)
    ]
    if mode is BarMode.CALLEES:
        itself = Share(f"{labels.full_name(node)}, self", color(node), costs.self_cost, node)
        shares.insert(0, itself)
    return shares
