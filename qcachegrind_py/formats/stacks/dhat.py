"""DHAT's JSON: what a program allocated, copied or counted, by stack, innermost function first.

Written by Valgrind (`--tool=dhat`) and by the Rust library dhat. Each program point has its costs
under short keys, and the numbers of its frames in a table of texts:

    0x1091AC: prepend (alloc.c:11)
    0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_dhat-amd64-linux.so)

Costs are exact. The largest sizes of single points (`mb`, `mbk`) are left out: their sum is the
size of nothing. Addresses are those of the process.
"""

from __future__ import annotations

import re

from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.formats.stacks.json_values import integer, items, read_json, text
from qcachegrind_py.formats.stacks.source import StackSource

_BYTES, _BLOCKS = ("bsu", "bytes"), ("bksu", "blocks")  # keys of their units, and the default
# Keys of costs, the names of their events and what the viewer of DHAT calls them.
_TOTALS = (("tb", "total", "Total", _BYTES), ("tbk", "total", "Total", _BLOCKS))
_LIVES = (
    ("gb", "gmax", "At t-gmax", _BYTES),
    ("gbk", "gmax", "At t-gmax", _BLOCKS),
    ("eb", "end", "At t-end", _BYTES),
    ("ebk", "end", "At t-end", _BLOCKS),
)
_ACCESSES = (("rb", "reads", "Reads", _BYTES), ("wb", "writes", "Writes", _BYTES))
_TIMES = (("tl", "lifetimes", "Total lifetimes", ("tu", "instrs")),)
_ADDRESS = re.compile(r"0x([0-9A-Fa-f]{1,16}): ")
_PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d{1,10})(?::\d+)?")
_ROOT = "[root]"
_UNKNOWN = "???"
_STEP = 10_000  # program points between two reports of progress


def is_dhat(head: bytes) -> bool:
    return re.match(rb'\s*\{\s*"dhatFileVersion"\s*:', head) is not None


def read_dhat(source: StackSource, builder: StackBuilder) -> None:
    """Read the program points; what is out of range is reported."""
    document = read_json(source, builder)
    if not isinstance(document, dict):
        return
    builder.creator = "dhat-rs" if text(document.get("mode")).startswith("rust-") else "DHAT"
    builder.command = text(document.get("cmd"))
    builder.adds_samples = False
    measured = (
        *_TOTALS,
        *(_LIVES if document.get("bklt") else ()),
        *(_ACCESSES if document.get("bkacc") else ()),
        *(_TIMES if document.get("bklt") else ()),
    )
    for _, name, long_name, (key, default) in measured:
        unit = text(document.get(key)) or default
        builder.event(f"{name}_{unit}", f"{long_name} ({unit})")
    table = items(document, "ftbl")
    if not table:  # it is the last in the file
        builder.damaged(0, "The names of the functions are missing.")
    frames = [_frame(each, builder) for each in table]
    part = builder.part("", integer(document.get("pid")))
    points = items(document, "pps")
    for number, point in enumerate(points):
        if number % _STEP == 0:
            source.check(number / len(points))
        context = part
        for each in reversed(items(point, "fs")):
            if type(each) is int and 0 <= each < len(frames):  # nearly all: no call
                frame = frames[each]
            else:
                frame = _unknown(builder)
                if table:
                    builder.diagnostic(0, "no-function", f"There is no function {each!r:.50}.")
            if frame is not None:
                context = builder.child(context, frame)
        if context == part:
            context = builder.child(part, _unknown(builder))
        costs = point if isinstance(point, dict) else {}
        builder.add(context, *(integer(costs.get(key)) for key, *_ in measured))


def _unknown(builder: StackBuilder) -> int:
    return builder.frame(builder.function(""))


def _frame(value: object, builder: StackBuilder) -> int | None:
    """Return the frame of a text of the table; None for the root, which is no function."""
    name, address, line, file, object_ = text(value), 0, 0, "", ""
    if name == _ROOT:
        return None
    if match := _ADDRESS.match(name):
        address, name = int(match[1], 16), name[match.end() :]
    start = name.rfind(" (")
    if start > 0 and name.endswith(")"):
        place = name[start + 2 : -1]
        if place.startswith("in "):
            name, object_ = name[:start], place[3:]
        elif found := _PLACE.fullmatch(place):
            name, file, line = name[:start], found["file"], int(found["line"])
    function = builder.function("" if name == _UNKNOWN else name, file, object_)
    return builder.frame(function, line, address)
