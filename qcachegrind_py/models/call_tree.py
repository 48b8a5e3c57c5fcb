"""The calls below or above a function as a tree; its branches are created when they are expanded.

The cost of a single call is recorded. Deeper down, costs are estimated in proportion and marked so,
unless a branch holds the whole cost of a function, or a call accounts for all of it. A function
already on its own branch is shown once more, but cannot be expanded. Where a function has very many
branches, the costliest are followed by a node for all others, which `show_more` replaces by the
next ones: Qt asks for each node of a branch at once, which took 12 s for a million.

Nodes are numbered in the order of creation; their columns are Python lists that grow with them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QBrush

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.costs.ranking import costliest_rows
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.models.base.columns import (
    ACTIVE_TIP,
    ESTIMATE,
    exactness_label,
    exactness_text,
)
from qcachegrind_py.models.base.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.base.index import make_index
from qcachegrind_py.models.base.plain_text import cell_text, tip_text
from qcachegrind_py.models.base.table import AnyIndex, Role, alignment
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_ids
from qcachegrind_py.profile.number_format import ACTIVE
from qcachegrind_py.profile.tables import BoolArray

BRANCHES_AT_ONCE = 1000  # 12 ms
_NO_INDEX = QModelIndex()
_RECURSION = "↻"
_COST, _COUNT, _NAME, _LOCATION = range(4)
_NUMBERS = (_COST, _COUNT)
_TITLES = ("Incl.", "Calls", "Function", "Location")
_TIPS = (
    f"Inclusive cost on this branch. {ESTIMATE}: shared out in proportion",
    f"How often it was called on this branch. {ACTIVE_TIP}",
    f"Name. {_RECURSION}: already on this branch",
    "Program or library, and source file",
)


@dataclass(frozen=True, slots=True)
class _Branch:
    """The data of a node before it is added to the tree."""

    function: NodeId  # `NO_NODE`: further branches
    cost: int | float
    count: int | float
    is_exact: bool
    is_shared: bool  # the count is estimated in proportion to the cost
    is_active: bool = False  # the call was still running when the profile was written


class CallTreeModel(QAbstractItemModel):
    """A tree whose nodes are functions on a branch; node 0 is the root, the active function."""

    COST, COUNT, NAME, LOCATION = _COST, _COUNT, _NAME, _LOCATION
    KEYS = ("cost", "count", "name", "location")  # of the columns, in saved headers
    PLAIN_TITLES = ("Level", *_TITLES, "Proven")

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._graph: CallGraph | None = None
        self._labels: Labels | None = None
        self._format = NO_FORMAT
        self._visible = np.empty(0, bool)  # of each call: whether it is a branch
        self._expandable = np.empty(0, bool)  # of each graph node: whether it has branches
        self._up = False
        self._highlighted = NO_NODE
        # background of highlighted rows; set by the view, which knows the palette
        self.tint = QBrush()
        self._role_handlers: dict[int, Callable[[int, int], object]] = {
            Qt.ItemDataRole.DisplayRole: lambda node, column: _TEXTS[column](self, node),
            Qt.ItemDataRole.TextAlignmentRole: lambda _node, column: alignment(column in _NUMBERS),
            Qt.ItemDataRole.BackgroundRole: self._background,
            Qt.ItemDataRole.ToolTipRole: lambda node, _column: self._tip(node),
            Role.FUNCTION: lambda node, _column: self._function[node],
            Role.SHARE: self._share,
            Role.HIGHLIGHT: self._is_highlighted,
        }
        self._clear_nodes()

    def _clear_nodes(self) -> None:
        self._function: list[NodeId] = []
        self._cost: list[int | float] = []
        self._count: list[int | float] = []
        self._above: list[int] = []
        self._row: list[int] = []
        self._is_exact: list[bool] = []  # of the cost; of the count, unless `_is_shared`
        self._is_shared: list[bool] = []
        self._is_active: list[bool] = []
        self._below: list[list[int] | None] = []  # None: not expanded yet
        self._more: dict[int, int] = {}  # of each node for further branches: their number

    def set_root(
        self,
        graph: CallGraph,
        labels: Labels,
        function: NodeId,
        format_: CostFormat,
        visible: BoolArray | None,
        *,
        up: bool,
    ) -> None:
        """Show the calls from a function, or up to its callers with `up`; resets the model.

        `visible`, shape (nodes,), tells which nodes pass the filter; None if there is no filter.
        """
        self.beginResetModel()
        self._graph, self._labels, self._format = graph, labels, format_
        self._up = up
        self._visible = graph.cost > 0
        other, one = graph.adjacency.callee, graph.adjacency.caller
        if up:
            other, one = one, other
        if visible is not None:
            self._visible &= visible[other]
        self._expandable = np.zeros(len(graph.inclusive), bool)
        self._expandable[one[self._visible]] = True
        self._clear_nodes()
        self._append(_Branch(function, as_number(graph.inclusive[function]), 0, True, False), -1, 0)
        self.endResetModel()

    def set_style(self, labels: Labels, format_: CostFormat) -> None:
        """Format the same nodes in another style."""
        self._labels, self._format = labels, format_
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(_TITLES) - 1)
        self.dataChanged.emit(self.index(0, 0), self.index(0, len(_TITLES) - 1))

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.beginResetModel()
        self._graph = self._labels = None
        self._clear_nodes()
        self.endResetModel()

    def highlight(self, function: NodeId) -> None:
        """Highlight the nodes of this function; `NO_NODE` for none."""
        self._highlighted = function

    def plain_row(self, index: AnyIndex) -> tuple[int | float | str | None, ...]:
        """Return a node's values for export, in the order of `PLAIN_TITLES` without the level."""
        node = self._node(index)
        return (
            round(self._cost[node]),
            round(self._count[node]) if self._above[node] >= 0 else None,
            *self._plain_names(node),
            exactness_label(self._is_exact[node], not self._is_shared[node]),
        )

    def _plain_names(self, node: int) -> tuple[str, str]:
        """Return name and location in full, and exactly."""
        if self._labels is None or node in self._more:
            return self._name_text(node), ""
        function = self._function[node]
        return self._labels.full_name(function), self._labels.location(function)

    # ---------------------------------------------------------------- nodes

    def function_of(self, index: AnyIndex) -> NodeId:
        """Return the function or cycle of a node."""
        return self._function[index.internalId()]

    def _node(self, index: AnyIndex) -> int:
        return int(index.internalId())

    def _append(self, branch: _Branch, above: int, row: int) -> None:
        self._function.append(branch.function)
        self._cost.append(branch.cost)
        self._count.append(branch.count)
        self._is_exact.append(branch.is_exact)
        self._is_shared.append(branch.is_shared)
        self._is_active.append(branch.is_active)
        self._above.append(above)
        self._row.append(row)
        self._below.append(None)

    def _children(self, node: int) -> list[int]:
        """Return the nodes below this one, costliest first; they are created on first use."""
        children = self._below[node]
        if children is None:
            children = self._below[node] = self._create_branches(node, 0)
        return children

    def show_more(self, index: AnyIndex) -> None:
        """Replace a node for further branches by the next ones."""
        more, parent = self._node(index), index.parent()
        above, row = self._above[more], self._row[more]
        siblings = self._children(above)
        self.beginRemoveRows(parent, row, row)
        siblings.pop()
        self.endRemoveRows()
        created = self._create_branches(above, row)
        self.beginInsertRows(parent, row, row + len(created) - 1)
        siblings.extend(created)
        self.endInsertRows()

    def _create_branches(self, node: int, begin: int) -> list[int]:
        """Create the next branches below a node that has `begin` already; return their nodes."""
        first = len(self._function)
        branches, further = self._branches(node, begin)
        for row, branch in enumerate(branches, begin):
            self._append(branch, node, row)
        if further:
            self._more[len(self._function) - 1] = further
        return list(range(first, len(self._function)))

    def _branches(self, node: int, begin: int) -> tuple[list[_Branch], int]:
        """Return the next branches below a node, costliest first, and how many others there are.

        If there are others, the last branch stands for them.
        """
        graph, function = self._graph, self._function[node]
        if graph is None or self._is_recursion(node):
            return [], 0
        rows = graph.incoming(function) if self._up else graph.outgoing(function)
        rows = rows[self._visible[rows]]
        costs, counts = graph.cost[rows], graph.adjacency.count[rows]
        shown = costliest_rows(costs, begin + BRANCHES_AT_ONCE)
        others = (graph.adjacency.caller if self._up else graph.adjacency.callee)[rows]
        inclusive, branch_cost = as_number(graph.inclusive[function]), self._cost[node]
        # where nothing is estimated, costs stay integers, exact to the last count
        is_whole = not node or (self._is_exact[node] and branch_cost == inclusive)
        factor = 1 if is_whole else min(branch_cost / max(1, int(inclusive)), 1.0)
        next_ = shown[begin:]
        columns = costs[next_].tolist(), (counts[next_] * factor).tolist()
        is_active = graph.adjacency.is_active[rows[next_]].tolist()
        branches = []
        for other, cost, count, active in zip(
            node_ids(others[next_]), *columns, is_active, strict=True
        ):
            is_all = self._is_exact[node] and cost == inclusive  # all of its cost is from this call
            share = branch_cost if is_all else cost * factor
            is_exact = is_whole or is_all
            branches.append(_Branch(other, share, count, is_exact, not is_whole, active))
        further = len(rows) - len(shown)
        if further:
            cost, count = (
                (as_number(column.sum()) - as_number(column[shown].sum())) * factor
                for column in (costs, counts)
            )
            branches.append(_Branch(NO_NODE, cost, count, is_whole, not is_whole))
        return branches, further

    def _is_recursion(self, node: int) -> bool:
        function, above = self._function[node], self._above[node]
        while above >= 0:
            if self._function[above] == function:
                return True
            above = self._above[above]
        return False

    # ---------------------------------------------------------------- Qt's model interface

    def index(self, row: int, column: int, parent: AnyIndex = _NO_INDEX) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        node = self._children(self._node(parent))[row] if parent.isValid() else 0
        return make_index(self, row, column, node)

    def parent(self, index: AnyIndex = _NO_INDEX) -> QModelIndex:  # type: ignore[override]
        above = self._above[self._node(index)] if index.isValid() else -1
        return make_index(self, self._row[above], 0, above) if above >= 0 else QModelIndex()

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        if not parent.isValid():
            return min(1, len(self._function))
        return len(self._children(self._node(parent))) if parent.column() == 0 else 0

    def hasChildren(self, parent: AnyIndex = _NO_INDEX) -> bool:  # noqa: N802
        """Tell without creating the branch: a cycle of 1,700 members would create 10,000 nodes."""
        if not parent.isValid():
            return bool(self._function)
        node = self._node(parent)
        is_first = parent.column() == 0
        return (
            is_first
            and node not in self._more
            and bool(self._expandable[self._function[node]])
            and not self._is_recursion(node)
        )

    def columnCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return len(_TITLES)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        handler = self._role_handlers.get(role)
        if handler is None or not index.isValid() or self._labels is None:
            return None
        node = self._node(index)
        return handler(node, index.column()) if node < len(self._function) else None

    def _share(self, node: int, column: int) -> float | None:
        return self._format.share(round(self._cost[node])) if column == _COST else None

    def _is_highlighted(self, node: int, _column: int) -> bool:
        return self._highlighted != NO_NODE and self._function[node] == self._highlighted

    def _background(self, node: int, column: int) -> QBrush | None:
        return self.tint if self._is_highlighted(node, column) else None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(_TITLES):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._format.heading(_TITLES[0]) if section == _COST else _TITLES[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(section in _NUMBERS)
        is_tip = role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.WhatsThisRole)
        return _TIPS[section] if is_tip else None

    def _tip(self, node: int) -> str:
        if not self._labels:
            return ""
        if node in self._more:
            return tip_text("Double-click to show more, costliest first.")
        cost = self._format.exact_text(round(self._cost[node]))
        lines = [f"{self._cost_text(node)} ({cost})"] if cost else []
        exact = exactness_text(self._is_exact[node])
        return tip_text(*self._labels.details(self._function[node]), *lines, exact)

    def _cost_text(self, node: int) -> str:
        mark = "" if self._is_exact[node] else ESTIMATE
        return mark + self._format.text(round(self._cost[node]))

    def _count_text(self, node: int) -> str:
        if self._is_active[node]:
            return ACTIVE
        if not self._count[node]:
            return ""
        mark = ESTIMATE if self._is_shared[node] else ""
        return mark + self._format.count_text(round(self._count[node]))

    def _name_text(self, node: int) -> str:
        if node in self._more:
            return f"{self._format.count_text(self._more[node])} more\N{HORIZONTAL ELLIPSIS}"
        name = cell_text(self._labels.name(self._function[node])) if self._labels else ""
        return f"{name}  {_RECURSION}" if self._is_recursion(node) else name

    def _location_text(self, node: int) -> str:
        if not self._labels or node in self._more:
            return ""
        return cell_text(self._labels.location(self._function[node]))


_TEXTS: tuple[Callable[[CallTreeModel, int], str], ...] = (
    CallTreeModel._cost_text,
    CallTreeModel._count_text,
    CallTreeModel._name_text,
    CallTreeModel._location_text,
)
