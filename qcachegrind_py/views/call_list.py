"""The lists of callers and of callees of the active function."""

from __future__ import annotations

from enum import Enum

from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.models.calls import CallModel
from qcachegrind_py.session.context import Change, Context, CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.base import ProfileView
from qcachegrind_py.views.function_table import FunctionTable


class Direction(Enum):
    """Which end of the calls is listed."""

    CALLERS = "Callers"
    CALLEES = "Callees"


_EMPTY = {
    Direction.CALLERS: "Nobody called this function while the profile was recorded.",
    Direction.CALLEES: "This function called no other.",
}
_NO_CALLS = (
    "The profile holds no calls.\nCachegrind does not record them: use valgrind --tool=callgrind."
)


class CallList(ProfileView):
    """Who called the active function, or whom it called. A double click goes there."""

    concerns = Change.PROFILE | Change.FUNCTION | Change.EVENT | Change.PARTS | Change.UNIT

    def __init__(self, session: Session, navigation: Navigation, direction: Direction) -> None:
        super().__init__(session, navigation)
        self._direction = direction
        self.model = CallModel("Caller" if direction is Direction.CALLERS else "Callee", self)
        self.table = FunctionTable(self.model, direction.value)
        self.table.activated_function.connect(navigation.select_function)
        self.set_content(self.table)

    def refresh(self, questions: Questions, context: Context, change: Change) -> None:
        """Show the calls of the active function."""
        if context.event is None or context.function < 0:
            self.model.clear()
            self.show_message("Choose a function in the list.")
            return
        ask = questions.callers if self._direction is Direction.CALLERS else questions.callees
        calls = ask(context.function, context.event, context.parts)
        current = self.table.current_function(), max(0, self.table.currentIndex().column())
        base = questions.total(context.event, context.parts).base
        self.model.set_unit(base, context.unit is CostUnit.PERCENT)
        self.model.set_calls(questions.names, calls)
        if change & (Change.PROFILE | Change.EVENT):
            self.table.fit_numbers()
        elif change & (Change.FUNCTION | Change.PARTS):
            self.table.fit_numbers(only_wider=True)
        if len(calls):
            self.show_content()
            if change & (Change.PROFILE | Change.FUNCTION):
                self.table.scrollToTop()
            else:
                self.table.select_function(*current)
        else:
            has_calls = len(questions.profile.calls) > 0
            self.show_message(_EMPTY[self._direction] if has_calls else _NO_CALLS)
