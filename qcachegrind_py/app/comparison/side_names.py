"""The names of base and new: of their files, or of the parts that are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.formats.standard_input import display_name
from qcachegrind_py.present.parts import PartLabels
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.session.loading import LoadedProfile, ReadFiles

_MAX_DETAILS = 20  # files or parts in a tip


@dataclass(frozen=True, slots=True)
class SideName:
    """What a side is called: in a few words, and in full, one line for each file or part."""

    short: str
    details: tuple[str, ...] = ()


def side_names(loaded: LoadedProfile, compared: Comparison) -> tuple[SideName, SideName]:
    """Return the names of base and new."""
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
