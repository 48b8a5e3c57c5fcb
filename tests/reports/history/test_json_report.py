"""A history as JSON: the contract, and its schema."""

from __future__ import annotations

import io
import json
from pathlib import Path

from jsonschema import Draft202012Validator

from qcachegrind_py.reports.history.json_report import write_json
from tests.reports.history.drawn import report_of

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/history.schema.json").read_text("utf-8"))


def test_the_object() -> None:
    """All numbers of a revision are at its place; the schema allows the object."""
    Draft202012Validator.check_schema(SCHEMA)
    stream = io.StringIO()
    write_json(report_of("step", limit=1), stream)
    value = json.loads(stream.getvalue())
    Draft202012Validator(SCHEMA).validate(value)
    sort = {"name": "sort", "file": "/s/sort.c", "object": "app"}
    load = {"name": "load", "file": "/s/load.c", "object": "libio.so"}
    assert value == {
        "labels": [f"v{number}" for number in range(8)],
        "files": [f"/p/v{number}.out" for number in range(8)],
        "events": ["Ir", "Dr"],
        "event": "Ir",
        "totals": [1100, 1100, 1100, 1600, 1640, 1640, 1640, 1640],
        "steps": [
            {"revision": 3, "change": 500, "functions": [{**sort, "change": 500}]},
            {"revision": 4, "change": 40, "functions": [{**load, "change": 40}]},
        ],
        "functions": [
            {
                **sort,
                "members": 1,
                "trend": 500,
                "largest_step": 500,
                "step_revision": 3,
                "spread": 500,
                "self": [1000, 1000, 1000, 1500, 1500, 1500, 1500, 1500],
                "inclusive": [1000, 1000, 1000, 1500, 1500, 1500, 1500, 1500],
                "called": [2] * 8,
                "present": [True] * 8,
            }
        ],
    }
