"""Table widgets of all flat lists, with sorting, column settings and copying."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import (
    QByteArray,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QWidget

from qcachegrind_py.present.table import Column, Shown
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.views.tables.column_header import ColumnHeader
from qcachegrind_py.views.tables.columns import (
    ColumnWidths,
    HeaderState,
    former_state,
    needed_widths,
)
from qcachegrind_py.views.tables.item_model import AnyIndex, Role, make_index
from qcachegrind_py.views.tables.row_delegates import (
    RowDelegate,
    RowStates,
    draw_rows_plainly,
    mark_width,
    set_delegates,
)
from qcachegrind_py.views.tables.table_actions import (
    TextExport,
    add_copy_actions,
    add_save_action,
    copy_menu,
    menu_target,
    rows_export,
    run_menu,
    selected_rows,
    table_export,
)
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.controls import PlainLabel, ValidatedEdit, tip_text
from qcachegrind_py.views.widgets.empty_page import EmptyTablePage
from qcachegrind_py.views.widgets.grid import grid

_MEASURED_ROWS = 100  # among whose texts is the widest
_MEASURED_TEXTS = 8  # of these rows, the longest: measuring takes longer than writing them
ACTIVATING_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_SELECT = QItemSelectionModel.SelectionFlag
_WHOLE_ROW = _SELECT.ClearAndSelect | _SELECT.Rows
_COPIED_AT_ONCE = 1000  # rows: 20 ms


class RecordTable(QTableView):
    """A table that can be sorted, copied and saved, and whose columns can be moved and hidden."""

    save_requested = Signal(object)  # TableExport: save this table
    copy_requested = Signal(object)  # TextExport: copy this text
    row_menu_requested = Signal(object, object)  # QMenu, QPersistentModelIndex: the menu to fill
    row_activated = Signal(object)  # QModelIndex: where Return, Enter or Space was pressed

    def __init__(self, model: TableModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table_model = model
        self._shows_comparison = False
        self.ascending_columns: tuple[int, ...] = ()  # number columns first sorted ascending
        self._fit_due: bool | None = None  # when it is shown; whether `only_wider`
        self.activates_rows = False  # whether Return, Enter and Space activate the current row
        self._beside_bars: dict[int, int] = {}  # widths of the numbers in columns with bars
        self._row_states = RowStates()
        self.setHorizontalHeader(ColumnHeader(self._beside_bars, self))
        self.setModel(model)
        self.empty_page = EmptyTablePage(self)  # says why there are no rows
        apply_list_style(self, name)
        draw_rows_plainly(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setItemDelegate(RowDelegate(self, self._row_states))
        self.setMouseTracking(True)
        self.entered.connect(lambda index: self._point_at(index.row()))
        self.viewportEntered.connect(lambda: self._point_at(-1))
        self._set_up_headers()

    @property
    def _columns(self) -> Sequence[Column]:
        return self._table_model.columns

    def _set_up_headers(self) -> None:
        columns = self.horizontalHeader()
        columns.setSectionsClickable(True)
        columns.setMinimumSectionSize(2 * self.fontMetrics().height())
        columns.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        columns.customContextMenuRequested.connect(self._show_column_menu)
        columns.setSortIndicatorClearable(False)
        set_delegates(self, self._columns, self._beside_bars, self._row_states)
        digit = self.fontMetrics().horizontalAdvance("0")
        for number, column in enumerate(self._columns):
            self.setColumnWidth(number, digit * column.width)
            self.setColumnHidden(number, column.shown is not Shown.ALWAYS)
        self.setSortingEnabled(True)
        first_is_number = self._table_model.columns[0].is_number
        down, up = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder
        self.sortByColumn(0, down if first_is_number else up)
        columns.sortIndicatorChanged.connect(self._on_sort_changed)
        self._sorted_column = 0
        self._column_widths = ColumnWidths(columns, self._table_model.columns, self._beside_bars)

    # ---------------------------------------------------------------- columns

    def fit_numbers(self, *, only_wider: bool = False) -> None:
        """Fit the number columns to their largest number and their title with a sort arrow.

        With `only_wider`, columns never become narrower. Widths set by the user stay. A table that
        cannot be seen, such as the one of a picture, is measured when it is shown.
        """
        if self.isVisible():
            self._column_widths.fit(self._measure_column, only_wider=only_wider)
        else:
            self._fit_due = only_wider and self._fit_due is not False

    def _measure_column(self, column: int) -> tuple[int, int]:
        """Return the width in pixels that a column needs, and that it needs at least."""
        cells, texts = self._columns[column].cells, list[str]()
        records = self._table_model.order[:_MEASURED_ROWS].tolist()
        if not cells.is_number or self._shows_comparison:  # "7 → 8" is longer than larger numbers
            texts = sorted(map(cells.text, records), key=len)[-_MEASURED_TEXTS:]
        needed, least = needed_widths(self._columns[column], self.fontMetrics(), texts)
        if self._columns[column].stretches:
            marks = {self._table_model.mark(record, self._columns[column]) for record in records}
            needed += max((mark_width(self.font(), mark) for mark in marks if mark), default=0)
        return needed, least

    def _distribute_width(self) -> None:
        self._column_widths.distribute()

    @property
    def narrow_columns(self) -> Collection[int]:
        """The columns that are hidden as long as there is no room for them."""
        return self._column_widths.narrow

    def current_key(self) -> str:
        """Return the key of the current column; empty without one."""
        column = self.currentIndex().column()
        return self._columns[column].key if column >= 0 else ""

    def show_columns(self, columns: tuple[int, ...], shown: bool) -> None:
        self._column_widths.show(columns, shown)

    def show_comparison(self, shown: bool) -> None:
        """Show the columns of a comparison, or hide them and leave them out of the menu."""
        if shown == self._shows_comparison:
            return
        self._shows_comparison = shown
        self._apply_comparison()

    def _apply_comparison(self) -> None:
        """Show the usual columns of a comparison, or hide all of them."""
        shown = self._shows_comparison
        columns = tuple(
            number
            for number, column in enumerate(self._columns)
            if column.is_shown_compared or (not shown and column.is_comparison)
        )
        self.show_columns(columns, shown)

    def save_columns(self) -> QByteArray:
        """Return order, widths and sorting of the columns."""
        return self._column_widths.state().to_bytes()

    def restore_columns(self, saved: QByteArray) -> None:
        """Restore columns from `save_columns`; an invalid state is ignored."""
        columns = self._table_model.columns
        lasting = [column.key for column in columns if not column.is_comparison]
        state = HeaderState.from_bytes(saved) or former_state(saved, lasting)
        if state is None:
            return
        self._column_widths.restore(state)
        self._apply_comparison()
        self.fit_numbers(only_wider=True)
        keys = [column.key for column in columns]
        if state.sorted_by in keys:
            self.sort_by(keys.index(state.sorted_by), state.sort_order)

    def sort_by(self, column: int, order: Qt.SortOrder = Qt.SortOrder.DescendingOrder) -> None:
        """Sort in this order, which `_on_sort_changed` would take for a first click."""
        self._sorted_column = column
        self.sortByColumn(column, order)

    def is_sorted_by(self, column: int) -> bool:
        return self._sorted_column == column

    def _on_sort_changed(self, column: int, _order: Qt.SortOrder) -> None:
        """Sort a number column in descending order on the first click."""
        if column != self._sorted_column:
            self._sorted_column = column
            if self._table_model.columns[column].is_number and column not in self.ascending_columns:
                self.horizontalHeader().setSortIndicator(column, Qt.SortOrder.DescendingOrder)
        self.scrollToTop()  # to what the sorting was for, wherever the current row is now

    def _show_column_menu(self, position: QPoint) -> None:
        menu = QMenu(self)
        for number, column in enumerate(self._columns):
            if column.is_comparison and not self._shows_comparison:
                continue
            action = menu.addAction(column.title)
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(number))
            action.setEnabled(not column.stretches)
            action.toggled.connect(lambda on, n=number: self._show_column(n, on))
        run_menu(self, menu, self.horizontalHeader().mapToGlobal(position))

    def _show_column(self, column: int, shown: bool) -> None:
        self._column_widths.show_by_user(column, shown)
        self.fit_numbers(only_wider=True)

    # ---------------------------------------------------------------- menu and keys

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        """Add the actions for a row; the actions common to all lists follow."""
        self.row_menu_requested.emit(menu, index)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        (index, position), menu = menu_target(self, event), QMenu(self)
        menu.setToolTipsVisible(True)
        self.fill_menu(menu, index)
        copies = copy_menu(menu)
        add_copy_actions(copies, self, index, self._copy)
        add_save_action(
            copies, lambda: self.save_requested.emit(table_export(self, is_for_writing=True))
        )
        run_menu(self, menu, position)

    def copy_rows(self) -> None:
        """Copy the selected rows to the clipboard, cells separated by tabs."""
        rows = selected_rows(self)
        self._copy(len(rows), rows_export(self, rows))

    def _copy(self, rows: int, export: TextExport) -> None:
        """Copy a text of that many rows: at once, or in a job if that takes long."""
        if rows <= _COPIED_AT_ONCE:
            QGuiApplication.clipboard().setText(export(NoProgress()))
        else:
            self.copy_requested.emit(export)

    def _point_at(self, row: int) -> None:
        """Give a row the ground of the one pointed at; Qt draws it anew."""
        self._row_states.pointed = row

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        if event.type() is QEvent.Type.Leave:
            self._point_at(-1)
        return super().viewportEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        self._row_states.focused = self.currentIndex().row() if self.hasFocus() else -1
        super().paintEvent(event)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        if self._fit_due is not None:
            self.fit_numbers(only_wider=self._fit_due)
            self._fit_due = None

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._distribute_width()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
        elif event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End) and not event.modifiers():
            self._go_to_end(is_first=event.key() == Qt.Key.Key_Home)
        elif self.activates_rows and event.key() in ACTIVATING_KEYS:
            if self.currentIndex().isValid():
                self.row_activated.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _go_to_end(self, *, is_first: bool) -> None:
        """Go to the first or the last row; Qt would go to the ends of the current row."""
        model = self._table_model
        row = 0 if is_first else model.rowCount() - 1
        if model.rowCount():
            index = make_index(model, row, max(0, self.currentIndex().column()))
            self.selectionModel().setCurrentIndex(index, _WHOLE_ROW)
            self.scrollTo(index)


def apply_list_style(table: QTableView, name: str) -> None:
    """Style a table as a plain list: whole rows, without grid, row numbers or bold titles."""
    table.setAccessibleName(name)
    table.setShowGrid(False)
    table.setAlternatingRowColors(True)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.setTextElideMode(Qt.TextElideMode.ElideRight)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    line, rows = table.fontMetrics().height(), table.verticalHeader()
    rows.hide()
    rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    rows.setDefaultSectionSize(line + line // 2)
    table.horizontalHeader().setHighlightSections(False)


class FunctionTable(RecordTable):
    """A list of functions. A double click, Return, Enter or Space activates the row's function."""

    function_activated = Signal(object)  # NodeId
    function_selected = Signal(object)  # NodeId: function of the row the user moved to
    row_clicked = Signal()  # left button without modifier keys, which extend the selection
    menu_requested = Signal(object, object)  # QMenu, NodeId: the menu to fill for this function
    text_typed = Signal(str)  # text typed while the list has the keyboard focus

    def __init__(self, model: TableModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(model, name, parent)
        self._is_programmatic = False  # whether the program changes the current row, not the user
        self.activates_rows = True
        self.row_activated.connect(self._activate)
        self.doubleClicked.connect(self._activate)
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)

    def select_function(self, function: NodeId, column: int = 0, *, scroll: bool = True) -> None:
        """Make the function's row current; scroll to it only if `scroll` is true."""
        scroll_position = self.verticalScrollBar().value()
        index = self._table_model.index_of_function(function).siblingAtColumn(column)
        self._is_programmatic = True
        if index.isValid():
            self.selectionModel().setCurrentIndex(index, _WHOLE_ROW)
            if scroll:
                self.scrollTo(index)
            else:
                self.verticalScrollBar().setValue(scroll_position)
        else:
            self.clearSelection()
        self._is_programmatic = False

    def current_function(self) -> NodeId:
        """Return the function of the current row, or `NO_NODE`."""
        function = self.currentIndex().data(Role.FUNCTION)
        return NO_NODE if function is None else NodeId(function)

    def activate_current(self) -> None:
        self._activate(self.currentIndex())

    def _activate(self, index: AnyIndex) -> None:
        if index.isValid():
            self.function_activated.emit(index.data(Role.FUNCTION))

    def _on_current_changed(self, index: QModelIndex) -> None:
        if index.isValid() and not self._is_programmatic and self.hasFocus():
            self.function_selected.emit(index.data(Role.FUNCTION))

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        """Add *Go to Function* and the window's actions for a function."""
        if index.isValid():
            menu.addAction("&Go to Function", lambda: self._activate(index))
            self.menu_requested.emit(menu, index.data(Role.FUNCTION))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseReleaseEvent(event)
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        left = event.button() == Qt.MouseButton.LeftButton
        if plain and left and self.indexAt(event.position().toPoint()).isValid():
            self.row_clicked.emit()

    def keyboardSearch(self, search: str) -> None:  # noqa: N802
        self.text_typed.emit(search)


