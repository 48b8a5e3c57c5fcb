"""The flame graph of both profiles as HTML boxes, with widths by New, Base or Change.

Positions are CSS rules in percent, those by New: the picture is right without scripts. The script
has the others. Only a change that is proven has a colour; estimates are pale and marked ≈.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, node_at
from qcachegrind_py.profile.numbers import DEFAULT_STYLE, format_exact, signed_text
from qcachegrind_py.reports.comparison.html.frames import MIN_SHARE, ComparedFrames
from qcachegrind_py.reports.comparison.measures import percentage_text
from qcachegrind_py.reports.html.markup import escape_html, plain_text

_MIN_NAMED_WIDTH = 0.025  # fraction of the width: narrower boxes have no space for letters
_MIN_GAP_WIDTH = 0.004
_MOST_TIP = 300  # characters of a name in a tooltip
_STEPS = (0.02, 0.1, 0.4)  # shares of the larger side, from which on a colour is stronger
_WIDTHS = ("New", "Base", "Change")
_ESTIMATE = "≈"


@dataclass(frozen=True, eq=False)
class FlameGraph:
    """Writes the flame graph; `linked` are the functions that stand in the page."""

    compared: Comparison
    event: EventType
    frames: ComparedFrames
    names: tuple[str, ...]  # of each frame
    linked: frozenset[FunctionId]

    @staticmethod
    def of(
        compared: Comparison,
        event: EventType,
        frames: ComparedFrames,
        linked: frozenset[FunctionId],
    ) -> FlameGraph:
        """Name the frames."""
        labels = compared.queries.labels(compared.new)
        nodes = [node_at(frames.node, place) for place in range(len(frames))]
        names = tuple(map(labels.name, nodes))
        return FlameGraph(compared, event, frames, names, linked)

    def section(self) -> Iterator[str]:
        """Yield the section of the page."""
        yield f'<section id="flame"><h2>Flame graph of {escape_html(self.event.name)}</h2>'
        yield (
            "<p>Callees are drawn below their callers. What cost more is vermilion, what cost "
            "less is blue, and the stronger the larger the change is. Widths by change are growth "
            "and shrinkage together. "
            f"Boxes below {100 * MIN_SHARE:g}\N{THIN SPACE}% are left out{self._omitted}."
        )
        if not self.frames.is_proven.all():
            yield (
                f" Pale, {_ESTIMATE}: estimated in proportion, as only direct calls are recorded; "
                "whether these changed is not known."
            )
        yield "</p>"
        yield from self._buttons()
        yield '<div class="picture"><div id="boxes" role="group" aria-label="Flame graph">'
        yield from map(self._box, range(len(self.frames)))
        yield '</div></div><p id="told" aria-live="polite">\N{NO-BREAK SPACE}</p></section>'

    @property
    def _omitted(self) -> str:
        """What the boxes that are left out cost together, of both sides."""
        base, new = (f"{100 * share:.3g}\N{THIN SPACE}%" for share in self.frames.omitted)
        if not any(self.frames.omitted):
            return ""
        return f", together about {base} of the base and {new} of the new side"

    def _buttons(self) -> Iterator[str]:
        yield '<div class="bar" id="zoom" hidden><fieldset><legend>Width by</legend>'
        for place, title in enumerate(_WIDTHS):
            state = " checked" if place == self._first else ""
            state += "" if self.frames.places[place][1][0] > 0 else " disabled"
            yield (
                f'<label><input type="radio" name="width" value="{place}"{state}> {title}</label>'
            )
        yield '</fieldset><button type="button" id="all">Show all</button>'
        yield "<span>Click or press Return to zoom in, Escape to go back; arrow keys move."
        yield "</span></div>"

    @cached_property
    def _first(self) -> int:
        """The width that is shown at first: by New, if the new side has any cost."""
        has_cost = [width[0] > 0 for _, width in self.frames.places]
        return has_cost.index(True)

    def style(self) -> Iterator[str]:
        """Yield the CSS rules for the position of each box."""
        depth, (start, width) = self.frames.depth.tolist(), self.frames.places[self._first]
        depths = max(depth) + 1
        yield f"#boxes{{--depths:{depths}}}"
        yield from (f".d{level}{{top:calc({level}*var(--row))}}" for level in range(depths))
        for place, (left, wide) in enumerate(zip(start.tolist(), width.tolist(), strict=True)):
            hidden = "" if wide > 0 else ";display:none"
            yield f"#b{place}{{left:{100 * left:.5g}%;width:{100 * wide:.5g}%{hidden}}}"

    def data(self) -> list[list[object]]:
        """Return what the script needs of each box: parent, depth, name, starts and widths.

        These are in millionths. The name is empty if the page itself shows it.
        """
        columns = [column.tolist() for pair in self.frames.places for column in pair]
        shown = self.frames.places[self._first][1].tolist()
        return [
            [
                parent,
                depth,
                "" if wide >= _MIN_NAMED_WIDTH else plain_text(self._label(place)),
                *(round(1e6 * number, 1) for number in numbers),
            ]
            for place, (parent, depth, wide, *numbers) in enumerate(
                zip(
                    self.frames.parent.tolist(),
                    self.frames.depth.tolist(),
                    shown,
                    *columns,
                    strict=True,
                )
            )
        ]

    # ---------------------------------------------------------------- boxes

    def _box(self, place: int) -> str:
        wide = float(self.frames.places[self._first][1][place])
        kinds = [f"d{self.frames.depth[place]}", self._kind(place)]
        kinds += ["t"] if wide < _MIN_GAP_WIDTH else []
        function = self._function(place)
        target = f' href="#f{function}"' if function in self.linked else ""
        label = escape_html(self._label(place)) if wide >= _MIN_NAMED_WIDTH else ""
        return (
            f'<a{target} id="b{place}" class="{" ".join(kinds)}" '
            f'tabindex="{0 if place == 0 else -1}" '
            f'title="{escape_html(self._tip(place))}">{label}</a>'
        )

    def _function(self, place: int) -> FunctionId:
        node = node_at(self.frames.node, place)
        if node < 0:
            return NO_FUNCTION
        return self.compared.queries.first_member(node, self.compared.new)

    def _costs(self, place: int) -> tuple[int, int]:
        cost = self.frames.cost
        return int(cost.base[place]), int(cost.new[place])

    def _kind(self, place: int) -> str:
        """Return the class of a box: estimated, same, or how much it grew or shrank."""
        if not self.frames.is_proven[place]:
            return "e"
        base, new = self._costs(place)
        if base == new:
            return "same"
        share = abs(new - base) / max(abs(base), abs(new))
        step = 1 + sum(share >= limit for limit in _STEPS)
        return f"{'g' if new > base else 's'}{step}"

    def _label(self, place: int) -> str:
        name = plain_text(self.names[place])
        change = self._change(place)
        return f"{name} {change}" if change else name

    def _change(self, place: int) -> str:
        """Return in a word or a percentage how a box changed; empty if it did not."""
        base, new = self._costs(place)
        if not self.frames.is_proven[place]:
            return _ESTIMATE
        if base == new:
            return ""
        if not base:
            return "new"
        if not new:
            return "gone"
        return f"{percentage_text(new - base, base, DEFAULT_STYLE)}\N{THIN SPACE}%"

    def _tip(self, place: int) -> str:
        """Return the name, both costs, and the change if it is proven."""
        name = plain_text(self.names[place])[:_MOST_TIP]
        base, new = self._costs(place)
        mark = "" if self.frames.is_proven[place] else f"{_ESTIMATE}\N{THIN SPACE}"
        again = ", recursion, not expanded again" if self.frames.is_recursion[place] else ""
        sides = f"{mark}{_number(base)} → {mark}{_number(new)}"
        if not self.frames.is_proven[place]:
            return f"{name}: {sides}, estimated, so whether it changed is not known{again}"
        change = signed_text(_number(new - base), new - base)
        word = self._change(place)
        return f"{name}: {sides}, change {change}{f' ({word})' if word else ''}{again}"


def _number(cost: int) -> str:
    return format_exact(cost, "", DEFAULT_STYLE)
