"""Read the source and assembler views as text; profiles of small programs whose files are here.

The profiles name sources `././recur.c` and objects `/corpus/a-small/bin/recur-O1`, which need not
exist on this machine.
"""

from __future__ import annotations

import lzma
import re
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QToolButton

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.code_records import RecordKind
from qcachegrind_py.tools.sources.file_search import PathRule
from qcachegrind_py.views.code.code_views import CodeView
from tests.profile_rows import DATA

RECUR = DATA / "recur-everything/callgrind.out.21921.xz"  # one part, 15 events
DUMPS = DATA / "recur-dumps/callgrind.out.21941.xz"  # the same program: parts, one event
PROGRAMS = DATA / "programs"
JUMPS = PROGRAMS / "callgrind.out.jumps-O1.xz"
SOURCE = PROGRAMS / "src/recur.c"
BINARY = PROGRAMS / "bin/recur-O1"
ELSEWHERE = "/home/somebody else/bin"  # a folder that is on no machine
PATH_RULES = (
    PathRule("/corpus/a-small", str(PROGRAMS)),
    PathRule(".", str(PROGRAMS / "src")),
    PathRule("/home/somebody else", str(PROGRAMS)),
)
_CODES = ("Source", "Assembler", "open", "scope", "filter", "groups")


def configure_file_search(window: MainWindow) -> None:
    """Apply path rules that lead to the programs and their sources."""
    window.settings.path_rules = PATH_RULES
    window.settings_binding.apply()


def recorded_elsewhere(folder: Path, profile: Path = RECUR) -> Path:
    """Write a copy of a profile recorded in another folder: neither source nor binary is found."""
    path = folder / profile.with_suffix("").name
    text = lzma.decompress(profile.read_bytes())
    path.write_bytes(text.replace(b"/corpus/a-small/bin", ELSEWHERE.encode()))
    return path


def is_busy(window: MainWindow) -> bool:
    """Whether code, or a result that it depends on, is still being loaded."""
    return any(map(window.jobs.is_running, _CODES))


def numbered_source(name: str = "recur.c") -> list[str]:
    """The numbered lines of a source file, as a view shows them."""
    lines = (PROGRAMS / "src" / name).read_text().splitlines()
    return [f"{number} | {text}".rstrip() for number, text in enumerate(lines, 1)]


def objdump_instructions(function: str) -> list[tuple[str, str]]:
    """Address and bytes of a function's instructions, as printed by objdump."""
    packed = PROGRAMS / "objdump/recur-O1.att.xz"
    text = lzma.decompress(packed.read_bytes()).decode()
    body = text.partition(f"<{function}>:\n")[2].partition("\n\n")[0]
    rows = (line.split("\t") for line in body.splitlines())
    return [(row[0].strip(" :"), re.sub(" +", " ", row[1]).strip()) for row in rows]


def shown_locations(view: CodeView) -> list[int]:
    """The records of all visible lines or instructions, from the top."""
    kind = view.model.listing.rows.records.kind
    return [record for record in view.model.order.tolist() if kind[record] == RecordKind.LOCATION]


def column_texts(view: CodeView, *columns: int) -> list[str]:
    """The texts of these columns for each visible line or instruction."""
    return [
        " | ".join(cell_texts(view, record, *columns)).rstrip() for record in shown_locations(view)
    ]


def cell_texts(view: CodeView, record: int, *columns: int) -> list[str]:
    """The texts of a record in these columns."""
    return [view.model.columns[column].cells.text(record) for column in columns]


def rows_without_location(view: CodeView) -> list[str]:
    """The texts of all rows that are not lines or instructions: calls, folds and headings."""
    kind, shown = view.model.listing.rows.records.kind, view.model.order.tolist()
    others = RecordKind.CALL, RecordKind.FOLD, RecordKind.HEADING
    return [
        view.model.listing.texts.full_text(record) for record in shown if kind[record] in others
    ]


def current(view: CodeView) -> str:
    """Line or address of the current row; empty if it has none."""
    record = view.table.current_record()
    return view.model.listing.texts.location(record) if record >= 0 else ""


def highlighted_locations(view: CodeView) -> list[str]:
    """Lines or addresses highlighted as the selected position."""
    records = np.flatnonzero(view.model.matched).tolist()
    return [text for record in records if (text := view.model.listing.texts.location(record))]


def record_of(view: CodeView, location: str) -> int:
    """The record of a visible line or instruction."""
    (record,) = [
        record
        for record in shown_locations(view)
        if view.model.listing.texts.location(record) == location
    ]
    return record


def row_of(view: CodeView, location: str) -> int:
    """The row of a line or an instruction."""
    return view.model.index_of_record(record_of(view, location)).row()


def call_row(view: CodeView, name: str) -> int:
    """The row of a call, by the callee's name."""
    texts = [view.model.listing.texts.full_text(record) for record in view.model.order.tolist()]
    (row,) = [row for row, text in enumerate(texts) if text.split()[:1] == [name]]
    return row


def button_of(view: CodeView, action: str, window: MainWindow) -> QToolButton:
    """The button of an action in a view's header."""
    wanted = window.actions_[action]
    (button,) = [b for b in view.findChildren(QToolButton) if b.defaultAction() is wanted]
    return button
