"""What is said about saved views."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qcachegrind_py.formats.saved_views import MAX_VIEWS, SavedView
from qcachegrind_py.present.table import cell_text, short_text
from qcachegrind_py.visible_text import visible_text

FULL = f"{MAX_VIEWS} views are saved for this program. Delete some to save others."
_LONGEST_NOTE = 1000  # characters that a notice shows
_LONGEST_NAME = 60


def proposed_name(function: str, event: str) -> str:
    """Return the name that is proposed for a view: `parse · Ir`."""
    name = visible_text(function)
    name = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
    return " · ".join(filter(None, (name, visible_text(event))))


def notice_of(view: SavedView, missing: Sequence[str], others: int = 0) -> str:
    """Return what a notice says of a view: its note, and what the profile does not have.

    `others` is the number of further views in its file.
    """
    name, note = short_text(view.name), view.note.strip()[:_LONGEST_NOTE]
    first = f"{name}: {note}" if note else f"The view “{name}” is shown."
    more = [f"The file has {others} more {'view' if others == 1 else 'views'}."] if others else []
    lines = [line for text in (first, *missing, *more) for line in text.splitlines()]
    return "\n".join(map(cell_text, lines))


def waiting_text(path: Path, count: int) -> str:
    """Return what is said of a file that was opened before the profile that its views are of."""
    what = "a saved view. It is" if count == 1 else f"{count} saved views. The first one is"
    return cell_text(f"{path.name} has {what} shown when you open the profile.")
