"""Write the functions of a report with their callers and callees beside each, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TextIO

from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.reports.call_rows import CallRow, CallTable
from qcachegrind_py.reports.call_tables import write_entries
from qcachegrind_py.reports.text_layout import TextLayout

TreeSide = Literal["callers", "callees", "both"]


def write_tree(
    table: CallTable, nodes: Iterable[NodeId], side: TreeSide, stream: TextIO, layout: TextLayout
) -> None:
    """Write an entry for each node: its callers, itself and its callees, or one side of it."""
    write_entries(table, (_rows(table, node, side) for node in nodes), stream, layout)


def _rows(table: CallTable, node: NodeId, side: TreeSide) -> Iterator[CallRow]:
    if side != "callees":
        yield from table.callers(node)
    yield table.itself(node)
    if side != "callers":
        yield from table.callees(node)
