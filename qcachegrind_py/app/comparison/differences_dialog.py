"""The dialog that lists what differs between base and new besides their costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from qcachegrind_py.analysis.comparison.comparison import Difference
from qcachegrind_py.app.comparison.summary import Comparability
from qcachegrind_py.app.style.text_widgets import Row, TablePage
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.visible_text import visible_text

TITLE = "Differences Between Base and New"
_COMPARABLE = (
    "Both were recorded alike: the same command, recording program, events, caches and kinds of "
    "data."
)
_NOT_COMPARABLE = (
    "Base and new also differ in the following. A change of the costs may come from there instead "
    "of from the code."
)
_CYCLES = (
    "Cycles are found over both sides together, so that a function is in the same cycle on both. "
    "One side alone would have other cycles here, and other inclusive costs of their functions."
)
_WIDTH, _MAX_HEIGHT = 110, 70  # in digits
_Section = tuple[str, str, Sequence[Difference]]  # heading, explanation, rows


class DifferencesDialog(QDialog):
    """Lists differences as tables. Copy copies all as text. Deletes itself when closed."""

    def __init__(self, found: Comparability, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(TITLE)
        self._found = found
        self.page = TablePage(TITLE)
        self._fill()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        self.copy_button = buttons.addButton("&Copy", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy_button.setToolTip("Copy all differences as text")
        self.copy_button.clicked.connect(self._copy)
        column = QVBoxLayout(self)
        column.addWidget(self.page)
        column.addWidget(buttons)
        self.resize(self._fitting_size())
        self.page.setFocus()

    def _fitting_size(self) -> QSize:
        """Return a size with room for all lines, if there are not too many."""
        digit = self.fontMetrics().horizontalAdvance("0")
        width, highest = _WIDTH * digit, _MAX_HEIGHT * digit
        document = self.page.document().clone(self)
        document.setTextWidth(width - 6 * digit)  # without margins and a scroll bar
        return QSize(width, min(highest, round(document.size().height()) + 10 * digit))

    def _fill(self) -> None:
        page = self.page
        for heading, explanation, differences in _sections(self._found):
            if heading:
                page.add_heading(heading)
            page.add_paragraph(explanation)
            page.add_table(_rows(differences) if differences else (), numbers=())
        page.moveCursor(QTextCursor.MoveOperation.Start)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(differences_text(self._found))


def differences_text(found: Comparability) -> str:
    """Return all that the dialog says, one difference in a line."""
    lines: list[str] = []
    for heading, explanation, differences in _sections(found):
        lines += ["", heading] if heading else []
        lines.append(explanation)
        lines += ("\t".join(row) for row in _rows(differences)[1:])
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
    """Return titles and rows of a table."""
    rows = ((each.what, each.base, each.new) for each in differences)
    return [("", "Base", "New"), *(tuple(visible_text(cell) for cell in row) for row in rows)]
