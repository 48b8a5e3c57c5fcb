"""The Call Tree dock: calls as a tree, down to the callees or up to the callers."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.models.base.columns import WHY_ESTIMATED
from qcachegrind_py.models.base.table import AnyIndex, Role
from qcachegrind_py.models.call_tree import CallTreeModel
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.reports.table_export import ExportTable, Value
from qcachegrind_py.session.context import Change
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.columns.header_state import (
    HeaderState,
    apply_header_state,
    header_state,
)
from qcachegrind_py.views.common.empty_reasons import no_calls_reason
from qcachegrind_py.views.common.profile_view import NoteLabel, ProfileView
from qcachegrind_py.views.common.record_table import ACTIVATING_KEYS
from qcachegrind_py.views.common.row_delegates import (
    CostBarDelegate,
    ElideLeftDelegate,
    RowDelegate,
    highlight_brush,
)
from qcachegrind_py.views.common.table_actions import add_save_action, menu_target, run_menu
from qcachegrind_py.views.common.view_query import ViewQuery

_STYLE_CHANGES = Change.UNIT | Change.NUMBERS | Change.NAMES | Change.SELECTION
_ESTIMATE_NOTE = f"≈: estimated, because {WHY_ESTIMATED}."


class CallTreeView(ProfileView):
    """A call tree rooted at the active function.

    A click on an arrow, or Right, opens a branch; a double click, or Return, makes its function
    active.
    """

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.code_changes())

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.model = CallTreeModel(self)
        self.tree = _Tree(self.model)
        self.connect_navigation(self.tree)
        self.tree.menu_requested.connect(self.menu_requested)
        self.connect_saving(self.tree, self.tree.save_requested)
        self.filter_note = NoteLabel()
        self.filter_note.hide()
        self.callees_button, self.callers_button = QToolButton(), QToolButton()
        self._direction_buttons = QButtonGroup(self)
        self._direction_buttons.buttonClicked.connect(
            lambda _button: self.refresh_for(Change.FUNCTION)
        )
        self.set_content(self._create_content())
        self.initial_focus = self.tree

    def _create_content(self) -> QWidget:
        texts = (
            (
                self.callees_button,
                "&Callees",
                "From the active function down to its callees",
            ),
            (self.callers_button, "C&allers", "From the active function up to its callers"),
        )
        content, row = QWidget(), QHBoxLayout()
        for button, text, tip in texts:
            button.setText(text)
            button.setToolTip(tip)
            button.setCheckable(True)
            self._direction_buttons.addButton(button)
            row.addWidget(button)
        self.callees_button.setChecked(True)
        row.addWidget(NoteLabel(_ESTIMATE_NOTE), 1)
        row.setContentsMargins(4, 2, 4, 2)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.tree)
        column.addWidget(self.filter_note)
        return content

    def save_state(self) -> list[QByteArray]:
        direction = b"up" if self.callers_button.isChecked() else b"down"
        state = header_state(self.tree.header(), CallTreeModel.KEYS, {})
        return [state.to_bytes(), QByteArray(direction)]

    def restore_state(self, states: list[QByteArray]) -> None:
        if len(states) == len(self.save_state()):
            header, state = self.tree.header(), HeaderState.from_bytes(states[0])
            if state is not None:
                apply_header_state(header, CallTreeModel.KEYS, state)
            else:
                header.restoreState(states[0])  # saved before columns had keys
            (
                self.callers_button if states[1] == QByteArray(b"up") else self.callees_button
            ).setChecked(True)

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the tree with the active function as its root."""
        context = query.context
        self.model.highlight(context.selected)
        self.tree.viewport().update()
        if change == Change.SELECTION:
            return
        message = no_calls_reason(query)
        if message or context.event is None:
            self.model.clear()
            self.show_message(message)
            return
        labels = query.labels()
        format_ = query.call_format(context.event, context.function)
        if change & ~_STYLE_CHANGES == Change(0):  # open branches stay open
            self.model.set_style(labels, format_)
            return
        visible = query.visible_nodes()
        self.model.set_root(
            query.call_graph(context.event),
            labels,
            context.function,
            format_,
            visible,
            up=self.callers_button.isChecked(),
        )
        self.tree.open_root()
        hidden = int((~visible).sum()) if visible is not None else 0
        self.filter_note.setVisible(hidden > 0)
        self.filter_note.setText(f"{format_.count_text(hidden)} functions are hidden by the filter")
        self.show_content()


