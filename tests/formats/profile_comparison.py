"""The contents of a profile in a comparable form, and profiles written and read again.

The order of functions and rows is left out, as it has no meaning.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from typing import Any

from qcachegrind_py.analysis.costs.totals import part_totals
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.callgrind.writing.profile_writer import write
from qcachegrind_py.formats.callgrind.writing.selection import Selection
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.reports.json_report import write_json
from qcachegrind_py.reports.selection import ReportSelection
from tests.profile_rows import call_rows, cost_rows, jump_rows, profile_from

WHOLE_PROFILE = Selection()


def written_bytes(profile: Profile, selection: Selection = WHOLE_PROFILE) -> bytes:
    """The bytes of a file with the profile, or with a selection of it."""
    stream = io.BytesIO()
    write(profile, stream, selection)
    return stream.getvalue()


def read_again(profile: Profile, selection: Selection = WHOLE_PROFILE) -> Profile:
    """The profile read from its own file."""
    return profile_from(written_bytes(profile, selection))


def json_report(profile: Profile) -> dict[str, Any]:
    """The JSON report, functions by name and location, without the file and its diagnostics."""
    stream = io.StringIO()
    write_json(ReportSelection(ProfileQueries(profile), profile.events.all), stream)
    report = json.loads(stream.getvalue())
    header = report["header"]
    for key in ("file", "diagnostics", "diagnostic_count"):
        del report[key]
    for key in ("files", "diagnostic_count", "reading_seconds"):
        del header[key]
    for part in (*report["parts"], *header["parts"]):
        del part["file"]
    for event in header["events"]:
        if event["recorded"] is not None:  # a smaller one is written as the sum
            event["recorded"] = max(event["recorded"], event["attributed"])
    for name in report["summary"] or ():
        report["summary"][name] = max(report["summary"][name], report["totals"][name])
    names = [(f["name"], f["file"], f["object"]) for f in report["functions"]]
    cycles: dict[int, set[tuple[str, ...]]] = {}
    for name, function in zip(names, report["functions"], strict=True):
        cycles.setdefault(function.pop("cycle"), set()).add(name)
    cycles.pop(0, None)
    report["cycles"] = set(map(frozenset, cycles.values()))
    report["functions"] = Counter(map(_frozen, report["functions"]))
    report["calls"] = Counter(
        (names[c["caller"]], names[c["callee"]], c["count"], _frozen(c["inclusive"]))
        for c in report["calls"]
    )
    return dict(report)


def profile_rows(profile: Profile) -> dict[str, Counter[Any]]:
    """Every cost line, every call and every jump, by names."""
    return {
        "costs": Counter(cost_rows(profile)),
        "calls": Counter(call_rows(profile)),
        "jumps": Counter(jump_rows(profile)),
    }


def part_headers(profile: Profile) -> list[tuple[object, ...]]:
    """The header of each part; a `summary:` below the sum is the sum, as in a saved profile."""
    sums = part_totals(profile)
    return [
        (p.pid, p.part, p.thread, p.creator, p.command, p.trigger, summary, _descriptions(p))
        for index, p in enumerate(profile.parts)
        for counted in [dict(zip(profile.events.names, sums[:, index].tolist(), strict=True))]
        for summary in [
            p.summary and {name: max(cost, counted[name]) for name, cost in p.summary.items()}
        ]
    ]


def _descriptions(part: Any) -> list[str]:
    return [text for key, text in part.header if key == "desc"]


def _frozen(value: object) -> str:
    return json.dumps(value, sort_keys=True)
