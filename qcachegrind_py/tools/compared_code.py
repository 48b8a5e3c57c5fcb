"""Find the machine code of a function on both sides of a comparison, and how it can be paired.

A profile says where its program was, and not which build that is. Where both sides were recorded
under one path, the file there may be that of both, or the base's build is gone: then nothing is
paired, as equal addresses of two builds mean nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from qcachegrind_py.analysis.code.instructions import Alignment, Syntax
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.profile.errors import CodeNotFound, ProfileError
from qcachegrind_py.profile.ids import FunctionId, PartId, function_at, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, PartialProgress, Progress
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.tools.annotation_inputs import CodeResult, find_function_code
from qcachegrind_py.tools.disassembly.machine_code import MachineCode, is_misplaced
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.tools.sources.path_rules import PathRule, exact_rule

ChosenPrograms = tuple[tuple[str, str], ...]
"""Recorded paths of the base's objects with the files chosen for them; "" is the program itself."""

_CHOOSE = "Choose the program of the base, and instructions are paired."
_NO_NEW_CODE = "Instructions are paired once the program of the new side is found, too."
_REBUILT = "is the program of both profiles, and was built again after the base was recorded."
_OTHER_BUILD = "has no instruction at {wrong:,} of {count:,} addresses of the base."


@dataclass(frozen=True, slots=True, eq=False)
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
    base_search = _base_search(compared.base_profile, object_, chosen, search)
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
    reason = _why_other_build(old, base_costs)
    if not reason and not is_chosen and old.path == present.path and _was_rebuilt(old, compared):
        reason = _REBUILT
    if reason:
        problem = CodeNotFound(old.path, reason, _CHOOSE)
        return ComparedCode(CodeResult(None, problem), new, Alignment.NOTHING, object_)
    is_one = _is_one_build(old, present)
    return ComparedCode(base, new, Alignment.ADDRESSES if is_one else Alignment.TEXTS, object_)


def _is_one_build(base: MachineCode, new: MachineCode) -> bool:
    if base.path == new.path or (base.build_id and base.build_id == new.build_id):
        return True
    has_same_bytes = base.code.raw == new.code.raw and len(base.code) > 0
    return has_same_bytes and base.code.address.tolist() == new.code.address.tolist()


def _why_other_build(machine: MachineCode, costs: InstructionCosts) -> str:
    """Return why a binary cannot be that of the base; empty if it may be."""
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


def _base_search(profile: Profile, object_: str, chosen: str, search: FileSearch) -> FileSearch:
    """Return where the files of the base are: as chosen, or beside its own profile."""
    folders = tuple(str(Path(path).parent) for path in profile.paths[:1])
    rules: tuple[PathRule, ...] = (exact_rule(object_, chosen),) if chosen else ()
    return replace(search, rules=(*rules, *search.rules), bases=(*folders, *search.bases))
