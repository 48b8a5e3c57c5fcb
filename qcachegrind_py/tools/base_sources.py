"""Read the source files of the base of a comparison, and number the lines of both sides."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from qcachegrind_py.analysis.code.compared.call_alignment import number_by_calls
from qcachegrind_py.analysis.code.compared.numbering import Numbering, number_texts
from qcachegrind_py.analysis.code.line_costs import LineCosts
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.profile.errors import Cancelled, ProfileError
from qcachegrind_py.profile.ids import FunctionId, TextId, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.tools.annotation_inputs import Sources, is_newer_than_profile, read_sources
from qcachegrind_py.tools.sources.base_search import BaseSearch
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.tools.sources.revision import read_revision
from qcachegrind_py.tools.sources.text_file import SourceText


@dataclass(frozen=True, slots=True, eq=False)
class BaseText:
    """How the lines of a file are numbered over both sides, and why not by two texts."""

    numbering: Numbering | None  # None: lines of equal numbers are the same
    note: str  # empty if texts were compared


def read_base_sources(
    compared: Comparison,
    function: FunctionId,
    names: Iterable[str],
    search: FileSearch,
    base_search: BaseSearch,
    new: Mapping[str, SourceText],
    progress: Progress,
    *,
    accepted_large: Container[Path] = (),
) -> Sources:
    """Read the files of the base, by the names that the merged profile has for them.

    They are looked for by the rules for the base first, and beside its profile. With a revision,
    those of the new side are read in that revision. Raises only `Cancelled`.
    """
    profile = compared.base_profile
    recorded = {now: base for base, now in compared.pairing.counterparts.files.items()}
    folders = tuple(str(Path(path).parent) for path in profile.paths[:1])
    rules = (*base_search.rules, *search.rules)
    search = replace(search, rules=rules, bases=(*folders, *search.bases))
    object_ = _object(profile, compared.pairing.base_members(function))
    sought = {name: recorded.get(name, name) for name in names}
    found = read_sources(sought.values(), object_, search, progress, accepted_large=accepted_large)
    texts = {name: found.texts[base] for name, base in sought.items() if base in found.texts}
    problems = {
        name: found.problems[base] for name, base in sought.items() if base in found.problems
    }
    if base_search.revision:
        _read_revisions(base_search.revision, new, texts, problems, progress)
    return Sources(texts, problems)


def _read_revisions(
    revision: str,
    new: Mapping[str, SourceText],
    texts: dict[str, SourceText],
    problems: dict[str, ProfileError],
    progress: Progress,
) -> None:
    """Replace texts by those that the files of the new side have in a revision."""
    for name, text in new.items():
        try:
            texts[name] = read_revision(text.path, revision, progress)
            problems.pop(name, None)
        except Cancelled:
            raise
        except ProfileError as error:
            problems[name] = error


def base_name(compared: Comparison, name: str) -> str:
    """Return the name that the base recorded for a file of the merged profile."""
    files = compared.pairing.counterparts.files.items()
    return next((base for base, now in files if now == name), name)


def number_lines(
    compared: Comparison,
    file: TextId,
    base: tuple[LineCosts, SourceText | None],
    new: tuple[LineCosts, SourceText | None],
) -> BaseText:
    """Number the lines of a file over both sides: by text, else by calls; in a job.

    The parts of one profile have one source, of which each line has one number.
    """
    before, text = base[1], new[1]
    if compared.base_profile is compared.new_profile:
        return BaseText(None, "")
    if before is not None and text is not None and before.lines != text.lines:
        return BaseText(number_texts(before.lines, text.lines), "")
    if before is not None and text is not None:
        if not is_newer_than_profile(before.modified, compared.base_profile):
            return BaseText(None, "")
        reason = "both sides have the same text, which changed after the base was recorded"
    elif text is None and before is not None:
        reason = "only the source of the base was found"
    else:
        reason = "the source of the base was not found"
    remedy = "Choose Base File… and Base Revision… in the menu of a line say where it is."
    if text is None:
        return BaseText(None, f"Lines are paired by number: {reason}.")
    numbering = number_by_calls(base[0], new[0], file, len(text.lines))
    return BaseText(numbering, f"Lines are aligned by their calls, in order: {reason}. {remedy}")


def _object(profile: Profile, members: Int64Array) -> str:
    """Return the recorded object of the functions of one side."""
    if not len(members):
        return UNKNOWN
    return profile.texts[text_at(profile.functions.object, int(members[0]))]
