"""The names of docks in layouts and settings saved before docks had ids.

They were the titles at that time. The table is fixed: new or renamed docks do not change it.
"""

from __future__ import annotations

from collections.abc import Mapping

FORMER_DOCK_NAMES: Mapping[str, str] = {
    "function_list": "Functions",
    "callers": "Callers",
    "callees": "Callees",
    "all_callers": "All Callers",
    "all_callees": "All Callees",
    "call_tree": "Call Tree",
    "call_stack": "Call Stack",
    "event_list": "Event Types",
    "part_list": "Parts",
    "caller_map": "Caller Map",
    "callee_map": "Callee Map",
    "call_graph": "Call Graph",
    "flame_graph": "Flame Graph",
    "source": "Source",
    "assembler": "Assembler",
    "control_flow": "Control Flow",
}
