"""The docks of the window: each is one declaration, with the function that creates its view."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.session import Session

if TYPE_CHECKING:
    from types import FunctionType

    from qcachegrind_py.tools.layout.graphviz_engine import GraphvizLayout
    from qcachegrind_py.views.benchmarks import BenchmarkView
    from qcachegrind_py.views.code.code_views import AssemblerView, SourceView
    from qcachegrind_py.views.explain_change import ExplainChange
    from qcachegrind_py.views.explain_number import ExplainNumber
    from qcachegrind_py.views.history.history_view import HistoryView
    from qcachegrind_py.views.lists.call_lists import CallList, CallStackList, TransitiveCallList
    from qcachegrind_py.views.lists.call_tree import CallTreeView
    from qcachegrind_py.views.lists.event_list import EventList
    from qcachegrind_py.views.lists.function_list import FunctionList
    from qcachegrind_py.views.parts.part_list import PartList
    from qcachegrind_py.views.pictures.call_graph_view import CallGraphView
    from qcachegrind_py.views.pictures.call_map_view import CallMapView
    from qcachegrind_py.views.pictures.control_flow_view import ControlFlowView
    from qcachegrind_py.views.pictures.flame_view import FlameView
    from qcachegrind_py.views.profile_view import ProfileView


PICTURE = "picture"  # the id of the dock that several views share
ViewT = TypeVar("ViewT", bound="ProfileView")


@frozen(eq=True, slots=False)
class DockSpec(Generic[ViewT]):
    """All properties of one view and of its dock.

    It is a descriptor: the attribute of the class is the dock itself, the attribute of an instance
    is its view.
    """

    id: str  # names the view in code, saved layouts and settings; never changes
    title: str  # shown to the user
    create_view: Callable[[Any], ViewT]
    shortcut: str  # key that goes to the view
    help: str  # text for What's This
    # the docks that it joins as a tab, in built-in layouts that have it closed: the first that is
    # there, by default the first dock of the layout
    joins: tuple[str, ...] = ()
    picture_icon: str = ""  # of its button, if it is one of the views in the dock of pictures

    @property
    def dock(self) -> str:
        """The id of the dock that has the view: the same, unless several views share it."""
        return PICTURE if self.picture_icon else self.id

    @property
    def modules(self) -> list[str]:
        """The modules that the function imports that creates the view."""
        names = cast("FunctionType", self.create_view).__code__.co_names
        return [name for name in names if name.startswith("qcachegrind_py.")]

    @overload
    def __get__(self, docks: None, owner: type[DockRegistry]) -> DockSpec[ViewT]: ...

    @overload
    def __get__(self, docks: DockRegistry, owner: type[DockRegistry]) -> ViewT: ...

    def __get__(
        self, docks: DockRegistry | None, owner: type[DockRegistry]
    ) -> DockSpec[ViewT] | ViewT:
        return self if docks is None else docks.view(self)


def dock(
    title: str, shortcut: str, text: str, *, joins: tuple[str, ...] = (), picture_icon: str = ""
) -> Callable[[Callable[[Any], ViewT]], DockSpec[ViewT]]:
    """Declare a view by the function that creates it, whose name is its id."""

    def declare(create_view: Callable[[Any], ViewT]) -> DockSpec[ViewT]:
        return DockSpec(
            create_view.__name__, title, create_view, shortcut, text, joins, picture_icon
        )

    return declare


def import_views(progress: Progress) -> None:
    """Import the views, in a job, before the user asks for them: some take 50 ms."""
    for spec in DockRegistry.specs():
        for module in spec.modules:
            progress.check(0.0)
            import_module(module)
    import_module("qcachegrind_py.app.comparison.bar")  # it opens together with *Explain Change*


class DockRegistry:
    """The docks in the order of the menu; attributes of an instance are their views.

    The functions that create views import them when they are called, so that the window starts
    without those that it does not show.
    """

    @dock(
        "Functions",
        "Alt+1",
        "All functions of the profile. “Incl.” is the cost of a function and everything it "
        "called, “Self” is its own cost, and “Called” is the number of calls; all three are "
        "recorded, not estimated. Click a column title to sort, type to search, and click a row "
        "to make its function the active one, which all other views describe.",
    )
    def function_list(self) -> FunctionList:
        from qcachegrind_py.views.lists.function_list import FunctionList

        return FunctionList(self.session, self.actions["regular_expression"])

    @dock(
        "Callers",
        "Alt+2",
        "The direct callers of the active function, with the total cost of their calls, the "
        "average cost of one call and the number of calls. All numbers are recorded, not "
        "estimated. Double-click or press Return to go to a caller; a single click highlights it "
        "in all lists.",
    )
    def callers(self) -> CallList:
        from qcachegrind_py.views.lists.call_lists import CallList, Direction

        return CallList(self.session, Direction.CALLERS)

    @dock(
        "Callees",
        "Alt+3",
        "The direct callees of the active function, with the total cost of the calls, the average"
        " cost of one call and the number of calls. All numbers are recorded, not estimated. "
        "Double-click or press Return to go to a callee; a single click highlights it in all "
        "lists.",
    )
    def callees(self) -> CallList:
        from qcachegrind_py.views.lists.call_lists import CallList, Direction

        return CallList(self.session, Direction.CALLEES)

    @dock(
        "All Callers",
        "Alt+4",
        "All functions that called the active function, directly or through other functions, and "
        "how many calls away they are. Profiles record only direct calls, so costs over several "
        "calls are estimated in proportion and marked ≈. Percentages are relative to the active "
        "function.",
    )
    def all_callers(self) -> TransitiveCallList:
        from qcachegrind_py.views.lists.call_lists import Direction, TransitiveCallList

        return TransitiveCallList(self.session, Direction.CALLERS)

    @dock(
        "All Callees",
        "Alt+5",
        "All functions that the active function called, directly or through other functions, and "
        "how many calls away they are. Profiles record only direct calls, so costs over several "
        "calls are estimated in proportion and marked ≈. Percentages are relative to the active "
        "function.",
    )
    def all_callees(self) -> TransitiveCallList:
        from qcachegrind_py.views.lists.call_lists import Direction, TransitiveCallList

        return TransitiveCallList(self.session, Direction.CALLEES)

    @dock(
        "Call Tree",
        "Alt+6",
        "The callees or the callers of the active function as a tree, or the whole program, also "
        "inverted: functions by self cost, below each its callers. The first level is recorded; "
        "deeper levels are exact where whole stacks were recorded, else estimated in proportion "
        "and marked ≈. Double-click or press Return "
        "to go to a function. In the search, Return goes to the costliest place of a function, "
        "then to the next.",
    )
    def call_tree(self) -> CallTreeView:
        from qcachegrind_py.views.lists.call_tree import CallTreeView

        return CallTreeView(self.session)

    @dock(
        "Call Stack",
        "Alt+7",
        "The costliest call path through the active function: from the start of the program down "
        "to it, and on to its costliest callees. Click a function to go to it. Costs are those of"
        " the recorded direct calls.",
    )
    def call_stack(self) -> CallStackList:
        from qcachegrind_py.views.lists.call_lists import CallStackList

        return CallStackList(self.session)

    @dock(
        "Event Types",
        "Alt+8",
        "What was counted, such as instructions or cache misses, with the costs of the active "
        "function in each event. Derived events are computed by a formula from other events, and "
        "you can add your own. Click an event to show its costs in all views; double-click to "
        "show it as second event.",
    )
    def event_list(self) -> EventList:
        from qcachegrind_py.views.lists.event_list import EventList

        return EventList(self.session)

    @dock(
        "Parts",
        "Alt+9",
        "The dumps and threads of the profile, as a table and as a timeline, with the costs of "
        "the active function in each. Click or drag to select parts; all views then count only "
        "these. Without a selection, all parts are counted.",
    )
    def part_list(self) -> PartList:
        from qcachegrind_py.views.parts.part_list import PartList

        return PartList(self.session)

    @dock(
        "Call Graph",
        "F8",
        "The callers and callees of the active function as boxes and arrows, with costs and "
        "counts. Recorded calls have solid arrows; estimates are dashed and marked ≈. Click a box"
        " to select it, double-click to go to its function. Arrow keys move, dragging pans, Ctrl "
        "and the wheel zoom. The line below the graph says what is hidden.",
        picture_icon="call-graph",
    )
    def call_graph(self) -> CallGraphView:
        from qcachegrind_py.views.pictures.call_graph_view import CallGraphView

        return CallGraphView(self.session, self.graph_layout)

    @dock(
        "Flame Graph",
        "F9",
        "Calls as bars, with callees on top of their callers; widths are proportional to costs. "
        "It shows the whole program, also inverted from self costs to callers, or the callees and "
        "callers of the active function. Costs over more than one call are estimated, drawn "
        "pale and marked ≈. Click a bar to zoom in, Escape returns, 0 shows everything. "
        "Double-click a bar to go to its function.",
        picture_icon="flame-graph",
    )
    def flame_graph(self) -> FlameView:
        from qcachegrind_py.views.pictures.flame_view import FlameView

        return FlameView(self.session)

    @dock(
        "Caller Map",
        "F6",
        "The active function as a box that contains its callers, which contain their callers, and"
        " so on; areas are proportional to costs. Costs over more than one call are estimated, "
        "drawn pale and marked ≈. Click a box to zoom in, Escape returns; double-click a box to "
        "go to its function.",
        picture_icon="caller-map",
    )
    def caller_map(self) -> CallMapView:
        from qcachegrind_py.views.pictures.call_map_view import CALLERS, CallMapView

        return CallMapView(self.session, CALLERS)

    @dock(
        "Callee Map",
        "F7",
        "The active function as a box that contains its callees, which contain their callees, and"
        " so on; areas are proportional to costs. Costs over more than one call are estimated, "
        "drawn pale and marked ≈. Click a box to zoom in, Escape returns; double-click a box to "
        "go to its function.",
        picture_icon="callee-map",
    )
    def callee_map(self) -> CallMapView:
        from qcachegrind_py.views.pictures.call_map_view import CALLEES, CallMapView

        return CallMapView(self.session, CALLEES)

    @dock(
        "Source",
        "F11",
        "The source code of the active function, with the self and inclusive cost of each line. "
        "Calls are listed below their line, arrows show jumps, and the strip beside the scroll "
        "bar shows where the costs are. Code inlined from other files is summed on its line; the "
        "triangle there shows it. Line costs need debug information (-g) in the profiled "
        "program. The text is read from the current source file.",
    )
    def source(self) -> SourceView:
        from qcachegrind_py.views.code.code_views import SourceView

        actions = self.actions
        names = "percent_of_function", "hide_inlined", "fold_source", "editor", "side_by_side"
        return SourceView(self.session, [actions[name] for name in names])

    @dock(
        "Assembler",
        "F12",
        "The machine instructions of the active function with their costs. The instructions are "
        "read from the program or library; their costs are recorded with --dump-instr=yes, and "
        "jumps with --collect-jumps=yes. Click an instruction to highlight its source line.",
    )
    def assembler(self) -> AssemblerView:
        from qcachegrind_py.views.code.code_views import AssemblerView

        actions = self.actions
        names = "percent_of_function", "source_rows", "fold_code", "side_by_side"
        return AssemblerView(self.session, [actions[name] for name in names])

    @dock(
        "Explain Change",
        "Ctrl+Alt+E",
        "Only while profiles are compared: how the change of the active function comes about, by "
        "its own change and that of each of its calls. “By calls” is the part that comes from the "
        "number of calls, “By cost” the part that comes from what a call costs. Double-"
        "click or press Return to go to a callee, and Backspace to go back. Return on Self shows "
        "how its lines changed.",
        joins=(PICTURE, "callees"),
    )
    def explain_change(self) -> ExplainChange:
        from qcachegrind_py.views.explain_change import ExplainChange

        return ExplainChange(self.session, self.actions["compare"])

    @dock(
        "Explanation",
        "Ctrl+Alt+U",
        "What a number consists of: self cost, calls and what is left out, then the lines of the "
        "profile with their numbers in the file, and their sum. It is the inclusive cost of the "
        "active function, or the number under the cursor when Ctrl+U is pressed. Click a term to "
        "see what it consists of.",
        joins=(PICTURE, "callees"),
    )
    def explain_number(self) -> ExplainNumber:
        from qcachegrind_py.views.explain_number import ExplainNumber

        return ExplainNumber(self.session)

    @dock(
        "History",
        "Ctrl+Alt+H",
        "Only while a history is open: how costs changed over the revisions of a program. Lines "
        "are the total, the active function and pinned functions; arrows mark steps that exceed "
        "the noise. Click two revisions to compare them. The list below has the trend, the "
        "largest step and the spread of each function; Return goes to a function.",
        joins=(PICTURE, "callees"),
    )
    def history(self) -> HistoryView:
        from qcachegrind_py.views.history.history_view import HistoryView

        return HistoryView(self.session, self.actions["open_history"])

    @dock(
        "Benchmarks",
        "Ctrl+Alt+B",
        "Only while two folders of benchmarks are compared: the functions that changed in most of "
        "them, and what changed in each. Return or a double click opens the comparison of a "
        "benchmark in this window, and the list stays. New and gone benchmarks, and those that "
        "could not be compared, have a word in place of a number.",
        joins=(PICTURE, "callees"),
    )
    def benchmarks(self) -> BenchmarkView:
        from qcachegrind_py.views.benchmarks import BenchmarkView

        return BenchmarkView(self.session, self.actions["compare_folders"])

    @dock(
        "Control Flow",
        "Alt+0",
        "The basic blocks of the active function, and how often each edge between them was taken."
        " Jump counts are recorded with --dump-instr=yes --collect-jumps=yes; the other counts "
        "are derived from them. Click a block to select it, double-click to fold it.",
    )
    def control_flow(self) -> ControlFlowView:
        from qcachegrind_py.views.pictures.control_flow_view import ControlFlowView

        return ControlFlowView(self.session, self.graph_layout)

    def __init__(self, session: Session, actions: Actions) -> None:
        self.session = session
        self.actions = actions
        self.created: dict[str, ProfileView] = {}  # the views that exist, by the id of their dock
        self._awaiting: defaultdict[str, list[Callable[[Any], object]]] = defaultdict(list)

    @classmethod
    def specs(cls) -> tuple[DockSpec[Any], ...]:
        return tuple(row for row in vars(cls).values() if isinstance(row, DockSpec))

    def view(self, dock: DockSpec[ViewT]) -> ViewT:
        if dock.id not in self.created:
            view = self.created[dock.id] = dock.create_view(self)
            for use in self._awaiting.pop(dock.id, ()):
                use(view)
        return cast("ViewT", self.created[dock.id])  # created by the factory of this row

    def when_created(self, dock: DockSpec[ViewT], use: Callable[[ViewT], object]) -> None:
        """Call `use` with the view of a dock, as soon as there is one."""
        if dock.id in self.created:
            use(self.view(dock))
        else:
            self._awaiting[dock.id].append(use)

    @cached_property
    def graph_layout(self) -> GraphvizLayout:
        """The layout engine, shared by the graphs; its process starts with the first layout."""
        from qcachegrind_py.tools.command_line import program_path
        from qcachegrind_py.tools.layout.graphviz_engine import GraphvizLayout

        return GraphvizLayout(dot=program_path("dot"))

    def close(self) -> None:
        """Stop the process that lays out graphs, if there is one."""
        if "graph_layout" in vars(self):
            self.graph_layout.close()
