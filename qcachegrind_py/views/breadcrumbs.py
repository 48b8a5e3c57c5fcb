"""The way down to the active function as a line of names to click on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from qcachegrind_py.models.base.plain_text import short_text, tip_text
from qcachegrind_py.profile.ids import NodeId

_MAX_STEPS = 12  # steps that have a button; the others are in the menu of the first one
_SEPARATOR = "›"


class Breadcrumbs(QWidget):
    """Where there is no room the first steps are left out, and are in a menu."""

    function_activated = Signal(object)  # NodeId: a function of the way

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._overflow_button = QToolButton(autoRaise=True)
        self._overflow_button.setText("…")
        self._overflow_button.setToolTip("The way before")
        self._overflow_button.setAccessibleName("The way before")
        self._overflow_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._overflow_button.setMenu(QMenu(self._overflow_button))
        self._overflow_button.menu().aboutToShow.connect(self._fill_overflow_menu)
        self._row.addWidget(self._overflow_button)
        self._step_widgets = [self._create_step() for _ in range(_MAX_STEPS)]
        self._row.addStretch()
        self._path: Sequence[tuple[NodeId, str]] = ()

    def _create_step(self) -> tuple[QLabel, QToolButton]:
        arrow, button = QLabel(_SEPARATOR), QToolButton(autoRaise=True)
        button.clicked.connect(lambda: self.function_activated.emit(button.property("function")))
        self._row.addWidget(arrow)
        self._row.addWidget(button)
        return arrow, button

    def set_path(self, path: Sequence[tuple[NodeId, str]]) -> None:
        """Show functions with their names; the last one is the active one."""
        self._path = path
        self._arrange()

    def _arrange(self) -> None:
        shown = self._path[-_MAX_STEPS:]
        for place, (arrow, button) in enumerate(self._step_widgets):
            is_used = place < len(shown)
            if is_used:
                function, name = shown[place]
                button.setProperty("function", function)
                button.setText(short_text(name).replace("&", "&&"))
                button.setToolTip(tip_text(name))
                button.setAccessibleName(short_text(name))
            if button.isHidden() == is_used:
                button.setVisible(is_used)
            if arrow.isHidden() == (is_used and place > 0):
                arrow.setVisible(is_used and place > 0)
        self._hidden_count = len(self._path) - len(shown)
        self._fit(len(shown))

    def _fit(self, shown: int) -> None:
        """Leave out steps from the left until the others fit."""
        room = self.width() - self._overflow_button.sizeHint().width()
        widths = [
            a.sizeHint().width() + b.sizeHint().width() for a, b in self._step_widgets[:shown]
        ]
        place = 0
        while place < shown - 1 and sum(widths[place:]) > room:
            for widget in self._step_widgets[place]:
                widget.hide()
            place += 1
        self._hidden_count += place
        self._overflow_button.setVisible(self._hidden_count > 0)

    def _fill_overflow_menu(self) -> None:
        self._overflow_button.menu().clear()
        for function, name in self._path[: self._hidden_count]:
            action = self._overflow_button.menu().addAction(short_text(name).replace("&", "&&"))
            action.triggered.connect(
                lambda _checked=False, f=function: self.function_activated.emit(f)
            )

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, self._overflow_button.sizeHint().height())

    def sizeHint(self) -> QSize:  # noqa: N802
        return self.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._arrange()
