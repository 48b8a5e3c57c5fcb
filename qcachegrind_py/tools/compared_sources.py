"""The source texts of a function on both sides of a comparison, and which of their lines are equal.

Lines pair by their texts if each side has a source file of its own, as two checkouts do. Where both
sides were recorded under one path, only the present text exists, and lines pair by number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from qcachegrind_py.analysis.code.line_pairs import pair_lines
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.profile.ids import FunctionId, TextId, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.profile.tables import Int32Array, Int64Array
from qcachegrind_py.tools.annotation_inputs import is_newer_than_profile, read_sources
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.tools.sources.text_file import SourceText

Texts = Mapping[str, SourceText]  # by the recorded name of the new side


@dataclass(frozen=True, slots=True, eq=False)
class ComparedSources:
    """The texts of files that were found, and `pairs`: the results of `pair_lines`.

    Lines of files without such a result pair by number.
    """

    base: Texts
    new: Texts
    pairs: Mapping[TextId, Int32Array]

    def line_text(self, name: str, base_line: int, new_line: int) -> str:
        """Return the text of a line, of the base if the new side does not have it."""
        texts, line = (self.new, new_line) if new_line else (self.base, base_line)
        text = texts.get(name)
        return text.lines[line - 1] if text is not None and 0 < line <= len(text.lines) else ""

    def notes(self, compared: Comparison, names: Iterable[str]) -> Iterator[str]:
        """Say which lines of these files are paired by number, and when that may be wrong.

        The parts of one profile have one source, of which each line has one number.
        """
        if compared.base_profile is compared.new_profile:
            return
        by_number = [name for name in names if not self._are_two(name)]
        missing = [name for name in by_number if name not in self.base or name not in self.new]
        shared = [name for name in by_number if name not in missing]
        if missing:
            yield f"Lines of {_named(missing)} are paired by number: its source was not found."
        if shared:
            reason = "both sides have one source file"
            yield f"Lines of {_named(shared)} are paired by number: {reason}."
        base = compared.base_profile
        if any(is_newer_than_profile(self.base[name].modified, base) for name in shared):
            yield "It changed after the base was recorded, so its lines may be others there."

    def _are_two(self, name: str) -> bool:
        return _have_two_texts(name, self.base, self.new)


def read_compared_sources(
    compared: Comparison,
    function: FunctionId,
    files: Mapping[TextId, str],
    search: FileSearch,
    progress: Progress,
) -> ComparedSources:
    """Read the texts of these files, which have lines of a function; raises only `Cancelled`."""
    names = tuple(files.values())
    new = _new_texts(compared, function, names, search, PartialProgress(progress, 0, 0.4))
    base = _base_texts(compared, function, names, search, PartialProgress(progress, 0.4, 0.8))
    pairs: dict[TextId, Int32Array] = {}
    for file, name in files.items():
        progress.check(0.9)
        if _have_two_texts(name, base, new):
            pairs[file] = pair_lines(base[name].lines, new[name].lines)
    return ComparedSources(base, new, pairs)


def _new_texts(
    compared: Comparison,
    function: FunctionId,
    names: Sequence[str],
    search: FileSearch,
    progress: Progress,
) -> Texts:
    members = compared.pairing.new_members(function)
    object_ = _object(compared.new_profile, members)
    return read_sources(names, object_, search, progress).texts


def _base_texts(
    compared: Comparison,
    function: FunctionId,
    names: Sequence[str],
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


def _named(names: list[str]) -> str:
    """Return the first name, and how many there are besides."""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{Path(names[0]).name}{more}"
