"""The tree widget of the Call Tree dock: opening branches, columns, menu, copying."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

import numpy as np
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import QMenu, QTreeView

from qcachegrind_py.profile.ids import FURTHER, NodeId
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.views.tables.columns import ColumnWidths
from qcachegrind_py.views.tables.item_model import AnyIndex, Role
from qcachegrind_py.views.tables.record_table import ACTIVATING_KEYS
from qcachegrind_py.views.tables.row_delegates import RowDelegate, set_delegates, soften_selection
from qcachegrind_py.views.tables.table_actions import (
    add_save_action,
    menu_target,
    run_menu,
    written_rows,
)
from qcachegrind_py.views.tables.tree_model import TreeModel
from qcachegrind_py.write.separated import ExportTable

_MEASURED_ROWS = 100  # of which names are measured: 1 ms
MOST_OPENED = 500  # rows that *Expand All* opens: 30 ms


class CallTree(QTreeView):
    """A tree of functions, whose branches can be opened one by one or many at once."""

    function_activated = Signal(object)  # NodeId
    function_selected = Signal(object)  # NodeId
    menu_requested = Signal(object, object)  # QMenu, NodeId
    save_requested = Signal(object)  # TableExport: save the visible rows
    all_opened = Signal(bool)  # after *Expand All*: whether no branch is left closed

    def __init__(self, model: TreeModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setAccessibleName("Call tree")
        self.setUniformRowHeights(True)
        self.setIndentation(self.fontMetrics().height() * 2 // 3)
        self.setAlternatingRowColors(True)
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setItemDelegate(RowDelegate(self))
        self._tree_model = model
        set_delegates(self, model.columns)
        self.setTreePosition(model.place("name"))
        self.setExpandsOnDoubleClick(False)
        self.doubleClicked.connect(self._activate)
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)
        header, digit = self.header(), self.fontMetrics().horizontalAdvance("0")
        header.setStretchLastSection(False)
        for number, column in enumerate(model.columns):
            header.resizeSection(number, digit * column.width)
        self.widths = ColumnWidths(header, model.columns)
        self._fit_timer = QTimer(self, singleShot=True, interval=0)  # many are opened at once
        self._fit_timer.timeout.connect(lambda: self.fit_columns(only_wider=True))
        self.expanded.connect(self._fit_timer.start)

    # ---------------------------------------------------------------- opening branches

    def open_root(self) -> None:
        """Open the root, scroll to it, and fit the columns."""
        self.expand(self.model().index(0, 0))
        self.scrollToTop()
        self.fit_columns()

    def fit_columns(self, *, only_wider: bool = False) -> None:
        """Fit the columns to all numbers, and to the names of the first rows."""
        self.widths.fit(self._measure_column, only_wider=only_wider)

    def _measure_column(self, column: int) -> int:
        model, metrics = self._tree_model, self.fontMetrics()
        texts = [model.title(column)]
        if model.columns[column].is_number:
            texts.append(model.largest_text(column))
        else:
            rows = range(min(_MEASURED_ROWS, len(model.tree.branch)))
            texts += map(model.columns[column].cells.text, rows)
        return max(metrics.horizontalAdvance(f"{text}00") for text in texts)

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
            menu.addAction("Expand &All Below", lambda: self.expand_all(index))
            menu.addAction("&Collapse All", self.collapse_all)
            if index.data(Role.FUNCTION) >= 0:
                self.menu_requested.emit(menu, index.data(Role.FUNCTION))
        menu.addSeparator()
        menu.addAction("Copy C&ell", lambda: clipboard.setText(str(index.data())))
        menu.addAction("&Copy Row", lambda: clipboard.setText(self._row_text(index)))
        add_save_action(menu, self._request_saving)
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
