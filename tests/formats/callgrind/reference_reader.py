"""A slow, obvious reader of the Callgrind format, the reference for the fast scanner.

It follows the format's specification line by line, with plain lists and tuples, ignoring speed.
Invalid lines are skipped silently: only the contents of a profile count here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

Function = tuple[str, str, str]
"""Name, file and object; what is unknown is empty."""
_Jump = tuple[Function, str, int, int, int, int, bool]
_Named = TypeVar("_Named")

SUBPOSITIONS = ("instr", "bb", "line")
PART_KEYS = frozenset(b"version creator pid cmd part thread positions events".split())
HEADER_KEYS = PART_KEYS | {b"desc", b"event", b"summary", b"totals"}

_WORD = re.compile(rb"[^ \t]+")
_NUMBER = re.compile(rb"0x[0-9a-fA-F]+|[0-9]+")
_LEADING_COST = re.compile(rb"-?(?:0x[0-9a-fA-F]+|[0-9]+)")
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
    lines = [line.removesuffix(b"\r").lstrip(b" \t") for line in data.split(b"\n")]
    events = b" ".join(line[len(b"events:") :] for line in lines if line.startswith(b"events:"))
    reader = _Reader([_text(word) for word in _WORD.findall(events)])
    for line in lines:
        reader.take(line)
    return reader.reading


class _Reader:
    def __init__(self, events_of_all_parts: list[str]) -> None:
        self.reading = Reading(list(dict.fromkeys(events_of_all_parts)))
        self.object_ids: dict[int, str] = {}
        self.file_ids: dict[int, str] = {}
        self.function_ids: dict[int, Function] = {}
        self.positions = ["line"]
        self.events: list[str] = []
        self.forget_state()

    def forget_state(self) -> None:
        """Reset the state that ends with a part; ids, positions and events remain."""
        self.own_keys: set[bytes] = set()
        self.base = dict.fromkeys(SUBPOSITIONS, 0)
        self.object = self.file = self.function_file = ""
        self.function: Function | None = None
        self.callee: Function = ("", "", "")
        self.given_for_callee: dict[str, str] = {}
        self.jump_function: Function | None = None
        self.given_for_jump: dict[str, str] = {}
        # The count of a call, or a JumpRow from its target on, until its second line is read.
        self.waiting: int | _Jump | None = None

    def take(self, line: bytes) -> None:
        key, colon, header_value = line.partition(b":")
        word, equals, value = line.partition(b"=")
        if line[:1] in (b"", b"#"):
            return
        if line[0] in b"0123456789+-*":
            self.take_position_line(_WORD.findall(line))
        elif colon and key in HEADER_KEYS:
            self.take_header(key, header_value.strip(b" \t"))
        elif equals:
            self.take_specification(word, value.lstrip(b" \t"))

    def take_header(self, key: bytes, value: bytes) -> None:
        repeated = key in PART_KEYS and key in self.own_keys and b"events" in self.own_keys
        if repeated:
            self.forget_state()
        if repeated or not self.reading.parts:
            self.reading.parts.append(PartReading(self.positions, self.events))
        self.own_keys.add(key)
        part, words = self.reading.parts[-1], _WORD.findall(value)
        match key:
            case b"positions":
                self.positions = part.positions = [p for p in SUBPOSITIONS if p.encode() in words]
            case b"events":
                self.events = part.events = [_text(word) for word in words]
            case b"pid" | b"part" | b"thread":
                setattr(part, key.decode(), _number(words[0]) if words else None)
            case b"summary" | b"totals":
                setattr(part, key.decode(), _costs(words))
            case b"desc" if value.startswith(b"Trigger:"):
                part.trigger = _text(value.removeprefix(b"Trigger:").strip(b" \t"))

    def take_specification(self, word: bytes, value: bytes) -> None:
        match word:
            case b"ob":
                self.object = _named(value, self.object_ids, str)
            case b"fl":
                self.file = self.function_file = _named(value, self.file_ids, str)
            case b"fi" | b"fe":
                self.file = _named(value, self.file_ids, str)
            case b"fn":
                self.file = self.function_file
                self.function = self.named_function(value, self.file, self.object)
            case b"frfn":  # a context, used only for the id it may define
                self.named_function(value, self.file, self.object)
            case b"cob":
                self.given_for_callee["object"] = _named(value, self.object_ids, str)
            case b"cfi" | b"cfl":
                self.given_for_callee["file"] = _named(value, self.file_ids, str)
            case b"cfn":
                self.take_callee(value)
            case b"calls" | b"rcalls":
                # A count that cannot be read must not turn the cost of the call into self cost.
                self.waiting = next(iter(_costs(_WORD.findall(value))), 0)
            case b"jfi":
                self.given_for_jump["file"] = _named(value, self.file_ids, str)
            case b"jfn":
                file = self.given_for_jump.get("file", self.file)
                self.jump_function = self.named_function(value, file, self.current_function()[2])
            case b"jump" | b"jcnd":
                self.take_jump(_WORD.findall(value), word == b"jcnd")

    def named_function(self, value: bytes, file: str, obj: str) -> Function:
        """A name or a definition takes the file and object passed in; a reference keeps its own."""
        return _named(value, self.function_ids, lambda name: (name, file, obj))

    def current_function(self) -> Function:
        return self.function or ("", self.function_file, self.object)

    def take_callee(self, value: bytes) -> None:
        # Popped: if no calls= follows, nothing may leak into the next callee.
        file = self.given_for_callee.pop("file", self.file)
        obj = self.given_for_callee.pop("object", self.current_function()[2])
        self.callee = self.named_function(value, file, obj)

    def take_jump(self, words: list[bytes], conditional: bool) -> None:
        if not conditional:
            words = words[:1] + words
        elif words and b"/" in words[0]:
            words = words[0].split(b"/", 1)[::-1] + words[1:]
        counts = [_wrapped(n) for n in map(_number, words[:2]) if n is not None]
        place = self.location(words[2:])
        if place is None or len(counts) < 2:
            return
        function = self.jump_function or self.current_function()
        file = self.given_for_jump.get("file", self.file)
        where = (function, file, place["line"], place["instr"])
        self.waiting = (*where, counts[0], counts[1], conditional)

    def take_position_line(self, words: list[bytes]) -> None:
        """A cost line, or the second line of a call or a jump; each moves the base."""
        if not self.events:
            raise ValueError("a cost line before any events:")
        place = self.location(words)
        if place is None:
            return
        self.base = place
        costs = _costs(words[len(self.positions) :])
        part, function = len(self.reading.parts) - 1, self.current_function()
        where = (self.file, place["line"], place["instr"])
        if isinstance(self.waiting, tuple):
            self.reading.jumps.append(JumpRow(*(part, function, *where, *self.waiting)))
            self.jump_function = None
            self.given_for_jump.clear()
        elif self.waiting is not None:
            call = CallRow(part, function, self.callee, *where, self.waiting, self.columns(costs))
            self.reading.calls.append(call)
            self.given_for_callee.clear()
        elif costs:
            self.reading.costs.append(CostRow(part, function, *where, self.columns(costs)))
        self.waiting = None

    def location(self, words: list[bytes]) -> dict[str, int] | None:
        """The subpositions that start a line, or None if there are too few."""
        place = dict.fromkeys(SUBPOSITIONS, 0)
        if len(words) < len(self.positions):
            return None
        for name, word in zip(self.positions, words, strict=False):
            value = _subposition(word, self.base[name])
            if value is None:
                return None
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


def _named(value: bytes, ids: dict[int, _Named], bound: Callable[[str], _Named]) -> _Named:
    """The name of a plain name, a definition or a reference; an unknown id has no name."""
    compressed = _COMPRESSED_NAME.fullmatch(value)
    if compressed is None:
        return bound(_text(value))
    number, name = _integer(compressed[1]), compressed[2]
    if name:
        ids[number] = bound(_text(name))
    return ids.get(number, bound(""))


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
    sign = {b"+": 1, b"-": -1}.get(word[:1], 0)
    number = _number(word[1:] if sign else word)
    return base + sign * number if sign and number is not None else number
