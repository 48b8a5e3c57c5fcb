"""Files that are dropped on the window, and the fields that say what a drop will do."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, Signal, SignalInstance
from PySide6.QtGui import (
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFont,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import QDockWidget, QLineEdit, QMainWindow, QWidget

from qcachegrind_py.app.frame.notices import content_area
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.files import local_path
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.widgets.colors import blended
from qcachegrind_py.views.widgets.grid import grid

_MODIFIERS = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier


class FileDrop(QObject):
    """Emits what was chosen for dropped files, with their paths.

    Without a field under the mouse they are opened, or added if Ctrl is held, or compared if Alt
    is held.
    """

    dropped = Signal(object)
    added = Signal(object)
    compared = Signal(object)

    def __init__(self, window: QMainWindow, session: Session) -> None:
        super().__init__(window)
        self._session = session
        self.target = DropTarget(window)
        self._watch_widget(window)
        self._watch_widget(self.target)
        for dock in window.findChildren(QDockWidget):
            self._watch_widget(dock)
        self.watch_line_edits(window)

    def watch_line_edits(self, root: QWidget) -> None:
        """Take files dropped on the line edits below `root`, which would insert them as text."""
        for edit in root.findChildren(QLineEdit):
            self._watch_widget(edit)

    def _watch_widget(self, widget: QWidget) -> None:
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Handle drags of files; leave other events to the widget."""
        if isinstance(event, QDragLeaveEvent):
            self.target.hide()  # until it is entered itself
            return False
        if not isinstance(event, QDropEvent) or not isinstance(watched, QWidget):
            return False
        if not (files := _files(event)):
            return False
        event.setDropAction(Qt.DropAction.CopyAction)  # never move the file
        event.accept()
        if isinstance(event, QDragMoveEvent):
            if self.target.isHidden():
                has_profile = self._session.loaded is not None
                self.target.show_fields(_FIELDS if has_profile else _FIELDS[:1])
            self.target.point_at(self._field(watched, event))
        else:
            self._signal(self._field(watched, event)).emit(files)
            self.target.hide()
        return True

    def _field(self, widget: QWidget, event: QDropEvent) -> DropField:
        """Return what a drop at this place of a widget does."""
        keys = event.modifiers()
        for field in _FIELDS:
            if field.key & keys:
                return field
        found = None
        if self.target.isVisible():
            place = widget.mapToGlobal(event.position().toPoint())
            found = self.target.field_at(self.target.mapFromGlobal(place))
        return found or _FIELDS[0]

    def _signal(self, field: DropField) -> SignalInstance:
        signals: dict[str, SignalInstance] = {
            "dropped": self.dropped, "added": self.added, "compared": self.compared
        }  # fmt: skip
        return signals[field.signal]


def _files(event: QDropEvent) -> list[Path]:
    urls = [url for url in event.mimeData().urls() if url.isLocalFile()]
    return [Path(local_path(bytes(url.toEncoded().data()).decode())) for url in urls]


@frozen(eq=True)
class DropField:
    """One of the things that can be done with a file."""

    title: str
    detail: str
    signal: str
    key: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier  # that chooses it anywhere


_FIELDS = (
    DropField("Open", "Show it in this window", "dropped"),
    DropField("Add", "As further parts of the open profile (Ctrl)", "added", _MODIFIERS[1]),
    DropField("Compare With", "As the base of the open profile (Alt)", "compared", _MODIFIERS[0]),
)
_VEIL = 0.85  # of the window's colour over the content
_TINT = 0.15  # of the field that is pointed at
_TITLE_SIZE = 1.6


class DropTarget(QWidget):
    """Fields over the content of the window while files are dragged over it."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.fields: tuple[DropField, ...] = ()
        self._pointed: DropField | None = None
        self.hide()

    def show_fields(self, fields: tuple[DropField, ...]) -> None:
        self.fields = fields
        self.setGeometry(content_area(self._window))
        self.show()
        self.raise_()

    def point_at(self, field: DropField) -> None:
        if field != self._pointed:
            self._pointed = field
            self.update()

    def field_at(self, place: QPoint) -> DropField | None:
        found = (each for each in self.fields if self.area(each).contains(place))
        return next(found, None)

    def area(self, field: DropField) -> QRect:
        """The area of a field; all have the same size, side by side."""
        gap, count = grid(2), len(self.fields)
        inner = self.rect().adjusted(gap, gap, -gap, -gap)
        width = (inner.width() - (count - 1) * gap) // count
        left = inner.left() + self.fields.index(field) * (width + gap)
        return QRect(left, inner.top(), width, inner.height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        roles, palette = QPalette.ColorRole, self.palette()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = palette.color(roles.Window)
        veil.setAlphaF(_VEIL)
        painter.fillRect(self.rect(), veil)
        highlight, base = palette.color(roles.Highlight), palette.color(roles.Base)
        for field in self.fields:
            is_pointed, area = field == self._pointed, self.area(field)
            dashes = Qt.PenStyle.SolidLine if is_pointed else Qt.PenStyle.DashLine
            edge = highlight if is_pointed else palette.color(roles.PlaceholderText)
            painter.setPen(QPen(edge, 2, dashes))
            painter.setBrush(blended(highlight, base, _TINT if is_pointed else 0.0))
            painter.drawRoundedRect(QRectF(area), grid(), grid())
            self._write(painter, area, field)
        painter.end()

    def _write(self, painter: QPainter, area: QRect, field: DropField) -> None:
        """Write title and detail in the middle of a field."""
        large, roles = QFont(self.font()), QPalette.ColorRole
        large.setPointSizeF(large.pointSizeF() * _TITLE_SIZE)
        large.setBold(True)
        middle, line = area.center().y(), self.fontMetrics().height()
        upper = QRect(area.left(), middle - 2 * line, area.width(), 2 * line)
        lower = QRect(area.left(), middle, area.width(), 2 * line)
        painter.setPen(self.palette().color(roles.Text))
        painter.setFont(large)
        painter.drawText(upper, Qt.AlignmentFlag.AlignCenter, field.title)
        painter.setPen(self.palette().color(roles.PlaceholderText))
        painter.setFont(self.font())
        wrapped = (
            Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
        )
        painter.drawText(lower, wrapped, field.detail)
