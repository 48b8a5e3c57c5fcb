"""pprof's protobuf: what Go, Rust, Node, Parca, Pyroscope and gperftools' tools write.

A profile is a protobuf message of repeated messages, mostly tables that refer to each other by ids
or, for texts, by place. Those that this module reads, with their field numbers:

    Profile   1 sample_type  2 sample  3 mapping  4 location  5 function  6 string_table
              10 duration_nanos  11 period_type  12 period  13 comment*  14 default_sample_type
    ValueType 1 type  2 unit
    Sample    1 location_id*, the leaf first  2 value*, one for each sample type  3 label*
    Label     1 key  2 str  3 num
    Mapping   1 id  2 memory_start  4 file_offset  5 filename
    Location  1 id  2 mapping_id  3 address  4 line*, the innermost of inlined functions first
    Line      1 function_id  2 line
    Function  1 id  2 name  3 system_name  4 filename

Stacks are kept whole: `drop_frames` and `keep_frames`, which tell viewers to hide allocators, are
not applied. Of labels, only those that name a thread have a meaning of their own; they are parts.

A file has one reader of messages (`_fields`), the tables, and the samples, which are decoded and
entered into the tree of contexts many at once: that takes half the time of one after another.

https://github.com/google/pprof/blob/main/proto/profile.proto
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import numpy as np

from qcachegrind_py.formats.stacks.builder import MAX_DEPTH, StackBuilder
from qcachegrind_py.formats.stacks.source import StackSource
from qcachegrind_py.profile.numbers import format_duration
from qcachegrind_py.profile.tables import Int64Array

_MEMORY_PER_BYTE = 3.0
_BATCH = 1 << 20  # bytes of samples
_SAMPLE_SIZE = 16  # at least, so that those with nothing in them are counted on the way as well
_MAX_EVENTS = 20  # of a file; each takes room in every sample
_MAX_INLINED = 200  # functions at one location; each takes time in every sample
_LONGEST_THREAD_ID = 19  # digits
_MAX_COMMENTS = 20
_UNITS = {"nanoseconds": ("ms", 10**6), "microseconds": ("ms", 10**3), "bytes": ("B", 1)}
_FIXED_ADDRESSES = 1 << 32  # programs below are not moved when they are loaded
_THREAD_NAMES = frozenset((b"thread", b"thread name", b"thread_name", b"threadname"))
_THREAD_IDS = frozenset((b"thread id", b"thread_id", b"threadid", b"tid"))

_NUMBER, _FIXED_64, _LENGTH, _FIXED_32 = 0, 1, 2, 5  # kinds of fields, the low bits of their keys
_LONGEST_NUMBER = 10  # bytes
_SAMPLE_TYPE, _SAMPLE, _MAPPING, _LOCATION, _FUNCTION, _TEXT = (
    number << 3 | _LENGTH for number in range(1, 7)
)
_DURATION, _PERIOD, _COMMENT, _DEFAULT_SAMPLE_TYPE = (
    number << 3 | _NUMBER for number in (10, 12, 13, 14)
)
_PERIOD_TYPE, _COMMENTS = 11 << 3 | _LENGTH, 13 << 3 | _LENGTH
_KEYS = {_SAMPLE_TYPE, _SAMPLE, _MAPPING, _LOCATION, _FUNCTION, _TEXT, _PERIOD_TYPE} | {
    number << 3 | kind for number in (7, 8, 9, 10, 12, 13, 14, 15) for kind in (_NUMBER, _LENGTH)
}


class _Broken(Exception):
    """The bytes are no message, or end in one."""


def is_pprof(head: bytes) -> bool:
    """Return whether the fields are those of a profile, and one is a type of samples.

    These are written first, and consist of numbers of texts below 32, which no text begins with.
    """
    is_found = False
    try:
        for key, _, start, end in _fields(head, 0, len(head)):
            if key not in _KEYS:
                return False
            if key == _SAMPLE_TYPE:
                keys = {each for each, *_ in _fields(head, start, end)}
                if not keys or not keys <= {1 << 3, 2 << 3}:
                    return False
                is_found = True
    except _Broken:
        return is_found  # the head ends in a field
    return is_found


def read_pprof(source: StackSource, builder: StackBuilder) -> None:
    """Read the samples after all tables, in whatever order they are written."""
    data = source.data(_MEMORY_PER_BYTE)
    builder.adds_samples = False  # equal ones are one: an event counts them, or nothing does
    tables = _Tables(data, builder)
    try:
        for key, value, start, end in _fields(data, 0, len(data)):
            tables.read(key, value, start, end)
    except _Broken as error:
        builder.damaged(0, f"{error}; read up to here.")
    tables.describe()
    samples = _Samples(data, tables, builder)
    for start, end in zip(*tables.samples, strict=True):
        try:
            samples.read(start, end)
        except _Broken as error:
            builder.diagnostic(0, "broken-sample", f"A sample is left out: {error}.")
        if samples.size > _BATCH:
            samples.count()
            source.check(end / len(data))
    samples.count()


# -------------------------------------------------------------------- messages


def _fields(data: bytes, position: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the fields of a message: key, value, and start and end of its bytes.

    A key is the field's number above 3 bits of its kind; only a number has a value other than 0.
    Raises `_Broken`.
    """
    while position < end:
        key = data[position]
        position += 1
        if key > 0x7F:
            key, position = _number(data, position - 1, end)
        kind, start = key & 7, position
        if kind in (_NUMBER, _LENGTH):
            value, position = _number(data, position, end)
            if kind == _LENGTH:
                start = position
                position += value
                value = 0
            if position <= end:
                yield key, value, start, position
        elif kind in (_FIXED_64, _FIXED_32):
            position += 8 if kind == _FIXED_64 else 4
        else:
            raise _Broken(f"There is no field at byte {position - 1:,}")
        if position > end:
            raise _Broken(f"A field ends behind byte {end:,}")


