"""The dialog of the command palette: a field, and below it what is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    QPaintEvent,
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

from qcachegrind_py.app.palette.entries import Entry, elided_positions
from qcachegrind_py.app.style.window_style import OUTLINE, draw_sheet
from qcachegrind_py.views.tables.item_model import AnyIndex, Role
from qcachegrind_py.views.widgets.controls import ValidatedEdit, tip_text

_ROLE = Qt.ItemDataRole
POSITIONS, _PLACE, _VALUE = (_ROLE.UserRole + number for number in (10, 11, 12))
_NO_INDEX = QModelIndex()
_SELECTED = QStyle.StateFlag.State_Selected
_LEFT, _RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
_TOP, _BOTTOM = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignBottom
_EVERYTHING = "Commands, functions, views and settings"
_FUNCTIONS = "Letters of a function's name"


class PaletteDialog(QDialog):
    """Lists the best matches first; Up and Down choose, Return accepts, Escape closes."""

    chosen = Signal(object)  # Entry

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.FramelessWindowHint)
        self._find: Callable[[str], list[Entry]] = lambda _text: []
        self.model = EntryModel(self)
        self.matches = QListView()
        self.matches.setModel(self.model)
        self.matches.setUniformItemSizes(True)
        self.matches.setAccessibleName("Results")
        self.matches.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.matches.setItemDelegate(_EntryDelegate(self.matches))
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

    def open_for(self, find: Callable[[str], list[Entry]], *, only_functions: bool) -> None:
        """Open the dialog with what `find` finds for an empty text, before anything is typed."""
        self._find = find
        self.setWindowTitle("Jump to Function" if only_functions else "Command Palette")
        self.edit.setPlaceholderText(_FUNCTIONS if only_functions else _EVERYTHING)
        self.edit.setAccessibleName(self.edit.placeholderText())
        self.edit.clear()
        self._search("")
        self.edit.setFocus()
        self.open()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw an outline, as nothing else tells it from the window below."""
        super().paintEvent(event)
        painter = QPainter(self)
        draw_sheet(painter, self.rect(), None, self.palette().color(OUTLINE))
        painter.end()

    def done(self, result: int) -> None:
        """Release the profile, which may be closed next."""
        super().done(result)
        self._find = lambda _text: []
        self.model.set_entries(())

    def _search(self, text: str) -> None:
        self.model.set_entries(self._find(text))
        self.matches.setCurrentIndex(self.model.index(0))

    def _accept_index(self, index: AnyIndex) -> None:
        if index.isValid() and index.flags() & Qt.ItemFlag.ItemIsEnabled:
            entry = self.model.entry(index)
            self.accept()
            self.chosen.emit(entry)


class _SearchEdit(ValidatedEdit):
    """The search field; Up, Down and the page keys move in the list."""

    def __init__(self, matches: QListView) -> None:
        super().__init__(_EVERYTHING)
        self._matches = matches

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        keys = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
        if event.key() in keys:
            QApplication.sendEvent(self._matches, event)
        else:
            super().keyPressEvent(event)


class EntryModel(QAbstractListModel):
    """One row for each entry; those that can do nothing now are disabled."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._entries: Sequence[Entry] = ()

    def set_entries(self, entries: Sequence[Entry]) -> None:
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    def entry(self, index: AnyIndex) -> Entry:
        return self._entries[index.row()]

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._entries)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        if index.isValid() and not self._entries[index.row()].is_enabled:
            return Qt.ItemFlag.ItemIsSelectable
        return super().flags(index)

    def data(self, index: AnyIndex, role: int = _ROLE.DisplayRole) -> object:
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        match role:
            case _ROLE.DisplayRole:
                return entry.title
            case _ROLE.ToolTipRole:
                return tip_text(*entry.tip())
            case _ROLE.AccessibleDescriptionRole:
                return ", ".join(filter(None, (entry.place, entry.value)))
            case Role.FUNCTION:
                return entry.function
        return {POSITIONS: entry.positions, _PLACE: entry.place, _VALUE: entry.value}.get(role)


class _EntryDelegate(QStyledItemDelegate):
    """Paints the title with matched letters in bold, the place below, keys or cost on the right."""

    def sizeHint(self, option: QStyleOptionViewItem, _index: AnyIndex) -> QSize:  # noqa: N802
        line = option.fontMetrics.height()
        return QSize(0, 5 * line // 2)  # the list sets the width

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        title, cell.text = cell.text, ""
        style = cell.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)
        is_enabled = bool(cell.state & QStyle.StateFlag.State_Enabled)
        text = cell.palette.ColorRole.HighlightedText
        faint = text
        if not cell.state & _SELECTED:
            faint = QPalette.ColorRole.PlaceholderText
            text = cell.palette.ColorRole.Text if is_enabled else faint
        painter.save()
        gap, line = cell.fontMetrics.horizontalAdvance("0"), cell.fontMetrics.height()
        area = cell.rect.adjusted(gap, line // 4, -gap, -line // 4)
        value = str(index.data(_VALUE))
        painter.setPen(cell.palette.color(text))
        painter.drawText(area, _RIGHT | _TOP, value)
        area.setRight(area.right() - cell.fontMetrics.horizontalAdvance(value) - 2 * gap)
        _draw_title(painter, area, title, index.data(POSITIONS), cell.font)
        painter.setPen(cell.palette.color(faint))
        mode = Qt.TextElideMode.ElideMiddle
        place = cell.fontMetrics.elidedText(str(index.data(_PLACE)), mode, area.width())
        painter.drawText(area, _LEFT | _BOTTOM, place)
        painter.restore()


def _draw_title(
    painter: QPainter, area: QRect, title: str, positions: tuple[int, ...], font: QFont
) -> None:
    """Draw a title with its matched letters in bold; a long one keeps its beginning and its end."""
    bold, metrics = QFont(font), QFontMetrics(font)
    bold.setWeight(QFont.Weight.Bold)
    letters = "".join(title[position] for position in positions)
    wider = QFontMetrics(bold).horizontalAdvance(letters) - metrics.horizontalAdvance(letters)
    room = area.width() - max(0, wider)
    shown = metrics.elidedText(title, Qt.TextElideMode.ElideMiddle, room)
    layout, format_ = QTextLayout(shown, font), QTextCharFormat()
    format_.setFontWeight(QFont.Weight.Bold)
    format_.setFontUnderline(True)
    ranges = []
    for position in elided_positions(title, shown, positions):
        letter = QTextLayout.FormatRange()
        letter.start, letter.length, letter.format = position, 1, format_
        ranges.append(letter)
    layout.setFormats(ranges)
    layout.beginLayout()
    layout.createLine().setLineWidth(1e6)
    layout.endLayout()
    painter.save()
    painter.setClipRect(area)
    layout.draw(painter, QPointF(area.topLeft()))
    painter.restore()
