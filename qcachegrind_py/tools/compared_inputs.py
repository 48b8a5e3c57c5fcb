"""The source and the machine code of a function on both sides of a comparison."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import numpy as np

from qcachegrind_py.analysis.code.calling_instructions import at_calling_instructions
from qcachegrind_py.analysis.code.function_files import file_of_function
from qcachegrind_py.analysis.code.instructions import Alignment, Syntax
from qcachegrind_py.analysis.code.line_numbering import (
    Numbering,
    Numberings,
    number_by_calls,
    number_passages,
    number_texts,
)
from qcachegrind_py.analysis.code.location_costs import (
    InstructionCosts,
    LineCosts,
    function_lines,
    lines_in_file,
    with_renamed_file,
)
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import Cancelled, CodeNotFound, ProfileError, WithheldFile
from qcachegrind_py.profile.ids import (
    NO_TEXT,
    UNKNOWN_TEXT,
    FunctionId,
    PartId,
    TextId,
    function_at,
    function_ids,
    text_at,
    text_ids,
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, PartialProgress, Progress
from qcachegrind_py.profile.tables import UNKNOWN, to_display
from qcachegrind_py.tools.annotation_inputs import (
    CodeResult,
    Sources,
    find_function_code,
    is_newer_than_profile,
    read_sources,
    texts_by_file,
    withheld_by_file,
)
from qcachegrind_py.tools.git import read_revision
from qcachegrind_py.tools.sources.file_search import (
    NO_BASE_SEARCH,
    BaseSearch,
    FileSearch,
    PathRule,
    exact_rule,
    rule_from_choice,
)
from qcachegrind_py.tools.sources.text_file import SourceText

if TYPE_CHECKING:
    from qcachegrind_py.tools.disassembly.machine_code import MachineCode

# ------------------------------------------------------------ source texts
# Lines pair by their texts if both are known. With one text, that lines have other numbers there
# is not seen: they are aligned by the calls that they make, in order.

BY_CALLS = "aligned by their calls, in order"
NO_BASE_TEXT = "the source of the base was not found"
NO_NEW_TEXT = "the source of the new side was not found"
NO_TEXTS = "no source was found on either side"
CHANGED_SINCE = "both sides have one source file, which changed after the base was recorded"


@frozen
class LineSides:
    """The lines of a function, or of a file, on both sides.

    A function that was moved has the lines of its file in the base as lines of its new file, so
    that they pair with those there. Lines that were inlined are of their own files.
    """

    base: LineCosts
    new: LineCosts
    own_file: TextId = NO_TEXT  # of a function that was moved
    moved_from: TextId = NO_TEXT  # its file in the base, by the texts of the merged profile

    def files(self) -> list[TextId]:
        return text_ids(np.union1d(self.base.file, self.new.file))

    def base_file(self, file: TextId) -> TextId:
        return self.moved_from if file == self.own_file != NO_TEXT else file

    def in_file(self, file: TextId) -> LineSides:
        base, new = (lines_in_file(side, file) for side in (self.base, self.new))
        return replace(self, base=base, new=new)


def function_sides(
    compared: Comparison, function: FunctionId, *, with_hosts: bool = False
) -> LineSides:
    """Return the lines of a function on both sides, as `function_lines` returns those of one."""
    queries, (base, new) = compared.queries, (compared.base.parts, compared.new.parts)

    def lines(parts: Parts, own_file: TextId = NO_TEXT) -> LineCosts:
        if with_hosts:
            return queries.lines(function, parts, own_file)
        return function_lines(queries.profile, function, parts)

    own_file = file_of_function(queries.profile, function)
    before = _file_in_base(compared, function)
    if before != own_file:
        moved = lines(base, before)
        if not (moved.file == own_file).any():  # as code that the base inlined from there
            moved = with_renamed_file(moved, before, own_file)
            return LineSides(moved, lines(new), own_file, before)
    return LineSides(lines(base), lines(new))


def _file_in_base(compared: Comparison, function: FunctionId) -> TextId:
    """Return the file of a function in the base; its file now if there is no other single one."""
    profile, base = compared.queries.profile, compared.base_profile
    own_file = file_of_function(profile, function)
    members = compared.pairing.base_members(function)
    files = list({file_of_function(base, each) for each in function_ids(members)})
    if base is compared.new_profile or len(files) != 1 or UNKNOWN_TEXT in (*files, own_file):
        return own_file
    name = base.texts[files[0]]
    return profile.texts.index_of(compared.pairing.counterparts.files.get(name, name))


@frozen
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
    base_names: Mapping[TextId, str]  # of the files, as recorded in the base
    moved_to: TextId = NO_TEXT  # the file that a moved function is in now
    moved_from: TextId = NO_TEXT  # and the one that it was in

    def shown_texts(self) -> dict[TextId, Sequence[str]]:
        """Return the lines of each file by their numbers: the new ones, then those of the base."""
        texts = {**self.base_texts, **self.new_texts}
        shown: dict[TextId, Sequence[str]] = {file: text.lines for file, text in texts.items()}
        for file, numbering in self.numberings.items():
            if file not in shown:
                continue
            base = self.base_texts[file].lines if numbering.has_all_base else ()
            shown[file] = numbering.texts(
                base, self.new_texts[file].lines if numbering.has_all_new else ()
            )
        return shown

    def notes(self, profile: Profile, files: Iterable[TextId]) -> Iterator[str]:
        """Say where the function was, and which lines were not paired by two texts, and why."""
        named: dict[tuple[str, str], list[str]] = {}
        for file in files:
            if file == self.moved_to:
                yield f"In the base, the function is in {to_display(self.base_names[file])}."
            if reason := self.reasons.get(file):
                how = BY_CALLS if file in self.numberings else "paired by number"
                named.setdefault((how, reason), []).append(profile.texts[file])
        for (how, reason), names in named.items():
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
    base_names = _base_names(compared, lines, files)
    object_ = profile.texts[text_at(profile.functions.object, function)]
    reading = PartialProgress(progress, 0, 0.4)
    new = read_sources(names, object_, search, reading, accepted_large=accepted_large)
    reading = PartialProgress(progress, 0.4, 0.8)
    if compared.base_profile is compared.new_profile:
        base = new
    else:
        sought = dict(zip(names, base_names.values(), strict=True))
        base = _base_sources(
            compared, function, sought, search, base_search, reading, accepted_large
        )
        if base_search.revision:
            paths = _paths_before(profile, lines, new.texts)
            base = _in_revision(base_search.revision, base, paths, reading)
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
    return ComparedSources(
        base,
        new,
        base_texts,
        new_texts,
        numberings,
        reasons,
        withheld_by_file(profile, files, base, new),
        base_names,
        lines.own_file,
        lines.moved_from,
    )


def _base_names(
    compared: Comparison, lines: LineSides, files: Sequence[TextId]
) -> dict[TextId, str]:
    """Return the names that the base recorded for these files."""
    texts = compared.queries.profile.texts
    recorded = {now: base for base, now in compared.pairing.counterparts.files.items()}
    names = {file: texts[lines.base_file(file)] for file in files}
    return {file: recorded.get(name, name) for file, name in names.items()}


def _base_sources(
    compared: Comparison,
    function: FunctionId,
    sought: Mapping[str, str],
    search: FileSearch,
    base_search: BaseSearch,
    progress: Progress,
    accepted_large: Container[Path],
) -> Sources:
    """Return the sources of the base, by the names that the merged profile has for them.

    `sought` has the name in the base for each of these.
    """
    profile = compared.base_profile
    search = _search_in_base(profile, base_search.rules, search)
    members = compared.pairing.base_members(function)
    object_ = _object(profile, function_at(members, 0)) if len(members) else UNKNOWN
    found = read_sources(sought.values(), object_, search, progress, accepted_large=accepted_large)
    return Sources(
        {name: found.texts[base] for name, base in sought.items() if base in found.texts},
        {name: found.problems[base] for name, base in sought.items() if base in found.problems},
        {name: found.withheld[base] for name, base in sought.items() if base in found.withheld},
    )


def _paths_before(
    profile: Profile, lines: LineSides, new: Mapping[str, SourceText]
) -> dict[str, Path]:
    """Return where the files of the new side were: that of a moved function at its own place."""
    paths = {name: text.path for name, text in new.items()}
    if lines.own_file != NO_TEXT and (path := paths.pop(profile.texts[lines.own_file], None)):
        now, before = profile.texts.lookup([lines.own_file, lines.moved_from])
        if moved := rule_from_choice(now, path).apply(before):
            paths[now] = Path(moved)
    return paths


def _in_revision(
    revision: str, base: Sources, paths: Mapping[str, Path], progress: Progress
) -> Sources:
    """Replace sources by those that these files have in a revision."""
    texts, problems, withheld = dict(base.texts), dict(base.problems), dict(base.withheld)
    for name, path in paths.items():
        try:
            texts[name] = read_revision(path, revision, progress)
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
    is_moved = lines.base_file(file) != file
    if base is None and new is None:
        if is_moved:  # lines of two files with equal numbers have nothing in common
            last = int(lines.new.line[lines.new.file == file].max(initial=0))
            return number_by_calls(lines.base, lines.new, file, last), NO_TEXTS
        return None, NO_TEXTS
    if new is None:
        assert base is not None
        return number_by_calls(lines.new, lines.base, file, len(base.lines)).swapped(), NO_NEW_TEXT
    if base is None:
        return number_by_calls(lines.base, lines.new, file, len(new.lines)), NO_BASE_TEXT
    if base.lines != new.lines:
        if is_moved:
            passages = (_passage(*side, file) for side in ((lines.base, base), (lines.new, new)))
            return number_passages(base.lines, new.lines, *passages), ""
        return number_texts(base.lines, new.lines), ""
    if base.path == new.path and is_newer_than_profile(base.modified, compared.base_profile):
        return number_by_calls(lines.base, lines.new, file, len(new.lines)), CHANGED_SINCE
    return None, ""


def _passage(lines: LineCosts, text: SourceText, file: TextId) -> range:
    """Return which lines of a text a function is from, from the first with costs to the last."""
    own = lines.line[(lines.file == file) & (lines.line > 0) & (lines.line <= len(text.lines))]
    return range(int(own.min()) - 1, int(own.max())) if len(own) else range(len(text.lines))


def _named(names: list[str]) -> str:
    """Return the first name, and how many there are besides."""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{Path(names[0]).name}{more}"


# ------------------------------------------------------------ machine code
# A profile says where its program was, and not which build that is. Where both sides were
# recorded under one path, the file there may be that of both, or the base's build is gone: then
# nothing is paired, as equal addresses of two builds mean nothing.

ChosenPrograms = tuple[tuple[str, str], ...]
"""Recorded paths of the base's objects with the files chosen for them; "" is the program itself."""

