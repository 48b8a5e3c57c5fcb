"""Load profiles from compact text, and read them back as rows for whole comparisons.

The rows have the form of the reference reader's, so that both can be compared. As there, an unknown
name is empty.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import function_costs
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import AddressColumn
from tests.formats.callgrind.reference_reader import CallRow, CostRow, Function, JumpRow

DATA = Path(__file__).parent / "data"

# f calls itself in line 3; in line 4 it calls g, which calls it back, and leaf
RECURSIVE = """
    events: Ir
    positions: instr line
    ob=/bin/p
    fl=a.c
    fn=main
    0x10 1 5
    cfn=f
    calls=1 0x20 3
    0x10 1 100
    fn=f
    0x20 3 10
    cfn=f
    calls=2 0x20 3
    0x20 3 50
    0x24 4 7
    cfn=g
    calls=3 0x40 8
    0x24 4 30
    cfn=leaf
    calls=4 0x60 12
    0x24 4 20
    fn=g
    0x40 8 6
    cfn=f
    calls=3 0x20 3
    0x40 8 15
    fn=leaf
    0x60 12 20
    """


def text_bytes(drawing: str | bytes) -> bytes:
    """The bytes of profile text, which may be indented and start with an empty line."""
    if isinstance(drawing, bytes):
        return drawing
    return textwrap.dedent(drawing).lstrip("\n").encode()


def profile_from(*drawings: str | bytes, progress: Progress | None = None) -> Profile:
    """Load texts as the files `drawing.1`, `drawing.2` and so on."""
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"drawing.{n}" for n in range(1, len(drawings) + 1)]
        for path, drawing in zip(paths, drawings, strict=True):
            path.write_bytes(text_bytes(drawing))
        return load(*paths, progress=progress)


def diagnostic_rows(profile: Profile) -> list[tuple[int, str]]:
    """Line and kind of each diagnostic, in order of the lines."""
    return sorted((odd.line, odd.kind) for odd in profile.diagnostics)


@lru_cache(maxsize=2)  # some tests ask for each line or each function of a profile
def function_rows(profile: Profile) -> list[Function]:
    """Name, file and object of each function."""
    columns = (profile.functions.name, profile.functions.file, profile.functions.object)
    return list(zip(*(map(_text(profile), column.tolist()) for column in columns), strict=True))


def cost_table(profile: Profile, *, cycles: bool = True) -> dict[str, tuple[int, int, int]]:
    """Self, inclusive and called count by function name, for the first event."""
    costs = function_costs(profile, cycles=cycles)
    names = [name for name, _file, _object in function_rows(profile)]
    columns = (costs.self_cost[0], costs.inclusive[0], costs.called)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return dict(zip(names, rows, strict=True))


def cost_rows(profile: Profile) -> list[CostRow]:
    """Every self-cost row."""
    text, known = _text(profile), function_rows(profile)
    runs, costs = profile.runs, profile.costs
    starts = runs.start.tolist()
    addresses = _or_zeros(costs.address, len(costs))
    return [
        CostRow(
            int(runs.part[run]),
            known[int(runs.function[run])],
            text(int(runs.file[run])),
            int(costs.line[row]),
            addresses[row],
            tuple(costs.values[:, row].tolist()),
        )
        for run in range(len(runs))
        for row in range(starts[run], starts[run + 1])
    ]


def call_rows(profile: Profile) -> list[CallRow]:
    """Every call."""
    text, known, calls = _text(profile), function_rows(profile), profile.calls
    addresses = _or_zeros(calls.address, len(calls))
    return [
        CallRow(
            int(calls.part[row]),
            known[int(calls.caller[row])],
            known[int(calls.callee[row])],
            text(int(calls.file[row])),
            int(calls.line[row]),
            addresses[row],
            int(calls.count[row]),
            tuple(calls.values[:, row].tolist()),
        )
        for row in range(len(calls))
    ]


def jump_rows(profile: Profile) -> list[JumpRow]:
    """Every jump."""
    text, known, jumps = _text(profile), function_rows(profile), profile.jumps
    sources = _or_zeros(jumps.address, len(jumps))
    targets = _or_zeros(jumps.target_address, len(jumps))
    return [
        JumpRow(
            int(jumps.part[row]),
            known[int(jumps.function[row])],
            text(int(jumps.file[row])),
            int(jumps.line[row]),
            sources[row],
            known[int(jumps.target_function[row])],
            text(int(jumps.target_file[row])),
            int(jumps.target_line[row]),
            targets[row],
            int(jumps.executed[row]),
            int(jumps.followed[row]),
            bool(jumps.conditional[row]),
        )
        for row in range(len(jumps))
    ]


def _text(profile: Profile) -> Callable[[int], str]:
    texts = ["", *(profile.texts[number] for number in range(1, len(profile.texts)))]
    return texts.__getitem__


def _or_zeros(column: AddressColumn | None, rows: int) -> list[int]:
    return [0] * rows if column is None else np.asarray(column).tolist()
