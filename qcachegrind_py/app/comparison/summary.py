"""What is said about a comparison: names of the sides, totals, and what else differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from qcachegrind_py.analysis.comparison.comparability import Difference
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.comparison.selections import PartComparison
from qcachegrind_py.analysis.costs.function_costs import SplitCycle
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.costs.sums import (
    GrossChange,
    gross_change,
    growing,
    shrinking,
)
from qcachegrind_py.formats.loading import display_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.change_facts import contributors_text
from qcachegrind_py.present.context import Context
from qcachegrind_py.present.parts import PartLabels
from qcachegrind_py.present.table import cell_text, short_text
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.numbers import NumberStyle, format_count, plural, unit_of, without_unit
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.loading import LoadedProfile, ReadFiles
from qcachegrind_py.views.widgets.controls import tip_text

_MAX_DETAILS = 20  # files or parts in a tip


@frozen(eq=True)
class SideName:
    """What a side is called: in a few words, and in full, one line for each file or part."""

    short: str
    details: tuple[str, ...] = ()


def side_names(loaded: LoadedProfile, compared: Comparison) -> tuple[SideName, SideName]:
    if loaded.base is None:
        profile = loaded.profile
        return _part_name(profile, compared.base), _part_name(profile, compared.new)
    base, new = distinct_names(loaded.base.chosen.paths, loaded.read.chosen.paths)
    if loaded.base.chosen == loaded.read.chosen:
        base, new = _names_by_age(loaded.base, loaded.read, new)
    return _file_name(base, loaded.base.profile), _file_name(new, loaded.read.profile)


def distinct_names(base: Sequence[Path], new: Sequence[Path]) -> tuple[str, str]:
    """Return the names of the first files, with as many folders as are needed to tell them apart.

    The number of further files follows.
    """
    paths = [Path(display_name(str(files[0]))) for files in (base, new)]
    deepest = max(len(path.parts) for path in paths)
    for depth in range(1, deepest + 1):
        names = [str(Path(*path.parts[-depth:])) for path in paths]
        if names[0] != names[1]:
            break
    else:
        names = [path.name for path in paths]  # one file twice
    one, other = (
        f"{cell_text(name)} +{len(files) - 1}" if len(files) > 1 else cell_text(name)
        for name, files in zip(names, (base, new), strict=True)
    )
    return one, other


def _names_by_age(base: ReadFiles, new: ReadFiles, name: str) -> tuple[str, str]:
    """Return the names of the same files, read before and after they changed."""
    times = [_modified(side) for side in (base, new)]
    if times[0] == times[1]:
        return name, name
    older = f"{name} before"
    return (older, name) if times[0] < times[1] else (name, older)


def _modified(side: ReadFiles) -> int:
    """Return when the last of the files was written, in ns since 1970."""
    return max((mark.modified_ns for mark in side.fingerprints.values() if mark), default=0)


def _file_name(name: str, profile: Profile) -> SideName:
    command = (f"Command: {profile.command}",) if profile.command else ()
    return SideName(name, (*_some(tuple(map(display_name, profile.paths))), *command))


def _part_name(profile: Profile, scope: Scope) -> SideName:
    labels = PartLabels(profile.parts)
    parts = sorted(scope.parts or range(len(labels)))
    if len(parts) == 1:
        return SideName(cell_text(labels[parts[0]]), (labels[parts[0]],))
    names = tuple(labels[part] for part in parts[: _MAX_DETAILS + 1])
    return SideName(f"{format_count(len(parts))} parts", _some(names, len(parts)))


def _some(lines: tuple[str, ...], count: int = 0) -> tuple[str, ...]:
    """Return the first lines, and how many of `count`, or of the lines, follow."""
    more = max(count, len(lines)) - _MAX_DETAILS
    if more <= 0:
        return lines
    return (*lines[:_MAX_DETAILS], f"… and {format_count(more)} more")


_MAX_CYCLES = 20  # that are listed
_MAX_SIZES = 5  # of the cycles of one side
_SAID_OTHERWISE = {"Events"}
_CHOSEN = {*_SAID_OTHERWISE, "Parts", "Threads"}  # where parts of one profile are compared


@frozen(eq=True)
class Comparability:
    """What differs, in words; nothing if the runs are comparable in every respect."""

    differences: tuple[Difference, ...] = ()  # between the runs
    cycles: tuple[Difference, ...] = ()  # that are others, or none, on one side alone
    cycle_count: int = 0  # of these; not all are listed


def find_differences(progress: Progress, compared: Comparison) -> Comparability:
    """Find what differs besides the costs; long for a large profile, so it belongs in a job."""
    expected = _CHOSEN if isinstance(compared, PartComparison) else _SAID_OTHERWISE
    runs = [each for each in compared.differences if each.what not in expected]
    progress.check(0.3)
    split = compared.split_cycles
    progress.check(1.0)
    cycles = tuple(_cycle_difference(each) for each in split[:_MAX_CYCLES])
    return Comparability((*_event_differences(compared), *runs), cycles, len(split))


def _event_differences(compared: Comparison) -> Iterator[Difference]:
    """Yield the events that one side lacks, in one row."""
    sides = compared.only_base, compared.only_new
    if any(sides):
        base, new = (f"{' '.join(names)} (only here)" if names else "" for names in sides)
        yield Difference("Events", base, new)


def _cycle_difference(split: SplitCycle) -> Difference:
    count = format_count(split.functions)
    what = f"Cycle {split.number} of {count} {plural(split.functions, 'function')}"
    base, new = (_alone_text(sizes) for sizes in split.alone)
    return Difference(what, base, new)


def _alone_text(sizes: Sequence[int]) -> str:
    """Return the cycles of one side alone by their sizes."""
    if not sizes:
        return "no cycle"
    shown = " + ".join(map(format_count, sizes[:_MAX_SIZES]))
    more = f" + {format_count(len(sizes) - _MAX_SIZES)} more" if len(sizes) > _MAX_SIZES else ""
    cycles = f"{format_count(len(sizes))} cycles" if len(sizes) > 1 else "a cycle"
    return f"{cycles} of {shown}{more} functions"


@frozen(eq=True)
class Summary:
    """The totals in one event; texts are empty where there is nothing to say."""

    event: str
    base: str = ""
    new: str = ""
    change: str = ""  # with its share of the base's total
    grown: str = ""
    shrunk: str = ""
    grown_by: str = ""  # how many functions make most of the growth
    shrunk_by: str = ""
    note: str = ""  # why there are no numbers, or what no function has


def summarize(
    compared: Comparison, event: EventType, style: NumberStyle, *, of_recorded: bool = True
) -> Summary:
    """Return the totals; `of_recorded` takes the recorded ones if they are larger."""
    unit = _unit(event, style)
    if event not in compared.events:
        return Summary(unit.event, note=f"{unit.event} was measured on one side only")
    base, new = _totals(compared, event, of_recorded=of_recorded)
    summary = Summary(
        unit.event,
        unit.absolute(base),
        unit.absolute(new),
        _change_text(base, new, unit),
    )
    return summary if event.is_ratio else _with_gross_change(summary, compared, event, unit)


def total_texts(
    compared: Comparison, event: EventType, style: NumberStyle, *, of_recorded: bool = True
) -> tuple[str, str]:
    base, new = _totals(compared, event, of_recorded=of_recorded)
    unit = _unit(event, style)
    return unit.absolute(base), unit.absolute(new)


def _unit(event: EventType, style: NumberStyle) -> Unit:
    name, quantity = short_text(without_unit(event.name)), unit_of(event.name, event.long_name)
    return Unit(name, 0, False, event.is_ratio, style, quantity)


def _totals(
    compared: Comparison, event: EventType, *, of_recorded: bool
) -> tuple[int | float, int | float]:
    base, new = compared.total(event)
    return (base.base, new.base) if of_recorded else (base.counted, new.counted)


def _change_text(base: int | float, new: int | float, unit: Unit) -> str:
    """Return the net change and its share of the base, unless one of them is 0."""
    if base == new:
        return "unchanged"
    change = unit.absolute_change(new - base)
    return f"{change} ({unit.growth(base, new)})" if base and new else change


def _with_gross_change(
    summary: Summary, compared: Comparison, event: EventType, unit: Unit
) -> Summary:
    functions = len(compared.pairing)
    sides = compared.self_cost(event)
    change = sides.change[:functions]
    gross = gross_change(sides.base[:functions], sides.new[:functions], change)
    return replace(
        summary,
        grown=unit.absolute_change(gross.grown),
        shrunk=unit.absolute_change(gross.shrunk),
        grown_by=contributors_text(growing(change), unit.style),
        shrunk_by=contributors_text(shrinking(change), unit.style),
        note=_remainder_text(compared, event, gross, unit),
    )


def _remainder_text(compared: Comparison, event: EventType, gross: GrossChange, unit: Unit) -> str:
    """Return what of the recorded totals no function has, if that changed; else empty."""
    base, new = (total.base for total in compared.total(event))
    remainders = base - gross.base, new - gross.new
    if remainders[0] == remainders[1]:
        return ""
    before, after = map(unit.absolute, remainders)
    return f"Not attributed to functions: {before} → {after}"


_PERCENTAGES = "Percentages of changes refer to the total of the base."


@frozen(eq=True)
class StatusWords:
    """The texts of title and status bar."""

    title: str  # what is compared
    tip: str  # the files or parts of both sides, and their commands
    parts: str
    total: str
    total_tip: str


def status_words(loaded: LoadedProfile, compared: Comparison, context: Context) -> StatusWords:
    base, new = side_names(loaded, compared)
    title = f"{new.short} vs. {base.short}"
    if loaded.base is None:
        title = f"{cell_text(loaded.read.chosen.paths[0].name)}: {title}"
    tip = tip_text("New:", *new.details, "Base:", *base.details)
    return StatusWords(title, tip, _parts_text(loaded, compared), *_total_texts(compared, context))


def _total_texts(compared: Comparison, context: Context) -> tuple[str, str]:
    """Return both totals, and what percentages are of."""
    event = context.event
    if event is None or event not in compared.events:
        return "", ""
    base, new = total_texts(compared, event, context.numbers, of_recorded=context.of_recorded)
    name = short_text(without_unit(event.title))
    return f"Total {name}: {base} → {new}", tip_text(_PERCENTAGES)


def _parts_text(loaded: LoadedProfile, compared: Comparison) -> str:
    """Return how many parts are compared: 1 → 2 of 5 parts; empty if both sides have one."""
    base, new = (len(scope.parts or ()) for scope in (compared.base, compared.new))
    if loaded.base is None:
        return f"{format_count(base)} → {_of(new, len(loaded.profile.parts))} parts"
    counts = [len(side.profile.parts) for side in (loaded.base, loaded.read)]
    if counts == [1, 1]:
        return ""
    return f"{_of(base, counts[0])} → {_of(new, counts[1])} {plural(counts[1], 'part')}"


def _of(chosen: int, count: int) -> str:
    return (
        format_count(count)
        if chosen == count
        else f"{format_count(chosen)} of {format_count(count)}"
    )
