"""Stacks as files for other viewers of flame graphs: folded stacks, and those of speedscope.

Folded stacks have a line for each stack, with the names from the outermost function to the
innermost, a semicolon between them, then a blank and the cost: `main;parse;read 1200`. What
speedscope reads is described by https://www.speedscope.app/file-format-schema.json. The format
follows from the name of a file, compression from its ending.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Sequence
from fractions import Fraction
from pathlib import PurePath
from typing import Any, TextIO

from qcachegrind_py.formats.atomic_write import atomic_write
from qcachegrind_py.formats.compression import compressing_stream
from qcachegrind_py.present.stacks import StackReport
from qcachegrind_py.profile.ids import NodeId, is_function
from qcachegrind_py.profile.numbers import unit_of
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import UNKNOWN
from qcachegrind_py.visible_text import visible_text

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_SECONDS = {
    Fraction(1): "seconds",
    Fraction(1, 10**3): "milliseconds",
    Fraction(1, 10**6): "microseconds",
    Fraction(1, 10**9): "nanoseconds",
}


def is_speedscope(path: str) -> bool:
    """Return whether a file of this name has speedscope's format: `x.json`, also compressed."""
    return ".json" in PurePath(path).suffixes


def save_stacks(
    path: str | os.PathLike[str], reports: Sequence[StackReport], progress: Progress | None = None
) -> None:
    """Write the stacks to a file; raises `UnwritableFile`, and `Cancelled`, which leave it as is.

    A file of folded stacks has one report.
    """
    progress = progress or NoProgress()
    name = os.fspath(path)
    with atomic_write(path) as file, compressing_stream(file, name) as stream:
        text = io.TextIOWrapper(stream, "utf-8", "replace", newline="\n")
        write_stacks(reports, name, text)
        text.detach()
        progress.check(1.0)


def write_stacks(reports: Sequence[StackReport], path: str, stream: TextIO) -> None:
    """Write the stacks to a stream, in the format of a file of this name."""
    if is_speedscope(path):
        name = PurePath(reports[0].queries.profile.program_name).name if reports else ""
        write_speedscope(reports, name, stream)
        return
    for report in reports:
        write_folded(report, stream)


def write_folded(report: StackReport, stream: TextIO) -> None:
    """Write the stacks; semicolons in names become commas, and line breaks escapes."""
    names: dict[NodeId, str] = {}
    for path, cost in report.paths():
        for node in path:
            if node not in names:
                names[node] = visible_text(report.name(node)).replace(";", ",")
        stream.write(f"{';'.join([names[node] for node in path])} {cost}\n")


def write_speedscope(reports: Sequence[StackReport], name: str, stream: TextIO) -> None:
    """Write a file with the stacks of each event; the reports are of one profile."""
    frames = _Frames()
    stream.write(f'{{"$schema": {json.dumps(_SCHEMA)}, "profiles": [')
    for index, report in enumerate(reports):
        stream.write(", " if index else "")
        _write_event(report, frames, stream)
    ending = {
        "shared": {"frames": frames.rows},
        "name": visible_text(name),
        "activeProfileIndex": 0,
        "exporter": "qcachegrind_py",
    }
    stream.write("], " + json.dumps(ending)[1:] + "\n")


class _Frames:
    """The frames of all stacks, numbered as they occur."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self._numbers: dict[NodeId, int] = {}

    def number(self, report: StackReport, node: NodeId) -> int:
        """Return the number of a node's frame."""
        known = self._numbers.get(node)
        if known is None:
            known = self._numbers[node] = len(self.rows)
            self.rows.append(_frame(report, node))
        return known


def _frame(report: StackReport, node: NodeId) -> dict[str, Any]:
    frame: dict[str, Any] = {"name": visible_text(report.name(node))}
    functions = report.queries.function_count
    if node >= 0 and is_function(node, functions):
        file = report.queries.names.file(node)
        if file != UNKNOWN:
            frame["file"] = visible_text(file)
    return frame


def _write_event(report: StackReport, frames: _Frames, stream: TextIO) -> None:
    head = {
        "type": "sampled",
        "name": visible_text(report.event.name),
        "unit": _unit(report),
        "startValue": 0,
        "endValue": report.total,
    }
    stream.write(json.dumps(head)[:-1] + ', "samples": [')
    weights: list[int] = []
    for path, cost in report.paths():
        numbers = [frames.number(report, node) for node in path]
        stream.write((", " if weights else "") + json.dumps(numbers))
        weights.append(cost)
    stream.write(f'], "weights": {json.dumps(weights)}}}')


def _unit(report: StackReport) -> str:
    """Return the format's name of the event's unit: `none` for counts and for other units."""
    unit = unit_of(report.event.name, report.event.long_name)
    if unit is None:
        return "none"
    if unit.symbol == "B":
        return "bytes" if unit.factor == 1 else "none"
    return _SECONDS.get(unit.factor, "none") if unit.symbol == "s" else "none"
