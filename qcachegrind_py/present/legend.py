"""The legend of a picture: the groups that its boxes are of, with their self costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qcachegrind_py.analysis.names.function_names import Grouping, base_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int64Array


@frozen(eq=True)
class LegendEntry:
    """A group of functions in a picture."""

    group: str
    cost: int | float  # self cost of all its functions, in and outside the picture


@frozen
class GroupLegend:
    """The groups of the boxes of a picture, the costliest first."""

    query: ViewQuery
    entries: Sequence[LegendEntry]
    unit: Unit

    @classmethod
    def of(cls, query: ViewQuery, nodes: Int64Array) -> GroupLegend | None:
        """Return the legend of a picture with boxes of these nodes.

        None without an event, or if all that it says is that nothing is known of them.
        """
        context = query.context
        if context.event is None:
            return None
        groups = query.color_groups()
        costs = query.queries.group_costs(query.color_grouping, context.event, context.scope)
        shown = set(groups.group_of_node[nodes[nodes >= 0]].tolist())
        entries = [LegendEntry(groups.names[row], as_number(costs[row])) for row in shown]
        if all(entry.group == UNKNOWN for entry in entries):
            return None
        entries.sort(key=lambda entry: (-entry.cost, entry.group))
        return cls(query, entries, query.unit(context.event))

    def label(self, entry: LegendEntry) -> str:
        are_paths = self.query.color_grouping in (Grouping.OBJECT, Grouping.FILE)
        return cell_text(base_name(entry.group) if are_paths else entry.group)

    def share(self, *entries: LegendEntry) -> str:
        """Return the self cost of all these groups as text."""
        return self.unit.with_unit(sum(entry.cost for entry in entries))

    def tip(self, entry: LegendEntry) -> tuple[str, ...]:
        cost = f"Self cost of all its functions: {self.unit.full(entry.cost)}"
        return cell_text(entry.group), cost, "Click to highlight."

    def nodes_of(self, group: str) -> BoolArray:
        """Return the mask of the nodes of a group, shape (nodes,)."""
        groups = self.query.color_groups()
        rows = [row for row, name in enumerate(groups.names) if name == group]
        mask: BoolArray = np.isin(groups.group_of_node, rows)
        return mask
