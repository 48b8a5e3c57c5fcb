"""The table of all docks: to add one, add a row, and a factory in `view_factories`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.docks import view_factories
from qcachegrind_py.app.frame.docks.spec import DockSpec, ViewServices, ViewT
from qcachegrind_py.session.session import Session

if TYPE_CHECKING:
    from qcachegrind_py.views.profile_view import ProfileView


class DockRegistry:
    """The docks in the order of the menu; attributes of an instance are their views."""

    function_list = DockSpec(
        "function_list", "Functions", view_factories.create_function_list,
        "Alt+1",
        "All functions of the profile. “Incl.” is the cost of a function and everything it "
        "called, “Self” is its own cost, and “Called” is the number of calls; all three are "
        "recorded, not estimated. Click a column title to sort, type to search, and click a row "
        "to make its function the active one, which all other views describe.",
    )  # fmt: skip
    callers = DockSpec(
        "callers", "Callers", view_factories.create_callers,
        "Alt+2",
        "The direct callers of the active function, with the total cost of their calls, the "
        "average cost of one call and the number of calls. All numbers are recorded, not "
        "estimated. Double-click or press Return to go to a caller; a single click highlights it "
        "in all lists.",
    )  # fmt: skip
    callees = DockSpec(
        "callees", "Callees", view_factories.create_callees,
        "Alt+3",
        "The direct callees of the active function, with the total cost of the calls, the average"
        " cost of one call and the number of calls. All numbers are recorded, not estimated. "
        "Double-click or press Return to go to a callee; a single click highlights it in all "
        "lists.",
    )  # fmt: skip
    all_callers = DockSpec(
        "all_callers", "All Callers", view_factories.create_all_callers,
        "Alt+4",
        "All functions that called the active function, directly or through other functions, and "
        "how many calls away they are. Profiles record only direct calls, so costs over several "
        "calls are estimated in proportion and marked ≈. Percentages are relative to the active "
        "function.",
    )  # fmt: skip
    all_callees = DockSpec(
        "all_callees", "All Callees", view_factories.create_all_callees,
        "Alt+5",
        "All functions that the active function called, directly or through other functions, and "
        "how many calls away they are. Profiles record only direct calls, so costs over several "
        "calls are estimated in proportion and marked ≈. Percentages are relative to the active "
        "function.",
    )  # fmt: skip
    call_tree = DockSpec(
        "call_tree", "Call Tree", view_factories.create_call_tree,
        "Alt+6",
        "The callees or the callers of the active function as a tree, or the whole program. The "
        "first level is "
        "recorded; deeper levels are estimated in proportion and marked ≈. Double-click or press "
        "Return to go to a function. In the search, Return goes to the costliest place of a "
        "function, then to the next.",
    )  # fmt: skip
    call_stack = DockSpec(
        "call_stack", "Call Stack", view_factories.create_call_stack,
        "Alt+7",
        "The costliest call path through the active function: from the start of the program down "
        "to it, and on to its costliest callees. Click a function to go to it. Costs are those of"
        " the recorded direct calls.",
    )  # fmt: skip
    event_list = DockSpec(
        "event_list", "Event Types", view_factories.create_event_list,
        "Alt+8",
        "What was counted, such as instructions or cache misses, with the costs of the active "
        "function in each event. Derived events are computed by a formula from other events, and "
        "you can add your own. Click an event to show its costs in all views; double-click to "
        "show it as second event.",
    )  # fmt: skip
    part_list = DockSpec(
        "part_list", "Parts", view_factories.create_part_list,
        "Alt+9",
        "The dumps and threads of the profile, as a table and as a time line, with the costs of "
        "the active function in each. Click or drag to select parts; all views then count only "
        "these. Without a selection, all parts are counted.",
    )  # fmt: skip
    caller_map = DockSpec(
        "caller_map", "Caller Map", view_factories.create_caller_map,
        "F6",
        "The active function as a box that contains its callers, which contain their callers, and"
        " so on; areas are proportional to costs. Costs over more than one call are estimated, "
        "drawn muted and marked ≈. Click a box to select it, double-click to go to its function; "
        "+ and - zoom.",
    )  # fmt: skip
    callee_map = DockSpec(
        "callee_map", "Callee Map", view_factories.create_callee_map,
        "F7",
        "The active function as a box that contains its callees, which contain their callees, and"
        " so on; areas are proportional to costs. Costs over more than one call are estimated, "
        "drawn muted and marked ≈. Click a box to select it, double-click to go to its function; "
        "+ and - zoom.",
    )  # fmt: skip
    call_graph = DockSpec(
        "call_graph", "Call Graph", view_factories.create_call_graph,
        "F8",
        "The callers and callees of the active function as boxes and arrows, with costs and "
        "counts. Recorded calls have solid arrows; estimates are dashed and marked ≈. Click a box"
        " to select it, double-click to go to its function. Arrow keys move, dragging pans, Ctrl "
        "and the wheel zoom. The line below the graph says what is hidden.",
    )  # fmt: skip
    flame_graph = DockSpec(
        "flame_graph", "Flame Graph", view_factories.create_flame_graph,
        "F9",
        "Calls as bars, with callees on top of their callers; widths are proportional to costs. "
        "It shows the whole program, the callees or the callers of the active function, or both. "
        "Costs over more than one call are estimated, drawn muted and marked ≈; the line below "
        "says what is too small to draw. Double-click a "
        "bar to go to its function; + and - zoom, 0 shows everything.",
    )  # fmt: skip
    source = DockSpec(
        "source", "Source", view_factories.create_source,
        "F11",
        "The source code of the active function, with the self and inclusive cost of each line. "
        "Calls are listed below their line, arrows show jumps, and the strip beside the scroll "
        "bar shows where the costs are. Code inlined from other files is shaded below its line; "
        "the triangle there hides it. Line costs need debug information (-g) in the profiled "
        "program. The text is read from the current source file.",
    )  # fmt: skip
    assembler = DockSpec(
        "assembler", "Assembler", view_factories.create_assembler,
        "F12",
        "The machine instructions of the active function with their costs. The instructions are "
        "read from the program or library; their costs are recorded with --dump-instr=yes, and "
        "jumps with --collect-jumps=yes. Click an instruction to highlight its source line.",
    )  # fmt: skip
    explain_change = DockSpec(
        "explain_change", "Explain Change", view_factories.create_explain_change,
        "Ctrl+Alt+E",
        "Only while profiles are compared: how the change of the active function comes about, by "
        "its own change and that of each of its calls. “By calls” is the part that comes from the "
        "number of calls, “By cost” the part that comes from what a call costs. Double-"
        "click or press Return to go to a callee, and Backspace to go back. Return on Self shows "
        "how its lines changed.",
        ("call_graph", "callees"),
    )  # fmt: skip
    explain_number = DockSpec(
        "explain_number", "Explain This Number", view_factories.create_explain_number,
        "Ctrl+Alt+U",
        "What a number consists of: self cost, calls and what is left out, then the lines of the "
        "profile with their numbers in the file, and their sum. It is the inclusive cost of the "
        "active function, or the number under the cursor when Ctrl+U is pressed. Click a term to "
        "see what it consists of.",
        ("call_graph", "callees"),
    )  # fmt: skip
    history = DockSpec(
        "history", "History", view_factories.create_history,
        "Ctrl+Alt+H",
        "Only while a history is open: how costs changed over the revisions of a program. Lines "
        "are the total, the active function and pinned functions; arrows mark steps that exceed "
        "the noise. Click two revisions to compare them. The list below has the trend, the "
        "largest step and the spread of each function; Return goes to a function.",
        ("call_graph", "callees"),
    )  # fmt: skip
    control_flow = DockSpec(
        "control_flow", "Control Flow", view_factories.create_control_flow,
        "Alt+0",
        "The basic blocks of the active function, and how often each edge between them was taken."
        " Jump counts are recorded with --dump-instr=yes --collect-jumps=yes; the other counts "
        "are derived from them. Click a block to select it, double-click to fold it.",
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
