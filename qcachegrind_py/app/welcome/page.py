"""The welcome page over the docks: actions and recent files, and progress of the first opening."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer, Signal
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
    QApplication,
    QDockWidget,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMainWindow,
    QProgressBar,
    QScrollArea,
    QSizePolicy,
    QStackedLayout,
    QTabBar,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.files.commands import FileCommands
from qcachegrind_py.app.files.profile_status import file_list_text
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.style.icons import application_icon, icon
from qcachegrind_py.app.style.tips import fill_in_whats_this
from qcachegrind_py.app.welcome.recent_list import RecentList
from qcachegrind_py.formats.run_files import summarize_all
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.numbers import format_brief
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.recent import Recent
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.views.widgets.colors import blended
from qcachegrind_py.views.widgets.controls import NoteLabel, tip_text
from qcachegrind_py.views.widgets.grid import around, grid

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
        cells = QGridLayout(self)
        cells.setContentsMargins(grid(2), grid(), grid(2), grid())
        cells.setHorizontalSpacing(grid(2))
        cells.setVerticalSpacing(0)
        cells.addWidget(self._picture, 0, 0, 2, 1)
        cells.addWidget(title, 0, 1)
        cells.addWidget(key, 0, 2)
        cells.addWidget(description, 1, 1, 1, 2)
        cells.setColumnStretch(1, 1)
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
_COLUMN_WIDTH = 36  # in line heights
_MAX_NAME_WIDTH = 48  # of the file being opened, in line heights
_MIN_ROWS = 3  # of recent files that are always visible
_COPIED_MS = 2000  # for which the button says “Copied”


class WelcomePage(QWidget):
    """Two stacked pages: the choices, and the progress of opening."""

    chosen = Signal(object)  # a Recent
    removal_requested = Signal(object)  # a Recent to remove from the list

    def __init__(self, choices: Sequence[QAction], cancel: QAction) -> None:
        super().__init__()
        self.setAccessibleName("Welcome")
        self.recent = RecentList()
        self.recent.chosen.connect(self.chosen)
        self.recent.removal_requested.connect(self.removal_requested)
        self.action_cards = [ActionCard(action) for action in choices]
        self.opening = _title_label("", 1.15)
        self.size_label = _faint_label("")
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

    def set_recent(self, opened: Sequence[Recent]) -> None:
        self.recent.set_recent(opened)
        self._files.setVisible(bool(opened))
        columns = 2 if opened else 1
        self._columns.setHorizontalSpacing(grid(4) * (columns - 1))
        self._columns.setColumnStretch(1, columns - 1)
        self._sheet.setMaximumWidth(columns * _COLUMN_WIDTH * self.fontMetrics().height())
        self.recent.setMinimumHeight(self.recent.height_for(min(len(opened), _MIN_ROWS)))
        self.recent.setMaximumHeight(self.recent.height_for(len(opened)))

    def begin_opening(self, name: str, size: int = 0) -> None:
        """Show that files are being opened; `size` is that on disk in bytes."""
        text = f"Opening {cell_text(name)}…"
        self.size_label.setText(f"{format_brief(size)}B" if size else "")
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
        page, self._columns, self._sheet = QWidget(), QGridLayout(), QWidget()
        self._columns.setVerticalSpacing(grid(2))
        self._columns.addLayout(self._heading(), 0, 0, 1, 2)
        self._columns.addLayout(self._choice_column(), 1, 0)
        self._files = self._file_column()
        self._columns.addWidget(self._files, 1, 1)
        self._columns.setColumnStretch(0, 1)
        self._sheet.setLayout(self._columns)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self._sheet, 1000)
        row.addStretch(1)
        column = QVBoxLayout(page)
        column.setContentsMargins(around(2))
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
        row.setSpacing(grid(2))
        row.addWidget(picture)
        row.addLayout(words, 1)
        return row

    def _choice_column(self) -> QLayout:
        column = QVBoxLayout()
        column.setSpacing(grid())
        for choice in self.action_cards:
            column.addWidget(choice)
        column.addWidget(_faint_label("Or drop a profile of any profiler here."))
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
        column.setContentsMargins(0, grid(2), 0, 0)
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
        column.setSpacing(grid(2))
        column.addStretch()
        for widget in (self.opening, self.size_label, self.progress, self.cancel):
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


_GEOMETRY_EVENTS = {
    QEvent.Type.Resize,
    QEvent.Type.Move,
    QEvent.Type.Show,
    QEvent.Type.Hide,
    QEvent.Type.LayoutRequest,
    QEvent.Type.ChildAdded,  # a new tab bar would cover the page
    QEvent.Type.ZOrderChange,  # a dock was raised
}


class Overlay(QObject):
    """Keeps the page on top of all widgets between the toolbars and the status bar."""

    def __init__(self, window: QMainWindow, page: QWidget) -> None:
        super().__init__(window)
        self._window, self._page = window, page
        page.setParent(window)
        page.setAutoFillBackground(True)
        self._geometry_timer = QTimer(self, singleShot=True, interval=0)
        self._geometry_timer.timeout.connect(self._update_geometry)
        self._docks = window.findChildren(QDockWidget)
        self._watched = (window, window.statusBar(), *self._bars(), *self._docks)
        for widget in self._watched:
            widget.installEventFilter(self)
        self.show()

    def show(self) -> None:
        self._page.show()
        self._update_geometry()

    def remove(self) -> None:
        """Uncover the docks and stop watching the window."""
        for widget in self._watched:
            widget.removeEventFilter(self)
        self._geometry_timer.stop()
        self._page.hide()
        for widget in self._covered_widgets():
            widget.setEnabled(True)

    def _bars(self) -> list[QToolBar]:
        return self._window.findChildren(QToolBar)

    def _covered_widgets(self) -> list[QWidget]:
        """The widgets below the page; Qt creates and removes tab bars at any time."""
        bars = [bar for bar in self._window.findChildren(QTabBar) if bar.parent() is self._window]
        widgets: list[QWidget | None] = [self._window.centralWidget(), *self._docks, *bars]
        return [widget for widget in widgets if widget is not None]

    def _update_geometry(self) -> None:
        """Fill the space between the bars, and disable the covered widgets."""
        window = self._window
        above = [window.menuBar(), *(bar for bar in self._bars() if bar.parent() is window)]
        top = max(bar.geometry().bottom() + 1 for bar in above if not bar.isHidden())
        status = window.statusBar()
        bottom = window.height() if status.isHidden() else status.y()
        self._page.setGeometry(0, top, window.width(), max(0, bottom - top))
        for widget in self._covered_widgets():  # or Tab reaches it; a floating dock is visible
            widget.setEnabled(widget.isWindow())
        self._page.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() in _GEOMETRY_EVENTS:
            self._geometry_timer.start()
            if isinstance(watched, QDockWidget):
                watched.setEnabled(watched.isWindow())
        return super().eventFilter(watched, event)


_ACTION_NAMES = ("open", "record", "compare_two", "example", "guide")
_SLOT = "recent files"
_WHATS_THIS = (
    "Open a profile, a recent file or the example, or record a program. You can also drop files "
    "anywhere on the window."
)


class WelcomePresenter(QObject):
    """Fills the welcome page and connects it to the session; inactive once a profile is open."""

    closed_with_focus = Signal()  # the page had the keyboard focus, which is free now

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        session: Session,
        jobs: JobRunner,
        actions: Actions,
        files: FileCommands,
    ) -> None:
        super().__init__(window)
        self._settings, self._session, self._jobs, self._files = settings, session, jobs, files
        choices = [actions[name] for name in _ACTION_NAMES]
        self.page = WelcomePage(choices, actions["cancel"])
        self.page.setWhatsThis(_WHATS_THIS)
        fill_in_whats_this(self.page)
        self.overlay = Overlay(window, self.page)
        self.page.chosen.connect(files.open_recent)
        self.page.removal_requested.connect(files.forget_recent)
        files.recent_changed.connect(self.show_recent)
        session.opening.connect(self.show_opening)
        session.progressed.connect(self.page.set_progress)
        session.ended.connect(self.page.end_opening)
        session.opened.connect(lambda _queries: self._close())
        self.show_recent()
        self.page.setFocus()

    def show(self) -> None:
        """Show the page, unless it is visible already."""
        if self.page.isHidden():
            self.overlay.show()

    def show_recent(self) -> None:
        """Show the recent files, and start a job that adds their summaries."""
        if self._session.queries is not None:
            return
        opened = self._settings.recent
        self.page.set_recent(opened)
        if opened:
            job = self._jobs.start(_SLOT, summarize_all, self._settings.recent_files)
            job.finished.connect(self.page.recent.set_summaries)

    def show_opening(self, paths: Sequence[Path]) -> None:
        """Show the progress of a first profile that is being opened."""
        if self._session.queries is None:
            self.page.begin_opening(file_list_text(paths), sum(map(_size, paths)))

    def _close(self) -> None:
        if self.page.isHidden():
            return
        focus = QApplication.focusWidget()
        had_keyboard = focus is not None and self.page.isAncestorOf(focus)
        self.overlay.remove()
        if had_keyboard:
            self.closed_with_focus.emit()


def _size(path: Path) -> int:
    """Return the size of a file on disk; 0 of a folder, or if it cannot be found."""
    with suppress(OSError, ValueError):  # a name from the desktop may be none
        on_disk = path_on_disk(path)
        return 0 if on_disk.is_dir() else on_disk.stat().st_size
    return 0
