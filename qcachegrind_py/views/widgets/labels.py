"""Labels and tips with plain text: names from a profile are untrusted until here."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from qcachegrind_py.present.table import bounded, cell_text

_LONGEST_TIP = 4000


def tip_text(*lines: str) -> str:
    """Return lines as a tooltip: as escaped HTML, because Qt takes some plain texts for HTML."""
    return "<qt>" + "<br>".join(escape(bounded(line, _LONGEST_TIP)) for line in lines) + "</qt>"


class PlainLabel(QLabel):
    """A label with plain text that can be selected and copied."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)


class ElidedLabel(PlainLabel):
    """A one-line label that elides its text in the middle and shows it in full in its tooltip."""

    def __init__(self) -> None:
        super().__init__()
        self._full_text = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_text(self, text: str) -> None:
        """Show a text."""
        self._full_text = cell_text(text)
        self.setToolTip(tip_text(text))
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        middle = Qt.TextElideMode.ElideMiddle
        self.setText(self.fontMetrics().elidedText(self._full_text, middle, self.width()))


class FittedLabel(ElidedLabel):
    """A label as wide as its text if there is room, and elided if not, down to a least width."""

    def __init__(self, least_digits: int) -> None:
        super().__init__()
        self._least = least_digits * self.fontMetrics().horizontalAdvance("0")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def set_text(self, text: str) -> None:
        """Show a text; screen readers get it in full."""
        super().set_text(text)
        self.setAccessibleName(self._full_text)
        self.updateGeometry()

    def sizeHint(self) -> QSize:  # noqa: N802
        width = self.fontMetrics().horizontalAdvance(self._full_text) + 2
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        size = self.sizeHint()
        return QSize(min(self._least, size.width()), size.height())


class NoteLabel(QLabel):
    """A one-line label that elides its text and shows it in full in its tooltip."""

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
