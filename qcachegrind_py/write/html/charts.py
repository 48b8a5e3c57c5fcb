"""Series of costs as pictures in a page: SVG, whose colours the style of the page gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from qcachegrind_py.present.exact import ValueCells
from qcachegrind_py.present.history import HistoryReport, change_text
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.numbers import DEFAULT_STYLE, format_count
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.write.html.markup import escape_html

_WIDTH, _HEIGHT = 900, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 110, 20, 22, 34  # margins of the chart of the total
_LABELS = 9  # at most, below that chart
_SMALL_WIDTH, _SMALL_HEIGHT = 120, 24
_MARKED_STEPS = 8  # as many as the page lists
_HALF = 6  # of the width of a mark


@dataclass(frozen=True, slots=True, eq=False)
class ChartCells(ValueCells):
    """The costs of functions over the revisions as small charts, above a text."""

    costs: CostArray = field(kw_only=True)  # shape (rows, revisions)
    present: BoolArray = field(kw_only=True)  # where a revision has the function

    def markup(self, row: int) -> str:
        """Return the cell of a row."""
        chart = small_chart(self.costs[row].tolist(), self.present[row].tolist())
        return f"{chart}<div>{escape_html(self.text(row))}</div>"


def total_chart(report: HistoryReport) -> Iterator[str]:
    """Yield the chart of the total over the revisions, with marks at the largest steps."""
    totals, labels = report.totals, report.history.labels
    low, high = _range(totals)
    heights = _scaled(totals, low, high, _TOP, _HEIGHT - _BOTTOM)
    places = _places(len(totals), _LEFT, _WIDTH - _RIGHT)
    title = f"Total of {report.event.name} in {len(totals)} revisions"
    yield f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">'
    yield f"<title>{escape_html(title)}</title>"
    for value in dict.fromkeys((low, (low + high) // 2, high)):
        (y,) = _scaled([value], low, high, _TOP, _HEIGHT - _BOTTOM)
        yield f'<path class="grid" d="M{_LEFT} {y}H{_WIDTH - _RIGHT}"/>'
        text = format_count(value, DEFAULT_STYLE)
        yield f'<text class="axis" x="{_LEFT - 8}" y="{y + 4:g}" text-anchor="end">{text}</text>'
    yield from _labels(labels, places)
    yield _line(places, heights)
    yield from _marks(report, places, heights)
    yield "</svg>"


def small_chart(values: Sequence[int], present: Sequence[bool]) -> str:
    """Return the chart of a function; revisions without it interrupt the line."""
    low, high = _range([v for v, is_there in zip(values, present, strict=True) if is_there])
    heights = _scaled(values, low, high, 2, _SMALL_HEIGHT - 2)
    places = _places(len(values), 2, _SMALL_WIDTH - 2)
    lines, begin = [], 0
    for end in range(len(values) + 1):
        if end == len(values) or not present[end]:
            if begin < end:
                lines.append(_line(places[begin:end], heights[begin:end]))
            begin = end + 1
    return (
        f'<svg class="small" viewBox="0 0 {_SMALL_WIDTH} {_SMALL_HEIGHT}" aria-hidden="true">'
        f"{''.join(lines)}</svg>"
    )


def _labels(labels: Sequence[str], places: Sequence[float]) -> Iterator[str]:
    """Yield labels below the chart: all, or some at equal distances with the last one."""
    every = -(-len(labels) // _LABELS)
    for place in range(len(labels) - 1, -1, -every):
        x = places[place]
        anchor = "end" if x > _WIDTH - 60 else "middle"
        label = escape_html(labels[place] if len(labels[place]) <= 14 else f"{labels[place][:13]}…")
        yield f'<path class="grid" d="M{x} {_HEIGHT - _BOTTOM}v5"/>'
        yield f'<text class="axis" x="{x}" y="{_HEIGHT - 12}" text-anchor="{anchor}">{label}</text>'


def _marks(
    report: HistoryReport, places: Sequence[float], heights: Sequence[float]
) -> Iterator[str]:
    """Yield a triangle at each of the largest steps: its tip is up where costs grew."""
    for step in report.steps[:_MARKED_STEPS]:
        x, y = places[step.revision], heights[step.revision]
        grew = step.change > 0
        tip = -2 * _HALF if grew else 2 * _HALF
        kind = "grown" if grew else "shrunk"
        text = f"{report.history.labels[step.revision]}: {change_text(step.change, DEFAULT_STYLE)}"
        shape = f"M{x - _HALF:g} {y - tip / 2:g}h{2 * _HALF}l{-_HALF} {tip}z"
        yield f'<path class="{kind}" d="{shape}">'
        yield f"<title>{escape_html(text)}</title></path>"


def _line(places: Sequence[float], heights: Sequence[float]) -> str:
    """Return a line; a single point is a short one."""
    points = [f"{x:g} {y:g}" for x, y in zip(places, heights, strict=True)]
    if len(points) == 1:
        return f'<path class="line" d="M{points[0]}h1"/>'
    return f'<path class="line" d="M{"L".join(points)}"/>'


def _range(values: Sequence[int]) -> tuple[int, int]:
    return min(values, default=0), max(values, default=0)


def _scaled(values: Sequence[int], low: int, high: int, top: float, bottom: float) -> list[float]:
    """Return the heights of values, of which `low` is at the bottom; equal ones are halfway up."""
    if low == high:
        return [(top + bottom) / 2] * len(values)
    return [round(bottom - (bottom - top) * (value - low) / (high - low), 1) for value in values]


def _places(count: int, left: float, right: float) -> list[float]:
    """Return where the revisions are from left to right."""
    distance = (right - left) / max(1, count - 1)
    return [round(left + distance * place, 1) for place in range(count)]
