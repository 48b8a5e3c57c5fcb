"""Takes the steps, one in each turn of the event loop, also in that of a dialog or menu."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.app.windows import Windows
from tests.monkey import dialog_steps, input_steps
from tests.monkey.dialog_steps import FileDialogSteps
from tests.monkey.sandbox import Sandbox
from tests.monkey.targets import top_window
from tests.monkey.watch import Watch
from tests.monkey.window_steps import WindowSteps

_POLL_MS = 5
_LONGEST_WAIT = 10.0  # seconds for jobs to end before the next step
_WAITING = 0.8  # the share of steps that wait for jobs
_MOST_WINDOWS = 3
_DEEPEST = 4  # dialogs and menus in one another
_Step = Callable[[Random, Any], str]  # takes the window, and says what it did
_INPUT_STEPS: dict[_Step, int] = {
    input_steps.click: 20,
    input_steps.drag: 6,
    input_steps.turn_wheel: 5,
    input_steps.open_context_menu: 8,
    input_steps.press_keys: 10,
    input_steps.press_shortcut: 8,
    input_steps.type_text: 8,
}  # with weights
_POPUP_STEPS: dict[_Step, int] = {dialog_steps.use_popup: 7, dialog_steps.dismiss: 3}
_DIALOG_STEPS: dict[_Step, int] = {
    **_INPUT_STEPS,
    dialog_steps.press_button: 15,
    dialog_steps.dismiss: 8,
}


class Monkey:
    """Takes `count` steps from number `first`; what each does follows from `seed` and number."""

    def __init__(self, windows: Windows, sandbox: Sandbox, watch: Watch, seed: int) -> None:
        self._windows, self._sandbox, self._watch, self._seed = windows, sandbox, watch, seed
        self._loop = QEventLoop()
        self._number = self._last = 0
        self._depth = 0  # steps that have not returned, as they show a dialog or a menu
        self._waits_since = time.monotonic()
        self.abandoned_waits = 0  # for jobs that took too long
        steps = WindowSteps(sandbox)
        self._close_window = steps.close_window
        self._answer_file_dialog = FileDialogSteps(sandbox).answer
        self._window_steps: dict[_Step, int] = {
            **_INPUT_STEPS,
            steps.trigger_action: 14,
            steps.open_menu: 4,
            steps.select_function: 10,
            steps.change_dock: 10,
            steps.resize_window: 2,
            steps.open_profile: 2,
            steps.compare: 3,
            steps.use_history: 3,
            steps.use_benchmarks: 2,
            steps.change_file: 2,
            steps.rewrite_while_read: 1,
            steps.close_window: 1,
        }

    def run(self, first: int, count: int) -> None:
        """Take the steps; returns when all dialogs are closed, with the windows still open."""
        self._number, self._last = first - 1, first + count - 1
        QTimer.singleShot(0, self._turn)
        self._loop.exec()

    def _turn(self) -> None:
        if self._must_wait():
            QTimer.singleShot(_POLL_MS, self._turn)
            return
        self._waits_since = time.monotonic()
        if self._number >= self._last:
            self._end()
            return
        QTimer.singleShot(0, self._turn)  # first, as the step may show a dialog
        self._number += 1
        self._depth += 1
        try:
            self._take(self._number)
        finally:
            self._depth -= 1

    def _must_wait(self) -> bool:
        """Whether the next step waits, as most do, and jobs are at work."""
        if Random(f"{self._seed} {self._number + 1} wait").random() > _WAITING:
            return False
        if all(window.jobs.is_idle for window in self._windows.windows):
            return False
        if time.monotonic() - self._waits_since < _LONGEST_WAIT:
            return True
        self.abandoned_waits += 1
        return False

    def _end(self) -> None:
        """Dismiss what is still open, and leave the event loop."""
        popup = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if popup is not None:
            QTimer.singleShot(_POLL_MS, self._turn)
            dialog_steps.dismiss(Random(), popup)
        else:
            self._loop.quit()

    def _take(self, number: int) -> None:
        chance = Random(f"{self._seed} {number}")
        top = top_window(chance)
        if top is None:
            self._watch.begin_step(f"{number} new window")
            self._windows.add_window([chance.choice(self._sandbox.profiles)])
            return
        steps = self._steps_for(top)
        (step,) = chance.choices(list(steps), list(steps.values()))
        done = self._watch.begin_step(f"{number} {step.__name__} in {_described(top)}")
        done.outcome = step(chance, top)

    def _steps_for(self, top: QWidget) -> Mapping[_Step, int]:
        """What may be done in the window that takes input, with weights."""
        if self._depth > _DEEPEST:
            return {dialog_steps.dismiss: 1}
        if isinstance(top, QFileDialog):
            return {self._answer_file_dialog: 1}
        if QApplication.activePopupWidget() is top:
            return _POPUP_STEPS
        if not isinstance(top, MainWindow):
            return _DIALOG_STEPS
        if len(self._windows.windows) > _MOST_WINDOWS:
            return {self._close_window: 1}
        return self._window_steps


def _described(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.objectName() or widget.windowTitle()!r}"
