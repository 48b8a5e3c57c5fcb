"""pprof's protobuf: what Go, Rust, Node, Parca, Pyroscope and gperftools' tools write.

A profile is a protobuf message of repeated messages, mostly tables that refer to each other by ids
or, for texts, by place. Those that this module reads, with their field numbers:

    Profile   1 sample_type  2 sample  3 mapping  4 location  5 function  6 string_table
              9 time_nanos  10 duration_nanos  11 period_type  12 period  13 comment
              14 default_sample_type
    ValueType 1 type  2 unit
    Sample    1 location_id*, the leaf first  2 value*, one for each sample type  3 label*
    Label     1 key  2 str  3 num
    Mapping   1 id  2 memory_start  4 file_offset  5 filename
    Location  1 id  2 mapping_id  3 address  4 line*, the innermost of inlined functions first
    Line      1 function_id  2 line
    Function  1 id  2 name  3 system_name  4 filename

Stacks are kept whole: `drop_frames` and `keep_frames`, which tell viewers to hide allocators, are
not applied. Of labels, only those that name a thread have a meaning of their own; they are parts.

https://github.com/google/pprof/blob/main/proto/profile.proto
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.formats.stacks.source import StackSource

_MEMORY_PER_BYTE = 3.0
_MAX_EVENTS = 20  # of a file; each takes room in every sample
_MAX_INLINED = 200  # functions at one location; each takes time in every sample
_CHECKED = 1000  # samples between two checks
_FIXED_ADDRESSES = 1 << 32  # programs below are not moved when they are loaded
_VARINT, _FIXED_64, _LENGTH, _FIXED_32 = 0, 1, 2, 5  # wire types
_SAMPLE_TYPE, _SAMPLE, _MAPPING, _LOCATION, _FUNCTION, _STRING = 1, 2, 3, 4, 5, 6
_DEFAULT_SAMPLE_TYPE, _LAST_FIELD = 14, 15
_LONGEST_VARINT = 10  # bytes
_LENGTH_FIELDS = frozenset((1, 2, 3, 4, 5, 6, 11))
_THREAD_NAMES = frozenset((b"thread", b"thread name", b"thread_name", b"threadname"))
_THREAD_IDS = frozenset((b"thread id", b"thread_id", b"threadid", b"tid"))


class _Broken(Exception):
    """The bytes are no message, or end in one."""


def is_pprof(head: bytes) -> bool:
    """Return whether the fields are those of a profile, and one is a type of samples.

    These are written first, and consist of numbers of texts below 32, which no text begins with.
    """
    is_found = False
    try:
        for number, _, start, end in _fields(head, 0, len(head)):
            if not 1 <= number <= _LAST_FIELD or (number in _LENGTH_FIELDS and not end):
                return False
            if number == _SAMPLE_TYPE:
                kind = list(_fields(head, start, end))
                if not kind or any(each > 2 or stop for each, _, _, stop in kind):
                    return False
                is_found = True
    except _Broken:
        return is_found  # the head ends in a field
    return is_found


def read_pprof(source: StackSource, builder: StackBuilder) -> None:
    """Read the samples after all tables, in whatever order they are written."""
    data = source.data(_MEMORY_PER_BYTE)
    tables = _Tables(data, builder)
    samples = array("q")
    try:
        for number, value, start, end in _fields(data, 0, len(data)):
            if number == _SAMPLE:
                samples.extend((start, end))
            else:
                tables.read(number, value, start, end)
    except _Broken as error:
        builder.damaged(0, f"{error}; read up to here.")
    reader = _Samples(data, tables, builder)
    ends = iter(samples)
    for place, (start, end) in enumerate(zip(ends, ends, strict=True)):
        if place % _CHECKED == 0:
            source.check(start / len(data))
        try:
            reader.read(start, end)
        except _Broken as error:
            builder.diagnostic(0, "broken-sample", f"A sample is left out: {error}.")


# -------------------------------------------------------------------- messages


def _fields(data: bytes, position: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the fields of a message: number, value, and start and end of those with a length.

    A field with a length has the value 0, and one without has an empty range, so that fields of a
    wrong type are empty. Raises `_Broken`.
    """
    while position < end:
        key = data[position]
        position += 1
        if key > 0x7F:
            key, position = _varint(data, position - 1, end)
        kind = key & 7
        if kind in (_VARINT, _LENGTH):
            if position < end and data[position] < 0x80:
                value = data[position]
                position += 1
            else:
                value, position = _varint(data, position, end)
            if kind == _VARINT:
                yield key >> 3, value, 0, 0
                continue
            start, position = position, position + value
            if position <= end:
                yield key >> 3, 0, start, position
        elif kind in (_FIXED_64, _FIXED_32):
            position += 8 if kind == _FIXED_64 else 4
        else:
            raise _Broken(f"There is no field at byte {position - 1:,}")
        if position > end:
            raise _Broken(f"A field ends behind byte {end:,}")


