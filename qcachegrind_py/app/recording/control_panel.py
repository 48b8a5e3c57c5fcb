"""The state of a program under callgrind, and the buttons that control it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from qcachegrind_py.present.table import short_text
from qcachegrind_py.profile.numbers import NumberStyle, format_count, format_duration
from qcachegrind_py.tools.valgrind.recording import LiveState
from qcachegrind_py.views.widgets.labels import NoteLabel

NO_VGDB = "vgdb, a part of Valgrind, was not found. The program can only be stopped."
_SHORT = NumberStyle(use_si_prefixes=True)


@dataclass(frozen=True, slots=True)
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
