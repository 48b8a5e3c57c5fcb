"""The row of tools above a picture, of which a narrow one keeps some behind the button *More*."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from qcachegrind_py.views.pictures.canvas import Zoom
from qcachegrind_py.views.profile_view import header_row
from qcachegrind_py.views.widgets.controls import FindEdit, text_button, text_menu_button
from qcachegrind_py.views.widgets.grid import grid

_ICON = Qt.ToolButtonStyle.ToolButtonIconOnly
_WORDS = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
_ZOOM_BUTTONS = {
    Zoom.OUT: ("−", "Zoom out (−, or Ctrl and the wheel)"),
    Zoom.IN: ("+", "Zoom in (+, or Ctrl and the wheel)"),
    Zoom.FIT: ("Fit", "Show the whole picture (0)"),
    Zoom.ACTUAL_SIZE: ("1:1", "Show the picture in actual size (1)"),
}
_State = tuple[Sequence[QToolButton], Sequence[QToolButton]]  # with words; behind *More*


def create_zoom_buttons(
    zoom: Callable[[Zoom], None], *, has_actual_size: bool
) -> dict[Zoom, QToolButton]:
    """Return buttons that call `zoom` with their step, from left to right."""
    buttons = {}
    for step, (text, tip) in _ZOOM_BUTTONS.items():
        if step is not Zoom.ACTUAL_SIZE or has_actual_size:
            buttons[step] = button = text_button(text, tip)
            button.setAccessibleName(tip.partition(" (")[0])
            button.clicked.connect(lambda _checked=False, step=step: zoom(step))
    return buttons


class ToolRow(QWidget):
    """A search between buttons, before them those that choose the picture.

    Where there is not enough room, first the words of these go: those of the pictures that are not
    chosen, then all. The buttons for zooming go next, then those on the right, then the others.
    """

    def __init__(
        self,
        first: Sequence[QToolButton],
        zoom: Sequence[QToolButton],
        search: FindEdit,
        found: QLabel,
        last: Sequence[QToolButton],
    ) -> None:
        super().__init__()
        self.switch: list[QToolButton] = []  # the buttons that choose the picture
        self._switch_row = QHBoxLayout()
        self._switch_row.setSpacing(0)
        self._buttons = [*first, *zoom, *last]
        self._going = (), tuple(zoom), (*zoom, *last), tuple(self._buttons)
        self._found = found
        self.more = text_menu_button("More", "More tools", self._fill_more)
        self._row = header_row(*first, *zoom, search, found, *last, self.more, most=search)
        self._row.insertLayout(0, self._switch_row)
        self.setLayout(self._row)
        self._least_width = 0
        self._fitted: object = None  # what the present state was chosen for

    def add_switch(self, choices: Sequence[QAction]) -> None:
        """Put buttons before the tools, which choose between pictures."""
        self._switch_row.setContentsMargins(0, 0, grid(), 0)
        for choice in choices:
            button = QToolButton(autoRaise=True)
            button.setDefaultAction(choice)
            self._switch_row.addWidget(button)
            self.switch.append(button)
            choice.toggled.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        """Show as many words and buttons as there is room for."""
        parts = *self._buttons, self._found
        texts = tuple(part.sizeHint().width() for part in parts)
        chosen = [button for button in self.switch if button.isChecked()]
        if (self.width(), texts, chosen) == self._fitted:
            return
        self._fitted = self.width(), texts, chosen
        states: list[_State] = [(self.switch, ()), (chosen, ())]
        states += [((), gone) for gone in self._going]
        self._show(*states[-1])
        self._least_width = self._row.minimumSize().width()
        for words, gone in states:
            self._show(words, gone)
            if self._row.minimumSize().width() <= self.width():
                break
        self.updateGeometry()

    def _show(self, words: Sequence[QToolButton], gone: Sequence[QToolButton]) -> None:
        for button in self.switch:
            button.setToolButtonStyle(_WORDS if button in words else _ICON)
        for button in self._buttons:
            button.setVisible(button not in gone)
        self.more.setVisible(bool(gone))
        self._switch_row.invalidate()
        self._row.invalidate()

    def _fill_more(self, menu: QMenu) -> None:
        for button in self._buttons:
            if not button.isHidden():
                continue
            if (inner := button.menu()) is not None:
                inner.setTitle(button.text())
                menu.addMenu(inner)
                continue
            action = menu.addAction(button.accessibleName() or button.text(), button.click)
            action.setToolTip(button.toolTip())
            action.setCheckable(button.isCheckable())
            action.setChecked(button.isChecked())

    # ---------------------------------------------------------------- Qt's events

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._least_width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        is_handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:  # as the text of a button is another one
            self._fit()
        return is_handled
