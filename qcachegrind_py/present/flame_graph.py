"""The flame graph of a page: boxes of a profile, or of both sides of a comparison.

Only the widest frames have a box, so that browsers can open the page. Boxes of a comparison are as
wide as the new side, the base or the change, and only a change that is proven has a strength.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qcachegrind_py.analysis.calls.frame_tree import CallsFrom, FrameTree, build_frame_tree
from qcachegrind_py.analysis.calls.frame_widths import BoxWidth, frame_places
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.names.groups import Rgb, shade_rgb
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.unit import share_text
from qcachegrind_py.profile.events import EventType, Float64Array, as_number
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, node_at
from qcachegrind_py.profile.numbers import (
    format_count,
    format_percentage,
    has_percentages,
    signed_text,
)
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int64Array

_MOST_BOXES = 3000
_MIN_SHARE = 1e-3  # of the picture: narrower frames are left out
_MAX_DEPTH = 200
_MOST_TREE_FRAMES = 30_000  # before those are chosen that are wide enough on one side
_MIN_TREE_SHARE = 2e-5
_MOST_TIP = 300  # characters of a name in a tip
_STEPS = (0.02, 0.1, 0.4)  # shares of the larger side, from which on a change is stronger
_ESTIMATE = "≈"
_THIN = "\N{THIN SPACE}"
_WIDTHS = {"New": BoxWidth.NEW, "Base": BoxWidth.BASE, "Change": BoxWidth.CHANGE}

Places = tuple[Float64Array, Float64Array]  # left edges and widths, as fractions of the whole


@frozen
class FlameGraph:
    """Boxes, level by level: the first contains all others; sequences have an item for each."""

    event: str
    about: str  # what the picture shows, and what it leaves out
    functions: Sequence[FunctionId]  # of a cycle its first member; NO_FUNCTION: the whole program
    labels: Sequence[str]
    tips: Sequence[str]
    parent: Sequence[int]
    depth: Sequence[int]
    is_exact: Sequence[bool]
    places: tuple[Places, ...]
    widths: tuple[str, ...] = ()  # what they are as wide as, if there is a choice
    colors: Sequence[Rgb] = ()  # of a profile alone
    steps: Sequence[int] = ()  # how much each grew, from -4 to 4; of a comparison

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def first(self) -> int:
        """Which of the places is shown at first: that by New, if the new side has any cost."""
        return next(at for at, (_, width) in enumerate(self.places) if width[0] > 0)


def flame_graph(
    queries: ProfileQueries,
    event: EventType,
    scope: Scope,
    visible: BoolArray | None,
    progress: Progress,
    *,
    base: Scope | None = None,
) -> FlameGraph | None:
    """Return the frames of the whole program, or of both sides of a comparison, in an event.

    None if there are no calls with cost. With `visible`, a mask of shape (nodes,), only calls are
    followed that lead to such nodes.
    """
    if base is None and not len(queries.profile.calls):
        return None
    tree = build_frame_tree(
        *_program(queries, event, scope),
        base=None if base is None else _program(queries, event, base),
        min_share=_MIN_SHARE if base is None else _MIN_TREE_SHARE,
        max_frames=_MOST_BOXES if base is None else _MOST_TREE_FRAMES,
        max_depth=_MAX_DEPTH,
        visible=visible,
        progress=progress,
    )
    if tree.width[:1].sum() <= 0 or (base is not None and len(tree) == 1):
        return None  # a frame of both sides alone shows nothing
    rows, places = np.arange(len(tree)), [_fractions(tree.start, tree.width)]
    if base is not None:
        places = [_fractions(*frame_places(tree, by)) for by in _WIDTHS.values()]
        rows = _widest_rows([width for _, width in places])
    row = np.zeros(len(tree), np.int64)
    row[rows] = np.arange(len(rows))
    parent = tree.parent[rows]
    nodes = [node_at(tree.node, frame) for frame in rows.tolist()]
    functions = [queries.first_member(node, scope) if node >= 0 else NO_FUNCTION for node in nodes]
    labels, again = list(map(queries.labels(scope).name, nodes)), tree.is_recursion[rows].tolist()
    is_exact, new = tree.is_exact[rows].tolist(), list(map(as_number, tree.new.cost[rows]))
    colors, steps, widths = list[Rgb](), list[int](), tuple[str, ...]()
    if base is None:
        total = queries.total(event, scope.parts).base
        tips = [_tip(*each, total) for each in zip(labels, new, is_exact, again, strict=True)]
        colors = [_color(queries, function) for function in functions]
    else:
        sides = list(zip(map(int, tree.base.cost[rows]), map(int, new), is_exact, strict=True))
        names, words = list(map(cell_text, labels)), [_word(*each) for each in sides]
        labels = [" ".join(filter(None, each)) for each in zip(names, words, strict=True)]
        tips = [
            _tip_of_both(name[:_MOST_TIP], *each, word, is_recursion=is_recursion)
            for name, each, word, is_recursion in zip(names, sides, words, again, strict=True)
        ]
        steps, widths = [_step(one, other) for one, other, _ in sides], tuple(_WIDTHS)
    return FlameGraph(
        event.name,
        _about(tree) if base is None else _about_both(tree, rows),
        functions,
        labels,
        tips,
        np.where(parent >= 0, row[parent], -1).tolist(),
        tree.depth[rows].tolist(),
        is_exact,
        tuple((start[rows], width[rows]) for start, width in places),
        widths,
        colors,
        steps,
    )


def _program(queries: ProfileQueries, event: EventType, scope: Scope) -> CallsFrom:
    calls = queries.program_calls(event, scope)
    return calls, calls.program_roots()


def _fractions(start: Float64Array, width: Float64Array) -> Places:
    """Return places as fractions of frame 0; all are 0 if the side has no cost, or no change."""
    whole = width[0] or 1.0
    return start / whole, width / whole


def _widest_rows(widths: list[Float64Array]) -> Int64Array:
    widest = np.max(widths, axis=0)
    order = np.argsort(-widest, kind="stable")[:_MOST_BOXES]
    # no frame is wider than its parent, which is therefore among them
    return np.sort(order[widest[order] >= _MIN_SHARE])


def _color(queries: ProfileQueries, function: FunctionId) -> Rgb:
    """Return the colour that the window uses without grouping; grey if there is no function."""
    if function == NO_FUNCTION:
        return shade_rgb(UNKNOWN, "")
    file = queries.names.file(function)
    group = file if file != UNKNOWN else queries.names.object(function)
    return shade_rgb(group, queries.names.name(function))


# ---------------------------------------------------------------- texts


def _about(tree: FrameTree) -> str:
    texts = ["Callees are drawn below their callers; widths are proportional to costs."]
    if tree.omitted_calls:
        least, omitted = (
            100 * each / tree.width[0] for each in (tree.min_width, tree.new.omitted_cost)
        )
        texts.append(
            f"Boxes below {least:.3g}{_THIN}% are not drawn, "
            f"together about {omitted:.3g}{_THIN}% of the whole."
        )
    if not tree.is_exact.all():
        texts.append("Muted, ≈: estimated in proportion, as only direct calls are recorded.")
    return " ".join(texts)


def _about_both(tree: FrameTree, rows: Int64Array) -> str:
    text = (
        "Callees are drawn below their callers. What cost more is vermilion, what cost "
        "less is blue, and the stronger the larger the change is. Widths by change are growth "
        "and shrinkage together. "
        f"Boxes below {100 * _MIN_SHARE:g}{_THIN}% are left out{_omitted(tree, rows)}."
    )
    if tree.is_exact[rows].all():
        return text
    return (
        f"{text} Pale, {_ESTIMATE}: estimated in proportion, as only direct calls are recorded; "
        "whether these changed is not known."
    )


def _omitted(tree: FrameTree, rows: Int64Array) -> str:
    """Return what the frames that are left out cost together, of both sides."""
    is_left_out = np.ones(len(tree), bool)
    is_left_out[rows] = False
    outermost = is_left_out & ~tree.are_inside(is_left_out)
    omitted = [
        (side.omitted_cost + float(side.width[outermost].sum())) / (float(side.width[0]) or 1.0)
        for side in (tree.base, tree.new)
    ]
    if not any(omitted):
        return ""
    base, new = (f"{100 * share:.3g}{_THIN}%" for share in omitted)
    return f", together about {base} of the base and {new} of the new side"


def _tip(
    name: str, cost: int | float, is_exact: bool, is_recursion: bool, total: int | float
) -> str:
    """Return name, cost, and the percentage if there is one."""
    mark = "" if is_exact else f"{_ESTIMATE}{_THIN}"
    again = " – recursion, not expanded again" if is_recursion else ""
    share = f" ({share_text(cost, total)}{_THIN}%)" if has_percentages(total) else ""
    return f"{cell_text(name)[:_MOST_TIP]} – {mark}{format_count(int(cost))}{share}{again}"


def _tip_of_both(
    name: str, base: int, new: int, is_proven: bool, word: str, *, is_recursion: bool
) -> str:
    """Return the name, both costs, and the change if it is proven."""
    mark = "" if is_proven else f"{_ESTIMATE}{_THIN}"
    again = ", recursion, not expanded again" if is_recursion else ""
    begin = f"{name}: {mark}{format_count(base)} → {mark}{format_count(new)}"
    if not is_proven:
        return f"{begin}, estimated, so whether it changed is not known{again}"
    change = signed_text(format_count(new - base), new - base)
    return f"{begin}, change {change}{f' ({word})' if word else ''}{again}"


def _word(base: int, new: int, is_proven: bool) -> str:
    """Return in a word or a percentage how a box changed; empty if it did not."""
    if not is_proven:
        return _ESTIMATE
    if base == new:
        return ""
    if not base or not new:
        return "gone" if base else "new"
    share = format_percentage(new - base, base)
    if any(digit in share for digit in "123456789"):
        share = signed_text(share, new - base)
    return f"{share}{_THIN}%"


def _step(base: int, new: int) -> int:
    """Return how much a box grew, from 1 to 4, or shrank, from -1 to -4; 0 if neither."""
    if base == new:
        return 0
    share = abs(new - base) / max(abs(base), abs(new))
    step = 1 + sum(share >= limit for limit in _STEPS)
    return step if new > base else -step
