"""The file format of speedscope: stacks with their costs, for one or several events.

https://www.speedscope.app/file-format-schema.json describes it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TextIO

from qcachegrind_py.profile.ids import NodeId, is_function
from qcachegrind_py.profile.numbers import unit_of
from qcachegrind_py.profile.tables import UNKNOWN
from qcachegrind_py.reports.stacks.contents import StackReport
from qcachegrind_py.visible_text import visible_text

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_SECONDS = {
    Fraction(1): "seconds",
    Fraction(1, 10**3): "milliseconds",
    Fraction(1, 10**6): "microseconds",
    Fraction(1, 10**9): "nanoseconds",
}


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
    return _SECONDS.get(unit.factor, "none")
