"""`gate --against`: rules against earlier revisions, so that many small steps are seen as one.

A folder has a profile for each revision, or a suite. Of the last ones, two are compared with: the
best, which has the lowest total, and the median; in suites these are others for each benchmark.
Each is a base like any other, with its own functions and lines, so that what is said of a rule is
exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from qcachegrind_py.analysis.filters.rules import Rule
from qcachegrind_py.analysis.history import best_and_median
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.cli.command_line import is_suite
from qcachegrind_py.cli.compare import matching_rules, readable_names
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import FILE_ERROR, USAGE_ERROR, CommandError, Reasons
from qcachegrind_py.cli.selection import defined_events, filter_of, folds_of, load_profile
from qcachegrind_py.formats.history_files import in_natural_order
from qcachegrind_py.formats.loading import error_text
from qcachegrind_py.formats.suites import Benchmark, Suite, find_suite
from qcachegrind_py.present.change import EarlierReport, Sides, report_sides
from qcachegrind_py.present.suite import SuiteReport
from qcachegrind_py.profile.errors import UnreadableFile
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.visible_text import print_message

_REVISIONS = 10  # the last ones, of which the best and the median are chosen


def choose_base(options: Options) -> None:
    """Make the last revision the base unless one is given.

    Raises CommandError if there is no revision, but for an optional base.
    """
    if not options.against or options.base:
        return
    options.base = _revisions(options)[-1:]
    if options.base:
        return
    what = "folder of benchmarks" if is_suite(options) else "profile"
    text = f"{options.against} has no {what}: there is no revision to compare with."
    if not options.base_optional:
        raise CommandError(FILE_ERROR, text)
    print_message(text)


def earlier_reports(
    sides: Sides, rules: Sequence[Rule], event: EventType, options: Options
) -> Iterator[EarlierReport]:
    """Yield reports of the best and the median of the last revisions, with the rules on changes.

    Raises CommandError if a file cannot be read, or none has the event.
    """
    rules = [rule for rule in rules if rule.needs_base]
    files = _revisions(options)[-_REVISIONS:]
    found = {file: _total([file], event.name, options) for file in files}
    totals = {file: total for file, total in found.items() if total is not None}
    if files and not totals:
        reason = f"no revision in {options.against} has the event {event.name}."
        raise CommandError(USAGE_ERROR, f"--against: {reason}")
    if not rules or not totals:
        return
    known = {Path(file).resolve() for file in options.base}
    best, median = (list(totals)[place] for place in best_and_median(list(totals.values())))
    which = "the best and the median" if best == median else "the best"
    for words, file in ((which, best), ("the median", median)):
        if Path(file).resolve() not in known:
            known.add(Path(file).resolve())
            yield _report(sides, rules, event, options, f"{words} of {len(totals)} revisions", file)


def _report(
    sides: Sides, rules: Sequence[Rule], event: EventType, options: Options, words: str, file: str
) -> EarlierReport:
    earlier = report_sides(
        [load_profile([file], names_siblings=False)],
        [sides.new_profile],
        matching_rules(options),
        cycles=not options.no_cycles,
        readable=readable_names(options),
        folds=folds_of(options, filter_of(options.filter, compares=True)),
    )
    queries = earlier.queries
    queries.set_user_events(defined_events(queries.events, options.events or ""))
    found = queries.events.find(event.name)
    assert found is not None  # as the total of the file was found
    nobody = np.zeros(0, np.int64)
    report = earlier.report((earlier.event_comparison(found),), nobody)
    return EarlierReport(words, file, replace(report, rules=earlier.check(rules, found)))


def _revisions(options: Options) -> list[str]:
    """Return the profiles or suites in the folder, the oldest first, without the new one."""
    folder = path_on_disk(Path(options.against)) if options.against else None
    if folder is None or not folder.is_dir():
        return []
    new = {Path(file).resolve() for file in options.files}
    is_revision = Path.is_dir if is_suite(options) else Path.is_file
    paths = [path for path in folder.iterdir() if is_revision(path) and path.name[0] != "."]
    return in_natural_order(str(path) for path in paths if path.resolve() not in new)


def _total(files: list[str], event: str, options: Options) -> int | float | None:
    """Return the total of an event in the files of a run; None if it is not there."""
    queries = ProfileQueries(load_profile(files, names_siblings=False))
    queries.set_user_events(defined_events(queries.events, options.events or ""))
    found = queries.events.find(event)
    return None if found is None else queries.total(found, None).base


# ---------------------------------------------------------------- suites


_Run: TypeAlias = tuple[str, Benchmark]  # with the name of its revision


def earlier_suites(
    progress: Progress, report: SuiteReport, options: Options, reasons: Reasons
) -> Iterator[tuple[str, dict[str, str], Suite]]:
    """Yield the best run of each benchmark, and then the median, as a suite each.

    With it come words for it, and the revision of each benchmark. A run that is the base of its
    benchmark anyway is left out, and so is a median that is the best. One that cannot be read is a
    reason.
    """
    rows = {row.name: row for row in report.rows if row.new_files and not row.problem}
    best, median = list[_Run](), list[_Run]()
    for number, (name, runs) in enumerate(_earlier_runs(rows, options, reasons).items()):
        progress.check(number / len(rows))
        totals = list[tuple[int | float, _Run]]()
        for run in runs:
            with reasons.collecting():
                total = _total(list(map(str, run[1].files)), report.event, options)
                totals += [] if total is None else [(total, run)]
        if not totals:
            continue
        known = [_resolved(rows[name].base_files)]
        places = best_and_median([total for total, _ in totals])
        for chosen, place in zip((best, median), places, strict=True):
            run = totals[place][1]
            if (files := _resolved(run[1].files)) not in known:
                known.append(files)
                chosen.append(run)
    for words, chosen in (("the best", best), ("the median", median)):
        if chosen:
            suite = Suite(Path(options.against or ""), tuple(benchmark for _, benchmark in chosen))
            revisions = {benchmark.name: revision for revision, benchmark in chosen}
            yield f"{words} of up to {_REVISIONS} revisions", revisions, suite


def _earlier_runs(
    names: Iterable[str], options: Options, reasons: Reasons
) -> dict[str, list[_Run]]:
    """Return the last runs of each benchmark, the oldest first."""
    runs: dict[str, list[_Run]] = {name: [] for name in names}
    for folder in map(Path, reversed(_revisions(options))):
        if all(len(each) == _REVISIONS for each in runs.values()):
            break
        try:
            suite = find_suite(NoProgress(), folder)
        except UnreadableFile as error:
            reasons.add(FILE_ERROR, error_text(error))
            continue
        for benchmark in suite.benchmarks:
            known = runs.get(benchmark.name)
            if known is not None and len(known) < _REVISIONS:
                known.insert(0, (folder.name, benchmark))
    return runs


def _resolved(files: Iterable[str | Path]) -> list[Path]:
    return [Path(file).resolve() for file in files]
