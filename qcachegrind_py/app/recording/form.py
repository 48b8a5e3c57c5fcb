"""The form of a recording: program, arguments, folders, environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from qcachegrind_py.app.settings.paths import nearest_existing_folder
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.session.recorder import default_output_folder
from qcachegrind_py.tools.command_line import join, split
from qcachegrind_py.tools.valgrind.recording import Recording, Value
from qcachegrind_py.views.widgets.labels import tip_text
from qcachegrind_py.visible_text import visible_text

_MAX_CHIP_CHARACTERS = 200  # characters drawn of an argument
_CORNER_RADIUS = 3.0
_FAINT = QPalette.ColorRole.PlaceholderText
_MAX_TIP_ARGUMENTS = 40  # arguments listed in the tooltip


class ArgumentChips(QWidget):
    """Draws one line of boxes, and the number of those that do not fit."""

    def __init__(self, placeholder: str) -> None:
        super().__init__()
        self._placeholder = placeholder
        self._arguments: tuple[str, ...] = ()
        self._problem = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Words")

    @property
    def text(self) -> str:
        """The problem, or else the arguments, one per line."""
        return self._problem or "\n".join(self._arguments)

    def set_words(self, arguments: Sequence[str]) -> None:
        """Show these arguments."""
        self._arguments, self._problem = tuple(arguments), ""
        lines = [
            f"{n}  {visible_text(word)}"
            for n, word in enumerate(arguments[:_MAX_TIP_ARGUMENTS], start=1)
        ]
        self._set_tip(
            tip_text(*lines, *(["…"] if len(arguments) > _MAX_TIP_ARGUMENTS else []))
            if arguments
            else ""
        )

    def set_problem(self, problem: str) -> None:
        """Show why the line cannot be split into arguments."""
        self._arguments, self._problem = (), problem
        self._set_tip("")

    def _set_tip(self, tip: str) -> None:
        self.setToolTip(tip)
        self.setAccessibleDescription(self.text or self._placeholder)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, self.fontMetrics().height() + 6)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._arguments:
            self._paint_chips(painter)
        else:
            role = QPalette.ColorRole.BrightText if self._problem else _FAINT
            self._paint_text(painter, QRectF(self.rect()), self._problem or self._placeholder, role)
        painter.end()

    def _paint_chips(self, painter: QPainter) -> None:
        metrics, left = self.fontMetrics(), 0.5
        padding = metrics.horizontalAdvance(" ")
        rest = metrics.horizontalAdvance("+9999") + padding
        max_width = max(self.width() // 2, 4 * padding)
        for number, word in enumerate(self._arguments):
            shown = visible_text(word[:_MAX_CHIP_CHARACTERS])
            shown = metrics.elidedText(shown, Qt.TextElideMode.ElideMiddle, max_width)
            width = max(metrics.horizontalAdvance(shown), padding) + 2 * padding
            is_last = number == len(self._arguments) - 1
            if left + width > self.width() - (0 if is_last else rest):
                area = QRectF(left, 0, self.width() - left, self.height())
                self._paint_text(painter, area, f"+{len(self._arguments) - number}", _FAINT)
                return
            self._paint_chip(painter, QRectF(left, 1.5, width, self.height() - 4), shown)
            left += width + padding

    def _paint_chip(self, painter: QPainter, box: QRectF, argument: str) -> None:
        painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
        painter.setBrush(self.palette().color(QPalette.ColorRole.Base))
        painter.drawRoundedRect(box, _CORNER_RADIUS, _CORNER_RADIUS)
        painter.setPen(self.palette().color(QPalette.ColorRole.Text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, argument)

    def _paint_text(
        self, painter: QPainter, area: QRectF, text: str, role: QPalette.ColorRole
    ) -> None:
        shown = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(area.width()))
        painter.setPen(self.palette().color(role))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


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
