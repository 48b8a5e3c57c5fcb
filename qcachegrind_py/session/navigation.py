"""Navigation within a profile: the current context, and the back and forward history.

It knows no profile: the owner derives dependent fields, such as the call stack of the active
function, before a change is announced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from qcachegrind_py.profile.ids import NO_NODE, NodeId, NodeMapping
from qcachegrind_py.session.context import Change, Context, changes_between

_HISTORY_LENGTH = 200


class Navigation(QObject):
    """Holds the context; emits `changed(context, change)` at most once per event-loop iteration."""

    changed = Signal(object, object)

    def __init__(
        self,
        derive_context: Callable[[Context, Context], Context] = lambda _before, after: after,
        parent: QObject | None = None,
    ) -> None:
        """`derive_context(before, after)` completes a changed context before it takes effect."""
        super().__init__(parent)
        self.context = Context()
        self._derive_context = derive_context
        self._announced = self.context
        self._back: list[NodeId] = []
        self._forward: list[NodeId] = []
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._announce)

    def enter_profile(self, mapping: NodeMapping | None = None, **settings: Any) -> None:
        """Start with another profile; settings that are not named keep their values.

        `mapping` translates the history's nodes if the profile is another run of the same program;
        without it, the history is cleared.
        """
        if mapping is not None:
            self.map_history(mapping)
        else:
            self._back.clear()
            self._forward.clear()
        self._change(profile=self.context.profile + 1, **settings)
        self._announce()  # at once: no view may use a function id of the old profile in the new one

    def set(self, **settings: Any) -> None:
        """Change fields of the context; announced in the next event-loop iteration."""
        self._change(**settings)

    def _change(self, **settings: Any) -> None:
        context = self._derive_context(self.context, replace(self.context, **settings))
        if context != self.context:
            self.context = context
            self._timer.start()

    # ---------------------------------------------------------------- the active function

    def select_function(self, function: NodeId) -> None:
        """Make this the active function, and add the previous one to the history."""
        current = self.context.function
        if function in (current, NO_NODE):
            return
        if current != NO_NODE:
            self._back.append(current)
            del self._back[:-_HISTORY_LENGTH]
        self._forward.clear()
        self.set(function=function, selected=NO_NODE, position=None)

    def go_back(self, steps: int = 1) -> None:
        """Return to an earlier function of the history."""
        self._step(self._back, self._forward, steps)

    def go_forward(self, steps: int = 1) -> None:
        """Undo `go_back`."""
        self._step(self._forward, self._back, steps)

    @property
    def back_history(self) -> tuple[NodeId, ...]:
        """The functions to go back to, latest first."""
        return tuple(reversed(self._back))

    @property
    def forward_history(self) -> tuple[NodeId, ...]:
        """The functions to go forward to, next first."""
        return tuple(reversed(self._forward))

    def map_history(self, mapping: NodeMapping) -> None:
        """Translate the history's nodes; those mapped to `NO_NODE` are removed."""
        current = mapping(self.context.function)
        self._back = _without_repeats([mapping(function) for function in self._back], current)
        self._forward = _without_repeats([mapping(function) for function in self._forward], current)

    def _step(self, origin: list[NodeId], other: list[NodeId], steps: int) -> None:
        function = self.context.function
        for _ in range(min(steps, len(origin))):
            other.append(function)
            function = origin.pop()
        if function != self.context.function:
            self.set(function=function, selected=NO_NODE, position=None)

    def _announce(self) -> None:
        self._timer.stop()
        change = changes_between(self._announced, self.context)
        self._announced = self.context
        if change != Change(0):
            self.changed.emit(self.context, change)


def _without_repeats(path: list[NodeId], current: NodeId) -> list[NodeId]:
    """Return the path without repeated steps, which occur where two functions became one."""
    known = [function for function in path if function != NO_NODE]
    following = [*known[1:], current] if known else []
    return [function for function, after in zip(known, following, strict=True) if function != after]
