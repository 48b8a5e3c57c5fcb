"""Arrows between rows, each in a lane, as text and against a slow check of every row."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qcachegrind_py.present.jump_lanes import JumpLanes, LanePart, LaneSegment, assign_lanes

ARROWS = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=14)


def routed(arrows: list[tuple[int, int]], most: int = 10) -> JumpLanes:
    columns = np.array(arrows, np.int64).reshape(-1, 2)
    return assign_lanes(columns[:, 0], columns[:, 1], most)


def lane_text(arrows: str, rows: int, most: int = 10) -> list[str]:
    """A line per row, lane 0 on the right; arrows as `2>5 7>3`.

    d and u: an arrow starts down or up, D and U: beside others that pass; v and ^: it ends, from
    above or below; o: it does both; *: several of these.
    """
    ends = [tuple(map(int, arrow.split(">"))) for arrow in arrows.split()]
    lanes = routed([(source, target) for source, target in ends], most)
    return [line(lanes.segments(row), lanes.count) for row in range(rows)]


def line(segments: list[LaneSegment], count: int) -> str:
    """The text of a row."""
    found: dict[int, str] = {}
    for lane, part, _arrows in segments:
        found[lane] = found.get(lane, "") + "|udv^o"[part]
    joined = {"|d": "D", "d|": "D", "|u": "U", "u|": "U"}
    signs = {
        lane: joined.get(parts, parts if len(parts) == 1 else "*") for lane, parts in found.items()
    }
    return "".join(signs.get(lane, " ") for lane in reversed(range(count)))


def overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two arrows share a row."""
    return bool(set(range(min(one), max(one) + 1)) & set(range(min(other), max(other) + 1)))


def part_of(arrow: tuple[int, int], row: int) -> LanePart:
    """The segments of an arrow in a row between its ends."""
    source, target = arrow
    if source == target:
        return LanePart.LOOPS
    if row == source:
        return LanePart.STARTS_DOWN if target > source else LanePart.STARTS_UP
    if row == target:
        return LanePart.ENDS_FROM_ABOVE if target > source else LanePart.ENDS_FROM_BELOW
    return LanePart.PASSES


@pytest.mark.parametrize(
    ("arrows", "lines"),
    [
        # a long one is outside of those it goes round
        ("0>5 1>2 3>4", ["d ", "|d", "|v", "|d", "|v", "v "]),
        ("5>0 2>1 4>3", ["^ ", "|^", "|u", "|^", "|u", "u "]),
        # what ends where another starts would look like one: they are apart
        ("0>2 2>4", [" d", " |", "dv", "| ", "v "]),
        # one after the other may share a lane
        ("0>1 2>4", ["d", "v", "d", "|", "v"]),
        # to one target they merge: from above, from below, and with the jump to itself
        ("0>3 1>3 2>3", ["d", "D", "D", "v"]),
        ("0>2 4>2 2>2", ["d", "|", "*", "|", "u"]),
        # where an arrow to another target is in between, they cannot
        ("0>5 1>2 4>5", ["d ", "|d", "|v", "| ", "|d", "vv"]),
        ("0>9 3>9 1>2 4>5 6>5", ["d ", "|d", "|v", "D ", "|d", "|*", "|u", "| ", "| ", "v "]),
        # they cross where they have to, and only once
        ("0>2 1>3", [" d", "d|", "|v", "v "]),
        ("2>2", [" ", " ", "o"]),
        ("", ["", ""]),
    ],
)
def test_lanes_as_text(arrows: str, lines: list[str]) -> None:
    """Short arrows are next to the text, long ones around them; those to one row merge."""
    assert lane_text(arrows, len(lines)) == lines


def test_long_arrows_are_left_out() -> None:
    """With too few lanes, the shortest arrows are visible, and the others have no lane."""
    arrows = "0>5 1>4 2>3 5>6"

    lanes = routed([(0, 5), (1, 4), (2, 3), (5, 6)], most=2)

    assert (lanes.lane.tolist(), lanes.count) == ([-1, 1, 0, 0], 2)
    assert lane_text(arrows, 7, most=2) == ["  ", "d ", "|d", "|v", "v ", " d", " v"]
    assert lane_text(arrows, 7, most=0) == [""] * 7


