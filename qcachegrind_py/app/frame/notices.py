"""Notices over the content at the bottom of the window: errors, warnings and information.

They move nothing. One is shown at a time, and a button counts those that wait behind it. Notices
stay until they are closed; those about a success go away by themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QCursor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMainWindow,
    QPushButton,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.style.icons import icon
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.views.widgets.colors import blended
from qcachegrind_py.views.widgets.grid import grid
from qcachegrind_py.visible_text import visible_lines

NoticeKind = Literal["error", "warning", "information", "editor"]  # also the icon
PASSING_MS = 10_000  # enough to read a sentence or two, and to click its button
_WHATS_THIS = "Errors and warnings about the open profile, with what you can do about them."
_HUES: dict[NoticeKind, str] = {"error": "#e5484d", "warning": "#e2a336"}
_RANK: dict[NoticeKind, int] = {"error": 2, "warning": 1, "editor": 1}
_PASSING_RANK = 3  # it goes by itself, and uncovers the others
_TINT = 0.2  # of the hue in the ground; the text keeps its contrast
_WIDEST = 90  # digits
_RADIUS = 0.5  # of the corners, in steps of the grid
_MOVING = {
    QEvent.Type.Resize,
    QEvent.Type.Show,
    QEvent.Type.Hide,
    QEvent.Type.ChildAdded,  # a new tab bar would cover the notice
    QEvent.Type.ZOrderChange,  # a dock was raised
}


class Notices(QWidget):
    """The notices of a window, at most one per topic.

    In front is one that goes by itself, or else the most serious one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setWhatsThis(_WHATS_THIS)
        self._row = QVBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._notices: dict[str, Notice] = {}  # by topic, the latest last
        self._front: Notice | None = None
        self._watched: list[QWidget] = []
        self._moving = QTimer(self, singleShot=True, interval=0)
        self._moving.timeout.connect(self._move)
        self.hide()

    def lie_over(self, window: QMainWindow) -> None:
        """Show notices over the content of a window, above its status bar."""
        self.setParent(window)
        self.hide()

    def show_notice(
        self,
        kind: NoticeKind,
        text: str,
        *buttons: tuple[str, Callable[[], object]],
        topic: str = "",
        lasting: bool = False,
        passing: bool = False,
    ) -> Notice:
        """Show a notice with buttons of title and action; replace that of the same topic.

        The topic defaults to the kind. A `lasting` notice is not about the open profile and stays
        when another one is opened. A `passing` one closes itself after a while, unless the mouse is
        over it or it has the keyboard focus.
        """
        topic = topic or kind
        self._drop(topic)
        notice = Notice(kind, text, lambda: self.close_notice(topic), self._show_next)
        for title, action in buttons:
            notice.add_button(title, action)
        self._notices[topic] = notice
        notice.is_lasting, notice.is_passing = lasting, passing
        if passing:
            notice.rank = _PASSING_RANK
        notice.hide()
        self._row.addWidget(notice)
        self._bring_to_front(max(reversed(self._notices.values()), key=lambda each: each.rank))
        return notice

    def close_notice(self, topic: str) -> None:
        if self._drop(topic) and self._front is None and self._notices:
            self._bring_to_front(max(reversed(self._notices.values()), key=lambda each: each.rank))
        self._update()

    def close_all(self) -> None:
        for topic in [topic for topic, notice in self._notices.items() if not notice.is_lasting]:
            self.close_notice(topic)

    def notice_texts(self) -> dict[str, str]:
        return {topic: notice.label.text() for topic, notice in self._notices.items()}

    # ---------------------------------------------------------------- the one in front

    def _drop(self, topic: str) -> bool:
        notice = self._notices.pop(topic, None)
        if notice is None:
            return False
        if notice is self._front:
            self._front = None
        notice.hide()
        notice.deleteLater()
        return True

    def _bring_to_front(self, notice: Notice) -> None:
        if notice is not self._front:
            if self._front is not None:
                self._front.hide()
            self._front = notice
            notice.begin()
        self._update()

    def _show_next(self) -> None:
        """Show the notice that came before the one in front, or else the latest one."""
        waiting = list(reversed(self._notices.values()))
        assert self._front is not None
        self._bring_to_front(waiting[(waiting.index(self._front) + 1) % len(waiting)])

    def _update(self) -> None:
        """Show the notice in front, if there is one, and how many wait."""
        self.setVisible(self._front is not None and self.parentWidget() is not None)
        if self._front is None:
            self._watch([])
            return
        self._front.show_waiting(len(self._notices) - 1)
        self._front.show()
        self._move()

    # ---------------------------------------------------------------- its place

    def _move(self) -> None:
        """Lie at the bottom of the window, where that covers no current row, and above all."""
        window, notice = self.parentWidget(), self._front
        if not isinstance(window, QMainWindow) or notice is None:
            return
        children = window.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        self._watch([window, *(child for child in children if child is not self)])
        gap = grid()
        area = content_area(window).adjusted(gap, gap, -gap, -gap)
        size = notice.fit(min(area.width(), _WIDEST * self.fontMetrics().horizontalAdvance("0")))
        place = QRect(area.topLeft(), size)
        place.moveBottomRight(area.bottomRight())
        left = QRect(place)
        left.moveLeft(area.left())
        rows = _current_rows(window)
        free = (each for each in (place, left) if not any(each.intersects(row) for row in rows))
        self.setGeometry(next(free, place))
        self.raise_()

    def _watch(self, widgets: list[QWidget]) -> None:
        """Follow what changes the size of the window's content, or covers the notice."""
        for widget in filter(shiboken6.isValid, self._watched):  # Qt deletes tab bars at any time
            widget.removeEventFilter(self)
        for widget in widgets:
            widget.installEventFilter(self)
        self._watched = widgets

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() in _MOVING:
            self._moving.start()
        return False


