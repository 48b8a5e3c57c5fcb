"""The content of the comparison bar: names, totals, differences, and what can be done."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLayout, QSizePolicy, QWidget

from qcachegrind_py.app.comparison.comparability import Comparability
from qcachegrind_py.app.comparison.side_names import SideName
from qcachegrind_py.app.comparison.summary import Summary
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.views.widgets.buttons import text_button
from qcachegrind_py.views.widgets.labels import FittedLabel, PlainLabel, tip_text

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
