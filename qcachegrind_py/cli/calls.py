"""`calls`: functions with their callers and callees, or the paths to them."""

from __future__ import annotations

from itertools import chain
from typing import TextIO

from qcachegrind_py.cli.functions import find_nodes
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import (
    CommandError,
    print_output,
    report_error,
    text_layout,
)
from qcachegrind_py.cli.selection import fold_notes, load_profile, report_selection
from qcachegrind_py.present.call_report import (
    calls_page,
    calls_records,
    calls_table,
    paths_page,
    paths_records,
    paths_table,
    tree_page,
)
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.write.json_rows import write_records
from qcachegrind_py.write.separated import write_table
from qcachegrind_py.write.text import write_page


def run(options: Options) -> int:
    """Print the calls of the functions that are named; return the exit code."""
    try:
        profile = load_profile(options.files)
        selection = report_selection(profile, options)
        found = (find_nodes(selection, name, options.within) for name in options.words)
        nodes = list(chain.from_iterable(found))
    except CommandError as error:
        return report_error(error)
    if options.tree:
        tree = tree_page(selection, options.tree)
        return print_output(
            options, profile, lambda out: write_page(tree, out, text_layout(options, out))
        )
    page, table, records = calls_page, calls_table, calls_records
    if options.path:
        page, table, records = paths_page, paths_table, paths_records
    nodes = list(dict.fromkeys(nodes)) if options.path else _with_cycles(selection, nodes)

    def write(stream: TextIO) -> None:
        match options.format:
            case "text":
                write_page(page(selection, nodes), stream, text_layout(options, stream))
            case "json":
                write_records(records(selection, nodes), stream)
            case "tsv" | "csv" as form:
                write_table(table(selection, nodes), form, stream)

    return print_output(options, profile, write, *fold_notes(selection))


def _with_cycles(selection: ReportSelection, nodes: list[NodeId]) -> list[NodeId]:
    """Return the nodes, and behind them the cycles of which they are members, each once."""
    cycles = (selection.queries.cycle_of(node, selection.scope) for node in nodes)
    return list(dict.fromkeys([*nodes, *(cycle for cycle in cycles if cycle != NO_NODE)]))
