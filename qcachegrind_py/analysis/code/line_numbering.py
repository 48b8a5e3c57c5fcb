"""Which source lines of two versions are the same: one numbering for the lines of both.

The numbers are those of the new text, with gone lines between them: a gone line stands behind the
line before it in the base. Costs of both sides can then be shown in one table, as if they were of
one text. Paired by its own number, each line below an added one would seem to have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.code.location_costs import LineCosts, LineJumps, united_calls
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.ids import TextId, text_ids
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

_AnyInts = npt.NDArray[np.integer]
_LARGEST = (1 << 31) - 1  # numbers are stored as lines are


# ---------------------------------------------------------------- lines with equal texts


def pair_lines(base: Sequence[str], new: Sequence[str]) -> Int32Array:
    """Return the number of each base line in the new text, shape (lines + 1,); 0: it is gone.

    Line 0 is the unknown line. Numbers ascend, as a line that has moved is gone and new. A text of
    20,000 lines takes 0.08 s with 50 edits, and 0.7 s with 500, so long ones belong in a job.
    """
    first, last = _equal_ends(base, new)
    number = np.zeros(len(base) + 1, np.int32)
    number[1 : first + 1] = np.arange(1, first + 1)
    number[len(base) + 1 - last :] = np.arange(len(new) + 1 - last, len(new) + 1)
    middle = SequenceMatcher(
        None, base[first : len(base) - last], new[first : len(new) - last]
    )  # which pairs frequent lines, such as braces, only beside others, and so stays fast
    for block in middle.get_matching_blocks():
        begin = first + block.a + 1
        number[begin : begin + block.size] = np.arange(block.size) + first + block.b + 1
    return number


def _equal_ends(base: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return how many lines are equal at the beginning, and of the others at the end."""
    first = _equal_lines(base, new)
    return first, _equal_lines(base[first:][::-1], new[first:][::-1])


def _equal_lines(base: Sequence[str], new: Sequence[str]) -> int:
    """Return how many lines are equal at the beginning."""
    most = min(len(base), len(new))
    return next((n for n in range(most) if base[n] != new[n]), most)


# ---------------------------------------------------------------- numberings of texts


@frozen
class Numbering:
    """The lines of both sides by common numbers from 1 on; number 0 is the unknown line.

    Lines that have no number here, as they are in no text, pair by line behind all others.
    """

    base_line: Int64Array  # of each number, shape (numbers + 1,); 0: the base lacks it, as far as
    new_line: Int64Array  # is known, and so for the new side
    is_moved: BoolArray  # whether the line is elsewhere in the base, shape (numbers + 1,)
    known_base: Int64Array  # the lines of the base that have a number, in ascending order
    base_number: Int64Array  # the number of each of these
    known_new: Int64Array
    new_number: Int64Array
    has_all_base: bool  # whether all lines of the base have a number, and not only those with cost
    has_all_new: bool
    passage: range  # the numbers of lines that were looked for in both texts; others tell nothing

    @property
    def last(self) -> int:
        return len(self.new_line) - 1

    def of_base(self, lines: _AnyInts) -> Int64Array:
        return self._numbers(lines, self.known_base, self.base_number)

    def of_new(self, lines: _AnyInts) -> Int64Array:
        return self._numbers(lines, self.known_new, self.new_number)

    def _numbers(self, lines: _AnyInts, known: Int64Array, number: Int64Array) -> Int64Array:
        line = np.asarray(lines, np.int64)
        found = np.minimum(line + self.last, _LARGEST)
        if len(known):
            place = np.minimum(np.searchsorted(known, line), len(known) - 1)
            found = np.where(known[place] == line, number[place], found)
        return np.where(line > 0, found, line)

    def lines_of(self, numbers: _AnyInts) -> tuple[Int64Array, Int64Array]:
        """Return the lines of base and new with these numbers; 0 where a side has none."""
        number = np.asarray(numbers, np.int64)
        inside = np.where((number > 0) & (number <= self.last), number, 0)
        beyond = np.maximum(number - self.last, 0)
        return self.base_line[inside] + beyond, self.new_line[inside] + beyond

    def line(self, number: int) -> int:
        """Return the line on the new side, or in the base if that alone has it."""
        if number <= 0:
            return number
        base, new = self.lines_of(np.array([number]))
        return int(new[0]) or int(base[0])

    def texts(self, base: Sequence[str], new: Sequence[str]) -> list[str]:
        """Return the texts by number, from number 1 on: the new one, else that of the base.

        A text that is not known is empty.
        """
        lines = zip(self.base_line[1:].tolist(), self.new_line[1:].tolist(), strict=True)
        return [
            new[line - 1]
            if 0 < line <= len(new)
            else base[before - 1]
            if 0 < before <= len(base)
            else ""
            for before, line in lines
        ]

    def swapped(self) -> Numbering:
        """Return the same numbers with base and new the other way round."""
        return Numbering(
            self.new_line,
            self.base_line,
            self.is_moved,
            self.known_new,
            self.new_number,
            self.known_base,
            self.base_number,
            self.has_all_new,
            self.has_all_base,
            self.passage,
        )


