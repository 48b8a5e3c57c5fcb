"""Labels, buttons, menus and search fields, and the options of a picture with their menu."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import shiboken6
from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QKeyEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QToolTip,
)

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import bounded, cell_text
from qcachegrind_py.views.widgets.grid import grid
from qcachegrind_py.visible_text import visible_text

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


_LONGEST_TIP = 4000


def tip_text(*lines: str) -> str:
    """Return lines as a tooltip: as escaped HTML, because Qt takes some plain texts for HTML."""
    return "<qt>" + "<br>".join(escape(bounded(line, _LONGEST_TIP)) for line in lines) + "</qt>"


class PlainLabel(QLabel):
    """A label with plain text that can be selected and copied."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)


class FittedLabel(PlainLabel):
    """A one-line label as wide as its text if there is room, and elided if not.

    It has a least width; what is elided, in the middle, is in its tooltip.
    """

    def __init__(self, least_digits: int) -> None:
        super().__init__()
        self._full_text = ""
        self._least = least_digits * self.fontMetrics().horizontalAdvance("0")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def set_text(self, text: str) -> None:
        """Show a text; screen readers get it in full."""
        self._full_text = cell_text(text)
        self.setToolTip(tip_text(text))
        self.setAccessibleName(self._full_text)
        self._elide()
        self.updateGeometry()

    def sizeHint(self) -> QSize:  # noqa: N802
        width = self.fontMetrics().horizontalAdvance(self._full_text) + 2
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        size = self.sizeHint()
        return QSize(min(self._least, size.width()), size.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        middle = Qt.TextElideMode.ElideMiddle
        self.setText(self.fontMetrics().elidedText(self._full_text, middle, self.width()))


class NoteLabel(QLabel):
    """A one-line label that elides its text and shows it in full in its tooltip."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setContentsMargins(grid(), grid(0.5), grid(), grid(0.5))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802
        super().setText(text)
        self.setToolTip(tip_text(text) if text else "")

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter, area = QPainter(self), self.contentsRect()
        side = Qt.TextElideMode.ElideRight
        shown = self.fontMetrics().elidedText(self.text(), side, area.width())
        role = self.foregroundRole()
        self.style().drawItemText(
            painter, area, Qt.AlignmentFlag.AlignVCenter, self.palette(), True, shown, role
        )
        painter.end()


def text_button(text: str, tip: str, press: Callable[[], object] | None = None) -> QToolButton:
    """Return a text button that calls a function, with a frame that shows it is one."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    if press is not None:
        button.clicked.connect(lambda: press())
    return button


def dialog_button(text: str, tip: str, press: Callable[[], object]) -> QPushButton:
    """Return a button of a dialog that calls a function; Return never presses it by itself."""
    button = QPushButton(text)
    button.setAutoDefault(False)
    button.setToolTip(tip)
    button.clicked.connect(lambda: press())
    return button


def text_menu_button(text: str, tip: str, fill: Callable[[QMenu], None]) -> QToolButton:
    """Return a text button whose menu is filled each time it opens."""
    button = text_button(text, tip)
    menu = QMenu(button)
    menu.setToolTipsVisible(True)
    menu.aboutToShow.connect(lambda: _refill(menu, fill))
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setMenu(menu)
    return button


def open_context_menu(menu: QMenu, position: QPoint) -> None:
    """Show the menu at a screen position until it is closed, and delete it.

    Its parent would keep it, and all that its actions hold, alive; but if that was deleted while
    the menu was open, the menu went with it.
    """
    menu.exec(position)
    if shiboken6.isValid(menu):
        menu.deleteLater()


def _refill(menu: QMenu, fill: Callable[[QMenu], None]) -> None:
    """Refill a menu; `QMenu.clear` leaves submenus alive, so delete them as well."""
    menu.clear()
    for inner in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        inner.deleteLater()
    fill(menu)


Options = TypeVar("Options", bound="DataclassInstance")


@frozen(eq=True)
class Choice:
    """One option: title, tooltip, and its values with their texts; a boolean has no values."""

    title: str
    tooltip: str
    values: tuple[tuple[object, str], ...] = ()

    @property
    def is_boolean(self) -> bool:
        return not self.values

    def allows(self, value: object) -> bool:
        allowed = [True, False] if self.is_boolean else [known for known, _ in self.values]
        return any(type(value) is type(known) and value == known for known in allowed)


class OptionMenu(QObject, Generic[Options]):
    """The current options and their menu; emits `changed` when the user changes one."""

    changed = Signal()

    def __init__(self, parent: QObject, options: Options, choices: Mapping[str, Choice]) -> None:
        super().__init__(parent)
        self.current = options
        self._choices = choices

    def fill(self, menu: QMenu, inline: str = "", leave_out: Collection[str] = ()) -> None:
        """Add the options with their current values; `inline` names one to add at top level."""
        menu.setToolTipsVisible(True)
        for name, choice in self._choices.items():
            if name in leave_out:
                continue
            if name == inline:
                self._fill_values(menu, name, choice)
                menu.addSeparator()
            elif choice.is_boolean:
                action = menu.addAction(choice.title)
                action.setToolTip(choice.tooltip)
                action.setCheckable(True)
                action.setChecked(getattr(self.current, name))
                action.toggled.connect(partial(self.set, name))
            else:
                values = menu.addMenu(choice.title)
                values.menuAction().setToolTip(choice.tooltip)
                self._fill_values(values, name, choice)

    def _fill_values(self, menu: QMenu, name: str, choice: Choice) -> None:
        group = QActionGroup(menu)
        for value, text in choice.values:
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(getattr(self.current, name) == value)
            action.triggered.connect(lambda _on=False, value=value: self.set(name, value))
            group.addAction(action)

    def set(self, name: str, value: Any) -> None:
        self.current = replace(self.current, **{name: value})
        self.changed.emit()

    def to_text(self) -> str:
        return json.dumps(asdict(self.current))

    def restore(self, text: str) -> None:
        """Take the valid options from JSON text; ignore the rest."""
        try:
            stored = json.loads(text)
        except (ValueError, RecursionError):
            return
        for name, choice in self._choices.items():
            if isinstance(stored, dict) and name in stored and choice.allows(stored[name]):
                self.current = replace(self.current, **{name: stored[name]})


# Characters that a field takes: the longest names fit a filter. Qt's time to paste them grows with
# the square: 100,000 take 0.5 s, and a million, a copied table, minutes.
_MAX_LENGTH = 131_072


class ValidatedEdit(QLineEdit):
    """A line edit that can mark its text as invalid."""

    _has_error = False

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setPlaceholderText(name)
        self.setAccessibleName(name)
        self.setClearButtonEnabled(True)
        self.setMaxLength(_MAX_LENGTH)
        self.setAcceptDrops(False)  # a file that is dropped here is for the window

    def set_error(self, text: str) -> None:
        """Mark the text as invalid and explain why in the tooltip and to screen readers.

        An empty `text` clears the mark.
        """
        self._has_error = bool(text)
        self.setToolTip(tip_text(text) if text else "")
        self.setAccessibleDescription(visible_text(text))
        self.update_color()
        if text and self.hasFocus():  # a tooltip shows the error at once and moves no widget
            QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), self.toolTip(), self)

    def update_color(self) -> None:
        """Apply the error colour; Qt reports no palette change to a widget with its own palette."""
        palette = QPalette()  # unset roles keep following the application's palette
        if self._has_error:
            color = QApplication.palette().color(QPalette.ColorRole.BrightText)
            palette.setColor(QPalette.ColorRole.Text, color)
        self.setPalette(palette)


class FindEdit(ValidatedEdit):
    """A search field: Return goes from match to match, Escape clears."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance("0") * 10)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Ask for no more than the minimum: a search takes the width that others leave."""
        return QSize(self.minimumWidth(), super().sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)
