"""Quirks of single producers that the format does not define, applied if the header names them.

Units of their events, each according to the source code of the producer:

- Xdebug 2 (`creator: xdebug 2.5.0 (PHP 7.0.17)`) calls its event `Time`. Versions that write a
  creator multiply seconds by 1,000,000: microseconds. Older ones multiply by 10,000,000 and write
  no creator, so they cannot be recognised. From 2.6 on, the event name states the unit. Memory is
  measured by PHP's allocator in bytes.
- yappi (`creator: yappi`) calls its event `Ticks` and writes `int(tsub * 1e6)` of seconds in every
  version that writes this format. `Ticks` of other producers are milliseconds or anything else.
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
    """Return long names with units, for events whose unit is known and equal in all their parts."""
    long_names: dict[str, set[str]] = {}
    for part in parts:
        known = _known_names(part.text("creator"))
        for event in part.events:
            long_names.setdefault(event, set()).add(known.get(event, ""))
    return {
        event: min(names) for event, names in long_names.items() if len(names) == 1 and min(names)
    }


def _known_names(creator: str) -> dict[str, str]:
    return next((names for pattern, names in _EVENT_UNITS if pattern.match(creator)), {})


def is_profile_separator(line: str) -> bool:
    """Return whether Xdebug, in append mode, wrote this line between two profiles."""
    return line.startswith("==== NEW PROFILING FILE ====")


def omits_final_newline(part: PartHeader) -> bool:
    """Return whether the producer omits the line end of the last line, as yappi does."""
    return part.text("creator") == "yappi"
