"""Folded stacks: a line for each stack, its functions from the outermost, and a count.

    main;parse;read 42

Written by Brendan Gregg's stackcollapse scripts for perf, bpftrace and many others, heaptrack,
py-spy, rbspy, Austin, async-profiler, Python 3.15, and this program. Names are names, of which only
what one of these alone writes is more than a name: places such as `parse (a.py:12)`, threads, and
annotations such as `_[k]` of functions of the kernel.

What is counted, a file does not say, and is taken for samples. Austin says so in comments, as does
this program: `# event: cpu (cpu (nanoseconds))`. Numbers with fractions count no samples.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, islice

from qcachegrind_py.analysis.names.syntax import common_length
from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.formats.stacks.source import StackSource

_NUMBER = rb"-?\d{1,18}(?:\.\d+)?"
_LINE = re.compile(rb"(?P<stack>[^\n]*[^\s])[ \t]+" + _NUMBER + rb"\s*")
_COUNT = re.compile(_NUMBER)
_TWO_COUNTS = re.compile(rb".*\S[ \t]+" + _NUMBER + rb"[ \t]+" + _NUMBER + rb"\s*")
_FIRST_LINES = 100  # tell what the lines of a file have
_COMMENT = b"# "
_EVENT = re.compile(rb"# event: (?P<name>\S+)(?: \((?P<text>.*)\))?")
_FRACTION = re.compile(rb".*[ \t]-?\d+\.0*[1-9]\d*\s*")
_AUSTIN = re.compile(rb"# (?P<key>austin|mode): (?P<value>[\w.]+)")
_SEMICOLON_IN_PARENTHESES = re.compile(rb"\([^();]*;")

_THREADS = (  # roots of stacks that state a thread, and how numbers are written there
    re.compile(rb"P(?P<pid>\d+);T(?:\d+:)?(?P<thread>\d+)"),  # Austin; interpreter before thread
    re.compile(rb"thread \((?P<thread>0x[\dA-Fa-f]+|\d+)\)(?:: (?P<name>[^;]*))?"),  # py-spy
    re.compile(rb"tid:(?P<thread>\d+)"),  # Python 3.15
)
_PLACES = (
    re.compile(rb"(?P<name>.+) \((?P<file>.+):(?P<line>\d{1,9})\)"),  # py-spy
    re.compile(rb"(?P<name>.+) - (?P<file>\S.*):(?P<line>\d{1,9})"),  # rbspy
    re.compile(  # Austin, Python 3.15
        rb"(?P<file>.*\.py|<[^:]*>|~):(?P<name>[^:]+):(?P<line>\d{1,9})"
    ),
)
_LIBRARY = re.compile(r"\[(?P<object>[^][]+\.so[^][]*)\]")  # perf, of an unknown function
_ANNOTATION = re.compile(r"_\[[jikw01]\]$")
_KERNEL, _KERNEL_OBJECT = "_[k]", "[kernel]"
_NO_FUNCTION = "(no function)"  # Austin, of a thread that runs no Python


def is_folded(head: bytes) -> bool:
    """Return whether the first lines are stacks with counts, and one has several functions."""
    if head.startswith(b"# austin: "):
        return True
    lines = [line for line in head.split(b"\n")[:-1][:_FIRST_LINES] if _is_stack(line)]
    stacks = [_LINE.fullmatch(line) for line in lines or head.split(b"\n")]
    has_event = _EVENT.match(head) is not None
    return all(stacks) and any(match and (has_event or b";" in match["stack"]) for match in stacks)


def read_folded(source: StackSource, builder: StackBuilder) -> None:
    """Read the stacks; lines without a count are reported."""
    lines = enumerate(source.lines(), 1)
    first = list(islice(lines, _FIRST_LINES))
    costs = _Costs(builder, [line for _, line in first])
    stacks = _Stacks(builder)
    for number, line in chain(first, lines):
        if line.startswith(_COMMENT):
            continue
        stack, *texts = line.rsplit(None, costs.columns) or (b"",)
        if len(texts) == costs.columns and (found := costs.read(number, texts)) is not None:
            builder.add(stacks.context(stack), *found)
        elif line.strip():
            builder.diagnostic(number, "no-count", "Not a stack with a count; left out.")


def _is_stack(line: bytes) -> bool:
    return bool(line.strip()) and not line.startswith(_COMMENT)


class _Costs:
    """Reads the costs of a file whose first lines tell which they are.

    Austin states in comments that it measures microseconds or bytes, or both. Files in which every
    line ends with two numbers are two profiles that `difffolded.pl` has put side by side.
    """

    def __init__(self, builder: StackBuilder, lines: Iterable[bytes]) -> None:
        self._builder = builder
        facts = {match["key"]: match["value"] for match in map(_AUSTIN.match, lines) if match}
        mode = facts.get(b"mode") if facts.get(b"austin") else None
        stated = next(filter(None, map(_EVENT.fullmatch, lines)), None)
        stacks = [line for line in lines if _is_stack(line)]
        self.columns = 1
        self._is_full = mode == b"full"
        self._factor = 1000 if mode in (b"wall", b"cpu") else 1
        if mode is not None:
            builder.creator = f"Austin {facts[b'austin'].decode()}"
        if mode == b"full":
            builder.event("ns", "Time")
            builder.event("cpu", "CPU time (ns)")
            builder.event("bytes", "Growth of memory")
        elif mode == b"memory":
            builder.event("bytes", "Growth of memory")
        elif mode in (b"wall", b"cpu"):
            builder.event("ns", "Time")
        elif stated:
            builder.adds_samples = False
            name, text = (each.decode("utf-8", "surrogateescape") for each in stated.groups(b""))
            builder.event(name, text)
        elif stacks and all(map(_TWO_COUNTS.fullmatch, stacks)):
            self.columns = 2
            builder.adds_samples = False
            builder.event("before")
            builder.event("after")
        elif any(map(_FRACTION.fullmatch, stacks)):
            builder.adds_samples = False
            builder.event("weight")
        else:
            builder.event("samples")

    def read(self, line: int, texts: list[bytes]) -> list[int] | None:
        """Return the costs of a line, one for each event; None if they are no numbers."""
        try:
            if self._is_full:
                time, is_idle, growth = map(int, texts[0].split(b","))
                return [1000 * time, 0 if is_idle else 1000 * time, growth]
            return [self._factor * int(text) for text in texts]
        except ValueError:
            if not all(map(_COUNT.fullmatch, texts)):
                return None
        self._builder.diagnostic(line, "fraction", "A cost is not a whole number; rounded.")
        return [round(self._factor * float(text)) for text in texts]


class _Stacks:
    """Finds the contexts of stacks, of which consecutive ones share most of their functions."""

    def __init__(self, builder: StackBuilder) -> None:
        self._builder = builder
        self._parts: dict[tuple[int, int], int] = {}  # by process and thread
        self._frames: dict[bytes, int] = {}
        self._root = b""  # of the stack before: what states its thread,
        self._names: list[bytes] = []  # its functions,
        self._contexts: list[int] = []  # and for each its context

    def context(self, stack: bytes) -> int:
        """Return the context of a stack, new ones for what was not met before."""
        root, names = self._split(stack)
        contexts = self._contexts
        shared = common_length(names, self._names) if root == self._root else 0
        del contexts[shared:]
        context = contexts[-1] if contexts else self._part(root)
        child, frames = self._builder.child, self._frames
        for name in names[shared:]:
            frame = frames.get(name)
            if frame is None:
                frame = frames[name] = _frame(self._builder, name)
            context = child(context, frame)
            contexts.append(context)
        self._root, self._names = root, names
        return context

    def _split(self, stack: bytes) -> tuple[bytes, list[bytes]]:
        """Return what states the thread of a stack, maybe nothing, and the functions."""
        root = b""
        if stack.startswith((b"P", b"t")):
            for thread in _THREADS:
                match = thread.match(stack)
                if match and stack[match.end() : match.end() + 1] in (b"", b";"):
                    root = match[0]
                    stack = stack[match.end() + 1 :] or _NO_FUNCTION.encode()
        stack = stack.removesuffix(b";") or stack  # which heaptrack writes behind the last
        if _SEMICOLON_IN_PARENTHESES.search(stack):
            return root, _split_outside_parentheses(stack)
        return root, stack.split(b";")

    def _part(self, root: bytes) -> int:
        name, pid, thread = b"", 0, 0
        for pattern in _THREADS:
            if match := pattern.fullmatch(root):
                facts = match.groupdict(b"")
                name, thread = facts.get("name", b""), _number(facts["thread"])
                pid = _number(facts.get("pid", b"0"))
        if (pid, thread) not in self._parts:
            text = name.decode("utf-8", "surrogateescape")
            self._parts[pid, thread] = self._builder.part(text, pid, thread)
        return self._parts[pid, thread]


def _number(text: bytes) -> int:
    return int(text[:18], 16 if text.startswith(b"0x") else 10)


def _split_outside_parentheses(stack: bytes) -> list[bytes]:
    """Split a stack with names such as `put(Ljava/lang/String;I)V`."""
    names: list[list[bytes]] = []
    opened = 0
    for piece in stack.split(b";"):
        if opened:
            names[-1].append(piece)
        else:
            names.append([piece])
        opened = max(0, opened + piece.count(b"(") - piece.count(b")"))
    return stack.split(b";") if opened else [b";".join(name) for name in names]


def _frame(builder: StackBuilder, text: bytes) -> int:
    """Return the frame of one function as a file writes it."""
    file, line = b"", 0
    for place in _PLACES:
        if match := place.fullmatch(text):
            text, file, line = match["name"], match["file"], int(match["line"])
            break
    name = text.decode("utf-8", "surrogateescape")
    object_ = ""
    if name.endswith(_KERNEL):
        object_ = _KERNEL_OBJECT
    elif match_ := _LIBRARY.fullmatch(name):
        object_ = match_["object"]
    name = _ANNOTATION.sub("", name)
    return builder.frame(
        builder.function(name, file.decode("utf-8", "surrogateescape"), object_), line
    )
