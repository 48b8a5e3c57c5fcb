"""The functions of both sides of a comparison, with numbers that are equal for what is the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from qcachegrind_py.analysis.comparison.contexts import has_contexts, without_context
from qcachegrind_py.analysis.comparison.name_keys import NameRule, apply_rules, family_key
from qcachegrind_py.analysis.comparison.path_tails import file_counterparts, object_counterparts
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int32Array, Int64Array

Key = TypeVar("Key")
Identity = tuple[str, str, str]  # name, file and object


@dataclass(frozen=True, slots=True)
class MatchingRules:
    """What the user knows about the names of both sides."""

    file_rules: tuple[NameRule, ...] = ()  # for paths of files
    name_rules: tuple[NameRule, ...] = ()  # for names of functions
    accepted: tuple[tuple[Identity, Identity], ...] = ()  # renamed functions: base, new


NO_RULES = MatchingRules()


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The functions of one side."""

    recorded: list[str]  # distinct names
    names: list[str]  # the same as the rules make them
    name: Int64Array  # index into both of each function
    text: Int64Array  # number of the name of each function
    key: Int64Array  # number of its family key
    place: Int64Array  # number of its file and object, by their counterparts
    path: Int64Array  # number of its file and object as recorded

    def __len__(self) -> int:
        return len(self.name)

    def recorded_name(self, function: int) -> str:
        """Return the name of a function as recorded."""
        return self.recorded[int(self.name[function])]

    def name_of(self, function: int) -> str:
        """Return the name of a function as the rules make it."""
        return self.names[int(self.name[function])]


@dataclass(frozen=True, slots=True)
class Counterparts:
    """The new path of each file and object of the base that has one."""

    files: dict[str, str]
    objects: dict[str, str]


def find_counterparts(base: Profile, new: Profile, rules: MatchingRules) -> Counterparts:
    """Find which files and objects of the base are which of the new profile."""
    return Counterparts(_files(base, new, rules), _objects(base, new))


def numbered_sides(
    base: Profile, new: Profile, rules: MatchingRules, counterparts: Counterparts
) -> tuple[Side, Side]:
    """Return the functions of both sides, the base first."""
    numbers = _Numbers({}, {}, {}, {})
    files, objects = counterparts.files, counterparts.objects

    def to_new(file: str, object_: str) -> tuple[str, str]:
        """Return the paths of the new side; what has none gets a path that no file has."""
        return files.get(file, f"\n{file}"), objects.get(object_, f"\n{object_}")

    def unchanged(file: str, object_: str) -> tuple[str, str]:
        return file, object_

    key_of = _key_function(base, new)
    return (
        _side(base, rules, key_of, numbers, to_new),
        _side(new, rules, key_of, numbers, unchanged),
    )


def _key_function(base: Profile, new: Profile) -> Callable[[str], str]:
    """Return the function for family keys; contexts that only one side has are left out.

    So are recursion levels then, which the contexts of the other side stand for.
    """
    if has_contexts(base) != has_contexts(new):
        return lambda name: family_key(without_context(name))
    return family_key


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The numbers given so far."""

    text: dict[str, int]
    key: dict[str, int]
    place: dict[tuple[str, str], int]
    path: dict[tuple[str, str], int]


def _side(
    profile: Profile,
    rules: MatchingRules,
    key_of: Callable[[str], str],
    numbers: _Numbers,
    counterpart: Callable[[str, str], tuple[str, str]],
) -> Side:
    functions, texts = profile.functions, len(profile.texts)
    distinct, name = np.unique(functions.name, return_inverse=True)
    recorded = names = profile.texts.lookup(distinct.tolist())
    if rules.name_rules:
        names = [apply_rules(rules.name_rules, each) for each in recorded]
    pairs = functions.file.astype(np.int64) * texts + functions.object
    distinct, pair = np.unique(pairs, return_inverse=True)
    files, objects = (profile.texts.lookup(part.tolist()) for part in np.divmod(distinct, texts))
    paths = list(zip(files, objects, strict=True))
    return Side(
        recorded,
        names,
        name,
        _numbered(recorded, numbers.text)[name],
        _numbered(map(key_of, names), numbers.key)[name],
        _numbered([counterpart(*path) for path in paths], numbers.place)[pair],
        _numbered(paths, numbers.path)[pair],
    )


def _files(base: Profile, new: Profile, rules: MatchingRules) -> dict[str, str]:
    """Return the new path, as recorded, of each file of the base."""
    paths = [_texts(profile, profile.functions.file, profile.runs.file) for profile in (base, new)]
    ruled = [{apply_rules(rules.file_rules, path): path for path in side} for side in paths]
    found = file_counterparts(list(ruled[0]), list(ruled[1]))
    there = {path: ruled[1].get(found.get(name, "")) for name, path in ruled[0].items()}
    return {path: other for path, other in there.items() if other is not None}


def _objects(base: Profile, new: Profile) -> dict[str, str]:
    objects = [_texts(profile, profile.functions.object) for profile in (base, new)]
    programs = [
        _program(profile, paths) for profile, paths in zip((base, new), objects, strict=True)
    ]
    return object_counterparts(objects[0], objects[1], (programs[0], programs[1]))


def _program(profile: Profile, objects: Iterable[str]) -> str:
    """Return the path of the program itself among the objects; empty if it is not there."""
    name = profile.program_name.rpartition("/")[2]
    return next((path for path in objects if path.rpartition("/")[2] == name), "")


def _texts(profile: Profile, *columns: Int32Array) -> list[str]:
    """Return the distinct texts with the numbers in these columns."""
    numbers = np.unique(np.concatenate([np.unique(column) for column in columns]))
    return profile.texts.lookup(numbers.tolist())


def _numbered(keys: Iterable[Key], numbers: dict[Key, int]) -> Int64Array:
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)
