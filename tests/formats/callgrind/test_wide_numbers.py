"""Numbers of more than 32 bits, whose columns are stored in halves, and what columns take."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise, product

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import function_costs
from qcachegrind_py.analysis.costs.sums import segment_sums
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import HalvedColumn
from tests.formats.callgrind import reference_reader
from tests.formats.callgrind.chunked_reading import read_in_chunks
from tests.profile_rows import call_rows, cost_rows, profile_from

HEADER = "positions: instr line\nevents: Ir Dr\nfn=f\n"
BORDERS = [2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**33 - 1, 2**62, -1, -(2**31), -(2**32)]
MANY = 300_000  # rows; more than are summed at once


def column_bytes(profile: Profile) -> int:
    """The bytes of all columns of costs, calls and jumps; what is stored once counts once."""
    taken = 0
    for table in (profile.costs, profile.calls, profile.jumps):
        for field in fields(table):
            column = getattr(table, field.name)
            halves = (column.low, column.high) if isinstance(column, HalvedColumn) else (column,)
            for part in halves:
                if part is not None:
                    taken += min(part.nbytes, part.itemsize if 0 in part.strides else part.nbytes)
    return taken


def test_costs_around_the_borders_of_32_bits() -> None:
    """Each cost is exact, and so are their sums, whatever stands around it."""
    lines = [f"+{1 + row} 1 {cost} {row}\n" for row, cost in enumerate(BORDERS)]
    profile = profile_from(HEADER + "0x10 1 5\n" + "".join(lines) + "+1 1 7\n")
    assert profile.costs.values[:].tolist() == [
        [5, *BORDERS, 7],
        [0, *range(len(BORDERS)), 0],
    ]
    assert function_costs(profile).self_cost[0].tolist() == [12 + sum(BORDERS)]


def test_positions_around_the_borders_of_32_bits() -> None:
    """Addresses jump over the border in both directions, relative and absolute."""
    steps = [
        "0xffffffff",
        "+1",
        "+1",
        "-2",
        "+4294967296",
        "*",
        "-4294967297",
        "0x7fffffffffffffff",
    ]
    text = HEADER + "".join(f"{step} 3 1\n" for step in [*steps, "+8", "-16", "4096", "-4095"])
    profile = profile_from(text)
    assert profile.costs.address is not None
    high = [2**32 - 1, 2**32, 2**32 + 1, 2**32 - 1, 2**33 - 1, 2**33 - 1, 2**32 - 2, 2**63 - 1]
    assert profile.costs.address[:].tolist() == [*high, 2**63 + 7, 2**63 - 9, 4096, 1]
    assert profile.costs.address[1:3].dtype == np.uint64


def test_costs_of_calls_leave_the_halves_of_self_costs_alone() -> None:
    """A call is read into the row of the next cost line, and only that is cleared again."""
    call = f"cfn=g\ncalls=1 0 0\n+1 1 {2**40} {2**33}\n"
    profile = profile_from(HEADER + f"0 1 5 {2**32}\n{call}+1 1 1\n{call}+1 1 0 1\n")
    assert profile.costs.values[:].tolist() == [[5, 1, 0], [2**32, 0, 1]]
    assert profile.calls.values.tolist() == [[2**40, 2**40], [2**33, 2**33]]


def test_sums_of_many_large_numbers() -> None:
    """Sums of halves are exact beyond 2^53, over segments of any length, also empty ones."""
    low = np.full(MANY, 2**32 - 1, np.uint32)
    high = np.arange(MANY, dtype=np.uint32) % 7
    column = HalvedColumn(low, high, np.int64)
    starts = np.array([0, 0, 3, 3, MANY - 5, MANY])
    wanted = [sum(column[begin:end].tolist()) for begin, end in pairwise(starts)]
    assert segment_sums(column, starts).tolist() == wanted
    assert segment_sums(HalvedColumn(low, None, np.int64), starts)[3] == (2**32 - 1) * (MANY - 8)


def test_usual_and_unusual_lines_in_turn() -> None:
    """Each form of a number, at each place of a line, between usual lines, reads as it should.

    The usual ones have a fast path where the scanner is compiled.
    """
    positions = ("+3", "-2", "*", "7", "0x1f", "+0x2", "12345678", "+123456789012", "?")
    costs = ("0", "9", "1234567", "12345678", "0x10", "-4", "", " 6", "18446744073709551615")
    lines = ["100 50 1 1", "+1 +1 2"]
    for place, line, cost in product(positions, positions, costs):
        lines += [
            f"{place} {line} {cost} 8",
            "+1 * 12 345",
            f"{place} {line} 5 {cost}",
            "0x99 5 1 ",
        ]
    data = (HEADER + "\n".join(lines) + "\n").encode()
    wanted = reference_reader.read(data)
    highest = 2**31 - 1
    rows = [row._replace(line=min(row.line, highest)) for row in wanted.costs]
    assert cost_rows(read_in_chunks(data, 1 << 16, 1 << 16)) == rows


def test_columns_take_a_third_of_what_their_numbers_could() -> None:
    """A row of cost has 4 bytes each for line, address and event; a single part takes none."""
    rows = 2000
    body = "".join(f"+{1 + row % 9} +1 {row}\n" for row in range(rows))
    call = "cfn=g\ncalls=1 0 0\n+1 1 1000 1\n"
    profile = profile_from(HEADER + body + 10 * call + "jump=1 0 0\n* *\n")
    of_calls, of_jumps = 4 * 4 + 8 * 2 + 2 * 8, 6 * 4 + 4 * 8 + 1
    assert column_bytes(profile) == rows * 16 + 10 * of_calls + 4 + of_jumps + 4
    wide = profile_from(HEADER + body + f"+1 1 {2**32}\n")
    assert column_bytes(wide) == (rows + 1) * (16 + 2 * 4)
    assert [row.costs for row in call_rows(profile)] == [(1000, 1)] * 10
