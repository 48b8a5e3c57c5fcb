"""Valid profiles from a grammar, read as the slow reference reader reads them."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.formats.callgrind import reference_reader
from tests.fuzz.kinds import callgrind
from tests.fuzz.kinds.callgrind import same
from tests.fuzz.outcome import Content
from tests.profile_rows import call_rows, cost_rows, jump_rows, profile_from

_HIGHEST_LINE = 2**31 - 1


def make(random: Random) -> bytes:
    """A valid profile, in any of the spellings that the format allows."""
    return callgrind.generated(random)


def check(data: bytes, folder: Path) -> Content:
    """The content of the profile; its rows are those of the reference."""
    wanted = reference_reader.in_part_order(reference_reader.read(data))
    got = profile_from(data)
    same(tuple(wanted.events), got.events.names, "events differ from the reference")
    costs = [row._replace(line=min(row.line, _HIGHEST_LINE)) for row in wanted.costs]
    same(costs, cost_rows(got), "costs differ from the reference")
    calls = [row._replace(line=min(row.line, _HIGHEST_LINE)) for row in wanted.calls]
    same(calls, call_rows(got), "calls differ from the reference")
    jumps = [
        row._replace(
            source_line=min(row.source_line, _HIGHEST_LINE),
            target_line=min(row.target_line, _HIGHEST_LINE),
        )
        for row in wanted.jumps
    ]
    same(jumps, jump_rows(got), "jumps differ from the reference")
    return callgrind.check(data, folder)
