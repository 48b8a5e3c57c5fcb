"""Header lines of a part for the writer (format specification, 3.2.2).

Recorded lines are written unchanged, even unknown ones, except for those that describe other lines:
`positions:` and `events:` are those of the lines that follow, `totals:` is their sum. Except in the
first part, `positions:` comes first, because it begins a part for KCachegrind and for this reader,
and a line before it might belong to the previous part. Long names and formulas of events are in the
first part; those that cannot be parsed are written unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from qcachegrind_py.formats.callgrind.header import parse_event_line
from qcachegrind_py.formats.callgrind.writing.name_ids import encode_line
from qcachegrind_py.profile.events import EventType, event_types, format_definition
from qcachegrind_py.profile.profile import Part, Profile

FIRST_LINES = b"# callgrind format\nversion: 1\n"

_PROFILE_KEYS = ("creator", "cmd")
_PART_NUMBER_KEYS = ("pid", "part", "thread")
_KEYS_WRITTEN_ELSEWHERE = {
    *_PROFILE_KEYS,
    *_PART_NUMBER_KEYS,
    *("version", "positions", "events", "event", "summary", "totals", "total"),
}


def part_header_lines(
    part: Part,
    positions: Sequence[str],
    events: Sequence[str],
    summary: Sequence[int] | None,
    definitions: Iterable[str],
    *,
    before: Part | None,
) -> bytes:
    """Return the header lines of a part, up to `events:` and `summary:`, if there are any.

    `before` is the part written before, if there is one.
    """
    recorded = dict(part.header)
    texts = {"creator": part.creator, "cmd": part.command}
    texts |= {key: recorded.get(key) or str(getattr(part, key) or "") for key in _PART_NUMBER_KEYS}
    if before and before.pid and not part.pid:
        texts["pid"] = "0"  # readers may take a missing one from the part before
    lines = [(key, texts[key]) for key in _PROFILE_KEYS if texts[key] or key in recorded]
    lines.insert(0 if before else len(lines), ("positions", " ".join(positions)))
    lines += [(key, texts[key]) for key in _PART_NUMBER_KEYS if texts[key] or key in recorded]
    lines += [(key, text) for key, text in part.header if key not in _KEYS_WRITTEN_ELSEWHERE]
    lines += [("event", text) for text in definitions]
    if events:
        lines.append(("events", " ".join(map(_quoted_name, events))))
    if summary is not None:
        lines.append(("summary", " ".join(map(_counter, summary))))
    return b"".join(_header_line(key, text) for key, text in lines)


def totals_line(totals: Sequence[int]) -> bytes:
    """Return the last line of a part: the sums of its self costs.

    Like Callgrind it has no trailing zeros, except for the first; readers take missing ones for 0.
    """
    last = max((number for number, cost in enumerate(totals) if cost), default=0)
    return b"\n" + _header_line("totals", " ".join(map(_counter, totals[: last + 1])))


def _counter(cost: int) -> str:
    """Format a cost as an unsigned, wrapped counter."""
    return str(cost % (1 << 64))


def part_positions(part: Part) -> tuple[str, ...]:
    """Return the positions to write: those of the part, except for basic blocks."""
    return tuple(word for word in part.positions if word != "bb") or ("line",)


def event_lines(profile: Profile) -> Iterator[str]:
    """Yield the text of `event:` lines for all events that are not built in."""
    recorded = [text for part in profile.parts for key, text in part.header if key == "event"]
    in_order = reversed(dict.fromkeys(reversed(recorded)))  # the last definition of an event holds
    parsed = {text: parse_event_line(text) for text in in_order}
    named = {event[0] for event in parsed.values() if event}
    known = {event.name: event for event in event_types(profile.events.names, {}, ()).all}
    for event in profile.events.all:
        is_new = event.name in named or known.get(event.name) != event
        if is_new and not event.is_ratio and (event.is_derived or event.long_name):
            yield _event_text(event)
    offered = {event.name for event in profile.events.all}
    yield from (text for text, event in parsed.items() if not event or event[0] not in offered)


def _event_text(event: EventType) -> str:
    formula = f" = {format_definition(event)}" if event.is_derived else ""
    return f"{event.name}{formula}" + (f" : {event.long_name}" if event.long_name else "")


def _quoted_name(name: str) -> str:
    return re.sub(r"\s", "_", name)


def _header_line(key: str, text: str) -> bytes:
    return key.encode() + b": " + encode_line(text) + b"\n"