def content_area(window: QMainWindow) -> QRect:
    """Return the area between the toolbars and the status bar."""
    bars = [bar for bar in window.findChildren(QToolBar) if bar.parent() is window]
    above = [window.menuBar(), *bars]
    top = max(bar.geometry().bottom() + 1 for bar in above if not bar.isHidden())
    status = window.statusBar()
    bottom = window.height() if status.isHidden() else status.y()
    return QRect(0, top, window.width(), max(0, bottom - top))


def _current_rows(window: QWidget) -> list[QRect]:
    """Return where the current rows of all visible lists are in the window."""
    rows = []
    for view in window.findChildren(QAbstractItemView):
        row = view.visualRect(view.currentIndex())
        if view.isVisible() and row.isValid():
            row.setLeft(0)
            row.setRight(view.viewport().width())
            rows.append(row.translated(view.viewport().mapTo(window, QPoint(0, 0))))
    return rows


class ContextBar(QToolBar):
    """A bar below the toolbar that is shown while it has something to say."""

    def __init__(self, name: str, window: QMainWindow, whats_this: str) -> None:
        super().__init__(name, window)
        self.setObjectName(name)  # for saveState
        self.setMovable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.toggleViewAction().setVisible(False)
        self.setWhatsThis(whats_this)

    def is_needed(self) -> bool:
        raise NotImplementedError

    def setVisible(self, _visible: bool) -> None:  # noqa: N802
        """Show the bar while it is needed, whatever a saved layout says."""
        super().setVisible(self.is_needed())

    def add_below_toolbar(self, window: QMainWindow) -> None:
        window.addToolBarBreak()
        window.addToolBar(self)


