"""A program under callgrind: its state and the buttons that control it, its command and output."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QGuiApplication,
    QPalette,
    QSyntaxHighlighter,
    QTextCharFormat,
)
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPlainTextEdit, QWidget

from qcachegrind_py.present.table import short_text
from qcachegrind_py.profile.numbers import NumberStyle, format_count, format_duration
from qcachegrind_py.session.program_control import ProgramControl
from qcachegrind_py.session.recorder import OutputLine, Recorder, RecorderState, is_valgrind_line
from qcachegrind_py.tools.command_line import join
from qcachegrind_py.views.widgets.controls import NoteLabel, dialog_button
from qcachegrind_py.visible_text import visible_text

NO_VGDB = "vgdb, a part of Valgrind, was not found. The program can only be stopped."
_SHORT = NumberStyle(use_si_prefixes=True)


def state_text(control: ProgramControl | None, seconds: float | None = None) -> str:
    """Return running time, cost and function in one line.

    Without `seconds`, time and function are shown elsewhere.
    """
    details = [format_duration(seconds)] if seconds is not None else []
    if control is None:
        return " · ".join(details)
    live = control.live
    if control.is_dumping:
        details.append("writing a part…")
    elif not control.is_counting:
        details.append("paused")
    elif seconds is None and live is not None:
        details.append("counting")
    if live is not None and control.is_counting and live.count:
        since = " since the last part" if control.has_parts else ""
        details.append(f"{format_count(live.count, _SHORT)} {short_text(live.event)}{since}")
    if live is not None and control.is_counting and live.function and seconds is not None:
        details.append(f"in {short_text(live.function)}")
    if live is not None and live.threads > 1:
        details.append(f"{live.threads} threads")
    return " · ".join(details)


class ControlPanel(QWidget):
    """A row of buttons that control a program; the owner places the label `state`."""

    def __init__(self) -> None:
        super().__init__()
        self._control: ProgramControl | None = None
        self.state = NoteLabel()
        self.dump = dialog_button("Dump &Now", "", self._dump)
        self.zero = dialog_button("Rese&t Counts", "", self._reset_counters)
        self.pause = dialog_button("Pa&use", "", self._toggle_counting)
        self.buttons = QHBoxLayout(self)
        self.buttons.setContentsMargins(0, 0, 0, 0)
        for button in (self.dump, self.zero, self.pause):
            self.buttons.addWidget(button)
        self.buttons.addStretch()

    def show_control(self, control: ProgramControl | None, text: str, reason: str = "") -> None:
        """Control this program, or none; `reason` says why it takes no requests."""
        self._control = control
        self.state.setText(text)
        is_counting = control is None or control.is_counting
        self.pause.setText("Pa&use" if is_counting else "Res&ume")
        verb = "Pause" if is_counting else "Resume"
        for button, tip in (
            (self.dump, "Write what was counted so far, to look at while the program runs on"),
            (self.zero, "Set all counters to zero"),
            (self.pause, f"{verb} counting: the program runs on, faster while nothing is counted"),
        ):
            button.setEnabled(control is not None)
            button.setToolTip(reason or tip)
            button.setAccessibleDescription(tip)
        self.dump.setEnabled(control is not None and not control.is_dumping)

    def _dump(self) -> None:
        if self._control is not None:
            self._control.dump()

    def _reset_counters(self) -> None:
        if self._control is not None:
            self._control.reset_counters()

    def _toggle_counting(self) -> None:
        if self._control is not None:
            self._control.set_counting(not self._control.is_counting)


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
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)


_COMMAND_LINES = 4
_MAX_COMMAND_LENGTH = 20_000


class RunPanel(QWidget):
    """Shows the state of the recorder, with buttons that control a running one."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder
        self._command = ""
        self.command = QPlainTextEdit(readOnly=True)
        self.command.setAccessibleName("Command")
        self.command.setFont(fixed_font())
        self.command.setTabChangesFocus(True)
        self.command.setPlaceholderText("The command appears here when you choose a program.")
        line = self.command.fontMetrics().lineSpacing()
        self.command.setFixedHeight(_COMMAND_LINES * line + 12)
        self.copy = dialog_button("&Copy", "Copy the command for use in a terminal", self._copy)
        self.copy.setAccessibleDescription(self.copy.toolTip())
        self.output = OutputView()
        self.control = ControlPanel()
        self._arrange()
        recorder.changed.connect(self._update_state)
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

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._command)

    def _update_state(self) -> None:
        recorder = self._recorder
        takes_requests = recorder.state is RecorderState.RUNNING
        self.control.show_control(
            recorder.control if takes_requests else None,
            state_text(recorder.control, recorder.seconds) if recorder.is_running else "",
            NO_VGDB if recorder.lacks_vgdb else "",
        )
