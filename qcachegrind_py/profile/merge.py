"""Merging of several profiles into one, with their parts in order.

Events are merged by name, functions by name, file and object. The Callgrind reader merges its own
files while reading; this module is for files in different formats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import EventType, EventTypes, event_types
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import (
    UNKNOWN,
    Calls,
    Costs,
    Functions,
    Int32Array,
    Int64Array,
    Jumps,
    Runs,
    StringTable,
)

_Rows = TypeVar("_Rows", Runs, Costs, Calls, Jumps)
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
    return replace(
        profile,
        parts=tuple(parts[index] for index in order),
        runs=replace(profile.runs, part=_read_only(number[profile.runs.part])),
        calls=replace(profile.calls, part=_read_only(number[profile.calls.part])),
        jumps=replace(profile.jumps, part=_read_only(number[profile.jumps.part])),
    )


# ---------------------------------------------------------------- names and events


def _in_event_order(profile: Profile, names: Sequence[str]) -> Profile:
    known = profile.events.names
    ordered = [name for name in dict.fromkeys((*names, *known)) if name in known]
    if tuple(ordered) == known:
        return profile
    rows = [known.index(name) for name in ordered]
    return replace(
        profile,
        events=_event_types(ordered, profile.events.all),
        costs=replace(profile.costs, values=_read_only(profile.costs.values[rows])),
        calls=replace(profile.calls, values=_read_only(profile.calls.values[rows])),
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


def _with_events(rows: Costs | Calls, profile: Profile, events: EventTypes) -> dict[str, Any]:
    """Return the columns with a row of values for each event of the merged profile."""
    if profile.events.names == events.names:
        values = rows.values
    else:
        values = np.zeros((len(events.names), len(rows)), np.int64)
        for name, row in zip(profile.events.names, rows.values, strict=True):
            values[events.names.index(name)] = row
    return {"line": rows.line, "address": rows.address, "values": values}


def _merge_runs(profiles: Sequence[Profile], renumbered: Sequence[dict[str, Any]]) -> Runs:
    ends = np.cumsum([0, *(len(profile.costs) for profile in profiles)])
    starts = [
        columns.pop("start")[:-1] + end for columns, end in zip(renumbered, ends, strict=False)
    ]
    start: Int64Array = _read_only(np.concatenate([*starts, ends[-1:]]))
    return Runs(start=start, **_concatenate(renumbered))


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
        joined[name] = _read_only(np.concatenate(filled, axis=-1))
    return joined


def _int32(numbers: Sequence[int]) -> Int32Array:
    return np.array(numbers, np.int32)


def _read_only(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    column.flags.writeable = False
    return column
