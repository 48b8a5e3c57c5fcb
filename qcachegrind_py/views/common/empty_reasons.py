"""Why no view can show the code of what is active."""

from __future__ import annotations

from qcachegrind_py.analysis.code.instruction_costs import has_addresses
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.session.context import Context
from qcachegrind_py.tools.annotation_inputs import NO_LINES, missing_instructions_reason
from qcachegrind_py.views.lists.call_list_base import NO_FUNCTION

OF_CYCLE = "A cycle has no code of its own.\nChoose one of its members, in the list of callees."


def why_no_source(queries: ProfileQueries, context: Context) -> str:
    """Why there are no lines; empty where there may be."""
    return _why_no_function(queries, context) or ("" if queries.has_lines else NO_LINES)


def why_no_code(queries: ProfileQueries, context: Context) -> str:
    """Why there are no instructions; empty where there may be."""
    profile = queries.profile
    missing = "" if has_addresses(profile) else missing_instructions_reason(profile)
    return _why_no_function(queries, context) or missing


def _why_no_function(queries: ProfileQueries, context: Context) -> str:
    if context.event is None or context.function < 0:
        return NO_FUNCTION
    return OF_CYCLE if context.function >= queries.function_count else ""
