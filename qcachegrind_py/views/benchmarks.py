"""The Benchmarks dock: what changed in each benchmark of two suites, and which functions did."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPersistentModelIndex, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from qcachegrind_py.analysis.names.text_search import TextColumn
from qcachegrind_py.present.benchmarks import (
    MOST_FINDINGS,
    NO_BENCHMARK_TABLE,
    benchmark_table,
    finding_texts,
    headline,
)
from qcachegrind_py.present.context import Change
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.suite import SuiteState
from qcachegrind_py.views.profile_view import ProfileView, header_row, stacked
from qcachegrind_py.views.tables.item_model import AnyIndex
from qcachegrind_py.views.tables.record_table import FunctionSearchEdit, FunctionTable
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.controls import NoteLabel, tip_text
from qcachegrind_py.views.widgets.empty_page import Remedy

NO_SUITES = (
    "No benchmarks are compared.\n"
    "Choose two folders of profiles, to see what changed in each benchmark and why."
)


class BenchmarkTable(FunctionTable):
    """Return, Enter, Space or a double click opens the comparison of a benchmark."""

    benchmark_activated = Signal(int)  # the row of the report

    def __init__(self, model: TableModel) -> None:
        super().__init__(model, "Benchmarks")

    def _activate(self, index: AnyIndex) -> None:
        if (row := self._table_model.record(index)) >= 0:
            self.benchmark_activated.emit(row)

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        if index.isValid():
            menu.addAction("&Open Comparison", lambda: self._activate(index))


class BenchmarkView(ProfileView):
    """Findings over all benchmarks, and below them a table of benchmarks."""

    depends_on = Change.PROFILE | Change.SCOPE | Change.NUMBERS

    def __init__(self, session: Session, compare_folders: QAction) -> None:
        """`compare_folders` asks for two folders."""
        super().__init__(session)
        self._suite, self._compare_folders = session.suite, compare_folders
        self._shown = SuiteState()
        self._names: TextColumn | None = None
        self.model = TableModel(NO_BENCHMARK_TABLE, self)
        self.table = BenchmarkTable(self.model)
        self.table.benchmark_activated.connect(self._suite.open_row)
        self.headline = NoteLabel()
        self.findings = [NoteLabel() for _ in range(MOST_FINDINGS + 1)]
        self.search = FunctionSearchEdit(self.table)
        self.search.setAccessibleName("Search benchmarks")
        self.search.textChanged.connect(lambda _text: self._search())
        self.set_content(self._create_content(), self.table)
        self._suite.changed.connect(lambda _state: self._show())
        self._show()

    def _create_content(self) -> QWidget:
        notes = QVBoxLayout()
        notes.setSpacing(0)
        for label in (*self.findings, self.headline):
            notes.addWidget(label)
        row = header_row(self.search, most=self.search)
        return stacked(QWidget(), notes, row, self.table, most=self.table)

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Write numbers as the context asks for, and mark the benchmark that is open."""
        self._show()

    def _show(self) -> None:
        state, style = self._suite.state, self.navigation.context.numbers
        report = state.report
        if report is None:
            self.model.clear()
            self.show_message(NO_SUITES, Remedy("Compare Folders…", self._compare_folders.trigger))
            return
        table = benchmark_table(report, style, self._suite.open_place)
        if state is self._shown:
            self.model.show_numbers(table)
        else:
            self._shown = state
            self._names = TextColumn.from_indexed(
                [row.name for row in report.rows], np.arange(len(report.rows))
            )
            self.model.show(table)
        self.headline.setText(headline(report, style))
        texts = finding_texts(report, style)
        for label, (text, whole) in zip(
            self.findings, [*texts, *[("", "")] * len(self.findings)], strict=False
        ):
            label.setText(text)
            label.setToolTip(tip_text(whole))
            label.setVisible(bool(text))
        self.table.fit_numbers()
        self._search()
        self.show_content()

    def _search(self) -> None:
        """Show the benchmarks whose names match the search."""
        report, text = self._shown.report, self.search.text()
        if report is None or self._names is None:
            return
        found = self._names.found_by(text) if text else None
        self.model.set_filter(found)
        count, listed = len(report.rows), ""
        shown = f"{format_count(count)} {plural(count, 'benchmark')}"
        if found is not None:
            listed = f"{format_count(int(found.sum()))} of {shown}"
            clear = Remedy("Clear Search", self.search.clear)
            self.table.empty_page.show_reason("No benchmark matches the search.", clear)
        self.search.show_count(shown, listed)
