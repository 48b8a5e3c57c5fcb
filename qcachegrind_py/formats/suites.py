"""Benchmark suites: a folder with a profile for each benchmark, and the pairs of two of them.

gungraun writes `target/gungraun/[TRIPLE/]PACKAGE/FILE/GROUP/FUNCTION.ID/callgrind.FUNCTION.ID.out`,
and so did iai-callgrind below `target/iai`: such a benchmark is called `PACKAGE/FILE/GROUP/
FUNCTION.ID`. In any other folder a benchmark has the path of its file. What changes from run to
run, numbers of processes and dates, is left out of a name where it is not needed to tell the
benchmarks of the folder apart.

The files of several threads and parts are those of one benchmark. What gungraun keeps beside a
profile, `NAME.old` and `NAME.base@OTHER`, are suites of their own in the same folder.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from qcachegrind_py.formats.run_files import (
    FoundProfile,
    PartNumbers,
    RunIdentity,
    files_below,
    numeric_key,
    probe_file,
    split_earlier,
)
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.progress import Progress

MOST_FILES = 50_000  # looked at; each benchmark of gungraun has up to six
_DEPTH = 10  # levels of folders
_PREDECESSOR = ".old"
_MODULE = 4  # folders that gungraun makes of a package, a file, a group and a function
_PACKED = re.compile(r"\.(?:gz|bz2|xz|zst|zstd)\Z")
_DATE = re.compile(r"[-_.]?\d{4}-?\d\d-?\d\d(?:[-_T.]?\d\d[-:]?\d\d(?:[-:]?\d\d)?)?(?!\d)")
_PARTS = r"(?:\.t?\d+)?(?:\.p\d+|-\d+)?(?=\Z|\.out\Z)"  # what may follow the number of a process
_TOOL = re.compile(rf"\A(?:callgrind|cachegrind)(?:\.out)?(?:\.\d+{_PARTS})?(?:\.|\Z)|\.out\Z")
_CHOICES = 3  # of names


@frozen(eq=True)
class Benchmark:
    """A benchmark of a suite, and the files of its run in the order in which they are read."""

    name: str
    files: tuple[Path, ...]


@frozen(eq=True)
class Suite:
    """The benchmarks of a folder by name; `notes` say what is left out."""

    folder: Path
    benchmarks: tuple[Benchmark, ...]
    notes: tuple[str, ...] = ()
    earlier: str = ""  # how names of its files end: .old, .base@NAME

    @property
    def title(self) -> str:
        return f"{self.folder} ({self.earlier})" if self.earlier else str(self.folder)


@frozen(eq=True)
class BenchmarkPair:
    """A benchmark on both sides; one of them is None if it was added, or is gone."""

    name: str
    base: Benchmark | None
    new: Benchmark | None


def find_suite(progress: Progress, folder: Path, earlier: str = "") -> Suite:
    """Find the benchmarks of a folder; with `earlier`, those that gungraun kept of an earlier run.

    That is `.old`, or `.base@NAME`. Links that lead out of the folder are not followed. Raises
    `UnreadableFile` if the folder cannot be read, and `Cancelled`.
    """
    paths, notes = files_below(folder, _DEPTH, MOST_FILES), list[str]()
    if len(paths) == MOST_FILES:
        notes.append(f"{folder}: only the first {MOST_FILES:,} files were looked at.")
    own = [path for path in paths if split_earlier(path.name)[1] == earlier]
    regular = [path for path in own if path.is_file()]
    inside = list(_inside(folder, regular))
    if left := len(regular) - len(inside):
        links = "link out of the folder was" if left == 1 else "links out of the folder were"
        notes.append(f"{folder}: {left:,} {links} not followed.")
    found = list[FoundProfile]()
    for number, path in enumerate(inside):
        progress.check(number / len(inside))
        if (profile := probe_file(path)) is not None:
            found.append(profile)
    runs = _runs(found)
    names = _names(folder, runs)
    benchmarks = (Benchmark(*each) for each in zip(names, map(_files, runs), strict=True))
    in_order = tuple(sorted(benchmarks, key=lambda each: each.name))
    return Suite(folder, in_order, tuple(notes), earlier)


def predecessors(progress: Progress, folder: Path, name: str = "") -> Suite:
    """Find what gungraun kept of the run before, or of the baseline of this name."""
    return find_suite(progress, folder, f".base@{name}" if name else _PREDECESSOR)


def pair_suites(base: Suite, new: Suite) -> list[BenchmarkPair]:
    """Pair the benchmarks of two suites by name, in the order of names."""
    before = {each.name: each for each in base.benchmarks}
    now = {each.name: each for each in new.benchmarks}
    names = sorted(before.keys() | now.keys())
    return [BenchmarkPair(name, before.get(name), now.get(name)) for name in names]


def _inside(folder: Path, paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the files without links to what is not in the folder."""
    root = os.path.realpath(folder)
    for path in paths:
        if not path.is_symlink() or PurePath(os.path.realpath(path)).is_relative_to(root):
            yield path


