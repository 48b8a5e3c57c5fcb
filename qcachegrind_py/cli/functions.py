"""Find the functions that options such as `--annotate` name."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator

import numpy as np

from qcachegrind_py.analysis.names.function_names import FunctionNames, base_name
from qcachegrind_py.analysis.queries import ProfileQueries, folded_mask
from qcachegrind_py.cli.errors import USAGE_ERROR, CommandError
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.ids import (
    FunctionId,
    TextId,
    function_id,
    function_ids,
    text_at,
    text_ids,
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import StringTable
from qcachegrind_py.tools.demangler import demangle_names

_MAX_CANDIDATES = 10  # listed in a message


def is_pattern(profile: Profile, name: str) -> bool:
    """Return whether a name has wildcards, and is not the name of a function as it stands."""
    return any(wildcard in name for wildcard in "*?[") and not _with_name(profile, name)[0]


def find_functions(
    selection: ReportSelection, pattern: str, locations: list[str]
) -> list[FunctionId]:
    """Return the functions whose names fit a pattern such as `ns::*`, in the report's order.

    Raises CommandError if nothing fits, and for a name that is no pattern as `find_function`.
    """
    profile = selection.profile
    if not is_pattern(profile, pattern):
        return [find_function(selection.queries, pattern, locations)]
    fits = re.compile(fnmatch.translate(pattern)).match
    found = [
        function
        for function, names in _recorded_and_readable(profile, selection)
        if any(map(fits, names)) and _is_located(profile, function, locations)
    ]
    if not found:
        raise CommandError(USAGE_ERROR, f"No function matches {pattern}. --report text lists all.")
    return found


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
    raise CommandError(USAGE_ERROR, f"--annotate-file: {reason}.")


def _recorded_and_readable(
    profile: Profile, selection: ReportSelection
) -> Iterator[tuple[FunctionId, tuple[str, str]]]:
    """Yield the functions of the report with their names as recorded and demangled."""
    readable, functions = demangle_names(profile.texts), function_ids(selection.functions)
    for function in functions:
        name = text_at(profile.functions.name, function)
        yield function, (profile.texts[name], readable[name])


def find_function(queries: ProfileQueries, name: str, locations: list[str]) -> FunctionId:
    """Return the one function with this name that is in all these locations, and not folded.

    The name is that of the profile or its demangled form, a location the path or the last component
    of a file or object. Raises CommandError, with the candidates, unless exactly one fits.
    """
    profile, is_folded = queries.profile, folded_mask(queries)
    same_name, readable_texts = _with_name(profile, name)
    matches = [f for f in same_name if _is_located(profile, f, locations)]
    if matches and is_folded is not None:
        matches = [f for f in matches if not is_folded[f]]
        if not matches:
            reason = f"{name} is folded: its costs are those of the functions that called it."
            raise CommandError(USAGE_ERROR, reason)
    if len(matches) == 1:
        return matches[0]
    raise CommandError(
        USAGE_ERROR, _ambiguity_text(profile, readable_texts, name, locations, same_name, matches)
    )


def _with_name(profile: Profile, name: str) -> tuple[list[FunctionId], StringTable]:
    """Return the functions of this name, and the table in which it is theirs."""
    if same_name := FunctionNames(profile).with_name(name):
        return same_name, profile.texts
    readable_texts, names = demangle_names(profile.texts), text_ids(profile.functions.name)
    rows = [row for row, text in enumerate(names) if readable_texts[text] == name]
    return list(map(function_id, rows)), readable_texts


def _ambiguity_text(
    profile: Profile,
    readable_texts: StringTable,
    name: str,
    locations: list[str],
    same_name: list[FunctionId],
    matches: list[FunctionId],
) -> str:
    """Return why the name does not identify one function, and the candidates."""
    if matches:
        reason, candidates = (
            f"{len(matches)} functions are called {name}; choose one with --in: ",
            matches,
        )
    elif same_name:
        reason, candidates = (
            f"No function {name} is in {' and '.join(locations)}; there are: ",
            same_name,
        )
    else:
        candidates = function_ids(
            np.flatnonzero(FunctionNames(profile, readable_texts).containing(name))
        )
        reason = f"There is no function {name}" + ("; similar ones are: " if candidates else "")
    listed = "; ".join(
        _function_text(profile, readable_texts, candidate)
        for candidate in candidates[:_MAX_CANDIDATES]
    )
    more = len(candidates) - _MAX_CANDIDATES
    return reason + listed + (f"; and {more:,} more." if more > 0 else ".")


def _function_text(profile: Profile, readable_texts: StringTable, function: FunctionId) -> str:
    functions, texts = profile.functions, profile.texts
    file = texts[text_at(functions.file, function)]
    object_ = texts[text_at(functions.object, function)]
    return f"{readable_texts[text_at(functions.name, function)]} ({file}, {object_})"


def _is_located(profile: Profile, function: FunctionId, locations: list[str]) -> bool:
    return all(_is_located_in(profile, function, location) for location in locations)


def _is_located_in(profile: Profile, function: FunctionId, location: str) -> bool:
    """Whether the location is the function's file or object, by path or by last part."""
    columns = (profile.functions.file, profile.functions.object)
    paths = profile.texts.lookup(text_at(column, function) for column in columns)
    return any(location in (path, base_name(path)) for path in paths)