def _varint(data: bytes, position: int, end: int) -> tuple[int, int]:
    """Return the number that begins at a position, and where it ends."""
    value = shift = 0
    for place in range(position, min(end, position + _LONGEST_VARINT)):
        byte = data[place]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place + 1
        shift += 7
    raise _Broken(f"A number does not end at byte {position:,}")


def _numbers(data: bytes, start: int, end: int) -> list[int]:
    """Return the numbers of a packed field."""
    packed = data[start:end]
    if packed.isascii():
        return list(packed)  # each in one byte
    numbers = []
    value = shift = 0
    for byte in packed:
        if byte < 0x80:
            numbers.append(value | byte << shift)
            value = shift = 0
        elif shift < 7 * (_LONGEST_VARINT - 1):
            value |= (byte & 0x7F) << shift
            shift += 7
        else:
            raise _Broken(f"A number is too long, before byte {end:,}")
    if shift:
        raise _Broken(f"A number does not end at byte {end:,}")
    return numbers


def _signed(number: int) -> int:
    """Return a number of 64 bits with its sign; more bits are no number."""
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number


# ---------------------------------------------------------------------- tables


class _Tables:
    """What samples refer to. Locations become frames of the builder when they are first used."""

    def __init__(self, data: bytes, builder: StackBuilder) -> None:
        self._data, self._builder = data, builder
        self._texts: list[bytes] = []
        self._types: list[tuple[int, int]] = []  # type and unit, as texts
        self._default_type = 0
        self._rows: dict[int, dict[int, tuple[int, int]]] = {
            _MAPPING: {},
            _LOCATION: {},
            _FUNCTION: {},
        }  # where each message is, by field number and id
        self._objects: dict[int, tuple[str, int, int]] = {}
        self._functions: dict[tuple[int, str], int] = {}

    def read(self, number: int, value: int, start: int, end: int) -> None:
        """Take a field of the profile into its table."""
        if number == _STRING:
            self._texts.append(self._data[start:end])
        elif number in self._rows:
            ids = (each for key, each, *_ in self._fields(start, end) if key == 1)
            self._rows[number].setdefault(next(ids, 0), (start, end))
        elif number == _SAMPLE_TYPE:
            message = self._message((start, end))
            self._types.append((message.get(1, 0), message.get(2, 0)))
        elif number == _DEFAULT_SAMPLE_TYPE:
            self._default_type = value

    def text(self, number: int) -> str:
        """Return a text; those that are missing are empty."""
        raw = self._texts[number] if number < len(self._texts) else b""
        return raw.decode("utf-8", "surrogateescape")

    def events(self) -> list[int]:
        """Add the events, the one that viewers show first as the first; return their columns."""
        types = self._types[:_MAX_EVENTS]
        if len(self._types) > _MAX_EVENTS:
            message = f"Only {_MAX_EVENTS} of {len(self._types):,} types of samples are read."
            self._builder.diagnostic(0, "many-events", message)
        default = (row for row, (name, _) in enumerate(types) if name == self._default_type != 0)
        first = next(default, len(types) - 1)  # as Go's viewer
        order = sorted(range(len(types)), key=lambda row: row != first)
        names: set[str] = set()
        for row in order:
            name, unit = map(self.text, types[row])
            if name == "sample":  # Node's
                name = "samples"
            if not name or name in names:
                name = f"{name or 'event'}_{row + 1}"
            names.add(name)
            self._builder.event(name, f"{name} ({unit})" if unit not in ("", "count") else "")
        return order

    def labels(self, names: frozenset[bytes]) -> frozenset[int]:
        """Return the numbers of the texts that are one of some names."""
        return frozenset(row for row, text in enumerate(self._texts) if text.lower() in names)

    def frames(self, location: int, *, is_caller: bool) -> tuple[int, ...]:
        """Return the frames of a location, outermost first.

        The address of a call is within its instruction; as everywhere, it becomes that behind it.
        """
        row = self._rows[_LOCATION].get(location)
        if row is None:
            message = f"A sample is at the location {location}, which is missing."
            self._builder.diagnostic(0, "no-location", message)
            return (self._builder.frame(self._builder.function("")),)
        address = mapping = 0
        lines: list[tuple[int, int]] = []
        for number, value, start, end in self._fields(*row):
            if number == 2:
                mapping = value
            elif number == 3:
                address = value
            elif number == 4 and len(lines) < _MAX_INLINED:
                lines.append((start, end))
        object_, first, offset = self._object(mapping)
        if address >= first >= _FIXED_ADDRESSES:
            address += offset - first
        if address:
            address += is_caller
        frames = []
        for line in map(self._message, reversed(lines or [(0, 0)])):
            function = self._function(line.get(1, 0), object_)
            frames.append(self._builder.frame(function, _signed(line.get(2, 0)), address))
        return tuple(frames)

    def _object(self, mapping: int) -> tuple[str, int, int]:
        """Return the object of a mapping, where it is in memory, and the offset in its file."""
        found = self._objects.get(mapping)
        if found is None:
            message = self._message(self._rows[_MAPPING].get(mapping, (0, 0)))
            found = self.text(message.get(5, 0)), message.get(2, 0), message.get(4, 0)
            self._objects[mapping] = found
        return found

    def _function(self, number: int, object_: str) -> int:
        function = self._functions.get((number, object_))
        if function is None:
            message = self._message(self._rows[_FUNCTION].get(number, (0, 0)))
            name = self.text(message.get(2, 0)) or self.text(message.get(3, 0))
            if not name and message.get(2, 0) >= len(self._texts):  # texts are last, and cut off
                name = f"function {number}"
            function = self._builder.function(name, self.text(message.get(4, 0)), object_)
            self._functions[number, object_] = function
        return function

    def _message(self, row: tuple[int, int]) -> dict[int, int]:
        """Return the numbers in a message by the numbers of their fields."""
        return {number: value for number, value, *_ in self._fields(*row)}

    def _fields(self, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield the fields of a message up to where it is broken."""
        try:
            yield from _fields(self._data, start, end)
        except _Broken as error:
            self._builder.diagnostic(0, "broken-message", f"{error}, in a table.")


# --------------------------------------------------------------------- samples


class _Samples:
    """Counts samples in the contexts of their stacks."""

    def __init__(self, data: bytes, tables: _Tables, builder: StackBuilder) -> None:
        self._data, self._tables, self._builder = data, tables, builder
        self._events = tables.events()
        self._names = tables.labels(_THREAD_NAMES)
        self._ids = tables.labels(_THREAD_IDS)
        self._parts: dict[tuple[str, int], int] = {}
        self._callers: dict[int, tuple[int, ...]] = {}  # frames by location
        self._leaves: dict[int, tuple[int, ...]] = {}

    def read(self, start: int, end: int) -> None:
        """Count a sample; raises `_Broken`."""
        data = self._data
        locations: list[int] = []
        values: list[int] = []
        thread, thread_id = "", 0
        for number, value, first, last in _fields(data, start, end):
            if number == 1:
                locations += _numbers(data, first, last) if last else (value,)
            elif number == 2:
                values += _numbers(data, first, last) if last else (value,)
            elif number == 3 and (self._names or self._ids):
                label = {key: each for key, each, *_ in _fields(data, first, last)}
                text, key = self._tables.text(label.get(2, 0)), label.get(1, 0)
                if key in self._names:
                    thread = text
                elif key in self._ids:
                    thread_id = int(text) if text.isdecimal() else label.get(3, 0)
        context = self._stack(self._part(thread, thread_id), locations)
        costs = (_signed(values[row]) if row < len(values) else 0 for row in self._events)
        self._builder.add(context, *costs)

    def _part(self, thread: str, thread_id: int) -> int:
        part = self._parts.get((thread, thread_id))
        if part is None:
            part = self._parts[thread, thread_id] = self._builder.part(thread, 0, thread_id)
        return part

    def _stack(self, context: int, locations: list[int]) -> int:
        """Return the context of a stack, whose leaf is the first."""
        child, callers = self._builder.child, self._callers
        if not locations:  # the whole program
            return child(context, self._builder.frame(self._builder.function("")))
        for location in locations[:0:-1]:
            frames = callers.get(location)
            if frames is None:
                frames = callers[location] = self._tables.frames(location, is_caller=True)
            for frame in frames:
                context = child(context, frame)
        leaf = self._leaves.get(locations[0])
        if leaf is None:
            leaf = self._leaves[locations[0]] = self._tables.frames(locations[0], is_caller=False)
        for frame in leaf:
            context = child(context, frame)
        return context
