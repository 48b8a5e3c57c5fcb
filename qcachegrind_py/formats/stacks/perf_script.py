"""What `perf script` prints: samples with their stacks, innermost function first.

    work 24945 83890.724177:    5025125 cpu-clock:
                    125c hash_words+0x3c (/usr/bin/work)
      work.c:16
                   891f5 start_thread+0x305 (/usr/lib/libc.so.6)

A sample begins with thread, time, period and event, of which `-F` may leave out any, and ends with
an empty line. Recorded without stacks, it has its function in the same line. A tab precedes
addresses, two blanks the source line of the address above. Inlined functions are printed without
their object, which is that of the function at the same address.

Addresses are as printed, places in the object's file or in the process. Those of a function in
several processes, where libraries are elsewhere each time, become one by its offset.
"""

from __future__ import annotations

import re

from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.formats.stacks.source import StackSource

_COMM = rb"\s{1,40}(?P<comm>\S(?:.{0,60}?\S)?)"
_PID = rb"\s{1,40}(?P<pid>-?\d{1,10})(?:/(?P<tid>-?\d{1,10}))?"
_CPU = rb"(?:\s{1,40}\[\d+\])?(?:\s{1,40}[A-Z.]{1,8})?"
_TIME = rb"\s{1,40}\d+\.\d+:"
_EVENT = (
    rb"(?:\s{1,40}(?P<period>\d{1,20}))?"
    rb"\s{1,40}(?P<event>(?:raw )?(?![\d.]+:)\S{1,400}?):(?:\s+(?P<rest>.*))?"
)
# Threads may have any name, so that the strict form is tried first.
_TIMED = re.compile(_COMM + _PID + _CPU + _TIME + _EVENT)
_FREE = re.compile(rb"(?:%b)??(?:%b)?%b(?:%b)?(?:%b)?\s*" % (_COMM, _PID, _CPU, _TIME, _EVENT))
_ANNOUNCED = re.compile(rb" name = (?!dummy)(?P<event>[^\s,]+(?:,[^\s,]+)*), ")

_FRAME = re.compile(rb"\s+(?:0x)?(?P<address>[0-9a-f]{1,16})(?:\s+(?P<symbol>.*))?")
_ALIGNED = re.compile(rb"\t(?=[ 0-9a-f]{16}(?:\s|$)) *[0-9a-f]+(?:\s|$)")
_LIKELY_FRAME = re.compile(rb"\s*(?=[a-f]*\d)[0-9a-f]{3,16} +\S.* \(.*\)\s*")
_IN_OBJECT = re.compile(rb"(?:(?P<symbol>.*?) )?\((?P<object>[^()]*)(?: \(deleted\))?\)")
_OFFSET = re.compile(rb"(?P<symbol>.*)\+0x(?P<offset>[0-9a-f]{1,16})", re.DOTALL)
_SOURCE = re.compile(rb"(?P<file>[^\[?].*):(?P<line>\d{1,10})(?: \(discriminator \d+\))?")
_INLINED = b" (inlined)"
_UNKNOWN = b"[unknown]"
_LONGEST_HEAD = 10_000  # bytes
_PAGE = 4096
_IN_NANOSECONDS = frozenset((b"cpu-clock", b"task-clock"))  # their periods

_Place = tuple[int, bytes]  # an address as printed, and the object
_NOWHERE: _Place = (-1, b"")


def is_perf_script(head: bytes) -> bool:
    """Return whether the first sample has an address, as perf aligns it or with its object."""
    if head.startswith(b"# ========\n# captured on"):
        return True
    lines = [line for line in head[:20_000].split(b"\n") if _is_content(line)][:2]
    if any(_ALIGNED.match(line) for line in lines):
        return True
    if not lines or not _has_event(lines[0]):
        return False
    following = (lines[0].rpartition(b": ")[2], *lines[1:])
    return any(_LIKELY_FRAME.fullmatch(line) for line in following)