class FunctionSearchEdit(ValidatedEdit):
    """Search of a list of functions: Down enters the list, Return opens the first function.

    At its right end it says how many functions are listed while that is not all of them.
    """

    def __init__(self, table: FunctionTable) -> None:
        super().__init__("Search functions")
        self._table = table
        self.found_text = ""  # how many functions are listed; empty for all of them
        self._found = PlainLabel()
        self._found.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._found.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._found.setParent(self)
        self.textChanged.connect(lambda _: self._place_found())
        table.text_typed.connect(self._take)

    def show_count(self, functions: str, found: str) -> None:
        """Say how many functions there are, and how many of them are listed; empty for all."""
        self.setPlaceholderText("Search" if found else f"Search {functions.partition(',')[0]}")
        self.found_text = found
        self._found.setAccessibleName(found)
        if not self._has_error:
            self.setToolTip(tip_text(*filter(None, (found, functions))))
        self._place_found()

    def _place_found(self) -> None:
        """Place the count before the button that clears the field, where the text leaves room.

        The share of the cost, in parentheses, gives way first.
        """
        button = self.height() if self.text() else grid()
        written = self.text() or self.placeholderText()
        used = self.fontMetrics().horizontalAdvance(written) + grid(2)
        room = self.width() - button - used
        for text in (self.found_text, self.found_text.partition(" (")[0], ""):
            self._found.setText(text)
            width = self._found.sizeHint().width()
            if width <= room:
                break
        self._found.setVisible(bool(text))
        self._found.setGeometry(self.width() - button - width, 0, width, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._place_found()

    def _take(self, text: str) -> None:
        self.setFocus()
        self.setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down:
            if not self._table.currentIndex().isValid():
                self._table.selectRow(0)
            self._table.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._table.selectRow(0)
            self._table.activate_current()
        else:
            super().keyPressEvent(event)
