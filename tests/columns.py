"""The positions of the columns of tables, by their keys: `FUNCTIONS.SELF`."""

from __future__ import annotations

from qcachegrind_py.present.call_graph import NO_GRAPH_CALLS, NO_GRAPH_NODES
from qcachegrind_py.present.call_tree import NO_CALL_TREE
from qcachegrind_py.present.calls import CALLEE, NO_CALLEES, NO_STACK, NO_TRANSITIVE
from qcachegrind_py.present.code_instructions import NO_INSTRUCTIONS
from qcachegrind_py.present.code_lines import NO_LINES
from qcachegrind_py.present.contributions import NO_CONTRIBUTION_TABLE, NO_LINE_TABLE
from qcachegrind_py.present.control_flow import NO_BLOCKS, NO_EDGES
from qcachegrind_py.present.events import no_events
from qcachegrind_py.present.frames import NO_BOXES
from qcachegrind_py.present.functions import NO_FUNCTIONS, NO_GROUPS
from qcachegrind_py.present.history import NO_TREND_TABLE
from qcachegrind_py.present.parts import NO_PARTS
from qcachegrind_py.present.table import Table


class Places:
    """The positions of the columns of a table, as attributes with their keys in capitals."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __getattr__(self, name: str) -> int:
        return self._table.place(name.lower())


FUNCTIONS, GROUPS = Places(NO_FUNCTIONS), Places(NO_GROUPS)
CODE_LINES, INSTRUCTIONS = Places(NO_LINES.table), Places(NO_INSTRUCTIONS.table)
EVENTS = Places(no_events())
CALLS, STACK, TRANSITIVE = Places(NO_CALLEES), Places(NO_STACK), Places(NO_TRANSITIVE[CALLEE])
CALL_TREE = Places(NO_CALL_TREE)
PARTS = Places(NO_PARTS)
CONTRIBUTIONS, LINES = Places(NO_CONTRIBUTION_TABLE), Places(NO_LINE_TABLE)
HISTORY = Places(NO_TREND_TABLE)
BOXES = Places(NO_BOXES)
FLOW_BLOCKS, FLOW_EDGES = Places(NO_BLOCKS), Places(NO_EDGES)
GRAPH_NODES, GRAPH_CALLS = Places(NO_GRAPH_NODES), Places(NO_GRAPH_CALLS)