def _number(data: bytes, position: int, end: int) -> tuple[int, int]:
    """Return the number that begins at a position, and where it ends."""
    if position < end and data[position] < 0x80:
        return data[position], position + 1
    value = 0
    for place in range(min(end - position, _LONGEST_NUMBER)):
        byte = data[position + place]
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value, position + place + 1
    raise _Broken(f"A number does not end at byte {position:,}")


def _signed(number: int) -> int:
    """Return a number of 64 bits with its sign; more bits are no number."""
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number


def _all_numbers(packed: list[bytes]) -> tuple[Int64Array, Int64Array]:
    """Return the numbers in some strings, each of which ends with one, and how many each has."""
    data = np.frombuffer(b"".join(packed), np.uint8)
    last = np.flatnonzero(data < 0x80)
    size = np.diff(last, prepend=-1)
    first = last - size + 1
    numbers = np.zeros(len(last), np.int64)
    for place in range(min(int(size.max(initial=0)), _LONGEST_NUMBER)):
        rows = np.flatnonzero(size > place)
        numbers[rows] |= (data[first[rows] + place] & 0x7F).astype(np.int64) << 7 * place
    ends = np.cumsum(np.fromiter(map(len, packed), np.int64, len(packed)))
    return numbers, np.diff(np.searchsorted(last, ends), prepend=0)


# ---------------------------------------------------------------------- tables


