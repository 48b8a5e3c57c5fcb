"""What only two single runs have: the flame graph, and the sources of what changed most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.comparison.selections import RepeatedComparison
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, function_ids
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.reports.comparison.contents import ComparisonReport
from qcachegrind_py.reports.comparison.html.frames import ComparedFrames, compared_frames
from qcachegrind_py.reports.comparison.html.line_excerpts import FileExcerpt, LineExcerpts
from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, BaseSearch, FileSearch

_MOST_FUNCTIONS = 10


@dataclass(frozen=True, slots=True)
class FunctionExcerpts:
    """The changed lines of a function, or why there are none."""

    function: FunctionId
    files: tuple[FileExcerpt, ...]
    problem: str


@dataclass(frozen=True, slots=True, eq=False)
class ChangeDetails:
    """The details of a page; `event` is the measured one that they are of."""

    compared: Comparison
    event: EventType
    frames: ComparedFrames | None
    excerpts: tuple[FunctionExcerpts, ...]


def change_details(
    report: ComparisonReport,
    compared: Comparison | None,
    search: FileSearch,
    progress: Progress,
    base_search: BaseSearch = NO_BASE_SEARCH,
) -> ChangeDetails | None:
    """Return the details; None without a base, and for medians of repeated runs.

    Sources of the base are sought with `base_search`, too. Raises `Cancelled`.
    """
    if compared is None or isinstance(compared, RepeatedComparison):
        return None
    event = compared.queries.measured_event(report.event.event)
    visible = _visible(report, compared)
    frames = compared_frames(compared, event, visible, PartialProgress(progress, 0, 0.4))
    excerpts = LineExcerpts(compared, event, search, base_search)
    chosen = _most_changed(report, compared, event)
    found = []
    for done, function in enumerate(chosen):
        progress.check(0.4 + 0.6 * done / len(chosen), "Reading sources")
        found.append(FunctionExcerpts(function, *excerpts.read(function, progress)))
    return ChangeDetails(compared, event, frames, tuple(found))


def _most_changed(
    report: ComparisonReport, compared: Comparison, event: EventType
) -> list[FunctionId]:
    """Return the functions of the report whose self cost changed most, in either direction."""
    sizes = np.abs(compared.self_cost(event).change[report.functions])
    order = np.argsort(-sizes, kind="stable")[:_MOST_FUNCTIONS]
    return function_ids(report.functions[order[(sizes[order] > 0).astype(bool)]])


def _visible(report: ComparisonReport, compared: Comparison) -> BoolArray | None:
    """Return the mask of the nodes that the report has; None if it has all functions."""
    if len(report.functions) == len(report.pairs):
        return None
    cycle = compared.queries.costs(compared.new).cycle
    visible = np.zeros(len(cycle), bool)
    visible[report.functions] = True
    of_cycles = cycle[report.functions]
    visible[len(report.pairs) - 1 + of_cycles[of_cycles > 0]] = True
    return visible
