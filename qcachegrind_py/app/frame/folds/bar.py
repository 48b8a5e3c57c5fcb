"""The bar under the toolbar while functions are charged to their callers."""

from __future__ import annotations

from itertools import accumulate

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLayout,
    QMainWindow,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QWidget,
)

from qcachegrind_py.analysis.filters.conditions import Fold, FoldKind
from qcachegrind_py.analysis.folded_queries import FoldedQueries
from qcachegrind_py.app.frame.folds.actions import FoldActions
from qcachegrind_py.app.frame.whats_this import FOLDS, fill_in_whats_this
from qcachegrind_py.app.style.icons import icon
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.table import short_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.widgets.buttons import text_button
from qcachegrind_py.views.widgets.labels import PlainLabel, tip_text
from qcachegrind_py.visible_text import visible_text

_NUMBERS = Change.PROFILE | Change.SCOPE | Change.EVENT | Change.NUMBERS | Change.UNIT
_KINDS = {
    FoldKind.FOLD: "",
    FoldKind.ONLY: "all but ",
    FoldKind.COLLAPSE: "recursion of ",
}
_WHY_ESTIMATED = (
    "folded functions call some that are shown, for several callers; which caller caused what is "
    "not recorded."
)
_WHY_REMAINING = (
    "nobody calls them, or they connect too many callers and callees to tell these apart."
)


class FoldBar(QToolBar):
    """Lists what is folded, each with a button that shows it again, and what it costs."""

    def __init__(self, window: QMainWindow, session: Session, actions: FoldActions) -> None:
        super().__init__("Folds", window)
        self.setObjectName("Folds")  # for saveState
        self.setMovable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.toggleViewAction().setVisible(False)
        self._session, self._actions = session, actions
        self.row = FoldRow(actions)
        self.addWidget(self.row)
        self.setWhatsThis(FOLDS)
        fill_in_whats_this(self)
        session.navigation.changed.connect(self._on_changed)
        self._on_changed(session.navigation.context, Change.all_changes())

    def setVisible(self, _visible: bool) -> None:  # noqa: N802
        """Show the bar while something is folded, whatever a saved layout says."""
        super().setVisible(bool(self._session.navigation.context.filter.folds))

    def _on_changed(self, context: Context, change: Change) -> None:
        if not change & (_NUMBERS | Change.FILTER):
            return
        folds = context.filter.folds
        self.setVisible(bool(folds))
        query = self._session.query
        if query is not None and isinstance(query.queries, FoldedQueries):
            self.row.show_summary(query, query.queries)
        self.row.show_folds(folds)


