"""The welcome page: actions and recent files, and the progress of opening the first profile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QFont,
    QFontDatabase,
    QFontMetrics,
    QGuiApplication,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QProgressBar,
    QScrollArea,
    QSizePolicy,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.style.icons import application_icon, icon
from qcachegrind_py.app.welcome.recent_list import RecentList
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.views.widgets.controls import tip_text

_CORNER_RADIUS = 8  # pixels
_NATIVE = QKeySequence.SequenceFormat.NativeText


class ActionCard(QAbstractButton):
    """Triggers an action and shows its description."""

    def __init__(self, action: QAction) -> None:
        super().__init__()
        self._action = action
        self._title = action.text().replace("&", "").removesuffix("…")
        self._description = action.statusTip()
        self._key = action.shortcut().toString(_NATIVE)
        self.setText(self._title)
        self.setAccessibleName(self._title)
        self.setAccessibleDescription(self._description)
        self.setToolTip(action.toolTip())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(lambda: action.trigger())
        action.changed.connect(lambda: self.setEnabled(action.isEnabled()))

    def _title_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 1.15)
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def sizeHint(self) -> QSize:  # noqa: N802
        """Two lines with margins, wide enough for the description."""
        line = self.fontMetrics().height()
        texts = (self._description, self._title + self._key)
        width = max(map(QFontMetrics(self._title_font()).horizontalAdvance, texts))
        return QSize(width + 5 * line, 7 * line // 2)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Wide enough for the title; the description may be elided."""
        line = self.fontMetrics().height()
        return QSize(16 * line, 7 * line // 2)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw icon, title, key and description in the palette's colours."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_ground(painter)
        line = self.fontMetrics().height()
        side = 3 * line // 2
        picture = QRect(line, (self.height() - side) // 2, side, side)
        self._action.icon().paint(painter, picture)
        area = self.rect().adjusted(2 * line + side, line // 2, -line, -line // 2)
        role = QPalette.ColorRole
        upper = Qt.AlignmentFlag.AlignTop
        painter.setPen(self.palette().color(role.PlaceholderText))
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | upper, self._key)
        description = self.fontMetrics().elidedText(
            self._description, Qt.TextElideMode.ElideRight, area.width()
        )
        painter.drawText(
            area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, description
        )
        painter.setFont(self._title_font())
        painter.setPen(self.palette().color(role.WindowText))
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | upper, self._title)

    def _draw_ground(self, painter: QPainter) -> None:
        """Draw the rounded background, tinted under the mouse, with a ring on focus."""
        role, palette = QPalette.ColorRole, self.palette()
        sheet = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        edge = palette.color(role.Highlight if self.hasFocus() else role.Mid)
        ground = palette.color(role.Base)
        if self.isDown():
            ground = palette.color(role.Button)
        elif self.underMouse() and self.isEnabled():
            ground = _blend(ground, palette.color(role.Highlight))
        painter.setPen(QPen(edge, 2 if self.hasFocus() else 1))
        painter.setBrush(ground)
        painter.drawRoundedRect(sheet, _CORNER_RADIUS, _CORNER_RADIUS)

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.HoverEnter, QEvent.Type.HoverLeave):
            self.update()
        return super().event(event)


def _blend(ground: QColor, tint: QColor) -> QColor:
    """Mix nine parts of the ground with one part of the tint."""

    def mixed(color: str) -> int:
        return int(9 * getattr(ground, color)() + getattr(tint, color)()) // 10

    return QColor(mixed("red"), mixed("green"), mixed("blue"))


COMMAND = "valgrind --tool=callgrind ./program"
_STEPS = 1000
_COLUMN_WIDTH = 31  # in line heights
_MAX_NAME_WIDTH = 48  # of the file being opened, in line heights
_MIN_ROWS = 3  # of recent files that are always visible
_COPIED_MS = 2000  # for which the button says “Copied”


