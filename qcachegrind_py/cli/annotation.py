"""Run `--annotate`: print the source lines or instructions of one function with their costs.

This module finds the function by name and reads its files; `reports.annotation` formats them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import (
    annotate_instructions,
    annotate_lines,
    empty_instruction_costs,
)
from qcachegrind_py.analysis.code.instruction_costs import instruction_costs
from qcachegrind_py.analysis.code.instructions import NO_CODE
from qcachegrind_py.analysis.code.line_costs import function_lines
from qcachegrind_py.analysis.code.recorded_positions import has_addresses, has_lines
from qcachegrind_py.analysis.costs.function_costs import function_cycles
from qcachegrind_py.analysis.names.function_names import FunctionNames, base_name
from qcachegrind_py.cli.reports import (
    USAGE_ERROR,
    CommandError,
    file_search,
    load_profile,
    print_output,
    report_error,
    select_event,
)
from qcachegrind_py.profile.errors import MissingFile
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, function_id, function_ids, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.string_table import StringTable
from qcachegrind_py.reports.annotation import write_instructions, write_lines
from qcachegrind_py.reports.table_export import OutputFormat, cell_text
from qcachegrind_py.tools.annotation_inputs import (
    find_function_code,
    is_newer_than_profile,
    missing_instructions_reason,
    read_sources,
    source_problems,
    texts_by_file,
)
from qcachegrind_py.tools.demangler import demangle_names
from qcachegrind_py.tools.sources.file_search import FileSearch

_MAP_NOTE = "Where files are that were not found, say by --map FROM=TO."
_MAX_CANDIDATES = 10  # listed in a message


def print_annotation(options: argparse.Namespace) -> int:
    """Print the lines or instructions of `--annotate FUNCTION`; return the exit code."""
    try:
        search = file_search(options)
        profile = load_profile(options.files)
        event = select_event(profile, options.event)
        function = _find_function(profile, options.annotate, options.within or [])
    except CommandError as error:
        return report_error(error)
    print_function = _print_instructions if options.asm else _print_lines
    return print_function(profile, function, search, options.report or "text", event)


def _print_lines(
    profile: Profile,
    function: FunctionId,
    search: FileSearch,
    form: OutputFormat,
    event: EventType | None,
) -> int:
    lines = function_lines(profile, function)
    object_ = profile.texts[text_at(profile.functions.object, function)]
    own_file = text_at(profile.functions.file, function)
    files = sorted(text_ids(np.unique(lines.file)), key=lambda file: file != own_file)
    sources = read_sources(profile.texts.lookup(files), object_, search)
    found = texts_by_file(profile, files, sources)
    texts = {file: text.lines for file, text in found.items()}
    annotated = annotate_lines(profile, function, lines, function_cycles(profile), texts)
    problems = source_problems(profile, lines, sources)
    problem = " ".join(problems)
    is_map_useful = has_lines(profile) and any(map(_is_missing, sources.problems.values()))
    newer = [
        text.path
        for text in sources.texts.values()
        if is_newer_than_profile(text.modified, profile)
    ]
    return print_output(
        profile,
        lambda stream: write_lines(annotated, form, event, stream, problem),
        *problems,
        *map(_newer_warning, newer),
        *([_MAP_NOTE] if is_map_useful else []),
    )


def _print_instructions(
    profile: Profile,
    function: FunctionId,
    search: FileSearch,
    form: OutputFormat,
    event: EventType | None,
) -> int:
    code, problem = NO_CODE, missing_instructions_reason(profile)
    notes: list[str] = []
    costs = empty_instruction_costs(profile)
    if has_addresses(profile):
        costs = instruction_costs(profile, function)
        result = find_function_code(profile, function, costs, search)
        code, machine, problem = result.code, result.machine_code, str(result.problem or "")
        if machine and is_newer_than_profile(machine.modified, profile):
            notes.append(_newer_warning(machine.path))
        if _is_missing(result.problem):
            notes.append(_MAP_NOTE)
    annotated = annotate_instructions(profile, function, costs, function_cycles(profile), code)
    return print_output(
        profile,
        lambda stream: write_instructions(annotated, form, event, stream, problem),
        *filter(None, [problem]),
        *notes,
    )


def _is_missing(error: object) -> bool:
    return isinstance(error, MissingFile)


def _newer_warning(path: Path) -> str:
    return f"{path}: was changed after the profile was written, and may not fit it."


def _find_function(profile: Profile, name: str, locations: list[str]) -> FunctionId:
    """Return the one function with exactly this name that is in all these locations."""
    readable_texts = profile.texts
    same_name = FunctionNames(profile).with_name(name)
    if not same_name:
        readable_texts = demangle_names(profile.texts)
        names = text_ids(profile.functions.name)
        same_name = [
            function_id(row) for row, text in enumerate(names) if readable_texts[text] == name
        ]
    matches = [
        f for f in same_name if all(_is_located_in(profile, f, location) for location in locations)
    ]
    if len(matches) == 1:
        return matches[0]
    raise CommandError(
        USAGE_ERROR, _ambiguity_text(profile, readable_texts, name, locations, same_name, matches)
    )


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
            f"{len(matches)} functions are called {name}; choose one by --in: ",
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
    return cell_text(reason + listed + (f"; and {more:,} more." if more > 0 else "."))


def _function_text(profile: Profile, readable_texts: StringTable, function: FunctionId) -> str:
    functions, texts = profile.functions, profile.texts
    file = texts[text_at(functions.file, function)]
    object_ = texts[text_at(functions.object, function)]
    return f"{readable_texts[text_at(functions.name, function)]} ({file}, {object_})"


def _is_located_in(profile: Profile, function: FunctionId, location: str) -> bool:
    """Whether the location is the function's file or object, by path or by last part."""
    columns = (profile.functions.file, profile.functions.object)
    paths = profile.texts.lookup(text_at(column, function) for column in columns)
    return any(location in (path, base_name(path)) for path in paths)