_CHOOSE = "Choose the program of the base, and instructions are paired."
_NO_NEW_CODE = "Instructions are paired once the program of the new side is found, too."
_REBUILT = "is the program of both profiles, and was built again after the base was recorded."
_OTHER_BUILD = "has no instruction at {wrong:,} of {count:,} addresses of the base."


@frozen
class ComparedCode:
    """The code of a function on both sides; `base.problem` says why nothing is paired."""

    base: CodeResult
    new: CodeResult
    alignment: Alignment
    base_object: str  # recorded path of the base's program or library; "" if there is none

    @property
    def is_paired(self) -> bool:
        """Whether it is known what the base has: its instructions are paired, or there are none."""
        return self.alignment is not Alignment.NOTHING or not self.base_object

    @property
    def problem(self) -> ProfileError | str | None:
        """Why nothing is paired; None if something is."""
        if self.is_paired:
            return None
        return self.base.problem or _NO_NEW_CODE

    @property
    def note(self) -> str:
        """How the instructions are paired, for a line below them."""
        machine = self.base.machine_code
        if self.alignment is Alignment.TEXTS and machine is not None:
            return f"paired by text with {machine.path}"
        if self.alignment is Alignment.ADDRESSES:
            return "one build: paired by address"
        return "not paired with instructions of the base" if self.base_object else ""


