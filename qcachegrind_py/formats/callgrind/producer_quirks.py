"""What single writers do that the format does not say: known only where the header names them.

What their events count, and the evidence, each from the writer's own source:

- Xdebug 2 (`creator: xdebug 2.5.0 (PHP 7.0.17)`) names its event `Time`. The versions that write a
  creator multiply their seconds by 1,000,000: microseconds. Older ones multiply by 10,000,000, and
  write no creator, so nothing is known of them. From 2.6 on the name of the event says its unit.
  Its memory is what PHP's allocator says: bytes.
- yappi (`creator: yappi`) names its event `Ticks`, and writes `int(tsub * 1e6)` of seconds in every
  version that writes this format. Other writers' `Ticks` are milliseconds or anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from qcachegrind_py.formats.callgrind.header import PartHeader

_EVENT_UNITS = (
    (re.compile(r"xdebug 2\."), {"Time": "Time (µs)", "Memory": "Memory (bytes)"}),
    (re.compile(r"yappi\b"), {"Ticks": "Ticks (µs)"}),
)


def known_event_names(parts: Iterable[PartHeader]) -> dict[str, str]:
    """Long names, with their units, of the events that all parts which have them prove to be so."""
    found: dict[str, set[str]] = {}
    for part in parts:
        known = _known_names(part.text("creator"))
        for event in part.events:
            found.setdefault(event, set()).add(known.get(event, ""))
    return {event: min(names) for event, names in found.items() if len(names) == 1 and min(names)}


def _known_names(creator: str) -> dict[str, str]:
    return next((names for pattern, names in _EVENT_UNITS if pattern.match(creator)), {})


def is_profile_separator(line: str) -> bool:
    """Whether it is what Xdebug in append mode writes between two profiles: no oddity."""
    return line.startswith("==== NEW PROFILING FILE ====")


def omits_final_newline(part: PartHeader) -> bool:
    """Whether the writer ends no file with a line end: yappi joins its lines, and adds none."""
    return part.text("creator") == "yappi"
