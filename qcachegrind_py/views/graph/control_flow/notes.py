"""The note below the control flow: what is left out, where the code is from, how to read it."""

from __future__ import annotations

from qcachegrind_py.analysis.code.visible_blocks import VisibleBlocks
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.views.graph.control_flow.items import LEGEND
from qcachegrind_py.views.graph.control_flow.loader import LoadedFunction
from qcachegrind_py.views.graph.control_flow.scene import FlowPicture
from qcachegrind_py.views.graph.control_flow.style import ADDED

_NO_JUMPS = "no jumps were recorded: use --collect-jumps=yes"
_NO_COUNTS = "the first event is not Ir: most counts are not known"


def summary_notes(picture: FlowPicture, loaded: LoadedFunction, profile: Profile) -> list[str]:
    """Return how much is shown, what is left out, and a legend of the arrows."""
    visible, format_ = picture.visible_blocks, picture.style.format
    notes = [f"{_counted(len(visible), 'block')}, {_counted(len(visible.source), 'arrow')}"]
    notes += _base_notes(picture, loaded)
    notes += _omissions(visible)
    notes.append(cell_text(loaded.problem if len(loaded.code) else f"no code: {loaded.problem}"))
    if not len(profile.jumps):
        notes.append(_NO_JUMPS)
    if profile.events.measured[0].name != "Ir":
        notes.append(_NO_COUNTS)
    notes.append(LEGEND)
    if not all(map(len, visible.edges)):
        notes.append("“…”: a path through hidden blocks")
    if format_.in_percent:
        where = "" if picture.style.sides is None else " in the base"
        notes.append(f"percentages are of the function's self cost{where}")
    return list(filter(None, notes))


def _base_notes(picture: FlowPicture, loaded: LoadedFunction) -> list[str]:
    """Return how instructions are paired, and what those cost that are gone."""
    if loaded.base is None:
        return []
    sides = picture.style.sides
    notes = [cell_text(loaded.base.code.note)]
    if sides is not None:
        notes.append(f"“{ADDED.strip()}”: instructions that the base does not have")
        if sides.gone:
            gone = sides.blocks.base_format.with_unit(sides.gone)
            notes.append(f"{gone} of the base in instructions that are gone")
    elif loaded.base.code.is_paired:
        notes.append("this event cannot be compared")
    return notes


def _omissions(visible: VisibleBlocks) -> list[str]:
    texts = (
        (visible.below_threshold, "cheaper blocks hidden"),
        (visible.never_executed, "blocks never executed hidden"),
        (visible.over_limit, "more blocks hidden (limit reached)"),
        (visible.omitted_arrows, "edges hidden"),
    )
    return [f"{count} {text}" for count, text in texts if count]


def _counted(count: int, noun: str) -> str:
    return f"{count} {plural(count, noun)}"
