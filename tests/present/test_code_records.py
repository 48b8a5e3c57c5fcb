"""The records of a code table, against a slow walk from location to location."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from qcachegrind_py.analysis.code.location_costs import LocationCalls
from qcachegrind_py.present.code_instructions import NOT_RECORDED
from qcachegrind_py.present.code_records import Arrows, CodeRecords, code_records, inline_groups
from tests.present.reference_records import (
    CALL,
    FOLD,
    HEADING,
    LOCATION,
    plain_records,
    reference_records,
)

Arrow = tuple[int, int, int]  # source, target, and how often: -1 where it was not recorded
SIGNS = {LOCATION: ".", CALL: ">", FOLD: "…", HEADING: ":"}


def built(
    sites: list[int | None],
    arrows: list[Arrow],
    headings: set[int],
    context: int,
    order: list[int] | None = None,
) -> tuple[CodeRecords, list[list[int] | None]]:
    """The records of locations with these numbers of calls, or without cost; and their calls.

    `order` is the order of the rows of the locations with cost: that of the code, or another.
    """
    costly = [site for site, calls in enumerate(sites) if calls is not None]
    rows = [costly[place] for place in order] if order is not None else costly
    cost_row = np.full(len(sites), -1, np.int64)
    cost_row[rows] = np.arange(len(rows))
    of_row = np.repeat(np.arange(len(rows)), [sites[site] or 0 for site in rows])
    calls = LocationCalls(of_row, of_row, of_row, of_row.reshape(1, -1), of_row == 0)
    source, target, executed = np.array(arrows, np.int64).reshape(-1, 3).T
    jumps = Arrows(source, target, executed, executed, executed > 0)
    numbers = {site: np.flatnonzero(of_row == row).tolist() for row, site in enumerate(rows)}
    by_site = [numbers.get(site) for site in range(len(sites))]
    return code_records(cost_row, calls, jumps, context, headings), by_site


@st.composite
def codes(draw: st.DrawFn) -> tuple[object, ...]:
    """Locations, arrows, headings, context, and an order of the rows of costs."""
    sites = draw(st.lists(st.sampled_from([None, None, None, None, 0, 1, 3]), max_size=30))
    place = st.integers(0, max(0, len(sites) - 1))
    counts = st.sampled_from([NOT_RECORDED, 1, 9])
    arrows = draw(st.lists(st.tuples(place, place, counts), max_size=4)) if sites else []
    headings = draw(st.sets(place, max_size=3)) if sites else set()
    costly = sum(calls is not None for calls in sites)
    order = draw(st.permutations(range(costly)))
    return sites, arrows, headings, draw(st.integers(0, 4)), order


@given(codes())
@example(([], [], set(), 3, []))
@example(([None, None], [], set(), 0, []))
@example(([None, 0, None, None, 3, None], [], {0}, 0, [1, 0]))
def test_records(code: tuple[list[int | None], list[Arrow], set[int], int, list[int]]) -> None:
    """Each location is one record, its calls follow, and unmarked ranges are folded.

    Two locations or more fold, further than the context from cost, headings and ends of recorded
    jumps.
    """
    sites, arrows, headings, context, order = code
    records, calls = built(sites, arrows, headings, context, order)
    wanted = reference_records(
        calls, [target for _, target, count in arrows if count > 0], headings, context
    )

    assert plain_records(records) == wanted
    record_of = [n for n, record in enumerate(wanted) if record.kind == LOCATION]
    assert records.record_of_location.tolist() == record_of
    assert records.parent.tolist() == [record_of[record.location] for record in wanted]
    hidden = [
        record.stretch for record in wanted if record.kind == LOCATION and record.stretch >= 0
    ]
    assert records.lengths.tolist() == [hidden.count(n) for n in sorted(set(hidden))]
    ends = zip(records.lanes.source.tolist(), records.lanes.target.tolist(), strict=True)
    assert list(ends) == [(record_of[source], record_of[target]) for source, target, _ in arrows]


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        (0, "…... . > > …..... :. ….."),
        (1, "….. . . > > . …... . :. . ."),
        (2, ". . . . > > . . . . . :. . ."),
    ],
)
def test_visible_context(context: int, expected: str) -> None:
    """The context around cost and headings is visible; a single line is not folded."""
    sites = [None, None, None, 2, None, None, None, None, None, None, None, None]
    records, _ = built(sites, [], {9}, context)

    signs = [SIGNS[record.kind] for record in plain_records(records)]
    assert "".join(signs) == expected.replace(" ", "")


def test_groups_of_hosts() -> None:
    """Only lines with inlined lines below them are hosts."""
    groups = inline_groups(np.array([0, 1, 1, 1, 4, 5, 5], np.int64))

    assert groups.of_location.tolist() == [-1, 0, 0, 0, -1, 1, 1]
    assert (groups.host.tolist(), groups.size.tolist()) == ([1, 5], [2, 1])
    assert groups.is_inlined().tolist() == [False, False, True, True, False, False, True]
