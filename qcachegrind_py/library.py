"""The library that `qcachegrind_py` offers: answers that know the names of what they are about.

Its names are those of the package. `__init__.py` imports this module when the first is used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import fields
from operator import index
from typing import Any, SupportsIndex, TypeVar

import numpy as np

from qcachegrind_py.analysis.code import location_costs
from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.selections import (
    RepeatedComparison,
    compare_parts,
    compare_repeats,
)
from qcachegrind_py.analysis.comparison.sides import MatchingRules
from qcachegrind_py.analysis.costs import function_costs as costs_of_functions
from qcachegrind_py.analysis.costs.scope import Scope, parts_of
from qcachegrind_py.analysis.filters import rules
from qcachegrind_py.analysis.history import History, Steps, Trends, steps, trends
from qcachegrind_py.analysis.names.named_functions import NamedFunctions
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.callgrind.writing.profile_writer import save
from qcachegrind_py.formats.callgrind.writing.selection import Selection
from qcachegrind_py.formats.history_files import read_history
from qcachegrind_py.formats.loading import load
from qcachegrind_py.formats.run_files import run_files
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import (
    AnnotationError,
    Cancelled,
    DecompressionError,
    FilterError,
    FormulaError,
    InvalidProfile,
    NotAProfile,
    NotInProfile,
    NotOneFunction,
    ProfileError,
    UnreadableFile,
    UnwritableFile,
    not_found,
)
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, NodeId, PartId, TextId, function_id
from qcachegrind_py.profile.profile import Diagnostic, Part, Profile
from qcachegrind_py.profile.rows import Column, Rows, costs_by_event
from qcachegrind_py.profile.tables import Int32Array, at_rows
from qcachegrind_py.tools.annotation_inputs import read_function_code, read_sources
from qcachegrind_py.tools.sources.file_search import FileSearch, PathRule
from qcachegrind_py.version import __version__

__all__ = [
    "AnnotationError",
    "CallEdges",
    "Cancelled",
    "Comparison",
    "DecompressionError",
    "Diagnostic",
    "EventType",
    "FileSearch",
    "FilterError",
    "FormulaError",
    "FunctionCosts",
    "FunctionId",
    "History",
    "InstructionCosts",
    "InvalidProfile",
    "LineCosts",
    "MatchingRules",
    "NodeId",
    "NotAProfile",
    "NotInProfile",
    "NotOneFunction",
    "Part",
    "PartId",
    "PathRule",
    "Profile",
    "ProfileError",
    "RepeatedComparison",
    "RuleResult",
    "Selection",
    "Stacks",
    "Steps",
    "TextId",
    "Trends",
    "UnreadableFile",
    "UnwritableFile",
    "__version__",
    "call_edges",
    "callees",
    "callers",
    "check",
    "compare",
    "compare_parts",
    "compare_repeats",
    "explain",
    "file_lines",
    "function_costs",
    "function_lines",
    "instruction_costs",
    "load",
    "read_function_code",
    "read_history",
    "read_sources",
    "run_files",
    "save",
    "save_stacks",
    "stacks",
    "steps",
    "trends",
]

_Bound = TypeVar("_Bound", bound=Rows)
_Parts = Iterable[SupportsIndex] | None  # None: all parts


def _bound(kind: type[_Bound], answer: object, profile: Profile) -> _Bound:
    """Return an answer of the analysis together with the profile, whose names it is shown with."""
    values = {each.name: getattr(answer, each.name) for each in fields(answer)}  # type: ignore[arg-type]  # a dataclass
    return kind(**values, profile=profile)  # type: ignore[call-arg]  # all kinds here have it


def _function(profile: Profile, function: str | SupportsIndex) -> FunctionId:
    """Return the one function of a name or an id; raise `NotOneFunction` or `NotInProfile`."""
    count = len(profile.functions)
    if isinstance(function, str):
        costs = costs_of_functions.function_costs(profile, cycles=False).inclusive
        order = costs[0] if len(costs) else np.zeros(count, np.int64)
        return NamedFunctions(profile, profile.texts, order).one(function)
    number = index(function)
    if not 0 <= number < count:
        reason = f"The profile has {count:,} functions, from 0 on: there is no {number}."
        raise NotInProfile("function", number, reason)
    return function_id(number)


# ---------------------------------------------------------------- functions and calls


@frozen(slots=False, kw_only=True)
class FunctionCosts(Rows, costs_of_functions.FunctionCosts):
    """The costs of each function in the counted parts; costs have the shape (events, functions)."""

    profile: Profile

    def __len__(self) -> int:
        return len(self.called)

    def columns(self) -> dict[str, Column]:
        """Return name, file, object, cycle (0: none), called count and costs of each function."""
        events = self.profile.events.names
        return {
            **self.profile.named_functions(range(len(self))),
            "cycle": self.cycle,
            "called": self.called,
            **costs_by_event(events, self=self.self_cost, inclusive=self.inclusive),
        }

    @property
    def ranked_by(self) -> str:
        """The self cost in the first event that counted anything."""
        return _first_counted("self", self.profile, self.self_cost)


@frozen(slots=False, kw_only=True)
class CallEdges(Rows, costs_of_functions.CallEdges):
    """The calls between pairs of functions; costs have the shape (events, edges)."""

    profile: Profile

    def columns(self) -> dict[str, Column]:
        """Return the names of caller and callee, the number of calls and their inclusive costs."""
        events = self.profile.events.names
        return {
            "caller": self.profile.named_functions(self.caller)["name"],
            "callee": self.profile.named_functions(self.callee)["name"],
            "count": self.count,
            **costs_by_event(events, inclusive=self.inclusive),
        }

    @property
    def ranked_by(self) -> str:
        """The inclusive cost in the first event that counted anything."""
        return _first_counted("inclusive", self.profile, self.inclusive)


def _first_counted(prefix: str, profile: Profile, values: np.ndarray[Any, Any]) -> str:
    names = profile.events.names
    counted = [name for name, row in zip(names, values, strict=True) if row.any()]
    return f"{prefix}_{(counted or names)[0]}" if names else ""


def function_costs(
    profile: Profile, *, cycles: bool = True, parts: _Parts = None, cut: float = 0.0
) -> FunctionCosts:
    """Compute the costs of all functions in some parts, by default in all.

    `cycles` enables cycle detection, which ignores calls that cost less than the share `cut` of the
    costliest call to their caller. Raises `NotInProfile` for a part that does not exist.
    """
    counted = parts_of(profile, parts)
    costs = costs_of_functions.function_costs(profile, cycles=cycles, parts=counted, cut=cut)
    return _bound(FunctionCosts, costs, profile)


def call_edges(profile: Profile, parts: _Parts = None) -> CallEdges:
    """Sum the calls in some parts, by default in all, for each pair of caller and callee.

    Raises `NotInProfile` for a part that does not exist.
    """
    edges = costs_of_functions.call_edges(profile, parts_of(profile, parts))
    return _bound(CallEdges, edges, profile)


def callers(profile: Profile, function: str | SupportsIndex, *, parts: _Parts = None) -> CallEdges:
    """Return the calls to a function, summed for each caller.

    Raises `NotInProfile` for a part or function that does not exist, and `NotOneFunction` for a
    name of none or of several.
    """
    edges = call_edges(profile, parts)
    return at_rows(edges, edges.callee == _function(profile, function))


def callees(profile: Profile, function: str | SupportsIndex, *, parts: _Parts = None) -> CallEdges:
    """Return the calls that a function makes, summed for each callee; raises as `callers` does."""
    edges = call_edges(profile, parts)
    return at_rows(edges, edges.caller == _function(profile, function))


# ---------------------------------------------------------------- lines and instructions


@frozen(kw_only=True)
class LineCosts(Rows, location_costs.LineCosts):
    """The source lines with cost, calls or jumps; costs have the shape (events, lines)."""

    profile: Profile

    def columns(self) -> dict[str, Column]:
        """Return file, line (0: unknown) and costs of each line; inclusive of the calls there."""
        return {"file": _texts(self.profile, self.file), "line": self.line, **_code_costs(self)}


@frozen(kw_only=True)
class InstructionCosts(Rows, location_costs.InstructionCosts):
    """The instructions of a function; costs have the shape (events, instructions)."""

    profile: Profile

    def columns(self) -> dict[str, Column]:
        """Return address, file, line (0: unknown) and costs of each instruction."""
        return {
            "address": self.address,
            "file": _texts(self.profile, self.file),
            "line": self.line,
            **_code_costs(self),
        }


def _texts(profile: Profile, column: Int32Array) -> list[str]:
    return profile.texts.lookup(map(TextId, column.tolist()))


def _code_costs(code: LineCosts | InstructionCosts) -> dict[str, Column]:
    events = code.profile.events.names
    return {
        **costs_by_event(events, self=code.self_cost, inclusive=code.inclusive),
    }


def function_lines(
    profile: Profile,
    function: str | SupportsIndex,
    parts: _Parts = None,
    *,
    with_hosts: bool = False,
) -> LineCosts:
    """Return the lines of a function, those that were inlined into it included.

    `with_hosts` gives an inlined line one row for each line of the function's own file, `host`, at
    which it was inlined. Raises as `callers` does.
    """
    lines = location_costs.function_lines(
        profile, _function(profile, function), parts_of(profile, parts), with_hosts=with_hosts
    )
    return _bound(LineCosts, lines, profile)


def file_lines(profile: Profile, file: str, parts: _Parts = None) -> LineCosts:
    """Return the lines of a source file, summed over all functions.

    The file is given as recorded, or by the end of its path. Raises `NotInProfile` for a part or
    file that does not exist, or several of that name.
    """
    number = _file(profile, file)
    lines = location_costs.file_lines(profile, number, parts_of(profile, parts))
    return _bound(LineCosts, lines, profile)


def _file(profile: Profile, file: str) -> TextId:
    numbers = np.unique(np.concatenate((profile.runs.file, profile.functions.file))).tolist()
    names = dict(zip(profile.texts.lookup(map(TextId, numbers)), map(TextId, numbers), strict=True))
    found = [file] if file in names else [name for name in names if name.endswith(f"/{file}")]
    if len(found) > 1:
        reason = f"The profile has {len(found)} files “{file}”: {', '.join(found)}."
        raise NotInProfile("file", file, reason, found)
    if not found:
        raise not_found("file", file, names)
    return names[found[0]]


def instruction_costs(
    profile: Profile, function: str | SupportsIndex, parts: _Parts = None
) -> InstructionCosts:
    """Return the instructions of a function.

    Raises `ValueError` if no instructions were recorded, and as `callers` does.
    """
    counted = parts_of(profile, parts)
    costs = location_costs.instruction_costs(profile, _function(profile, function), counted)
    return _bound(InstructionCosts, costs, profile)


# ---------------------------------------------------------------- rules of a gate


@frozen(slots=False, kw_only=True)
class RuleResult(Rows, rules.RuleResult):
    """Whether a rule of a gate is met, `is_met`, and by which `functions`, each a row."""

    profile: Profile

    def columns(self) -> dict[str, Column]:
        """Return the names of the functions with the numbers that the rule compares."""
        columns: dict[str, Column] = {**self.profile.named_functions(self.functions)}
        if self.numbers is not None and self.rule.is_of_functions:
            columns |= {"new": self.numbers.new}
            if self.numbers.base is not None:
                columns |= {"base": self.numbers.base}
        return columns


def check(compared: Comparison, rule: str, event: str = "") -> RuleResult:
    """Check a rule, such as `total>+1%` or `self>+5% lib:app`, as the command's gates do.

    `event` is that of terms that name none, by default the first of both sides. Raises
    `FilterError` for a rule that is invalid or cannot be checked, and `NotInProfile`.
    """
    from qcachegrind_py.present.change import Sides

    profile = compared.queries.profile
    known = {each.name: each for each in compared.events}
    if (event and event not in known) or not known:
        raise not_found("event", event, known)
    parsed = rules.parse_rule(rule, list(known))
    sides = Sides(compared.queries, compared.new, compared.new_profile, compared)
    (result,) = sides.check([parsed], known[event or next(iter(known))])
    if result.reason:
        raise FilterError(rule, rule, result.reason)
    return _bound(RuleResult, result, profile)


# ---------------------------------------------------------------- stacks and explanations


@frozen(slots=False, kw_only=True)
class Stacks(Rows):
    """The paths of calls to the functions with self cost in one event.

    A profile proves what functions and single calls cost, and only some paths of several calls: the
    frame `≈ estimated` stands where estimates begin.
    """

    event: EventType
    paths: tuple[tuple[str, ...], ...]  # names, the outermost function first
    costs: tuple[int, ...]  # the self cost at the end of each path

    def columns(self) -> dict[str, Column]:
        """Return each stack, names from the outermost to the innermost, and its cost."""
        return {"stack": self.paths, self.event.name: self.costs}

    @property
    def ranked_by(self) -> str:
        """The cost."""
        return self.event.name


def stacks(profile: Profile, event: str = "") -> Stacks:
    """Return the stacks in an event, by default the first that counted anything.

    Raises `NotInProfile` for an event that does not exist.
    """
    from qcachegrind_py.write.stacks import stack_report

    queries = ProfileQueries(profile)
    chosen = _event(queries, event)
    report = stack_report(queries, chosen, Scope())
    paths = [(tuple(map(report.name, path)), cost) for path, cost in report.paths()]
    return Stacks(event=chosen, paths=tuple(p for p, _ in paths), costs=tuple(c for _, c in paths))


def save_stacks(profile: Profile, path: str | os.PathLike[str], events: Sequence[str] = ()) -> None:
    """Write stacks to a file: for speedscope if its name ends in `.json`, else folded stacks.

    `events` are by default the first that counted anything; a file of folded stacks has one. The
    ending `.gz`, `.bz2`, `.xz` or `.zst` compresses. Raises `NotInProfile`, and `UnwritableFile`.
    """
    from qcachegrind_py.write import stacks as writing
    from qcachegrind_py.write.stacks import stack_report

    queries = ProfileQueries(profile)
    chosen = [_event(queries, event) for event in events or ("",)]
    if len(chosen) > 1 and not writing.is_speedscope(os.fspath(path)):
        raise ValueError("a file of folded stacks has one event; a name with .json may have more")
    writing.save_stacks(path, [stack_report(queries, event, Scope()) for event in chosen])


def explain(
    profile: Profile,
    function: str | SupportsIndex,
    kind: str = "self",
    event: str = "",
    *,
    limit: int = 20,
) -> str:
    """Return text on where a number comes from, down to the lines of the file that add up to it.

    A number of recorded stacks comes with the paths that add up to it, instead of lines.

    `kind` is `self`, `inclusive` or `called`; `event` by default the first that counted anything;
    `limit` the number of lines shown. Raises `NotInProfile`, `NotOneFunction`, and
    `RecordsNotFound` if the file of the profile has changed since it was read.
    """
    from qcachegrind_py.analysis.explanation import explain as explanation
    from qcachegrind_py.analysis.explanation.numbers import NumberKey, NumberKind
    from qcachegrind_py.present.explanation import Wording, record_groups
    from qcachegrind_py.profile.progress import NoProgress
    from qcachegrind_py.write.explanation import explanation_lines

    kinds = {
        each.value: each for each in (NumberKind.SELF, NumberKind.INCLUSIVE, NumberKind.CALLED)
    }
    if kind not in kinds:
        raise ValueError(f"kind is one of {', '.join(kinds)}, not {kind}")
    queries, scope = ProfileQueries(profile), Scope()
    key = NumberKey(kinds[kind], _function(profile, function))
    explained = explanation.explain(queries, key, _event(queries, event), scope)
    groups = record_groups(queries, explained, NoProgress(), limit)
    sections = Wording(queries, scope).sections(explained, groups)
    return "\n".join(explanation_lines(sections))


def _event(queries: ProfileQueries, name: str) -> EventType:
    event = queries.events.named(name) if name else queries.default_event()
    if event is None:
        raise NotInProfile("event", name, "The profile has no events.")
    return event
