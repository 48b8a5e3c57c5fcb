"""Folds: which functions are charged to their callers, as terms of a filter.

fold:libc  fold:^std::      functions of which the name, or that of the object file, matches
fold:lib:=/usr/lib/libc.so  the same keys and forms as in other terms
fold:stdlib                 functions of the standard libraries of C, C++, Rust, Go, Python, PHP
only:lib:app                folds all other functions
collapse:parse              folds into a function the others of its recursion cycle
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from qcachegrind_py.analysis.filters.conditions import Named, TextCondition, TextField
from qcachegrind_py.profile.tables import BoolArray, Int32Array

STANDARD_LIBRARY = "stdlib"
_FLAGS = re.IGNORECASE | re.MULTILINE
_LIBRARIES = (
    "ld-linux ld-musl ld ld64 libc libm libpthread libdl librt libutil libresolv libanl libmvec "
    "libstdc++ libsupc++ libgcc_s libc++ libc++abi libunwind libgomp libatomic libgfortran "
    "libquadmath libgo libsystem_c libsystem_malloc libsystem_platform libdyld"
)
_NAMES_OF_LIBRARIES = "|".join(map(re.escape, _LIBRARIES.split()))
_STANDARD = (
    (TextField.OBJECT, rf"(?:^|[/\\])(?:{_NAMES_OF_LIBRARIES})[-.][^/\\\n]*$"),
    (TextField.NAME, r"^<?(?:std|core|alloc|__gnu_cxx|__cxxabiv1|__cxx11)::|^runtime\."),
    (
        TextField.FILE,
        r"^(?:~|php:internal)$|^/rustc/[^/\n]+/library/|/go[^/\n]*/src/(?:runtime|internal)/"
        r"|/lib/python[0-9.]+/(?!site-packages/|dist-packages/)",
    ),
)


class FoldKind(Enum):
    """Which functions a fold charges to their callers; the value is its key."""

    FOLD = "fold"
    ONLY = "only"  # those that do not match
    COLLAPSE = "collapse"  # the other members of the recursion cycles of those that match


@dataclass(frozen=True, slots=True)
class Fold:
    """One fold: its text, and the conditions of which a function matches at least one."""

    text: str
    kind: FoldKind
    conditions: tuple[TextCondition, ...]

    def functions(self, names: Named, cycle: Int32Array) -> BoolArray:
        """Return which functions are folded, shape (functions,); `cycle` as in `FunctionCosts`."""
        matches = self.matches(names)
        if self.kind is FoldKind.FOLD:
            return matches
        if self.kind is FoldKind.ONLY:
            return ~matches
        collapsed: BoolArray = np.isin(cycle, cycle[matches & (cycle > 0)])
        return collapsed & ~matches

    def matches(self, names: Named) -> BoolArray:
        """Return which functions the term names, shape (functions,)."""
        matches: BoolArray = np.logical_or.reduce([each.matches(names) for each in self.conditions])
        return matches


def folded_functions(folds: Iterable[Fold], names: Named, cycle: Int32Array) -> BoolArray:
    """Return which functions any of the folds charges to its callers, shape (functions,)."""
    folded = np.zeros(len(cycle), bool)
    for fold in folds:
        folded |= fold.functions(names, cycle)
    return folded


def fold_of(text: str, key: str, condition: TextCondition, *, has_key: bool) -> Fold:
    """Return the fold of a term; without a key of its own, it is about names and object files."""
    kind = FoldKind(key.lower())
    if has_key or condition.is_exact or kind is FoldKind.COLLAPSE:
        return Fold(text, kind, (condition,))
    if condition.pattern == STANDARD_LIBRARY:
        conditions = (TextCondition(field, re.compile(p, re.MULTILINE)) for field, p in _STANDARD)
        return Fold(text, kind, tuple(conditions))
    return Fold(text, kind, (condition, _of_object_file(condition.pattern)))


def _of_object_file(pattern: str | re.Pattern[str]) -> TextCondition:
    """Return the condition that the last component of an object's path matches."""
    if isinstance(pattern, str):
        pattern = re.compile(rf"{re.escape(pattern)}[^/\\\n]*$", _FLAGS)
    elif pattern.pattern.startswith("^"):
        pattern = re.compile(rf"(?:^|[/\\])(?:{pattern.pattern[1:]})[^/\\\n]*$", pattern.flags)
    return TextCondition(TextField.OBJECT, pattern)
