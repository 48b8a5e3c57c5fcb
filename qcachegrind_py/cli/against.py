"""`gate --against`: rules against earlier revisions, so that many small steps are seen as one.

A folder has a profile for each revision. Of the last ones, two are compared with: the best, which
has the lowest total, and the median. Each is a base like any other, with its own functions and
lines, so that what is said of a rule is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.filters.rules import Rule
from qcachegrind_py.analysis.history import best_and_median
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.cli.compare import matching_rules, readable_names
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import FILE_ERROR, USAGE_ERROR, CommandError
from qcachegrind_py.cli.selection import defined_events, filter_of, folds_of, load_profile
from qcachegrind_py.formats.history_files import in_natural_order
from qcachegrind_py.present.change import EarlierReport, Sides, report_sides
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.files import path_on_disk
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
    text = f"{options.against} has no profile: there is no revision to compare with."
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
    totals = {file: each for file in files if (each := _total(file, event, options)) is not None}
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
    """Return the profiles in the folder, the oldest first; none of them is the new profile."""
    folder = path_on_disk(Path(options.against)) if options.against else None
    if folder is None or not folder.is_dir():
        return []
    new = {Path(file).resolve() for file in options.files}
    files = [path for path in folder.iterdir() if path.is_file() and path.name[0] != "."]
    return in_natural_order(str(path) for path in files if path.resolve() not in new)


def _total(file: str, event: EventType, options: Options) -> int | float | None:
    """Return the total of an event in a file; None if it is not there."""
    queries = ProfileQueries(load_profile([file], names_siblings=False))
    queries.set_user_events(defined_events(queries.events, options.events or ""))
    found = queries.events.find(event.name)
    return None if found is None else queries.total(found, None).base
