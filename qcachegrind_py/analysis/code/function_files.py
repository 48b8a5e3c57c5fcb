"""Which file holds a function's own code.

Callgrind records the file of a function's first instruction. Where that was inlined from a header
of the system, such as `size()` of a vector, the function seems to be in that header. It is in the
file of the program that most of its cost is from, sources before headers. Functions of the standard
library stay in its headers, though code of the program may be inlined into them.
"""

from __future__ import annotations

import re

import numpy as np

from qcachegrind_py.profile.ids import UNKNOWN_TEXT, FunctionId, TextId, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

_OF_SYSTEM = re.compile(r"/usr/(?:local/)?include/")
_HEADER = re.compile(r"\.(?:h|hh|hpp|hxx|h\+\+|inl|ipp|tcc|tpp)$", re.IGNORECASE)
_STANDARD = re.compile(  # with a return type in front; mangled, too
    r"(?:[^(]* )?(?:std|__gnu_cxx|__cxxabiv1)::|_ZN?K?(?:S[abst]|9__gnu_cxx)"
)


def file_of_function(profile: Profile, function: FunctionId) -> TextId:
    """Return the file of one function, as `files_of_functions` returns those of all."""
    recorded = text_at(profile.functions.file, function)
    if not _OF_SYSTEM.match(profile.texts[recorded]):
        return recorded
    of_function = np.flatnonzero(profile.runs.function == function)
    return _file_of(profile, function, _runs_of_program(profile, of_function))


def files_of_functions(profile: Profile) -> Int32Array:
    """Return the file of each function's own code, shape (functions,)."""
    recorded, runs = profile.functions.file, profile.runs
    in_header = _of_system(profile, recorded)[recorded[runs.function]]
    rows = _runs_of_program(profile, np.flatnonzero(in_header))
    if not len(rows):
        return recorded
    rows = rows[np.argsort(runs.function[rows], kind="stable")]
    functions, first = np.unique(runs.function[rows], return_index=True)
    found = recorded.copy()
    for function, of_function in zip(functions.tolist(), np.split(rows, first[1:]), strict=True):
        found[function] = _file_of(profile, FunctionId(function), of_function)
    return found


def _file_of(profile: Profile, function: FunctionId, rows: Int64Array) -> TextId:
    """Return the file of a function with these runs of code from files of the program."""
    texts, runs, functions = profile.texts, profile.runs, profile.functions
    recorded = text_at(functions.file, function)
    if not len(rows) or _STANDARD.match(texts[text_at(functions.name, function)]):
        return recorded
    cost: dict[TextId, int] = {}
    for row, file in zip(rows.tolist(), text_ids(runs.file[rows]), strict=True):
        lines = slice(int(runs.start[row]), int(runs.start[row + 1]))
        cost[file] = cost.get(file, 0) + int(profile.costs.values[0, lines].sum())
    return max(cost, key=lambda file: (not _HEADER.search(texts[file]), cost[file]))


def _runs_of_program(profile: Profile, rows: Int64Array) -> Int64Array:
    """Return those of the runs whose code is from a known file that is none of the system."""
    file = profile.runs.file[rows]
    of_program: Int64Array = rows[(file != UNKNOWN_TEXT) & ~_of_system(profile, file)[file]]
    return of_program


def _of_system(profile: Profile, files: Int32Array) -> BoolArray:
    """Return which texts are headers of the system among these files, shape (texts,)."""
    is_of_system = np.zeros(len(profile.texts), bool)
    is_of_system[files] = True
    used = np.flatnonzero(is_of_system)
    paths = profile.texts.lookup(text_ids(used.astype(np.int32)))
    is_of_system[used] = [bool(_OF_SYSTEM.match(path)) for path in paths]
    return is_of_system
