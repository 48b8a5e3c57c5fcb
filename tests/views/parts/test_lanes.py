"""Where parts are on the time line."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.present.part_lanes import Lanes, lanes_of

Part = tuple[int, int, int, float]  # process, thread, number, cost


def lanes(*parts: Part, hidden: tuple[int, ...] = ()) -> Lanes:
    """The lanes of parts."""
    pid, thread, number = (np.array([part[i] for part in parts], np.int64) for i in range(3))
    shown = np.array([index not in hidden for index in range(len(parts))])
    return lanes_of(pid, thread, number, np.array([part[3] for part in parts], float), shown)


def drawn(placed: Lanes) -> list[str]:
    """The lanes as text: the title, then each part as `number: left-right`."""
    rows = zip(
        placed.lane.tolist(),
        placed.part.tolist(),
        placed.left.tolist(),
        placed.right.tolist(),
        strict=True,
    )
    texts = [f"{title}:" for title in placed.titles]
    for lane, part, left, right in rows:
        texts[lane] += f" [{part}: {left:g}-{right:g}]"
    return texts


def test_parts_of_one_number_begin_together() -> None:
    """A number begins where the widest part of the number before ends, in each lane."""
    placed = lanes((7, 1, 1, 10), (7, 2, 1, 30), (7, 1, 2, 5), (7, 2, 2, 5), (7, 2, 4, 1))

    assert drawn(placed) == [
        "Thread 1: [0: 0-10] [2: 30-35]",
        "Thread 2: [1: 0-30] [3: 30-35] [4: 35-36]",
    ]
    assert (placed.number.tolist(), placed.start.tolist()) == ([1, 2, 4], [0, 30, 35, 36])


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([(0, 0, 0, 2.0), (0, 0, 0, 3.0)], [": [0: 0-2] [1: 2-5]"]),
        ([(0, 0, 1, 2.0), (0, 0, 1, 3.0)], [": [0: 0-2] [1: 2-5]"]),
        ([(5, 0, 0, 2.0), (6, 0, 0, 3.0)], ["PID 5: [0: 0-2]", "PID 6: [1: 0-3]"]),
        (
            [(5, 1, 0, 2.0), (5, 2, 0, 1.0), (6, 1, 0, 3.0)],
            [
                "PID 5 · Thread 1: [0: 0-2]",
                "PID 5 · Thread 2: [1: 0-1]",
                "PID 6 · Thread 1: [2: 0-3]",
            ],
        ),
        ([(0, 0, 1, 0.0), (0, 0, 2, 0.0)], [": [0: 0-1] [1: 1-2]"]),
        ([(0, 0, 1, -4.0), (0, 0, 2, 2.0)], [": [0: 0-0] [1: 0-2]"]),
    ],
    ids=["no numbers", "one number", "processes", "both", "no cost", "negative cost"],
)
def test_lanes_of_other_profiles(parts: list[Part], expected: list[str]) -> None:
    """Parts follow one another in a lane, which is named by what tells it from the others."""
    assert drawn(lanes(*parts)) == expected


def test_hidden_parts_have_no_place() -> None:
    """The other parts close the gap."""
    placed = lanes((1, 1, 1, 2), (1, 1, 2, 3), (1, 1, 3, 4), hidden=(1,))

    assert drawn(placed) == [": [0: 0-2] [2: 2-6]"]


@pytest.mark.parametrize(
    ("lane", "position", "expected"),
    [
        (0, 0.0, 0),
        (0, 9.9, 0),
        (0, 10.4, 0),  # within reach
        (0, 12.0, None),
        (0, 30.1, 2),
        (1, 29.0, 1),
        (2, 5.0, None),
        (-1, 5.0, None),
    ],
)
def test_part_at_a_position(lane: int, position: float, expected: int | None) -> None:
    """The part right there, or one so near that it may be narrower than the mouse is exact."""
    placed = lanes((7, 1, 1, 10), (7, 2, 1, 30), (7, 1, 2, 5))

    assert placed.part_at(lane, position, tolerance=0.5) == expected


def test_parts_in_a_rectangle() -> None:
    """All that the rectangle touches, in the order of the profile."""
    placed = lanes((7, 1, 1, 10), (7, 2, 1, 30), (7, 1, 2, 5), (7, 2, 2, 5))

    found = [
        placed.parts_between((0, 0), (5, 31)),
        placed.parts_between((0, 1), (9, 12)),
        placed.parts_between((1, 4), (30, 99)),
    ]

    assert found == [[0, 2], [0, 1], [3]]


def test_narrow_parts_share_a_bar() -> None:
    """Parts under a unit share the bar of their unit; wide ones and other lanes have their own."""
    narrow = [(7, 1, n, 0.25) for n in range(1, 9)]
    placed = lanes(*narrow, (7, 1, 9, 3.0), (7, 1, 10, 0.25), (7, 2, 1, 0.25))

    begins = placed.merged(np.arange(11), unit=1.0)

    assert placed.part[begins].tolist() == [0, 4, 8, 9, 10]