class FoldRow(QWidget):
    """A button for each fold, as many as fit, and what all of them cost."""

    def __init__(self, actions: FoldActions) -> None:
        super().__init__()
        self.setAccessibleName("Folds")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._actions = actions
        self._folds: tuple[Fold, ...] = ()
        self.buttons: list[QToolButton] = []
        self.more, self.summary, self.title = PlainLabel(), PlainLabel(), PlainLabel()
        self.title.setText("Charged to callers:")
        self.unfold = text_button("Unfold All", "Show all folded functions again")
        self.unfold.clicked.connect(actions.remove_all)
        gap = self.fontMetrics().height() // 2
        self._row, self._chips = QHBoxLayout(self), QHBoxLayout()
        self._chips.setSpacing(gap // 2)
        self._row.setContentsMargins(gap, gap // 4, gap // 2, gap // 4)
        self._row.setSpacing(gap // 2)
        self._row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self._row.addWidget(self.title)
        self._row.addLayout(self._chips)
        self._row.addWidget(self.more)
        self._row.addSpacing(gap)
        self._row.addWidget(self.summary)
        self._row.addStretch(1)
        self._row.addWidget(self.unfold)

    def show_folds(self, folds: tuple[Fold, ...]) -> None:
        """Show a button for each fold."""
        if folds != self._folds:
            self._folds = folds
            for button in self.buttons:
                self._chips.removeWidget(button)
                button.hide()
                button.deleteLater()
            self.buttons = [self._button(fold) for fold in folds]
            for button in self.buttons:
                self._chips.addWidget(button)
            self._recolor()
        self._fit()

    def show_summary(self, query: ViewQuery, queries: FoldedQueries) -> None:
        """Say how many functions are folded, and what they cost."""
        self.summary.setText(summary_text(query, queries))
        self.summary.setToolTip(tip_text(*summary_notes(query, queries)))

    def _button(self, fold: Fold) -> QToolButton:
        shown = short_text(visible_text(fold.text.partition(":")[2])).replace("&", "&&")
        tip = tip_text(fold.text, "Click to show these functions again")
        button = text_button(_KINDS[fold.kind] + shown, tip)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setAccessibleName(f"Unfold {visible_text(fold.text)}")
        button.clicked.connect(lambda _checked=False: self._actions.remove(fold.text))
        return button

    # ---------------------------------------------------------------- width and colour

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._recolor()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Return a size that lets a narrow toolbar cut the row instead of hiding it."""
        return QSize(0, super().minimumSizeHint().height())

    def _recolor(self) -> None:
        for button in self.buttons:
            button.setIcon(icon("close", self.palette()))

    def _fit(self) -> None:
        """Show as many buttons as fit; the tip of a number beside them lists the others.

        The room is computed, since showing and hiding buttons in turn would resize the row again.
        """
        gap = self._chips.spacing()
        widths = [button.sizeHint().width() + gap for button in self.buttons]
        digits = self.fontMetrics().horizontalAdvance(f"+{len(widths)}") + gap
        room = self.width() - self._width_without_buttons()
        count = _fitting(widths, room)
        if count < len(widths):
            count = _fitting(widths, room - digits)
        hidden = self._folds[count:]
        for index, button in enumerate(self.buttons):
            button.setVisible(index < count)
        self.more.setVisible(bool(hidden))
        self.more.setText(f"+{len(hidden)}")
        self.more.setToolTip(tip_text(*(fold.text for fold in hidden)))

    def _width_without_buttons(self) -> int:
        margins, spacing = self._row.contentsMargins(), self._row.spacing()
        fixed = (self.title, self.summary, self.unfold)
        width = sum(widget.sizeHint().width() + spacing for widget in fixed)
        return width + margins.left() + margins.right() + self.fontMetrics().height() // 2


def _fitting(widths: list[int], room: int) -> int:
    """Return how many of the widths fit beside each other, from the first on."""
    return sum(used <= room for used in accumulate(widths))


def summary_text(query: ViewQuery, queries: FoldedQueries) -> str:
    """Return how many functions are folded, and how much of the total they cost."""
    count, event = int(queries.folding.is_folded.sum()), query.context.event
    if not count:
        return "no function matches"
    text = f"{format_count(count)} {plural(count, 'function')}"
    if event is None or event.is_ratio:
        return text
    scope = query.context.scope
    charged = as_number(queries.charged(event, scope)[: queries.function_count].sum())
    return f"{text}, {query.unit(event).with_unit(charged)} of {short_text(event.name)}"


def summary_notes(query: ViewQuery, queries: FoldedQueries) -> list[str]:
    """Return what a tip says of folds: what is estimated, and which functions remain and why."""
    folding, notes = queries.folding, ["Their costs are self costs of the lines that call them."]
    estimated = int(folding.is_estimated(query.context.scope.parts).sum())
    if estimated:
        costs = plural(estimated, "self cost is an estimate")
        if estimated > 1:
            costs = "self costs are estimates"
        notes.append(f"≈ {format_count(estimated)} {costs}: {_WHY_ESTIMATED}")
    remaining = int(folding.remains.sum())
    if remaining:
        functions = f"{format_count(remaining)} {plural(remaining, 'function')}"
        verb = "remains" if remaining == 1 else "remain"
        notes.append(f"{functions} that should be folded {verb}: {_WHY_REMAINING}")
    return notes