def number_texts(base: Sequence[str], new: Sequence[str]) -> Numbering:
    """Return the numbering of two texts; belongs in a job as `pair_lines`."""
    return _numbered_texts(base, new, range(len(base)), range(len(new)))


def number_passages(
    base: Sequence[str], new: Sequence[str], base_passage: range, new_passage: range
) -> Numbering:
    """Return the numbering of a passage of one text that is now a passage of another one.

    Passages are ranges of indexes; lines around them that are equal in both texts belong to them,
    such as a comment above a function. Other lines of the base have no number.
    """
    return _numbered_texts(base, new, *_with_equal_ends(base, new, base_passage, new_passage))


def _numbered_texts(
    base: Sequence[str], new: Sequence[str], base_passage: range, new_passage: range
) -> Numbering:
    old = base[base_passage.start : base_passage.stop]
    present = new[new_passage.start : new_passage.stop]
    target = pair_lines(old, present)[1:].astype(np.int64)
    moved = _moved_lines(old, present, target)
    target[moved] = _places(present, target, [old[line].strip() for line in moved.tolist()])
    is_moved = np.zeros(len(old), bool)
    is_moved[moved] = True
    target[target > 0] += new_passage.start
    lines = np.arange(base_passage.start, base_passage.stop) + 1
    return _numbering(lines, target, len(new), is_moved, passage=new_passage, has_all_base=True)


def _with_equal_ends(
    base: Sequence[str], new: Sequence[str], base_passage: range, new_passage: range
) -> tuple[range, range]:
    """Return passages with the equal lines before their first pair and behind their last one."""
    begin, start = base_passage.start, new_passage.start
    target = pair_lines(base[begin : base_passage.stop], new[start : new_passage.stop])[1:]
    paired = np.flatnonzero(target).tolist()
    if not paired:
        return base_passage, new_passage
    first, last = (
        (begin + line, start + int(target[line]) - 1) for line in (paired[0], paired[-1])
    )
    fewer = _equal_lines(base[: first[0]][::-1], new[: first[1]][::-1])
    more = _equal_lines(base[last[0] + 1 :], new[last[1] + 1 :])
    return (
        range(min(begin, first[0] - fewer), max(base_passage.stop, last[0] + 1 + more)),
        range(min(start, first[1] - fewer), max(new_passage.stop, last[1] + 1 + more)),
    )


