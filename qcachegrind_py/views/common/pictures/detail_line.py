"""The line below a picture about one box: the one under the mouse, or else the current one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from qcachegrind_py.analysis.names.syntax import fitted_name
from qcachegrind_py.models.base.columns import ESTIMATE
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.profile.numbers import ACTIVE, has_percentages, plural

NO_BOX = "Point at a box to see its name and cost."
SEPARATOR = " · "
_MARGIN = 4  # pixels on the left and on the right
_SWATCH_GAP = 5  # pixels between the colour and the name


@dataclass(frozen=True, slots=True)
class Detail:
    """What the line says about a box or an arrow."""

    name: str
    numbers: tuple[str, ...] = ()  # cost, percentage, count
    color: QColor | None = None  # of its group

    @property
    def text(self) -> str:
        """The whole line as text."""
        return SEPARATOR.join((self.name, *self.numbers))


class DetailLine(QWidget):
    """One line of fixed height; a name that is too long is elided, the numbers stay in full."""

    def __init__(self, hint: str = NO_BOX) -> None:
        """`hint` is shown while there is no box."""
        super().__init__()
        self._hint = hint
        self._detail: Detail | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """The shown text before eliding."""
        return self._hint if self._detail is None else self._detail.text

    def show_detail(self, detail: Detail | None) -> None:
        """Describe a box; None if there is none."""
        if detail != self._detail:
            self._detail = detail
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, self.fontMetrics().height() + 2)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter, detail = QPainter(self), self._detail
        area = QRectF(self.rect()).adjusted(_MARGIN, 0, -_MARGIN, 0)
        if detail is None:
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            self._paint_text(painter, area, self._hint)
        else:
            self._paint_detail(painter, area, detail)
        painter.end()

    def _paint_detail(self, painter: QPainter, area: QRectF, detail: Detail) -> None:
        metrics = self.fontMetrics()
        if detail.color is not None:
            side = round(metrics.height() * 0.6)
            swatch = QRectF(area.left(), area.center().y() - side / 2, side, side)
            painter.fillRect(swatch, detail.color)
            area.setLeft(swatch.right() + _SWATCH_GAP)
        numbers = "".join(SEPARATOR + number for number in detail.numbers)
        space = int(area.width()) - metrics.horizontalAdvance(numbers)
        fitted = fitted_name(detail.name, lambda text: metrics.horizontalAdvance(text) <= space)
        name = metrics.elidedText(fitted.text, Qt.TextElideMode.ElideMiddle, max(0, space))
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        self._paint_text(painter, area, name + numbers)

    def _paint_text(self, painter: QPainter, area: QRectF, text: str) -> None:
        shown = self.fontMetrics().elidedText(
            text, Qt.TextElideMode.ElideRight, max(0, int(area.width()))
        )
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(area, int(flags | Qt.TextFlag.TextSingleLine), shown)


def cost_details(format_: CostFormat, cost: int | float, *, is_exact: bool) -> tuple[str, ...]:
    """Return a cost as percentage and in absolute numbers, estimates marked; one text if a ratio.

    The percentage is left out where there is none.
    """
    mark = "" if is_exact else ESTIMATE
    if format_.is_ratio:
        return (f"{mark}{format_.absolute_text(cost)} {format_.event}".rstrip(),)
    unit = "" if format_.quantity is not None else f" {format_.event}"
    absolute = f"{mark}{format_.absolute_text(cost)}{unit}".rstrip()
    if not has_percentages(format_.base):
        return (absolute,)
    return mark + replace(format_, as_percentage=True).with_unit(cost), absolute


def count_detail(
    format_: CostFormat, count: int, *, is_exact: bool = True, is_active: bool = False
) -> tuple[str, ...]:
    """Return a number of calls; nothing if none is known."""
    if is_active:
        return (ACTIVE,)
    mark = "" if is_exact else ESTIMATE
    return (f"{mark}{format_.count_text(count)} {plural(count, 'call')}",) if count else ()
