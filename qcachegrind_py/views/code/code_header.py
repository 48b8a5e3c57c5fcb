"""The row above code: the choice of a file, the search, and actions, in words if there is room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QComboBox, QLabel, QToolButton, QWidget

from qcachegrind_py.analysis.names.syntax import short_paths
from qcachegrind_py.present.code_lines import MAX_FILES
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.ids import TextId
from qcachegrind_py.profile.tables import UNKNOWN, StringTable
from qcachegrind_py.views.profile_view import header_row
from qcachegrind_py.views.widgets.button_words import ButtonWords
from qcachegrind_py.views.widgets.controls import FindEdit, tip_text

_MIN_LENGTH, _MAX_LENGTH = 10, 40  # digits of names of files
_SEARCH_LENGTH = 20  # digits that the search keeps before buttons have words


class CodeHeader(QWidget):
    """The row; buttons have words from the left, as far as the search keeps enough room."""

    def __init__(
        self,
        first: Sequence[QWidget],
        search: FindEdit,
        match_label: QLabel,
        actions: Sequence[QAction],
    ) -> None:
        super().__init__()
        self._search = search
        row = header_row(*first, search, match_label, most=search)
        self.buttons = [QToolButton(autoRaise=True) for _ in actions]
        for button, action in zip(self.buttons, actions, strict=True):
            button.setDefaultAction(action)
            row.addWidget(button)
        self._words = ButtonWords(self.buttons)
        self.setLayout(row)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Return the size without words, which give way when the view becomes narrow."""
        size = super().minimumSizeHint()
        return QSize(size.width() - self._words.width(), size.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._choose_words()

    def event(self, event: QEvent) -> bool:
        if self._words.are_due(event):
            self._choose_words()
        return super().event(event)

    def _choose_words(self) -> None:
        """Give words to as many buttons from the left as leave the search enough room."""
        others = self.sizeHint().width() - self._words.width() - self._search.sizeHint().width()
        digit = self.fontMetrics().horizontalAdvance("0")
        self._words.fit(self.width() - others - _SEARCH_LENGTH * digit)


class FileSelector(QComboBox):
    """A combo box of files with their self costs.

    Costs come before names: the box cuts long texts off, and a cut number would be a wrong one.
    """

    file_selected = Signal(object)  # TextId

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Source file")
        self.setToolTip(_tip(0))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        digit = self.fontMetrics().horizontalAdvance("0")
        self.setMinimumWidth(digit * _MIN_LENGTH)
        self.setMaximumWidth(digit * _MAX_LENGTH)
        self.activated.connect(lambda row: self.file_selected.emit(self.itemData(row)))

    def set_files(
        self, costs: Mapping[TextId, str], shown: TextId, names: StringTable, count: int
    ) -> None:
        """List these files with their costs, out of so many, and select the one that is shown."""
        self.clear()
        for (file, cost), name in zip(costs.items(), short_paths(names.lookup(costs)), strict=True):
            known = name if names[file] not in ("", UNKNOWN) else "unknown file"
            self.addItem(cell_text(f"{cost}  {known}".strip()), file)
            tip = tip_text(names[file])
            self.setItemData(self.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(list(costs).index(shown))
        self.setToolTip(_tip(count))


def _tip(files: int) -> str:
    if files <= MAX_FILES:
        return "Source files of the function"
    return f"The {MAX_FILES} costliest of {files} source files of the function"
