"""The toolbar: buttons of frequent commands, with words where the window has room for them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QMainWindow,
    QMenu,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QWidget,
)

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.filter_bar import FilterBar
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import ToolbarText

_WHATS_THIS = "Frequently used commands: files, navigation, and how costs are shown."
_BEGIN = (
    "open", "reload", "", "back", "forward", "up", "", "cycles", "short_names", "", "units",
)  # fmt: skip
_END = "filter", "own_code", "jump"
_MODE = QToolButton.ToolButtonPopupMode
_STYLE = Qt.ToolButtonStyle


class Toolbar(QToolBar):
    """Actions, the boxes of the events, the field of the filter while it is open, and more actions.

    It is there as long as a profile is open or being opened: the welcome page has the commands
    that begin.
    """

    def __init__(
        self,
        window: QMainWindow,
        session: Session,
        actions: Actions,
        menus: Mapping[str, QMenu],
        events: tuple[QComboBox, QComboBox],
        field: FilterBar,
    ) -> None:
        """`menus` are those of actions, by their names."""
        super().__init__("Toolbar", window)
        self.setObjectName("Toolbar")
        self.setWhatsThis(_WHATS_THIS)
        self.setMovable(False)
        self.toggleViewAction().setVisible(False)
        side = self.fontMetrics().height() * 5 // 4
        self.setIconSize(QSize(side, side))
        self._session, self._actions, self._events = session, actions, events
        self._text = ToolbarText.AUTOMATIC
        self._fill(*_BEGIN)
        for name, menu in menus.items():
            self._button(name).setMenu(menu)
            self._button(name).setPopupMode(_MODE.MenuButtonPopup)
        self._button("units").setPopupMode(_MODE.InstantPopup)
        for combo in events:
            self.addWidget(combo)
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._space = self.addWidget(space)
        self._field = _OpeningField(self, field, self._space)
        self._fill(*_END)
        window.addToolBar(self)
        session.opening.connect(lambda: self.setVisible(True))
        session.ended.connect(lambda: self.setVisible(True))
        self.setVisible(True)

    def setVisible(self, _visible: bool) -> None:  # noqa: N802
        """Show the bar while it is needed, whatever a saved layout says."""
        self._choose_style()
        super().setVisible(self._session.queries is not None or self._session.is_opening)

    def open_field(self) -> None:
        """Open the field of the filter and give it the keyboard focus."""
        self._field.open()

    # ---------------------------------------------------------------- words

    def set_text(self, text: ToolbarText) -> None:
        """Set whether buttons have words."""
        self._text = text
        self._choose_style()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._choose_style()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._choose_style()

    def _choose_style(self) -> None:
        """Put words beside the icons where the whole bar has room for them."""
        style = _STYLE.ToolButtonIconOnly
        if self._text is not ToolbarText.OFF and self._width_with_words() <= self.window().width():
            style = _STYLE.ToolButtonTextBesideIcon
        elif self._text is ToolbarText.ON:
            style = _STYLE.ToolButtonTextUnderIcon
        self.setToolButtonStyle(style)

    def _width_with_words(self) -> int:
        """Return the width of the bar with words beside its icons, the field of the filter closed.

        It follows from the texts alone, so a style never changes because of another style.
        """
        metrics, gap = self.fontMetrics(), self.fontMetrics().height() // 2
        width = sum(2 * combo.minimumSizeHint().width() for combo in self._events)
        for action in self.actions():
            widget = self.widgetForAction(action)
            if isinstance(widget, QToolButton):
                has_arrow = widget.popupMode() is not _MODE.DelayedPopup
                width += self.iconSize().width() + metrics.horizontalAdvance(action.iconText())
                width += (4 if has_arrow else 3) * gap
            elif action.isSeparator():
                width += gap
        return width

    def _fill(self, *names: str) -> None:
        for name in names:
            if name:
                self.addAction(self._actions[name])
            else:
                self.addSeparator()

    def _button(self, name: str) -> QToolButton:
        button = self.widgetForAction(self._actions[name])
        assert isinstance(button, QToolButton)
        return button


class _OpeningField(QObject):
    """Shows the field of the filter when it is asked for, and while it has a text."""

    def __init__(self, bar: QToolBar, field: FilterBar, space: QAction) -> None:
        super().__init__(bar)
        self._field, self._space = field, space
        self._action = bar.addWidget(field)
        self._action.setVisible(False)
        self._before: QWidget | None = None  # what had the keyboard focus
        field.textChanged.connect(lambda _text: self._update())
        field.installEventFilter(self)

    def open(self) -> None:
        if not self._field.hasFocus():
            self._before = QApplication.focusWidget()
        self._show(True)
        self._field.setFocus()
        self._field.selectAll()

    def _update(self) -> None:
        self._show(bool(self._field.text()) or self._field.hasFocus())

    def _show(self, is_open: bool) -> None:
        self._action.setVisible(is_open)
        self._space.setVisible(not is_open)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Close the empty field when the focus leaves it, and by Escape."""
        if isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusOut:
            if event.reason() is not Qt.FocusReason.ActiveWindowFocusReason:
                self._show(bool(self._field.text()))
        elif (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Escape
            and not self._field.text()
        ):
            if self._before is not None:
                self._before.setFocus()
            self._show(False)
            return True
        return False