class _Tables:
    """What samples refer to. Locations become frames of the builder when they are first used."""

    def __init__(self, data: bytes, builder: StackBuilder) -> None:
        self._data, self._builder = data, builder
        self.samples: tuple[array[int], array[int]] = array("q"), array("q")  # starts and ends
        self._texts: list[bytes] = []
        self._types: list[tuple[int, int]] = []  # type and unit, as texts
        self._default_type = self._duration = self._period = 0
        self._period_type = 0, 0  # type and unit, as texts
        self._comments: list[int] = []
        self._rows: dict[int, dict[int, tuple[int, int]]] = {
            _MAPPING: {},
            _LOCATION: {},
            _FUNCTION: {},
        }  # where each message is, by key and id
        self._objects: dict[int, tuple[str, int, int]] = {}
        self._functions: dict[tuple[int, str], int] = {}

    def read(self, key: int, value: int, start: int, end: int) -> None:
        """Take a field of the profile into its table."""
        if key == _SAMPLE:
            self.samples[0].append(start)
            self.samples[1].append(end)
        elif key == _TEXT:
            self._texts.append(self._data[start:end])
        elif key in self._rows:
            id_ = next((id_ for each, id_, *_ in self._fields(start, end) if each == 1 << 3), 0)
            self._rows[key].setdefault(id_, (start, end))
        elif key == _SAMPLE_TYPE:
            self._types.append(self._type(start, end))
        elif key == _PERIOD_TYPE:
            self._period_type = self._type(start, end)
        elif key == _PERIOD:
            self._period = _signed(value)
        elif key == _DURATION:
            self._duration = _signed(value)
        elif key == _COMMENT:
            self._comments.append(value)
        elif key == _COMMENTS:
            self._comments += _all_numbers([self._data[start:end]])[0].tolist()
        elif key == _DEFAULT_SAMPLE_TYPE:
            self._default_type = value

    def text(self, number: int) -> str:
        """Return a text; those that are missing are empty."""
        raw = self._texts[number] if 0 <= number < len(self._texts) else b""
        return raw.decode("utf-8", "surrogateescape")

    def _type(self, start: int, end: int) -> tuple[int, int]:
        message = self._message((start, end))
        return message.get(1, 0), message.get(2, 0)

    def describe(self) -> None:
        """Tell the builder what is said of the whole run."""
        if self._duration > 0:
            self._builder.describe("Duration", format_duration(self._duration / 10**9))
        kind, unit = map(self.text, self._period_type)
        if self._period > 0 and unit:
            unit, factor = _UNITS.get(unit, (unit, 1))
            of_kind = f" of {kind}" if kind else ""
            self._builder.describe("Period", f"{self._period / factor:.10g} {unit}{of_kind}")
        for comment in self._comments[:_MAX_COMMENTS]:
            self._builder.describe("Comment", self.text(comment))

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
        for key, value, start, end in self._fields(*row):
            if key == 2 << 3:
                mapping = value
            elif key == 3 << 3:
                address = value
            elif key == 4 << 3 | _LENGTH and len(lines) < _MAX_INLINED:
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
        return {key >> 3: value for key, value, *_ in self._fields(*row)}

    def _fields(self, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield the fields of a message up to where it is broken."""
        try:
            yield from _fields(self._data, start, end)
        except _Broken as error:
            self._builder.diagnostic(0, "broken-message", f"{error}, in a table.")


# --------------------------------------------------------------------- samples


class _Samples:
    """Counts samples in the contexts of their stacks, many at once."""

    def __init__(self, data: bytes, tables: _Tables, builder: StackBuilder) -> None:
        self._data, self._tables, self._builder = data, tables, builder
        self._columns = tables.events()
        self._names = tables.labels(_THREAD_NAMES)
        self._ids = tables.labels(_THREAD_IDS)
        self._part_numbers: dict[tuple[str, int], int] = {}
        self._frames: dict[int, tuple[int, ...]] = {}
        self._clear()

    def _clear(self) -> None:
        self.size = 0  # of what `count` has to count
        self._parts: list[int] = []
        self._stacks: list[bytes] = []
        self._values: list[bytes] = []

    def read(self, start: int, end: int) -> None:
        """Take a sample, to be counted later; raises `_Broken`."""
        data = self._data
        stack = values = b""
        thread, thread_id = "", 0
        for key, _, first, last in _fields(data, start, end):
            number = key >> 3
            if number == 1:
                stack += data[first:last]
            elif number == 2:
                values += data[first:last]
            elif number == 3 and (self._names or self._ids):
                label = {each >> 3: value for each, value, *_ in _fields(data, first, last)}
                text = self._tables.text(label.get(2, 0))
                if label.get(1) in self._names:
                    thread = text
                elif label.get(1) in self._ids:
                    is_number = text.isdecimal() and len(text) < _LONGEST_THREAD_ID
                    thread_id = int(text) if is_number else _signed(label.get(3, 0))
        if stack[-1:] > b"\x7f" or values[-1:] > b"\x7f":
            raise _Broken(f"Its numbers do not end at byte {end:,}")
        self._parts.append(self._part(thread, thread_id))
        self._stacks.append(stack)
        self._values.append(values)
        self.size += len(stack) + len(values) + _SAMPLE_SIZE

    def _part(self, thread: str, thread_id: int) -> int:
        part = self._part_numbers.get((thread, thread_id))
        if part is None:
            part = self._builder.part(thread, 0, thread_id)
            self._part_numbers[thread, thread_id] = part
        return part

    def count(self) -> None:
        """Count the samples since the last time."""
        values, counts = _all_numbers(self._values)
        starts = np.cumsum(counts) - counts
        values = np.append(values, 0)
        costs = [
            np.where(column < counts, values[(starts + column) * (column < counts)], 0).tolist()
            for column in self._columns
        ]
        for context, *cost in zip(self._contexts().tolist(), *costs, strict=True):
            self._builder.add(context, *cost)
        self._clear()

    def _contexts(self) -> Int64Array:
        """Return the contexts of the stacks, which are entered by level, from the outermost."""
        locations, depth = _all_numbers(self._stacks)
        below = np.cumsum(depth)  # where the outermost locations were
        ids = None
        if locations.min(initial=0) < 0 or locations.max(initial=0) >> 31:
            ids, locations = np.unique(locations, return_inverse=True)
        contexts = np.array(self._parts, np.int64)
        rows = np.arange(len(contexts))
        for level in range(1, MAX_DEPTH + 2):
            rows = rows[depth[rows] >= level]
            if not len(rows):
                break
            keys = locations[below[rows] - level] << 1 | (depth[rows] > level)
            steps, place = np.unique(contexts[rows] << 32 | keys, return_inverse=True)
            entered = [self._enter(step >> 32, step & 0xFFFFFFFF, ids) for step in steps.tolist()]
            contexts[rows] = np.array(entered, np.int64)[place]
        for row in np.flatnonzero(depth == 0).tolist():
            unknown = self._builder.frame(self._builder.function(""))
            contexts[row] = self._builder.child(self._parts[row], unknown)
        return contexts

    def _enter(self, context: int, key: int, ids: Int64Array | None) -> int:
        """Return the context of the frames of a location below a context."""
        location = (key >> 1) if ids is None else int(ids[key >> 1])
        frames = self._frames.get(location << 1 | key & 1)
        if frames is None:
            id_ = location & (1 << 64) - 1
            frames = self._tables.frames(id_, is_caller=bool(key & 1))
            self._frames[location << 1 | key & 1] = frames
        for frame in frames:
            context = self._builder.child(context, frame)
        return context
