"""The welcome page: actions and recent files, and the progress of opening the first profile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QFont,
    QFontDatabase,
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
from qcachegrind_py.views.widgets.colors import blended
from qcachegrind_py.views.widgets.controls import NoteLabel, tip_text

_CORNER_RADIUS = 8  # pixels
_NATIVE = QKeySequence.SequenceFormat.NativeText


class ActionCard(QAbstractButton):
    """Triggers an action, and shows its icon, title, key and description."""

    def __init__(self, action: QAction) -> None:
        super().__init__()
        self._action, line = action, self.fontMetrics().height()
        self.setText(action.text().replace("&", "").removesuffix("…"))
        self.setAccessibleName(self.text())
        self.setAccessibleDescription(action.statusTip())
        self.setToolTip(action.toolTip())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setMinimumSize(16 * line, 7 * line // 2)
        title, description = _title_label(self.text(), 1.15), NoteLabel(action.statusTip())
        description.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        description.setContentsMargins(0, 0, 0, 0)
        key = _faint_label(action.shortcut().toString(_NATIVE))
        self._picture = QLabel()
        grid = QGridLayout(self)
        grid.setContentsMargins(line, line // 2, line, line // 2)
        grid.setHorizontalSpacing(line)
        grid.setVerticalSpacing(0)
        grid.addWidget(self._picture, 0, 0, 2, 1)
        grid.addWidget(title, 0, 1)
        grid.addWidget(key, 0, 2)
        grid.addWidget(description, 1, 1, 1, 2)
        grid.setColumnStretch(1, 1)
        for label in (self._picture, title, key, description):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.clicked.connect(lambda: action.trigger())
        action.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        """Be enabled as the action is, and have its icon in the present colours."""
        side = 3 * self.fontMetrics().height() // 2
        self._picture.setPixmap(self._action.icon().pixmap(side, side))
        self.setEnabled(self._action.isEnabled())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw the rounded background, tinted under the mouse, with a ring on focus."""
        role, palette, has_focus = QPalette.ColorRole, self.palette(), self.hasFocus()
        ground = palette.color(role.Button if self.isDown() else role.Base)
        if self.underMouse() and self.isEnabled() and not self.isDown():
            ground = blended(palette.color(role.Highlight), ground, 0.1)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = palette.color(role.Highlight if has_focus else role.Mid)
        painter.setPen(QPen(edge, 2 if has_focus else 1))
        painter.setBrush(ground)
        sheet = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        painter.drawRoundedRect(sheet, _CORNER_RADIUS, _CORNER_RADIUS)


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
        self.opening = _title_label("", 1.15)
        self.progress = QProgressBar(maximum=_STEPS, textVisible=False)
        self.progress.setAccessibleName("Progress of opening")
        self.cancel = QToolButton()
        self.cancel.setDefaultAction(cancel)
        self.cancel.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._copy_timer = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._copy_timer.timeout.connect(lambda: self.copy.setText("Copy"))
        self._pages = QStackedLayout(self)
        area = QScrollArea(widgetResizable=True)  # the page scrolls in a small window
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self._first_page())
        self._pages.addWidget(area)
        self._pages.addWidget(self._opening_page())
        self.setFocusProxy(self.action_cards[0])

    # ---------------------------------------------------------------- content

    def set_recent(self, paths: Sequence[Path]) -> None:
        self.recent.set_paths(paths)
        self._files.setVisible(bool(paths))
        columns = 2 if paths else 1
        self._columns.setHorizontalSpacing(2 * self.fontMetrics().height() * (columns - 1))
        self._columns.setColumnStretch(1, columns - 1)
        self._sheet.setMaximumWidth(columns * _COLUMN_WIDTH * self.fontMetrics().height())
        self.recent.setMinimumHeight(self.recent.height_for(min(len(paths), _MIN_ROWS)))
        self.recent.setMaximumHeight(self.recent.height_for(len(paths)))

    def begin_opening(self, name: str) -> None:
        text = f"Opening {cell_text(name)}…"
        width = _MAX_NAME_WIDTH * self.fontMetrics().height()
        metrics = self.opening.fontMetrics()
        self.opening.setText(metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width))
        self.opening.setToolTip(tip_text(text))
        self.progress.setValue(0)
        self._pages.setCurrentIndex(1)

    def set_progress(self, fraction: float) -> None:
        self.progress.setValue(round(fraction * _STEPS))

    def end_opening(self) -> None:
        """Show the choices again, after opening was cancelled or has failed."""
        self._pages.setCurrentIndex(0)

    @property
    def is_opening(self) -> bool:
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
        picture = QLabel()
        picture.setPixmap(application_icon().pixmap(3 * line, 3 * line))
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(_title_label("QCachegrind.py", 1.8))
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
        title = _title_label("Rece&nt", 1.15)  # Alt+R is a shortcut of the window
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
        self.copy.setIcon(icon("copy", self.palette()))

    def _opening_page(self) -> QWidget:
        line = self.fontMetrics().height()
        page = QWidget()
        self.progress.setFixedWidth(24 * line)
        column = QVBoxLayout(page)
        column.setSpacing(line)
        column.addStretch()
        for widget in (self.opening, self.progress, self.cancel):
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()
        return page


def _title_label(text: str, times: float) -> QLabel:
    """Return a label whose letters are so many times as large, and bolder."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * times)
    font.setWeight(QFont.Weight.DemiBold)
    label.setFont(font)
    return label


def _faint_label(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label
