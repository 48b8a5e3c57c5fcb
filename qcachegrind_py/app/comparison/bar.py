"""The bar under the toolbar while two profiles, or parts of one, are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent, QTextCursor
from PySide6.QtWidgets import (
    QMainWindow,
    QWidget,
)

from qcachegrind_py.analysis.comparison.comparability import Difference
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.app.comparison.summary import (
    Comparability,
    SideName,
    Summary,
    find_differences,
    side_names,
    summarize,
)
from qcachegrind_py.app.frame.notices import ContextBar, ContextRow
from qcachegrind_py.app.style.forms import resize_within_screen
from qcachegrind_py.app.style.text_widgets import CopyDialog, Row, TablePage
from qcachegrind_py.app.style.tips import fill_in_whats_this
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.summary_strip import SummaryStrip
from qcachegrind_py.views.widgets.controls import FittedLabel, PlainLabel, text_button, tip_text
from qcachegrind_py.views.widgets.grid import grid
from qcachegrind_py.visible_text import visible_text

_LEAST_NAME = 10  # digits of each name; numbers give way to them
_LEAST_STRIP = 32  # digits of what has changed most; numbers give way to it, too


class ComparisonRow(ContextRow):
    """A row of labels and buttons. Where it is narrow, details give way, and names are elided."""

    def __init__(self, strip: QWidget) -> None:
        """`strip` says what has changed most."""
        super().__init__("Comparison")
        self.base, self.new = FittedLabel(_LEAST_NAME), FittedLabel(_LEAST_NAME)
        self._arrow = PlainLabel()
        self._arrow.setText("→")
        self.totals, self.change = PlainLabel(), PlainLabel()
        self._numbers = self.totals, self.change
        self.strip = strip
        bold = self.change.font()
        bold.setBold(True)
        self.change.setFont(bold)
        self.differences = text_button("", "List what differs besides the costs")
        self.swap = text_button("Swap", "Make the base the new side, and the new side the base")
        self.stop = text_button("Stop Comparing", "Show the new side alone")
        self._least_strip = _LEAST_STRIP * self.fontMetrics().horizontalAdvance("0")
        self._summary = Summary("")
        self._fill_row()

    def _fill_row(self) -> None:
        row = self.row
        for widget in (self.base, self._arrow, self.new):
            row.addWidget(widget)
        for label in self._numbers:
            label.setContentsMargins(grid(), 0, 0, 0)
            row.addWidget(label)
        row.addSpacing(grid(2))
        row.addWidget(self.strip, 1)
        for button in (self.differences, self.swap, self.stop):
            row.addWidget(button)

    # ---------------------------------------------------------------- content

    def set_names(self, base: SideName, new: SideName) -> None:
        for label, title, side in ((self.base, "Base", base), (self.new, "New", new)):
            label.set_text(side.short)
            label.setToolTip(tip_text(f"{title}:", *side.details))
            label.setAccessibleName(f"{title}: {side.short}")
        self._fit()

    def show_summary(self, summary: Summary) -> None:
        self._summary = summary
        tip = tip_text(*_lines(summary))
        for label in self._numbers:
            label.setToolTip(tip)
        self._fit()

    def show_comparability(self, found: Comparability) -> None:
        """Show how many differences there are besides the costs, if any; a click lists them."""
        count = len(found.differences) + found.cycle_count
        self.differences.setText(f"{format_count(count)} {plural(count, 'Difference')}")
        self.differences.setVisible(count > 0)
        self._fit()

    # ---------------------------------------------------------------- width

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show as many details as fit beside the names; the tip has all."""
        for details in _details(self._summary):
            for label, text in zip(self._numbers, details, strict=True):
                label.setText(text)
                label.setVisible(bool(text))
            if self.row.minimumSize().width() + self._least_strip <= self.width():
                return