def read_perf_script(source: StackSource, builder: StackBuilder) -> None:
    """Read the samples; lines that are none are reported."""
    reader, number = _Reader(builder), 0
    for number, line in enumerate(source.lines(), 1):
        if line[:1] == b"\t":  # most are
            reader.stack.append(line)
        else:
            reader.read(number, line.rstrip())
    reader.end(number, is_cut=source.ends_within_line)


def _is_content(line: bytes) -> bool:
    return bool(line.strip()) and not line.startswith(b"#") and b" PERF_RECORD_" not in line


def _first_line(line: bytes) -> re.Match[bytes] | None:
    """Return the match of a sample's first line; long lines are none, to bound the search."""
    if len(line) > _LONGEST_HEAD:
        return None
    return _TIMED.fullmatch(b" " + line) or _FREE.fullmatch(b" " + line)


def _has_event(line: bytes) -> bool:
    match = _first_line(line)
    return match is not None and match["event"] is not None


class _Reader:
    """Reads line by line; a sample is counted when an empty line or the next one ends it."""

    def __init__(self, builder: StackBuilder) -> None:
        self.stack: list[bytes] = []  # lines of the open sample's stack, innermost first
        self._builder, self._frames = builder, _Frames(builder)
        self._sample: tuple[int, int, int] | None = None  # the open one: part, event, cost
        self._has_event = False
        self._is_short = False  # it has its function in its first line
        self._parts: dict[tuple[bytes, bytes, bytes], int] = {}
        self._events: dict[tuple[bytes, bool], int] = {}
        self._announced: list[bytes] = []  # events in the order in which they were recorded

    def read(self, number: int, line: bytes) -> None:
        """Read a line that does not begin with a tab, without blanks at its end."""
        if not line:
            self._finish(number)
        elif line.startswith(b"#"):
            self._read_comment(line)
        elif _is_content(line) and not self._continues(line):
            self._finish(number)
            self._begin(number, line)

    def end(self, number: int, *, is_cut: bool) -> None:
        """Count the last sample, unless the file is cut in it."""
        if is_cut and (self.stack or self._sample):
            self._builder.damaged(number, "The file ends in a sample, which is left out.")
        else:
            self._finish(number)

    def _read_comment(self, line: bytes) -> None:
        name, _, value = line[1:].partition(b":")
        if name.strip() == b"perf version":
            self._builder.creator = f"perf {_text(value.strip())}"
        elif name.strip() == b"cmdline":
            self._builder.command = _text(value.strip())
        elif name.strip() == b"event" and (announced := _ANNOUNCED.match(value)):
            self._announced.append(announced["event"])

    def _continues(self, line: bytes) -> bool:
        """Take an indented line into the stack: an address, or the source of the one above."""
        if not line.startswith(b" ") or not (self._sample or self.stack):
            return False
        if self._is_short and _has_event(line):  # of a thread such as dd, which is an address too
            return False
        if _FRAME.fullmatch(line):
            self.stack.append(line)
            return True
        if not self.stack or b"\n" in self.stack[-1]:
            return False
        self.stack[-1] += b"\n" + line.strip()
        return True

    def _begin(self, number: int, line: bytes) -> None:
        match = _first_line(line)
        if match is None:
            self._report(number)
            return
        period, event = match["period"], match["event"]
        while self._announced:
            self._event(self._announced.pop(0), period is not None)
        part = self._part(match["comm"] or b"", match["pid"] or b"", match["tid"] or b"")
        self._sample = part, self._event(event or b"samples", period is not None), int(period or 1)
        self._has_event = event is not None
        frame = b"\t" + (match["rest"] or b"")
        self._is_short = _FRAME.fullmatch(frame) is not None and b"(" in frame
        if self._is_short:
            self.stack.append(frame)

    def _part(self, comm: bytes, pid: bytes, tid: bytes) -> int:
        key = comm, pid, tid
        part = self._parts.get(key)
        if part is None:
            process, thread = (int(pid), int(tid)) if tid else (0, int(pid or 0))
            part = self._builder.part(_text(comm), max(process, 0), max(thread, 0))
            self._parts[key] = part
        return part

    def _event(self, name: bytes, has_period: bool) -> int:
        event = self._events.get((name, has_period))
        if event is None:
            is_time = has_period and name.partition(b":")[0] in _IN_NANOSECONDS
            event = self._builder.event(_text(name), f"{_text(name)} (ns)" if is_time else "")
            self._events[name, has_period] = event
        return event

    def _finish(self, number: int) -> None:
        """Count the open sample, if there is one."""
        stack, sample, self.stack, self._sample = self.stack, self._sample, [], None
        if sample is None:
            if not stack:
                return
            sample = self._part(b"", b"", b""), self._event(b"samples", False), 1
        elif not stack and not self._has_event:
            self._report(number - 1)
            return
        part, event, cost = sample
        self._builder.add(self._frames.context(part, stack), *(0,) * event, cost)

    def _report(self, number: int) -> None:
        self._builder.diagnostic(number, "no-sample", "No sample of perf; left out.")


