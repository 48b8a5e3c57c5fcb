"""Speedscope's own format: JSON with a table of frames, and profiles that refer to it.

    {"$schema": "https://www.speedscope.app/file-format-schema.json",
     "shared": {"frames": [{"name": "main", "file": "a.py", "line": 12}, {"name": "read"}]},
     "profiles": [
       {"type": "sampled", "name": "Thread 7", "unit": "seconds",
        "samples": [[0, 1], [0]], "weights": [0.01, 0.02]},
       {"type": "evented", "name": "Thread 8", "unit": "none",
        "events": [{"type": "O", "frame": 0, "at": 0}, {"type": "C", "frame": 0, "at": 5}]}]}

Written by py-spy, pyinstrument, rbspy, dotnet-trace, speedscope, and this program. Profiles are
threads; those that this program writes are of an event, which their names begin with, as in
`Ir in Thread 7 "worker"`.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from qcachegrind_py.analysis.names.syntax import common_length
from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.formats.stacks.json_values import (
    integer,
    items,
    member,
    number,
    read_json,
    text,
)
from qcachegrind_py.formats.stacks.source import StackSource
from qcachegrind_py.profile.numbers import unit_of

_SCHEMA = b"www.speedscope.app/file-format-schema.json"
_TYPES = (b'"evented"', b'"sampled"')
_OWN_EXPORT, _IN_THREAD = "qcachegrind_py", " in "
_NANOSECONDS = {"nanoseconds": 1, "microseconds": 10**3, "milliseconds": 10**6, "seconds": 10**9}
_SYMBOLS = {
    "nanoseconds": "ns",
    "microseconds": "us",
    "milliseconds": "ms",
    "seconds": "s",
    "bytes": "B",
}
_THREAD = re.compile(
    r"(?:Process (?P<pid>\d{1,18}) )?Thread (?P<thread>\d{1,18})(?: \"(?P<name>.*)\")?"
)
_THREAD_FRAME = re.compile(r"thread \((?:0x[\dA-Fa-f]+|\d+)\)(?:: .*)?")  # py-spy
_NO_FUNCTION = "(no function)"
_CHECKED_ROWS = 10_000  # of samples or events, before the progress is reported


def is_speedscope(head: bytes) -> bool:
    """Return whether the first bytes are those of such a file."""
    if not head.lstrip().startswith(b"{"):
        return False
    return _SCHEMA in head or (b'"startValue"' in head and any(each in head for each in _TYPES))


def read_speedscope(source: StackSource, builder: StackBuilder) -> None:
    """Read all profiles of a file; what contradicts itself in it is reported and left out."""
    file = read_json(source, builder)
    exporter = text(file.get("exporter")) if isinstance(file, dict) else ""
    is_own = exporter == _OWN_EXPORT
    if exporter:
        builder.creator = exporter.replace("@", " ")
    if is_own and isinstance(file, dict):
        builder.command = text(file.get("name"))
    profiles = [each for each in items(file, "profiles") if isinstance(each, dict)]
    frames = _Frames(builder, items(member(file, "shared"), "frames"))
    threads = _Threads(builder)
    events = [_Event(builder, each, is_own=is_own) for each in profiles]
    for place, (profile, event) in enumerate(zip(profiles, events, strict=True)):
        share = place / len(profiles), 1 / len(profiles)
        name = text(profile.get("name"))
        if is_own:
            name = name.partition(_IN_THREAD)[2]
        thread = threads.part(name, event.number, is_title=len(profiles) == 1 and not is_own)
        reader = _Stacks(source, builder, frames, event, thread, share)
        if is_own or profile.get("type") == "evented":
            builder.adds_samples = False
        if profile.get("type") == "evented":
            reader.read_events(items(profile, "events"))
        else:
            reader.read_samples(items(profile, "samples"), items(profile, "weights"))


class _Event:
    """What a profile measured: the number of its event, and how its costs become whole numbers.

    Times become nanoseconds, but those of this program, which are whole in units of their own.
    """

    def __init__(self, builder: StackBuilder, profile: dict[str, Any], *, is_own: bool) -> None:
        unit = text(profile.get("unit"))
        self.factor = 1
        if is_own:
            name = text(profile.get("name")).partition(_IN_THREAD)[0]
            needs_unit = unit in _SYMBOLS and unit_of(name) is None
            self.number = builder.event(name, f"{name} ({_SYMBOLS[unit]})" if needs_unit else "")
        elif unit in _NANOSECONDS:
            self.number = builder.event("ns", "Time")
            self.factor = _NANOSECONDS[unit]
        else:
            counted = "weight" if profile.get("type") == "evented" else "samples"
            self.number = builder.event("bytes" if unit == "bytes" else counted)
        self._builder = builder

    def cost(self, value: object) -> int:
        """Return a weight, or a point in time, as a whole number; 0 if it is none."""
        if type(value) is int:
            return value * self.factor
        cost = number(number(value) * self.factor)  # twice: the product may be infinite
        whole = round(cost)
        if self.factor == 1 and whole != cost:
            self._builder.diagnostic(0, "fraction", "A cost is not a whole number; rounded.")
        return whole

    def costs(self, cost: int) -> tuple[int, ...]:
        """Return the costs of all events, of which only this one is not 0."""
        return (*[0] * self.number, cost)


class _Threads:
    """The parts of a file: profiles of one name are one thread, if their events differ."""

    def __init__(self, builder: StackBuilder) -> None:
        self._builder = builder
        self._parts: dict[tuple[str, int], int] = {}  # by name, and how many there were before
        self._counts = Counter[tuple[str, int]]()  # by name and event

    def part(self, name: str, event: int, *, is_title: bool) -> int:
        key = name, self._counts[name, event]
        self._counts[name, event] += 1
        if key not in self._parts:
            pid = thread = 0
            if match := _THREAD.fullmatch(name):
                pid, thread = int(match["pid"] or 0), int(match["thread"])
                name = match["name"] or ""
            elif is_title:
                name = ""
            self._parts[key] = self._builder.part(name, pid, thread)
        return self._parts[key]


class _Frames:
    """The frames of a file by their number; one that the table does not have is named by it."""

    def __init__(self, builder: StackBuilder, rows: list[Any]) -> None:
        self._builder = builder
        self._known: dict[int, int] = {}
        self._threads: set[int] = set()  # frames that state the thread, which is the part
        for place, row in enumerate(rows):
            name, file = (
                text(row.get(key)) if isinstance(row, dict) else "" for key in ("name", "file")
            )
            line = integer(row.get("line")) if isinstance(row, dict) else 0
            if not file and _THREAD_FRAME.fullmatch(name):
                self._threads.add(place)
            else:
                self._known[place] = builder.frame(builder.function(name, file), line)

    def below(self, context: int, place: int) -> int:
        """Return the context of a frame below another; this one if the frame states its thread."""
        frame = self._known.get(place)
        if frame is None:
            if place in self._threads:
                return context
            message = f"The file has no frame {place}, which is on a stack."
            self._builder.diagnostic(0, "no-frame", message)
            name = f"frame {place}"
            frame = self._known[place] = self._builder.frame(self._builder.function(name))
        return self._builder.child(context, frame)


class _Stacks:
    """Adds the stacks of one profile to its thread."""

    def __init__(
        self,
        source: StackSource,
        builder: StackBuilder,
        frames: _Frames,
        event: _Event,
        thread: int,
        share: tuple[float, float],
    ) -> None:
        """`share` is the start and the length of the profile's share of the file."""
        self._source, self._builder, self._frames = source, builder, frames
        self._event, self._thread = event, thread
        self._begin, self._length = share

    def read_samples(self, samples: list[Any], weights: list[Any]) -> None:
        """Add samples, each of which is a list of frames from the outermost, with their weights."""
        if len(samples) != len(weights):
            message = "A profile has not as many weights as samples; those without are left out."
            self._builder.diagnostic(0, "no-weight", message)
        last: list[int] = []
        contexts: list[int] = []  # of the last sample, one for each of its frames
        below = self._frames.below
        for row, (sample, weight) in enumerate(zip(samples, weights, strict=False)):
            if row % _CHECKED_ROWS == 0:
                self._check(row / len(samples))
            if sample != last:
                places = self._places(sample)
                shared = common_length(places, last)
                del contexts[shared:]
                context = contexts[-1] if contexts else self._thread
                for place in places[shared:]:
                    context = below(context, place)
                    contexts.append(context)
                last = places
            if cost := self._event.cost(weight):
                self._add(contexts[-1] if contexts else self._thread, cost)

    def _places(self, sample: object) -> list[int]:
        """Return the frames of a sample without what are no numbers."""
        places: list[Any] = sample if isinstance(sample, list) else [None]
        if set(map(type, places)) <= {int}:
            return places
        self._builder.diagnostic(0, "no-frame", "A frame is not a number; left out.")
        return [place for place in places if type(place) is int]

    def read_events(self, events: list[Any]) -> None:
        """Add what passes between events, which open a frame or close the innermost one.

        Points are rounded before they are subtracted, so that all costs add up to the last.
        """
        opened: list[tuple[int, int]] = []  # frames, and the contexts above them
        counts: dict[int, int] = {}  # of each open frame
        context = self._thread
        last: int | None = None
        for row, each in enumerate(events):
            if row % _CHECKED_ROWS == 0:
                self._check(row / len(events))
            place = each.get("frame") if isinstance(each, dict) else None
            if type(place) is not int:
                self._report("An event has no frame; left out.")
                continue
            at = self._event.cost(each.get("at"))
            if last is None:
                last = at
            elif at < last:
                self._report("An event is earlier than the one before it.")
            elif at > last:
                if opened:
                    self._add(context, at - last)
                last = at
            if each.get("type") == "O":
                opened.append((place, context))
                counts[place] = counts.get(place, 0) + 1
                context = self._frames.below(context, place)
            elif not counts.get(place):
                self._report("A frame ends that is not open; left out.")
            else:
                ended, context = opened.pop()
                counts[ended] -= 1
                while ended != place:
                    self._report("A frame ends before the frames that it called; they end too.")
                    ended, context = opened.pop()
                    counts[ended] -= 1
        if opened:
            self._report("Frames do not end; they are counted as far as the last event.")

    def _add(self, context: int, cost: int) -> None:
        if context < 0:
            frame = self._builder.frame(self._builder.function(_NO_FUNCTION))
            context = self._builder.child(context, frame)
        self._builder.add(context, *self._event.costs(cost))

    def _report(self, message: str) -> None:
        self._builder.diagnostic(0, "unbalanced", message)

    def _check(self, share: float) -> None:
        self._source.check(self._begin + self._length * share)
