"""Run `--calls` and `--path`: print callers and callees of functions, or the paths to them."""

from __future__ import annotations

import argparse
import re

from qcachegrind_py.cli.errors import USAGE_ERROR, CommandError, report_error
from qcachegrind_py.cli.folding import fold_notes
from qcachegrind_py.cli.functions import find_function
from qcachegrind_py.cli.reports import load_profile, print_output
from qcachegrind_py.cli.selection import report_selection
from qcachegrind_py.cli.terminal import text_layout
from qcachegrind_py.profile.ids import NO_NODE, NodeId, cycle_node
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.reports.calls.path import write_paths
from qcachegrind_py.reports.calls.tables import write_calls
from qcachegrind_py.reports.selection import ReportSelection
from qcachegrind_py.reports.table_export import OutputFormat

_CYCLE = re.compile(r"<cycle ([1-9][0-9]{0,8})>")


def print_calls(options: argparse.Namespace) -> int:
    """Print what `--calls` or `--path` asks for; return the exit code."""
    names: list[str] = options.calls or options.path
    form: OutputFormat = options.report or "text"
    try:
        profile = load_profile(options.files)
        selection = report_selection(profile, options)
        nodes = [find_node(selection, name, options.within or []) for name in names]
    except CommandError as error:
        return report_error(error)
    write = write_calls if options.calls else write_paths
    nodes = _with_cycles(selection, nodes) if options.calls else list(dict.fromkeys(nodes))
    return print_output(
        profile,
        lambda stream: write(selection, nodes, form, stream, text_layout(options, stream)),
        *fold_notes(selection),
    )


def find_node(selection: ReportSelection, name: str, locations: list[str]) -> NodeId:
    """Return the one function of this name, or the cycle `<cycle N>`; raises CommandError."""
    match, queries = _CYCLE.fullmatch(name), selection.queries
    if match is None or queries.names.with_name(name):
        return find_function(queries, name, locations)
    cycles = int(queries.costs(selection.scope).cycle.max(initial=0))
    if int(match[1]) > cycles:
        there_are = f"there {'is' if cycles == 1 else 'are'} {cycles} {plural(cycles, 'cycle')}"
        raise CommandError(USAGE_ERROR, f"There is no {name}; {there_are}.")
    return cycle_node(int(match[1]), queries.function_count)


def _with_cycles(selection: ReportSelection, nodes: list[NodeId]) -> list[NodeId]:
    """Return the nodes, and behind them the cycles of which they are members, each once."""
    cycles = (selection.queries.cycle_of(node, selection.scope) for node in nodes)
    return list(dict.fromkeys([*nodes, *(cycle for cycle in cycles if cycle != NO_NODE)]))
