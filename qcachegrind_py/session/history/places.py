"""Where the functions of a history are in the open profile."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qcachegrind_py.analysis.comparison.sides import Identity
from qcachegrind_py.profile.ids import NO_NODE, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array, StringTable

_CHECK_INTERVAL = 5000  # functions


def nodes_of_functions(
    progress: Progress, functions: Sequence[Identity], profile: Profile
) -> Int64Array:
    """Return the function of a profile for each function of a history, or `NO_NODE`.

    It is that of equal name, file and object, or else the only one of that name on both sides:
    another revision may have been built in another folder. The result has the shape (functions,).
    """
    texts, table = profile.texts, profile.functions
    number = _text_numbers(texts, functions)
    found = np.full(len(functions), NO_NODE, np.int64)
    columns = (table.name.tolist(), table.file.tolist(), table.object.tolist())
    node_of = {key: node for node, key in enumerate(zip(*columns, strict=True))}
    with_name = _only_ones(columns[0])
    names_here = [number.get(name, -1) for name, _, _ in functions]
    only_here = _only_ones(names_here)
    for row, (_, file, object_) in enumerate(functions):
        if row % _CHECK_INTERVAL == 0:
            progress.check(row / len(functions))
        name = names_here[row]
        node = node_of.get((name, number.get(file, -1), number.get(object_, -1)))
        if node is None and name in only_here:
            node = with_name.get(name)
        if node is not None:
            found[row] = node
    return found


def _text_numbers(texts: StringTable, functions: Sequence[Identity]) -> dict[str, int]:
    """Return the numbers that texts of functions have in a table; those it lacks are left out."""
    wanted = {text for identity in functions for text in identity}
    every = texts.lookup(text_ids(np.arange(len(texts))))
    return {text: number for number, text in enumerate(every) if text in wanted}


def _only_ones(names: Sequence[int]) -> dict[int, int]:
    """Return the place of each name that is there once."""
    values, first, counts = np.unique(
        np.array(names, np.int64), return_index=True, return_counts=True
    )
    single = counts == 1
    return dict(zip(values[single].tolist(), first[single].tolist(), strict=True))
