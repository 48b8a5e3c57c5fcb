"""The calls below or above a function as a tree; its branches are created when they are expanded.

A function already on its own branch is shown once more, but cannot be expanded. Where a function
has very many branches, the costliest are followed by a node for all others, which `show_more`
replaces by the next ones: Qt asks for each node of a branch at once, which took 12 s for a million.

Nodes are numbered in the order of creation; their columns are Python lists that grow with them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QBrush, QColor, QFont

from qcachegrind_py.analysis.calls.call_tree import Branch, CallBranches, ComparedBranches
from qcachegrind_py.analysis.explanation.numbers import exactness_text
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.present.call_tree import (
    CALL_TREE_COLUMNS,
    RECURSION,
    BranchTexts,
    most_calls,
    plain_sides,
    plain_titles,
)
from qcachegrind_py.present.estimates import EXACTNESS
from qcachegrind_py.present.folds import no_mark
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.unit import ESTIMATE
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.views.common.item_model import AnyIndex, Role, alignment, make_index
from qcachegrind_py.views.common.plain_text import tip_text

BRANCHES_AT_ONCE = 1000  # 12 ms
_MEASURED_NODES = 100  # of which names are measured: 1 ms
_NO_INDEX = QModelIndex()
_COST, _SELF, _COUNT, _NAME, _LOCATION = range(len(CALL_TREE_COLUMNS))
_COSTS = (_COST, _SELF)


class CallTreeModel(QAbstractItemModel):
    """A tree whose nodes are functions on a branch; node 0 is the root, the active function."""

    COST, SELF, COUNT, NAME, LOCATION = _COST, _SELF, _COUNT, _NAME, _LOCATION
    columns = CALL_TREE_COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._branches: CallBranches | ComparedBranches | None = None
        self._labels: Labels | None = None
        self._texts = BranchTexts()
        self._highlighted = NO_NODE
        self.mark: Callable[[NodeId], str] = no_mark  # words behind names, in comparisons
        # background of highlighted rows; set by the view, which knows the palette
        self.tint = QBrush()
        self.match_font = QFont()  # of the names that the search matches; set by the view, too
        self._node_color: Callable[[NodeId], QColor | None] | None = None
        self._matches: BoolArray | None = None  # of each function and cycle; None: no search
        self._role_handlers: dict[int, Callable[[int, int], object]] = {
            Qt.ItemDataRole.DisplayRole: lambda node, column: _CELLS[column](self, node),
            Qt.ItemDataRole.TextAlignmentRole: lambda _node, column: alignment(
                CALL_TREE_COLUMNS[column].is_number
            ),
            Qt.ItemDataRole.BackgroundRole: self._background,
            Qt.ItemDataRole.DecorationRole: self._decoration,
            Qt.ItemDataRole.FontRole: self._font,
            Qt.ItemDataRole.ToolTipRole: self._tip,
            Role.FUNCTION: lambda node, _column: self._nodes[node].function,
            Role.SHARE: self._share,
            Role.CHANGE: self._change,
            Role.MARK: self._mark_of,
            Role.HIGHLIGHT: self._is_highlighted,
        }
        self._clear_nodes()

    def _clear_nodes(self) -> None:
        self._nodes: list[Branch] = []
        self._most_called = 0
        self._above: list[int] = []
        self._row: list[int] = []
        self._below: list[list[int] | None] = []  # None: not expanded yet
        self._more: dict[int, int] = {}  # of each node for further branches: their number

    def set_root(
        self,
        branches: CallBranches | ComparedBranches,
        labels: Labels,
        function: NodeId,
        texts: BranchTexts,
    ) -> None:
        """Show the calls from a function, or those that led to it; resets the model."""
        self.beginResetModel()
        self._branches, self._labels, self._texts = branches, labels, texts
        self._clear_nodes()
        self._append(branches.root(function), -1, 0)
        self.endResetModel()

    def set_style(self, labels: Labels, texts: BranchTexts) -> None:
        """Format the same nodes in another style."""
        self._labels, self._texts = labels, texts
        last = len(CALL_TREE_COLUMNS) - 1
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)
        self.dataChanged.emit(self.index(0, 0), self.index(0, last))

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.beginResetModel()
        self._branches = self._labels = None
        self._clear_nodes()
        self.endResetModel()

    def highlight(self, function: NodeId) -> None:
        """Highlight the nodes of this function; `NO_NODE` for none."""
        self._highlighted = function

    def set_colors(self, node_color: Callable[[NodeId], QColor | None]) -> None:
        """Mark the names of functions with the colours that they have in pictures, too."""
        self._node_color = node_color

    def set_matches(self, matches: BoolArray | None) -> None:
        """Emphasize the names of these functions, shape (nodes,); of none if it is None."""
        self._matches = matches

    def plain_row(self, index: AnyIndex) -> tuple[int | float | str | None, ...]:
        """Return a node's values for export, in the order of `plain_titles` without the level."""
        node = self._node(index)
        branch, (self_cost, is_self_exact) = self._nodes[node], self._self_cost(node)
        return (
            round(branch.cost),
            None if self_cost is None else round(self_cost),
            round(branch.count) if self._above[node] >= 0 else None,
            *self._plain_names(node),
            EXACTNESS[1 + (is_self_exact and not branch.is_shared) if branch.is_proven else 0],
            *plain_sides(branch, is_root=self._above[node] < 0),
        )

    def plain_titles(self) -> tuple[str, ...]:
        """Return the titles of `plain_row`, behind that of the level."""
        return plain_titles(compared=isinstance(self._branches, ComparedBranches))

    def _plain_names(self, node: int) -> tuple[str, str]:
        """Return name and location in full, and exactly."""
        if self._labels is None or node in self._more:
            return self._name_text(node), ""
        function = self._nodes[node].function
        return self._labels.full_name(function), self._labels.location(function)

    # ---------------------------------------------------------------- nodes

    def function_of(self, index: AnyIndex) -> NodeId:
        """Return the function or cycle of a node."""
        return self._nodes[index.internalId()].function

    def path_to(self, index: AnyIndex) -> tuple[NodeId, ...]:
        """Return the functions from the root to a node; the last is `FURTHER` for further ones."""
        path, node = [], self._node(index)
        while node >= 0:
            path.append(self._nodes[node].function)
            node = self._above[node]
        return tuple(path[::-1])

    def cost_of(self, index: AnyIndex) -> int | float:
        """Return the inclusive cost of a node."""
        return self._nodes[self._node(index)].cost

    def branch_to(self, index: AnyIndex, function: NodeId) -> QModelIndex:
        """Return the branch of a node to a function, which it has; costlier ones are created."""
        row, children = 0, self._children(self._node(index))
        while self._nodes[children[row]].function != function:
            if children[row] in self._more:
                self.show_more(self.index(row, 0, index))
            else:
                row += 1
        return self.index(row, 0, index)

    def _node(self, index: AnyIndex) -> int:
        return int(index.internalId())

    def _append(self, branch: Branch, above: int, row: int) -> None:
        self._nodes.append(branch)
        if most_calls(branch) >= most_calls(self._nodes[self._most_called]):
            self._most_called = len(self._nodes) - 1
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
        first = len(self._nodes)
        if self._branches is None or self._is_recursion(node):
            return []
        branches, further = self._branches.below(self._nodes[node], begin, BRANCHES_AT_ONCE)
        for row, branch in enumerate(branches, begin):
            self._append(branch, node, row)
        if further:
            self._more[len(self._nodes) - 1] = further
        return list(range(first, len(self._nodes)))

    def _is_recursion(self, node: int) -> bool:
        function, above = self._nodes[node].function, self._above[node]
        while above >= 0:
            if self._nodes[above].function == function:
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
            return min(1, len(self._nodes))
        return len(self._children(self._node(parent))) if parent.column() == 0 else 0

    def hasChildren(self, parent: AnyIndex = _NO_INDEX) -> bool:  # noqa: N802
        """Tell without creating the branch: a cycle of 1,700 members would create 10,000 nodes."""
        if not parent.isValid():
            return bool(self._nodes)
        node = self._node(parent)
        is_first = parent.column() == 0
        return (
            is_first
            and node not in self._more
            and self._branches is not None
            and bool(self._branches.has_branches[self._nodes[node].function])
            and not self._is_recursion(node)
        )

    def columnCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return len(CALL_TREE_COLUMNS)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        handler = self._role_handlers.get(role)
        if handler is None or not index.isValid() or self._labels is None:
            return None
        node = self._node(index)
        return handler(node, index.column()) if node < len(self._nodes) else None

    def _share(self, node: int, column: int) -> float | None:
        return None if self._texts.is_change else self._length(node, column)

    def _change(self, node: int, column: int) -> float | None:
        return self._length(node, column) if self._texts.is_change else None

    def _length(self, node: int, column: int) -> float | None:
        """Return the length of a bar; None in columns without bars."""
        cost = self._cost_of(node, column)[0]
        return None if cost is None else self._texts.bar(round(cost))

    def _cost_of(self, node: int, column: int) -> tuple[int | float | None, bool]:
        """Return the cost that a cell shows, if any, and whether it is exact."""
        if column == _COST:
            return self._nodes[node].cost, self._nodes[node].is_proven
        return self._self_cost(node) if column == _SELF else (None, True)

    def _self_cost(self, node: int) -> tuple[int | float | None, bool]:
        return self._branches.self_cost(self._nodes[node]) if self._branches else (None, True)

    def _decoration(self, node: int, column: int) -> QColor | None:
        """Return the colour in front of a function's name."""
        if self._node_color is None or column != _NAME or node in self._more:
            return None
        function = self._nodes[node].function
        return self._node_color(function) if function >= 0 else None

    def _font(self, node: int, column: int) -> QFont | None:
        if self._matches is None or column != _NAME or node in self._more:
            return None
        function = self._nodes[node].function
        return self.match_font if function >= 0 and self._matches[function] else None

    def _mark_of(self, node: int, column: int) -> str:
        function = self._nodes[node].function
        return self.mark(function) if column == _NAME and function >= 0 else ""

    def _is_highlighted(self, node: int, _column: int) -> bool:
        return self._highlighted >= 0 and self._nodes[node].function == self._highlighted

    def _background(self, node: int, column: int) -> QBrush | None:
        return self.tint if self._is_highlighted(node, column) else None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(CALL_TREE_COLUMNS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.title(section)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(CALL_TREE_COLUMNS[section].is_number)
        is_tip = role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.WhatsThisRole)
        return CALL_TREE_COLUMNS[section].tip if is_tip else None

    def title(self, column: int) -> str:
        """Return the present title of a column."""
        title = CALL_TREE_COLUMNS[column].title
        return self._texts.heading(title) if column in _COSTS else title

    def widest_texts(self, column: int) -> list[str]:
        """Return texts among which is the widest of a column of numbers.

        Of other columns these are the texts of the first nodes.
        """
        if column == _COUNT:
            return [2 * ESTIMATE + self._count_text(self._most_called)]
        if column in _COSTS:
            return [ESTIMATE + self._texts.number(round(node.cost)) for node in self._nodes[:1]]
        nodes = range(min(_MEASURED_NODES, len(self._nodes)))
        return [_CELLS[column](self, node) for node in nodes]

    def _tip(self, node: int, column: int) -> str:
        if not self._labels:
            return ""
        if node in self._more:
            return tip_text("Double-click to show more, costliest first.")
        shown = _SELF if column == _SELF else _COST
        cost, _ = self._cost_of(node, shown)
        exact_cost = self._texts.exact(round(cost)) if cost else ""
        lines = [f"{_CELLS[shown](self, node)} ({exact_cost})"] if exact_cost else []
        branch = self._nodes[node]
        exact = exactness_text(branch.is_proven)
        return tip_text(*self._labels.details(branch.function), *lines, exact)

    def _cost_text(self, node: int) -> str:
        return self._texts.cost(self._nodes[node])

    def _self_text(self, node: int) -> str:
        cost, is_exact = self._self_cost(node)
        return self._texts.self_cost(cost, is_exact=is_exact)

    def _count_text(self, node: int) -> str:
        return self._texts.calls(self._nodes[node])

    def _name_text(self, node: int) -> str:
        if node in self._more:
            return f"{self._texts.count(self._more[node])} more\N{HORIZONTAL ELLIPSIS}"
        name = cell_text(self._labels.name(self._nodes[node].function)) if self._labels else ""
        return f"{name}  {RECURSION}" if self._is_recursion(node) else name

    def _location_text(self, node: int) -> str:
        if not self._labels or node in self._more:
            return ""
        return cell_text(self._labels.location(self._nodes[node].function))


_CELLS: tuple[Callable[[CallTreeModel, int], str], ...] = (
    CallTreeModel._cost_text,
    CallTreeModel._self_text,
    CallTreeModel._count_text,
    CallTreeModel._name_text,
    CallTreeModel._location_text,
)
