"""What an empty view shows: why it is empty, and buttons that change that."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QTableView, QVBoxLayout, QWidget

from qcachegrind_py.analysis.code.location_costs import has_addresses
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.views.widgets.grid import grid


@frozen(eq=True)
class Remedy:
    """A button of an empty view, such as *Clear Search*."""

    title: str
    apply: Callable[[], object]


class EmptyPage(QWidget):
    """A message in the middle of a view, with buttons below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = message_label()
        self.buttons: list[QPushButton] = []
        self._row = QHBoxLayout()
        self._row.setSpacing(grid())
        self._row.addStretch()
        self._row.addStretch()
        self._column = QVBoxLayout(self)
        self._column.setSpacing(0)
        self._column.addStretch()
        self._column.addWidget(self.label)
        self._column.addLayout(self._row)
        self._column.addStretch()

    def show_reason(self, text: str, *remedies: Remedy) -> None:
        """Say why the view is empty, and offer what fills it."""
        had_focus = self._has_focused_button()
        self.label.setText(text)
        for button in self.buttons:
            button.hide()
            button.deleteLater()
        self.buttons = [self._add_button(remedy) for remedy in remedies]
        if had_focus and self.buttons:
            self.buttons[0].setFocus()
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Place the buttons beside the message where there is no room below it."""
        below = max((button.sizeHint().height() for button in self.buttons), default=0)
        is_low = below > 0 and self.height() < self.label.heightForWidth(self.width()) + below
        if is_low != self.label.wordWrap():
            return  # setting the same again would lay out the whole window
        way = QVBoxLayout.Direction.LeftToRight if is_low else QVBoxLayout.Direction.TopToBottom
        self._column.setDirection(way)
        self.label.setWordWrap(not is_low)
        self.label.setMargin(0 if is_low else self.fontMetrics().height())

    def _has_focused_button(self) -> bool:
        return any(button.hasFocus() for button in self.buttons)

    def _add_button(self, remedy: Remedy) -> QPushButton:
        button = QPushButton(remedy.title)
        button.clicked.connect(lambda: remedy.apply())
        self._row.insertWidget(self._row.count() - 1, button)
        return button


class EmptyTablePage(EmptyPage):
    """Covers the rows of a table while there are none; the titles of the columns stay visible."""

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self._table = table
        table.viewport().installEventFilter(self)
        model = table.model()
        model.modelReset.connect(self._follow_rows)
        model.layoutChanged.connect(self._follow_rows)
        self.hide()

    def show_reason(self, text: str, *remedies: Remedy) -> None:
        super().show_reason(text, *remedies)
        self._follow_rows()

    def _follow_rows(self) -> None:
        is_empty = bool(self.label.text()) and not self._table.model().rowCount()
        if not is_empty and self._has_focused_button():
            self._table.setFocus()  # Qt would give the keyboard to some other widget
        self.setVisible(is_empty)

    def eventFilter(self, viewport: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self.setGeometry(self._table.viewport().geometry())
        return super().eventFilter(viewport, event)


def message_label() -> QLabel:
    label = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    label.setMargin(label.fontMetrics().height())
    return label


NO_FUNCTION_CHOSEN = "Choose a function in the list."
NO_CALLS = "The profile contains no calls.\nRecord them with valgrind --tool=callgrind."
NO_CALLERS = (
    "The stacks have one function each.\nRecord them with their callers, as with perf record -g."
)
NO_RATIO_SHARES = (
    "A ratio cannot be distributed over calls.\nChoose a counted event in the toolbar."
)
CYCLE_HAS_NO_CODE = (
    "A cycle has no code of its own.\nChoose one of its members in the list of callees."
)

GONE_HAS_NO_CODE = (
    "Only the base has this function, and the code is that of the new side.\n"
    "Swap the sides to see it."
)


def no_calls_reason(query: ViewQuery, *, has_ratios: bool = False) -> str:
    """Return why the active function's calls cannot be shown; empty if they can.

    `has_ratios` tells whether a view shows ratios of calls.
    """
    context = query.context
    if context.event is None or context.function == NO_NODE:
        return NO_FUNCTION_CHOSEN
    if not len(query.profile.calls):
        return NO_CALLS if query.profile.contexts is None else NO_CALLERS
    return NO_RATIO_SHARES if context.event.is_ratio and not has_ratios else ""


def no_source_reason(query: ViewQuery) -> str:
    """Return why no source lines can be shown; empty if there may be some."""
    from qcachegrind_py.tools.annotation_inputs import missing_lines_reason

    missing = "" if query.queries.has_lines else missing_lines_reason(query.profile)
    return _no_function_reason(query) or missing


def no_instructions_reason(query: ViewQuery) -> str:
    """Return why no instructions can be shown; empty if there may be some."""
    from qcachegrind_py.tools.annotation_inputs import missing_instructions_reason

    profile = query.profile
    missing = "" if has_addresses(profile) else missing_instructions_reason(profile)
    return _no_function_reason(query) or missing


def _no_function_reason(query: ViewQuery) -> str:
    context = query.context
    if context.event is None or context.function == NO_NODE:
        return NO_FUNCTION_CHOSEN
    if not query.queries.is_function(context.function):
        return CYCLE_HAS_NO_CODE
    compared = query.comparison
    is_gone = compared is not None and not compared.in_new[context.function]
    return GONE_HAS_NO_CODE if is_gone else ""
