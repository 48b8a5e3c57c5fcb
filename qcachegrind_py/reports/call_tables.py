"""Write functions and cycles with their callers and callees as JSON, text, TSV or CSV.

The JSON is a contract (docs/command.md). Calls within a cycle are part of its cost and have none of
their own: text says so, tables have an empty cell, and JSON has null.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO

from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.reports.call_columns import CostColumns, NodeColumns, called_text, count_text
from qcachegrind_py.reports.call_rows import CallRow, CallTable
from qcachegrind_py.reports.table_export import OutputFormat, write_separated
from qcachegrind_py.reports.text_layout import PLAIN_TEXT, TextLayout, columns_of

_MARKS = {"caller": "<", "function": "*", "callee": ">"}
_COUNT_WIDTH = 12


def write_calls(
    table: CallTable,
    nodes: Sequence[NodeId],
    form: OutputFormat,
    stream: TextIO,
    layout: TextLayout = PLAIN_TEXT,
) -> None:
    """Write an entry for each node: its callers, itself and its callees."""
    match form:
        case "text":
            stream.write(f"{CostColumns(table).total_lines()}\n")
            write_entries(table, map(table.rows, nodes), stream, layout)
        case "json":
            _write_json(table, nodes, stream)
        case "tsv" | "csv":
            write_separated(_titles(table), _cells(table, nodes), form, stream)


# ---------------------------------------------------------------- text


def write_entries(
    table: CallTable, entries: Iterable[Iterable[CallRow]], stream: TextIO, layout: TextLayout
) -> None:
    """Write a title line, and below an empty line each the rows of the entries.

    Callers are marked `<`, the function or cycle itself `*`, and callees `>`.
    """
    nodes, costs = NodeColumns(table), CostColumns(table)
    stream.write(f"{costs.text_titles('Incl.')}{'Called':>{_COUNT_WIDTH}}    Function\n")
    for rows in entries:
        stream.write("\n")
        for row in rows:
            stream.write(_text_line(row, nodes, costs, layout))


def _text_line(row: CallRow, nodes: NodeColumns, costs: CostColumns, layout: TextLayout) -> str:
    is_node = row.relation == "function"
    count = called_text(row) if is_node else count_text(row)
    behind = f"{count:>{_COUNT_WIDTH}}  {_MARKS[row.relation]} "
    used = costs.text_width + columns_of(behind)
    return (
        costs.text(row.inclusive, row.self_cost, layout)
        + behind
        + nodes.line_end(row.node, layout, used)
        + "\n"
    )


# ---------------------------------------------------------------- tables and JSON


def _titles(table: CallTable) -> tuple[str, ...]:
    costs = CostColumns(table).titles("inclusive", "self")
    return "entry", "relation", *costs, "count", "active", *NodeColumns.titles


def _cells(table: CallTable, nodes: Iterable[NodeId]) -> Iterator[tuple[object, ...]]:
    """Yield the cells of each row; `entry` counts the nodes from 1, `active` is 0 or 1."""
    node_columns, costs = NodeColumns(table), CostColumns(table)
    for entry, node in enumerate(nodes, start=1):
        for row in table.rows(node):
            yield (
                entry,
                row.relation,
                *costs.cells(row.inclusive, row.self_cost),
                "" if row.count is None else row.count,
                int(row.is_active),
                *node_columns.cells(row.node),
            )


def _write_json(table: CallTable, nodes: Iterable[NodeId], stream: TextIO) -> None:
    report = {
        "events": CostColumns(table).names,
        "totals": CostColumns(table).totals_object(),
        "entries": [_entry_object(table, node) for node in nodes],
    }
    json.dump(report, stream, allow_nan=False)
    stream.write("\n")


def _entry_object(table: CallTable, node: NodeId) -> dict[str, Any]:
    nodes, costs, itself = NodeColumns(table), CostColumns(table), table.itself(node)
    return {
        **nodes.object(node),
        "called": itself.count,
        "active": itself.is_active,
        "self": costs.object(itself.self_cost),
        "inclusive": costs.object(itself.inclusive),
        "callers": [_call_object(row, nodes, costs) for row in table.callers(node)],
        "callees": [_call_object(row, nodes, costs) for row in table.callees(node)],
    }


def _call_object(row: CallRow, nodes: NodeColumns, costs: CostColumns) -> dict[str, Any]:
    return {
        **nodes.object(row.node),
        "count": row.count,
        "active": row.is_active,
        "inclusive": costs.object(row.inclusive),
    }
