"""What the command prints of one function: its source lines or instructions and what they cost.

Here the function is found by its name, and what it needs is fetched; how it looks is the business
of `formats.annotation`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import empty_instruction_costs
from qcachegrind_py.analysis.code.instruction_costs import has_addresses, instruction_costs
from qcachegrind_py.analysis.code.instructions import NO_CODE
from qcachegrind_py.analysis.code.line_costs import function_lines, has_lines
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
from qcachegrind_py.reports.cells import OutputFormat, cell_text
from qcachegrind_py.tools.annotation_inputs import (
    find_function_code,
    is_newer_than_profile,
    missing_instructions_reason,
    read_sources,
    source_problems,
)
from qcachegrind_py.tools.demangler import demangle_names
from qcachegrind_py.tools.sources.file_search import FileSearch

_MAP_NOTE = "Where files are that were not found, say by --map FROM=TO."
_MAX_CANDIDATES = 10  # named in one line


def print_annotation(options: argparse.Namespace) -> int:
    """The lines or instructions of `--annotate FUNCTION`; gives the exit code."""
    try:
        search = file_search(options)
        profile = load_profile(options.files)
        event = select_event(profile, options.event)
        function = _find_function(profile, options.annotate, options.within or [])
    except CommandError as error:
        return report_error(error)
    print_one = _print_instructions if options.asm else _print_lines
    return print_one(profile, function, search, options.report or "text", event)


def _print_lines(
    profile: Profile,
    function: FunctionId,
    search: FileSearch,
    form: OutputFormat,
    event: EventType | None,
) -> int:
    lines = function_lines(profile, function)
    object_ = profile.texts[text_at(profile.functions.object, function)]
    own = text_at(profile.functions.file, function)
    files = profile.texts.lookup(sorted(text_ids(np.unique(lines.file)), key=lambda n: n != own))
    sources = read_sources(files, object_, search)
    texts = {name: text.lines for name, text in sources.texts.items()}
    problems = source_problems(profile, lines, sources)
    problem = " ".join(problems)
    would_help = has_lines(profile) and any(map(_is_missing, sources.problems.values()))
    newer = [
        text.path
        for text in sources.texts.values()
        if is_newer_than_profile(text.modified, profile)
    ]
    return print_output(
        profile,
        lambda stream: write_lines(profile, function, lines, texts, form, event, stream, problem),
        *problems,
        *map(_newer_warning, newer),
        *([_MAP_NOTE] if would_help else []),
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
        found = find_function_code(profile, function, costs, search)
        code, machine, problem = found.code, found.machine_code, str(found.problem or "")
        if machine and is_newer_than_profile(machine.modified, profile):
            notes.append(_newer_warning(machine.path))
        if _is_missing(found.problem):
            notes.append(_MAP_NOTE)
    return print_output(
        profile,
        lambda stream: write_instructions(
            profile, function, costs, code, form, event, stream, problem
        ),
        *filter(None, [problem]),
        *notes,
    )


def _is_missing(error: object) -> bool:
    return isinstance(error, MissingFile)


def _newer_warning(path: Path) -> str:
    return f"{path}: was changed after the profile was written, and may not fit it."


def _find_function(profile: Profile, name: str, locations: list[str]) -> FunctionId:
    """The one function of exactly this name that is in all these places."""
    readable = profile.texts
    named = FunctionNames(profile).with_name(name)
    if not named:
        readable = demangle_names(profile.texts)
        names = text_ids(profile.functions.name)
        named = [function_id(row) for row, text in enumerate(names) if readable[text] == name]
    found = [f for f in named if all(_is_located_in(profile, f, place) for place in locations)]
    if len(found) == 1:
        return found[0]
    raise CommandError(
        USAGE_ERROR, _ambiguity_text(profile, readable, name, locations, named, found)
    )


def _ambiguity_text(
    profile: Profile,
    readable: StringTable,
    name: str,
    locations: list[str],
    named: list[FunctionId],
    found: list[FunctionId],
) -> str:
    """Why a name does not mean one function, and which there are."""
    if found:
        reason, known = f"{len(found)} functions are called {name}; choose one by --in: ", found
    elif named:
        reason, known = f"No function {name} is in {' and '.join(locations)}; there are: ", named
    else:
        known = function_ids(np.flatnonzero(FunctionNames(profile, readable).containing(name)))
        reason = f"There is no function {name}" + ("; similar ones are: " if known else "")
    listed = "; ".join(_function_text(profile, readable, each) for each in known[:_MAX_CANDIDATES])
    more = len(known) - _MAX_CANDIDATES
    return cell_text(reason + listed + (f"; and {more:,} more." if more > 0 else "."))


def _function_text(profile: Profile, readable: StringTable, function: FunctionId) -> str:
    functions, texts = profile.functions, profile.texts
    file, object_ = (
        texts[text_at(functions.file, function)],
        texts[text_at(functions.object, function)],
    )
    return f"{readable[text_at(functions.name, function)]} ({file}, {object_})"


def _is_located_in(profile: Profile, function: FunctionId, location: str) -> bool:
    """Whether the place is the function's file or object, by its path or by its last part."""
    columns = (profile.functions.file, profile.functions.object)
    paths = profile.texts.lookup(text_at(column, function) for column in columns)
    return any(location in (path, base_name(path)) for path in paths)