def _numbering(
    base_lines: Int64Array,
    target: Int64Array,
    new_count: int,
    is_moved: BoolArray | None = None,
    *,
    passage: range | None = None,
    has_all_base: bool = False,
) -> Numbering:
    """Return the numbering of a new text and of lines of the base.

    `base_lines` ascend; `target` is the new line of each, 0 if it is gone. Targets ascend but for
    those of lines that have moved. `passage` has the indexes of the lines among which they were
    looked for, by default all.
    """
    moved = np.zeros(len(base_lines), bool) if is_moved is None else is_moved
    passage = range(new_count) if passage is None else passage
    before = np.maximum.accumulate(np.where(moved, 0, target)).clip(passage.start)
    gone = target == 0
    line = np.concatenate((np.arange(1, new_count + 1), before[gone]))
    own_base = np.concatenate((np.zeros(new_count, np.int64), base_lines[gone]))
    order = np.lexsort((own_base, line))
    new_line = np.where(own_base > 0, 0, line)[order]
    base_line = own_base[order]
    new_number = np.flatnonzero(new_line > 0) + 1
    new_line, base_line = (np.concatenate(([0], column)) for column in (new_line, base_line))
    base_number = target + len(new_line) - 1  # of lines beyond the text
    in_text = ~gone & (target <= new_count)
    base_number[in_text] = new_number[target[in_text] - 1]
    base_number[gone] = np.flatnonzero(base_line > 0)
    base_line[base_number[in_text]] = base_lines[in_text]
    is_elsewhere = np.zeros(len(new_line), bool)
    is_elsewhere[base_number[in_text & moved]] = True
    return Numbering(
        base_line,
        new_line,
        is_elsewhere,
        base_lines,
        base_number,
        np.arange(1, new_count + 1),
        new_number,
        has_all_base,
        True,
        range(
            int(new_number[passage.start - 1]) + 1 if passage.start else 1,
            int(new_number[passage.stop]) if passage.stop < new_count else len(new_line),
        ),
    )


def _moved_lines(base: Sequence[str], new: Sequence[str], target: Int64Array) -> Int64Array:
    """Return the indexes of gone lines whose text is among the added ones, once on both sides.

    Their indentation may differ.
    """
    added = np.ones(len(new) + 1, bool)
    added[0], added[target] = False, False
    counts = dict[str, int]()
    for line in np.flatnonzero(added).tolist():
        text = new[line - 1].strip()
        counts[text] = counts.get(text, 0) + 1
    gone = dict[str, list[int]]()
    for line in np.flatnonzero(target == 0).tolist():
        gone.setdefault(base[line].strip(), []).append(line)
    moved = [
        lines[0]
        for text, lines in gone.items()
        if len(lines) == 1 and counts.get(text) == 1 and any(map(str.isalnum, text))
    ]
    return np.array(sorted(moved), np.int64)


def _places(new: Sequence[str], target: Int64Array, texts: Sequence[str]) -> Int64Array:
    paired = set(target.tolist())
    places = {text.strip(): line for line, text in enumerate(new, 1) if line not in paired}
    return np.array([places[text] for text in texts], np.int64)


# ---------------------------------------------------------------- a numbering by calls


def number_by_calls(base: LineCosts, new: LineCosts, file: TextId, new_count: int) -> Numbering:
    """Return the numbering of the lines with costs in a file, by their calls alone.

    That is for files of which a text is not known; `new_count` is how many lines the new one has.
    Lines with the same sequence of calls are the same, and lines around them are as far away from
    them on both sides, unless one of them calls what is not called there. Without equal calls, the
    lines of the new side are those of the base, all moved by the same distance if that makes them
    equal.
    """
    lines = _lines_with_costs(base, file)
    return _numbering(lines, _targets(lines, base, new, file), new_count)


def _lines_with_costs(lines: LineCosts, file: TextId) -> Int64Array:
    known = (lines.file == file) & (lines.line > 0)
    return np.unique(lines.line[known]).astype(np.int64)


def _targets(lines: Int64Array, base: LineCosts, new: LineCosts, file: TextId) -> Int64Array:
    """Return the new line of each of these lines of the base; 0 if it is gone."""
    there, here = (_calls_in_file(side, file) for side in (base, new))
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


def _calls_in_file(lines: LineCosts, file: TextId) -> tuple[Int64Array, Int64Array]:
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


# ---------------------------------------------------------------- costs of both sides

Numberings = Mapping[TextId, Numbering]
_OfLines = Callable[[Numbering], Callable[[_AnyInts], Int64Array]]


