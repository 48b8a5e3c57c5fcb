"""Which lines of two versions are the same if only one text is known: by their calls, in order."""

from __future__ import annotations

from difflib import SequenceMatcher

import numpy as np

from qcachegrind_py.analysis.code.line_numbering import Numbering, numbering
from qcachegrind_py.analysis.code.location_costs import LineCosts
from qcachegrind_py.profile.ids import TextId
from qcachegrind_py.profile.tables import Int64Array


def number_by_calls(base: LineCosts, new: LineCosts, file: TextId, new_count: int) -> Numbering:
    """Return the numbering of the lines with costs in a file; `new_count` is that of the text.

    Lines with the same sequence of calls are the same, and lines around them are as far away from
    them on both sides, unless one of them calls what is not called there. Without equal calls, the
    lines of the new side are those of the base, all moved by the same distance if that makes them
    equal.
    """
    lines = _lines_with_costs(base, file)
    return numbering(lines, _targets(lines, base, new, file), new_count)


def _lines_with_costs(lines: LineCosts, file: TextId) -> Int64Array:
    known = (lines.file == file) & (lines.line > 0)
    return np.unique(lines.line[known]).astype(np.int64)


def _targets(lines: Int64Array, base: LineCosts, new: LineCosts, file: TextId) -> Int64Array:
    """Return the new line of each of these lines of the base; 0 if it is gone."""
    there, here = (_calls(side, file) for side in (base, new))
    matcher = SequenceMatcher(None, there[1].tolist(), here[1].tolist(), autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if not blocks:
        return lines + _common_offset(lines, _lines_with_costs(new, file))
    anchors = np.concatenate([there[0][block.a : block.a + block.size] for block in blocks])
    matched = np.concatenate([here[0][block.b : block.b + block.size] for block in blocks])
    others = np.setdiff1d(there[0], anchors), np.setdiff1d(here[0], matched)
    anchors, first = np.unique(anchors, return_index=True)
    offset = matched[first] - anchors
    following = np.searchsorted(anchors, lines, side="right")
    target: Int64Array = lines + offset[np.maximum(following - 1, 0)]
    limits = np.append(anchors + offset, np.iinfo(np.int64).max)
    target[target >= limits[following]] = 0  # beyond the next call
    target[np.isin(lines, others[0]) != np.isin(target, others[1])] = 0
    before = np.maximum.accumulate(np.append(0, target))[:-1]
    target[target <= before] = 0
    return target


def _calls(lines: LineCosts, file: TextId) -> tuple[Int64Array, Int64Array]:
    """Return line and callee of the calls in a file, in order of line."""
    calls = lines.calls
    of_file = np.flatnonzero((lines.file == file)[calls.location])
    line = lines.line[calls.location[of_file]].astype(np.int64)
    order = np.lexsort((calls.callee[of_file], line))
    return line[order], calls.callee[of_file][order]


def _common_offset(base: Int64Array, new: Int64Array) -> int:
    """Return by how much all lines are further down; 0 if they are not the same otherwise."""
    if len(base) != len(new) or not len(base):
        return 0
    distances = new - base
    return int(distances[0]) if (distances == distances[0]).all() else 0
