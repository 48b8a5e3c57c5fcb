"""Find the functions and files that arguments name: `analysis.names.named_functions` tells how."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.names.named_functions import NamedFunctions
from qcachegrind_py.analysis.queries import ProfileQueries, folded_mask
from qcachegrind_py.cli.output import USAGE_ERROR, CommandError
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.errors import NotOneFunction
from qcachegrind_py.profile.ids import (
    FunctionId,
    NodeId,
    TextId,
    cycle_node,
    function_ids,
    text_ids,
)
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.tools.demangler import demangle_names

_MAX_CANDIDATES = 10  # listed in a message
_CYCLE = re.compile(r"<cycle ([1-9][0-9]{0,8})>")


def find_functions(
    selection: ReportSelection, text: str, places: Sequence[str]
) -> list[FunctionId]:
    """Return the functions that a text means, those of a pattern in the report's order.

    Raises CommandError if there is none, or several have one name.
    """
    with _as_misuse():
        listed = function_ids(selection.functions)
        return _named(selection.queries).all(text, places, listed)


def find_function(queries: ProfileQueries, text: str, places: Sequence[str]) -> FunctionId:
    """Return the one function that a text means; raises CommandError unless there is one."""
    with _as_misuse():
        return _named(queries).one(text, places)


def find_nodes(selection: ReportSelection, text: str, places: Sequence[str]) -> list[NodeId]:
    """Return the functions that a text means, or the cycle `<cycle N>`; raises CommandError."""
    if (cycle := _find_cycle(selection, text)) is not None:
        return [cycle]
    return list(find_functions(selection, text, places))


def find_node(selection: ReportSelection, text: str, places: Sequence[str]) -> NodeId:
    """Return the one function that a text means, or the cycle `<cycle N>`; raises CommandError."""
    cycle = _find_cycle(selection, text)
    return find_function(selection.queries, text, places) if cycle is None else cycle


def is_pattern(queries: ProfileQueries, text: str) -> bool:
    """Return whether a text may stand for several functions."""
    return _named(queries).is_pattern(text)


def _named(queries: ProfileQueries) -> NamedFunctions:
    profile, event = queries.profile, queries.default_event()
    costs = np.zeros(queries.function_count, np.int64)
    if event is not None:
        costs = queries.inclusive(queries.measured_event(event), Scope())
    return NamedFunctions(profile, demangle_names(profile.texts), costs, folded_mask(queries))


@contextmanager
def _as_misuse() -> Iterator[None]:
    """Raise CommandError where a text names no function, or several."""
    try:
        yield
    except NotOneFunction as error:
        raise CommandError(USAGE_ERROR, *error.lines) from error


def _find_cycle(selection: ReportSelection, text: str) -> NodeId | None:
    """Return the cycle of a text such as `<cycle 2>`; None if it is none."""
    match, queries = _CYCLE.fullmatch(text), selection.queries
    if match is None or queries.names.with_name(text):
        return None
    cycles = int(queries.costs(selection.scope).cycle.max(initial=0))
    if int(match[1]) > cycles:
        there_are = f"there {'is' if cycles == 1 else 'are'} {cycles} {plural(cycles, 'cycle')}"
        raise CommandError(USAGE_ERROR, f"There is no {text}; {there_are}.")
    return cycle_node(int(match[1]), queries.function_count)


def find_files(queries: ProfileQueries, names: list[str]) -> list[TextId]:
    """Return the source files of these names; raises CommandError unless each is one file.

    A name is a recorded path, or the last components of one.
    """
    profile, is_folded = queries.profile, folded_mask(queries)
    of_functions = profile.functions.file
    if is_folded is not None:
        of_functions = of_functions[~is_folded]
    columns = (of_functions, profile.runs.file, profile.calls.file)
    files = text_ids(np.unique(np.concatenate(columns)))
    return list(dict.fromkeys(_find_file(profile, files, name) for name in names))


def _find_file(profile: Profile, files: list[TextId], name: str) -> TextId:
    paths = dict(zip(files, profile.texts.lookup(files), strict=True))
    found = [file for file, path in paths.items() if path == name]
    if not found:
        ending = "/" + name.lstrip("/")
        found = [f for f, path in paths.items() if path.replace("\\", "/").endswith(ending)]
    if len(found) == 1:
        return found[0]
    listed = "; ".join(paths[file] for file in found[:_MAX_CANDIDATES])
    reason = (
        f"several source files match {name}: {listed}; give more of the path"
        if found
        else f"no source file matches {name}; give its recorded path or the last components"
    )
    raise CommandError(USAGE_ERROR, f"--file: {reason}.")
