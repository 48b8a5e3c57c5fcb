"""What is read for the assembler of a function, in a job: its costs by address, and its code."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.analysis.code.instruction_costs import InstructionCosts
from qcachegrind_py.analysis.code.instructions import Syntax
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.code.instruction_rows import InstructionRows, instruction_rows
from qcachegrind_py.profile.ids import FunctionId, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.context import Context
from qcachegrind_py.tools.annotation_inputs import (
    CodeResult,
    find_function_code,
    is_newer_than_profile,
)
from qcachegrind_py.views.code.source_loader import calls_within_cycle

_NO_JUMPS = "no jumps were recorded: --collect-jumps=yes says how often each was taken"
_NEWER = "changed after the profile was recorded: it may be another build"


@dataclass(frozen=True, slots=True, eq=False)
class LoadedInstructions:
    """Instructions with their costs; without a binary only addresses are known."""

    function: FunctionId
    object: str  # the program or library, as it was recorded
    costs: InstructionCosts
    found: CodeResult
    rows: InstructionRows
    notes: tuple[str, ...]  # where the code is from, and what is odd about it


def load_instructions(
    queries: ProfileQueries, context: Context, progress: Progress
) -> LoadedInstructions:
    """Read the code of the active function; raises only `Cancelled`."""
    profile, function = queries.profile, queries.as_function(context.function)
    style = context.annotation
    syntax = Syntax.INTEL if style.intel_syntax else Syntax.ATT
    costs = queries.instructions(function, context.scope.parts)
    whole = queries.instructions(function, None)  # the chosen parts may have no cost
    found = find_function_code(profile, function, whole, context.files, syntax, progress)
    symbols = found.machine_code.symbols if found.machine_code else ()
    inside = calls_within_cycle(costs.calls, queries, context)
    labels = queries.labels(context.scope, short=context.short_names)
    rows = instruction_rows(costs, found.code, symbols, inside, labels, style.context_lines)
    object_ = profile.texts[text_at(profile.functions.object, function)]
    return LoadedInstructions(
        function, object_, costs, found, rows, _notes(found, object_, profile)
    )


def _notes(found: CodeResult, object_: str, profile: Profile) -> tuple[str, ...]:
    """Where the code is from, and what was not recorded."""
    machine = found.machine_code
    notes = [f"{machine.path} ({machine.machine})" if machine else object_]
    if machine and is_newer_than_profile(machine.modified, profile):
        notes.append(_NEWER)
    if not len(profile.jumps):
        notes.append(_NO_JUMPS)
    return tuple(notes)
