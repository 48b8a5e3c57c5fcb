"""The toolbar: buttons of frequent commands, with as many words as there is room for."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
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
from qcachegrind_py.views.widgets.button_words import ButtonWords

_WHATS_THIS = "Frequently used commands: files, navigation, and how costs are shown."
_BEGIN = "open", "reload", "", "back", "forward", "up", "", "cycles", "short_names", "units"
_END = "own_code", "jump"
_WORDS = (  # where there is no room for all words, the last ones go
    "open", "back", "forward", "up", "filter", "own_code", "jump", "reload", "units", "cycles",
    "short_names",
)  # fmt: skip
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
        self._session, self._actions = session, actions
        self._text = ToolbarText.AUTOMATIC
        self._words = ButtonWords(())
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
        self._field, self._field_action = field, self.addWidget(field)
        self._opener = self.addWidget(self._opening_button())
        self._show_field(False)
        self._fill(*_END)
        self._words = ButtonWords([self._button(name) for name in _WORDS])
        field.textChanged.connect(lambda text: self._show_field(bool(text) or field.hasFocus()))
        field.left.connect(lambda: self._show_field(False))
        window.addToolBar(self)
        session.opening.connect(lambda: self.setVisible(True))
        session.ended.connect(lambda: self.setVisible(True))
        self.setVisible(True)

    def setVisible(self, _visible: bool) -> None:  # noqa: N802
        """Show the bar while it is needed, whatever a saved layout says."""
        super().setVisible(self._session.queries is not None or self._session.is_opening)
        self._choose_words()

    def _opening_button(self) -> QToolButton:
        """Return the button that the field takes the place of; the action stays in its menu."""
        button = QToolButton(autoRaise=True)
        button.setDefaultAction(self._actions["filter"])
        button.setIconSize(self.iconSize())
        self.toolButtonStyleChanged.connect(button.setToolButtonStyle)
        return button

    def open_field(self) -> None:
        """Open the field of the filter and give it the keyboard focus."""
        self._show_field(True)
        self._field.take_focus()

    def _show_field(self, is_open: bool) -> None:
        """Show the field, or the button that opens it, and space."""
        self._field_action.setVisible(is_open)
        self._space.setVisible(not is_open)
        self._opener.setVisible(not is_open)

    # ---------------------------------------------------------------- words

    def set_text(self, text: ToolbarText) -> None:
        """Set whether buttons have words, and where."""
        self._text = text
        is_below = text is ToolbarText.ON
        style = _STYLE.ToolButtonTextUnderIcon if is_below else _STYLE.ToolButtonIconOnly
        self.setToolButtonStyle(style)
        self._choose_words()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._choose_words()

    def event(self, event: QEvent) -> bool:
        if self._words.are_due(event):
            self._choose_words()
        return super().event(event)

    def _choose_words(self) -> None:
        """Put words beside the icons, as far as the bar has room for them."""
        if self._text is ToolbarText.ON or self.isHidden():
            return
        layout = self.layout()
        assert layout is not None
        icons = self.sizeHint().width() - self._words.width()
        is_off = self._text is ToolbarText.OFF
        self._words.fit(0 if is_off else self.window().width() - icons)
        layout.activate()  # at once, as this may be the answer to a request for it

    def _fill(self, *names: str) -> None:
        for name in names:
            if name:
                self.addAction(self._actions[name])
            else:
                self.addSeparator()

    def _button(self, name: str) -> QToolButton:
        action = self._opener if name == "filter" else self._actions[name]
        button = self.widgetForAction(action)
        assert isinstance(button, QToolButton)
        return button
