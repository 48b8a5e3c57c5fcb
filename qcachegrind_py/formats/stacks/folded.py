"""Folded stacks: a line for each stack, its functions from the outermost, and a count.

    main;parse;read 42

Written by Brendan Gregg's stackcollapse scripts for perf, bpftrace and many others, heaptrack,
Austin, async-profiler, and this program.
"""

from __future__ import annotations

import re

from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.formats.stacks.source import StackSource

_LINE = re.compile(rb"(?P<stack>[^\n]*[^\s])[ \t]+(?P<count>\d+)\r?")


def is_folded(head: bytes) -> bool:
    """Return whether the first lines are stacks with counts, and one has several functions."""
    lines = [line for line in head.split(b"\n")[:-1][:100] if line.strip()]
    stacks = [_LINE.fullmatch(line) for line in lines or head.split(b"\n")]
    return all(stacks) and any(match is not None and b";" in match["stack"] for match in stacks)


def read_folded(source: StackSource, builder: StackBuilder) -> None:
    """Read the stacks; lines without a count are reported."""
    builder.event("samples")
    part = builder.part()
    frames: dict[bytes, int] = {}
    contexts: dict[bytes, int] = {}
    for number, line in enumerate(source.lines(), 1):
        match = _LINE.fullmatch(line)
        if match is None:
            if line.strip():
                builder.diagnostic(number, "no-count", "Not a stack with a count; left out.")
            continue
        stack = match["stack"]
        context = contexts.get(stack)
        if context is None:
            context = part
            for name in stack.split(b";"):
                frame = frames.get(name)
                if frame is None:
                    text = name.decode("utf-8", "surrogateescape")
                    frame = frames[name] = builder.frame(builder.function(text))
                context = builder.child(context, frame)
            contexts[stack] = context
        builder.add(context, int(match["count"]))