def side_costs(
    compared: Comparison, function: FunctionId
) -> tuple[InstructionCosts, InstructionCosts]:
    """Return the costs of a function in all parts of the base, and in all of the new side.

    They find the code where the active parts have no costs.
    """
    profile, queries = compared.queries.profile, compared.queries
    count = len(compared.new_profile.parts)
    new = frozenset(map(PartId, range(count)))
    base = new
    if compared.base_profile is not compared.new_profile:
        base = frozenset(map(PartId, range(count, len(profile.parts))))
    return queries.instructions(function, base), queries.instructions(function, new)


def find_compared_code(
    compared: Comparison,
    function: FunctionId,
    search: FileSearch,
    programs: ChosenPrograms = (),
    syntax: Syntax = Syntax.ATT,
    progress: Progress | None = None,
) -> ComparedCode:
    """Find the code of a function on both sides. Raises only `Cancelled`."""
    progress = progress or NoProgress()
    profile = compared.queries.profile
    base_costs, new_costs = side_costs(compared, function)
    first, second = PartialProgress(progress, 0, 0.5), PartialProgress(progress, 0.5, 1)
    new = find_function_code(profile, function, new_costs, search, syntax, first)
    if compared.base_profile is compared.new_profile:
        return ComparedCode(new, new, Alignment.ADDRESSES, _object(profile, function))
    members = compared.pairing.base_members(function)
    if not len(members):
        return ComparedCode(CodeResult(None, None), new, Alignment.NOTHING, "")
    member = function_at(members, 0)
    object_ = _object(compared.base_profile, member)
    chosen = _chosen_program(compared.base_profile, object_, programs)
    rules = (exact_rule(object_, chosen),) if chosen else ()
    base_search = _search_in_base(compared.base_profile, rules, search)
    base = find_function_code(
        compared.base_profile, member, base_costs, base_search, syntax, second
    )
    return _aligned(compared, base, new, base_costs, object_, is_chosen=bool(chosen))


