"""Histories from files: the labels of revisions, and reading them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import Path

from qcachegrind_py.analysis import history
from qcachegrind_py.analysis.comparison.sides import NO_RULES, MatchingRules
from qcachegrind_py.analysis.history import History, Revision
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.files import local_path
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, Progress

_WORD = re.compile(r"[^._\-+@ ]+(?:(?<=\d)\.(?=\d)[^._\-+@ ]+)*")  # 1.2 is one word


def read_history(
    files: Iterable[str | os.PathLike[str]],
    labels: Sequence[str] | None = None,
    rules: MatchingRules = NO_RULES,
    progress: Progress | None = None,
    *,
    cycles: bool = True,
) -> History:
    """Read the profiles in these files, the oldest first, and follow their functions.

    Revisions are labelled by what distinguishes the names of their files unless `labels` are given,
    one for each. Raises what `load` raises, and `ValueError` without files.
    """
    names = [os.fspath(file) for file in files]
    labels = distinguishing_names(names) if labels is None else labels
    revisions = [Revision(*each) for each in zip(labels, names, strict=True)]
    return history.read_history(revisions, load_file, progress, rules, cycles=cycles)


def load_file(file: str, progress: Progress) -> Profile:
    """Read one file, a profile or a stored run; raises what `load` raises."""
    from qcachegrind_py.formats.stored_runs import is_stored_run, read_run

    return read_run(file) if is_stored_run(file) else load(file, progress=progress)


def named_revisions(arguments: Sequence[str]) -> list[Revision]:
    """Return the revisions of arguments `FILE`, `LABEL=FILE` or `FOLDER`, the oldest first.

    An argument is the name of a file if there is a file of that whole name. Raises what `runs_in`
    raises.
    """
    pairs: list[tuple[str, str]] = []
    for argument in arguments:
        label, file = _label_and_file(argument)
        found = runs_in(Path(file)) if Path(file).is_dir() else []
        pairs += [("", each) for each in found] or [(label, file)]
    names = distinguishing_names([file for _, file in pairs])
    return [Revision(label or name, file) for (label, file), name in zip(pairs, names, strict=True)]


def runs_in(folder: Path) -> list[str]:
    """Return the stored runs in a folder, or else its profiles, the oldest first.

    A stored run has its date, and a profile the time of its file. Raises `UnreadableFile`, and
    `InvalidProfile` if a stored run cannot be read.
    """
    from qcachegrind_py.formats.run_files import find_profiles
    from qcachegrind_py.formats.stored_runs import ENDING, date_of

    stored = sorted(str(path) for path in folder.glob(f"*{ENDING}"))
    if stored:
        return sorted(stored, key=date_of)
    return [str(profile.path) for profile in reversed(find_profiles(NoProgress(), folder))]


def _label_and_file(argument: str) -> tuple[str, str]:
    label, sign, file = argument.partition("=")
    is_name = not (label and sign and file) or Path(argument).exists()
    return ("", argument) if is_name else (label, local_path(file))


def in_natural_order(files: Iterable[str]) -> list[str]:
    """Return files in the order of their names, in which r9 comes before r10."""
    return sorted(files, key=_natural_key)


def _natural_key(file: str) -> list[tuple[int, str]]:
    words = re.split(r"(\d+)", file)
    return [(int(word), word) if word.isdecimal() else (0, word) for word in words]


def distinguishing_names(files: Sequence[str]) -> list[str]:
    """Return for each file in what its name differs from the others: O2 of a-O2.out and a-O3.out.

    Files of equal names differ in their folders. Whole words are named.
    """
    paths = [file.replace("\\", "/").split("/") for file in files]
    if len(files) < 2 or len(set(files)) == 1:
        return [path[-1] for path in paths]
    names = [path[-1] for path in paths]
    if len(set(names)) == len(set(files)):
        return [short or name for short, name in zip(_without_common(names), names, strict=True)]
    begin, end = _common_ends(paths)
    return ["/".join(path[begin : len(path) - end]) or "/".join(path) for path in paths]


def _without_common(names: Sequence[str]) -> list[str]:
    """Return the names without the words that all have at their beginnings and ends."""
    words = [[(match.span(), match[0]) for match in _WORD.finditer(name)] for name in names]
    begin, end = _common_ends([[text for _, text in each] for each in words])
    kept = [each[begin : len(each) - end] for each in words]
    return [
        name[each[0][0][0] : each[-1][0][1]] if each else ""
        for name, each in zip(names, kept, strict=True)
    ]


def _common_ends(sequences: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Return how many elements all sequences have in common at the beginning and at the end."""
    begin = _common_length(sequences)
    return begin, _common_length([sequence[begin:][::-1] for sequence in sequences])


def _common_length(sequences: Sequence[Sequence[str]]) -> int:
    """Return with how many equal elements all sequences begin."""
    columns = takewhile(lambda column: len(set(column)) == 1, zip(*sequences, strict=False))
    return sum(1 for _ in columns)
