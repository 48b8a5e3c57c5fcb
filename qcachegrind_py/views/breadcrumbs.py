"""Breadcrumbs: the call path to the active function as a row of buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from qcachegrind_py.present.table import short_text
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.views.widgets.labels import tip_text

_MAX_STEPS = 12  # steps with a button; the earlier ones are in the overflow menu
_SEPARATOR = "›"


class Breadcrumbs(QWidget):
    """A row of buttons; first steps that do not fit are in an overflow menu."""

    function_activated = Signal(object)  # NodeId

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._overflow_button = QToolButton(autoRaise=True)
        self._overflow_button.setText("…")
        self._overflow_button.setToolTip("Earlier steps")
        self._overflow_button.setAccessibleName("Earlier steps")
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
        """Show nodes with their names, from the top caller down to the active function."""
        self._path = path
        self._arrange()

    def _arrange(self) -> None:
        shown = self._path[-_MAX_STEPS:]
        for index, (arrow, button) in enumerate(self._step_widgets):
            is_used = index < len(shown)
            if is_used:
                function, name = shown[index]
                button.setProperty("function", function)
                button.setText(short_text(name).replace("&", "&&"))
                button.setToolTip(tip_text(name))
                button.setAccessibleName(short_text(name))
            if button.isHidden() == is_used:
                button.setVisible(is_used)
            if arrow.isHidden() == (is_used and index > 0):
                arrow.setVisible(is_used and index > 0)
        self._hidden_count = len(self._path) - len(shown)
        self._fit(len(shown))

    def _fit(self, shown: int) -> None:
        """Hide steps from the left until the rest fit."""
        width = self.width() - self._overflow_button.sizeHint().width()
        widths = [
            a.sizeHint().width() + b.sizeHint().width() for a, b in self._step_widgets[:shown]
        ]
        first = 0
        while first < shown - 1 and sum(widths[first:]) > width:
            for widget in self._step_widgets[first]:
                widget.hide()
            first += 1
        self._hidden_count += first
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
