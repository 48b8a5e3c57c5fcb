"""The dialog that records a program: form, options, command, output and outcome."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.recording.run_panel import RunPanel, fixed_font
from qcachegrind_py.app.settings.paths import nearest_existing_folder
from qcachegrind_py.app.style.text_widgets import FaintWrappedLabel, WrappedLabel
from qcachegrind_py.formats.run_files import profile_file_name
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.session.recorder import (
    Recorder,
    RecorderState,
    RecordingOutcome,
    add_recent_recording,
    default_output_folder,
    recent_recordings,
)
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.tools.command_line import join, split
from qcachegrind_py.tools.valgrind.recording import (
    OPTION_GROUPS,
    Option,
    Recording,
    RecordingTools,
    Value,
    all_options,
    find_tools,
    install_advice,
    recording_problem,
    valgrind_command,
)
from qcachegrind_py.views.widgets.controls import NoteLabel, dialog_button
from qcachegrind_py.views.widgets.grid import grid
from qcachegrind_py.visible_text import visible_text

_NO_ARGUMENTS = "No shell: $NAME, * and ~ are not expanded."


class RecordForm(QWidget):
    """Emits `changed` when a field changes, and `chosen` with a recent recording."""

    changed = Signal()
    chosen = Signal(object)  # Recording

    def __init__(self) -> None:
        super().__init__()
        self._examples: dict[QLineEdit, str] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        self._grid.setHorizontalSpacing(grid())
        self.recent = QPushButton("R&ecent")
        self.recent.setToolTip("Earlier recordings with their options")
        self.recent.setMenu(QMenu(self.recent))
        self.program = self._add_row(
            "&Program",
            "A path or a name",
            "A program, or a script that starts with #!",
            dialog_button("&Browse…", "", self._browse_program),
            self.recent,
        )
        self.arguments = self._add_row(
            "&Arguments",
            "-n 'a file'",
            "Arguments of the program, separated by spaces; quotes are allowed",
        )
        self.words = NoteLabel()  # what the line of arguments is split into
        self.words.setAccessibleName("Arguments as the program gets them")
        self._grid.addWidget(self.words, self._grid.rowCount(), 1)
        self.folder = self._add_row(
            "&Working folder",
            "Your home folder",
            "Folder the program runs in",
            dialog_button("Browse…", "", lambda: self._browse_folder(self.folder)),
        )
        self.environment = self._add_row(
            "En&vironment",
            "NAME=value OTHER='two words'",
            "Additional environment variables for the program",
        )
        self.output = self._add_row(
            "Save pro&file to",
            "Folder the program runs in",
            "Folder for the profile; created if missing",
            dialog_button("Browse…", "", lambda: self._browse_folder(self.output)),
        )
        self.extra = self._edit(  # below the options, where the dialog puts it
            "Other options", "--fn-skip=f --simulate-hwpref=yes", "Additional Valgrind options"
        )
        self._show_words()

    def recording(self, options: dict[str, Value]) -> Recording:
        """The recording in the fields, with these options.

        Raises `ValueError`, with a sentence for the user, if a line cannot be split.
        """
        return Recording(
            self.program.text().strip(),
            _split_words("Arguments", self.arguments),
            self.folder.text().strip(),
            self.output.text().strip(),
            _split_words("Environment", self.environment),
            options,
            _split_words("Other options", self.extra),
        )

    def show_recording(self, recording: Recording) -> None:
        self.program.setText(recording.program)
        self.arguments.setText(join(recording.arguments))
        self.environment.setText(join(recording.environment))
        self.folder.setText(recording.folder)
        self.output.setText(recording.output)
        self.extra.setText(join(recording.extra))

    def set_recent(self, recordings: Sequence[Recording]) -> None:
        """Offer these recent recordings in the menu."""
        menu = self.recent.menu()
        menu.clear()
        for number, recording in enumerate(recordings, start=1):
            line = cell_text(join((Path(recording.program).name, *recording.arguments)))
            action = menu.addAction(f"&{number % 10}  {line.replace('&', '&&')}")
            action.triggered.connect(lambda _checked=False, r=recording: self.chosen.emit(r))
        self.recent.setEnabled(bool(recordings))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:  # examples mislead while recording
            for edit, example in self._examples.items():
                edit.setPlaceholderText(example if self.isEnabled() else "")

    def _add_row(self, title: str, example: str, tip: str, *buttons: QPushButton) -> QLineEdit:
        edit = self._edit(title.replace("&", ""), example, tip)
        label, line, row = QLabel(title), QHBoxLayout(), self._grid.rowCount()
        label.setBuddy(edit)
        line.setSpacing(grid(0.5))
        for widget in (edit, *buttons):
            line.addWidget(widget)
        self._grid.addWidget(label, row, 0)
        self._grid.addLayout(line, row, 1)
        return edit

    def _edit(self, name: str, example: str, tip: str) -> QLineEdit:
        edit = QLineEdit(placeholderText=example)
        edit.setAccessibleName(name)
        edit.setAccessibleDescription(tip)
        edit.setToolTip(tip)
        edit.textChanged.connect(lambda _text: self._on_changed())
        self._examples[edit] = example
        return edit

    def _on_changed(self) -> None:
        self._show_words()
        self.changed.emit()

    def _show_words(self) -> None:
        """Show the arguments as the program gets them, each in brackets."""
        role = QPalette.ColorRole
        try:
            words = split(self.arguments.text())
        except ValueError as error:
            self.words.setForegroundRole(role.BrightText)
            self.words.setText(str(error))
            return
        self.words.setForegroundRole(role.WindowText if words else role.PlaceholderText)
        self.words.setText(" ".join(f"[{visible_text(word)}]" for word in words) or _NO_ARGUMENTS)

    def _browse_program(self) -> None:
        start = nearest_existing_folder(os.path.dirname(self.program.text()))  # noqa: PTH120
        name, _ = QFileDialog.getOpenFileName(self, "Choose a Program", start)
        if name:
            self.program.setText(name)
            self.arguments.setFocus()

    def _browse_folder(self, edit: QLineEdit) -> None:
        start = nearest_existing_folder(edit.text())
        name = QFileDialog.getExistingDirectory(self, "Choose a Folder", start)
        if name:
            edit.setText(name)


def _split_words(title: str, edit: QLineEdit) -> tuple[str, ...]:
    try:
        return tuple(split(edit.text()))
    except ValueError as error:
        raise ValueError(f"{title}: {error}") from error


def empty_recording() -> Recording:
    """The initial content of the fields, without a recent recording."""
    try:
        here = Path.cwd()
    except OSError:  # it was removed
        here = Path.home()
    folder = Path.home() if here == Path(here.anchor) else here  # desktops start programs in /
    return Recording("", folder=str(folder), output=default_output_folder())


class OptionsPanel(QScrollArea):
    """Emits `changed` when the value of an option changes."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.editors: dict[str, QCheckBox | QSpinBox | QLineEdit] = {}
        content = QWidget()
        self._grid = QGridLayout()
        self._grid.setColumnStretch(0, 1)
        self._grid.setVerticalSpacing(grid(0.5))
        for heading, options in OPTION_GROUPS.items():
            self._add_heading(heading)
            for option in options:
                self._add(option)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, grid(), 0)
        column.addLayout(self._grid)
        column.addStretch()
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def values(self) -> dict[str, Value]:
        """The options that differ from valgrind's defaults, by name."""
        values = {option.name: _value(self.editors[option.name]) for option in all_options()}
        return {o.name: values[o.name] for o in all_options() if values[o.name] != o.default}

    def show_values(self, values: Mapping[str, Value]) -> None:
        """Show these values, and valgrind's defaults for all other options."""
        for option in all_options():
            value, editor = values.get(option.name, option.default), self.editors[option.name]
            if isinstance(editor, QCheckBox):
                editor.setChecked(bool(value))
            elif isinstance(editor, QSpinBox):
                editor.setValue(int(value))
            else:
                editor.setText(str(value))

    def _add_heading(self, text: str) -> None:
        heading = QLabel(text)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        above = self.fontMetrics().height() // 2 if self._grid.count() else 0
        heading.setContentsMargins(0, above, 0, 0)
        self._grid.addWidget(heading, self._grid.rowCount(), 0, 1, 2)

    def _add(self, option: Option) -> None:
        style, row = self.style(), self._grid.rowCount()
        indent = style.pixelMetric(QStyle.PixelMetric.PM_IndicatorWidth)
        indent += style.pixelMetric(QStyle.PixelMetric.PM_CheckBoxLabelSpacing)
        editor: QCheckBox | QSpinBox | QLineEdit
        if isinstance(option.default, bool):
            editor = QCheckBox(option.title)
            editor.toggled.connect(self.changed)
            self._grid.addWidget(editor, row, 0, 1, 2)
        else:
            if isinstance(option.default, int):
                editor = QSpinBox(maximum=option.maximum, value=option.default)
                editor.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # the wheel scrolls the panel
                editor.valueChanged.connect(self.changed)
            else:
                editor = QLineEdit()
                editor.textChanged.connect(self.changed)
            label = QLabel(option.title)
            label.setBuddy(editor)
            label.setContentsMargins(indent, 0, 0, 0)
            self._grid.addWidget(label, row, 0)
            self._grid.addWidget(editor, row, 1)
        explanation = f"{option.benefit} {option.cost}".strip()
        sentence = FaintWrappedLabel(explanation)
        sentence.setContentsMargins(indent, 0, 0, grid(0.5))
        self._grid.addWidget(sentence, row + 1, 0, 1, 2)
        editor.setAccessibleName(option.title)
        editor.setAccessibleDescription(explanation)
        editor.setToolTip(option.switch)
        self.editors[option.name] = editor


