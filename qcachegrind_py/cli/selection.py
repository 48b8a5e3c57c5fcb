"""What options select: the files that are read, their functions, events, parts and order."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.conditions import Fold, FoldKind
from qcachegrind_py.analysis.filters.expression import (
    NO_FILTER,
    Filter,
    parse_filter,
    parse_folds,
)
from qcachegrind_py.analysis.queries import FoldedQueries, ProfileQueries, with_folds
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import FILE_ERROR, USAGE_ERROR, CommandError
from qcachegrind_py.formats.loading import error_text, is_temporary, load
from qcachegrind_py.formats.run_files import run_files
from qcachegrind_py.present.facts import folding_note
from qcachegrind_py.present.selection import Order, ReportSelection, SortKey
from qcachegrind_py.profile.errors import (
    FilterError,
    FormulaError,
    IsADirectory,
    IsAnArchive,
    PathRuleError,
    ProfileError,
    TooLargeForMemory,
    UnreadableFile,
)
from qcachegrind_py.profile.events import (
    EventType,
    EventTypes,
    UserEvent,
    check_user_event,
    zeros_passed_over,
)
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.numbers import has_percentages, why_no_percentages
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.profile.tables import StringTable
from qcachegrind_py.tools.demangler import demangle_names
from qcachegrind_py.tools.git import is_revision
from qcachegrind_py.tools.sources.file_search import (
    BaseSearch,
    FileSearch,
    PathRule,
    SearchFolder,
    parse_rule,
)
from qcachegrind_py.visible_text import print_message

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
NOTHING_MATCHES = "--filter {}: no function matches."
_SORT_KEYS: tuple[SortKey, ...] = ("inclusive", "self", "called", "name")
_MAX_NAMES = 10  # of profiles to choose from in a message
_MAX_SIBLINGS = 3  # named in a message, as all of them can be read with one word

# ---------------------------------------------------------------- files


def load_profile(files: list[str], *, names_siblings: bool = True) -> Profile:
    """Load the profile; raises CommandError if a file cannot be read.

    A message names the other files of the run, unless `names_siblings` is False.
    """
    hint = siblings_hint(files) if names_siblings else ""
    try:
        profile = load(*files)
    except ProfileError as error:
        hint = error_hint(error) or hint
        text = error_text(error)
        raise CommandError(FILE_ERROR, f"{text} {hint}".rstrip()) from error
    if hint:
        print_message(hint)
    return profile


def with_siblings(files: Sequence[str]) -> list[str]:
    """Return the files and the others of their runs, without empty ones, each once."""
    return list(map(str, run_files(files)))


def siblings_hint(files: Sequence[str]) -> str:
    """Return which files of the same runs are not among these; empty if there are none."""
    named = set(map(Path, files))
    others = [path for path in run_files(files) if path not in named]
    if not others:
        return ""
    files_, them = ("file", "it") if len(others) == 1 else ("files", "them")
    names = _listed([path.name for path in others], _MAX_SIBLINGS)
    return f"{len(others):,} other {files_} of this run: {names}. --siblings reads {them}, too."


def error_hint(error: ProfileError) -> str:
    """Return what to name or allow instead: profiles in a folder or archive, memory; or nothing."""
    if isinstance(error, TooLargeForMemory):
        return "Allow more with --max-memory SIZE, or any amount with --max-memory none."
    if not isinstance(error, IsADirectory | IsAnArchive) or is_temporary(Path(error.path)):
        path = Path(getattr(error, "path", ""))
        is_missing = isinstance(error, UnreadableFile) and not path.exists()
        return _similar_file(path) if is_missing else ""
    from qcachegrind_py.formats.run_files import find_archived_profiles, find_profiles

    place, problem = Path(error.path), None
    try:
        if isinstance(error, IsADirectory):
            found = find_profiles(NoProgress(), place)
        else:
            found, problem = find_archived_profiles(NoProgress(), place)
    except UnreadableFile:
        return ""
    sentences = [] if problem is None else [str(problem)]
    if found:
        names = _listed([str(profile.path) for profile in found], _MAX_NAMES)
        sentences.append(f"Name one of its profiles: {names}.")
    return " ".join(sentences) or "There is no profile in it."


def _similar_file(path: Path) -> str:
    """Return a file beside it that is spelled much alike, as a question; empty if there is none."""
    try:
        names = [each.name for each in path.parent.iterdir()]
    except OSError:
        return ""
    near = get_close_matches(path.name, names, 1, 0.8)
    return f"Did you mean {path.with_name(near[0])}?" if near else ""


def _listed(all_names: Sequence[str], most: int) -> str:
    names = list(all_names[:most])
    if more := len(all_names) - len(names):
        names.append(f"{more:,} more")
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def file_search(options: Options) -> FileSearch:
    """Return the search locations of files; raises CommandError if a `--map` is invalid.

    What goes to a terminal shows any source, as a window does; what is written does not.
    """
    rules = _path_rules("--map", options.map)
    folders = (str(path_on_disk(Path(path)).parent) for path in options.files)
    searched = (SearchFolder(str(Path(folder).absolute())) for folder in options.include)
    return FileSearch(
        rules,
        tuple(searched),
        bases=(*dict.fromkeys(folders), "."),
        is_for_writing=options.output is not None or sys.stdout is None or not sys.stdout.isatty(),
    )


def base_search(options: Options) -> BaseSearch:
    """Return where sources of the base are; raises CommandError if an option is invalid."""
    revision = options.base_revision
    if revision is not None and not is_revision(revision):
        reason = "--base-revision takes one commit, such as v1.2 or HEAD~3"
        raise CommandError(USAGE_ERROR, reason)
    return BaseSearch(_path_rules("--base-map", options.base_map), revision or "")


def _path_rules(option: str, texts: Sequence[str]) -> tuple[PathRule, ...]:
    try:
        return tuple(map(parse_rule, texts))
    except PathRuleError as error:
        raise CommandError(USAGE_ERROR, f"{option} {error}") from error


# ---------------------------------------------------------------- what a report is about


def report_selection(
    profile: Profile, options: Options, texts: StringTable | None = None
) -> ReportSelection:
    """Return what the report is about; raises CommandError if the profile lacks some of it.

    `texts` are the names that filter and folds search, by default the demangled ones.
    """
    filter_ = filter_of(options.filter)
    folds = folds_of(options, filter_)
    shown = None
    if is_readable(options):
        texts = shown = demangle_names(profile.texts)
    elif texts is None and (filter_ or folds or options.by == "class"):
        texts = demangle_names(profile.texts)
    parts = parts_of(options.parts, len(profile.parts))
    scope = Scope(None if parts is None else frozenset(parts), cycles=not options.no_cycles)
    queries = ProfileQueries(profile, texts)
    queries.set_user_events(defined_events(profile.events, options.events or ""))
    queries = with_folds(queries, folds)
    report_idle_folds(queries)
    events = events_of(queries, options)
    if options.to != "callgrind" or filter_:  # nothing else of what is saved depends on an event
        report_zeros(queries.events.all, events, options)
    sorting = sorting_of(queries.events, options.sort)
    selection = ReportSelection(
        queries,
        events,
        scope,
        sorting.order,
        filter_,
        options.threshold if sorting.threshold is None else sorting.threshold,
        options.limit,
        options.percent,
        sorting.further,
        shown,
    )
    _check_threshold(selection)
    _check_filter(selection, options)
    return selection


def is_readable(options: Options) -> bool:
    """Return whether people read the names, and not a program, or whoever wants mangled ones."""
    is_text = options.format in ("text", "rules") or options.task == "explain"
    return is_text and not options.mangled


def _check_threshold(selection: ReportSelection) -> None:
    for event in selection.thresholds:
        if not has_percentages(total := selection.total(event)):
            reason = why_no_percentages(event.name, total)
            raise CommandError(USAGE_ERROR, f"--threshold: {reason}.")


def _check_filter(selection: ReportSelection, options: Options) -> None:
    """Say that no function passes the filter; raises CommandError if it cannot be evaluated.

    An empty list is an answer, but there is nothing to be saved of it.
    """
    try:
        visible = selection.visible
    except FilterError as error:
        raise CommandError(USAGE_ERROR, f"--filter {error}") from error
    if visible is None or visible.any():
        return
    reason = NOTHING_MATCHES.format(options.filter)
    if options.to in ("callgrind", "folded", "speedscope", "parquet"):
        raise CommandError(USAGE_ERROR, reason)
    print_message(reason)


def defined_events(events: EventTypes, text: str) -> tuple[UserEvent, ...]:
    """Return the events that `--events` defines, as in `Ir,IPD=Ir/Dr`.

    Raises CommandError if a formula is invalid.
    """
    defined: list[UserEvent] = []
    for word in _event_words(text):
        name, equals, formula = word.partition("=")
        if not equals or events.find(word) is not None:
            continue
        event = UserEvent(name.strip(), "", formula.strip())
        try:
            check_user_event(event, events, defined)
        except FormulaError as error:
            raise CommandError(USAGE_ERROR, f"--events: {error}") from error
        defined.append(event)
    return tuple(defined)


def _event_words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


def events_of(queries: ProfileQueries, options: Options) -> tuple[EventType, ...]:
    """Return the events to show, by default the first that counted anything; none without any."""
    events = queries.events
    if options.events is None:
        default = queries.default_event()
        if options.event is not None:
            default = find_event(events, options.event)
        return () if default is None else (default,)
    if options.events == "all" and events.find("all") is None:
        return events.measured
    names = (
        word if events.find(word) else word.partition("=")[0].strip()
        for word in _event_words(options.events)
    )
    return tuple(find_event(events, name) for name in dict.fromkeys(names))


def report_zeros(events: Sequence[EventType], shown: Sequence[EventType], options: Options) -> None:
    """Print a message if the default event is not the first, which counted nothing."""
    is_default = options.event is None and options.events is None
    passed_over = zeros_passed_over(events, shown[0]) if is_default and shown else ""
    if passed_over:
        print_message(passed_over)


def find_event(events: EventTypes, name: str) -> EventType:
    """Return the event of that name; raises CommandError if there is none."""
    event = events.find(name)
    if event is None:
        names = _names_of(events)
        reason = f"there are: {names}." if names else "the profile has none."
        raise CommandError(USAGE_ERROR, f"Unknown event {name}; {reason}")
    return event


def _names_of(events: EventTypes) -> str:
    return ", ".join(event.name for event in events.all)


_SHARE = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,9})?%?")


class Sorting(NamedTuple):
    """An order, and the percentages that it asks for of its events: of the first, and of others."""

    order: Order
    threshold: Fraction | None = None
    further: tuple[tuple[EventType, Fraction], ...] = ()


def sorting_of(events: EventTypes, text: str | None) -> Sorting:
    """Return the order of a text such as `self`, `Dw`, `Dw:inclusive` or `Ir:80,D1mr:95`.

    Functions are ordered by the first event, those of equal costs by the next. As many are in the
    report as it takes to reach these percentages of the events. Raises CommandError.
    """
    if text is None:
        return Sorting(Order())
    words = [text] if events.find(text) is not None else _event_words(text)
    (first, threshold), *others = (_order_and_share(events, word) for word in words)
    further = [(order.event, share) for order, share in others if order.event is not None]
    order = replace(first, ties=tuple(event for event, _ in further))
    return Sorting(
        order, threshold, tuple((event, share) for event, share in further if share is not None)
    )


def _order_and_share(events: EventTypes, word: str) -> tuple[Order, Fraction | None]:
    name, _, end = word.rpartition(":")
    if not name or events.find(word) is not None or not _SHARE.fullmatch(end):
        return order_of(events, word), None
    share = Fraction(end.removesuffix("%"))
    if share > 100:
        raise CommandError(USAGE_ERROR, f"--sort {word}: a percentage is at most 100.")
    return order_of(events, name), share


def order_of(events: EventTypes, text: str) -> Order:
    """Return the order of a text such as `self`, `Dw` or `Dw:inclusive`."""
    for key in _SORT_KEYS:
        if text == key:
            return Order(key)
    name, _, suffix = text.rpartition(":")
    if name and events.find(text) is None:
        if suffix == "inclusive":
            return Order("inclusive", find_event(events, name))
        if suffix == "self":
            return Order("self", find_event(events, name))
    if events.find(text) is None:
        listed = f"{', '.join(_SORT_KEYS)}, or by one of the events {_names_of(events)}"
        raise CommandError(USAGE_ERROR, f"--sort {text}: functions are sorted by {listed}.")
    return Order("self", find_event(events, text))


def filter_of(text: str | None, *, compares: bool = False) -> Filter:
    """Return the filter of a text, as in the window; raises CommandError if it is invalid.

    Terms about changes are invalid unless it `compares`.
    """
    try:
        return parse_filter(text, compares=compares) if text else NO_FILTER
    except FilterError as error:
        raise CommandError(USAGE_ERROR, f"--filter {error}") from error


def parts_of(text: str | None, count: int) -> tuple[PartId, ...] | None:
    """Return the part ids of a text such as `1,3-5`; None if there is no text."""
    if text is None:
        return None
    parts: set[PartId] = set()
    for word in text.split(","):
        match = _RANGE.fullmatch(word.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last <= count:
            existing = "there is only part 1" if count == 1 else f"there are parts 1 to {count}"
            hint = "" if match and first <= last else "; write them as 1,3 or 2-5"
            raise CommandError(USAGE_ERROR, f"--parts {text}: {existing}{hint}.")
        parts.update(map(PartId, range(first - 1, last)))
    return tuple(sorted(parts))


# ---------------------------------------------------------------- folds


def folds_of(options: Options, filter_: Filter) -> tuple[Fold, ...]:
    """Return the folds of the options, each once; raises CommandError if one is invalid."""
    try:
        given = [fold for text in options.fold for fold in parse_folds(text)]
    except FilterError as error:
        raise CommandError(USAGE_ERROR, f"--fold {error}") from error
    return tuple({fold.text: fold for fold in (*given, *filter_.folds)}.values())


def report_idle_folds(queries: ProfileQueries) -> None:
    """Print a message for each fold that names no function."""
    if isinstance(queries, FoldedQueries):
        for fold in queries.folds:
            if not queries.named(fold).any():
                print_message(f"{fold.text}: {_NOTHING[fold.kind]}")


def fold_notes(selection: ReportSelection, *, of_lines: bool = False) -> list[str]:
    """Return what to say on standard error of estimates, for forms that have no place for it."""
    note = folding_note(selection.queries, selection.scope, of_lines=of_lines)
    return [note] if note else []


_NOTHING = {
    FoldKind.FOLD: "no function matches.",
    FoldKind.ONLY: "no function matches, and all that have callers are folded.",
    FoldKind.COLLAPSE: "no function of a recursion cycle matches.",
}
