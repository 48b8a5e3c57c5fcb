"""The profile: everything read from one or several files, immutable, and the merging of several.

Diagnostics are odd lines of a file, with line numbers, up to 100 of each kind; the rest is counted.
Some kinds are damage: the file is cut, or some of its costs are lost. Numbers of such a file are
those of the rest, and can be compared with nothing.

When several profiles become one, events are united by name, functions by name, file and object. The
Callgrind reader unites its own files while reading; `merge_profiles` is for those of other formats.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import index
from typing import Any, SupportsIndex, TypeVar

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.contexts import NO_CONTEXT, Contexts
from qcachegrind_py.profile.events import EventType, EventTypes, event_types
from qcachegrind_py.profile.files import Fingerprint
from qcachegrind_py.profile.ids import FunctionId, function_ids, text_at, text_ids
from qcachegrind_py.profile.tables import (
    UNKNOWN,
    Calls,
    CallTargets,
    Costs,
    Functions,
    HalvedColumn,
    Int32Array,
    Int64Array,
    Jumps,
    Runs,
    StringTable,
    read_only,
)

MAX_KEPT_PER_KIND = 100
# Callgrind writes such a summary where signals or dumps interrupt it; totals then prove the costs
_SUMMARY_TOO_SMALL = "summary-too-small"
_DAMAGE = frozenset(
    (
        # the last line or the packed data is cut
        "no-line-end",
        "cut",
        "no-totals",
        "long-line",
        "broken-packing",
        # a cost line or a call was lost
        "text-after-costs",
        "call-without-cost",
        # the costs do not add up to what the file states
        "totals-differ",
        _SUMMARY_TOO_SMALL,
    )
)


@frozen(eq=True)
class Diagnostic:
    """A report about one odd line; `line` is 0 if it concerns the whole file."""

    path: str
    line: int
    kind: str
    message: str

    @property
    def place(self) -> str:
        """The file, and the line if there is one."""
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(slots=True)
class DiagnosticLog:
    """Collects diagnostics while a profile is read."""

    kept: list[Diagnostic] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    known: set[tuple[str, str]] = field(default_factory=set)  # path and kind of those retained

    def keeps(self, path: str, kind: str) -> bool:
        """Return whether the next diagnostic of this kind is retained, and not only counted.

        The first one of a file always is.
        """
        return self.counts[kind] < MAX_KEPT_PER_KIND or (path, kind) not in self.known

    def add(self, path: str, line: int, kind: str, message: str) -> None:
        """Count a diagnostic, and retain it unless there are too many of its kind."""
        if self.keeps(path, kind):
            self.kept.append(Diagnostic(path, line, kind, message))
            self.known.add((path, kind))
        self.counts[kind] += 1

    def count_more(self, kind: str, number: int) -> None:
        """Count diagnostics without details."""
        self.counts[kind] += number


@frozen(eq=True)
class Part:
    """One header with its body: a dump or a thread. Missing numbers are 0, missing texts empty."""

    path: str
    pid: int  # of the part before in its file if its header has none
    part: int
    thread: int
    creator: str
    command: str
    positions: tuple[str, ...]  # of `instr`, `bb` and `line`, in this order
    events: tuple[str, ...]  # in the order of its `events:` line
    summary: dict[str, int] | None  # by event, from the `summary:` line
    totals: dict[str, int] | None  # by event, from the `totals:` line at the end
    header: tuple[tuple[str, str], ...]  # every header line but the numbers of samples, in order
    samples: dict[str, int] | None = None  # by event, which costs are of; None: they are exact

    def description(self, kind: str) -> str:
        """Return the text of the last line `desc: KIND: text`, or an empty string."""
        texts = dict(split_description(text) for key, text in self.header if key == "desc")
        return texts.get(kind, "")

    @property
    def thread_name(self) -> str:
        """What the program calls the thread; empty if that is not recorded."""
        return self.description("Thread")

    @property
    def trigger(self) -> str:
        """The reason why the part was written, such as the end of the program."""
        return self.description("Trigger")


@frozen
class Profile:
    """A complete profile. It compares by identity, and any thread may read it."""

    paths: tuple[str, ...]
    events: EventTypes
    parts: tuple[Part, ...]
    texts: StringTable
    functions: Functions
    runs: Runs
    costs: Costs
    calls: Calls
    jumps: Jumps
    diagnostics: tuple[Diagnostic, ...]
    diagnostic_count: int  # may exceed the number of `diagnostics` retained
    fingerprints: tuple[Fingerprint, ...] = ()  # of the files at `paths` when they were opened
    call_targets: CallTargets | None = None  # None: unknown
    contexts: Contexts | None = None  # None: calls were recorded, not whole stacks

    @property
    def creator(self) -> str:
        """The program that wrote the profile."""
        return next((part.creator for part in self.parts if part.creator), "")

    @property
    def command(self) -> str:
        """The command line that was profiled."""
        return next((part.command for part in self.parts if part.command), "")

    @property
    def program_name(self) -> str:
        """The program that was profiled."""
        return program_name(self.command, self.paths[0])

    @property
    def damage(self) -> tuple[Diagnostic, ...]:
        """The first diagnostic of each file that says that it is cut or that costs are lost."""
        unproven = {part.path for part in self.parts if part.totals is None}
        damage: dict[str, Diagnostic] = {}
        for each in self.diagnostics:
            if each.kind in _DAMAGE and (each.kind != _SUMMARY_TOO_SMALL or each.path in unproven):
                damage.setdefault(each.path, each)
        return tuple(damage.values())

    def function_name(self, function: FunctionId) -> str:
        """Return the name of a function."""
        return self.texts[text_at(self.functions.name, function)]

    def named_functions(self, functions: Iterable[SupportsIndex]) -> dict[str, list[str]]:
        """Return the names, files and objects of these functions, as columns of a result."""
        rows, table = np.fromiter(map(index, functions), np.int64), self.functions
        columns = {"name": table.name, "file": table.file, "object": table.object}
        return {key: self.texts.lookup(text_ids(column[rows])) for key, column in columns.items()}

    def find(self, name: str) -> list[FunctionId]:
        """Return the functions with a name, costly or not; none if no name matches.

        Those that are called exactly so come alone, then those that differ in parameters only, then
        all whose names contain the text, whatever the case. `*` stands for any characters of a
        whole name: `Parser::*`.
        """
        numbers = text_ids(np.unique(self.functions.name))
        names = dict(zip(numbers, self.texts.lookup(numbers), strict=True))
        rules: list[Callable[[str], bool]] = [
            lambda known: known == name,
            lambda known: known.partition("(")[0] == name,
            lambda known: name.lower() in known.lower(),
        ]
        if "*" in name:
            pattern = re.compile(".*".join(map(re.escape, name.split("*"))), re.IGNORECASE)
            rules[1:] = [lambda known: pattern.fullmatch(known) is not None]
        for rule in rules:
            if found := [number for number, known in names.items() if rule(known)]:
                return function_ids(np.flatnonzero(np.isin(self.functions.name, found)))
        return []

    def __repr__(self) -> str:
        return (
            f"<Profile {', '.join(self.paths)}: {len(self.functions)} functions, "
            f"{len(self.costs)} cost lines, {len(self.calls)} calls, {len(self.parts)} parts>"
        )


def split_description(line: str) -> tuple[str, str]:
    """Return kind and text of the value of a `desc:` line; the kind is empty if it has none.

    A colon between digits, as in 12:00, ends no kind.
    """
    kind, colon, text = line.partition(":")
    if not colon or (kind[-1:].isdigit() and text[:1].isdigit()):
        return "", line.strip()
    return kind.strip(), text.strip()


def program_name(command: str, path: str) -> str:
    """Return the first word of the command, or else the file name of the profile."""
    words = command.split()
    return words[0] if words else path.replace("\\", "/").rpartition("/")[2]


_Rows = TypeVar("_Rows", Runs, Costs, Calls, Jumps, Contexts)
_RenumberedColumns = dict[str, Int32Array]  # for each column, the new number by old number
_Key = tuple[int, int, int]

_FUNCTION_COLUMNS = ("function", "caller", "callee", "target_function")
_TEXT_COLUMNS = ("file", "target_file")


@frozen
class Numbering:
    """The numbers that functions and texts of a profile get in a merged one."""

    function: Int32Array  # shape (functions,)
    text: Int32Array  # shape (texts,)


def merge_profiles(profiles: Sequence[Profile]) -> Profile:
    """Merge the profiles; a single one is returned unchanged."""
    if len(profiles) == 1:
        return profiles[0]
    texts: dict[bytes, int] = {UNKNOWN.encode(): 0}
    functions: dict[_Key, int] = {}
    numberings = [_number(profile, texts, functions) for profile in profiles]
    table = Functions(*np.array(list(functions), np.int32).reshape(-1, 3).T)
    return merge_numbered(profiles, numberings, StringTable.from_bytes(texts), table)


def merge_numbered(
    profiles: Sequence[Profile],
    numberings: Sequence[Numbering],
    texts: StringTable,
    functions: Functions,
) -> Profile:
    """Merge the profiles, whose functions and texts have these numbers in the given tables."""
    events = _merge_events(profiles)
    first_parts = np.cumsum([0, *(len(profile.parts) for profile in profiles)]).tolist()
    numbers = [
        _renumbered_columns(numbering, first, len(profile.parts))
        for profile, numbering, first in zip(profiles, numberings, first_parts, strict=False)
    ]
    lists = list(zip(profiles, numbers, strict=True))
    return Profile(
        paths=tuple(path for profile in profiles for path in profile.paths),
        events=events,
        parts=tuple(part for profile in profiles for part in profile.parts),
        texts=texts,
        functions=functions,
        runs=_merge_runs(profiles, [_with_columns(profile.runs, new) for profile, new in lists]),
        costs=Costs(**_concatenate([_with_events(p.costs, p, events) for p in profiles])),
        calls=Calls(
            **_concatenate(
                [_with_columns(p.calls, new) | _with_events(p.calls, p, events) for p, new in lists]
            )
        ),
        jumps=Jumps(**_concatenate([_with_columns(profile.jumps, new) for profile, new in lists])),
        diagnostics=tuple(diagnostic for profile in profiles for diagnostic in profile.diagnostics),
        diagnostic_count=sum(profile.diagnostic_count for profile in profiles),
        fingerprints=tuple(print_ for profile in profiles for print_ in profile.fingerprints),
        contexts=_merge_contexts(profiles, numbers, events),
    )


def in_part_order(profile: Profile) -> Profile:
    """Return the profile with its parts ordered by process, part number and thread.

    Parts that are equal in these keep their order. Events have the order in which the parts name
    them. Costs stay in file order.
    """
    parts = profile.parts
    keys = [(part.pid, part.part, part.thread) for part in parts]
    order = sorted(range(len(parts)), key=keys.__getitem__)
    if order == list(range(len(parts))):
        return profile
    profile = _in_event_order(profile, [name for index in order for name in parts[index].events])
    number = np.empty(len(parts), np.int32)
    number[order] = np.arange(len(parts), dtype=np.int32)
    contexts = profile.contexts
    return replace(
        profile,
        parts=tuple(parts[index] for index in order),
        runs=replace(profile.runs, part=read_only(number[profile.runs.part])),
        calls=replace(profile.calls, part=read_only(number[profile.calls.part])),
        jumps=replace(profile.jumps, part=read_only(number[profile.jumps.part])),
        contexts=contexts and replace(contexts, part=read_only(number[contexts.part])),
    )


# ---------------------------------------------------------------- names and events


def _in_event_order(profile: Profile, names: Sequence[str]) -> Profile:
    known = profile.events.names
    ordered = [name for name in dict.fromkeys((*names, *known)) if name in known]
    if tuple(ordered) == known:
        return profile
    rows = [known.index(name) for name in ordered]
    contexts = profile.contexts
    return replace(
        profile,
        events=_event_types(ordered, profile.events.all),
        costs=replace(profile.costs, values=read_only(profile.costs.values[rows])),
        calls=replace(profile.calls, values=read_only(profile.calls.values[rows])),
        contexts=contexts and replace(contexts, values=read_only(contexts.values[rows])),
    )


def _merge_events(profiles: Sequence[Profile]) -> EventTypes:
    measured = dict.fromkeys(name for profile in profiles for name in profile.events.names)
    return _event_types(list(measured), [e for profile in profiles for e in profile.events.all])


def _event_types(measured: list[str], events: Sequence[EventType]) -> EventTypes:
    return event_types(
        measured,
        {event.name: event.long_name for event in events if event.long_name},
        [(event.name, event.formula) for event in events if event.is_derived],
    )


def _number(profile: Profile, texts: dict[bytes, int], functions: dict[_Key, int]) -> Numbering:
    """Number texts and functions of the profile, adding new ones."""
    text = _int32([texts.setdefault(word, len(texts)) for word in profile.texts.raw_strings()])
    table = profile.functions
    columns = (table.name, table.file, table.object)
    keys = zip(*(text[column].tolist() for column in columns), strict=True)
    return Numbering(_int32([functions.setdefault(key, len(functions)) for key in keys]), text)


def _renumbered_columns(numbering: Numbering, first_part: int, parts: int) -> _RenumberedColumns:
    return (
        dict.fromkeys(_FUNCTION_COLUMNS, numbering.function)
        | dict.fromkeys(_TEXT_COLUMNS, numbering.text)
        | {"part": np.arange(first_part, first_part + parts, dtype=np.int32)}
    )


# ---------------------------------------------------------------- columns


def _with_columns(rows: _Rows, new: _RenumberedColumns) -> dict[str, Any]:
    columns = {field.name: getattr(rows, field.name) for field in fields(rows)}
    return columns | {name: new[name][columns[name]] for name in columns if name in new}


def _with_events(
    rows: Costs | Calls | Contexts, profile: Profile, events: EventTypes
) -> dict[str, Any]:
    """Return the columns with a row of values for each event of the merged profile."""
    if profile.events.names == events.names:
        values = rows.values
    else:
        values = np.zeros((len(events.names), len(rows)), np.int64)
        for row, name in enumerate(profile.events.names):
            values[events.names.index(name)] = rows.values[row]
    return {"line": rows.line, "address": rows.address, "values": values}


def _merge_runs(profiles: Sequence[Profile], renumbered: Sequence[dict[str, Any]]) -> Runs:
    ends = np.cumsum([0, *(len(profile.costs) for profile in profiles)])
    starts = [
        columns.pop("start")[:-1] + end for columns, end in zip(renumbered, ends, strict=False)
    ]
    start: Int64Array = read_only(np.concatenate([*starts, ends[-1:]]))
    return Runs(start=start, **_concatenate(renumbered))


def _merge_contexts(
    profiles: Sequence[Profile], numbers: Sequence[_RenumberedColumns], events: EventTypes
) -> Contexts | None:
    """Return the contexts of all profiles; None if one of them has none."""
    tables, first = list[dict[str, Any]](), 0
    for profile, new in zip(profiles, numbers, strict=True):
        contexts = profile.contexts
        if contexts is None:
            return None
        columns = _with_columns(contexts, new) | _with_events(contexts, profile, events)
        columns["parent"] = np.where(contexts.parent < 0, NO_CONTEXT, contexts.parent + first)
        columns["end"] = contexts.end + first
        tables.append(columns)
        first += len(contexts)
    return Contexts(**_concatenate(tables))


def _concatenate(tables: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Concatenate the columns; missing addresses are 0 if any table has addresses."""
    joined: dict[str, Any] = {}
    for name in tables[0]:
        columns = [table[name] for table in tables]
        if all(column is None for column in columns):
            joined[name] = None
            continue
        rows = [len(next(iter(table.values()))) for table in tables]
        filled = [
            np.zeros(length, np.uint64) if column is None else column
            for column, length in zip(columns, rows, strict=True)
        ]
        halved = [column for column in filled if isinstance(column, HalvedColumn)]
        if len(halved) == len(filled):
            joined[name] = HalvedColumn.joined(halved)
        else:
            joined[name] = read_only(np.concatenate(filled, axis=-1))
    return joined


def _int32(numbers: Sequence[int]) -> Int32Array:
    return np.array(numbers, np.int32)
