"""The form of a recording: program, arguments, folders, environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QWidget,
)

from qcachegrind_py.app.recording.argument_chips import ArgumentChips
from qcachegrind_py.app.settings.paths_dialog import nearest_existing_folder
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.session.recorder import default_output_folder
from qcachegrind_py.tools.command_line import join, split
from qcachegrind_py.tools.valgrind.recording import Recording, Value

_NO_ARGUMENTS = "No shell: $NAME, * and ~ are not expanded."


class RecordForm(QWidget):
    """Emits `changed` when a field changes, and `chosen` with a recent recording."""

    changed = Signal()
    chosen = Signal(object)  # Recording

    def __init__(self) -> None:
        super().__init__()
        self.program = QLineEdit(placeholderText="A path or a name, for example: sort")
        self.arguments = QLineEdit(placeholderText="-n 'a file'")
        self.environment = QLineEdit(placeholderText="NAME=value OTHER='two words'")
        self.folder = QLineEdit(placeholderText="Your home folder")
        self.output = QLineEdit(placeholderText="Folder the program runs in")
        self.extra = QLineEdit(placeholderText="--fn-skip=f --simulate-hwpref=yes")
        self.argument_chips = ArgumentChips(_NO_ARGUMENTS)
        self.recent = QPushButton("R&ecent")
        self.recent.setMenu(QMenu(self.recent))
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        self._grid.setHorizontalSpacing(self.fontMetrics().height() // 2)
        browse = self._browse_button("&Browse…", self._browse_program)
        self._add_row("&Program", self.program, browse, self.recent)
        self._add_row("&Arguments", self.arguments)
        self._grid.addWidget(self.argument_chips, self._grid.rowCount(), 1)
        choose = self._browse_button("Browse…", lambda: self._browse_folder(self.folder))
        self._add_row("&Working folder", self.folder, choose)
        self._add_row("En&vironment", self.environment)
        keep = self._browse_button("Browse…", lambda: self._browse_folder(self.output))
        self._add_row("Save pro&file to", self.output, keep)
        self._set_tooltips()
        edits = (*self.findChildren(QLineEdit), self.extra)
        self._examples = {edit: edit.placeholderText() for edit in edits}
        for edit in edits:
            edit.textChanged.connect(lambda _text: self._on_changed())
        self._show_arguments()

    def recording(self, options: dict[str, Value]) -> Recording:
        """The recording in the fields, with these options.

        Raises `ValueError`, with a sentence for the user, if a line cannot be split.
        """
        split_fields = {
            name: _split_words(title, edit.text())
            for name, title, edit in (
                ("arguments", "Arguments", self.arguments),
                ("environment", "Environment", self.environment),
                ("extra", "Other options", self.extra),
            )
        }
        texts = (self.program.text().strip(), self.folder.text().strip(), self.output.text())
        program, folder, output = texts
        return Recording(
            program, folder=folder, output=output.strip(), options=options, **split_fields
        )

    def show_recording(self, recording: Recording) -> None:
        """Fill the fields."""
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

    # ---------------------------------------------------------------- construction

    def _add_row(self, title: str, edit: QLineEdit, *buttons: QPushButton) -> None:
        row, label = self._grid.rowCount(), QLabel(title)
        label.setBuddy(edit)
        edit.setAccessibleName(title.replace("&", ""))
        line = QHBoxLayout()
        line.setSpacing(self.fontMetrics().height() // 3)
        for widget in (edit, *buttons):
            line.addWidget(widget)
        self._grid.addWidget(label, row, 0)
        self._grid.addLayout(line, row, 1)

    def _browse_button(self, text: str, slot: Callable[[], None]) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.clicked.connect(lambda _checked=False: slot())
        return button

    def _set_tooltips(self) -> None:
        for edit, purpose in {
            self.program: "A program, or a script that starts with #!",
            self.arguments: "Arguments of the program, separated by spaces; quotes are allowed",
            self.folder: "Folder the program runs in",
            self.environment: "Additional environment variables for the program",
            self.output: "Folder for the profile; created if missing",
            self.extra: "Additional Valgrind options",
        }.items():
            edit.setToolTip(purpose)
            edit.setAccessibleDescription(purpose)
        self.extra.setAccessibleName("Other options")
        self.recent.setToolTip("Earlier recordings with their options")

    # ---------------------------------------------------------------- user actions

    def _on_changed(self) -> None:
        self._show_arguments()
        self.changed.emit()

    def _show_arguments(self) -> None:
        try:
            self.argument_chips.set_words(split(self.arguments.text()))
        except ValueError as error:
            self.argument_chips.set_problem(str(error))

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


def empty_recording() -> Recording:
    """The initial content of the fields, without a recent recording."""
    try:
        here = Path.cwd()
    except OSError:  # it was removed
        here = Path.home()
    folder = Path.home() if here == Path(here.anchor) else here  # desktops start programs in /
    return Recording("", folder=str(folder), output=default_output_folder())


def _split_words(title: str, line: str) -> tuple[str, ...]:
    try:
        return tuple(split(line))
    except ValueError as error:
        raise ValueError(f"{title}: {error}") from error
