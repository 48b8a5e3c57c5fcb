"""The job that finds out how the self cost of a function changed line by line.

Lines pair by their texts if each side has a source file of its own, as two checkouts do. Where both
sides were recorded under one path, only the present text exists, and lines pair by number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.line_changes import ChangedLines, changed_lines
from qcachegrind_py.analysis.code.line_costs import function_lines
from qcachegrind_py.analysis.code.line_pairs import pair_lines
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.models.explanation.line_changes import LineRows
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, TextId, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.profile.tables import Int32Array, Int64Array
from qcachegrind_py.tools.annotation_inputs import is_newer_than_profile, read_sources
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.tools.sources.text_file import SourceText

Texts = Mapping[str, SourceText]  # by the recorded name of the new side


@dataclass(frozen=True, slots=True, eq=False)
class LoadedLines:
    """The lines of a function, and how they were paired if not by text."""

    rows: LineRows
    note: str


def load_lines(
    compared: Comparison,
    function: FunctionId,
    event: EventType,
    search: FileSearch,
    progress: Progress,
) -> LoadedLines:
    """Pair the lines of a function. Raises only `Cancelled`."""
    profile = compared.queries.profile
    base, new = (
        function_lines(profile, function, scope.parts) for scope in (compared.base, compared.new)
    )
    files = {file: profile.texts[file] for file in text_ids(np.union1d(base.file, new.file))}
    names = tuple(files.values())
    texts = _new_texts(compared, function, names, search, PartialProgress(progress, 0, 0.4))
    base_texts = _base_texts(compared, function, names, search, PartialProgress(progress, 0.4, 0.8))
    pairs: dict[TextId, Int32Array] = {}
    for file, name in files.items():
        progress.check(0.9)
        if _have_two_texts(name, base_texts, texts):
            pairs[file] = pair_lines(base_texts[name].lines, texts[name].lines)
    changed = changed_lines(base, new, pairs)
    rows = _rows(compared, event, changed, base_texts, texts)
    shown = {profile.texts[file] for file in text_ids(np.unique(rows.file))} - {UNKNOWN}
    notes = _notes(compared, [name for name in names if name in shown], base_texts, texts)
    return LoadedLines(rows, " ".join(notes))


# ---------------------------------------------------------------- texts


def _new_texts(
    compared: Comparison,
    function: FunctionId,
    names: tuple[str, ...],
    search: FileSearch,
    progress: Progress,
) -> Texts:
    members = compared.pairing.new_members(function)
    object_ = _object(compared.new_profile, members)
    return read_sources(names, object_, search, progress).texts


def _base_texts(
    compared: Comparison,
    function: FunctionId,
    names: tuple[str, ...],
    search: FileSearch,
    progress: Progress,
) -> Texts:
    """Return the texts of the base, looked for beside its own profile."""
    profile = compared.base_profile
    recorded = {new: base for base, new in compared.pairing.counterparts.files.items()}
    folders = tuple(str(Path(path).parent) for path in profile.paths[:1])
    search = replace(search, bases=(*folders, *search.bases))
    object_ = _object(profile, compared.pairing.base_members(function))
    sought = {name: recorded.get(name, name) for name in names}
    found = read_sources(sought.values(), object_, search, progress).texts
    return {name: found[base] for name, base in sought.items() if base in found}


def _object(profile: Profile, members: Int64Array) -> str:
    """Return the recorded object of the functions of one side."""
    if not len(members):
        return UNKNOWN
    return profile.texts[text_at(profile.functions.object, int(members[0]))]


def _have_two_texts(name: str, base: Texts, new: Texts) -> bool:
    """Whether each side has a text of its own."""
    return name in base and name in new and base[name].path != new[name].path


# ---------------------------------------------------------------- rows and notes


def _rows(
    compared: Comparison, event: EventType, changed: ChangedLines, base: Texts, new: Texts
) -> LineRows:
    """Return the lines that have a cost of the event on one side at least."""
    profile, events, lines = compared.queries.profile, compared.queries.events, changed.lines
    cost = BothSides(events.evaluate(event, lines.base), events.evaluate(event, lines.new))
    has_cost = (cost.base != 0) | (cost.new != 0)
    file, base_line, new_line = (
        column[has_cost] for column in (changed.file, lines.base_line, lines.new_line)
    )
    names = {number: profile.texts[TextId(number)] for number in np.unique(file).tolist()}
    texts = [
        _line_text(names[number], before, after, base, new)
        for number, before, after in zip(
            file.tolist(), base_line.tolist(), new_line.tolist(), strict=True
        )
    ]
    return LineRows(
        file,
        base_line,
        new_line,
        BothSides(cost.base[has_cost], cost.new[has_cost]),
        texts,
        {number: Path(name).name for number, name in names.items()} if len(names) > 1 else {},
    )


def _line_text(name: str, base_line: int, new_line: int, base: Texts, new: Texts) -> str:
    """Return the text of a line, of the base if the new side does not have it."""
    texts, line = (new, new_line) if new_line else (base, base_line)
    text = texts.get(name)
    return text.lines[line - 1] if text is not None and 0 < line <= len(text.lines) else ""


def _notes(compared: Comparison, names: list[str], base: Texts, new: Texts) -> Iterator[str]:
    """Say which lines are paired by number, and when that may be wrong.

    The parts of one profile have one source, of which each line has one number.
    """
    if compared.base_profile is compared.new_profile:
        return
    by_number = [name for name in names if not _have_two_texts(name, base, new)]
    missing = [name for name in by_number if name not in base or name not in new]
    shared = [name for name in by_number if name not in missing]
    if missing:
        yield f"Lines of {_named(missing)} are paired by number: its source was not found."
    if shared:
        yield f"Lines of {_named(shared)} are paired by number: both sides have one source file."
    changed = [
        name for name in shared if is_newer_than_profile(base[name].modified, compared.base_profile)
    ]
    if changed:
        yield "It changed after the base was recorded, so its lines may be others there."


def _named(names: list[str]) -> str:
    """Return the first name, and how many there are besides."""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{Path(names[0]).name}{more}"
