"""The status bar: file, filter, parts and total of the profile; progress and cancel."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QToolButton

from qcachegrind_py.analysis.costs.totals import Total
from qcachegrind_py.present.context import Context
from qcachegrind_py.present.table import cell_text, short_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.numbers import (
    DEFAULT_STYLE,
    NumberStyle,
    format_cost,
    format_count,
    plural,
    unit_of,
    without_unit,
)
from qcachegrind_py.views.widgets.controls import tip_text
from qcachegrind_py.views.widgets.grid import grid

_PROGRESS_STEPS = 1000
_WHATS_THIS = {
    "file": "The open file. Its tip shows the full path and the command of the profiled program.",
    "parts": "The number of parts in the profile, and how many of them are selected.",
    "filter": "The filter that hides functions in all views.",
    "cycles": (
        "Cycles are found over base and new together, so that a function is in the same cycle on "
        "both. Of these, one side alone would have others: the differences list them."
    ),
    "total": (
        "The total cost of the selected event. Percentages are relative to it: to the recorded "
        "total if that is at least the sum of all functions, otherwise to the sum."
    ),
    "speed": "Files load slowly because the scanner is not compiled. The tip says how to fix it.",
    "progress": "How much of the file has been read.",
}
_SPLIT_CYCLES = (
    "Cycles are found over base and new together. One side alone would have others here: the "
    "differences in the bar list them."
)


class StatusBar:
    """The labels and the progress bar of a status bar."""

    def __init__(self, bar: QStatusBar, cancel: QAction) -> None:
        self.file, self.parts, self.filter, self.cycles, self.total, self.speed = (
            _plain_label() for _ in range(6)
        )
        bar.addWidget(self.file, 1)
        bar.addWidget(self.filter)
        bar.addWidget(self.parts)
        bar.addPermanentWidget(self.cycles)
        bar.addPermanentWidget(self.total)
        bar.addPermanentWidget(self.speed)
        self.speed.hide()
        self.cycles.hide()
        self.cycles.setToolTip(tip_text(_SPLIT_CYCLES))
        self._slow_scanner = self._open_file = ""
        self.progress = QProgressBar(maximum=_PROGRESS_STEPS)
        self.progress.setMaximumWidth(self.progress.fontMetrics().horizontalAdvance("0") * 30)
        self.progress.setAccessibleName("Progress")
        self._cancel = QToolButton(autoRaise=True)
        self._cancel.setDefaultAction(cancel)
        bar.addPermanentWidget(self.progress)
        bar.addPermanentWidget(self._cancel)
        for name, text in _WHATS_THIS.items():
            getattr(self, name).setWhatsThis(text)
        self.end_progress()

    def show_slow_scanner(self, explanation: str) -> None:
        """Show that files are read slowly; the explanation is a tip, and shown while opening."""
        self._slow_scanner = explanation
        self.speed.setText("Slow: scanner not compiled")
        self.speed.setToolTip(tip_text(explanation))
        self.speed.show()

    def begin_progress(self, text: str, doing: str = "Opening") -> None:
        hint = f"  {self._slow_scanner}" if self._slow_scanner and doing == "Opening" else ""
        self.file.setText(f"{doing} {cell_text(text)}…{hint}")
        self.progress.setValue(0)
        self.progress.show()
        self._cancel.show()

    def set_progress(self, fraction: float) -> None:
        self.progress.setValue(round(fraction * _PROGRESS_STEPS))

    def end_progress(self) -> None:
        """Show again which file is open."""
        self.file.setText(self._open_file)
        self.progress.hide()
        self._cancel.hide()

    def show_profile(self, query: ViewQuery | None, file: str) -> None:
        """Show file, parts, filter and total of the profile; without one, say so."""
        if query is None or query.context.event is None:
            self.show_words("No profile is open" if query is None else "No costs", "", "", "")
            self.filter.setText("")
            return
        profile, context, event = query.profile, query.context, query.context.event
        count, chosen = len(profile.parts), context.scope.parts
        selected = f"{format_count(len(chosen))} of " if chosen is not None else ""
        self.show_words(
            file,
            tip_text(*profile.paths, *filter(None, (profile.command,))),
            f"{selected}{format_count(count)} {plural(count, 'part')}",
            total_text(event, query.total(event), context.numbers),
        )
        self.show_filter(context)

    def show_words(self, file: str, file_tip: str, parts: str, total: str, tip: str = "") -> None:
        """Show what is open; `tip` is that of the total."""
        self._open_file = file
        self.file.setText(file)
        self.file.setToolTip(file_tip)
        self.parts.setText(parts)
        self.total.setText(total)
        self.total.setToolTip(tip)

    def show_filter(self, context: Context) -> None:
        self.filter.setText(f"Filter: {short_text(context.filter.text)}" if context.filter else "")

    def show_split_cycles(self, count: int) -> None:
        """Show how many cycles of a comparison would be others on one side alone."""
        differ = "differs" if count == 1 else "differ"
        self.cycles.setText(f"{format_count(count)} {plural(count, 'cycle')} {differ}")
        self.cycles.setVisible(count > 0)


def total_text(event: EventType, total: Total, style: NumberStyle = DEFAULT_STYLE) -> str:
    """The total of an event, with the difference if recorded and counted total disagree."""
    unit = unit_of(event.name, event.long_name)

    def cost_text(cost: int | float) -> str:
        return format_cost(cost, 0, False, style, unit)

    text = f"Total {short_text(without_unit(event.title))}: {cost_text(total.base)}"
    if total.recorded is None or isinstance(total.counted, float):
        return text
    if total.recorded > total.counted:
        return f"{text} ({cost_text(total.recorded - total.counted)} not attributed)"
    if total.recorded < total.counted:
        return f"{text} counted, {cost_text(total.counted - total.recorded)} more than recorded"
    return text


def _plain_label() -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setContentsMargins(grid(0.5), 0, grid(), 0)
    return label
