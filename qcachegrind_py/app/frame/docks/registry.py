"""The table of all docks: to add one, add a row, and a factory in `view_factories`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.docks import view_factories
from qcachegrind_py.app.frame.docks.spec import DockArea, DockSpec, ViewServices, ViewT
from qcachegrind_py.session.session import Session

if TYPE_CHECKING:
    from qcachegrind_py.views.common.profile_view import ProfileView


class DockRegistry:
    """The docks in the order of the menu; attributes of an instance are their views."""

    function_list = DockSpec(
        "function_list", "Functions", view_factories.create_function_list,
        DockArea.LEFT, 0, "Alt+1",
        "All functions of the profile. “Incl.” is what was spent in a function and in all it "
        "called, “Self” what was spent in it alone, “Called” how often it was called; all three "
        "are recorded, not estimated. Click a title to sort, type to search, and click a row to "
        "make its function the active one, which all other views then describe.",
    )  # fmt: skip
    callers = DockSpec(
        "callers", "Callers", view_factories.create_callers,
        DockArea.UPPER, 0, "Alt+2",
        "Who called the active function directly, with what these calls cost in all, the cost "
        "of one call, and how many there were. Each row is recorded in the profile as it is. "
        "A double click or Return goes to the caller; one click marks it in all lists.",
    )  # fmt: skip
    callees = DockSpec(
        "callees", "Callees", view_factories.create_callees,
        DockArea.LOWER, 0, "Alt+3",
        "Whom the active function called directly, with what these calls cost in all, the cost "
        "of one call, and how many there were. Each row is recorded in the profile as it is. "
        "A double click or Return goes to the callee; one click marks it in all lists.",
    )  # fmt: skip
    all_callers = DockSpec(
        "all_callers", "All Callers", view_factories.create_all_callers,
        DockArea.UPPER, 1, "Alt+4",
        "Everybody who led to the active function, over any number of calls, and how far away "
        "they are. A profile records single calls, so costs over several are shared out in "
        "proportion and marked by ≈. Percentages are of the active function.",
        is_raised_when_wide=True,
    )  # fmt: skip
    all_callees = DockSpec(
        "all_callees", "All Callees", view_factories.create_all_callees,
        DockArea.LOWER, 1, "Alt+5",
        "Everything that the active function led to, over any number of calls, and how far away "
        "it is. A profile records single calls, so costs over several are shared out in "
        "proportion and marked by ≈. Percentages are of the active function.",
    )  # fmt: skip
    call_tree = DockSpec(
        "call_tree", "Call Tree", view_factories.create_call_tree,
        DockArea.LOWER, 5, "Alt+6",
        "The calls from the active function on, or up to its callers, as a tree to open branch by "
        "branch. The first level is recorded; deeper ones are shared out in proportion, and "
        "marked by ≈. A double click or Return goes to a function.",
    )  # fmt: skip
    call_stack = DockSpec(
        "call_stack", "Call Stack", view_factories.create_call_stack,
        DockArea.UPPER, 4, "Alt+7",
        "The costliest way through the active function: from the program's start down to it, and "
        "on from it to the costliest callees. A click goes along this way. Costs are those of "
        "single calls, as recorded.",
    )  # fmt: skip
    event_list = DockSpec(
        "event_list", "Event Types", view_factories.create_event_list,
        DockArea.UPPER, 5, "Alt+8",
        "What was counted, such as instructions or cache misses, with the costs of the active "
        "function in each. Events with a formula are computed from others, and you can add your "
        "own. A click shows an event's costs everywhere, a double click beside those of the first.",
    )  # fmt: skip
    part_list = DockSpec(
        "part_list", "Parts", view_factories.create_part_list,
        DockArea.UPPER, 6, "Alt+9",
        "The dumps and threads that the profile is made of, as a table and as a time line, with "
        "the costs of the active function in each. Choose some by a click or by dragging, and "
        "all views count anew over these alone; no choice means all of them.",
    )  # fmt: skip
    caller_map = DockSpec(
        "caller_map", "Caller Map", view_factories.create_caller_map,
        DockArea.UPPER, 2, "F6",
        "The active function as a box, in it its callers, in these theirs, and so on; areas are "
        "costs. What lies deeper than one call is an estimate, drawn paler and marked by ≈. "
        "A click marks a function, a double click goes there, + and - zoom.",
    )  # fmt: skip
    callee_map = DockSpec(
        "callee_map", "Callee Map", view_factories.create_callee_map,
        DockArea.LOWER, 2, "F7",
        "The active function as a box, in it its callees, in these theirs, and so on; areas are "
        "costs. What lies deeper than one call is an estimate, drawn paler and marked by ≈. "
        "A click marks a function, a double click goes there, + and - zoom.",
    )  # fmt: skip
    call_graph = DockSpec(
        "call_graph", "Call Graph", view_factories.create_call_graph,
        DockArea.LOWER, 3, "F8",
        "Who led to the active function, and what it led to, as boxes and arrows with costs and "
        "counts. Arrows of recorded calls are drawn through, estimates are dashed and marked by "
        "≈. A click chooses, a double click goes there, arrow keys step, dragging pans, Ctrl "
        "with the wheel zooms. What is left out is said below the picture.",
        is_raised_when_wide=True,
    )  # fmt: skip
    flame_graph = DockSpec(
        "flame_graph", "Flame Graph", view_factories.create_flame_graph,
        DockArea.LOWER, 4, "F9",
        "The calls as bars, callees on their callers; widths are costs. It is of the whole "
        "program, of what the active function calls, of its callers, or of both. What lies "
        "deeper than recorded is an estimate, drawn paler and marked by ≈. A double click goes "
        "to a function, + and - zoom, 0 shows all.",
    )  # fmt: skip
    source = DockSpec(
        "source", "Source", view_factories.create_source,
        DockArea.UPPER, 3, "F11",
        "The source of the active function, with what each line cost alone and with all calls "
        "from it. The calls stand below their line, jumps are arrows, and the strip at the scroll "
        "bar shows where the cost is. Costs are recorded for each line; programs need debug "
        "information (-g) for it. The text is read from the file as it is now.",
    )  # fmt: skip
    assembler = DockSpec(
        "assembler", "Assembler", view_factories.create_assembler,
        DockArea.LOWER, 6, "F12",
        "The instructions of the active function, with what each cost. They are read from the "
        "program or library itself, and their costs are recorded with --dump-instr=yes, jumps "
        "with --collect-jumps=yes. A click lights the source line of an instruction.",
    )  # fmt: skip
    control_flow = DockSpec(
        "control_flow", "Control Flow", view_factories.create_control_flow,
        DockArea.LOWER, 7, "Alt+0",
        "The basic blocks of the active function, and how often control went from one to the "
        "next. Counts of jumps are recorded with --dump-instr=yes --collect-jumps=yes; what "
        "follows from them is worked out. A click chooses a block, a double click folds it.",
    )  # fmt: skip

    def __init__(self, session: Session, actions: Actions) -> None:
        self._services = ViewServices(session, actions)
        self.created: dict[str, ProfileView] = {}  # the views that exist, by the id of their dock
        self._awaiting: defaultdict[str, list[Callable[[Any], object]]] = defaultdict(list)

    @classmethod
    def specs(cls) -> tuple[DockSpec[Any], ...]:
        """All rows, in the order of the menu."""
        return tuple(row for row in vars(cls).values() if isinstance(row, DockSpec))

    def view(self, dock: DockSpec[ViewT]) -> ViewT:
        """The view of a dock, created on first use."""
        if dock.id not in self.created:
            view = self.created[dock.id] = dock.create_view(self._services)
            for use in self._awaiting.pop(dock.id, ()):
                use(view)
        return cast("ViewT", self.created[dock.id])  # created by the factory of this row

    def when_created(self, dock: DockSpec[ViewT], use: Callable[[ViewT], object]) -> None:
        """Call `use` with the view of a dock, as soon as there is one."""
        if dock.id in self.created:
            use(self.view(dock))
        else:
            self._awaiting[dock.id].append(use)

    def close(self) -> None:
        """Stop the process that lays out graphs."""
        self._services.close()
