"""Labels with text that can be copied: elided ones, names on two lines, and costs with a bar."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from qcachegrind_py.present.table import cell_text
from qcachegrind_py.views.common.bar_color import RowGround
from qcachegrind_py.views.common.plain_text import tip_text
from qcachegrind_py.views.common.row_delegates import paint_cost_bar

_BREAK = re.compile(r"(?<=[,>)])|(?=::)|(?<=[ /])|(?=\()")  # where a name may go to the next line
_EARLIEST_BREAK = 0.6  # of the width; an earlier place would leave the first line half empty


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


class _ShrinkingLabel(PlainLabel):
    """A label as wide as its text if there is room, and narrower if not."""

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, super().minimumSizeHint().height())


class NameBlock(QWidget):
    """A name and a location on two lines; a long name continues in front of the location.

    The height is the same for all names.
    """

    def __init__(self) -> None:
        super().__init__()
        self.name_label, self.rest_label = PlainLabel(), _ShrinkingLabel()
        self.location_label = ElidedLabel()
        self._name = ""
        second = QHBoxLayout()
        second.setSpacing(2 * self.fontMetrics().horizontalAdvance("0"))
        second.addWidget(self.rest_label)
        second.addWidget(self.location_label, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.name_label)
        column.addLayout(second)
        self.name_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.set_bold(True)

    def set_bold(self, is_bold: bool) -> None:
        """Set whether the name is bold."""
        font = QFont(self.font())
        font.setBold(is_bold)
        for label in (self.name_label, self.rest_label):
            label.setFont(font)
        self._break_name()

    def set_name(self, name: str, tip: str) -> None:
        """Show a name, and this tip when it is pointed at."""
        self._name = cell_text(name)
        for label in (self.name_label, self.rest_label):
            label.setToolTip(tip)
        self._break_name()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._break_name()

    def _break_name(self) -> None:
        metrics, width = self.name_label.fontMetrics(), self.width()
        first, rest = broken(self._name, metrics, width)
        self.name_label.setText(first)
        self.rest_label.setText(metrics.elidedText(rest, Qt.TextElideMode.ElideMiddle, width))
        self.rest_label.setVisible(bool(rest))


def broken(name: str, metrics: QFontMetrics, width: int) -> tuple[str, str]:
    """Break a name that is wider than this into the text of a line, and the rest.

    It is broken after a comma or a bracket or before `::`, if one of these is near the end.
    """
    if metrics.horizontalAdvance(name) <= width:
        return name, ""
    fitting = 0
    for length in range(1, len(name)):
        if metrics.horizontalAdvance(name[:length]) > width:
            break
        fitting = length
    places = [found.start() for found in _BREAK.finditer(name, 0, fitting + 1)]
    place = max((p for p in places if p <= fitting), default=0)
    at = place if place > _EARLIEST_BREAK * fitting else max(1, fitting)
    return name[:at], name[at:].lstrip()


class CostLabel(PlainLabel):
    """A cost with a bar behind it."""

    def __init__(self) -> None:
        super().__init__()
        self._share = 0.0
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setContentsMargins(self.fontMetrics().height() // 4, 0, 3, 0)

    def set_cost(self, text: str, share: float) -> None:
        """Show a cost; `share` is the filled part of the label, from 0 to 1."""
        self._share = share
        self.setText(text)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        paint_cost_bar(painter, self.rect(), self._share, self.palette(), RowGround.PLAIN)
        painter.end()
        super().paintEvent(event)
