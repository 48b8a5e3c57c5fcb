"""Where the user is in the profile, and the way there: back, forward, up."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from qcachegrind_py.profile.events import EventType
from qcachegrind_py.session.context import Change, Context, CostUnit, difference

_HISTORY_KEPT = 200


class Navigation(QObject):
    """Holds the context. Says `changed(context, change)` once a turn of the event loop."""

    changed = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.context = Context()
        self._announced = self.context
        self._back: list[int] = []
        self._forward: list[int] = []
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._announce)

    def enter_profile(self, event: EventType | None, function: int) -> None:
        """Begin anew with another profile; settings such as the unit stay."""
        self._back.clear()
        self._forward.clear()
        self._set(
            replace(
                self.context,
                profile=self.context.profile + 1,
                event=event,
                function=function,
                parts=None,
            )
        )
        self._announce()  # at once: nobody may take a function of the old profile for one of this

    def select_function(self, function: int) -> None:
        """Make this the active function, and remember the one before."""
        current = self.context.function
        if function == current or function < 0:
            return
        if current >= 0:
            self._back.append(current)
            del self._back[:-_HISTORY_KEPT]
        self._forward.clear()
        self._set(replace(self.context, function=function))

    def go_back(self) -> None:
        """Return to the function before this one."""
        self._step(self._back, self._forward)

    def go_forward(self) -> None:
        """Undo a step back."""
        self._step(self._forward, self._back)

    @property
    def can_go_back(self) -> bool:
        """Whether there is a function before this one."""
        return bool(self._back)

    @property
    def can_go_forward(self) -> bool:
        """Whether a step back can be undone."""
        return bool(self._forward)

    def set_event(self, event: EventType) -> None:
        """Show the costs of this event."""
        self._set(replace(self.context, event=event))

    def set_unit(self, unit: CostUnit) -> None:
        """Write costs as percentages or as they are."""
        self._set(replace(self.context, unit=unit))

    def set_cycles(self, cycles: bool) -> None:
        """Count recursion cycles as one, or not."""
        self._set(replace(self.context, cycles=cycles))

    def _step(self, origin: list[int], other: list[int]) -> None:
        if origin:
            other.append(self.context.function)
            self._set(replace(self.context, function=origin.pop()))

    def _set(self, context: Context) -> None:
        if context != self.context:
            self.context = context
            self._timer.start()

    def _announce(self) -> None:
        self._timer.stop()
        change = difference(self._announced, self.context)
        self._announced = self.context
        if change != Change(0):
            self.changed.emit(self.context, change)
