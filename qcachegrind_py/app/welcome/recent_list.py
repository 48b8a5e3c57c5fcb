"""The list of recent files, comparisons and histories on the welcome page.

A row shows name and folder; command and time follow when a job has read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import (
    QAbstractListModel,
    QDateTime,
    QLocale,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPalette,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from qcachegrind_py.app.style.icons import icon
from qcachegrind_py.formats.run_files import FileSummary
from qcachegrind_py.present.table import cell_text, short_text
from qcachegrind_py.session.settings.recent import Recent
from qcachegrind_py.views.tables.item_model import AnyIndex
from qcachegrind_py.views.widgets.controls import open_context_menu, tip_text

_ROLE = Qt.ItemDataRole
_NO_INDEX = QModelIndex()
_FOLDER, _WHEN, _IS_MISSING, _RECENT = (_ROLE.UserRole + number for number in range(4))
_SELECTED = QStyle.StateFlag.State_Selected
_REMOVE = "&Remove from List"


class RecentModel(QAbstractListModel):
    """One row per recent file, latest first; a row is what it has for each role."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows: list[dict[int, object]] = []
        self._summaries: dict[Path, FileSummary] = {}

    def set_recent(self, opened: Sequence[Recent]) -> None:
        self.beginResetModel()
        self._rows = [_row(recent, self._summaries.get(recent.newest)) for recent in opened]
        self.endResetModel()

    def set_summaries(self, summaries: Sequence[FileSummary]) -> None:
        self._summaries = {summary.path: summary for summary in summaries}
        opened = [recent for row in self._rows if isinstance(recent := row[_RECENT], Recent)]
        self._rows = [_row(recent, self._summaries.get(recent.newest)) for recent in opened]
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = _ROLE.DisplayRole) -> object:
        return self._rows[index.row()].get(role) if index.isValid() else None


def _row(recent: Recent, summary: FileSummary | None) -> dict[int, object]:
    """Return what is known of a file, a comparison or a history, by role."""
    command = summary.command if summary is not None else ""
    when = modified_text(summary.modified) if summary is not None else ""
    lines = [line for line in (*map(str, recent.all_files), command, when) if line]
    shown = short_text(_short_command(command)) if recent.is_file else ""
    return {
        _ROLE.DisplayRole: cell_text(recent.title) + (f"  –  {shown}" if shown else ""),
        _ROLE.ToolTipRole: tip_text(*lines),
        _ROLE.AccessibleDescriptionRole: ", ".join(map(cell_text, lines)),
        _FOLDER: cell_text(_with_tilde(recent.newest.parent)),
        _WHEN: when,
        _IS_MISSING: summary is not None and summary.modified is None,
        _RECENT: recent,
    }


