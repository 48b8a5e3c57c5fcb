"""Dialog that jumps to a function by a fuzzy search of its name."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPalette,
    QTextCharFormat,
    QTextLayout,
)
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.analysis.names.fuzzy_search import Match
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.unit import NO_UNIT, Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.views.tables.item_model import AnyIndex, Role
from qcachegrind_py.views.widgets.controls import ValidatedEdit, tip_text
from qcachegrind_py.visible_text import visible_offsets

_MAX_MATCHES = 50
_POSITIONS = Qt.ItemDataRole.UserRole + 10
_LOCATION = Qt.ItemDataRole.UserRole + 12
_COST = Qt.ItemDataRole.UserRole + 11
_NO_INDEX = QModelIndex()


class JumpDialog(QDialog):
    """Lists the best matches first; Up and Down choose, Return accepts, Escape closes."""

    chosen = Signal(object)  # FunctionId

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Jump to Function")
        self._query: ViewQuery | None = None
        self.model = _MatchModel(self)
        self.matches = QListView()
        self.matches.setModel(self.model)
        self.matches.setUniformItemSizes(True)
        self.matches.setAccessibleName("Functions found")
        self.matches.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.matches.setItemDelegate(_MatchDelegate(self.matches))
        self.matches.activated.connect(self._accept_index)
        self.matches.clicked.connect(self._accept_index)
        self.edit = _SearchEdit(self.matches)
        self.edit.textChanged.connect(self._search)
        self.edit.returnPressed.connect(lambda: self._accept_index(self.matches.currentIndex()))
        column = QVBoxLayout(self)
        column.addWidget(self.edit)
        column.addWidget(self.matches)
        line = self.fontMetrics().height()
        self.resize(line * 42, line * 26)

    def open_for(self, query: ViewQuery) -> None:
        """Open the dialog with the costliest functions, before anything is typed."""
        self._query = query
        self.edit.clear()
        self._search("")
        self.edit.setFocus()
        self.open()

    def done(self, result: int) -> None:
        """Release the profile, which may be closed next."""
        super().done(result)
        self._query = None
        self.model.set_matches(None, [], [], NO_UNIT)

    def _search(self, text: str) -> None:
        query = self._query
        if query is None or query.context.event is None:
            return
        queries, event, scope = query.queries, query.context.event, query.context.scope
        weight = queries.inclusive(event, scope)[: queries.function_count]
        matches = queries.names.fuzzy_search.best(text, weight, _MAX_MATCHES)
        costs = [as_number(weight[match.function]) for match in matches]
        self.model.set_matches(queries.labels(scope), matches, costs, query.unit(event))
        self.matches.setCurrentIndex(self.model.index(0))

    def _accept_index(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(index.data(Role.FUNCTION))
            self.accept()


class _SearchEdit(ValidatedEdit):
    """The search field; Up, Down and the page keys move in the list."""

    def __init__(self, matches: QListView) -> None:
        super().__init__("Letters of a function's name")
        self._matches = matches

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        keys = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
        if event.key() in keys:
            QApplication.sendEvent(self._matches, event)
        else:
            super().keyPressEvent(event)


class _MatchModel(QAbstractListModel):
    """One row per matching function."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._labels: Labels | None = None
        self._matches: list[Match] = []
        self._costs: list[int | float] = []
        self._unit = NO_UNIT

    def set_matches(
        self,
        labels: Labels | None,
        matches: list[Match],
        costs: list[int | float],
        unit: Unit,
    ) -> None:
        self.beginResetModel()
        self._labels, self._matches = labels, matches
        self._costs, self._unit = costs, unit
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._matches)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or self._labels is None:
            return None
        match = self._matches[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_text(self._labels.full_name(match.function))
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip_text(*self._labels.details(match.function))
        if role == Role.FUNCTION:
            return match.function
        if role == _POSITIONS:
            offsets = visible_offsets(self._labels.full_name(match.function))
            return tuple(map(offsets.__getitem__, match.positions))
        if role == _LOCATION:
            return cell_text(self._labels.location(match.function))
        if role == _COST:
            return self._unit.text(self._costs[index.row()])
        return None


class _MatchDelegate(QStyledItemDelegate):
    """Paints the name with matched letters in bold, the location below, the cost on the right."""

    def sizeHint(self, option: QStyleOptionViewItem, _index: AnyIndex) -> QSize:  # noqa: N802
        line = option.fontMetrics.height()
        return QSize(0, 5 * line // 2)  # the list sets the width

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        name, cell.text = cell.text, ""
        style = cell.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)
        selected = bool(cell.state & QStyle.StateFlag.State_Selected)
        role = cell.palette.ColorRole.HighlightedText if selected else cell.palette.ColorRole.Text
        painter.save()
        gap, line = cell.fontMetrics.horizontalAdvance("0"), cell.fontMetrics.height()
        area = cell.rect.adjusted(gap, line // 4, -gap, -line // 4)
        cost = str(index.data(_COST))
        painter.setPen(cell.palette.color(role))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
        painter.drawText(area, right, cost)
        area.setRight(area.right() - cell.fontMetrics.horizontalAdvance(cost) - 2 * gap)
        self._draw_name(painter, area, name, index.data(_POSITIONS), cell.font)
        fainter = (
            QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.PlaceholderText
        )
        painter.setPen(cell.palette.color(fainter))
        elide = Qt.TextElideMode.ElideLeft
        location = cell.fontMetrics.elidedText(str(index.data(_LOCATION)), elide, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, location)
        painter.restore()

    @staticmethod
    def _draw_name(
        painter: QPainter, area: QRect, name: str, positions: tuple[int, ...], font: QFont
    ) -> None:
        layout = QTextLayout(name, font)
        bold = QTextCharFormat()
        bold.setFontWeight(QFont.Weight.Bold)
        bold.setFontUnderline(True)
        ranges = []
        for position in positions:
            letter = QTextLayout.FormatRange()
            letter.start, letter.length, letter.format = position, 1, bold
            ranges.append(letter)
        layout.setFormats(ranges)
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(1e6)
        layout.endLayout()
        # scroll a long name so that the last matched letter is visible
        match_end = QFontMetrics(font).horizontalAdvance(name[: max(positions, default=0) + 1])
        scrolled = max(0, match_end - area.width() * 9 // 10)
        painter.save()
        painter.setClipRect(area)
        layout.draw(painter, QPointF(area.left() - scrolled, area.top()))
        painter.restore()
