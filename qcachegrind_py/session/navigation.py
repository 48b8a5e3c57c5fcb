"""Navigation within a profile: the current context, and the back and forward history.

It knows no profile: the owner derives dependent fields, such as the call stack of the active
function, before a change is announced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypedDict, Unpack

from PySide6.QtCore import QObject, QTimer, Signal

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.formats.saved_views import SavedView
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import (
    AnnotationStyle,
    Change,
    Context,
    CostUnit,
    GroupColors,
    Position,
    changes_between,
)
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE, NodeId, NodeMapping, PartId
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.session.context import at_function
from qcachegrind_py.tools.sources.file_search import BaseSearch, FileSearch

_HISTORY_LENGTH = 200


class ContextFields(TypedDict, total=False):
    """The fields of the context that are set one by one, as they follow from no other."""

    event: EventType | None
    second_event: EventType | None
    function: NodeId
    selected: NodeId
    position: Position | None
    scope: Scope
    hidden_parts: frozenset[PartId]
    unit: CostUnit
    of_recorded: bool
    percent_of_function: bool
    numbers: NumberStyle
    short_names: bool
    grouping: Grouping
    group_colors: GroupColors
    filter: Filter
    files: FileSearch
    base_search: BaseSearch
    base_programs: tuple[tuple[str, str], ...]
    annotation: AnnotationStyle


@frozen(eq=True)
class ViewSwitch:
    """A saved view that was shown, and what was shown before."""

    before: SavedView
    after: SavedView


@frozen(eq=True)
class _Step:
    """A function of the history, and the switch that is between it and the next or present one."""

    function: NodeId
    switch: ViewSwitch | None = None


class Navigation(QObject):
    """Holds the context; emits `changed(context, change)` at most once per event-loop iteration."""

    changed = Signal(object, object)
    history_changed = Signal()  # without a change of the context
    view_restored = Signal(object)  # the SavedView to show again after a step in the history

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
        self._back: list[_Step] = []
        self._forward: list[_Step] = []
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._announce)

    def enter_profile(self, context: Context, mapping: NodeMapping | None = None) -> None:
        """Start with another profile.

        `mapping` translates the history's nodes if the profile is another run of the same program;
        without it, the history is cleared.
        """
        if mapping is not None:
            self.map_history(mapping)
        else:
            self._back.clear()
            self._forward.clear()
        self._take(replace(context, profile=self.context.profile + 1))
        self._announce()  # at once: no view may use a function id of the old profile in the new one

    def change(self, transition: Callable[[Context], Context]) -> None:
        """Change the context; announced in the next event-loop iteration."""
        self._take(transition(self.context))

    def set(self, **fields: Unpack[ContextFields]) -> None:
        """Change fields of the context on which no other depends."""
        self.change(lambda context: replace(context, **fields))

    def _take(self, context: Context) -> None:
        context = self._derive_context(self.context, context)
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
            self._remember(_Step(current))
        self._forward.clear()
        self.change(lambda context: at_function(context, function))

    def enter_view(self, function: NodeId, switch: ViewSwitch) -> None:
        """Make the function of a saved view active, if it has one, as one step of the history.

        Going back over this step emits `view_restored` with what was shown before.
        """
        current = self.context.function
        if current != NO_NODE:
            self._remember(_Step(current, switch))
        self._forward.clear()
        if function not in (current, NO_NODE):
            self.change(lambda context: at_function(context, function))
        self.history_changed.emit()

    def _remember(self, step: _Step) -> None:
        self._back.append(step)
        del self._back[:-_HISTORY_LENGTH]

    def go_back(self, steps: int = 1) -> None:
        """Return to an earlier function of the history."""
        self._step(self._back, self._forward, steps)

    def go_forward(self, steps: int = 1) -> None:
        """Undo `go_back`."""
        self._step(self._forward, self._back, steps)

    @property
    def back_history(self) -> tuple[NodeId, ...]:
        """The functions to go back to, latest first."""
        return tuple(step.function for step in reversed(self._back))

    @property
    def forward_history(self) -> tuple[NodeId, ...]:
        """The functions to go forward to, next first."""
        return tuple(step.function for step in reversed(self._forward))

    def map_history(self, mapping: NodeMapping) -> None:
        """Translate the history's nodes; those mapped to `NO_NODE` are removed."""
        current = mapping(self.context.function)
        for history in (self._back, self._forward):
            mapped = [_mapped(step, mapping, current) for step in history]
            history[:] = _without_repeats(mapped, current)

    def _step(self, origin: list[_Step], other: list[_Step], steps: int) -> None:
        function, view = self.context.function, None
        for _ in range(min(steps, len(origin))):
            step = origin.pop()
            other.append(_Step(function, step.switch))
            function = step.function
            if step.switch is not None:
                view = step.switch.before if origin is self._back else step.switch.after
        if function != self.context.function:
            self.change(lambda context: at_function(context, function))
        if view is not None:
            self.history_changed.emit()
            self.view_restored.emit(view)

    def _announce(self) -> None:
        self._timer.stop()
        change = changes_between(self._announced, self.context)
        self._announced = self.context
        if change != Change(0):
            self.changed.emit(self.context, change)


def _mapped(step: _Step, mapping: NodeMapping, current: NodeId) -> _Step:
    """Return the step in another profile; one with a saved view stays, as that names its function.

    It may be folded away by the view, for example.
    """
    function = mapping(step.function)
    if function == NO_NODE and step.switch is not None:
        function = current
    return replace(step, function=function)


def _without_repeats(path: list[_Step], current: NodeId) -> list[_Step]:
    """Return the path without repeated steps, which occur where two functions became one.

    Steps with a saved view are none.
    """
    known = [step for step in path if step.function != NO_NODE]
    following = [*(step.function for step in known[1:]), current] if known else []
    return [
        step
        for step, after in zip(known, following, strict=True)
        if step.function != after or step.switch is not None
    ]
