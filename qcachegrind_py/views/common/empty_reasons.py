"""Why a view is empty: no function is chosen, or the profile has no calls or no code."""

from __future__ import annotations

from qcachegrind_py.analysis.code.instruction_costs import has_addresses
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.session.context import Context
from qcachegrind_py.tools.annotation_inputs import NO_LINES, missing_instructions_reason

NO_FUNCTION_CHOSEN = "Choose a function in the list."
NO_CALLS = (
    "The profile holds no calls.\nCachegrind does not record them: use valgrind --tool=callgrind."
)
NO_RATIO_SHARES = (
    "A ratio cannot be shared out over calls.\nChoose an event that is counted, in the toolbar."
)
CYCLE_HAS_NO_CODE = (
    "A cycle has no code of its own.\nChoose one of its members, in the list of callees."
)


def no_calls_reason(queries: ProfileQueries, context: Context) -> str:
    """Why nothing can be said of the active function's calls; empty where it can."""
    if context.event is None or context.function == NO_NODE:
        return NO_FUNCTION_CHOSEN
    if not len(queries.profile.calls):
        return NO_CALLS
    return NO_RATIO_SHARES if context.event.is_ratio else ""


def no_source_reason(queries: ProfileQueries, context: Context) -> str:
    """Why there are no lines; empty where there may be."""
    return _no_function_reason(queries, context) or ("" if queries.has_lines else NO_LINES)


def no_instructions_reason(queries: ProfileQueries, context: Context) -> str:
    """Why there are no instructions; empty where there may be."""
    profile = queries.profile
    missing = "" if has_addresses(profile) else missing_instructions_reason(profile)
    return _no_function_reason(queries, context) or missing


def _no_function_reason(queries: ProfileQueries, context: Context) -> str:
    if context.event is None or context.function == NO_NODE:
        return NO_FUNCTION_CHOSEN
    return "" if queries.is_function(context.function) else CYCLE_HAS_NO_CODE