def test_both_ends_of_arrows_without_a_lane_are_marked() -> None:
    """Rows where an arrow without a lane starts or ends have a mark."""
    lanes = routed([(0, 9), (1, 8), (2, 3), (9, 1), (9, 9)], most=1)

    assert lanes.lane.tolist() == [-1, -1, 0, -1, 0]
    marks = {row: arrows for row in range(10) if (arrows := lanes.unplaced_arrows(row))}
    assert marks == {0: [0], 9: [0, 3], 1: [1, 3], 8: [1]}
    assert routed([(0, 9), (1, 8)], most=2).unplaced_arrows(0) == []


@given(ARROWS, st.integers(0, 5))
@example([(0, 3), (5, 3), (3, 3), (0, 3), (3, 0)], 5)
def test_arrows_in_a_lane_are_distinguishable(arrows: list[tuple[int, int]], most: int) -> None:
    """Only arrows with one target share a row of a lane; an arrow without a lane is in no row."""
    lanes = routed(arrows, most)

    together = [
        (arrows[one], arrows[other])
        for one, other in combinations(range(len(arrows)), 2)
        if lanes.lane[one] == lanes.lane[other] >= 0 and overlap(arrows[one], arrows[other])
    ]
    assert {one[1] - other[1] for one, other in together} <= {0}
    in_use = sorted({int(lane) for lane in lanes.lane if lane >= 0})
    assert (in_use, lanes.count <= most) == (list(range(lanes.count)), True)
    for arrow in np.flatnonzero(lanes.lane < 0).tolist():
        crowded = [
            any(
                overlap(arrows[arrow], arrows[other])
                for other in np.flatnonzero(lanes.lane == lane)
            )
            for lane in range(most)
        ]
        assert crowded == [True] * most


@given(ARROWS, st.integers(0, 5))
@example([(2, 0), (2, 0), (1, 0), (0, 0), (5, 0)], 3)
def test_an_arrow_is_in_the_rows_between_its_ends(arrows: list[tuple[int, int]], most: int) -> None:
    """An arrow with a lane is in each row from source to target, once; others at both ends."""
    lanes = routed(arrows, most)
    left_out = Counter(
        (arrow, row) for row in range(-1, 16) for arrow in lanes.unplaced_arrows(row)
    )
    found = Counter(
        (int(arrow), row, segment.lane, segment.part)
        for row in range(-1, 16)
        for segment in lanes.segments(row)
        for arrow in segment.arrows
    )

    expected = Counter(
        (number, row, int(lanes.lane[number]), part_of(arrow, row))
        for number, arrow in enumerate(arrows)
        for row in range(min(arrow), max(arrow) + 1)
        if lanes.lane[number] >= 0
    )
    assert found == expected
    assert set(left_out) == {
        (number, row)
        for number, arrow in enumerate(arrows)
        for row in arrow
        if lanes.lane[number] < 0
    }
    assert (lanes.source.tolist(), lanes.target.tolist()) == (
        [source for source, _ in arrows],
        [target for _, target in arrows],
    )


def test_segments_of_a_row_are_few_and_in_order() -> None:
    """A thousand jumps to one exit are three segments of its row, innermost lane first."""
    arrows = [(row, 500) for row in range(1000)] + [(0, 1000)]
    lanes = routed(arrows)

    parts = [(s.lane, s.part, len(s.arrows)) for s in lanes.segments(500)]

    assert parts == [
        (0, LanePart.ENDS_FROM_ABOVE, 500),
        (0, LanePart.LOOPS, 1),
        (0, LanePart.ENDS_FROM_BELOW, 499),
        (1, LanePart.PASSES, 1),
    ]
    sources = [lanes.source[s.arrows].tolist() for s in lanes.segments(997)]
    assert sources == [[997], [998, 999], [0]]


@settings(max_examples=30)
@given(ARROWS)
@example([(0, 9), (4, 5), (9, 5), (0, 4)])
def test_long_arrows_have_the_lanes_of_short_ones(arrows: list[tuple[int, int]]) -> None:
    """Arrows over thousands of rows get the lanes that they get over few rows."""
    short = [(source, target) for source, target in arrows if source != target]
    long = [(900 * source, 900 * target) for source, target in short]
    loops = [(row, row) for row in range(900 * 16) if row % 900]  # they take the innermost lane

    few = routed(short, most=3).lane
    many = assign_lanes(*np.array([*long, *loops], np.int64).T, max_lanes=4).lane

    assert many[: len(short)].tolist() == np.where(few < 0, few, few + 1).tolist()