class _Tree(QTreeView):
    """The tree widget: names with their arrows first, then numbers."""

    function_activated = Signal(object)  # NodeId
    function_selected = Signal(object)  # NodeId
    menu_requested = Signal(object, object)  # QMenu, NodeId
    save_requested = Signal(object)  # TableExport: save the visible rows

    def __init__(self, model: CallTreeModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setAccessibleName("Call tree")
        self.setUniformRowHeights(True)
        self.setIndentation(self.fontMetrics().height() * 2 // 3)
        self.setAlternatingRowColors(True)
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setItemDelegate(RowDelegate(self))
        model.tint = highlight_brush(self.palette())
        self._tree_model = model
        self.setItemDelegateForColumn(CallTreeModel.COST, CostBarDelegate(self))
        self.setItemDelegateForColumn(CallTreeModel.LOCATION, ElideLeftDelegate(self))
        self.setTreePosition(CallTreeModel.NAME)
        self.setExpandsOnDoubleClick(False)
        self.doubleClicked.connect(self._activate)
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)
        header, digit = self.header(), self.fontMetrics().horizontalAdvance("0")
        header.setStretchLastSection(False)
        header.setSectionResizeMode(CallTreeModel.NAME, QHeaderView.ResizeMode.Stretch)
        for column, digits in (
            (CallTreeModel.COST, 16),
            (CallTreeModel.COUNT, 14),
            (CallTreeModel.LOCATION, 18),
        ):
            header.resizeSection(column, digit * digits)

    def open_root(self) -> None:
        """Open the root and scroll to it."""
        root = self.model().index(0, 0)
        self.expand(root)
        self.scrollToTop()

    def _activate(self, index: AnyIndex) -> None:
        if index.isValid() and index.data(Role.FUNCTION) == NO_NODE:
            self._show_more(index)
        elif index.isValid():
            self.function_activated.emit(index.data(Role.FUNCTION))

    def _show_more(self, index: AnyIndex) -> None:
        """Show the next branches in place of the node for further ones."""
        parent, row = QPersistentModelIndex(index.parent()), index.row()
        self._tree_model.show_more(index)
        self.setCurrentIndex(self._tree_model.index(row, 0, parent))

    def _on_current_changed(self, index: QModelIndex) -> None:
        if index.isValid() and self.hasFocus() and index.data(Role.FUNCTION) != NO_NODE:
            self.function_selected.emit(index.data(Role.FUNCTION))

    def _row_text(self, index: AnyIndex) -> str:
        columns = range(self.model().columnCount())
        row = index.row()
        return "\t".join(str(index.sibling(row, column).data()) for column in columns)

    def export_table(self) -> ExportTable:
        """Return all visible rows for other programs, each with its level; the root has level 0."""
        rows: list[tuple[Value, ...]] = []
        index = self.model().index(0, 0)
        while index.isValid():
            rows.append((_depth(index), *self._tree_model.plain_row(index)))
            index = self.indexBelow(index)
        return ExportTable(CallTreeModel.PLAIN_TITLES, rows)

    def _request_saving(self) -> None:
        table = self.export_table()  # now, as only the main thread may read the tree
        self.save_requested.emit(lambda _progress: table)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._tree_model.tint = highlight_brush(self.palette())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        index, position = menu_target(self, event)
        if not index.isValid():
            return
        clipboard, menu = QGuiApplication.clipboard(), QMenu(self)
        menu.setToolTipsVisible(True)
        if index.data(Role.FUNCTION) == NO_NODE:
            menu.addAction("&Show More", lambda: self._activate(index))
        else:
            menu.addAction("&Go to Function", lambda: self._activate(index))
            menu.addAction("&Expand Costliest Branch", lambda: self._expand_costliest(index))
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
        else:
            super().keyPressEvent(event)


def _depth(index: QModelIndex) -> int:
    """Return the number of ancestors."""
    level = 0
    while (index := index.parent()).isValid():
        level += 1
    return level
