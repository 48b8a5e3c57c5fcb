"""What the command does for `--save OUT`: writes the profile, or what is chosen of it, to a file.

Imported only for that. How a profile is written is the business of `formats.callgrind.writer`.
"""

from __future__ import annotations

import argparse
import re

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.cli.reports import (
    FILE_ERROR,
    USAGE_ERROR,
    CommandError,
    load_profile,
    print_output,
    report_error,
    select_event,
)
from qcachegrind_py.formats.callgrind.writing.profile_writer import save
from qcachegrind_py.formats.callgrind.writing.selection import Selection
from qcachegrind_py.profile.errors import FilterError, UnwritableFile
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.tools.demangler import demangle_names

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def save_profile(options: argparse.Namespace) -> int:
    """Write `--save OUT`; gives the exit code."""
    try:
        profile = load_profile(options.files)
        parts = _parse_parts(options.parts, len(profile.parts))
        functions = _filtered_functions(profile, options.filter, options.event, parts)
        _save(profile, options.save, Selection(parts, options.merge, functions))
    except CommandError as error:
        return report_error(error)
    return print_output(profile, lambda _stream: None)


def _save(profile: Profile, path: str, selection: Selection) -> None:
    try:
        save(profile, path, selection)
    except UnwritableFile as error:
        raise CommandError(FILE_ERROR, str(error)) from error


def _parse_parts(text: str | None, count: int) -> tuple[PartId, ...] | None:
    """The indexes of the parts that `1,3-5` names; None where nothing is said."""
    if text is None:
        return None
    chosen: set[PartId] = set()
    for word in text.split(","):
        match = _RANGE.fullmatch(word.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last <= count:
            known = "there is only part 1" if count == 1 else f"there are parts 1 to {count}"
            how = "" if match and first <= last else "; write them as 1,3 or 2-5"
            raise CommandError(USAGE_ERROR, f"--parts {text}: {known}{how}.")
        chosen.update(map(PartId, range(first - 1, last)))
    return tuple(sorted(chosen))


def _filtered_functions(
    profile: Profile, text: str | None, event_name: str | None, parts: tuple[PartId, ...] | None
) -> BoolArray | None:
    """The functions that pass the filter, as the window would show them; None for all."""
    event = select_event(profile, event_name)
    if not text or event is None:
        return None
    try:
        filter_ = parse_filter(text)
    except FilterError as error:
        raise CommandError(USAGE_ERROR, f"--filter {error}") from error
    queries = ProfileQueries(profile, demangle_names(profile.texts))
    scope = Scope(None if parts is None else frozenset(parts))
    passing = queries.visible_nodes(filter_, event, scope)
    if passing is None:
        return None
    functions: BoolArray = passing[: len(profile.functions)]
    if not np.any(functions):
        raise CommandError(USAGE_ERROR, f"--filter {text}: no function passes it.")
    return functions