class ContextRow(QWidget):
    """The row in such a bar. A narrow window cuts it, where it would hide other widgets."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(grid(), grid(0.5), grid(0.5), grid(0.5))
        self.row.setSpacing(grid(0.5))
        self.row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, super().minimumSizeHint().height())


class _Text(QLabel):
    """The text of a notice, which can be selected with the mouse; a plain click closes."""

    def __init__(self, text: str, close: Callable[[], None]) -> None:
        super().__init__(text, wordWrap=True)
        self._close = close
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.hasSelectedText():
            self._close()


class Notice(QFrame):
    """One notice: icon, text, action buttons, the number of others, close button."""

    is_lasting = False
    is_passing = False

    def __init__(
        self,
        kind: NoticeKind,
        text: str,
        close: Callable[[], None],
        show_next: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__()
        self._kind = kind
        self.rank = _RANK.get(kind, 0)
        self._has_begun = False
        self._pointer = QCursor.pos()
        self._close_notice = close
        self._picture = QLabel()
        self._waiting = QToolButton(autoRaise=True)
        self._waiting.setToolTip("Show the next message")
        self._waiting.clicked.connect(show_next)
        self._waiting.hide()
        self._close = QToolButton(autoRaise=True)
        self.label = _Text(visible_lines(text), close)
        self.setAccessibleName(self.label.text())
        self._close.setToolTip("Close this message")
        self._close.setAccessibleName("Close this message")
        self._close.clicked.connect(close)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(grid(1.5), grid(0.5), grid(0.5), grid(0.5))
        self._row.setSpacing(grid())
        self._row.addWidget(self._picture)
        self._row.addWidget(self.label, 1)
        self._row.addWidget(self._waiting)
        self._row.addWidget(self._close)
        self._apply_colors()

    def add_button(self, title: str, action: Callable[[], object]) -> None:
        button = QPushButton(title)
        button.clicked.connect(lambda: action())
        self._row.insertWidget(self._row.indexOf(self._waiting), button)

    def show_waiting(self, count: int) -> None:
        """Show how many other notices there are."""
        self._waiting.setText(f"{format_count(count)} more")
        self._waiting.setVisible(count > 0)

    def fit(self, widest: int) -> QSize:
        """Give the text as many lines as it needs; return the size, at most this wide."""
        lines, metrics = self.label.text().split("\n"), self.label.fontMetrics()
        longest = max(metrics.horizontalAdvance(line) for line in lines) + 2
        items = [self._row.itemAt(place) for place in range(self._row.count())]
        others = [
            item.sizeHint().width()
            for item in items
            if item is not None and item.widget() is not self.label and not item.isEmpty()
        ]
        margins = self._row.contentsMargins()
        room = sum(others) + len(others) * self._row.spacing() + margins.left() + margins.right()
        width = max(1, min(longest, widest - room))
        size = QSize(width, self.label.heightForWidth(width))
        if size != self.label.size():  # or the window would be laid out for ever
            self.label.setFixedSize(size)
            self._row.activate()
        return self._row.minimumSize()

    # ---------------------------------------------------------------- how long it is there

    def begin(self) -> None:
        """Tell screen readers of the notice, and let its time begin, as it is to be seen now."""
        from PySide6.QtGui import QAccessible, QAccessibleEvent  # whose many enums take 3 ms

        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
        if self.is_passing and not self._has_begun:
            self._close_later()
        self._has_begun = True
        self._pointer = QCursor.pos()

    def _close_later(self) -> None:
        QTimer.singleShot(PASSING_MS, self, self._close_if_unused)

    def _close_if_unused(self) -> None:
        """Close the notice, or later if it is being used; a pointer that rests there does not."""
        focused, has_moved = QApplication.focusWidget(), QCursor.pos() != self._pointer
        self._pointer = QCursor.pos()
        if (self.underMouse() and has_moved) or (
            focused is not None and self.isAncestorOf(focused)
        ):
            self._close_later()
        else:
            self._close_notice()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape:
            self._close_notice()
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._close_notice()

    # ---------------------------------------------------------------- colours

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_row"):  # complete
            self._apply_colors()

    def _apply_colors(self) -> None:
        palette = QApplication.palette()
        self._picture.setPixmap(icon(self._kind, palette).pixmap(20, 20))
        self._close.setIcon(icon("close", palette))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Tint the ground slightly red, yellow or blue, with an outline of that colour."""
        hue = QColor(_HUES.get(self._kind, "#3e7bd6"))
        window, text = (
            self.palette().color(role)
            for role in (QPalette.ColorRole.Window, QPalette.ColorRole.WindowText)
        )
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(blended(text, hue, _TINT), 1))
        painter.setBrush(blended(hue, window, _TINT))
        sheet, radius = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), grid(_RADIUS)
        painter.drawRoundedRect(sheet, radius, radius)
        painter.end()
