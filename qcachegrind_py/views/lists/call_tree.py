"""The Call Tree dock: calls as a tree, down to the callees or up to the callers.

Branches are created when they are opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from heapq import heappop, heappush
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QAbstractItemModel,
    QByteArray,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import QComboBox, QLabel, QMenu, QTreeView, QWidget

from qcachegrind_py.analysis.calls.call_tree import (
    BranchSearch,
    ComparedBranches,
    SearchedBranches,
)
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.numbers import (
    WHY_ESTIMATED,
    EstimateKey,
    EstimateKind,
    Measure,
    NumberRequest,
)
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.present.call_tree import (
    NO_CALL_TREE,
    BranchTree,
    CallTreeTable,
    call_tree_table,
)
from qcachegrind_py.present.context import Change
from qcachegrind_py.present.number_request import number_request, parent_of_calls
from qcachegrind_py.present.table import Column
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import FURTHER, NO_NODE, NodeId
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.profile_view import ProfileView, header_row, stacked
from qcachegrind_py.views.tables.column_header import ColumnHeader
from qcachegrind_py.views.tables.columns import ColumnWidths, HeaderState, needed_widths
from qcachegrind_py.views.tables.item_model import AnyIndex, Role, make_index
from qcachegrind_py.views.tables.record_table import ACTIVATING_KEYS
from qcachegrind_py.views.tables.row_delegates import (
    RowDelegate,
    draw_rows_plainly,
    set_delegates,
    soften_selection,
)
from qcachegrind_py.views.tables.table_actions import (
    add_save_action,
    copy_menu,
    menu_target,
    run_menu,
    written_rows,
)
from qcachegrind_py.views.tables.table_model import TableCells
from qcachegrind_py.views.widgets.colors import list_colors
from qcachegrind_py.views.widgets.controls import FindEdit, NoteLabel, text_button, tip_text
from qcachegrind_py.views.widgets.empty_page import no_calls_reason
from qcachegrind_py.write.separated import ExportTable

_NO_INDEX = QModelIndex()


class TreeModel(TableCells, QAbstractItemModel):
    """Shows a `CallTreeTable`; the internal id of an index is the row of the table."""

    is_sortable = False
    table: CallTreeTable

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(NO_CALL_TREE, parent)
        self._matches: BoolArray | None = None  # of each function and cycle; None: no search

    @property
    def tree(self) -> BranchTree:
        """The branches that were opened."""
        return self.table.tree

    def show(self, table: CallTreeTable) -> None:
        """Show another tree; resets the model."""
        self.beginResetModel()
        self.table = table
        self.endResetModel()

    def show_numbers(self, table: CallTreeTable) -> None:
        """Show the same tree in other words and units; open branches stay open."""
        self.table = table
        self.redraw()

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.show(NO_CALL_TREE)

    def set_matches(self, matches: BoolArray | None) -> None:
        """Emphasize the names of these functions, shape (nodes,); of none if it is None."""
        self._matches = matches

    # ---------------------------------------------------------------- branches

    def record(self, index: AnyIndex) -> int:
        return int(index.internalId())

    def branch_to(self, index: AnyIndex, function: NodeId) -> QModelIndex:
        """Return the branch of a node to a function, which it has; costlier ones are created."""
        place, below = 0, self.tree.below(self.record(index))
        while self.tree.function(below[place]) != function:
            if below[place] in self.tree.further:
                self.show_more(self.index(place, 0, index))
            else:
                place += 1
        return self.index(place, 0, index)

    def show_more(self, index: AnyIndex) -> None:
        """Replace a node for further branches by the next ones."""
        above, place, parent = self.tree.above[self.record(index)], index.row(), index.parent()
        siblings = self.tree.below(above)
        self.beginRemoveRows(parent, place, place)
        siblings.pop()
        self.endRemoveRows()
        created = self.tree.create(above, place)
        self.beginInsertRows(parent, place, place + len(created) - 1)
        siblings.extend(created)
        self.endInsertRows()

    # ---------------------------------------------------------------- cells

    def _tip(self, record: int, column: Column) -> str:
        lines = self.table.cell_tip(record, column)
        return tip_text(*lines) if lines else ""

    def color(self, record: int, column: Column) -> QColor | None:
        return super().color(record, column) if self.table.node(record) >= 0 else None

    def is_bold(self, record: int, column: Column) -> bool:
        """Whether a name matches what is searched for."""
        function, matches = self.table.node(record), self._matches
        if matches is None or function < 0 or not column.stretches:
            return False
        return bool(matches[function])

    # ---------------------------------------------------------------- Qt's model interface

    def index(self, row: int, column: int, parent: AnyIndex = _NO_INDEX) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        record = self.tree.below(self.record(parent))[row] if parent.isValid() else 0
        return make_index(self, row, column, record)

    def parent(self, index: AnyIndex = _NO_INDEX) -> QModelIndex:  # type: ignore[override]
        above = self.tree.above[self.record(index)] if index.isValid() else -1
        return make_index(self, self.tree.place[above], 0, above) if above >= 0 else QModelIndex()

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        if not parent.isValid():
            return min(1, len(self.tree.branch))
        return len(self.tree.below(self.record(parent))) if parent.column() == 0 else 0

    def hasChildren(self, parent: AnyIndex = _NO_INDEX) -> bool:  # noqa: N802
        if not parent.isValid():
            return bool(self.tree.branch)
        return parent.column() == 0 and self.tree.has_branches(self.record(parent))

    def columnCount(self, _parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return len(self.columns)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        handler = self._role_handlers.get(role)
        if handler is None or not index.isValid():
            return None
        record = self.record(index)
        is_there = record < len(self.tree.branch)
        return handler(record, self.columns[index.column()]) if is_there else None


_MEASURED_ROWS = 100  # of which names are measured: 1 ms
MOST_OPENED = 500  # rows that *Expand All* opens: 30 ms


class CallTree(QTreeView):
    """A tree of functions, whose branches can be opened one by one or many at once."""

    function_activated = Signal(object)  # NodeId
    function_selected = Signal(object)  # NodeId
    menu_requested = Signal(object, object)  # QMenu, NodeId
    save_requested = Signal(object)  # TableExport: save the visible rows
    all_opened = Signal(bool)  # after *Expand All*: whether no branch is left closed
    _opened = Signal()

    def __init__(self, model: TreeModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setAccessibleName("Call tree")
        self.setUniformRowHeights(True)
        self.setIndentation(self.fontMetrics().height() * 2 // 3)
        self.setAlternatingRowColors(True)
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setItemDelegate(RowDelegate(self))
        draw_rows_plainly(self)
        self._tree_model = model
        beside_bars: dict[int, int] = {}  # widths of the numbers in columns with bars
        self.setHeader(ColumnHeader(beside_bars, self))
        set_delegates(self, model.columns, beside_bars)
        self.setTreePosition(model.place("name"))
        self.setExpandsOnDoubleClick(False)
        self.doubleClicked.connect(self._activate)
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)
        header, digit = self.header(), self.fontMetrics().horizontalAdvance("0")
        header.setStretchLastSection(False)
        for number, column in enumerate(model.columns):
            header.resizeSection(number, digit * column.width)
        self.widths = ColumnWidths(header, model.columns, beside_bars)
        self._is_fitted = True  # or columns will be, for many branches at once, before painting
        self.expanded.connect(self._on_expanded)
        self._opened.connect(self._fit_opened, Qt.ConnectionType.QueuedConnection)

    # ---------------------------------------------------------------- opening branches

    def open_root(self) -> None:
        self.expand(self.model().index(0, 0))
        self.scrollToTop()
        self.executeDelayedItemsLayout()  # which creates the branches that are measured
        self.fit_columns()

    def restore_columns(self, state: HeaderState) -> None:
        self.widths.restore(state)
        self._on_expanded()  # columns that appear have to be fitted

    def _on_expanded(self) -> None:
        if self._is_fitted:
            self._is_fitted = False
            self._opened.emit()

    def _fit_opened(self) -> None:
        if not self._is_fitted and self._tree_model.rowCount():  # the next tree may be empty
            self.fit_columns(only_wider=True)
        self._is_fitted = True

    def fit_columns(self, *, only_wider: bool = False) -> None:
        """Fit the columns to all numbers, and to the names of the first rows."""
        self._is_fitted = True
        self.widths.fit(self._measure_column, only_wider=only_wider)

    def _measure_column(self, column: int) -> tuple[int, int]:
        model, texts = self._tree_model, list[str]()
        if not model.columns[column].is_number:
            rows = range(min(_MEASURED_ROWS, len(model.tree.branch)))
            texts = list(map(model.columns[column].cells.text, rows))
        return needed_widths(model.columns[column], self.fontMetrics(), texts)

    def drawBranches(self, painter: QPainter, rect: QRect, index: AnyIndex) -> None:  # noqa: N802
        """Draw the arrow of a row; in a selected one on the light colour of its cells."""
        if self.selectionModel().isSelected(index):
            palette = QPalette(self.palette())
            soften_selection(palette)
            painter.fillRect(rect, palette.color(QPalette.ColorRole.Highlight))
        super().drawBranches(painter, rect, index)

    def expand_all(self, branch: AnyIndex | None = None) -> None:
        """Open the branches below one, or all, costliest first, up to some hundred rows.

        The tree may have more branches than anything can hold: they are all ways through calls.
        """
        model, opened = self._tree_model, 0
        top = model.index(0, 0) if branch is None else branch.sibling(branch.row(), 0)
        waiting = [(0.0, 0, top)]  # by cost; indexes of equal cost cannot be compared
        while waiting and opened < MOST_OPENED:
            index = heappop(waiting)[2]
            self.expand(index)
            for row in range(model.rowCount(index)):
                below, opened = model.index(row, 0, index), opened + 1
                if model.hasChildren(below):
                    cost = model.tree.branch[model.record(below)].cost
                    heappush(waiting, (-cost, opened, below))
        self.all_opened.emit(not waiting)

    def collapse_all(self) -> None:
        """Close all branches but the root."""
        self.collapseAll()
        self.open_root()

    def show_path(self, path: Sequence[NodeId]) -> None:
        """Open the branches along the functions of a path from the root; go to its end."""
        model, index = self._tree_model, self._tree_model.index(0, 0)
        for function in path[1:]:
            self.expand(index)
            index = model.branch_to(index, function)
        self.setCurrentIndex(index)
        self.scrollTo(index, QTreeView.ScrollHint.PositionAtCenter)

    def _activate(self, index: AnyIndex) -> None:
        if index.isValid() and index.data(Role.FUNCTION) == FURTHER:
            self._show_more(index)
        elif index.isValid() and index.data(Role.FUNCTION) >= 0:
            self.function_activated.emit(index.data(Role.FUNCTION))

    def _show_more(self, index: AnyIndex) -> None:
        """Show the next branches in place of the node for further ones."""
        parent, row = QPersistentModelIndex(index.parent()), index.row()
        self._tree_model.show_more(index)
        self.setCurrentIndex(self._tree_model.index(row, 0, parent))

    def _on_current_changed(self, index: QModelIndex) -> None:
        if index.isValid() and self.hasFocus() and index.data(Role.FUNCTION) >= 0:
            self.function_selected.emit(index.data(Role.FUNCTION))

    def _row_text(self, index: AnyIndex) -> str:
        columns = filter(self.widths.has_place, range(self.model().columnCount()))
        row = index.row()
        return "\t".join(str(index.sibling(row, column).data()) for column in columns)

    def export_table(self) -> ExportTable:
        """Return all visible rows for other programs, each with its level; the root has level 0."""
        rows: list[int] = []
        index = self.model().index(0, 0)
        while index.isValid():
            rows.append(self._tree_model.record(index))
            index = self.indexBelow(index)
        written = self._tree_model.table.written
        assert written is not None
        return written_rows(written.columns, np.array(rows, np.int64), NoProgress())

    def _request_saving(self) -> None:
        table = self.export_table()  # now, as only the main thread may read the tree
        self.save_requested.emit(lambda _progress: table)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        index, position = menu_target(self, event)
        if not index.isValid():
            return
        clipboard, menu = QGuiApplication.clipboard(), QMenu(self)
        menu.setToolTipsVisible(True)
        if index.data(Role.FUNCTION) == FURTHER:
            menu.addAction("&Show More", lambda: self._activate(index))
        else:
            if index.data(Role.FUNCTION) >= 0:
                menu.addAction("&Go to Function", lambda: self._activate(index))
            menu.addAction("&Expand Costliest Branch", lambda: self._expand_costliest(index))
            menu.addAction("Expand All &Below", lambda: self.expand_all(index))
            menu.addAction("C&ollapse All", self.collapse_all)
            if index.data(Role.FUNCTION) >= 0:
                self.menu_requested.emit(menu, index.data(Role.FUNCTION))
        copies = copy_menu(menu)
        copies.addAction("Copy C&ell", lambda: clipboard.setText(str(index.data())))
        copies.addAction("&Copy Row", lambda: clipboard.setText(self._row_text(index)))
        add_save_action(copies, self._request_saving)
        run_menu(self, menu, position)

    def _expand_costliest(self, branch: QPersistentModelIndex) -> None:
        """Open the costliest branch down to its end, at most as deep as a window is high."""
        index = branch.sibling(branch.row(), 0)
        for _ in range(50):
            self.expand(index)
            if not self.model().hasChildren(index):
                break
            index = self.model().index(0, 0, index)
        self.scrollTo(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self._row_text(self.currentIndex()))
        elif event.key() in ACTIVATING_KEYS:
            self._activate(self.currentIndex())
        elif event.key() == Qt.Key.Key_Asterisk:  # Qt would open all branches, without end
            self.expand_all(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.widths.distribute()


_SEARCH_SLOT = "call tree search"
_NOTHING, _CUT = "No match", "No match in the costliest branches"
SearchedTree = tuple[SearchedBranches, Labels, NodeId]  # its branches, their names and its root
_STYLE_CHANGES = Change.COLORS | Change.UNIT | Change.NUMBERS | Change.NAMES | Change.SELECTION
_MEASURES = {"self": Measure.SELF, "count": Measure.COUNT}  # of columns other than costs
_ESTIMATE_NOTE, _WHY_ESTIMATED = "≈ estimated", f"≈: estimated, because {WHY_ESTIMATED}"
_CLOSED_NOTE = f"Only the costliest {MOST_OPENED} rows are open"


class CallTreeSearch:
    """The search field, the label beside it, and the job that looks for the next place."""

    def __init__(
        self,
        jobs: JobRunner,
        emphasize: Callable[[BoolArray | None], None],
        show_path: Callable[[list[NodeId]], None],
    ) -> None:
        """`emphasize` gets the functions and cycles that match, `show_path` each place found."""
        self._jobs, self._emphasize, self._show_path = jobs, emphasize, show_path
        self._tree: SearchedTree | None = None
        self._matches: BoolArray | None = None
        self._search: BranchSearch | None = None  # None: not begun
        self._found = 0  # places shown since it began
        self.edit = FindEdit("Search in call tree")
        self.edit.textChanged.connect(self._restart)
        self.edit.returnPressed.connect(self.show_next)
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)

    def set_tree(self, tree: SearchedTree | None) -> None:
        """Search another tree: its branches, their names and its root."""
        self._tree = tree
        self._restart()

    def _restart(self) -> None:
        self._jobs.cancel(_SEARCH_SLOT)
        self._search, self._found = None, 0
        self.label.setText("")
        text, self._matches = self.edit.text(), None
        if text and self._tree is not None:
            self._matches = self._tree[1].nodes_containing(text)
        self._emphasize(self._matches)

    def show_next(self) -> None:
        """Look for the next place in a job, and show it; after the last, begin again."""
        if self._tree is None or self._matches is None or self._jobs.is_running(_SEARCH_SLOT):
            return
        (branches, _, root), matches, begun = self._tree, self._matches, self._search

        def work(progress: Progress) -> tuple[BranchSearch, list[NodeId] | None]:
            search = begun or BranchSearch(branches, root, matches)
            return search, search.next_path(progress)

        job = self._jobs.start(_SEARCH_SLOT, work)
        job.finished.connect(lambda result: self._show(*result))

    def _show(self, search: BranchSearch, path: list[NodeId] | None) -> None:
        self._search = search
        if path is not None:
            self._found += 1
            self.label.setText("")
            self._show_path(path)
        elif self._found:
            self._restart()
            self.show_next()
        else:
            self.label.setText(_CUT if search.is_cut else _NOTHING)


class Tree(Enum):
    """What a tree begins with, and where it goes; the value is in saved states."""

    CALLEES = "down"
    CALLERS = "up"
    PROGRAM = "program"
    INVERTED = "inverted"

    @property
    def goes_up(self) -> bool:
        return self in (Tree.CALLERS, Tree.INVERTED)

    @property
    def is_of_program(self) -> bool:
        return self in (Tree.PROGRAM, Tree.INVERTED)


_TREES = {
    Tree.CALLEES: ("Callees", "From the active function down to its callees"),
    Tree.CALLERS: ("Callers", "From the active function up to its callers"),
    Tree.PROGRAM: ("Whole Program", "From where the program begins down to all callees"),
    Tree.INVERTED: (
        "Whole Program, Inverted",
        "All functions by self cost, and below each the callers that it was spent for",
    ),
}


class CallTreeView(ProfileView):
    """A call tree rooted at the active function, or at the whole program.

    A click on an arrow, or Right, opens a branch; a double click, or Return, makes its function
    active.
    """

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.code_changes())

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.model = TreeModel(self)
        self.tree = CallTree(self.model)
        self.connect_navigation(self.tree)
        self.tree.menu_requested.connect(self.menu_requested)
        self.connect_saving(self.tree, self.tree.save_requested)
        self.tree.all_opened.connect(self._on_all_opened)
        self.search = CallTreeSearch(session.jobs, self._emphasize, self.tree.show_path)
        tip = "Open all branches, costliest first"
        self.expand_button = text_button("E&xpand All", tip, self.tree.expand_all)
        self.note = NoteLabel()
        self._hidden_note = ""
        self.tree_box = QComboBox()
        self.tree_box.setAccessibleName("Tree")
        for tree, (title, tip) in _TREES.items():
            self.tree_box.addItem(title, tree)
            self.tree_box.setItemData(self.tree_box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.tree_box.activated.connect(lambda _: self._choose(self.tree_box.currentData()))
        self._chosen = Tree.CALLEES
        self._shown: Tree | None = None
        self._is_of_recorded = True  # whether the shown program has the recorded total
        self.set_content(self._create_content(), self.tree)
        self._choose(self._chosen)

    def _create_content(self) -> QWidget:
        edit, label = self.search.edit, self.search.label
        row = header_row(self.tree_box, self.expand_button, edit, label, most=edit)
        return stacked(QWidget(), row, self.tree, self.note)

    def _choose(self, tree: Tree) -> None:
        is_other, self._chosen = tree is not self._chosen, tree
        self.tree_box.setCurrentIndex(self.tree_box.findData(tree))
        self.tree_box.setToolTip(_TREES[tree][1])
        if is_other:
            self.refresh_for(Change.FUNCTION)

    def save_state(self) -> list[QByteArray]:
        chosen = QByteArray(self._chosen.value.encode())
        return [self.tree.widths.state().to_bytes(), chosen]

    def restore_state(self, states: list[QByteArray]) -> None:
        if len(states) == len(self.save_state()):
            state = HeaderState.from_bytes(states[0])
            if state is not None:
                self.tree.restore_columns(state)
            saved = {tree.value.encode(): tree for tree in Tree}
            self._choose(saved.get(bytes(states[1].data()), Tree.CALLEES))

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the tree with the active function, or the whole program, as its root."""
        context = query.context
        self.model.highlight(context.selected)
        self.tree.viewport().update()
        chosen, is_program = self._chosen, self._chosen.is_of_program
        if is_program and context.of_recorded != self._is_of_recorded:
            change |= Change.EVENT  # the whole costs something else
        stays = Change.SELECTION
        if is_program and self._shown is chosen:
            stays |= Change.FUNCTION
        if not change & ~stays:
            return
        message = no_calls_reason(query)
        if message or context.event is None:
            self._shown = None
            self.model.clear()
            self.search.set_tree(None)
            self.show_message(message)
            return
        self.model.set_node_colors(list_colors(query))
        if change & ~_STYLE_CHANGES == Change(0):  # open branches stay open
            self.model.show_numbers(call_tree_table(query, self.model.tree, is_program=is_program))
            self.tree.fit_columns()
            return
        visible, root = query.visible_nodes(), NO_NODE if is_program else context.function
        self._shown, self._is_of_recorded = chosen, context.of_recorded

        def branches_in(scope: Scope) -> SearchedBranches:
            return query.call_branches(root, scope, visible, up=chosen.goes_up)

        branches = branches_in(context.scope)
        tree = BranchTree(branches, root)
        if context.base is not None:
            tree = BranchTree(ComparedBranches(branches_in(context.base), branches), root)
        # callers have other costs, too
        self.tree.widths.show(self.model.places("self"), not chosen.goes_up)
        self.model.show(call_tree_table(query, tree, is_program=is_program))
        self.search.set_tree((branches, query.labels(), root))
        self.tree.open_root()
        hidden = int((~visible).sum()) if visible is not None else 0
        count = format_count(hidden, context.numbers)
        self._hidden_note = f"{count} functions are hidden by the filter" if hidden else ""
        self._on_all_opened(True)
        self.show_content()

    def current_number(self) -> NumberRequest | None:
        """Return cost, self cost or number of calls of the current branch."""
        query, index = self.session.query, self.tree.currentIndex()
        path = self.model.tree.path(self.model.record(index)) if index.isValid() else ()
        if query is None or FURTHER in path or not path:
            return None
        is_program = path[0] == NO_NODE
        path = path[1:] if is_program else path
        measure = _MEASURES.get(self.model.columns[index.column()].key, Measure.COST)
        up, is_root = self._chosen.goes_up, len(path) <= 1
        if (up and measure is Measure.SELF) or (is_root and measure is Measure.COUNT):
            measure = Measure.COST
        if min(path[-2:], default=NO_NODE) < 0:
            measure = Measure.COST
        key = EstimateKey(
            EstimateKind.BRANCH, path, measure, up=up, is_program=is_program,
            of_recorded=query.context.of_recorded,
        )  # fmt: skip
        parent = None if is_program else parent_of_calls(query, path[0])
        return number_request(query, key, parent=parent)

    def _emphasize(self, matches: BoolArray | None) -> None:
        """Show the names that the search matches in bold."""
        self.model.set_matches(matches)
        self.tree.viewport().update()

    def _on_all_opened(self, is_complete: bool) -> None:
        """Say below the tree what it does not show, and what ≈ means."""
        closed = "" if is_complete else _CLOSED_NOTE
        note, why = _ESTIMATE_NOTE, _WHY_ESTIMATED
        if self.model.tree.has_stacks:
            note = why = ""
        shown = " · ".join(filter(None, (closed, self._hidden_note, note)))
        self.note.setText(shown)
        self.note.setToolTip(tip_text(*filter(None, (shown, why))) if shown else "")
