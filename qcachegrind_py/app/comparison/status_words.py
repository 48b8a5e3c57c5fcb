"""What title and status bar say while a comparison is shown."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.app.comparison.side_names import side_names
from qcachegrind_py.app.comparison.summary import total_texts
from qcachegrind_py.present.context import Context
from qcachegrind_py.present.table import cell_text, short_text
from qcachegrind_py.profile.numbers import format_count, plural, without_unit
from qcachegrind_py.session.loading import LoadedProfile
from qcachegrind_py.views.widgets.labels import tip_text

_PERCENTAGES = "Percentages of changes refer to the total of the base."


@dataclass(frozen=True, slots=True)
class StatusWords:
    """The texts of title and status bar."""

    title: str  # what is compared
    tip: str  # the files or parts of both sides, and their commands
    parts: str
    total: str
    total_tip: str


def status_words(loaded: LoadedProfile, compared: Comparison, context: Context) -> StatusWords:
    """Return the words for a comparison in its present scopes."""
    base, new = side_names(loaded, compared)
    title = f"{new.short} vs. {base.short}"
    if loaded.base is None:
        title = f"{cell_text(loaded.read.chosen.paths[0].name)}: {title}"
    tip = tip_text("New:", *new.details, "Base:", *base.details)
    return StatusWords(title, tip, _parts_text(loaded, compared), *_total_texts(compared, context))


def _total_texts(compared: Comparison, context: Context) -> tuple[str, str]:
    """Return both totals, and what percentages are of."""
    event = context.event
    if event is None or event not in compared.events:
        return "", ""
    base, new = total_texts(compared, event, context.numbers, of_recorded=context.of_recorded)
    name = short_text(without_unit(event.title))
    return f"Total {name}: {base} → {new}", tip_text(_PERCENTAGES)


def _parts_text(loaded: LoadedProfile, compared: Comparison) -> str:
    """Return how many parts are compared: 1 → 2 of 5 parts; empty if both sides have one."""
    base, new = (len(scope.parts or ()) for scope in (compared.base, compared.new))
    if loaded.base is None:
        return f"{format_count(base)} → {_of(new, len(loaded.profile.parts))} parts"
    counts = [len(side.profile.parts) for side in (loaded.base, loaded.read)]
    if counts == [1, 1]:
        return ""
    return f"{_of(base, counts[0])} → {_of(new, counts[1])} {plural(counts[1], 'part')}"


def _of(chosen: int, count: int) -> str:
    return (
        format_count(count)
        if chosen == count
        else f"{format_count(chosen)} of {format_count(count)}"
    )
