"""Write functions and cycles with their callers and callees as JSON, text, TSV or CSV.

The JSON is a contract (docs/command.md). Calls within a cycle are part of its cost and have none of
their own: text says so, tables have an empty cell, and JSON has null.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, TextIO

from qcachegrind_py.present.facts import folds_member
from qcachegrind_py.present.function_report import head
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.ids import NodeId, node_ids
from qcachegrind_py.reports.calls.columns import CostColumns, NodeColumns
from qcachegrind_py.reports.calls.rows import CallRow, CallTable
from qcachegrind_py.reports.calls.text import TextRow, called_text, count_text, write_rows
from qcachegrind_py.write.json_rows import json_chunks, write_list
from qcachegrind_py.write.separated import OutputFormat, write_separated
from qcachegrind_py.write.text import PLAIN_TEXT, TextLayout, write_facts

TreeSide = Literal["callers", "callees", "both"]
_MARKS = {"caller": "< ", "function": "* ", "callee": "> "}


def write_calls(
    selection: ReportSelection,
    nodes: Sequence[NodeId],
    form: OutputFormat,
    stream: TextIO,
    layout: TextLayout = PLAIN_TEXT,
) -> None:
    """Write an entry for each node: its callers, itself and its callees.

    The selection tells which callers, and which callees, are listed.
    """
    table = CallTable(selection, with_all_events=form == "json")
    match form:
        case "text":
            _write_entries(table, map(table.rows, nodes), stream, layout)
        case "json":
            _write_json(table, nodes, stream)
        case "tsv" | "csv":
            write_separated(_titles(table), _cells(table, nodes), form, stream)


# ---------------------------------------------------------------- text


def write_tree(
    selection: ReportSelection,
    stream: TextIO,
    side: TreeSide,
    layout: TextLayout = PLAIN_TEXT,
) -> None:
    """Write the facts of the profile, and the selected functions with all callers or callees."""
    write_facts(head(selection), stream, layout)
    stream.write("\n")
    table = CallTable(selection, with_all_calls=True)
    entries = (_tree_rows(table, node, side) for node in node_ids(selection.functions))
    _write_entries(table, entries, stream, layout)


def _tree_rows(table: CallTable, node: NodeId, side: TreeSide) -> Iterator[CallRow]:
    if side != "callees":
        yield from table.callers(node)
    yield table.itself(node)
    if side != "callers":
        yield from table.callees(node)


def _write_entries(
    table: CallTable, entries: Iterable[Iterable[CallRow]], stream: TextIO, layout: TextLayout
) -> None:
    """Write entries with callers marked `<`, the function or cycle itself `*`, and callees `>`."""
    blocks = (map(_text_row, rows) for rows in entries)
    write_rows(table, ("Incl.", "Called"), blocks, stream, layout)


def _text_row(row: CallRow) -> TextRow:
    count = called_text(row) if row.relation == "function" else count_text(row)
    is_estimated = row.relation == "function" and row.is_estimated
    return TextRow(
        row.inclusive, row.self_cost, count, _MARKS[row.relation], row.node, is_estimated
    )


# ---------------------------------------------------------------- tables and JSON


def _titles(table: CallTable) -> tuple[str, ...]:
    costs = CostColumns(table).titles("inclusive", "self")
    return "entry", "relation", *costs, "count", "active", *NodeColumns.titles


def _cells(table: CallTable, nodes: Iterable[NodeId]) -> Iterator[tuple[object, ...]]:
    """Yield the cells of each row; `entry` counts the nodes from 1, `active` is 0 or 1."""
    node_columns, costs = NodeColumns(table.selection), CostColumns(table)
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
    costs, columns = CostColumns(table), NodeColumns(table.selection)
    folds = folds_member(table.selection.queries)
    before = {"events": costs.names, "base": costs.base(), **folds}
    stream.write(f'{json.dumps(before, allow_nan=False)[:-1]}, "entries": [')
    for number, node in enumerate(nodes):
        stream.write(", " if number else "")
        _write_entry(table, node, columns, costs, stream)
    stream.write("]}\n")


def _write_entry(
    table: CallTable, node: NodeId, nodes: NodeColumns, costs: CostColumns, stream: TextIO
) -> None:
    """Write the entry of a function or cycle, some thousand callers or callees at a time."""
    itself = table.itself(node)
    before = {
        **nodes.members(node),
        "called": itself.count,
        "active": itself.is_active,
        **costs.members("self", itself.self_cost),
        **costs.members("inclusive", itself.inclusive),
        **_estimated(table, itself),
    }
    stream.write(json.dumps(before, allow_nan=False)[:-1])
    for key, rows in (("callers", table.callers(node)), ("callees", table.callees(node))):
        objects = ({**_call_object(row, nodes, costs), **_estimated(table, row)} for row in rows)
        write_list(key, json_chunks(objects), stream)
    stream.write("}")


def _estimated(table: CallTable, row: CallRow) -> dict[str, bool]:
    """Return whether numbers of the row are estimates; nothing if no function is folded."""
    return {} if table.selection.queries.folding is None else {"estimated": row.is_estimated}


def _call_object(row: CallRow, nodes: NodeColumns, costs: CostColumns) -> dict[str, Any]:
    return {
        **nodes.members(row.node),
        "count": row.count,
        "active": row.is_active,
        **costs.members("inclusive", row.inclusive),
    }
