"""Folded stacks: a line for each stack, which flame graph scripts and speedscope read.

A line has the names from the outermost function to the innermost, with a semicolon between them,
then a blank and the cost: `main;parse;read 1200`.
"""

from __future__ import annotations

from typing import TextIO

from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.reports.stacks.contents import StackReport
from qcachegrind_py.visible_text import visible_text


def write_folded(report: StackReport, stream: TextIO) -> None:
    """Write the stacks; semicolons in names become commas, and line breaks escapes."""
    names: dict[NodeId, str] = {}
    for path, cost in report.paths():
        for node in path:
            if node not in names:
                names[node] = visible_text(report.name(node)).replace(";", ",")
        stream.write(f"{';'.join([names[node] for node in path])} {cost}\n")
