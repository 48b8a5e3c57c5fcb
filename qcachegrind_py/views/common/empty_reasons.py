"""Messages that explain an empty view: no function chosen, no calls, no code."""

from __future__ import annotations

from qcachegrind_py.analysis.code.location_costs import has_addresses
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE

NO_FUNCTION_CHOSEN = "Choose a function in the list."
NO_CALLS = "The profile contains no calls.\nRecord them with valgrind --tool=callgrind."
NO_RATIO_SHARES = (
    "A ratio cannot be distributed over calls.\nChoose a counted event in the toolbar."
)
CYCLE_HAS_NO_CODE = (
    "A cycle has no code of its own.\nChoose one of its members in the list of callees."
)

GONE_HAS_NO_CODE = (
    "Only the base has this function, and the code is that of the new side.\n"
    "Swap the sides to see it."
)


def no_calls_reason(query: ViewQuery) -> str:
    """Return why the active function's calls cannot be shown; empty if they can."""
    context = query.context
    if context.event is None or context.function == NO_NODE:
        return NO_FUNCTION_CHOSEN
    if not len(query.profile.calls):
        return NO_CALLS
    return NO_RATIO_SHARES if context.event.is_ratio else ""


def no_source_reason(query: ViewQuery) -> str:
    """Return why no source lines can be shown; empty if there may be some."""
    from qcachegrind_py.tools.annotation_inputs import NO_LINES

    return _no_function_reason(query) or ("" if query.queries.has_lines else NO_LINES)


def no_instructions_reason(query: ViewQuery) -> str:
    """Return why no instructions can be shown; empty if there may be some."""
    from qcachegrind_py.tools.annotation_inputs import missing_instructions_reason

    profile = query.profile
    missing = "" if has_addresses(profile) else missing_instructions_reason(profile)
    return _no_function_reason(query) or missing


def _no_function_reason(query: ViewQuery) -> str:
    context = query.context
    if context.event is None or context.function == NO_NODE:
        return NO_FUNCTION_CHOSEN
    if not query.queries.is_function(context.function):
        return CYCLE_HAS_NO_CODE
    compared = query.comparison
    is_gone = compared is not None and not compared.in_new[context.function]
    return GONE_HAS_NO_CODE if is_gone else ""
