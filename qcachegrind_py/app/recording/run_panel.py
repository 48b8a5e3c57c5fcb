"""A program under callgrind: its state and the buttons that control it, its command and output."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QGuiApplication,
    QPalette,
    QSyntaxHighlighter,
    QTextCharFormat,
)
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QWidget

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import short_text
from qcachegrind_py.profile.numbers import NumberStyle, format_count, format_duration
from qcachegrind_py.session.recorder import OutputLine, Recorder, is_valgrind_line
from qcachegrind_py.tools.command_line import join
from qcachegrind_py.tools.valgrind.recording import LiveState
from qcachegrind_py.views.widgets.controls import NoteLabel
from qcachegrind_py.visible_text import visible_text

NO_VGDB = "vgdb, a part of Valgrind, was not found. The program can only be stopped."
_SHORT = NumberStyle(use_si_prefixes=True)


@frozen(eq=True)
class ControlState:
    """What is known of a program that runs."""

    seconds: float | None = None  # since its start; None if that is shown elsewhere
    is_dumping: bool = False
    is_counting: bool = True
    live: LiveState | None = None
    has_parts: bool = False  # whether a part has been written on request

    @property
    def text(self) -> str:
        """Running time, cost and current function in one line."""
        live = self.live
        details = [format_duration(self.seconds)] if self.seconds is not None else []
        if self.is_dumping:
            details.append("writing a part…")
        elif not self.is_counting:
            details.append("paused")
        elif self.seconds is None and live is not None:
            details.append("counting")
        if live is not None and self.is_counting and live.count:
            since = " since the last part" if self.has_parts else ""
            details.append(f"{format_count(live.count, _SHORT)} {short_text(live.event)}{since}")
        if live is not None and self.is_counting and live.function:
            details.append(f"in {short_text(live.function)}")
        if live is not None and live.threads > 1:
            details.append(f"{live.threads} threads")
        return " · ".join(details)


class ControlPanel(QWidget):
    """A row of buttons that emits what the user requests; the owner places the label `state`."""

    dump_requested = Signal()
    reset_requested = Signal()
    counting_requested = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._is_counting = True
        self.state = NoteLabel()
        self.dump = _button(
            "Dump &Now",
            "Write what was counted so far, to look at while the program runs on",
            self.dump_requested.emit,
        )
        self.zero = _button("Rese&t Counts", "Set all counters to zero", self.reset_requested.emit)
        self.pause = _button("Pa&use", "", self._request_counting)
        self.buttons = QHBoxLayout(self)
        self.buttons.setContentsMargins(0, 0, 0, 0)
        for button in (self.dump, self.zero, self.pause):
            self.buttons.addWidget(button)
        self.buttons.addStretch()

    def show_state(self, state: ControlState | None, *, is_ready: bool, reason: str = "") -> None:
        """Show the state of a program, or of none; `reason` says why it takes no requests."""
        self._is_counting = state is None or state.is_counting
        self.state.setText(state.text if state is not None else "")
        self.dump.setEnabled(is_ready and not (state is not None and state.is_dumping))
        self.zero.setEnabled(is_ready)
        self.pause.setEnabled(is_ready)
        self.pause.setText("Pa&use" if self._is_counting else "Res&ume")
        counts = "Pause counting" if self._is_counting else "Resume counting"
        tip = f"{counts}: the program runs on, faster while nothing is counted"
        self.pause.setAccessibleDescription(tip)
        for button in (self.dump, self.zero, self.pause):
            button.setToolTip(reason or button.accessibleDescription())

    def _request_counting(self) -> None:
        self.counting_requested.emit(not self._is_counting)


def _button(text: str, tip: str, slot: Callable[[], object]) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setAccessibleDescription(tip)
    button.setAutoDefault(False)
    button.clicked.connect(lambda _checked=False: slot())
    return button


_MAX_LINES = 5000
_TAB = 8


class OutputView(QPlainTextEdit):
    """Shows the last lines of output; does not scroll away from what the user reads."""

    def __init__(self) -> None:
        super().__init__(readOnly=True)
        self.setAccessibleName("Output of the program")
        self.setPlaceholderText("The output of the program appears here.")
        self.setMaximumBlockCount(_MAX_LINES)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(fixed_font())
        self.setTabChangesFocus(True)
        self._highlighter = _ValgrindLineHighlighter(self)

    def add(self, lines: Sequence[OutputLine]) -> None:
        """Append lines."""
        self.appendPlainText("\n".join(visible_text(line.text.expandtabs(_TAB)) for line in lines))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_highlighter"):
            self._highlighter.rehighlight()


class _ValgrindLineHighlighter(QSyntaxHighlighter):
    def __init__(self, edit: QPlainTextEdit) -> None:
        super().__init__(edit.document())
        self._edit = edit

    def highlightBlock(self, text: str) -> None:  # noqa: N802
        if is_valgrind_line(text):
            faint = QTextCharFormat()
            faint.setForeground(self._edit.palette().brush(QPalette.ColorRole.PlaceholderText))
            self.setFormat(0, len(text), faint)


def fixed_font() -> QFont:
    """The system's fixed-pitch font."""
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)


