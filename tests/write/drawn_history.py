"""A history of eight revisions, of which two functions step."""

from __future__ import annotations

from typing import Any

from qcachegrind_py.analysis.history import Revision, read_history
from qcachegrind_py.present.history import HistoryReport, history_report
from tests.profile_rows import profile_from
from tests.profile_text import profile_text

REVISIONS = [
    f"events: Ir Dr\nmain@/s/main.c@app 100,1 -> sort 2x{sort},2\nsort@/s/sort.c@app {sort},2"
    + (f"\nload@/s/load.c@libio.so {load},3" if load else "")
    for sort, load in zip(
        (1000, 1000, 1000, 1500, 1500, 1500, 1500, 1500), (0, 0, 0, 0, 40, 40, 40, 40), strict=True
    )
]


def report_of(*options: Any, count: int = len(REVISIONS), **named: Any) -> HistoryReport:
    """The report of the first event in the first revisions, as `history_report` makes it."""
    revisions = [Revision(f"v{number}", f"/p/v{number}.out") for number in range(count)]
    history = read_history(
        revisions, lambda file, _: profile_from(profile_text(REVISIONS[int(file[4:-4])]).encode())
    )
    return history_report(history, history.events[0], *options, **named)
