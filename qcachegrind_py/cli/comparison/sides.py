"""Reads the profiles of both sides and pairs their functions."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.cli.reports import load_profile
from qcachegrind_py.cli.siblings import with_siblings
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
from qcachegrind_py.visible_text import print_message


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


def load_sides(options: argparse.Namespace) -> Sides:
    """Read the files; raises CommandError if one cannot be read."""
    new = load_profile(options.files)
    files = _base_files(options)
    return _compared(load_profile(files) if files else None, new, options)


def _base_files(options: argparse.Namespace) -> list[str]:
    """Return the files of the base; none if it is optional and one is not there."""
    files: list[str] = options.base or []
    missing = [file for file in files if not Path(file).exists()]
    if missing and options.base_optional:
        print_message(f"{missing[0]} does not exist: there is no base to compare with.")
        return []
    return with_siblings(files) if options.siblings else files


def _compared(base: Profile | None, new: Profile, options: argparse.Namespace) -> Sides:
    profile = new if base is None else merge_profiles([new, base])
    count = len(new.parts)
    cycles = not options.no_cycles
    parts = [
        frozenset(map(PartId, range(count))),
        frozenset(map(PartId, range(count, len(profile.parts)))),
    ]
    queries = ProfileQueries(
        profile, demangle_names(profile.texts) if options.filter or options.fail_if else None
    )
    present = [_present(profile, some) for some in parts]
    pairs = _pairs(profile, present[1], present[0])
    zeros = np.zeros(len(profile.functions), np.int64)
    unknown = Effects(zeros, zeros, zeros == 1)
    base_events = frozenset() if base is None else frozenset(base.events.names)
    return Sides(
        ComparedProfiles(
            queries,
            None if base is None else Scope(parts[1], cycles),
            Scope(parts[0], cycles),
            base_events,
            frozenset(new.events.names),
            pairs,
            lambda event: unknown,
        ),
        None if base is None else ReportSide(base.paths, base.command),
        ReportSide(new.paths, new.command),
        (),
        () if base is None else tuple(n for n in base.events.names if n not in new.events.names),
        () if base is None else tuple(n for n in new.events.names if n not in base.events.names),
        (),
    )


def _present(profile: Profile, parts: frozenset[PartId]) -> BoolArray:
    found = np.zeros(len(profile.functions), bool)
    runs, calls = profile.runs, profile.calls
    found[runs.function[np.isin(runs.part, list(parts))]] = True
    rows = np.isin(calls.part, list(parts))
    found[calls.caller[rows]] = True
    found[calls.callee[rows]] = True
    return found


def _pairs(profile: Profile, base: BoolArray, new: BoolArray) -> FunctionPairs:
    def name(number: int) -> FunctionName:
        texts, functions = profile.texts, profile.functions
        return FunctionName(
            texts[functions.name[number]],
            texts[functions.file[number]],
            texts[functions.object[number]],
        )

    return FunctionPairs(
        len(profile.functions),
        lambda rows: [(name(r),) if base[r] else () for r in rows.tolist()],
        lambda rows: [(name(r),) if new[r] else () for r in rows.tolist()],
        lambda rows: [name(r) for r in rows.tolist()],
        lambda rows: ["exact" if base[r] and new[r] else None for r in rows.tolist()],
        base & ~new,
        new & ~base,
    )