class WelcomePage(QWidget):
    """Two stacked pages: the choices, and the progress of opening."""

    chosen = Signal(object)  # Path of a recent file
    removal_requested = Signal(object)  # Path to remove from the list

    def __init__(self, choices: Sequence[QAction], cancel: QAction) -> None:
        super().__init__()
        self.setAccessibleName("Welcome")
        self.recent = RecentList()
        self.recent.chosen.connect(self.chosen)
        self.recent.removal_requested.connect(self.removal_requested)
        self.action_cards = [ActionCard(action) for action in choices]
        self.opening = _faint_label("")
        self.progress = QProgressBar(maximum=_STEPS, textVisible=False)
        self.progress.setAccessibleName("Progress of opening")
        self.cancel = QToolButton()
        self.cancel.setDefaultAction(cancel)
        self.cancel.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._copy_timer = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._copy_timer.timeout.connect(lambda: self.copy.setText("Copy"))
        self._pages = QStackedLayout(self)
        self._pages.addWidget(_scroll_area(self._first_page()))
        self._pages.addWidget(self._opening_page())
        self.setFocusProxy(self.action_cards[0])

    # ---------------------------------------------------------------- content

    def set_recent(self, paths: Sequence[Path]) -> None:
        """Show these recent files."""
        self.recent.set_paths(paths)
        self._files.setVisible(bool(paths))
        columns = 2 if paths else 1
        self._columns.setHorizontalSpacing(2 * self.fontMetrics().height() * (columns - 1))
        self._columns.setColumnStretch(1, columns - 1)
        self._sheet.setMaximumWidth(columns * _COLUMN_WIDTH * self.fontMetrics().height())
        min_height = self.recent.height_for(min(len(paths), _MIN_ROWS))
        self.recent.setMinimumHeight(min_height)
        self.recent.setMaximumHeight(self.recent.height_for(len(paths)))

    def begin_opening(self, name: str) -> None:
        """Show that a file of this name is being opened."""
        text = f"Opening {cell_text(name)}…"
        width = _MAX_NAME_WIDTH * self.fontMetrics().height()
        metrics = self.opening.fontMetrics()
        self.opening.setText(metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width))
        self.opening.setToolTip(tip_text(text))
        self.progress.setValue(0)
        self._pages.setCurrentIndex(1)

    def set_progress(self, fraction: float) -> None:
        """Show the progress as a fraction from 0 to 1."""
        self.progress.setValue(round(fraction * _STEPS))

    def end_opening(self) -> None:
        """Show the choices again, after opening was cancelled or has failed."""
        self._pages.setCurrentIndex(0)

    @property
    def is_opening(self) -> bool:
        """Whether the page shows the progress of opening."""
        return self._pages.currentIndex() == 1

    # ---------------------------------------------------------------- construction

    def _first_page(self) -> QWidget:
        line = self.fontMetrics().height()
        page, grid = QWidget(), QGridLayout()
        grid.setVerticalSpacing(line)
        grid.addLayout(self._heading(), 0, 0, 1, 2)
        grid.addLayout(self._choice_column(), 1, 0)
        self._files = self._file_column()
        grid.addWidget(self._files, 1, 1)
        grid.setColumnStretch(0, 1)
        self._columns, self._sheet = grid, QWidget()
        self._sheet.setLayout(grid)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self._sheet, 1000)
        row.addStretch(1)
        column = QVBoxLayout(page)
        column.setContentsMargins(line, line, line, line)
        column.addStretch(2)
        column.addLayout(row)
        column.addStretch(3)
        return page

    def _heading(self) -> QHBoxLayout:
        line = self.fontMetrics().height()
        picture, title = QLabel(), QLabel("QCachegrind.py")
        picture.setPixmap(application_icon().pixmap(3 * line, 3 * line))
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setFont(_enlarged(self.font(), 1.8))
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(title)
        words.addWidget(_faint_label("See where your program spends its time, and why"))
        row = QHBoxLayout()
        row.setSpacing(line)
        row.addWidget(picture)
        row.addLayout(words, 1)
        return row

    def _choice_column(self) -> QLayout:
        column = QVBoxLayout()
        column.setSpacing(self.fontMetrics().height() // 2)
        for choice in self.action_cards:
            column.addWidget(choice)
        column.addWidget(_faint_label("Or drop a profile anywhere here."))
        column.addWidget(self._recording())
        column.addStretch()
        return column

    def _file_column(self) -> QWidget:
        files = QWidget()
        column = QVBoxLayout(files)
        column.setContentsMargins(0, 0, 0, 0)
        title = QLabel("Rece&nt")  # Alt+R is a shortcut of the window
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setFont(_enlarged(self.font(), 1.15))
        title.setBuddy(self.recent)
        title.setIndent(self.fontMetrics().horizontalAdvance("0"))  # aligned with the rows
        column.addWidget(title)
        column.addWidget(self.recent, 1000)
        column.addStretch(1)
        return files

    def _recording(self) -> QWidget:
        """The command that records a profile, with a button to copy it."""
        strip = QWidget()
        column, row = QVBoxLayout(strip), QHBoxLayout()
        column.setContentsMargins(0, self.fontMetrics().height(), 0, 0)
        column.setSpacing(0)
        command = QLabel(COMMAND)
        command.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        command.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        command.setTextFormat(Qt.TextFormat.PlainText)
        self.copy = QToolButton(autoRaise=True)
        self.copy.setText("Copy")
        self.copy.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.copy.setIcon(icon("copy", self.palette()))
        self.copy.setToolTip("Copy this command")
        self.copy.setAccessibleName("Copy the command that records a profile")
        self.copy.clicked.connect(self._copy)
        row.addWidget(command)
        row.addWidget(self.copy)
        row.addStretch()
        column.addWidget(_faint_label("Record one in a terminal:"))
        column.addLayout(row)
        return strip

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(COMMAND)
        self.copy.setText("Copied")
        self._copy_timer.start()

    def recolor(self) -> None:
        """Draw the icons in the colours of the palette."""
        self.copy.setIcon(icon("copy", self.palette()))

    def _opening_page(self) -> QWidget:
        line = self.fontMetrics().height()
        page = QWidget()
        self.progress.setFixedWidth(24 * line)
        self.opening.setFont(_enlarged(self.font(), 1.15))
        self.opening.setForegroundRole(QPalette.ColorRole.WindowText)
        column = QVBoxLayout(page)
        column.setSpacing(line)
        column.addStretch()
        for widget in (self.opening, self.progress, self.cancel):
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()
        return page


def _scroll_area(page: QWidget) -> QScrollArea:
    """Wrap a page so that it scrolls in a small window."""
    area = QScrollArea(widgetResizable=True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(page)
    return area


def _enlarged(font: QFont, times: float) -> QFont:
    enlarged = QFont(font)
    enlarged.setPointSizeF(font.pointSizeF() * times)
    enlarged.setWeight(QFont.Weight.DemiBold)
    return enlarged


def _faint_label(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
    return label
