"""Run `--annotate`: print the source lines or instructions of one function with their costs.

`cli.functions` finds the function by name, this module reads its files, and `reports.annotation`
formats them.
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
from qcachegrind_py.cli.errors import CommandError, report_error
from qcachegrind_py.cli.functions import find_function
from qcachegrind_py.cli.reports import file_search, load_profile, print_output
from qcachegrind_py.cli.selection import report_selection
from qcachegrind_py.profile.errors import MissingFile
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.reports.annotation import write_instructions, write_lines
from qcachegrind_py.reports.table_export import OutputFormat
from qcachegrind_py.tools.annotation_inputs import (
    find_function_code,
    is_newer_than_profile,
    missing_instructions_reason,
    read_sources,
    source_problems,
    texts_by_file,
)
from qcachegrind_py.tools.sources.file_search import FileSearch

_MAP_NOTE = "Where files are that were not found, say by --map FROM=TO."


def print_annotation(options: argparse.Namespace) -> int:
    """Print the lines or instructions of `--annotate FUNCTION`; return the exit code."""
    try:
        search = file_search(options)
        profile = load_profile(options.files)
        event = report_selection(profile, options).event
        function = find_function(profile, options.annotate, options.within or [])
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
