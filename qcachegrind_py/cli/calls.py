"""Run `--calls` and `--path`: print callers and callees of functions, or the paths to them."""

from __future__ import annotations

import argparse
from typing import TextIO

from qcachegrind_py.cli.errors import CommandError, report_error
from qcachegrind_py.cli.folding import fold_notes
from qcachegrind_py.cli.functions import find_nodes
from qcachegrind_py.cli.reports import load_profile, print_output
from qcachegrind_py.cli.selection import report_selection
from qcachegrind_py.cli.terminal import text_layout
from qcachegrind_py.present.call_report import (
    calls_page,
    calls_records,
    calls_table,
    paths_page,
    paths_records,
    paths_table,
)
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.write.json_rows import write_records
from qcachegrind_py.write.separated import OutputFormat, write_table
from qcachegrind_py.write.text import write_page


def print_calls(options: argparse.Namespace) -> int:
    """Print what `--calls` or `--path` asks for; return the exit code."""
    names: list[str] = options.calls or options.path
    form: OutputFormat = options.report or "text"
    try:
        profile = load_profile(options.files)
        selection = report_selection(profile, options)
        nodes = [
            node for name in names for node in find_nodes(selection, name, options.within or [])
        ]
    except CommandError as error:
        return report_error(error)
    page, table, records = paths_page, paths_table, paths_records
    if options.calls:
        page, table, records = calls_page, calls_table, calls_records
    nodes = _with_cycles(selection, nodes) if options.calls else list(dict.fromkeys(nodes))

    def write(stream: TextIO) -> None:
        match form:
            case "text":
                write_page(page(selection, nodes), stream, text_layout(options, stream))
            case "json":
                write_records(records(selection, nodes), stream)
            case _:
                write_table(table(selection, nodes), form, stream)

    return print_output(profile, write, *fold_notes(selection))


def _with_cycles(selection: ReportSelection, nodes: list[NodeId]) -> list[NodeId]:
    """Return the nodes, and behind them the cycles of which they are members, each once."""
    cycles = (selection.queries.cycle_of(node, selection.scope) for node in nodes)
    return list(dict.fromkeys([*nodes, *(cycle for cycle in cycles if cycle != NO_NODE)]))
