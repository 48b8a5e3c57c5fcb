"""Line costs as an LCOV tracefile, which coverage viewers of editors read.

The count of a line is its self cost in the first event of the report. Lines with calls alone have
the count 0. `geninfo(1)` describes the format.
"""

from __future__ import annotations

from typing import TextIO

from qcachegrind_py.profile.tables import to_display
from qcachegrind_py.reports.lines.contents import LineReport


def write_lcov(report: LineReport, stream: TextIO) -> None:
    """Write a record for each file; costs without a line are left out, negative ones are 0."""
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
