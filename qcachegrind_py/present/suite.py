"""Two suites of benchmarks compared: a row for each benchmark, and the functions that explain them.

Each pair is read, compared and released before the next one, so that memory grows with the number
of benchmarks and not with their profiles. The few pairs in which a finding is seen best are read
again, for the lines that changed.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import Literal

import numpy as np

from qcachegrind_py.analysis.comparison.comparability import Difference
from qcachegrind_py.analysis.comparison.sides import NO_RULES, MatchingRules
from qcachegrind_py.analysis.comparison.suite import (
    ChangedFunctions,
    SharedChange,
    SharedFunction,
    cause_in_calls,
    changed_functions,
    shared_changes,
)
from qcachegrind_py.analysis.filters.conditions import Fold
from qcachegrind_py.analysis.filters.expression import (
    NO_FILTER,
    Filter,
    matching_functions,
    parse_folds,
)
from qcachegrind_py.analysis.queries import FoldedQueries
from qcachegrind_py.formats.loading import error_text, load
from qcachegrind_py.formats.suites import Benchmark, BenchmarkPair, Suite, pair_suites
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.change import ReadableNames, Sides, report_sides
from qcachegrind_py.present.exact import TEXT_STYLE
from qcachegrind_py.present.function_articles import most_changed_functions
from qcachegrind_py.present.page import Article, Verdict
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.events import EventType, EventTypes, UserEvent
from qcachegrind_py.profile.ids import FunctionId, NodeId, TextId
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.profile.profile import Diagnostic, Profile
from qcachegrind_py.profile.progress import NoProgress, PartialProgress, Progress
from qcachegrind_py.profile.tables import StringTable
from qcachegrind_py.tools.demangler import demangle_names
from qcachegrind_py.tools.sources.file_search import BaseSearch, FileSearch

_MOST_SEEN = 20  # whose lines and calls are looked up
LEAST_SHARE = 0.001  # of a benchmark: what changed less is no finding
_SEEN_WELL = 0.5  # of the largest share: a pair that is read anyway shows the finding, too

LIBC = parse_folds("libc")

State = Literal["", "new", "gone", "failed"]


@frozen(eq=True)
class SuiteChoice:
    """What is compared of each pair, and how."""

    event: str | None = None  # None: the first of both sides that counted anything
    matching: MatchingRules = NO_RULES
    folds: tuple[Fold, ...] = LIBC  # which is another one on each machine
    filter: Filter = NO_FILTER  # of the functions that explain
    cycles: bool = True
    readable: ReadableNames = frozenset()
    user_events: Callable[[EventTypes], tuple[UserEvent, ...]] = lambda _: ()


@frozen
class BenchmarkRow:
    """What is said of a benchmark; `base` and `new` are its totals, None on a side without it."""

    name: str
    base_files: tuple[str, ...]
    new_files: tuple[str, ...]
    base: int | float | None = None
    new: int | float | None = None
    functions: ChangedFunctions | None = None
    differences: tuple[Difference, ...] = ()
    damage: tuple[Diagnostic, ...] = ()
    verdicts: tuple[Verdict, ...] = ()  # of each rule, in their order
    folds: tuple[str, ...] = ()  # those that name a function here
    odd_lines: int = 0  # of its files
    problem: str = ""  # why it could not be compared
    is_unreadable: bool = False  # whether that is a file

    @property
    def state(self) -> State:
        if self.problem:
            return "failed"
        return "new" if not self.base_files else "" if self.new_files else "gone"

    @property
    def change(self) -> int | float:
        """The change of the total; 0 where there is none."""
        return 0 if self.base is None or self.new is None else self.new - self.base

    @property
    def relative(self) -> float:
        """The change as a fraction of the base; NaN where there is none."""
        if self.base is None or self.new is None:
            return math.nan
        if not self.base:
            return math.inf if self.new else 0.0
        return self.change / abs(self.base)

    @property
    def command(self) -> str:
        """The arguments of the command that compares this pair alone; empty without a pair."""
        if not (self.base_files and self.new_files):
            return ""
        if len(self.base_files) == len(self.new_files) == 1:
            words = [*self.base_files, *self.new_files]
        else:
            words = [word for file in self.base_files for word in ("--base", file)]
            words += self.new_files
        words += [word for fold in self.folds for word in ("--fold", fold)]
        return f"compare {shlex.join(words)}"


@frozen(eq=True)
class CallerPlace:
    """The place of calls whose number changed: which function calls which, file and line."""

    caller: str
    callee: str
    file: str
    line: int  # 0: not known


@frozen
class SuiteFinding:
    """One function that changed, in all benchmarks, and the places that changed in it.

    `places` are files and lines, what changed most first; they are those in one of the benchmarks,
    of which `article` shows the code.
    """

    change: SharedChange
    name: str  # to be shown
    places: tuple[tuple[str, int], ...] = ()
    article: Article | None = None
    seen_in: int = -1  # the benchmark
    caller: CallerPlace | None = None  # if the function changed as it is called more or less often
    others: tuple[SuiteFinding, ...] = ()  # functions that changed by the same calls

    @property
    def shares(self) -> dict[int, float]:
        """By how much of each benchmark all of them changed, what changed most first."""
        shares = dict[int, float]()
        for each in (self, *self.others):
            change = each.change
            for number, share in zip(change.benchmark.tolist(), change.share.tolist(), strict=True):
                shares[number] = shares.get(number, 0.0) + share
        return dict(sorted(shares.items(), key=lambda each: -abs(each[1])))

    @property
    def total(self) -> int:
        """The sum of all changes."""
        return sum(each.change.change for each in (self, *self.others))


@frozen(slots=False)
class SuiteReport:
    """All that is said of two suites; the benchmarks are in order, and findings by their rank.

    Numbers of benchmarks in findings are places in `rows`.
    """

    base: str
    new: str
    event: str
    rows: tuple[BenchmarkRow, ...]
    findings: tuple[SuiteFinding, ...] = ()
    small: int = 0  # functions that changed less than a finding
    folds: tuple[str, ...] = ()  # those that name a function in any benchmark
    notes: tuple[str, ...] = ()
    names: dict[SharedFunction, str] = field(default_factory=dict)  # to be shown
    rules: tuple[Verdict, ...] = ()  # of the whole suite
    folder: str = ""  # in which people work: paths below it are written from there
    exit_code: int = 0

    def name(self, function: SharedFunction) -> str:
        return self.names.get(function, function.name)


Check = Callable[[Sides, EventType | None], tuple[Verdict, ...]]


def no_check(_sides: Sides, _event: EventType | None) -> tuple[Verdict, ...]:
    return ()


# ---------------------------------------------------------------- reading


def compare_suites(
    progress: Progress,
    base: Suite,
    new: Suite,
    choice: SuiteChoice | None = None,
    check: Check = no_check,
) -> SuiteReport:
    """Read and compare all pairs, one after another. Raises `Cancelled`.

    `check` says what is to be said of the rules for each of them; of a benchmark that is new, the
    sides have no base. A profile that cannot be read is a problem of its row.
    """
    pairs = pair_suites(base, new)
    reader = _Reader(choice or SuiteChoice(), check)
    rows = []
    for number, pair in enumerate(pairs):
        part = PartialProgress(progress, number / len(pairs), (number + 1) / len(pairs))
        rows.append(reader.row(part, pair))
    changes = [row.functions for row in rows]
    empty = ChangedFunctions.none()
    shared = shared_changes([each or empty for each in changes], [row.base or 0 for row in rows])
    names = _shown_names([each.function for each in shared])
    findings = [each for each in shared if float(np.abs(each.share).max()) >= LEAST_SHARE]
    return SuiteReport(
        base.title,
        new.title,
        reader.event or "",
        tuple(rows),
        tuple(SuiteFinding(each, names[each.function]) for each in findings),
        len(shared) - len(findings),
        tuple(dict.fromkeys(fold for row in rows for fold in row.folds)),
        (*base.notes, *new.notes),
        names,
    )


class _Reader:
    """Compares pairs in one event, which the first of them decides."""

    def __init__(self, choice: SuiteChoice, check: Check) -> None:
        self.choice, self.event = choice, choice.event
        self._check = check
        self._functions = dict[SharedFunction, SharedFunction]()

    def row(self, progress: Progress, pair: BenchmarkPair) -> BenchmarkRow:
        files = _paths(pair.base), _paths(pair.new)
        try:
            sides = open_pair(progress, *files, self.choice)
        except ProfileError as error:
            return BenchmarkRow(pair.name, *files, problem=error_text(error), is_unreadable=True)
        event = self._event(sides)
        row = BenchmarkRow(
            pair.name,
            *files,
            differences=sides.differences,
            damage=(*(sides.base.damage if sides.base else ()), *sides.new.damage),
            verdicts=() if pair.new is None else self._check(sides, event),
            folds=_effective_folds(sides),
            odd_lines=sides.queries.profile.diagnostic_count,
        )
        if event is None:
            where = "both sides" if pair.base and pair.new else "this side"
            what = "no event" if self.event is None else f"no event {self.event}"
            return replace(row, problem=f"there is {what} on {where}")
        base, new = sides.total(event)
        return replace(
            row,
            base=None if pair.base is None else base if pair.new else new,
            new=None if pair.new is None else new,
            functions=self._changed(sides, event),
        )

    def _event(self, sides: Sides) -> EventType | None:
        """Return the event of the suite; None if the sides have not both measured it."""
        if self.event is None and (first := sides.queries.default_event(sides.events)) is not None:
            self.event = first.name
        return next((each for each in sides.events if each.name == self.event), None)

    def _changed(self, sides: Sides, event: EventType) -> ChangedFunctions | None:
        if sides.compared is None:
            return None
        among = None
        if self.choice.filter:
            among = matching_functions(self.choice.filter, sides.subject(event))
        found = changed_functions(sides.compared, event, among)
        # equal ones are kept once, so that a thousand benchmarks take the memory of one
        functions = (self._functions.setdefault(each, each) for each in found.function)
        return replace(found, function=tuple(functions))


def _effective_folds(sides: Sides) -> tuple[str, ...]:
    """Return the folds that name a function."""
    if not isinstance(queries := sides.queries, FoldedQueries):
        return ()
    return tuple(fold.text for fold in queries.folds if queries.named(fold).any())


def _paths(benchmark: Benchmark | None) -> tuple[str, ...]:
    return () if benchmark is None else tuple(map(str, benchmark.files))


def open_pair(
    progress: Progress,
    base_files: Sequence[str],
    new_files: Sequence[str],
    choice: SuiteChoice,
) -> Sides:
    """Read both profiles of a pair, or the only one. Raises what `load` raises."""
    profiles: list[Profile] = []
    files = [each for each in (base_files, new_files) if each]
    for number, some in enumerate(files):
        part = PartialProgress(progress, number / len(files), (number + 1) / len(files))
        profiles.append(load(*some, progress=part))
    *bases, new = profiles
    sides = report_sides(
        bases,
        [new],
        choice.matching,
        cycles=choice.cycles,
        readable=choice.readable,
        folds=choice.folds,
    )
    sides.queries.set_user_events(choice.user_events(sides.queries.events))
    return sides


def _shown_names(functions: Sequence[SharedFunction]) -> dict[SharedFunction, str]:
    """Return the names to be shown, readable where they are mangled."""
    names = [each.name.encode("utf-8", "surrogateescape") for each in functions]
    texts = demangle_names(StringTable.from_bytes([b"", *names]))
    shown = texts.lookup(list(map(TextId, range(1, len(names) + 1))))
    return dict(zip(functions, shown, strict=True))


# ---------------------------------------------------------------- the lines of findings


def with_places(
    progress: Progress,
    report: SuiteReport,
    choice: SuiteChoice,
    searches: tuple[FileSearch, BaseSearch],
    style: NumberStyle = TEXT_STYLE,
) -> SuiteReport:
    """Return the report with files, lines and code of its first findings. Raises `Cancelled`.

    The pairs in which these are seen best are read again. Functions that changed by the same calls
    are one finding then.
    """
    chosen = _seen_best(report.findings[:_MOST_SEEN])
    findings = list(report.findings)
    pairs = list(dict.fromkeys(chosen))
    for number, benchmark in enumerate(pairs):
        part = PartialProgress(progress, number / len(pairs), (number + 1) / len(pairs))
        row = report.rows[benchmark]
        try:
            sides = open_pair(part, row.base_files, row.new_files, choice)
        except ProfileError:  # it is gone meanwhile
            continue
        for place in (place for place, each in enumerate(chosen) if each == benchmark):
            seen = _seen(sides, report.event, findings[place], benchmark, searches, style)
            findings[place] = seen
    return replace(report, findings=tuple(_joined(findings)))


def _seen(
    sides: Sides,
    event_name: str,
    finding: SuiteFinding,
    benchmark: int,
    searches: tuple[FileSearch, BaseSearch],
    style: NumberStyle,
) -> SuiteFinding:
    """Return a finding with what is seen of it in the comparison of one benchmark."""
    compared, event = sides.compared, sides.queries.events.find(event_name)
    if compared is None or event is None:
        return finding
    function = _row_in(finding.change, benchmark)
    (article,) = most_changed_functions(
        compared,
        compared.queries.measured_event(event),
        [function],
        sides.pairs.shown,
        searches,
        NoProgress(),
        style,
    )
    site, caller = cause_in_calls(compared, event, function), None
    if site is not None:
        names = sides.pairs.shown(np.array([site.caller, site.callee]))
        file = compared.queries.profile.texts[site.file]
        caller = CallerPlace(names[0].name, names[1].name, file, site.line)
    places = tuple(_places(article))
    return replace(finding, places=places, article=article, seen_in=benchmark, caller=caller)


def _joined(findings: Sequence[SuiteFinding]) -> list[SuiteFinding]:
    """Return the findings, those that changed by the same calls as one, in their order."""
    joined = dict[object, list[SuiteFinding]]()
    for number, each in enumerate(findings):
        joined.setdefault(each.caller or number, []).append(each)
    first = (replace(each[0], others=tuple(each[1:])) for each in joined.values())
    return sorted(first, key=lambda each: -sum(map(abs, each.shares.values())))


def _seen_best(findings: Sequence[SuiteFinding]) -> list[int]:
    """Return the benchmark in which each finding is looked at, of as few as possible."""
    chosen: list[int] = []
    for each in findings:
        shares = dict(
            zip(each.change.benchmark.tolist(), np.abs(each.change.share).tolist(), strict=True)
        )
        best = max(shares, key=lambda number: shares[number])
        known = (n for n in dict.fromkeys(chosen) if shares.get(n, 0) >= _SEEN_WELL * shares[best])
        chosen.append(next(known, best))
    return chosen


def _row_in(change: SharedChange, benchmark: int) -> FunctionId:
    """Return the function in the comparison of a benchmark."""
    place = change.benchmark.tolist().index(benchmark)
    return FunctionId(NodeId(int(change.row[place])))


_MOST_PLACES = 3  # lines named of a function


def _places(article: Article) -> Iterator[tuple[str, int]]:
    """Yield the file and the number of each line whose cost changed most, in the way of the whole.

    The number is 0 if it is not known.
    """
    lines = [
        (line.costs[1] - line.costs[0], excerpt.file, line.numbers[-1] or line.numbers[0])
        for excerpt in article.excerpts
        for line in excerpt.lines
        if line.costs[0] != line.costs[1]
    ]
    grew = sum(change for change, _, _ in lines) > 0
    alike = [each for each in lines if (each[0] > 0) == grew]
    for _change, file, line in sorted(alike, key=lambda each: -abs(each[0]))[:_MOST_PLACES]:
        yield file, line
