"""The factories of the views; each imports the module of its view when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from qcachegrind_py.app.frame.docks.spec import ViewServices
from qcachegrind_py.profile.progress import Progress

if TYPE_CHECKING:
    from qcachegrind_py.views.boxes.call_map_view import CallMapView
    from qcachegrind_py.views.boxes.flame_view import FlameView
    from qcachegrind_py.views.code.assembler_view import AssemblerView
    from qcachegrind_py.views.code.source_view import SourceView
    from qcachegrind_py.views.explanation.explain_change import ExplainChange
    from qcachegrind_py.views.explanation.explain_number import ExplainNumber
    from qcachegrind_py.views.graph.call_graph_view import CallGraphView
    from qcachegrind_py.views.graph.control_flow.view import ControlFlowView
    from qcachegrind_py.views.history.history_view import HistoryView
    from qcachegrind_py.views.lists.call_lists import CallList, CallStackList, TransitiveCallList
    from qcachegrind_py.views.lists.call_tree_view import CallTreeView
    from qcachegrind_py.views.lists.event_list import EventList
    from qcachegrind_py.views.lists.function_list import FunctionList
    from qcachegrind_py.views.parts.part_list import PartList

_MODULES = (  # of the views that the default layout hides, the likeliest first
    "qcachegrind_py.views.code.source_view",
    "qcachegrind_py.views.boxes.flame_view",
    "qcachegrind_py.views.boxes.call_map_view",
    "qcachegrind_py.views.lists.call_lists",
    "qcachegrind_py.views.lists.call_tree_view",
    "qcachegrind_py.views.lists.event_list",
    "qcachegrind_py.views.parts.part_list",
    "qcachegrind_py.views.code.assembler_view",
    "qcachegrind_py.views.graph.control_flow.view",
    "qcachegrind_py.app.comparison.bar",  # it opens together with the next one
    "qcachegrind_py.views.explanation.explain_change",
)


def import_views(progress: Progress) -> None:
    """Import the views, in a job, before the user asks for them: some take 50 ms."""
    for module in _MODULES:
        progress.check(0.0)
        import_module(module)


def create_function_list(services: ViewServices) -> FunctionList:
    """The view of the dock “Functions”."""
    from qcachegrind_py.views.lists.function_list import FunctionList

    return FunctionList(services.session, services.actions["regular_expression"])


def create_callers(services: ViewServices) -> CallList:
    """The view of the dock “Callers”."""
    from qcachegrind_py.views.lists.call_lists import CallList, Direction

    return CallList(services.session, Direction.CALLERS)


def create_callees(services: ViewServices) -> CallList:
    """The view of the dock “Callees”."""
    from qcachegrind_py.views.lists.call_lists import CallList, Direction

    return CallList(services.session, Direction.CALLEES)


def create_all_callers(services: ViewServices) -> TransitiveCallList:
    """The view of the dock “All Callers”."""
    from qcachegrind_py.views.lists.call_lists import Direction, TransitiveCallList

    return TransitiveCallList(services.session, Direction.CALLERS)


def create_all_callees(services: ViewServices) -> TransitiveCallList:
    """The view of the dock “All Callees”."""
    from qcachegrind_py.views.lists.call_lists import Direction, TransitiveCallList

    return TransitiveCallList(services.session, Direction.CALLEES)


def create_call_tree(services: ViewServices) -> CallTreeView:
    """The view of the dock “Call Tree”."""
    from qcachegrind_py.views.lists.call_tree_view import CallTreeView

    return CallTreeView(services.session)


def create_call_stack(services: ViewServices) -> CallStackList:
    """The view of the dock “Call Stack”."""
    from qcachegrind_py.views.lists.call_lists import CallStackList

    return CallStackList(services.session)


def create_event_list(services: ViewServices) -> EventList:
    """The view of the dock “Event Types”."""
    from qcachegrind_py.views.lists.event_list import EventList

    return EventList(services.session)


def create_part_list(services: ViewServices) -> PartList:
    """The view of the dock “Parts”."""
    from qcachegrind_py.views.parts.part_list import PartList

    return PartList(services.session)


def create_caller_map(services: ViewServices) -> CallMapView:
    """The view of the dock “Caller Map”."""
    from qcachegrind_py.views.boxes.call_map_view import CALLERS, CallMapView

    return CallMapView(services.session, CALLERS)


def create_callee_map(services: ViewServices) -> CallMapView:
    """The view of the dock “Callee Map”."""
    from qcachegrind_py.views.boxes.call_map_view import CALLEES, CallMapView

    return CallMapView(services.session, CALLEES)


def create_call_graph(services: ViewServices) -> CallGraphView:
    """The view of the dock “Call Graph”."""
    from qcachegrind_py.views.graph.call_graph_view import CallGraphView

    return CallGraphView(services.session, services.graph_layout)


def create_flame_graph(services: ViewServices) -> FlameView:
    """The view of the dock “Flame Graph”."""
    from qcachegrind_py.views.boxes.flame_view import FlameView

    return FlameView(services.session)


def create_source(services: ViewServices) -> SourceView:
    """The view of the dock “Source”."""
    from qcachegrind_py.views.code.source_view import SourceView

    actions = services.actions
    names = "percent_of_function", "hide_inlined", "fold_source", "editor", "side_by_side"
    return SourceView(services.session, [actions[name] for name in names])


def create_assembler(services: ViewServices) -> AssemblerView:
    """The view of the dock “Assembler”."""
    from qcachegrind_py.views.code.assembler_view import AssemblerView

    actions = services.actions
    names = "percent_of_function", "source_rows", "fold_code", "side_by_side"
    return AssemblerView(services.session, [actions[name] for name in names])


def create_explain_change(services: ViewServices) -> ExplainChange:
    """The view of the dock “Explain Change”."""
    from qcachegrind_py.views.explanation.explain_change import ExplainChange

    return ExplainChange(services.session, services.actions["compare"])


def create_explain_number(services: ViewServices) -> ExplainNumber:
    """The view of the dock “Explain This Number”."""
    from qcachegrind_py.views.explanation.explain_number import ExplainNumber

    return ExplainNumber(services.session)


def create_history(services: ViewServices) -> HistoryView:
    """The view of the dock “History”."""
    from qcachegrind_py.views.history.history_view import HistoryView

    return HistoryView(services.session, services.actions["open_history"])


def create_control_flow(services: ViewServices) -> ControlFlowView:
    """The view of the dock “Control Flow”."""
    from qcachegrind_py.views.graph.control_flow.view import ControlFlowView

    return ControlFlowView(services.session, services.graph_layout)