_COMMAND_LINES = 4
_MAX_COMMAND_LENGTH = 20_000


class RunPanel(QWidget):
    """Shows the state of the recorder, with buttons that control a running one."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder
        self._live: LiveState | None = None
        self._has_parts = False
        self.command = QPlainTextEdit(readOnly=True)
        self.command.setAccessibleName("Command")
        self.command.setFont(fixed_font())
        self.command.setTabChangesFocus(True)
        self.command.setPlaceholderText("The command appears here when you choose a program.")
        line = self.command.fontMetrics().lineSpacing()
        self.command.setFixedHeight(_COMMAND_LINES * line + 12)
        self.copy = QPushButton("&Copy", autoDefault=False)
        self.copy.setToolTip("Copy the command for use in a terminal")
        self.copy.setAccessibleDescription(self.copy.toolTip())
        self.copy.clicked.connect(lambda _checked=False: self._copy())
        self.output = OutputView()
        self.control = ControlPanel()
        self.control.dump_requested.connect(recorder.dump)
        self.control.reset_requested.connect(recorder.reset_counters)
        self.control.counting_requested.connect(recorder.set_counting)
        self._arrange()
        recorder.changed.connect(self._update_state)
        recorder.status_received.connect(self._on_status)
        recorder.dumped.connect(lambda _files: self._on_part())
        recorder.output_received.connect(self.output.add)
        self._update_state()

    def _arrange(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        title, printed = QLabel("Comman&d"), QLabel("&Output")
        title.setBuddy(self.command)
        printed.setBuddy(self.output)
        grid.addWidget(title, 0, 0)
        grid.addWidget(self.copy, 0, 1)
        grid.addWidget(self.command, 1, 0, 1, 2)
        grid.addWidget(printed, 2, 0)
        grid.addWidget(self.output, 3, 0, 1, 2)
        grid.addWidget(self.control.state, 4, 0, 1, 2)
        grid.addWidget(self.control, 5, 0, 1, 2)
        grid.setColumnStretch(0, 1)
        grid.setRowStretch(3, 1)

    def show_command(self, arguments: Sequence[str]) -> None:
        """Show the arguments as a line quoted for a shell."""
        text = join(arguments) if arguments else ""
        if text != self.command.toPlainText():
            self.command.setPlainText(visible_text(text[:_MAX_COMMAND_LENGTH]))
        self._command = text
        self.copy.setEnabled(bool(arguments))

    def begin(self) -> None:
        """Clear output and state of the previous recording."""
        self.output.clear()
        self._live = None
        self._has_parts = False

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._command)

    def _on_status(self, state: LiveState | None) -> None:
        self._live = state or self._live
        self._update_state()

    def _on_part(self) -> None:
        self._live, self._has_parts = None, True

    def _update_state(self) -> None:
        recorder = self._recorder
        state = ControlState(
            recorder.seconds,
            recorder.is_dumping,
            recorder.is_counting,
            self._live,
            self._has_parts,
        )
        self.control.show_state(
            state if recorder.is_running else None,
            is_ready=recorder.accepts_commands,
            reason=NO_VGDB if recorder.lacks_vgdb else "",
        )
