"""Makes the two sides of a report from two profiles, and pairs their functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.merge import merge_profiles
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.reports.comparison.collection import ComparedProfiles
from qcachegrind_py.reports.comparison.contents import (
    Effects,
    FunctionName,
    FunctionPairs,
    RenameProposal,
    ReportSide,
    SideDifference,
)
from qcachegrind_py.tools.demangler import demangle_names


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Both profiles as they were read, and as one; `base` is None if there is none."""

    profiles: ComparedProfiles
    base: ReportSide | None
    new: ReportSide
    differences: tuple[SideDifference, ...]
    events_only_base: tuple[str, ...]
    events_only_new: tuple[str, ...]
    proposals: tuple[RenameProposal, ...]


def compared_sides(
    base: Profile | None, new: Profile, *, cycles: bool = True, with_readable_names: bool = False
) -> Sides:
    """Pair the functions of two profiles, or prepare a report of the new one alone.

    Filters and rules find recorded names, or readable ones, which take a while for C++ and Rust.
    """
    profile = new if base is None else merge_profiles([new, base])
    new_parts = frozenset(map(PartId, range(len(new.parts))))
    base_parts = frozenset(map(PartId, range(len(new.parts), len(profile.parts))))
    frame = new_parts | base_parts
    texts = demangle_names(profile.texts) if with_readable_names else None
    queries = ProfileQueries(profile, texts)
    profiles = ComparedProfiles(
        queries,
        None if base is None else Scope(base_parts, cycles, frame=frame),
        Scope(new_parts, cycles, frame=frame),
        frozenset(() if base is None else base.events.names),
        frozenset(new.events.names),
        _pairs(profile, _present(profile, base_parts), _present(profile, new_parts)),
        lambda _: _no_effects(len(profile.functions)),
    )
    base_names, new_names = (() if side is None else side.events.names for side in (base, new))
    return Sides(
        profiles,
        None if base is None else _side(queries, base, base_parts),
        _side(queries, new, new_parts),
        () if base is None else _differences(base, new),
        tuple(name for name in base_names if name not in new_names),
        tuple(name for name in new_names if base is not None and name not in base_names),
        (),
    )


def _side(queries: ProfileQueries, side: Profile, parts: frozenset[PartId]) -> ReportSide:
    totals = {
        event.name: int(queries.total(event, parts).base)
        for event in queries.events.measured
        if event.name in side.events.names
    }
    return ReportSide(side.paths, side.command, totals)


def _differences(base: Profile, new: Profile) -> tuple[SideDifference, ...]:
    if base.command == new.command:
        return ()
    return (SideDifference("command", base.command, new.command),)


def _present(profile: Profile, parts: Iterable[PartId]) -> BoolArray:
    found = np.zeros(len(profile.functions), bool)
    runs, calls, numbers = profile.runs, profile.calls, list(parts)
    found[runs.function[np.isin(runs.part, numbers)]] = True
    rows = np.isin(calls.part, numbers)
    found[calls.caller[rows]] = True
    found[calls.callee[rows]] = True
    return found


def _no_effects(count: int) -> Effects:
    zeros = np.zeros(count, np.int64)
    return Effects(zeros, zeros, zeros == 1)


def _pairs(profile: Profile, base: BoolArray, new: BoolArray) -> FunctionPairs:
    def name(number: int) -> FunctionName:
        texts, functions = profile.texts, profile.functions
        columns = (functions.name, functions.file, functions.object)
        return FunctionName(*(texts[column[number]] for column in columns))

    return FunctionPairs(
        len(profile.functions),
        lambda rows: [(name(row),) if base[row] else () for row in rows.tolist()],
        lambda rows: [(name(row),) if new[row] else () for row in rows.tolist()],
        lambda rows: [name(row) for row in rows.tolist()],
        lambda rows: ["exact" if base[row] and new[row] else None for row in rows.tolist()],
        base & ~new,
        new & ~base,
    )