# ---------------------------------------------------------------- runs


def _runs(found: Sequence[FoundProfile]) -> list[list[FoundProfile]]:
    """Return the files of each run: those of a folder that state the same run and other parts.

    Processes in containers have equal numbers, so that two files with the same part are two runs.
    """
    runs = list[list[FoundProfile]]()
    known = dict[object, tuple[list[FoundProfile], set[PartNumbers]]]()
    for each in found:
        run, parts = known.get((each.path.parent, each.run), ([], set()))
        if each.run is None or not run or each.part in parts:
            run, parts = [], set()
            known[each.path.parent, each.run] = run, parts
            runs.append(run)
        run.append(each)
        parts.add(each.part)
    return runs


def _files(run: Sequence[FoundProfile]) -> tuple[Path, ...]:
    return tuple(sorted((each.path for each in run), key=numeric_key))


# ---------------------------------------------------------------- names


def _names(folder: Path, runs: Sequence[Sequence[FoundProfile]]) -> list[str]:
    """Return a name for each run: of several, the shortest that no other run has."""
    choices = [tuple(_choices(folder, run)) for run in runs]
    names = [each[0] for each in choices]
    for longer in range(1, _CHOICES):
        count = Counter(names)
        for place, each in enumerate(choices):
            if count[names[place]] > 1:
                names[place] = each[longer]
    if len(set(names)) < len(names):
        return [each[-1] for each in choices]
    return names


def _choices(folder: Path, run: Sequence[FoundProfile]) -> Iterator[str]:
    """Yield three names of a benchmark, from the shortest to the path of its file."""
    path = _files(run)[0]
    place = path.relative_to(folder)
    file = _PACKED.sub("", split_earlier(path.name)[0])
    tool, _, rest = file.partition(".")
    if tool and f"{rest}.".startswith(f"{path.parent.name}."):  # as gungraun names its files
        yield "/".join(place.parent.parts[-_MODULE:]) or folder.name
        yield place.parent.as_posix()
    else:
        at = "" if place.parent == Path() else place.parent.as_posix()
        command, short = _short_command(run[0].command), _short_name(file, run[0].run)
        yield "/".join(filter(None, (at, short))) or command or file
        yield "/".join(filter(None, (at, f"{short} {command}".strip()))) or file
    yield (place.parent / split_earlier(path.name)[0]).as_posix()


def _short_name(file: str, run: RunIdentity | None) -> str:
    """Return the name of a file without tool, process and date; empty if it has nothing else."""
    process = run.process.decode("latin-1") if run else ""
    short = _DATE.sub("", file)
    if process.isdecimal():
        short = re.sub(rf"\.{process}{_PARTS}", "", short)
    return _TOOL.sub("", short)


def _short_command(command: str) -> str:
    """Return a command without the folder of its program."""
    program, space, arguments = command.partition(" ")
    return f"{program.rpartition('/')[2]}{space}{arguments}"
