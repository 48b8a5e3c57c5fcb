"""Facts about a profile as a whole: who wrote it, of which run, what was measured, how much of it.

A profile of several parts states most of them more than once; equal statements are given once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from itertools import zip_longest
from pathlib import Path
from typing import TypeVar

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import has_call_counts
from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.analysis.costs.totals import Total, part_totals, total
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.files import archive_and_member
from qcachegrind_py.profile.ids import UNKNOWN_TEXT
from qcachegrind_py.profile.profile import Diagnostic, Part, Profile, split_description
from qcachegrind_py.profile.tables import Int32Array, Int64Array

_KINDS_OF_PARTS = ("Timerange", "Trigger", "Thread")  # `desc:` lines that describe one part
_T = TypeVar("_T")


@frozen(eq=True)
class FileFacts:
    """One file of the profile."""

    path: str
    size: int | None  # bytes on disk, compressed if the file is; None if it is not known


@frozen(eq=True)
class PartFacts:
    """One part. Missing numbers are 0, missing texts empty."""

    path: str
    pid: int
    part: int
    thread: int
    trigger: str  # why it was written
    time_range: str  # as recorded, such as `Basic block 0 - 338035`
    totals: tuple[int, ...]  # sums of the self costs, one for each measured event
    is_counted: bool  # whether the totals of the events include it
    thread_name: str = ""


@frozen(eq=True)
class EventFacts:
    """One event with its total over the counted parts."""

    type: EventType
    total: Total


@frozen(eq=True)
class Counts:
    """How much a profile contains."""

    functions: int
    files: int  # source files with a name
    objects: int  # programs and libraries with a name
    calls: int  # executed; 0 if they are not counted
    active_calls: int  # entries of calls that were still running when the profile was written


@frozen(eq=True)
class ProfileFacts:
    """All facts of a profile; tuples are in the order of its parts."""

    files: tuple[FileFacts, ...]
    creators: tuple[str, ...]
    commands: tuple[str, ...]
    pids: tuple[int, ...]
    descriptions: tuple[tuple[str, str], ...]  # kind and text: `desc:` lines of the whole run
    parts: tuple[PartFacts, ...]
    events: tuple[EventFacts, ...]  # the measured ones, then the derived ones
    counts: Counts
    diagnostic_count: int
    damage: tuple[Diagnostic, ...] = ()  # the first of each file that is cut or lacks costs
    reading_seconds: float | None = field(default=None, compare=False)  # None: not measured


def profile_facts(
    profile: Profile,
    parts: Parts = None,
    events: EventTypes | None = None,
    reading_seconds: float | None = None,
) -> ProfileFacts:
    """Collect the facts of a profile.

    Totals of events are over `parts`, all other facts are of the whole profile. `events` is the
    event table, by default the profile's. `reading_seconds` is how long reading took, which the
    profile does not know.
    """
    totals = part_totals(profile)
    events = profile.events if events is None else events
    return ProfileFacts(
        files=tuple(
            FileFacts(path, print_.size if print_ and not archive_and_member(Path(path)) else None)
            for path, print_ in zip_longest(profile.paths, profile.fingerprints)
        ),
        creators=_distinct(part.creator for part in profile.parts),
        commands=_distinct(part.command for part in profile.parts),
        pids=_distinct([part.pid for part in profile.parts]),
        descriptions=_distinct(line for part in profile.parts for line in _descriptions(part)),
        parts=_part_facts(profile, parts, totals),
        events=tuple(
            EventFacts(event, total(profile, event, parts, events, totals)) for event in events.all
        ),
        counts=_counts(profile),
        diagnostic_count=profile.diagnostic_count,
        damage=profile.damage,
        reading_seconds=reading_seconds,
    )


def _distinct(values: Iterable[_T]) -> tuple[_T, ...]:
    """Return the values that are not empty or 0, each once, in order."""
    return tuple(dict.fromkeys(value for value in values if value))


def _descriptions(part: Part) -> Iterable[tuple[str, str]]:
    """Yield kind and text of the `desc:` lines that are not about this part alone.

    A line without a colon is all text.
    """
    for key, line in part.header:
        if key == "desc":
            kind, text = split_description(line)
            if text and kind not in _KINDS_OF_PARTS:
                yield kind, text


def _part_facts(profile: Profile, counted: Parts, totals: Int64Array) -> tuple[PartFacts, ...]:
    return tuple(
        PartFacts(
            path=part.path,
            pid=part.pid,
            part=part.part,
            thread=part.thread,
            trigger=part.trigger,
            time_range=part.description("Timerange"),
            totals=tuple(totals[:, index].tolist()),
            is_counted=counted is None or index in counted,
            thread_name=part.thread_name,
        )
        for index, part in enumerate(profile.parts)
    )


def _counts(profile: Profile) -> Counts:
    functions, calls = profile.functions, profile.calls
    return Counts(
        functions=len(functions),
        files=_count_names(profile, functions.file, profile.runs.file, calls.file),
        objects=_count_names(profile, functions.object),
        calls=int(calls.count.sum()),
        active_calls=int(np.count_nonzero(calls.count == 0)) if has_call_counts(profile) else 0,
    )


def _count_names(profile: Profile, *columns: Int32Array) -> int:
    """Count the different texts of the columns, without the unknown name."""
    is_used = np.zeros(len(profile.texts), bool)  # np.unique would sort millions of calls
    for column in columns:
        is_used[column] = True
    is_used[UNKNOWN_TEXT] = False
    return int(np.count_nonzero(is_used))
