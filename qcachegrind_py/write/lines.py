"""The costs of source lines for editors and scripts: JSON, and a tracefile of LCOV.

`docs/lines.schema.json` describes the JSON, `geninfo(1)` the tracefile, which coverage viewers
read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import TextIO

import numpy as np

from qcachegrind_py.present.source_lines import LineReport
from qcachegrind_py.profile.tables import to_display
from qcachegrind_py.write.json_rows import records, write_list


def write_lines_json(report: LineReport, stream: TextIO) -> None:
    """Write the lines of all files, one file after the other."""
    stream.write(json.dumps(report.head(), allow_nan=False)[:-1])
    write_list("files", _files(report), stream)
    stream.write("}\n")


def _files(report: LineReport) -> Iterator[list[str]]:
    record = report.record()
    for file in report.files():
        head = {"path": to_display(file.recorded), "found": to_display(file.found) or None}
        rows = np.arange(file.rows.start, file.rows.stop)
        lines = ", ".join(chain.from_iterable(records(record, rows)))
        yield [f'{json.dumps(head)[:-1]}, "lines": [{lines}]}}']


def write_lcov(report: LineReport, stream: TextIO) -> None:
    """Write a record for each file; costs without a line are left out, negative ones are 0.

    The count of a line is its self cost in the first event of the report. Lines with calls alone
    have the count 0.
    """
    event = report.selection.event
    if event is None:
        return
    costs = [max(cost, 0) for cost in report.self_cost(event).tolist()]
    lines = report.lines.line.tolist()
    for file in report.files():
        stream.write(f"TN:\nSF:{_on_one_line(file.path)}\n")
        stream.writelines(f"DA:{lines[row]},{costs[row]}\n" for row in file.rows)
        hit = sum(costs[row] > 0 for row in file.rows)
        stream.write(f"LF:{len(file.rows)}\nLH:{hit}\nend_of_record\n")


def _on_one_line(path: str) -> str:
    return " ".join(to_display(path).splitlines())
