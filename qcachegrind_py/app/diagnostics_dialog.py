"""The list of what was odd in the files, line by line."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from qcachegrind_py.models.plain_text import cell_text
from qcachegrind_py.profile.number_text import grouped
from qcachegrind_py.profile.profile import Profile


class DiagnosticsDialog(QDialog):
    """Shows every diagnostic that was kept; the text can be searched and copied."""

    def __init__(self, profile: Profile, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Oddities in the File")
        self.text = QPlainTextEdit(diagnostics_text(profile), readOnly=True)
        self.text.setAccessibleName("Oddities")
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self.text)
        column.addWidget(buttons)
        digit = self.fontMetrics().horizontalAdvance("0")
        self.resize(110 * digit, 40 * digit)


def diagnostics_text(profile: Profile) -> str:
    """A line a diagnostic, with file and line number."""
    lines = [
        f"{cell_text(d.path)}{f':{d.line}' if d.line else ''}: {d.message}"
        for d in profile.diagnostics
    ]
    missing = profile.diagnostic_count - len(lines)
    if missing > 0:
        lines.append(f"… and {grouped(missing)} more of the same kinds")
    return "\n".join(lines)
