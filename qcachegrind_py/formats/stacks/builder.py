"""Builds a profile of the stacks in one file: readers add samples, equal contexts become one.

A reader adds each stack from its outermost function inwards: `child` returns the number of a
context below another, and `add` counts costs there. Names are interned once and then numbers, so
that readers with tables of their own call `function` and `frame` once for each of their rows.
"""

from __future__ import annotations

from array import array

import numpy as np

from qcachegrind_py.profile.contexts import contexts_in_preorder, tables_of_contexts, topmost
from qcachegrind_py.profile.events import event_types
from qcachegrind_py.profile.profile import DiagnosticLog, Part, Profile
from qcachegrind_py.profile.tables import (
    UNKNOWN,
    Functions,
    Int32Array,
    Int64Array,
    StringTable,
    no_jumps,
)

MAX_DEPTH = 10_000  # functions of a stack; costs of deeper ones are counted where it ends
MAX_NAME_LENGTH = 10_000  # bytes
_MAX_LINE = 2**31 - 1
_MAX_ADDRESS = 2**64 - 1
_MAX_COST = 2**62
_LINE_ENDS = bytes.maketrans(b"\n\r\0", b"   ")
_FRAME_BITS = 32
_SAMPLES = "samples"  # the event that counts them


class StackBuilder:
    """Collects the stacks of one file.

    Contexts, frames, functions and parts are numbers. `child` of a part is an outermost context.
    """

    def __init__(self, path: str, creator: str, command: str = "") -> None:
        """`creator` is the program that wrote the file, as far as it says, or the format's name."""
        self.path, self.creator, self.command = path, creator, command
        self.adds_samples = True  # if no event counts them: each `add` is one; False: none is
        self.log = DiagnosticLog()
        self._texts: dict[bytes, int] = {UNKNOWN.encode(): 0, b"": 0}
        self._functions: dict[tuple[int, int, int], int] = {}
        self._frames: dict[tuple[int, int, int], int] = {}
        self._children: dict[int, int] = {}  # by number of the context above, and frame
        self._parent, self._frame, self._depth = array("i"), array("i"), array("i")
        self._descriptions: list[tuple[str, str]] = []
        self._parts: list[tuple[str, int, int]] = []  # thread name, pid, thread
        self._events: list[tuple[str, str]] = []  # name, long name
        self._sampled = array("i")
        self._values: list[array[int]] = []

    def event(self, name: str, long_name: str = "") -> int:
        """Return the number of an event, a new one if there is none of this name."""
        name = "_".join(name.split()) or _SAMPLES  # names of events have no blanks
        for number, (known, _) in enumerate(self._events):
            if known == name:
                return number
        self._events.append((name, long_name))
        self._values.append(array("q", bytes(8 * len(self._sampled))))
        return len(self._events) - 1

    def describe(self, kind: str, text: str) -> None:
        """State a fact of the whole run, of which the profile has no place of its own."""
        line = " ".join(text.split())[:MAX_NAME_LENGTH]
        if line:
            self._descriptions.append(("desc", f"{kind}: {line}"))

    def part(self, name: str = "", pid: int = 0, thread: int = 0) -> int:
        """Return a new part, such as a thread, to be used as the parent of its outermost contexts.

        It is a negative number, so that it is never taken for a context.
        """
        self._parts.append((name, pid, thread))
        return -len(self._parts)

    def function(self, name: str, file: str = "", object: str = "") -> int:
        key = self._text(name), self._text(file), self._text(object)
        return self._functions.setdefault(key, len(self._functions))

    def frame(self, function: int, line: int = 0, address: int = 0) -> int:
        """Return the number of a place in a function; what is out of range is unknown."""
        line = line if 0 <= line <= _MAX_LINE else 0
        address = address if 0 <= address <= _MAX_ADDRESS else 0
        return self._frames.setdefault((function, line, address), len(self._frames))

    def child(self, above: int, frame: int) -> int:
        """Return the context of a frame that a context calls, or that is outermost in a part."""
        key = (above << _FRAME_BITS) | frame
        known = self._children.get(key)
        if known is not None:
            return known
        depth = self._depth[above] + 1 if above >= 0 else 1
        if depth > MAX_DEPTH:
            message = f"A stack has more than {MAX_DEPTH:,} functions; its end is left out."
            self.diagnostic(0, "too-deep", message)
            return above
        number = self._children[key] = len(self._parent)
        self._parent.append(above)
        self._frame.append(frame)
        self._depth.append(depth)
        return number

    def add(self, context: int, *costs: int) -> None:
        """Count costs in a context, one for each event in order of their numbers."""
        self._sampled.append(context)
        for event, column in enumerate(self._values):
            cost = costs[event] if event < len(costs) else 0
            if not -_MAX_COST < cost < _MAX_COST:
                self.diagnostic(0, "number-too-large", f"The cost {cost} is impossible; left out.")
                cost = 0
            column.append(cost)

    def __len__(self) -> int:
        return len(self._parent)

    @property
    def memory(self) -> int:
        """About how many bytes the builder and the profile built of it take."""
        return 250 * len(self._parent) + 8 * len(self._sampled) * (1 + len(self._events))

    def profile(self) -> Profile:
        """Build the profile; to be called once, at the end."""
        parent = np.array(self._parent, np.int32)
        root = _parts_of(parent)
        keys = np.array(list(self._frames), dtype=object).reshape(-1, 3)
        frame = np.array(self._frame, np.int32)
        address = keys[:, 2].astype(np.uint64)
        functions = Functions(*np.array(list(self._functions), np.int32).reshape(-1, 3).T)
        values = self._costs()
        samples = self._samples(root, values)
        contexts = contexts_in_preorder(
            np.where(parent < 0, -1, parent).astype(np.int32),
            keys[:, 0].astype(np.int32)[frame],
            keys[:, 1].astype(np.int32)[frame],
            address[frame] if address.any() else None,
            root,
            values,
        )
        runs, costs, calls = tables_of_contexts(contexts, functions)
        positions = ("line",) if contexts.address is None else ("instr", "line")
        names = [name for name, _ in self._events]
        return Profile(
            paths=(self.path,),
            events=event_types(names, {name: text for name, text in self._events if text}, ()),
            parts=tuple(self._part(row, positions, counts) for row, counts in enumerate(samples)),
            texts=StringTable.from_bytes(text for text in self._texts if text),
            functions=functions,
            runs=runs,
            costs=costs,
            calls=calls,
            jumps=no_jumps(has_addresses=contexts.address is not None),
            diagnostics=tuple(self.log.kept),
            diagnostic_count=self.log.counts.total(),
            contexts=contexts,
        )

    def damaged(self, line: int, reason: str) -> None:
        """Report that the file ends or breaks off here; what was read before is kept."""
        self.log.add(self.path, line, "cut", reason)

    def diagnostic(self, line: int, kind: str, message: str) -> None:
        self.log.add(self.path, line, kind, message)

    def _text(self, text: str) -> int:
        raw = text.encode("utf-8", "surrogateescape")[:MAX_NAME_LENGTH].translate(_LINE_ENDS)
        number = self._texts.get(raw)
        if number is None:
            number = self._texts[raw] = len(self._texts) - 1  # the empty one has none of its own
        return number

    def _costs(self) -> Int64Array:
        values = np.zeros((len(self._events), len(self._parent)), np.int64)
        sampled = np.array(self._sampled, np.int32)
        for event, column in enumerate(self._values):
            np.add.at(values[event], sampled, np.array(column, np.int64))
        return values

    def _samples(self, root: Int32Array, values: Int64Array) -> list[dict[str, int] | None]:
        """Return how many samples each part has in each event; None where costs are exact.

        An event of samples counts those of all events.
        """
        names = [name for name, _ in self._events]
        counts = np.zeros((len(self._parts), len(names)), np.int64)
        if _SAMPLES in names:
            np.add.at(counts, root, values[names.index(_SAMPLES)][:, np.newaxis])
        elif self.adds_samples:
            part = root[np.array(self._sampled, np.int32)]
            for event, column in enumerate(self._values):
                has_cost = np.array(column, np.int64) != 0
                counts[:, event] = np.bincount(part[has_cost], minlength=len(counts))
        else:
            return [None] * len(counts)
        return [dict(zip(names, row, strict=True)) for row in counts.tolist()]

    def _part(
        self, number: int, positions: tuple[str, ...], samples: dict[str, int] | None
    ) -> Part:
        name, pid, thread = self._parts[number]
        events = tuple(name for name, _ in self._events)
        thread_name = (("desc", f"Thread: {name}"),) if name else ()
        descriptions = (*thread_name, *self._descriptions)
        return Part(
            path=self.path,
            pid=pid,
            part=0,  # no dumps one after the other
            thread=thread or (number + 1 if len(self._parts) > 1 else 0),
            creator=self.creator,
            command=self.command,
            positions=positions,
            events=events,
            summary=None,
            totals=None,
            header=(("creator", self.creator), *descriptions, ("events", " ".join(events))),
            samples=samples,
        )


def _parts_of(parent: Int32Array) -> Int32Array:
    """Return the part of each context; outermost ones have it as negative number in `parent`."""
    above = topmost(np.where(parent >= 0, parent, np.arange(len(parent))))
    return (-1 - parent[above]).astype(np.int32)
