"""The strip with the first answer: what is hottest, how much is in libraries; each a link."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from qcachegrind_py.analysis.names.syntax import name_within
from qcachegrind_py.present.context import Change
from qcachegrind_py.present.summary import Remark, summarize
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.profile_view import ProfileView
from qcachegrind_py.views.widgets.controls import tip_text
from qcachegrind_py.views.widgets.grid import grid

_NAME_LENGTHS = 60, 40, 28, 20, 12  # characters; names give way before remarks do


class RemarkButton(QAbstractButton):
    """A remark with what stands before it. The part that leads somewhere has a link's colour."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.remark = Remark("")
        self._pieces = "", "", ""

    def show_remark(self, remark: Remark, *, is_first: bool, longest: int) -> None:
        """Show a remark with at most so many characters of its name."""
        self.remark = remark
        name = name_within(cell_text(remark.name), longest)
        before = remark.text if remark.name else ""
        shown = f"{name}{remark.number}" if remark.name else cell_text(remark.text)
        self._pieces = "" if is_first else remark.joint, before, shown
        self.setText(f"{before}{shown}".replace("&", "&&"))
        self.setAccessibleName(f"{remark.text}{cell_text(remark.name)}{remark.number}")
        self.setToolTip(tip_text(remark.tip) if remark.tip else "")
        is_link = remark.lead is not None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_link else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        metrics = self.fontMetrics()
        width = sum(map(metrics.horizontalAdvance, self._pieces))
        return QSize(width, metrics.height() + grid(0.5))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw the pieces, a line under the link that the mouse is over, a frame on focus."""
        roles, metrics = QPalette.ColorRole, self.fontMetrics()
        is_link = self.remark.lead is not None
        colors = (
            roles.PlaceholderText,
            roles.WindowText,
            roles.Link if is_link else roles.WindowText,
        )
        painter, x = QPainter(self), 0
        middle = Qt.AlignmentFlag.AlignVCenter
        for piece, role in zip(self._pieces, colors, strict=True):
            width = metrics.horizontalAdvance(piece)
            painter.setPen(QPen(self.palette().color(role)))
            place = self.rect().adjusted(x, 0, 0, 0)
            painter.drawText(place, middle, piece)
            x += width
        link = self.rect().adjusted(x - width, 0, 0, 0)
        if is_link and self.hasFocus():
            painter.drawRect(link.adjusted(0, 0, -1, -1))
        elif is_link and self.underMouse():
            y = (self.height() + metrics.height()) // 2 - metrics.descent() + 1
            painter.drawLine(link.left(), y, link.right(), y)
        painter.end()


class SummaryStrip(ProfileView):
    """One line of remarks. Where it is narrow, names are shortened, then the last remarks go."""

    depends_on = (
        Change.PROFILE | Change.SCOPE | Change.EVENTS | Change.EVENT | Change.NUMBERS
        | Change.NAMES | Change.FILTER | Change.UNIT
    )  # fmt: skip
    followed = Signal(object)  # the Remark that was clicked

    def __init__(self, session: Session, *, first: int = 0) -> None:
        """`first` is the number of the first remark that is shown."""
        super().__init__(session)
        self.setAccessibleName("Summary")
        self._first = first
        self.remarks: tuple[Remark, ...] = ()
        self.buttons: list[RemarkButton] = []
        content = QWidget()
        self._row = QHBoxLayout(content)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._row.addStretch(1)
        self.set_content(content)
        self.show_content()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(self.fontMetrics().height() + grid(0.5))

    def refresh(self, query: ViewQuery, change: Change) -> None:
        self.remarks = summarize(query)[self._first :]
        self._fit()

    def texts(self) -> list[str]:
        """The remarks that are seen, as they are seen."""
        return [
            button.text().replace("&&", "&") for button in self.buttons if not button.isHidden()
        ]

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        remarks: Sequence[Remark] = self.remarks
        room = self.contentsRect().width()
        while len(self.buttons) < len(remarks):
            button = RemarkButton()
            button.clicked.connect(lambda _checked=False, button=button: self._follow(button))
            self._row.insertWidget(len(self.buttons), button)
            self.buttons.append(button)
        for longest in _NAME_LENGTHS:
            for place, (button, remark) in enumerate(zip(self.buttons, remarks, strict=False)):
                button.show_remark(remark, is_first=not place, longest=longest)
            if self._width(len(remarks)) <= room:
                break
        shown = len(remarks)
        while shown > 1 and self._width(shown) > room:
            shown -= 1
        for place, button in enumerate(self.buttons):
            button.setVisible(place < shown)

    def _width(self, count: int) -> int:
        return sum(button.sizeHint().width() for button in self.buttons[:count])

    def _follow(self, button: RemarkButton) -> None:
        if button.remark.lead is not None:
            self.followed.emit(button.remark)
