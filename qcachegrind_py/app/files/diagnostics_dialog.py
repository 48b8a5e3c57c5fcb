"""Dialog with all diagnostics of the files of a profile."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.profile.profile import Profile


class DiagnosticsDialog(QDialog):
    """Shows all stored diagnostics as text that can be searched and copied."""

    def __init__(self, profile: Profile, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Problems in This File")
        self.text = QPlainTextEdit(diagnostics_text(profile), readOnly=True)
        self.text.setAccessibleName("Problems")
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self.text)
        column.addWidget(buttons)
        digit = self.fontMetrics().horizontalAdvance("0")
        self.resize(110 * digit, 40 * digit)


def diagnostics_text(profile: Profile) -> str:
    """One line per diagnostic, with file and line number."""
    lines = [
        f"{cell_text(d.path)}{f':{d.line}' if d.line else ''}: {d.message}"
        for d in profile.diagnostics
    ]
    missing = profile.diagnostic_count - len(lines)
    if missing > 0:
        lines.append(f"… and {format_count(missing)} more of the same kind")
    return "\n".join(lines)
