"""The strip of notices below the toolbar: errors, warnings and information.

Notices stay until they are closed; those about a success go away by themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.style.icons import icon
from qcachegrind_py.visible_text import visible_lines

NoticeKind = Literal["error", "warning", "information", "editor"]  # also the icon
PASSING_MS = 10_000  # enough to read a sentence or two, and to click its button
_WHATS_THIS = "Errors and warnings about the open profile, with what you can do about them."
_HUES: dict[NoticeKind, str] = {"error": "#e5484d", "warning": "#e2a336"}


class NoticeStrip(QWidget):
    """A column of notices, at most one per topic."""

    has_notices_changed = Signal(bool)  # whether there are any

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(1)
        self._notices: dict[str, Notice] = {}

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
        self.close_notice(topic)
        notice = Notice(kind, text, lambda: self.close_notice(topic))
        for title, action in buttons:
            notice.add_button(title, action)
        self._notices[topic] = notice
        notice.is_lasting = lasting
        self._column.addWidget(notice)
        if passing:
            notice.close_after(PASSING_MS)
        self.has_notices_changed.emit(True)
        return notice

    def close_notice(self, topic: str) -> None:
        notice = self._notices.pop(topic, None)
        if notice is not None:
            notice.hide()
            notice.deleteLater()
        self.has_notices_changed.emit(bool(self._notices))

    def close_all(self) -> None:
        for topic in [topic for topic, notice in self._notices.items() if not notice.is_lasting]:
            self.close_notice(topic)

    @property
    def has_notices(self) -> bool:
        return bool(self._notices)

    def notice_texts(self) -> dict[str, str]:
        return {topic: notice.label.text() for topic, notice in self._notices.items()}


class ContextBar(QToolBar):
    """A bar below the toolbar that is there while it has something to say."""

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

    def put_above_notices(self, window: QMainWindow) -> None:
        (notices,) = window.findChildren(NoticeBar)
        window.insertToolBar(notices, self)
        window.insertToolBarBreak(notices)


class NoticeBar(ContextBar):
    """Holds the strip below the toolbar."""

    def __init__(self, strip: NoticeStrip, window: QMainWindow) -> None:
        self._strip = strip
        super().__init__("Messages", window, _WHATS_THIS)
        self.addWidget(strip)
        strip.has_notices_changed.connect(self.setVisible)

    def is_needed(self) -> bool:
        return self._strip.has_notices


class Notice(QFrame):
    """One notice: icon, text, action buttons, close button."""

    is_lasting = False

    def __init__(self, kind: NoticeKind, text: str, close: Callable[[], None]) -> None:
        super().__init__()
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Window)
        self._kind = kind
        self._close_notice = close
        self._picture = QLabel()
        self._close = QToolButton(autoRaise=True)
        self.label = QLabel(visible_lines(text), wordWrap=True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(self.label.text())
        self._close.setToolTip("Close this message")
        self._close.setAccessibleName("Close this message")
        self._close.clicked.connect(close)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(8, 3, 4, 3)
        self._row.addWidget(self._picture)
        self._row.addWidget(self.label)
        self._row.addWidget(self._close)
        self._apply_colors()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)  # toolbars ignore height-for-width
        self.label.setMinimumHeight(0)  # or the old height is a lower bound
        self.label.setMinimumHeight(self.label.heightForWidth(self.label.width()))

    def add_button(self, title: str, action: Callable[[], object]) -> None:
        button = QPushButton(title)
        button.clicked.connect(lambda: action())
        self._row.insertWidget(self._row.count() - 1, button)

    def close_after(self, milliseconds: int) -> None:
        """Close the notice after that time, or later if it is being used then."""
        QTimer.singleShot(milliseconds, self, lambda: self._close_if_unused(milliseconds))

    def _close_if_unused(self, milliseconds: int) -> None:
        focused = QApplication.focusWidget()
        if self.underMouse() or (focused is not None and self.isAncestorOf(focused)):
            self.close_after(milliseconds)
        else:
            self._close_notice()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_row"):  # complete
            self._apply_colors()

    def _apply_colors(self) -> None:
        """Tint the background slightly red, yellow or blue; the text keeps its contrast."""
        palette = QApplication.palette()
        hue = QColor(_HUES.get(self._kind, "#3e7bd6"))
        window = palette.color(QPalette.ColorRole.Window)
        mixed = QColor(
            (4 * window.red() + hue.red()) // 5,
            (4 * window.green() + hue.green()) // 5,
            (4 * window.blue() + hue.blue()) // 5,
        )
        if self.palette().color(QPalette.ColorRole.Window) == mixed:
            return  # the change is our own
        tint = QPalette()  # colours not set here follow the application's
        tint.setColor(QPalette.ColorRole.Window, mixed)
        self.setPalette(tint)
        self._picture.setPixmap(icon(self._kind, palette).pixmap(20, 20))
        self._close.setIcon(icon("close", palette))
