"""All views of the window by the title of their docks, and what they ask the window for."""

from __future__ import annotations

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphvizLayout
from qcachegrind_py.views.boxes.call_map_view import CALLEES as CALLEE_MAP
from qcachegrind_py.views.boxes.call_map_view import CALLERS as CALLER_MAP
from qcachegrind_py.views.boxes.call_map_view import CallMapView
from qcachegrind_py.views.boxes.flame_view import FlameView
from qcachegrind_py.views.code.assembler_view import AssemblerView
from qcachegrind_py.views.code.source_view import SourceView
from qcachegrind_py.views.common.profile_view import ProfileView
from qcachegrind_py.views.graph.call_graph_view import CallGraphView
from qcachegrind_py.views.graph.control_flow.view import ControlFlowView
from qcachegrind_py.views.lists.call_list import CallList, Direction
from qcachegrind_py.views.lists.call_stack_list import CallStackList
from qcachegrind_py.views.lists.call_tree_view import CallTreeView
from qcachegrind_py.views.lists.event_list import EventList
from qcachegrind_py.views.lists.function_list import FunctionList
from qcachegrind_py.views.lists.part_list import PartList
from qcachegrind_py.views.lists.transitive_call_list import CALLEES, CALLERS, TransitiveCallList


class DockRegistry:
    """Made once, with the window."""

    def __init__(self, session: Session, actions: Actions) -> None:
        self.functions = FunctionList(session, actions["regular_expression"])
        self.callers = CallList(session, Direction.CALLERS)
        self.all_callers = TransitiveCallList(session, CALLERS)
        self.call_stack = CallStackList(session)
        self.events = EventList(session)
        self.parts = PartList(session)
        self.callees = CallList(session, Direction.CALLEES)
        self.all_callees = TransitiveCallList(session, CALLEES)
        self.call_tree = CallTreeView(session)
        self._layout = GraphvizLayout()
        self.caller_map = CallMapView(session, CALLER_MAP)
        self.callee_map = CallMapView(session, CALLEE_MAP)
        self.call_graph = CallGraphView(session, self._layout)
        self.flame_graph = FlameView(session)
        beside = actions["side_by_side"]
        of_source = actions["fold_source"], actions["editor"], beside
        self.source = SourceView(session, of_source)
        self.assembler = AssemblerView(session, (actions["fold_code"], beside))
        self.control_flow = ControlFlowView(session, self._layout)

    def close(self) -> None:
        """End what runs outside of the program."""
        self._layout.close()

    def by_title(self) -> dict[str, ProfileView]:
        """In the order of the menu."""
        return {
            "Functions": self.functions,
            "Callers": self.callers,
            "Callees": self.callees,
            "All Callers": self.all_callers,
            "All Callees": self.all_callees,
            "Call Tree": self.call_tree,
            "Call Stack": self.call_stack,
            "Event Types": self.events,
            "Parts": self.parts,
            "Caller Map": self.caller_map,
            "Callee Map": self.callee_map,
            "Call Graph": self.call_graph,
            "Flame Graph": self.flame_graph,
            "Source": self.source,
            "Assembler": self.assembler,
            "Control Flow": self.control_flow,
        }
