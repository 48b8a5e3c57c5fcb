"""A history as one JSON object: a contract, see docs/history.schema.json."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TextIO

from qcachegrind_py.formats.standard_input import display_name
from qcachegrind_py.profile.tables import to_display
from qcachegrind_py.reports.history.contents import HistoryReport


def write_json(report: HistoryReport, stream: TextIO) -> None:
    """Write the history as one JSON object, with one function on a line."""
    stream.write(json.dumps(_head(report), allow_nan=False)[:-1])
    stream.write(', "functions": [')
    for place, function in enumerate(_functions(report)):
        stream.write(f"{',' if place else ''}\n{json.dumps(function, allow_nan=False)}")
    stream.write("\n]}\n")


def _head(report: HistoryReport) -> dict[str, Any]:
    history = report.history
    return {
        "labels": list(map(to_display, history.labels)),
        "files": [to_display(display_name(file)) for file in history.files],
        "events": [to_display(event.name) for event in history.events],
        "event": to_display(report.event.name),
        "totals": report.totals,
        "steps": [
            {
                "revision": step.revision,
                "change": step.change,
                "functions": [
                    {**_name(report, function), "change": change}
                    for function, change in step.functions
                ],
            }
            for step in report.steps
        ],
    }


def _functions(report: HistoryReport) -> Iterator[dict[str, Any]]:
    history, event, numbers = report.history, report.event, report.trends
    own, inclusive = history.self_cost(event), history.inclusive(event)
    for function in report.functions.tolist():
        revision = int(numbers.step_revision[function])
        yield {
            **_name(report, function),
            "members": int(history.members[function]),
            "trend": int(numbers.trend[function]),
            "largest_step": int(numbers.largest_step[function]),
            "step_revision": revision if revision >= 0 else None,
            "spread": int(numbers.spread[function]),
            "self": own[function].tolist(),
            "inclusive": inclusive[function].tolist(),
            "called": history.called[function].tolist(),
            "present": history.present[function].tolist(),
        }


def _name(report: HistoryReport, function: int) -> dict[str, str]:
    return dict(
        zip(("name", "file", "object"), map(to_display, report.names[function]), strict=True)
    )