class _Frames:
    """The lines of stacks as frames of the builder."""

    def __init__(self, builder: StackBuilder) -> None:
        self._builder = builder
        self._frames: dict[bytes, tuple[int, _Place]] = {}  # by line
        self._inlined: dict[tuple[bytes, _Place], int] = {}  # by line and the place around
        self._functions: dict[tuple[bytes, bytes], tuple[int, bytes]] = {}  # with their files
        self._objects: dict[bytes, bytes] = {}  # where functions were seen first
        self._starts: dict[tuple[bytes, bytes, int], int] = {}  # of functions, in their pages

    def context(self, part: int, stack: list[bytes]) -> int:
        """Return the context of a stack, whose innermost line is the first."""
        context, place = part, _NOWHERE
        for line in reversed(stack):
            known = self._frames.get(line)
            if known is not None:
                frame, place = known
            elif line.rstrip().endswith(_INLINED):
                frame = self._inlined_frame(line, place)
            else:
                frame, place = self._frames[line] = self._frame(line, _NOWHERE)
            context = self._builder.child(context, frame)
        if context == part:  # the event has no stack
            context = self._builder.child(part, self._builder.frame(self._builder.function("")))
        return context

    def _inlined_frame(self, line: bytes, around: _Place) -> int:
        frame = self._inlined.get((line, around))
        if frame is None:
            frame, _ = self._frame(line.rstrip().removesuffix(_INLINED), around)
            self._inlined[line, around] = frame
        return frame

    def _frame(self, line: bytes, around: _Place) -> tuple[int, _Place]:
        """Return the frame of a line, and its place as printed."""
        text, _, source = line.partition(b"\n")
        match = _FRAME.fullmatch(text.rstrip())
        address, symbol = (int(match["address"], 16), match["symbol"]) if match else (0, text)
        symbol, object_ = symbol or b"", b""
        if located := _IN_OBJECT.fullmatch(symbol):
            symbol, object_ = located["symbol"] or b"", located["object"]
        place = address, object_
        moved = _OFFSET.fullmatch(symbol)
        symbol = moved["symbol"] if moved else symbol
        if not object_:
            object_ = around[1] if around[0] == address else self._objects.get(symbol, b"")
        self._objects.setdefault(symbol, object_)
        if moved and address:
            start = address - int(moved["offset"], 16)
            address += self._starts.setdefault((symbol, object_, start % _PAGE), start) - start
        found = _SOURCE.fullmatch(source)
        file, executed = (found["file"], int(found["line"])) if found else (b"", 0)
        function, own_file = self._function(symbol, object_, file)
        return self._builder.frame(function, executed if file == own_file else 0, address), place

    def _function(self, symbol: bytes, object_: bytes, file: bytes) -> tuple[int, bytes]:
        """Return the number of a function and its file, the first that it was seen in."""
        function = self._functions.get((symbol, object_))
        if function is None:
            number = self._builder.function(_text(symbol), _text(file), _text(object_))
            function = self._functions[symbol, object_] = number, file
        return function


def _text(name: bytes) -> str:
    return "" if name == _UNKNOWN else name.decode("utf-8", "surrogateescape")
