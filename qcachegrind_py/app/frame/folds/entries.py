"""What the menu of a function, cycle or group offers to fold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import cycle_members
from qcachegrind_py.analysis.filters.expression import quoted
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import FunctionId, NodeId, function_ids
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.profile.tables import UNKNOWN, Int64Array

_ONLY = "Show Only Inside "


@dataclass(frozen=True, slots=True)
class FoldEntry:
    """One entry of a menu: its text with a mnemonic, what it names, and the fold."""

    title: str
    name: str
    fold: str
    reason: str = ""  # why it cannot be chosen; empty if it can


def function_folds(query: ViewQuery, function: FunctionId, class_name: str) -> list[FoldEntry]:
    """Return the entries for a function, and for the class, file and object it belongs to.

    `class_name` is empty if it is not known.
    """
    names = query.queries.names
    groups = (
        ("&Function", "name", names.name(function)),
        ("&Class", "class", class_name),
        ("&Source File", "file", names.file(function)),
        ("&Object", "lib", names.object(function)),
    )
    entries = [
        FoldEntry(title, _shown(key, name), f"fold:{quoted(key, name)}")
        for title, key, name in groups
        if name and (name != UNKNOWN or key == "name")
    ]
    entries += [
        FoldEntry(_ONLY + title.replace("&", ""), _shown(key, name), f"only:{quoted(key, name)}")
        for title, key, name in groups[1:]
        if name and name != UNKNOWN
    ]
    return entries


def group_folds(key: str, name: str) -> list[FoldEntry]:
    """Return the entries for a group of functions; `key` is the key of its filter term."""
    return [
        FoldEntry("Char&ge to Callers", _shown(key, name), f"fold:{quoted(key, name)}"),
        FoldEntry("Show Only &Inside", _shown(key, name), f"only:{quoted(key, name)}"),
    ]


def recursion_fold(query: ViewQuery, node: NodeId) -> FoldEntry | None:
    """Return the entry that collapses the recursion of a cycle, or of the cycle of a member.

    It is exact where one member alone is called from outside, and not offered otherwise. None if
    the node is in no cycle.
    """
    queries, scope = query.queries, query.context.scope
    cycle = queries.cycle_of(node, scope)
    if cycle < 0:
        return None
    entered = function_ids(_entered_members(query, cycle))
    title = "Collapse &Recursion into"
    if len(entered) == 1:
        name = queries.names.name(entered[0])
        return FoldEntry(title, name, f"collapse:{quoted('name', name)}")
    if not entered:
        reason = "No function of the cycle is called from outside, so none stands for it."
    else:
        count = format_count(len(entered))
        reason = (
            f"{count} functions of the cycle are called from outside. Which share of the cycle "
            "belongs to the calls of each is not recorded."
        )
    return FoldEntry("Collapse &Recursion", "", "", reason)


def _entered_members(query: ViewQuery, cycle: NodeId) -> Int64Array:
    """Return the members of a cycle that are called from outside."""
    queries, scope = query.queries, query.context.scope
    edges, functions = queries.call_edges(scope), queries.function_count
    members = cycle_members(cycle, queries.costs(scope), functions)
    is_member = np.zeros(functions, bool)
    is_member[members] = True
    rows = edges.rows_to(members)
    return np.unique(edges.callee[rows[~is_member[edges.caller[rows]]]])


def _shown(key: str, name: str) -> str:
    return base_name(name) if key in ("lib", "file") else name
