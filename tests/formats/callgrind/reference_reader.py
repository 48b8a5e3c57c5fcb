"""A slow, obvious reader of the Callgrind format, the reference for the fast scanner.

It follows the format's specification line by line, with plain lists and tuples, ignoring speed.
Invalid lines are skipped silently: only the contents of a profile count here.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import NamedTuple

Function = tuple[str, str, str]
"""Name, file and object; what is unknown is empty."""
_Jump = tuple[int, int, int, int, bool]
_Name = tuple[int | None, str]
"""The name of a function, and its id if it has one."""
_UNKNOWN: _Name = (None, "")

SUBPOSITIONS = ("instr", "bb", "line")
HEADER_KEYS = frozenset(
    b"version creator pid cmd part thread positions events desc event summary totals".split()
)
_SPECIFICATIONS = frozenset(
    b"ob fl fi fe fn frfn cob cfi cfl cfn calls rcalls jfi jfn jump jcnd".split()
)

_WORD = re.compile(rb"[^ \t]+")
_NUMBER = re.compile(rb"0x[0-9a-fA-F]+|[0-9]+")
_LEADING_COST = re.compile(rb"-?(?:0x[0-9a-fA-F]+|[0-9]+)")
_DISCRIMINATOR = re.compile(rb"(?<=.)(?::[0-9]+)? \(discriminator [0-9]+\)\Z", re.DOTALL)
_COMPRESSED_NAME = re.compile(rb"\((0x[0-9a-fA-F]+|[0-9]+)\)[ \t]*(.*)", re.DOTALL)


class CostRow(NamedTuple):
    part: int
    function: Function
    file: str
    line: int
    address: int
    costs: tuple[int, ...]


class CallRow(NamedTuple):
    part: int
    caller: Function
    callee: Function
    file: str
    line: int
    address: int
    call_count: int
    costs: tuple[int, ...]


class JumpRow(NamedTuple):
    part: int
    source_function: Function
    source_file: str
    source_line: int
    source_address: int
    target_function: Function
    target_file: str
    target_line: int
    target_address: int
    executed: int
    followed: int
    conditional: bool


@dataclass
class PartReading:
    """The header of one part, with the `positions` and `events` in force, inherited or its own."""

    positions: list[str]
    events: list[str]
    creator: bytes | None = None
    pid: int | None = None
    part: int | None = None
    thread: int | None = None
    trigger: str | None = None
    summary: list[int] | None = None
    totals: list[int] | None = None


@dataclass
class Reading:
    """The contents of a file; `part` in a row is an index into `parts`."""

    events: list[str] = field(default_factory=list)
    parts: list[PartReading] = field(default_factory=list)
    costs: list[CostRow] = field(default_factory=list)
    calls: list[CallRow] = field(default_factory=list)
    jumps: list[JumpRow] = field(default_factory=list)


def read(data: bytes) -> Reading:
    """Read a whole uncompressed file; costs before any `events:` raise ValueError."""
    lines = data.removeprefix(codecs.BOM_UTF8).split(b"\n")
    lines = [line.removesuffix(b"\r").lstrip(b" \t") for line in lines]
    events = b" ".join(line[len(b"events:") :] for line in lines if line.startswith(b"events:"))
    reader = _Reader([_text(word) for word in _WORD.findall(events)])
    for line in lines:
        reader.take(line)
    reader.end()
    return reader.reading


def in_part_order(reading: Reading) -> Reading:
    """The same with its parts ordered by process, part number and thread, and events by parts."""
    parts = reading.parts
    keys = [(part.pid or 0, part.part or 0, part.thread or 0) for part in parts]
    order = sorted(range(len(parts)), key=keys.__getitem__)
    events = list(dict.fromkeys(name for index in order for name in parts[index].events))

    def costs(row: CostRow | CallRow) -> tuple[int, ...]:
        return tuple(row.costs[reading.events.index(name)] for name in events)

    return Reading(
        events,
        [parts[index] for index in order],
        [row._replace(part=order.index(row.part), costs=costs(row)) for row in reading.costs],
        [row._replace(part=order.index(row.part), costs=costs(row)) for row in reading.calls],
        [row._replace(part=order.index(row.part)) for row in reading.jumps],
    )


class _Reader:
    def __init__(self, events_of_all_parts: list[str]) -> None:
        self.reading = Reading(list(dict.fromkeys(events_of_all_parts)))
        self.object_ids: dict[int, str] = {}
        self.file_ids: dict[int, str] = {}
        self.function_ids: dict[int, str] = {}
        self.with_file: set[Function] = set()  # callees whose file was given
        self.names_files = self.names_objects = False  # of any callee
        self.bound: dict[int, Function] = {}  # the functions of ids that have been used
        self.positions = ["line"]  # a column each; an empty one is skipped
        self.events: list[str] = []
        self.forget_state()

    def forget_state(self) -> None:
        """Reset the state that ends with a part; ids, positions and events remain."""
        self.own_keys: set[bytes] = set()
        self.base = dict.fromkeys(SUBPOSITIONS, 0)
        self.object = self.file = self.function_file = ""
        self.has_function_file = False
        self.has_body = self.is_closed = False
        self.name: _Name | None = None  # of the function
        self.function: Function | None = None  # once its name has been used
        self.callee_name: _Name | None = None
        self.callee: Function | None = None  # of the last call
        self.called_has_file = False
        self.called: tuple[_Name, str, str] | None = None  # of the last calls=, until it is used
        self.given_for_callee: dict[str, str] = {}
        self.given_since_callee: set[str] = set()
        self.jump_name: _Name | None = None
        self.given_for_jump: dict[str, str] = {}
        self.jump_target: tuple[_Name | None, dict[str, str]] = (None, {})
        self.specified_within: list[tuple[bytes, str]] = []  # of a call or jump: for later costs
        # The count of a call, or the target and counts of a jump, until its second line is read.
        self.waiting: int | _Jump | None = None

    def take(self, line: bytes) -> None:
        key, colon, header_value = line.partition(b":")
        word, equals, value = line.partition(b"=")
        if line[:1] in (b"", b"#"):
            return
        if line[0] in b"0123456789+-*" or (
            line[0] in b"?" and self.events and not line.split()[0].strip(b"?") and line[1:]
        ):
            self.take_position_line(_WORD.findall(line))
        elif colon and key in HEADER_KEYS:
            self.waiting = None  # a call or jump without its second line is none
            self.specify_later()
            self.take_header(key, header_value.strip(b" \t"))
        elif equals:
            self.take_specification(word, value.lstrip(b" \t"))

    def take_header(self, key: bytes, value: bytes) -> None:
        begins = bool(self.events) and self.begins_part(key)
        if begins:
            self.forget_state()
        if begins or not self.reading.parts:
            pid = self.reading.parts[-1].pid if self.reading.parts else None
            self.reading.parts.append(PartReading(self.known_positions(), self.events, pid=pid))
        self.own_keys.add(key)
        part, words = self.reading.parts[-1], _WORD.findall(value)
        match key:
            case b"positions":
                known = [p for p in SUBPOSITIONS if p.encode() in words]
                self.positions, unread = [], list(known)
                for word in words:
                    if _text(word) in unread:
                        unread.remove(_text(word))
                        self.positions.append(known[len(known) - len(unread) - 1])
                    else:
                        self.positions.append("")
                self.positions = self.positions or ["line"]
                part.positions = self.known_positions()
            case b"events":
                self.events = part.events = [_text(word) for word in words]
                if b"positions" not in self.own_keys:
                    self.positions = part.positions = ["line"]
            case b"pid" | b"part" | b"thread":
                setattr(part, key.decode(), _number(words[0]) if words else None)
            case b"creator":
                part.creator = value
            case b"summary":
                part.summary = _costs(words)
            case b"totals":
                part.totals = _costs(words)
                self.is_closed = b"events" in self.own_keys
            case b"desc" if value.startswith(b"Trigger:"):
                part.trigger = _text(value.removeprefix(b"Trigger:").strip(b" \t"))

    def known_positions(self) -> list[str]:
        return [word for word in self.positions if word]

    def begins_part(self, key: bytes) -> bool:
        if key == b"totals" or (key == b"summary" and key not in self.own_keys):
            return False
        if self.has_body or self.is_closed:
            return True
        repeats = key in (b"part", b"thread", b"events") and key in self.own_keys
        return repeats and b"events" in self.own_keys

    def end(self) -> None:
        """Header lines behind the last body are of the part before, unless they state events."""
        if len(self.reading.parts) > 1 and not self.has_body and b"events" not in self.own_keys:
            last = self.reading.parts.pop()
            part = self.reading.parts[-1]
            for name in ("creator", "pid", "part", "thread", "summary", "totals"):
                if getattr(part, name) is None:
                    setattr(part, name, getattr(last, name))
            part.trigger = last.trigger if last.trigger is not None else part.trigger
        self.join_callees()

    def join_callees(self) -> None:
        """A callee without a file and a body is the only body of its name, if there is one."""
        reading = self.reading
        creator = reading.parts[0].creator if reading.parts else None
        if self.names_files and (creator or b"").startswith(b"callgrind"):
            return
        bodies = {row.function for row in reading.costs} | {row.caller for row in reading.calls}
        bodies |= {row.source_function for row in reading.jumps}
        joined: dict[Function, Function] = {}
        for callee in {row.callee for row in reading.calls} - bodies - self.with_file:
            same = [
                (name, file, obj)
                for name, file, obj in bodies
                if name == callee[0] and (not self.names_objects or obj == callee[2])
            ]
            if len(same) == 1 and callee[0]:
                joined[callee] = same[0]
        reading.calls = [
            row._replace(callee=joined.get(row.callee, row.callee)) for row in reading.calls
        ]
        reading.jumps = [
            row._replace(target_function=joined.get(row.target_function, row.target_function))
            for row in reading.jumps
        ]

    def take_specification(self, word: bytes, value: bytes) -> None:
        if word not in _SPECIFICATIONS:
            return
        self.has_body = True
        if word in (b"fn", b"calls", b"rcalls", b"jump", b"jcnd"):
            self.waiting = None  # a call or jump without its second line is none
            self.specify_later()
        if word in (b"calls", b"rcalls", b"jump", b"jcnd") and self.name is not None:
            self.current_function()
        if word in (b"ob", b"fl", b"fi", b"fe"):
            is_object = word == b"ob"
            name = (
                _named(value, self.object_ids) if is_object else _named_file(value, self.file_ids)
            )
            self.specified_within.append((word, name))
            if self.waiting is None:
                self.specify_later()
            return
        match word:
            case b"fn":
                if self.has_function_file:
                    self.file = self.function_file
                self.function_file = self.file
                self.name = self.function_named(value)
                self.function = self.bound.get(self.name[0]) if self.name[0] is not None else None
            case b"frfn":  # a context, used only for the id it may define
                self.function_named(value)
            case b"cob":
                self.names_objects = True
                self.give_for_callee("object", _named(value, self.object_ids))
            case b"cfi" | b"cfl":
                self.names_files = True
                self.give_for_callee("file", _named_file(value, self.file_ids))
            case b"cfn":
                # If no calls= follows, nothing may leak into the next callee.
                self.given_for_callee = {
                    key: self.given_for_callee[key] for key in self.given_since_callee
                }
                self.given_since_callee = set()
                self.callee_name = self.function_named(value)
            case b"calls" | b"rcalls":
                # A count that cannot be read must not turn the cost of the call into self cost.
                words = _WORD.findall(value)
                self.waiting = 0 if value.startswith(b"-") else next(iter(_costs(words)), 0)
                self.take_callee()
            case b"jfi":
                self.given_for_jump["file"] = _named_file(value, self.file_ids)
            case b"jfn":
                self.jump_name = self.function_named(value)
            case b"jump" | b"jcnd":
                self.take_jump(_WORD.findall(value), word == b"jcnd")

    def specify_later(self) -> None:
        """Apply the names of objects and files that were read within a call or jump."""
        for word, name in self.specified_within:
            if word == b"ob":
                self.object = name
            else:
                self.file = name
            if word == b"fl":
                self.function_file, self.has_function_file = name, True
        self.specified_within = []

    def give_for_callee(self, key: str, value: str) -> None:
        self.given_for_callee[key] = value
        self.given_since_callee.add(key)

    def function_named(self, value: bytes) -> _Name:
        """The name given by a plain name, the definition of an id, or a reference to one."""
        compressed = _COMPRESSED_NAME.fullmatch(value)
        if compressed is None:
            return None, _text(value)
        number = _integer(compressed[1])
        if compressed[2]:
            self.function_ids[number] = _text(compressed[2])
            self.bound.pop(number, None)
        return (number, self.function_ids[number]) if number in self.function_ids else _UNKNOWN

    def used(self, name: _Name, file: str, obj: str) -> Function:
        """The function of a name; that of an id has file and object of its first use."""
        number, text = name
        if number is None or self.function_ids[number] != text:
            return text, file, obj
        return self.bound.setdefault(number, (text, file, obj))

    def current_function(self) -> Function:
        if self.function is None:
            self.name = self.name or _UNKNOWN
            self.function = self.used(self.name, self.function_file, self.object)
        return self.function

    def take_callee(self) -> None:
        """Spend the names given for a callee at its `calls=`; without any it is the last one."""
        obj = self.object if self.name is None else self.current_function()[2]
        if self.callee_name is None and self.called is None and self.callee is None:
            self.callee_name = _UNKNOWN
        if self.callee_name is not None:
            file = self.given_for_callee.get("file", self.file)
            obj = self.given_for_callee.get("object", obj)
            self.called = self.callee_name, file, obj
            self.called_has_file = "file" in self.given_for_callee
        self.callee_name = None
        self.given_for_callee, self.given_since_callee = {}, set()

    def current_callee(self) -> Function:
        if self.called is not None:
            self.callee = self.used(*self.called)
            if self.called_has_file:
                self.with_file.add(self.callee)
        self.called = None
        assert self.callee is not None
        return self.callee

    def current_target(self) -> tuple[Function, str]:
        name, given = self.jump_target
        function, file = self.current_function(), given.get("file", self.file)
        if name is not None:
            function = self.used(name, file, function[2])
        return function, file

    def take_jump(self, words: list[bytes], conditional: bool) -> None:
        if not conditional:
            words = words[:1] + words
        elif words and b"/" in words[0]:
            words = words[0].split(b"/", 1)[::-1] + words[1:]
        self.jump_target = self.jump_name, self.given_for_jump
        self.jump_name, self.given_for_jump = None, {}
        counts = [_wrapped(n) for n in map(_number, words[:2]) if n is not None]
        place = self.location(words[2:])
        if place is None or len(counts) < 2:
            return
        self.waiting = (place["line"], place["instr"], counts[0], counts[1], conditional)

    def take_position_line(self, words: list[bytes]) -> None:
        """A cost line, or the second line of a call or a jump; each moves the base."""
        if not self.events:
            raise ValueError("a cost line before any events:")
        place = self.location(words)
        if place is None:
            return
        self.base = place
        costs = _costs(words[len(self.positions) :])
        part, where = len(self.reading.parts) - 1, (self.file, place["line"], place["instr"])
        if isinstance(self.waiting, tuple):
            function = self.current_function()
            self.reading.jumps.append(
                JumpRow(part, function, *where, *self.current_target(), *self.waiting)
            )
        elif self.waiting is not None:
            caller, callee = self.current_function(), self.current_callee()
            call = CallRow(part, caller, callee, *where, self.waiting, self.columns(costs))
            self.reading.calls.append(call)
        if self.waiting is None and self.name is not None:
            self.current_function()
        if costs and (self.waiting is None or isinstance(self.waiting, tuple)):
            self.has_body = True
            function = self.current_function()
            self.reading.costs.append(CostRow(part, function, *where, self.columns(costs)))
        self.waiting = None
        self.specify_later()

    def location(self, words: list[bytes]) -> dict[str, int] | None:
        """The subpositions that start a line, or None if there are too few."""
        place = dict.fromkeys(SUBPOSITIONS, 0)
        if len(words) < len(self.positions):
            return None
        for name, word in zip(self.positions, words, strict=False):
            value = _subposition(word, self.base.get(name, 0))
            if value is None:
                return None
            if not name:
                continue
            place[name] = max(value, 0) if name == "line" else value % 2**64
        return place

    def columns(self, costs: list[int]) -> tuple[int, ...]:
        """Costs by merged events; a name repeated in `events:` adds up."""
        columns = dict.fromkeys(self.reading.events, 0)
        for event, cost in zip(self.events, costs, strict=False):
            columns[event] = _wrapped(columns[event] + cost)
        return tuple(columns.values())


def _text(name: bytes) -> str:
    return "" if name == b"???" else name.decode("utf-8", "surrogateescape")


def _named(value: bytes, ids: dict[int, str]) -> str:
    """The name of a plain name, a definition or a reference; an unknown id has no name."""
    compressed = _COMPRESSED_NAME.fullmatch(value)
    if compressed is None:
        return _text(value)
    number, name = _integer(compressed[1]), compressed[2]
    if name:
        ids[number] = _text(name)
    return ids.get(number, "")


def _named_file(value: bytes, ids: dict[int, str]) -> str:
    """The same for a file, of which some writers add the line."""
    return _named(_DISCRIMINATOR.sub(b"", value), ids)


def _integer(number: bytes) -> int:
    return int(number, 16 if b"x" in number else 10)


def _number(word: bytes) -> int | None:
    return _integer(word) if _NUMBER.fullmatch(word) else None


def _wrapped(value: int) -> int:
    """The value as a signed 64-bit number: writers let negative counters wrap round."""
    return (value + 2**63) % 2**64 - 2**63


def _costs(words: list[bytes]) -> list[int]:
    """The numbers that start a list of words, up to the first invalid character."""
    costs = []
    for word in words:
        number = _LEADING_COST.match(word)
        if number is None:
            break
        costs.append(_wrapped(_integer(number[0])))
        if number.end() < len(word):
            break
    return costs


def _subposition(word: bytes, base: int) -> int | None:
    if word == b"*":
        return base
    if not word.strip(b"?"):
        return 0
    sign = {b"+": 1, b"-": -1}.get(word[:1], 0)
    number = _number(word[1:] if sign else word)
    return base + sign * number if sign and number is not None else number
