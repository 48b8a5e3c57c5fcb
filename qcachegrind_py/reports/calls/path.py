"""Write the costliest paths of calls to functions as JSON, text, TSV or CSV.

Each step of a path is a function or cycle with the calls from the step above. The first step has
none, and a member below its cycle is not called by it. The JSON is a contract (docs/command.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TextIO

from qcachegrind_py.analysis.calls.call_graph import costliest_path
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.reports.calls.columns import CostColumns, NodeColumns
from qcachegrind_py.reports.calls.rows import CallRow, CallTable
from qcachegrind_py.reports.calls.text import TextRow, count_text, write_rows
from qcachegrind_py.reports.selection import ReportSelection
from qcachegrind_py.reports.table_export import OutputFormat, write_separated
from qcachegrind_py.reports.text_layout import PLAIN_TEXT, TextLayout


@dataclass(frozen=True, slots=True)
class PathStep:
    """A function or cycle on a path, and the calls to it from the step above."""

    itself: CallRow
    call: CallRow | None  # None: the first step


def path_to(table: CallTable, node: NodeId) -> list[PathStep]:
    """Return the costliest path from a root to a node, which is the last step.

    It leads through callers that pass the filter, and has as many steps as the limit allows, of
    those next to the node. By a ratio, it is that of the first measured event.
    """
    queries, scope = table.selection.queries, table.selection.scope
    event, limit = table.selection.sort_event, table.selection.limit
    if event is None:
        return [PathStep(table.itself(node), None)]
    graph = queries.call_graph(queries.measured_event(event), scope)
    path = costliest_path(node, graph, table.visible)
    steps = [PathStep(table.itself(path[0]), None)]
    for caller, callee in pairwise(path):
        steps.append(PathStep(table.itself(callee), table.call(caller, callee)))
    return steps if limit is None else steps[max(0, len(steps) - limit) :]


def write_paths(
    selection: ReportSelection,
    nodes: Sequence[NodeId],
    form: OutputFormat,
    stream: TextIO,
    layout: TextLayout = PLAIN_TEXT,
) -> None:
    """Write the costliest path to each node, from the root down."""
    table = CallTable(selection, with_all_events=form == "json")
    paths = [path_to(table, node) for node in nodes]
    match form:
        case "text":
            blocks = (map(_text_row, steps) for steps in paths)
            write_rows(table, ("Cost", "Calls"), blocks, stream, layout)
        case "json":
            _write_json(table, paths, stream)
        case "tsv" | "csv":
            write_separated(_titles(table), _cells(table, paths), form, stream)


def _text_row(step: PathStep) -> TextRow:
    """Return the line of a step: it has the cost of the calls, the first one inclusive cost."""
    itself, cost = step.itself, (step.call or step.itself).inclusive
    return TextRow(cost, itself.self_cost, count_text(step.call), "", itself.node)


def _titles(table: CallTable) -> tuple[str, ...]:
    costs = CostColumns(table).titles("cost", "inclusive", "self")
    return "path", "step", *costs, "count", "active", *NodeColumns.titles


def _cells(table: CallTable, paths: Iterable[list[PathStep]]) -> Iterator[tuple[object, ...]]:
    """Yield the cells of each step; paths and steps count from 1, `cost` is that of the calls."""
    nodes, costs = NodeColumns(table.selection), CostColumns(table)
    for path, steps in enumerate(paths, start=1):
        for number, step in enumerate(steps, start=1):
            itself, call = step.itself, step.call
            cost, count = (None, None) if call is None else (call.inclusive, call.count)
            yield (
                path,
                number,
                *costs.cells(cost, itself.inclusive, itself.self_cost),
                "" if count is None else count,
                int(call is not None and call.is_active),
                *nodes.cells(itself.node),
            )


def _write_json(table: CallTable, paths: Iterable[list[PathStep]], stream: TextIO) -> None:
    nodes, costs = NodeColumns(table.selection), CostColumns(table)
    report = {
        "events": costs.names,
        "base": costs.base(),
        "paths": [[_step_object(step, nodes, costs) for step in steps] for steps in paths],
    }
    json.dump(report, stream, allow_nan=False)
    stream.write("\n")


def _step_object(step: PathStep, nodes: NodeColumns, costs: CostColumns) -> dict[str, Any]:
    itself, call = step.itself, step.call
    return {
        **nodes.members(itself.node),
        **costs.members("self", itself.self_cost),
        **costs.members("inclusive", itself.inclusive),
        "call": None if call is None else _call_object(call, costs),
    }


def _call_object(call: CallRow, costs: CostColumns) -> dict[str, Any]:
    return {
        "count": call.count,
        "active": call.is_active,
        **costs.members("inclusive", call.inclusive),
    }
