"""What is said of folds: what callers are charged with, calls through them, titles and menus."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import cycle_members
from qcachegrind_py.analysis.filters.conditions import (
    C_LIBRARY,
    STANDARD_LIBRARY,
    Fold,
    FoldKind,
    TextCondition,
    TextField,
    UnknownCondition,
)
from qcachegrind_py.analysis.filters.expression import parse_filter, quoted, written_terms
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.analysis.names.syntax import name_within
from qcachegrind_py.analysis.queries import FoldedQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import no_tip, short_text
from qcachegrind_py.present.unit import ESTIMATE
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import FunctionId, NodeId, function_ids
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int64Array
from qcachegrind_py.visible_text import visible_text

_NAME_IN_MARKS = 14  # characters of a folded function: the name of the row needs the room
_LINES_IN_NOTES = 8
_LEAST_CHARGE = 1000  # a charge of less than this part of the total has no mark
_ONLY = "Show Only Inside "
_KINDS = {
    FoldKind.FOLD: "",
    FoldKind.ONLY: "all but ",
    FoldKind.COLLAPSE: "recursion of ",
}
_NAMED = {STANDARD_LIBRARY: "standard libraries", C_LIBRARY: C_LIBRARY}
_SPECIAL = re.compile(r"[\\^$*+?()\[\]{}|]")  # in regular expressions
_THINGS = {
    TextField.NAME: "names",
    TextField.CLASS: "classes",
    TextField.FILE: "files",
    TextField.OBJECT: "libraries",
}
_WHY_ESTIMATED = (
    "folded functions call some that are shown, for several callers; which caller caused what is "
    "not recorded."
)
_WHY_REMAINING = (
    "nobody calls them, or they connect too many callers and callees to tell these apart."
)
_WHY_OUTERMOST = "they are outermost on some stacks, where nobody calls them."


def no_mark(_node: NodeId) -> str:
    return ""


def comparison_mark(query: ViewQuery) -> Callable[[NodeId], str]:
    """Return a function for the words behind names that say how a function changed."""
    return query.mark if query.is_comparing else no_mark


def has_charges(query: ViewQuery) -> BoolArray | None:
    """Return which self costs have enough of folded functions to be marked, shape (nodes,)."""
    queries, event = query.queries, query.context.event
    if not isinstance(queries, FoldedQueries) or event is None or event.is_ratio:
        return None
    charged, total = queries.charged(event, query.context.scope), query.total(event).base
    has_mark: BoolArray = (charged != 0) & (charged * _LEAST_CHARGE >= total)
    return has_mark


def charge_text(query: ViewQuery, event: EventType, node: NodeId) -> str:
    """Return the part of a self cost that is of folded functions; empty if there is none."""
    queries, scope = query.queries, query.context.scope
    if not isinstance(queries, FoldedQueries) or event.is_ratio:
        return ""
    charged = as_number(queries.charged(event, scope)[node])
    if not charged:
        return ""
    mark = ESTIMATE if queries.has_estimates(scope)[node] else ""
    return f"self cost includes {mark}{query.unit(event).with_unit(charged)} folded"


def line_note(query: ViewQuery) -> str:
    """Return which lines of the active function have estimated costs; empty if none has."""
    queries, function = query.queries, query.context.function
    if not isinstance(queries, FoldedQueries):
        return ""
    lines = queries.folding.estimated_lines(function, query.context.scope.parts)
    shown = [str(line) for line in lines.tolist()]
    if not shown:
        return ""
    numbers = ", ".join(shown[:_LINES_IN_NOTES]) + (", …" if len(shown) > _LINES_IN_NOTES else "")
    noun = plural(len(shown), "line")
    return f"{ESTIMATE}costs of folded functions are estimates in {noun} {numbers}"


def self_estimates(query: ViewQuery) -> BoolArray | None:
    """Return whether self costs are partly estimates, shape (nodes,); None if none is."""
    if not isinstance(query.queries, FoldedQueries):
        return None
    return query.queries.has_estimates(query.context.scope)


def call_marks(
    query: ViewQuery, nodes: Int64Array, *, are_callees: bool
) -> tuple[Callable[[NodeId], str], Callable[[int], tuple[str, ...]], BoolArray | None]:
    """Return what is said of the active function's calls, and which of them are estimates.

    `nodes` are its callees, or its callers. The first function is for the words behind their names:
    how a function changed, and the folded one through which it is called, which the second one says
    in a sentence, by row. The mask has the shape (nodes,).
    """
    queries = query.queries
    if not isinstance(queries, FoldedQueries):
        return comparison_mark(query), no_tip, None
    active = np.full(len(nodes), query.context.function)
    ends = (active, nodes) if are_callees else (nodes, active)
    pairs, labels = queries.callbacks, query.labels()
    rows = pairs.rows(*ends)
    chosen = np.flatnonzero(rows >= 0)
    folded = {int(nodes[call]): pairs.folded(int(rows[call])) for call in chosen}

    def mark(node: NodeId) -> str:
        words = [query.mark(node)]
        if node in folded:
            name = labels.name(folded[node]).partition("@")[0]
            words.append(f"via {name_within(name, _NAME_IN_MARKS)}")
        return ", ".join(filter(None, words))

    def tip(row: int) -> tuple[str, ...]:
        through = folded.get(int(nodes[row]))
        return (
            () if through is None else (f"Called through {labels.name(through)}, which is folded",)
        )

    is_estimated = np.zeros(len(rows), bool)
    is_estimated[chosen] = ~pairs.is_exact[rows[chosen]]
    return mark, tip, is_estimated


# ---------------------------------------------------------------- titles and sums


def fold_title(fold: Fold) -> str:
    """Return in words what a fold is about."""
    name = _NAMED.get(fold.text.partition(":")[2]) or _condition_title(fold.conditions[0])
    return f"{_KINDS[fold.kind]}{name}"


def _condition_title(condition: TextCondition | UnknownCondition) -> str:
    if isinstance(condition, UnknownCondition):
        return "unknown functions"
    field, pattern = condition.field, condition.pattern
    things = _THINGS[field]
    if isinstance(pattern, str):
        if condition.is_exact:
            return visible_text(_shown(field.value, pattern))
        text = visible_text(pattern)
        return text if field is TextField.NAME else f"{things} with “{text}”"
    text = visible_text(re.sub(r"\(([^()|]*)\)\?", r"\1", pattern.pattern))  # usual, not required
    begin = text.removeprefix("^")
    if begin != text and not _SPECIAL.search(begin):
        in_folder = begin.startswith("/")
        return f"{things} in {begin.rstrip('/')}" if in_folder else f"{begin}…"
    return f"{things} that match {text}"


def summary_text(query: ViewQuery, queries: FoldedQueries) -> str:
    """Return how many functions are folded, and how much of the total they cost."""
    count, event = int(queries.folding.is_folded.sum()), query.context.event
    if not count:
        return "no function matches"
    text = f"{format_count(count)} {plural(count, 'function')}"
    if event is None or event.is_ratio:
        return text
    scope = query.context.scope
    charged = as_number(queries.charged(event, scope)[: queries.function_count].sum())
    return f"{text}, {query.unit(event).with_unit(charged)} of {short_text(event.name)}"


def summary_notes(query: ViewQuery, queries: FoldedQueries) -> list[str]:
    """Return what a tip says of folds: what is estimated, and which functions remain and why."""
    folding, notes = queries.folding, ["Their costs are self costs of the lines that call them."]
    estimated = int(folding.is_estimated(query.context.scope.parts).sum())
    if estimated:
        costs = plural(estimated, "self cost is an estimate")
        if estimated > 1:
            costs = "self costs are estimates"
        notes.append(f"≈ {format_count(estimated)} {costs}: {_WHY_ESTIMATED}")
    remaining = int(folding.remains.sum())
    if remaining:
        functions = f"{format_count(remaining)} {plural(remaining, 'function')}"
        verb = "remains" if remaining == 1 else "remain"
        why = _WHY_REMAINING if queries.profile.contexts is None else _WHY_OUTERMOST
        notes.append(f"{functions} that should be folded {verb}: {why}")
    return notes


# ---------------------------------------------------------------- entries of menus


@frozen(eq=True)
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
    return [
        FoldEntry("&Fold into Callers", _shown(key, name), f"fold:{quoted(key, name)}"),
        FoldEntry("Show Only &Inside", _shown(key, name), f"only:{quoted(key, name)}"),
    ]


def recursion_fold(query: ViewQuery, node: NodeId) -> FoldEntry | None:
    """Return the entry that folds the recursion of a cycle, or of the cycle of a member.

    It is exact where one member alone is called from outside, and not offered otherwise. None if
    the node is in no cycle.
    """
    queries, scope = query.queries, query.context.scope
    cycle = queries.cycle_of(node, scope)
    if cycle < 0:
        return None
    entered = function_ids(_entered_members(query, cycle))
    title = "Fold &Recursion into"
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
    return FoldEntry("Fold &Recursion", "", "", reason)


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


# ---------------------------------------------------------------- terms of the filter


def folds_outside(own_code: str) -> list[str]:
    """Return the folds that leave the functions that pass a filter, such as “Only My Code”.

    Terms that are about anything but names are left out.
    """
    folds = []
    for words, pieces in written_terms(own_code):
        key, sign = ("fold", pieces["sign"]) if pieces["sign"] else ("only", "")
        fold = f"{key}:{words.removeprefix(sign)}"
        try:
            parse_filter(fold)
        except FilterError:
            continue
        folds.append(fold)
    return folds
