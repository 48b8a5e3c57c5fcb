"""The bar under the toolbar while two profiles, or parts of one, are compared."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLayout, QMainWindow, QSizePolicy, QToolBar, QWidget

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.app.comparison.summary import (
    Comparability,
    SideName,
    Summary,
    find_differences,
    side_names,
    summarize,
)
from qcachegrind_py.app.frame.whats_this import COMPARISON, fill_in_whats_this
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.widgets.controls import FittedLabel, PlainLabel, text_button, tip_text

_LEAST_NAME = 14  # digits of each name; numbers give way to them


class ComparisonRow(QWidget):
    """A row of labels and buttons. Where it is narrow, details give way, and names are elided."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Comparison")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.base, self.new = FittedLabel(_LEAST_NAME), FittedLabel(_LEAST_NAME)
        self._arrow = PlainLabel()
        self._arrow.setText("→")
        self.totals, self.change, self.grown, self.shrunk = (PlainLabel() for _ in range(4))
        self._numbers = self.totals, self.change, self.grown, self.shrunk
        bold = self.change.font()
        bold.setBold(True)
        self.change.setFont(bold)
        self.differences = text_button("", "List what differs besides the costs")
        self.swap = text_button("Swap", "Make the base the new side, and the new side the base")
        self.stop = text_button("Stop Comparing", "Show the new side alone")
        self._summary = Summary("")
        self._row = QHBoxLayout(self)
        self._fill_row()

    def _fill_row(self) -> None:
        row, gap = self._row, self.fontMetrics().height() // 2
        row.setContentsMargins(gap, gap // 4, gap // 2, gap // 4)
        row.setSpacing(gap // 2)
        row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        for widget in (self.base, self._arrow, self.new):
            row.addWidget(widget)
        for label in self._numbers:
            label.setContentsMargins(gap, 0, 0, 0)
            row.addWidget(label)
        row.addSpacing(gap)
        row.addStretch(1)
        for button in (self.differences, self.swap, self.stop):
            row.addWidget(button)

    # ---------------------------------------------------------------- content

    def set_names(self, base: SideName, new: SideName) -> None:
        """Show what is compared."""
        for label, title, side in ((self.base, "Base", base), (self.new, "New", new)):
            label.set_text(side.short)
            label.setToolTip(tip_text(f"{title}:", *side.details))
            label.setAccessibleName(f"{title}: {side.short}")
        self._fit()

    def show_summary(self, summary: Summary) -> None:
        """Show the totals and their change."""
        self._summary = summary
        tip = tip_text(*_lines(summary))
        for label in self._numbers:
            label.setToolTip(tip)
        self._fit()

    def show_comparability(self, found: Comparability) -> None:
        """Show whether the runs are comparable; a click on the button lists what differs."""
        count = len(found.differences)
        differ = f"{format_count(count)} {plural(count, 'Difference')}"
        self.differences.setText(differ if count else "Comparable")
        self.differences.show()
        self._fit()

    # ---------------------------------------------------------------- width

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Return a size that lets a narrow toolbar cut the row instead of hiding it."""
        return QSize(0, super().minimumSizeHint().height())

    def _fit(self) -> None:
        """Show as many details as fit beside the names; the tip has all."""
        for details in _details(self._summary):
            for label, text in zip(self._numbers, details, strict=True):
                label.setText(text)
                label.setVisible(bool(text))
            if self._row.minimumSize().width() <= self.width():
                return


def _details(summary: Summary) -> Iterator[tuple[str, str, str, str]]:
    """Yield the texts of totals, net change, growth and shrinkage, with ever fewer details."""
    totals = f"{summary.event}: {summary.base} → {summary.new}" if summary.base else summary.note
    change = summary.change
    grown, shrunk = (
        f"{title} {size}" if who else ""
        for title, size, who in (
            ("Growth", summary.grown, summary.grown_by),
            ("Shrinkage", summary.shrunk, summary.shrunk_by),
        )
    )
    yield (
        totals,
        change,
        f"{grown} ({summary.grown_by})" if grown else "",
        f"{shrunk} ({summary.shrunk_by})" if shrunk else "",
    )
    yield totals, change, grown, shrunk
    yield totals, change, "", ""
    yield ("", change, "", "") if change else (totals, "", "", "")
    yield "", change.partition(" (")[0], "", ""


def _lines(summary: Summary) -> Iterator[str]:
    """Yield all that is said of the totals, for a tip."""
    if summary.base:
        yield f"Total {summary.event}: {summary.base} → {summary.new}"
        yield f"Net change: {summary.change}"
    for title, size, who in (
        ("Growth", summary.grown, summary.grown_by),
        ("Shrinkage", summary.shrunk, summary.shrunk_by),
    ):
        if who:
            yield f"{title}: {size}; {who}"
    if summary.note:
        yield summary.note


_JOB = "comparability"
_SIDES = Change.PROFILE | Change.SCOPE
_NUMBERS = _SIDES | Change.EVENTS | Change.EVENT | Change.NUMBERS | Change.UNIT


class ComparisonBar(QToolBar):
    """Says what is compared, how the total changed, and whether the runs are comparable."""

    cycles_found = Signal(int)  # how many would be others on one side alone

    def __init__(self, window: QMainWindow, session: Session) -> None:
        super().__init__("Comparison", window)
        self.setObjectName("Comparison")  # for saveState
        self.setMovable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.toggleViewAction().setVisible(False)
        self._session = session
        self._found = Comparability()
        self.row = ComparisonRow()
        self.row.differences.clicked.connect(self._show_differences)
        self.row.swap.clicked.connect(session.comparing.swap)
        self.row.stop.clicked.connect(session.comparing.stop)
        self.addWidget(self.row)
        self.setWhatsThis(COMPARISON)
        fill_in_whats_this(self)
        session.navigation.changed.connect(self._on_changed)
        self._on_changed(session.navigation.context, Change.all_changes())

    def setVisible(self, _visible: bool) -> None:  # noqa: N802
        """Show the bar while something is compared, whatever a saved layout says."""
        super().setVisible(self._session.comparison is not None)

    def _on_changed(self, context: Context, change: Change) -> None:
        if not change & _NUMBERS:
            return
        compared, loaded = self._session.comparison, self._session.loaded
        self.setVisible(compared is not None)
        if compared is None or loaded is None:
            self._session.jobs.cancel(_JOB)
            self.cycles_found.emit(0)
            return
        if change & _SIDES:
            self.row.set_names(*side_names(loaded, compared))
            self._find_differences(compared)
        if context.event is not None:
            of_recorded = context.of_recorded
            summary = summarize(compared, context.event, context.numbers, of_recorded=of_recorded)
            self.row.show_summary(summary)

    def _find_differences(self, compared: Comparison) -> None:
        self.row.differences.hide()
        job = self._session.jobs.start(_JOB, find_differences, compared)
        job.finished.connect(self._on_found)
        job.failed.connect(self._session.failed)

    def _on_found(self, found: Comparability) -> None:
        self._found = found
        self.row.show_comparability(found)
        self.cycles_found.emit(found.cycle_count)

    def _show_differences(self) -> None:
        from qcachegrind_py.app.comparison.differences_dialog import DifferencesDialog

        DifferencesDialog(self._found, self.window()).open()
