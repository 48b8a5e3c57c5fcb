"""The bar under the toolbar while two profiles, or parts of one, are compared."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMainWindow, QToolBar

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.app.comparison.comparability import Comparability, find_differences
from qcachegrind_py.app.comparison.row import ComparisonRow
from qcachegrind_py.app.comparison.side_names import side_names
from qcachegrind_py.app.comparison.summary import summarize
from qcachegrind_py.app.frame.whats_this import COMPARISON, fill_in_whats_this
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.session.session import Session

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
