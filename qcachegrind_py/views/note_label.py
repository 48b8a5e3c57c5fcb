"""A line of plain text that may be as narrow as it has to be: it is cut where there is no room."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from qcachegrind_py.models.base.plain_text import tip_text


class NoteLabel(QLabel):
    """Says in full what it says in its tooltip, too, where it is cut."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setContentsMargins(4, 0, 4, 2)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802
        super().setText(text)
        self.setToolTip(tip_text(text) if text else "")

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter, area = QPainter(self), self.contentsRect()
        side = Qt.TextElideMode.ElideRight
        shown = self.fontMetrics().elidedText(self.text(), side, area.width())
        role = self.foregroundRole()
        self.style().drawItemText(
            painter, area, Qt.AlignmentFlag.AlignVCenter, self.palette(), True, shown, role
        )
        painter.end()
