"""`convert`: the profile, or a part of it, in the format of this or another program."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, TextIO

import numpy as np

from qcachegrind_py.analysis.queries import described_profile
from qcachegrind_py.cli.command_line import ending_of
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import (
    FILE_ERROR,
    STANDARD_OUTPUT,
    USAGE_ERROR,
    CommandError,
    print_output,
    report_error,
)
from qcachegrind_py.cli.selection import (
    file_search,
    fold_notes,
    load_profile,
    parts_of,
    report_selection,
)
from qcachegrind_py.formats.callgrind.writing.profile_writer import write
from qcachegrind_py.formats.callgrind.writing.selection import STACKS_ARE_LOST, Selection
from qcachegrind_py.formats.loading import display_name
from qcachegrind_py.present.exact import recorded_names
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.errors import UnwritableFile
from qcachegrind_py.profile.numbers import format_exact
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.tools.demangler import demangle_names
from qcachegrind_py.write.lines import LineReport, write_lcov, write_lines_json
from qcachegrind_py.write.stacks import (
    LEFT_OUT,
    StackReport,
    stack_report,
    write_folded,
    write_speedscope,
)

if TYPE_CHECKING:  # imported where a run is stored
    from qcachegrind_py.formats.stored_runs import RunSums

_BY_ENDING = {
    ".json": "speedscope",
    ".folded": "folded",
    ".txt": "folded",
    ".info": "lcov",
    ".lcov": "lcov",
    ".parquet": "parquet",
}
_OF_OTHERS = {".svg", ".png", ".pdf", ".dot", ".html", ".csv", ".tsv", ".md", ".speedscope"}


def run(options: Options) -> int:
    """Write `-o OUT` in the format of its ending or of `--to`; return the exit code."""
    try:
        options.to = options.to or _format_of(options.output or "")
        if options.merge and options.to != "callgrind":
            raise CommandError(USAGE_ERROR, f"--merge is for callgrind, not for {options.to}.")
        match options.to:
            case "callgrind":
                return _save(options)
            case "folded" | "speedscope":
                return _export_stacks(options)
            case "parquet":
                return _store(options)
            case _:
                return _export_lines(options)
    except CommandError as error:
        return report_error(error)


def _format_of(output: str) -> str:
    """Return the format that the ending of a file names; raises CommandError for a foreign one."""
    ending = ending_of(output)
    if ending in _OF_OTHERS:
        reason = f"convert has no format for {ending}; --to chooses one, whatever the ending."
        raise CommandError(USAGE_ERROR, reason)
    return _BY_ENDING.get(ending, "callgrind")


def _save(options: Options) -> int:
    profile = load_profile(options.files)
    parts = parts_of(options.parts, len(profile.parts))
    selection = report_selection(profile, options)
    saved = described_profile(selection.queries)
    what = Selection(parts, options.merge, selection.visible)
    lost = [] if profile.contexts is None else [f"{STACKS_ARE_LOST} --to speedscope keeps stacks."]
    return print_output(options, saved, lambda stream: write(saved, stream.buffer, what), *lost)


def _store(options: Options) -> int:
    """Write the functions of the run, in all measured events unless some are chosen."""
    from qcachegrind_py.formats.stored_runs import stored_bytes

    if options.event is None and options.events is None:
        options.events = "all"
    profile = load_profile(options.files)
    selection = report_selection(profile, options)
    _check_not_ratios(selection, "whose sums a table would get wrong")
    output = PurePath(options.output or STANDARD_OUTPUT)
    read = PurePath(display_name(profile.paths[0]))
    run = read.name if output.name == STANDARD_OUTPUT else output.name.removesuffix(output.suffix)
    try:
        stored = stored_bytes(_run_sums(selection, profile, run), str(output))
    except OverflowError:
        reason = "a cost exceeds the 64 bits that a number has in Parquet files."
        raise CommandError(USAGE_ERROR, reason) from None
    except UnwritableFile as error:
        raise CommandError(FILE_ERROR, str(error)) from error
    notes = fold_notes(selection)
    return print_output(options, profile, lambda stream: stream.buffer.write(stored), *notes)


def _run_sums(selection: ReportSelection, profile: Profile, run: str) -> RunSums:
    from qcachegrind_py.formats.stored_runs import RunSums

    rows, events = np.sort(selection.functions), selection.events
    costs = selection.queries.costs(selection.scope)
    return RunSums(
        run,
        datetime.fromtimestamp(profile.fingerprints[0].modified_ns // 10**9, UTC),
        profile.command,
        profile.creator,
        list(zip(*recorded_names(selection.profile, rows), strict=True)),
        costs.called[rows] if costs.has_call_counts else None,
        [event.name for event in events],
        np.array([selection.total(event) for event in events], np.int64),
        np.array([selection.self_cost(event)[rows] for event in events], np.int64),
        np.array([selection.inclusive(event)[rows] for event in events], np.int64),
    )


def _export_stacks(options: Options) -> int:
    if options.to == "folded" and options.events and "," in options.events:
        reason = "folded stacks have one event: name it with --event, or write OUT.json"
        raise CommandError(USAGE_ERROR, f"{reason}.")
    profile = load_profile(options.files)
    selection = report_selection(profile, options, demangle_names(profile.texts))
    _check_not_ratios(selection, "which cannot be divided among stacks of calls")
    reports = [
        stack_report(selection.queries, event, selection.scope, selection.filter)
        for event in selection.events
    ]

    def write_stacks(stream: TextIO) -> None:
        if options.to == "speedscope":
            name = PurePath(profile.program_name).name if reports else ""
            write_speedscope(reports, name, stream)
        else:
            for report in reports:
                write_folded(report, stream)

    left_out = [_left_out(report) for report in reports if report.left_out]
    if options.to == "folded":
        left_out += [_too_deep(report) for report in reports if report.too_deep]
    return print_output(options, profile, write_stacks, *left_out, *fold_notes(selection))


def _check_not_ratios(selection: ReportSelection, reason: str) -> None:
    for event in selection.events:
        if event.is_ratio:
            raise CommandError(USAGE_ERROR, f"{event.name} is a ratio, {reason}.")


def _too_deep(report: StackReport) -> str:
    cost = format_exact(report.too_deep, report.event.name)
    return (
        f"Stacks that cost {cost} in all are too deep to be written whole: only their functions "
        f"are, below {LEFT_OUT}. A file for speedscope, OUT.json, has all of them."
    )


def _left_out(report: StackReport) -> str:
    cost = format_exact(report.left_out, report.event.name)
    return f"Stacks that cost {cost} in all are left out: viewers cannot draw negative costs."


def _export_lines(options: Options) -> int:
    search = file_search(options)
    profile = load_profile(options.files)
    report = LineReport(report_selection(profile, options), search)
    event = report.selection.event
    if options.to == "lcov" and event is not None and event.is_ratio:
        raise CommandError(USAGE_ERROR, f"{event.name} is a ratio, and lcov has whole numbers.")
    write_lines = write_lcov if options.to == "lcov" else write_lines_json
    notes = fold_notes(report.selection, of_lines=True)
    return print_output(options, profile, lambda stream: write_lines(report, stream), *notes)