def _aligned(
    compared: Comparison,
    base: CodeResult,
    new: CodeResult,
    base_costs: InstructionCosts,
    object_: str,
    *,
    is_chosen: bool,
) -> ComparedCode:
    """Decide how the code of both sides is paired."""
    old, present = base.machine_code, new.machine_code
    if old is None or present is None:
        return ComparedCode(base, new, Alignment.NOTHING, object_)
    placed = at_calling_instructions(compared.base_profile, base_costs, old.code)
    reason = _why_other_build(old, placed)
    if not reason and not is_chosen and old.path == present.path and _was_rebuilt(old, compared):
        reason = _REBUILT
    if reason:
        problem = CodeNotFound(old.path, reason, _CHOOSE)
        return ComparedCode(CodeResult(None, problem), new, Alignment.NOTHING, object_)
    is_one = _is_one_build(old, present)
    return ComparedCode(base, new, Alignment.ADDRESSES if is_one else Alignment.TEXTS, object_)


def _is_one_build(base: MachineCode, new: MachineCode) -> bool:
    if base.distance != new.distance:  # where samples were recorded in two processes
        return False
    if base.path == new.path or (base.build_id and base.build_id == new.build_id):
        return True
    has_same_bytes = base.code.raw == new.code.raw and len(base.code) > 0
    return has_same_bytes and base.code.address.tolist() == new.code.address.tolist()


def _why_other_build(machine: MachineCode, costs: InstructionCosts) -> str:
    """Return why a binary cannot be that of the base; empty if it may be."""
    from qcachegrind_py.tools.disassembly.machine_code import is_misplaced  # as there

    addresses = costs.address[costs.address > 0]
    wrong = int(is_misplaced(machine.code, addresses).sum())
    return _OTHER_BUILD.format(wrong=wrong, count=len(addresses)) if wrong else ""


def _was_rebuilt(machine: MachineCode, compared: Comparison) -> bool:
    """Whether a binary was written after the base was recorded, and before the new side was."""
    base, new = (_recorded(side) for side in (compared.base_profile, compared.new_profile))
    return base is not None and new is not None and base < machine.modified <= new


def _recorded(profile: Profile) -> float | None:
    """Return when a profile was written, in seconds since 1970; None if that is not known."""
    try:
        return Path(profile.paths[0]).stat().st_mtime
    except (OSError, ValueError, IndexError):
        return None


# ---------------------------------------------------------------- files of the base


def _object(profile: Profile, function: FunctionId) -> str:
    return profile.texts[text_at(profile.functions.object, function)]


def _chosen_program(profile: Profile, object_: str, programs: ChosenPrograms) -> str:
    """Return the file that the user has chosen for an object of the base; empty for none."""
    chosen = dict(programs)
    if object_ in ("", UNKNOWN):
        return ""
    is_program = PurePath(object_).name == PurePath(profile.program_name).name
    return chosen.get(object_) or (chosen.get("", "") if is_program else "")


def _search_in_base(
    profile: Profile, rules: tuple[PathRule, ...], search: FileSearch
) -> FileSearch:
    """Return where the files of the base are: by its own rules, or beside its own profile."""
    folders = tuple(str(Path(path).parent) for path in profile.paths[:1])
    return replace(search, rules=(*rules, *search.rules), bases=(*folders, *search.bases))
