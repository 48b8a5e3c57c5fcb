"""The source texts of a function on both sides of a comparison, and which of their lines are equal.

Lines pair by their texts if both are known. With one text, that lines have other numbers there is
not seen: they are aligned by the calls that they make, in order.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.compared.call_alignment import number_by_calls
from qcachegrind_py.analysis.code.compared.line_union import Numberings
from qcachegrind_py.analysis.code.compared.numbering import Numbering, number_texts
from qcachegrind_py.analysis.code.line_costs import LineCosts
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.profile.errors import Cancelled, ProfileError, WithheldFile
from qcachegrind_py.profile.ids import FunctionId, TextId, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.tools.annotation_inputs import (
    Sources,
    is_newer_than_profile,
    read_sources,
    texts_by_file,
    withheld_by_file,
)
from qcachegrind_py.tools.git import read_revision
from qcachegrind_py.tools.sources.base_search import NO_BASE_SEARCH, BaseSearch
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.tools.sources.text_file import SourceText

BY_CALLS = "aligned by their calls, in order"
NO_BASE_TEXT = "the source of the base was not found"
NO_NEW_TEXT = "the source of the new side was not found"
NO_TEXTS = "no source was found on either side"
CHANGED_SINCE = "both sides have one source file, which changed after the base was recorded"


@dataclass(frozen=True, slots=True, eq=False)
class LineSides:
    """The lines of a function, or of a file, on both sides."""

    base: LineCosts
    new: LineCosts

    def files(self) -> list[TextId]:
        """Return the files that the lines are from."""
        return text_ids(np.union1d(self.base.file, self.new.file))


@dataclass(frozen=True, slots=True, eq=False)
class ComparedSources:
    """The texts that were found, and the numbering of the lines of each file over both sides.

    Lines of files without a numbering have equal numbers, as far as is known.
    """

    base: Sources  # by the names that the merged profile has for the files
    new: Sources
    base_texts: Mapping[TextId, SourceText]
    new_texts: Mapping[TextId, SourceText]
    numberings: Numberings
    reasons: Mapping[TextId, str]  # why the lines of a file could not be paired by two texts
    withheld: Mapping[TextId, WithheldFile]  # why shown texts are not written into other files

    def shown_texts(self) -> dict[TextId, Sequence[str]]:
        """Return the lines of each file by their numbers: the new ones, then those of the base."""
        texts = {**self.base_texts, **self.new_texts}
        shown: dict[TextId, Sequence[str]] = {file: text.lines for file, text in texts.items()}
        for file, numbering in self.numberings.items():
            base = self.base_texts[file].lines if numbering.has_all_base else ()
            shown[file] = numbering.texts(
                base, self.new_texts[file].lines if numbering.has_all_new else ()
            )
        return shown

    def notes(self, profile: Profile, files: Iterable[TextId]) -> Iterator[str]:
        """Say which lines of these files could not be paired by two texts, and why."""
        named: dict[str, list[str]] = {}
        for file in files:
            if reason := self.reasons.get(file):
                named.setdefault(reason, []).append(profile.texts[file])
        for reason, names in named.items():
            how = "paired by number" if reason == NO_TEXTS else BY_CALLS
            yield f"Lines of {_named(names)} are {how}: {reason}."


def read_compared_sources(
    compared: Comparison,
    function: FunctionId,
    lines: LineSides,
    files: Sequence[TextId],
    search: FileSearch,
    progress: Progress,
    base_search: BaseSearch = NO_BASE_SEARCH,
    *,
    accepted_large: Container[Path] = (),
) -> ComparedSources:
    """Read these files of a function on both sides, and number their lines.

    Those of the base are looked for by its own rules first, and beside its profile; with a
    revision, the files of the new side are read in that revision. Raises only `Cancelled`.
    """
    profile = compared.queries.profile
    names = profile.texts.lookup(files)
    object_ = profile.texts[text_at(profile.functions.object, function)]
    reading = PartialProgress(progress, 0, 0.4)
    new = read_sources(names, object_, search, reading, accepted_large=accepted_large)
    reading = PartialProgress(progress, 0.4, 0.8)
    if compared.base_profile is compared.new_profile:
        base = new
    else:
        base = _base_sources(
            compared, function, names, search, base_search, reading, accepted_large
        )
        if base_search.revision:
            base = _in_revision(base_search.revision, base, new, reading)
    base_texts, new_texts = (texts_by_file(profile, files, side) for side in (base, new))
    numberings, reasons = dict[TextId, Numbering](), dict[TextId, str]()
    for file in files:
        progress.check(0.9)
        numbering, reason = _numbering(
            compared, file, lines, base_texts.get(file), new_texts.get(file)
        )
        if numbering is not None:
            numberings[file] = numbering
        if reason:
            reasons[file] = reason
    withheld = withheld_by_file(profile, files, base, new)
    return ComparedSources(base, new, base_texts, new_texts, numberings, reasons, withheld)


def base_name(compared: Comparison, name: str) -> str:
    """Return the name that the base recorded for a file of the merged profile."""
    files = compared.pairing.counterparts.files.items()
    return next((base for base, now in files if now == name), name)


def _base_sources(
    compared: Comparison,
    function: FunctionId,
    names: Sequence[str],
    search: FileSearch,
    base_search: BaseSearch,
    progress: Progress,
    accepted_large: Container[Path],
) -> Sources:
    """Return the sources of the base, by the names that the merged profile has for them."""
    profile = compared.base_profile
    recorded = {now: base for base, now in compared.pairing.counterparts.files.items()}
    folders = tuple(str(Path(path).parent) for path in profile.paths[:1])
    rules = (*base_search.rules, *search.rules)
    search = replace(search, rules=rules, bases=(*folders, *search.bases))
    object_ = _object(profile, compared.pairing.base_members(function))
    sought = {name: recorded.get(name, name) for name in names}
    found = read_sources(sought.values(), object_, search, progress, accepted_large=accepted_large)
    return Sources(
        {name: found.texts[base] for name, base in sought.items() if base in found.texts},
        {name: found.problems[base] for name, base in sought.items() if base in found.problems},
        {name: found.withheld[base] for name, base in sought.items() if base in found.withheld},
    )


def _in_revision(revision: str, base: Sources, new: Sources, progress: Progress) -> Sources:
    """Replace sources by those that the files of the new side have in a revision."""
    texts, problems, withheld = dict(base.texts), dict(base.problems), dict(base.withheld)
    for name, text in new.texts.items():
        try:
            texts[name] = read_revision(text.path, revision, progress)
            problems.pop(name, None)
            withheld.pop(name, None)  # what holds for the file of the new side holds for this
        except Cancelled:
            raise
        except ProfileError as error:
            problems[name] = error
    return Sources(texts, problems, withheld)


def _numbering(
    compared: Comparison,
    file: TextId,
    lines: LineSides,
    base: SourceText | None,
    new: SourceText | None,
) -> tuple[Numbering | None, str]:
    """Number the lines of a file over both sides; also return why not by two texts.

    The parts of one profile have one source, of which each line has one number.
    """
    if compared.base_profile is compared.new_profile:
        return None, ""
    if base is None and new is None:
        return None, NO_TEXTS
    if new is None:
        assert base is not None
        return number_by_calls(lines.new, lines.base, file, len(base.lines)).swapped(), NO_NEW_TEXT
    if base is None:
        return number_by_calls(lines.base, lines.new, file, len(new.lines)), NO_BASE_TEXT
    if base.lines != new.lines:
        return number_texts(base.lines, new.lines), ""
    if base.path == new.path and is_newer_than_profile(base.modified, compared.base_profile):
        return number_by_calls(lines.base, lines.new, file, len(new.lines)), CHANGED_SINCE
    return None, ""


def _object(profile: Profile, members: Int64Array) -> str:
    """Return the recorded object of the functions of one side."""
    if not len(members):
        return UNKNOWN
    return profile.texts[text_at(profile.functions.object, int(members[0]))]


def _named(names: list[str]) -> str:
    """Return the first name, and how many there are besides."""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{Path(names[0]).name}{more}"
