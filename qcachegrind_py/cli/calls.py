"""Run `--calls` and `--path`: print callers and callees of functions, and the paths to them."""

from __future__ import annotations

import argparse
import re

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.cli.functions import find_function
from qcachegrind_py.cli.reports import (
    USAGE_ERROR,
    CommandError,
    load_profile,
    print_output,
    report_error,
    select_event,
)
from qcachegrind_py.cli.terminal import text_layout
from qcachegrind_py.profile.ids import NO_NODE, NodeId, cycle_node
from qcachegrind_py.profile.number_format import plural
from qcachegrind_py.reports.call_rows import CallTable, RowChoice
from qcachegrind_py.reports.call_tables import write_calls
from qcachegrind_py.reports.path_report import write_paths
from qcachegrind_py.reports.table_export import OutputFormat

_CYCLE = re.compile(r"<cycle ([1-9][0-9]{0,8})>")


def print_calls(options: argparse.Namespace) -> int:
    """Print what `--calls` or `--path` asks for; return the exit code."""
    try:
        profile = load_profile(options.files)
        table = _call_table(options, ProfileQueries(profile))
        nodes = [_find_node(table, name, options.within or []) for name in _names(options)]
    except CommandError as error:
        return report_error(error)
    form: OutputFormat = options.report or "text"
    write = write_paths if options.path else write_calls
    nodes = list(dict.fromkeys(nodes)) if options.path else _with_cycles(table, nodes)
    return print_output(
        profile, lambda stream: write(table, nodes, form, stream, text_layout(options, stream))
    )


def _call_table(options: argparse.Namespace, queries: ProfileQueries) -> CallTable:
    """Return the calls that the options choose; JSON has all measured events."""
    event, measured = select_event(queries.profile, options.event), queries.profile.events.measured
    events = measured if options.report == "json" or event is None else (event,)
    scope = Scope(cycles=not options.no_cycles)
    return CallTable(queries, scope, events, event, RowChoice(options.limit))


def _names(options: argparse.Namespace) -> list[str]:
    names: list[str] = options.path or options.calls
    return names


def _find_node(table: CallTable, name: str, locations: list[str]) -> NodeId:
    """Return the one function of this name, or the cycle `<cycle N>`; raises CommandError."""
    queries = table.queries
    match = _CYCLE.fullmatch(name)
    if match is None or queries.names.with_name(name):
        return find_function(queries.profile, name, locations)
    cycles = int(queries.costs(table.scope).cycle.max(initial=0))
    if int(match[1]) > cycles:
        there_are = f"there {'is' if cycles == 1 else 'are'} {cycles} {plural(cycles, 'cycle')}"
        raise CommandError(USAGE_ERROR, f"There is no {name}; {there_are}.")
    return cycle_node(int(match[1]), queries.function_count)


def _with_cycles(table: CallTable, nodes: list[NodeId]) -> list[NodeId]:
    """Return the nodes, and behind them the cycles of which they are members."""
    cycles = (table.queries.cycle_of(node, table.scope) for node in nodes)
    return list(dict.fromkeys([*nodes, *(cycle for cycle in cycles if cycle != NO_NODE)]))
