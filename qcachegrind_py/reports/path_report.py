"""Write the costliest paths of calls to functions as JSON, text, TSV or CSV.

Each step of a path is a function or cycle with the calls from the step above. The first step has
none, nor has a member below its cycle. The JSON is a contract (docs/command.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TextIO

from qcachegrind_py.analysis.calls.call_stack import costliest_path
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.reports.call_columns import CostColumns, NodeColumns, count_text
from qcachegrind_py.reports.call_rows import CallRow, CallTable
from qcachegrind_py.reports.table_export import OutputFormat, write_separated
from qcachegrind_py.reports.text_layout import PLAIN_TEXT, TextLayout, columns_of

_COUNT_WIDTH = 12


@dataclass(frozen=True, slots=True)
class PathStep:
    """A function or cycle on a path, and the calls to it from the step above."""

    itself: CallRow
    call: CallRow | None  # None: the first step


def path_to(table: CallTable, node: NodeId) -> list[PathStep]:
    """Return the costliest path to a node, which is the last step, from a root.

    It leads through callers that pass the filter of the table's choice, and has as many steps as
    the limit allows, of those next to the node. In a ratio, it is that of the first measured event.
    """
    queries, choice = table.queries, table.choice
    if table.order is None:
        return [PathStep(table.itself(node), None)]
    graph = queries.call_graph(queries.measured_event(table.order), table.scope)
    path = costliest_path(node, graph, choice.visible)
    steps = [PathStep(table.itself(path[0]), None)]
    for caller, callee in pairwise(path):
        steps.append(PathStep(table.itself(callee), table.call(caller, callee)))
    return steps if choice.limit is None else steps[max(0, len(steps) - choice.limit) :]


def write_paths(
    table: CallTable,
    nodes: Sequence[NodeId],
    form: OutputFormat,
    stream: TextIO,
    layout: TextLayout = PLAIN_TEXT,
) -> None:
    """Write the costliest path to each node, from the root down."""
    paths = [path_to(table, node) for node in nodes]
    match form:
        case "text":
            _write_text(table, paths, stream, layout)
        case "json":
            _write_json(table, paths, stream)
        case "tsv" | "csv":
            write_separated(_titles(table), _cells(table, paths), form, stream)


def _write_text(
    table: CallTable, paths: Iterable[list[PathStep]], stream: TextIO, layout: TextLayout
) -> None:
    """Write a line per step with the cost of the calls to it, or inclusive cost at the top."""
    nodes, costs = NodeColumns(table), CostColumns(table)
    stream.write(
        f"{costs.total_lines()}\n{costs.text_titles('Cost')}{'Calls':>{_COUNT_WIDTH}}  Function\n"
    )
    for steps in paths:
        stream.write("\n")
        for step in steps:
            cost = (step.call or step.itself).inclusive
            behind = f"{count_text(step.call):>{_COUNT_WIDTH}}  "
            used = costs.text_width + columns_of(behind)
            end = nodes.line_end(step.itself.node, layout, used)
            stream.write(f"{costs.text(cost, step.itself.self_cost, layout)}{behind}{end}\n")


def _titles(table: CallTable) -> tuple[str, ...]:
    costs = CostColumns(table).titles("cost", "inclusive", "self")
    return "path", "step", *costs, "count", "active", *NodeColumns.titles


def _cells(table: CallTable, paths: Iterable[list[PathStep]]) -> Iterator[tuple[object, ...]]:
    """Yield the cells of each step; paths and steps count from 1, `cost` is that of the calls."""
    nodes, costs = NodeColumns(table), CostColumns(table)
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
    nodes, costs = NodeColumns(table), CostColumns(table)
    report = {
        "events": costs.names,
        "totals": costs.totals_object(),
        "paths": [[_step_object(step, nodes, costs) for step in steps] for steps in paths],
    }
    json.dump(report, stream, allow_nan=False)
    stream.write("\n")


def _step_object(step: PathStep, nodes: NodeColumns, costs: CostColumns) -> dict[str, Any]:
    itself, call = step.itself, step.call
    return {
        **nodes.object(itself.node),
        "self": costs.object(itself.self_cost),
        "inclusive": costs.object(itself.inclusive),
        "call": call
        and {
            "count": call.count,
            "active": call.is_active,
            "inclusive": costs.object(call.inclusive),
        },
    }
