"""`convert`: the profile, or a part of it, in the format of this or another program."""

from __future__ import annotations

from pathlib import PurePath
from typing import TextIO

from qcachegrind_py.analysis.queries import described_profile
from qcachegrind_py.cli.command_line import ending_of
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import (
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
from qcachegrind_py.formats.callgrind.writing.selection import Selection
from qcachegrind_py.profile.numbers import format_exact
from qcachegrind_py.tools.demangler import demangle_names
from qcachegrind_py.write.lines import LineReport, write_lcov, write_lines_json
from qcachegrind_py.write.stacks import (
    LEFT_OUT,
    StackReport,
    stack_report,
    write_folded,
    write_speedscope,
)

_BY_ENDING = {
    ".json": "speedscope",
    ".folded": "folded",
    ".txt": "folded",
    ".info": "lcov",
    ".lcov": "lcov",
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
    return print_output(options, saved, lambda stream: write(saved, stream.buffer, what))


def _export_stacks(options: Options) -> int:
    if options.to == "folded" and options.events and "," in options.events:
        reason = "folded stacks have one event: name it with --event, or write OUT.json"
        raise CommandError(USAGE_ERROR, f"{reason}.")
    profile = load_profile(options.files)
    selection = report_selection(profile, options, demangle_names(profile.texts))
    for event in selection.events:
        if event.is_ratio:
            reason = f"{event.name} is a ratio, which cannot be divided among stacks of calls."
            raise CommandError(USAGE_ERROR, reason)
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