def _details(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield the texts of totals and net change, with ever fewer details."""
    totals = f"{summary.event}: {summary.base} → {summary.new}" if summary.base else summary.note
    change = summary.change
    yield totals, change
    yield ("", change) if change else (totals, "")
    yield "", change.partition(" (")[0]


def _lines(summary: Summary) -> Iterator[str]:
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


_WHATS_THIS = (
    "What is compared, base → new: both totals of the event, the net change, and which function "
    "changed most. A click on the differences lists what else is not the same. Swap "
    "makes the base the new side; Stop Comparing shows the new side alone."
)
_JOB = "comparability"
_SIDES = Change.PROFILE | Change.SCOPE
_NUMBERS = _SIDES | Change.EVENTS | Change.EVENT | Change.NUMBERS | Change.UNIT


class ComparisonBar(ContextBar):
    """Says what is compared, how the total changed, and whether the runs are comparable."""

    cycles_found = Signal(int)  # how many would be others on one side alone

    def __init__(self, window: QMainWindow, session: Session) -> None:
        self._session, self._found = session, Comparability()
        super().__init__("Comparison", window, _WHATS_THIS)
        self.strip = SummaryStrip(session, first=1)  # the change stands before it in full
        self.row = ComparisonRow(self.strip)
        self.row.differences.clicked.connect(self._show_differences)
        self.row.swap.clicked.connect(session.comparing.swap)
        self.row.stop.clicked.connect(session.comparing.stop)
        self.addWidget(self.row)
        fill_in_whats_this(self)
        session.navigation.changed.connect(self._on_changed)
        self._on_changed(session.navigation.context, Change.all_changes())

    def is_needed(self) -> bool:
        return self._session.comparison is not None

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

        DifferencesDialog(self._found, self.window()).open()


TITLE = "Differences Between Base and New"
_COMPARABLE = (
    "Both were recorded alike: the same command, recording program, events, caches and kinds of "
    "data."
)
_NOT_COMPARABLE = (
    "Base and new also differ in the following. A change in costs may come from these instead "
    "of from the code."
)
_CYCLES = (
    "Cycles are found over both sides together, so that a function is in the same cycle on both. "
    "One side alone would have other cycles here, and other inclusive costs of their functions."
)
_WIDTH, _MAX_HEIGHT = 110, 70  # in digits
_Section = tuple[str, str, Sequence[Difference]]  # heading, explanation, rows


class DifferencesDialog(CopyDialog):
    """Lists differences as tables."""

    def __init__(self, found: Comparability, parent: QWidget) -> None:
        self._found, self.page = found, TablePage(TITLE)
        tip = "Copy all differences as text"
        super().__init__(parent, TITLE, self.page, lambda: differences_text(found), tip)
        self._fill()
        resize_within_screen(self, *self._fitting_size())
        self.page.setFocus()

    def _fitting_size(self) -> tuple[int, int]:
        """Return width and height with room for all lines, if there are not too many."""
        digit = self.fontMetrics().horizontalAdvance("0")
        width, highest = _WIDTH * digit, _MAX_HEIGHT * digit
        document = self.page.document().clone(self)
        document.setTextWidth(width - 6 * digit)  # without margins and a scroll bar
        return width, min(highest, round(document.size().height()) + 10 * digit)

    def _fill(self) -> None:
        page = self.page
        for heading, explanation, differences in _sections(self._found):
            if heading:
                page.add_heading(heading)
            page.add_paragraph(explanation)
            page.add_table(_rows(differences) if differences else (), numbers=())
            for remedy in _remedies(differences):
                page.add_paragraph(remedy)
        page.moveCursor(QTextCursor.MoveOperation.Start)


def differences_text(found: Comparability) -> str:
    """Return all that the dialog says, one difference in a line."""
    lines: list[str] = []
    for heading, explanation, differences in _sections(found):
        lines += ["", heading] if heading else []
        lines.append(explanation)
        lines += ("\t".join(row) for row in _rows(differences)[1:])
        lines += _remedies(differences)
    return "\n".join(lines) + "\n"


def _sections(found: Comparability) -> Iterator[_Section]:
    """Yield what differs between the runs, and in the cycles."""
    runs = found.differences
    yield "", _NOT_COMPARABLE if runs else _COMPARABLE, runs
    if cycles := found.cycles:
        count = f"{format_count(found.cycle_count)} {plural(found.cycle_count, 'Cycle')}"
        more = found.cycle_count - len(cycles)
        listed = f" The first {format_count(len(cycles))} are listed." if more else ""
        yield count, f"{_CYCLES}{listed}", cycles


def _rows(differences: Sequence[Difference]) -> list[Row]:
    rows = ((each.what, each.base, each.new) for each in differences)
    return [("", "Base", "New"), *(tuple(visible_text(cell) for cell in row) for row in rows)]


def _remedies(differences: Sequence[Difference]) -> list[str]:
    return [f"{each.what}: {each.remedy}" for each in differences if each.remedy]
