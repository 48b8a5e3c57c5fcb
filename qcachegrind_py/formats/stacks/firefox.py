"""The Firefox profiler's JSON: processed by it, or as Firefox and perf's gecko script record it.

A processed profile has columns of tables that refer to each other by row: samples → stackTable →
frameTable → funcTable → resourceTable → libs. Each thread has its own tables, or, since version 57,
all share those under `shared`. Written by samply, simpleperf's converter and profiler.firefox.com.

A recorded profile has a list for each row, whose `schema` tells the columns, in each thread, and
has those of further processes under `processes`. Functions are texts there:

    0x7f4e1ff756bb    words (file:///page.html:4:15)[1]    memcpy (in /usr/lib/libc.so)    Label

Names that are addresses are unknown functions of their library, at this address. A processed
profile has addresses of calls within their instruction; they become those behind it.

https://github.com/firefox-devtools/profiler/blob/main/src/types/profile.ts, gecko-profile.ts
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any, Protocol

from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.formats.stacks.json_values import (
    index,
    integer,
    items,
    member,
    number,
    read_json,
    text,
)
from qcachegrind_py.formats.stacks.source import StackSource

_CHECKED = 10_000  # samples between two checks
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{1,16}")
_LOCATION = re.compile(r"(?P<name>.*) \((?P<file>.+?)(?::\d{1,9}){1,2}\)(?:\[\d+\])?", re.DOTALL)
_IN_LIBRARY = re.compile(r"(?P<name>.*) \(in (?P<object>.*)\)", re.DOTALL)
_DIGITS = re.compile(r"\d{1,18}")
_ALLOCATIONS = (("jsAllocations", "js_allocations"), ("nativeAllocations", "native_allocations"))

_Frames = tuple[int, int, bool]  # as the leaf, as a caller, and whether it is inlined
_Table = dict[str, Any]


def is_firefox(head: bytes) -> bool:
    """Return whether it is JSON that begins with meta data or libraries of such a profile."""
    if not head.lstrip().startswith(b"{"):
        return False
    has_meta = b'"meta"' in head and any(
        key in head for key in (b'"preprocessedProfileVersion"', b'"markerSchema"', b'"stackwalk"')
    )
    return has_meta or (b'"breakpadId"' in head and b'"debugName"' in head)


def read_firefox(source: StackSource, builder: StackBuilder) -> None:
    """Read the samples of all threads of all processes."""
    profile = read_json(source, builder)
    meta, shared = member(profile, "meta"), member(profile, "shared")
    builder.command = text(meta.get("product"))
    builder.creator = text(meta.get("importedFrom")) or builder.creator
    if meta.get("symbolicated") is False:
        message = "Functions have no names: save it with them in the Firefox profiler."
        builder.diagnostic(0, "no-symbols", message)
    reader = _Reader(source, builder, text(member(meta, "sampleUnits").get("threadCPUDelta")))
    libraries = items(profile, "libs")
    common = _ProcessedFrames(builder, [shared], libraries)
    pending = [profile]
    while pending:
        process = pending.pop()
        pending += reversed(items(process, "processes"))
        loaded = _Libraries(items(process, "libs"))
        for thread in items(process, "threads"):
            if not isinstance(thread, dict):
                continue
            frames: _FrameSource = common
            if "schema" in member(thread, "frameTable"):
                frames = _RecordedFrames(builder, thread, loaded)
            elif "frameTable" in thread:
                frames = _ProcessedFrames(builder, [thread, shared], libraries)
            reader.read(thread, frames, _columns([thread, shared], "stackTable"))


def _columns(owners: list[_Table], name: str) -> _Table:
    """Return the columns of a table of the first owner that has it."""
    table = next((found for owner in owners if (found := member(owner, name))), {})
    if "schema" not in table:
        return table
    rows = [row if isinstance(row, list) else [] for row in items(table, "data")]
    width = max(map(len, rows), default=0)
    places = {name: index(place, width) for name, place in member(table, "schema").items()}
    return {
        name: [row[place] if place < len(row) else None for row in rows]
        for name, place in places.items()
        if place is not None
    }


def _at(column: list[Any], row: object) -> Any:
    """Return what a column has in a row, or None."""
    place = index(row, len(column))
    return None if place is None else column[place]


# ---------------------------------------------------------------------- frames


class _FrameSource(Protocol):
    """The frames of a thread, or of all threads."""

    def frames(self, row: object) -> _Frames:
        """Return a row of the table as frames of the builder."""


class _ProcessedFrames:
    """Frames of a processed profile, whose tables are those of the first owner that has them."""

    def __init__(self, builder: StackBuilder, owners: list[_Table], libraries: list[Any]) -> None:
        self._builder, self._libraries = builder, libraries
        frames, functions, resources, sources = (
            _columns(owners, name)
            for name in ("frameTable", "funcTable", "resourceTable", "sources")
        )
        texts = (items(owner, key) for owner in owners for key in ("stringArray", "stringTable"))
        self._texts = next((found for found in texts if found), [])
        self._function, self._line = items(frames, "func"), items(frames, "line")
        self._address, self._depth = items(frames, "address"), items(frames, "inlineDepth")
        self._name, self._resource = items(functions, "name"), items(functions, "resource")
        self._file, self._source = items(functions, "fileName"), items(functions, "source")
        self._filename = items(sources, "filename")
        self._library, self._host = items(resources, "lib"), items(resources, "name")
        self._functions: dict[int, int] = {}
        self._known: dict[int, _Frames] = {}

    def frames(self, row: object) -> _Frames:
        place = index(row, len(self._function))
        if place is None:
            unknown = self._builder.frame(self._builder.function(""))
            return unknown, unknown, False
        found = self._known.get(place)
        if found is None:
            function = self._functions_frame(_at(self._function, place))
            line = integer(_at(self._line, place))
            address = integer(_at(self._address, place))  # -1: none
            leaf = self._builder.frame(function, line, address)
            behind = address + 1 if address > 0 else address
            caller = self._builder.frame(function, line, behind)
            found = self._known[place] = leaf, caller, integer(_at(self._depth, place)) > 0
        return found

    def _functions_frame(self, row: object) -> int:
        place = index(row, len(self._name))
        place = -1 if place is None else place
        function = self._functions.get(place)
        if function is None:
            name = self._text(_at(self._name, place))
            file = self._text(_at(self._file, place))
            file = file or self._text(_at(self._filename, _at(self._source, place)))
            resource = _at(self._resource, place)
            library = _at(self._libraries, _at(self._library, resource))
            object_ = _library_path(library) or self._text(_at(self._host, resource))
            name = "" if _ADDRESS.fullmatch(name) else name
            function = self._functions[place] = self._builder.function(name, file, object_)
        return function

    def _text(self, row: object) -> str:
        return text(_at(self._texts, row))


class _Libraries:
    """Where the libraries of a process were loaded."""

    def __init__(self, libraries: list[Any]) -> None:
        ranges = ((integer(_value(each, "start")), each) for each in libraries)
        self._loaded = sorted(ranges, key=lambda each: each[0])
        self._starts = [start for start, _ in self._loaded]

    def find(self, address: int) -> tuple[str, int]:
        """Return the path of the library at an address, and the address in it."""
        row = bisect_right(self._starts, address) - 1
        if row < 0 or address >= integer(_value(self._loaded[row][1], "end")):
            return "", address
        start, library = self._loaded[row]
        return _library_path(library), address - start


class _RecordedFrames:
    """Frames of a recorded thread."""

    def __init__(self, builder: StackBuilder, thread: _Table, libraries: _Libraries) -> None:
        self._builder, self._libraries = builder, libraries
        frames = _columns([thread], "frameTable")
        self._location, self._line = items(frames, "location"), items(frames, "line")
        self._texts = items(thread, "stringTable")
        self._known: dict[int, _Frames] = {}

    def frames(self, row: object) -> _Frames:
        place = index(row, len(self._location))
        place = -1 if place is None else place
        found = self._known.get(place)
        if found is None:
            frame = self._frame(text(_at(self._texts, _at(self._location, place))), place)
            found = self._known[place] = frame, frame, False
        return found

    def _frame(self, location: str, place: int) -> int:
        name, file, object_, address = location, "", "", 0
        if _ADDRESS.fullmatch(location):
            object_, address = self._libraries.find(int(location, 16))
            name = ""
        elif match := _IN_LIBRARY.fullmatch(location):
            name, object_ = match["name"], match["object"]
        elif match := _LOCATION.fullmatch(location):
            name, file = match["name"], match["file"]
        function = self._builder.function(name, file, object_)
        return self._builder.frame(function, integer(_at(self._line, place)), address)


def _value(owner: object, key: str) -> object:
    return owner.get(key) if isinstance(owner, dict) else None


def _library_path(library: object) -> str:
    return text(_value(library, "path")) or text(_value(library, "name"))


# --------------------------------------------------------------------- samples


class _Reader:
    """Counts the samples of threads, each of which is a part."""

    def __init__(self, source: StackSource, builder: StackBuilder, cpu_unit: str) -> None:
        self._source, self._builder = source, builder
        self._cpu_unit = {"µs": "us"}.get(cpu_unit, cpu_unit)

    def read(self, thread: _Table, frames: _FrameSource, stacks: _Table) -> None:
        """Read a thread."""
        name, process = text(thread.get("name")), text(thread.get("processName"))
        if process and process != name:
            name = f"{name} ({process})"
        pid, tid = (_identifier(thread.get(key)) for key in ("pid", "tid"))
        tree = _Tree(self._builder, self._builder.part(name, pid, tid), frames, stacks)
        self._count(tree, _columns([thread], "samples"), "")
        for key, event in _ALLOCATIONS:
            self._count(tree, _columns([thread], key), event)

    def _count(self, tree: _Tree, samples: _Table, name: str) -> None:
        """Count samples, or allocations; those without a stack are not shown anywhere."""
        stacks, weights = items(samples, "stack"), items(samples, "weight")
        if not stacks:
            return
        kind = text(samples.get("weightType"))
        if kind == "tracing-ms":
            event = self._builder.event("ns", "Time")
            self._builder.adds_samples = False
        elif kind == "bytes":
            event = self._builder.event(name or "bytes", f"{name} (bytes)" if name else "")
        else:
            event = self._builder.event(name or "samples")
        scale = 1_000_000 if kind == "tracing-ms" else 1
        deltas = items(samples, "threadCPUDelta")
        cpu = self._cpu_event() if any(deltas[1:]) else None
        for row, stack in enumerate(stacks):
            if row % _CHECKED == 0:
                self._source.check(0.5)
            context = tree.context(stack)
            if context is None:
                continue
            weight = round(number(_at(weights, row)) * scale) if weights else 1
            costs = [0] * (max(event, cpu or 0) + 1)
            costs[event] = weight
            if cpu is not None and row:  # the first has none before it
                costs[cpu] = integer(_at(deltas, row))
            self._builder.add(context, *costs)

    def _cpu_event(self) -> int:
        return self._builder.event("cpu", f"cpu ({self._cpu_unit})" if self._cpu_unit else "")


def _identifier(value: object) -> int:
    """Return the number of a process or thread; a text may have a second number behind a dot."""
    match = _DIGITS.match(str(value)) if isinstance(value, int | str) else None
    return int(match[0]) if match else 0


class _Tree:
    """The stacks of a thread as contexts, entered when a sample has them."""

    def __init__(
        self, builder: StackBuilder, part: int, frames: _FrameSource, stacks: _Table
    ) -> None:
        self._builder, self._part, self._frames = builder, part, frames
        self._prefix, self._frame = items(stacks, "prefix"), items(stacks, "frame")
        self._callers: dict[int, int] = {}
        self._leaves: dict[int, int] = {}

    def context(self, stack: object) -> int | None:
        """Return the context of a sample with a stack; None if it has none."""
        row = index(stack, len(self._frame))
        if row is None:
            return None
        context = self._leaves.get(row)
        if context is None:
            path: list[int] = []
            above: int | None = row
            is_inlined = True
            while is_inlined and above is not None:  # all at the address of the leaf
                frame, _, is_inlined = self._frames.frames(self._frame[above])
                path.append(frame)
                above = self._above(above)
            context = self._part if above is None else self._caller(above)
            for frame in reversed(path):
                context = self._builder.child(context, frame)
            self._leaves[row] = context
        return context

    def _caller(self, row: int) -> int:
        path: list[int] = []
        above: int | None = row
        while above is not None and above not in self._callers:
            path.append(above)
            above = self._above(above)
        context = self._part if above is None else self._callers[above]
        for each in reversed(path):
            _, frame, _ = self._frames.frames(self._frame[each])
            context = self._callers[each] = self._builder.child(context, frame)
        return context

    def _above(self, row: int) -> int | None:
        """Return the stack of the caller, which is in an earlier row: so there are no cycles."""
        above = _at(self._prefix, row)
        if above is None:
            return None
        found = index(above, row)
        if found is None:
            message = f"Stack {row} has {above!r} as its caller, which is no earlier stack."
            self._builder.diagnostic(0, "no-caller", message[:200])
        return found