class RecentList(QListView):
    """Return or a click opens a file; Delete, the menu or its cross removes it from the list."""

    chosen = Signal(object)  # Recent
    removal_requested = Signal(object)  # Recent

    def __init__(self) -> None:
        super().__init__()
        self._model = RecentModel(self)
        self.setModel(self._model)
        self.setItemDelegate(_RecentDelegate(self))
        self.setAccessibleName("Recent files")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Window)

    def set_recent(self, opened: Sequence[Recent]) -> None:
        """Show what was opened; keep the current row if possible."""
        row = max(0, self.currentIndex().row())
        self._model.set_recent(opened)
        self.setCurrentIndex(self._model.index(min(row, len(opened) - 1)))

    def set_summaries(self, summaries: Sequence[FileSummary]) -> None:
        self._model.set_summaries(summaries)

    def height_for(self, rows: int) -> int:
        """The height of this number of rows, in pixels."""
        return rows * (self.sizeHintForRow(0) if self._model.rowCount() else 0)

    def sizeHint(self) -> QSize:  # noqa: N802
        """The height of all rows."""
        return QSize(super().sizeHint().width(), self.height_for(self._model.rowCount()))

    def remove_button_rect(self, index: AnyIndex) -> QRect:
        """The area of a row's cross; empty unless the file is missing."""
        return _remove_button_rect(self.visualRect(index)) if index.data(_IS_MISSING) else QRect()

    def _choose(self, index: AnyIndex) -> None:
        if index.isValid() and not index.data(_IS_MISSING):
            self.chosen.emit(index.data(_RECENT))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseReleaseEvent(event)
        index, position = self.indexAt(event.position().toPoint()), event.position().toPoint()
        if event.button() != Qt.MouseButton.LeftButton or not index.isValid():
            return
        if self.remove_button_rect(index).contains(position):
            self.removal_requested.emit(index.data(_RECENT))
        else:
            self._choose(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose(index)
        elif event.key() == Qt.Key.Key_Delete and index.isValid():
            self.removal_requested.emit(index.data(_RECENT))
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        if not index.isValid():
            return
        recent, menu = index.data(_RECENT), QMenu(self)
        open_action = menu.addAction("&Open", lambda: self.chosen.emit(recent))
        open_action.setEnabled(not index.data(_IS_MISSING))
        menu.addAction(_REMOVE, lambda: self.removal_requested.emit(recent))
        below = self.visualRect(index).bottomLeft() + QPoint(self.fontMetrics().height(), 0)
        open_context_menu(menu, self.viewport().mapToGlobal(below if by_key else event.pos()))


class _RecentDelegate(QStyledItemDelegate):
    """Paints name and command, the time on the right, the folder below."""

    def sizeHint(self, option: QStyleOptionViewItem, _index: AnyIndex) -> QSize:  # noqa: N802
        return QSize(0, 11 * option.fontMetrics.height() // 4)  # the list sets the width

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        name, cell.text = cell.text, ""
        if not cell.state & QStyle.StateFlag.State_HasFocus:
            cell.state &= ~_SELECTED  # a list without the keyboard has no current row
        style = cell.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)
        is_missing = bool(index.data(_IS_MISSING))
        chosen = bool(cell.state & _SELECTED)
        text = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.WindowText
        faint = text if chosen else QPalette.ColorRole.PlaceholderText
        gap, line = cell.fontMetrics.horizontalAdvance("0"), cell.fontMetrics.height()
        area = cell.rect.adjusted(gap, line * 3 // 8, -gap, -line * 3 // 8)
        painter.save()
        if is_missing:
            icon("close", cell.palette).paint(painter, _remove_button_rect(cell.rect))
            area.setRight(_remove_button_rect(cell.rect).left() - gap)
        painter.setPen(cell.palette.color(faint))
        self._draw(painter, area, str(index.data(_FOLDER)), cell, is_below=True)
        when = str(index.data(_WHEN))
        top = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
        painter.drawText(area, top, when)
        area.setRight(area.right() - cell.fontMetrics.horizontalAdvance(when) - 2 * gap)
        painter.setPen(cell.palette.color(faint if is_missing else text))
        self._draw(painter, area, name, cell, is_below=False)
        painter.restore()

    @staticmethod
    def _draw(
        painter: QPainter, area: QRect, text: str, cell: QStyleOptionViewItem, *, is_below: bool
    ) -> None:
        font = QFont(cell.font)
        font.setWeight(QFont.Weight.Normal if is_below else QFont.Weight.DemiBold)
        painter.setFont(font)
        side = Qt.AlignmentFlag.AlignBottom if is_below else Qt.AlignmentFlag.AlignTop
        mode = Qt.TextElideMode.ElideMiddle if is_below else Qt.TextElideMode.ElideRight
        shown = painter.fontMetrics().elidedText(text, mode, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | side, shown)
        painter.setFont(cell.font)


def _short_command(command: str) -> str:
    """The command without the folder of its program."""
    program, blank, arguments = command.partition(" ")
    return program.replace("\\", "/").rpartition("/")[2] + blank + arguments


def _remove_button_rect(row: QRect) -> QRect:
    """The square of the cross at the right end of a row."""
    side = min(row.height() * 2 // 5, 20)
    return QRect(row.right() - 2 * side, row.center().y() - side // 2, side, side)


def _with_tilde(folder: Path) -> str:
    """The folder, with `~` for the home folder."""
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except (ValueError, RuntimeError):  # RuntimeError: no home folder
        return str(folder)


def modified_text(modified: float | None, now: QDateTime | None = None) -> str:
    """The time of modification in short form, from seconds since the epoch; `now` is for tests."""
    if modified is None:
        return "not found"
    then = QDateTime.fromSecsSinceEpoch(int(modified))
    days = then.date().daysTo((now or QDateTime.currentDateTime()).date())
    locale, short = QLocale(), QLocale.FormatType.ShortFormat
    if days in (0, 1):
        return f"{('today', 'yesterday')[days]} {locale.toString(then.time(), short)}"
    return locale.toString(then.date(), short)