def united_lines(
    base: LineCosts, new: LineCosts, own_file: TextId, numberings: Numberings
) -> tuple[LineCosts, LineCosts]:
    """Return the lines of base and new with equal rows, in which lines are common numbers.

    Hosts are lines of `own_file`. Lines of files without a numbering pair by line. Costs are 0
    where a side has none; jumps are those of the new side.
    """
    base = _with_numbers(base, own_file, numberings, lambda each: each.of_base)
    new = _with_numbers(new, own_file, numberings, lambda each: each.of_new)
    columns = [
        np.concatenate((getattr(base, name), getattr(new, name)))
        for name in ("host", "file", "line")
    ]
    host, file, line = columns
    is_inlined = file != own_file
    keys = np.stack((host, is_inlined, file, line), axis=1).astype(np.int64)
    rows, place = np.unique(keys, axis=0, return_inverse=True)
    place = place.reshape(-1)
    places = place[: len(base)], place[len(base) :]
    calls = united_calls(base.calls, new.calls, *places)
    host, _, file, line = rows.astype(np.int32).T
    sides = [
        LineCosts(
            host,
            file,
            line,
            sums_by_group(side.self_cost, own, len(rows)),
            sums_by_group(side.inclusive, own, len(rows)),
            of_side,
            replace(new.jumps, location=places[1][new.jumps.location]),
        )
        for side, own, (of_side, _) in zip((base, new), places, calls, strict=True)
    ]
    return sides[0], sides[1]


def _with_numbers(
    lines: LineCosts, own_file: TextId, numberings: Numberings, numbers_of: _OfLines
) -> LineCosts:
    host = lines.host
    if own_file in numberings:
        host = numbers_of(numberings[own_file])(host).astype(np.int32)
    jumps: LineJumps = lines.jumps
    return replace(
        lines,
        host=host,
        line=_numbers_of_lines(lines.file, lines.line, numberings, numbers_of),
        jumps=replace(
            jumps,
            target_line=_numbers_of_lines(
                jumps.target_file, jumps.target_line, numberings, numbers_of
            ),
        ),
    )


def _numbers_of_lines(
    file: Int32Array, line: Int32Array, numberings: Numberings, numbers_of: _OfLines
) -> Int32Array:
    """Return the common number of each line; that of a file without a numbering is its line."""
    number = line.copy()
    for each in text_ids(np.unique(file)):
        if each in numberings:
            of_file = file == each
            number[of_file] = numbers_of(numberings[each])(line[of_file])
    return number


# ---------------------------------------------------------------- how the self cost changed


@frozen
class ChangedLines:
    """The lines of a function with their self costs on both sides, in order of file and number."""

    file: Int64Array  # number in the profile's texts, shape (lines,)
    number: Int64Array  # the common number of both sides; 0 is the unknown line
    base_line: Int64Array  # 0: the base lacks the line, as far as is known
    new_line: Int64Array
    base: Int64Array  # shape (events, lines); 0 where a line has none
    new: Int64Array

    def __len__(self) -> int:
        return len(self.file)


def changed_lines(base: LineCosts, new: LineCosts, numberings: Numberings) -> ChangedLines:
    """Pair the lines of a function. Lines of files without a numbering pair by number."""
    base_number = _numbers_of_lines(base.file, base.line, numberings, lambda each: each.of_base)
    new_number = _numbers_of_lines(new.file, new.line, numberings, lambda each: each.of_new)
    file = np.concatenate((base.file, new.file)).astype(np.int64)
    number = np.concatenate((base_number, new_number)).astype(np.int64)
    rows, place = np.unique(np.stack((file, number), axis=1), axis=0, return_inverse=True)
    place = place.reshape(-1)
    file, number = rows.T
    return ChangedLines(
        file,
        number,
        *_lines_of_numbers(file, number, numberings),
        sums_by_group(base.self_cost, place[: len(base)], len(rows)),
        sums_by_group(new.self_cost, place[len(base) :], len(rows)),
    )


def _lines_of_numbers(
    file: Int64Array, number: Int64Array, numberings: Numberings
) -> tuple[Int64Array, Int64Array]:
    """Return the lines of base and new with these numbers."""
    base_line, new_line = number.copy(), number.copy()
    for each in text_ids(np.unique(file)):
        numbering: Numbering | None = numberings.get(each)
        if numbering is not None:
            rows = np.flatnonzero(file == each)
            base_line[rows], new_line[rows] = numbering.lines_of(number[rows])
    return base_line, new_line