def _value(editor: QCheckBox | QSpinBox | QLineEdit) -> Value:
    if isinstance(editor, QCheckBox):
        return editor.isChecked()
    return editor.value() if isinstance(editor, QSpinBox) else editor.text().strip()


_BUTTON_TEXTS = {
    RecorderState.READY: ("&Record", "Run the program under Callgrind"),
    RecorderState.RUNNING: ("&Stop", "Ask the program to end, then write its profile"),
    RecorderState.STOPPING: ("&Kill", "End the program at once, and write what was counted so far"),
    RecorderState.KILLING: ("&Kill Now", "End the program without waiting for its profile"),
}
_SLOW = "Programs run about 50 times slower while they are recorded, and get no keyboard input."
_HINT = f"Choose a program. {_SLOW}"
_STOPPING = "The program was asked to end. Its profile is being written…"
_KILLING = "A last part is being written before the program is killed…"


class RecordDialog(QDialog):
    """Emits `open_requested` with the paths of a profile to open."""

    open_requested = Signal(object)

    def __init__(self, settings: Settings, recorder: Recorder, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Record a Program")
        self._settings, self._recorder = settings, recorder
        self.tools = RecordingTools()
        self._ready: Recording | None = None  # the form's recording, if it can be run
        self._outcome: RecordingOutcome | None = None
        self.form, self.options, self.run = RecordForm(), OptionsPanel(), RunPanel(recorder)
        self.banner = _Banner(self.find_valgrind)
        self.banner.hide()
        self.message = WrappedLabel()
        self.opens = QCheckBox("Open t&he profile when finished")
        self.opens.setChecked(True)
        self.open_button = dialog_button("&Open", "", self._open_result)
        self.record = QPushButton(default=True)
        self.record.clicked.connect(lambda _checked=False: self._record_or_stop())
        self.close_button = dialog_button("Close", "", self.reject)
        self._arrange()
        self.form.changed.connect(self._check)
        self.form.chosen.connect(self.show_recording)
        self.options.changed.connect(self._check)
        recorder.changed.connect(self._update_state)
        recorder.dumped.connect(self.open_requested)
        recorder.ended.connect(self._on_ended)
        recent = recent_recordings(settings)
        self.form.set_recent(recent)
        self.show_recording(recent[0] if recent else empty_recording())
        self.form.program.setFocus()

    def _arrange(self) -> None:
        left, other, columns, below = QVBoxLayout(), QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        label, rule, line = QLabel("Other &Valgrind options"), QFrame(), self.fontMetrics().height()
        label.setBuddy(self.form.extra)
        rule.setFrameShape(QFrame.Shape.HLine)
        rule.setForegroundRole(QPalette.ColorRole.Mid)
        other.addWidget(label)
        other.addWidget(self.form.extra)
        left.addWidget(self.form)
        left.addWidget(rule)
        left.addWidget(self.options, 1)
        left.addLayout(other)
        columns.addLayout(left, 5)
        columns.addSpacing(line // 2)
        columns.addWidget(self.run, 6)
        below.addWidget(self.opens)
        below.addStretch()
        for button in (self.open_button, self.record, self.close_button):
            below.addWidget(button)
        self.message.setContentsMargins(0, line // 3, 0, line // 3)
        column = QVBoxLayout(self)
        column.addWidget(self.banner)
        column.addLayout(columns, 1)
        column.addWidget(self.message)
        column.addLayout(below)
        room = self.screen().availableSize() * 9 / 10
        if (parent := self.parentWidget()) is not None:
            room = room.boundedTo(parent.window().size() - QSize(0, 3 * line))
        self.resize(QSize(line * 76, line * 45).boundedTo(room).expandedTo(self.minimumSizeHint()))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.find_valgrind()

    def show_recording(self, recording: Recording) -> None:
        """Fill form and options with this recording."""
        self.form.show_recording(recording)
        self.options.show_values(recording.options)

    def find_valgrind(self) -> None:
        tools = find_tools()
        if tools != self.tools or tools == RecordingTools():  # otherwise nothing has changed
            self.tools = tools
            self.banner.setVisible(tools.valgrind is None)
            self._check()

    def _check(self) -> None:
        """Check the form; show the command, or why the recording cannot be run."""
        if self._recorder.is_running:
            return
        self._outcome, self._ready = None, None
        try:
            recording = self.form.recording(self.options.values())
            problem = recording_problem(recording) if recording.program else ""
        except ValueError as error:
            self._show_message(str(error), is_bad=True)
            self.run.show_command(())
        else:
            is_ready = bool(recording.program and not problem and self.tools.valgrind)
            self._ready = recording if is_ready else None
            self._show_message(
                problem or (_SLOW if recording.program else _HINT), is_bad=bool(problem)
            )
            self.run.show_command(self._command(recording) if recording.program else ())
        self._update_state()

    def _command(self, recording: Recording) -> list[str]:
        """The command as of now: the name of the profile contains the time."""
        profile = recording.output_folder / profile_file_name(recording.name, time.time())
        return valgrind_command(recording, self.tools.valgrind or "valgrind", profile)

    def _show_message(self, text: str, *, is_bad: bool) -> None:
        role = QPalette.ColorRole
        self.message.setForegroundRole(role.BrightText if is_bad else role.PlaceholderText)
        self.message.setText(visible_text(text))

    def _record_or_stop(self) -> None:
        if self._recorder.is_running:
            self._recorder.stop()
        elif self._ready is not None:
            add_recent_recording(self._settings, self._ready)
            self.form.set_recent(recent_recordings(self._settings))
            self.run.output.clear()
            self._recorder.start(self._ready, self.tools)
            self.run.show_command(self._recorder.command)

    def _update_state(self) -> None:
        state, is_running = self._recorder.state, self._recorder.is_running
        text, tip = _BUTTON_TEXTS[state]
        self.record.setText(text)
        self.record.setToolTip(tip)
        self.record.setEnabled(is_running or self._ready is not None)
        self.record.setDefault(not is_running)  # Return in a field must not end a recording
        for widget in (self.form, self.options, self.form.extra):
            widget.setEnabled(not is_running)
        self.close_button.setText("Hide" if is_running else "Close")
        self.open_button.setVisible(bool(self._outcome and self._outcome.profiles_to_open))
        if is_running:
            texts = {RecorderState.STOPPING: _STOPPING, RecorderState.KILLING: _KILLING}
            self._show_message(texts.get(state, ""), is_bad=False)

    def _on_ended(self, outcome: RecordingOutcome) -> None:
        self._outcome = outcome
        self._show_message(outcome.messages(), is_bad=not outcome.is_complete)
        self._update_state()
        if self.isVisible() and self.opens.isChecked() and outcome.profiles_to_open:
            self.open_requested.emit((outcome.profiles_to_open[0].path,))
            if outcome.is_complete and (outcome.was_stopped or outcome.exit_code == 0):
                self.accept()  # do not cover the profile

    def _open_result(self) -> None:
        """Open the profile; if child processes have written more, let the user choose."""
        runs = self._outcome.profiles_to_open if self._outcome is not None else []
        if len(runs) == 1:
            self.open_requested.emit((runs[0].path,))
            return
        menu = QMenu(self.open_button)
        for run in runs:
            action = menu.addAction(visible_text(run.path.name).replace("&", "&&"))
            action.triggered.connect(
                lambda _checked=False, path=run.path: self.open_requested.emit((path,))
            )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.open_button.mapToGlobal(self.open_button.rect().bottomLeft()))


class _Banner(QFrame):
    """Explains how to install valgrind, with the command to copy."""

    def __init__(self, search_again: Callable[[], None]) -> None:
        super().__init__()
        advice = install_advice()
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.sentence = WrappedLabel(advice.sentence)
        self.command = QLineEdit(advice.command, readOnly=True)
        self.command.setAccessibleName("Command to install Valgrind")
        self.command.setFont(fixed_font())
        copy = dialog_button(
            "Copy", "", lambda: QGuiApplication.clipboard().setText(advice.command)
        )
        again = dialog_button("Check &Again", "Check again after installing Valgrind", search_again)
        row = QHBoxLayout()
        for widget in (self.command, copy):
            row.addWidget(widget)
            widget.setVisible(bool(advice.command))
        row.addStretch(0 if advice.command else 1)
        row.addWidget(again)
        column = QVBoxLayout(self)
        column.addWidget(self.sentence)
        column.addLayout(row)
