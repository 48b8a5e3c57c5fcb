"""Why no view can show the code of what is active."""

from __future__ import annotations

from qcachegrind_py.analysis.instruction_costs import has_addresses
from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.session.context import Context
from qcachegrind_py.tools.annotation import NO_INSTRUCTIONS, NO_LINES
from qcachegrind_py.views.call_view import NO_FUNCTION

OF_CYCLE = "A cycle has no code of its own.\nChoose one of its members, in the list of callees."


def why_no_source(questions: Questions, context: Context) -> str:
    """Why there are no lines; empty where there may be."""
    return _why_no_function(questions, context) or ("" if questions.has_lines else NO_LINES)


def why_no_instructions(questions: Questions, context: Context) -> str:
    """Why there are no instructions; empty where there may be."""
    has_them = has_addresses(questions.profile)
    return _why_no_function(questions, context) or ("" if has_them else NO_INSTRUCTIONS)


def _why_no_function(questions: Questions, context: Context) -> str:
    if context.event is None or context.function < 0:
        return NO_FUNCTION
    return OF_CYCLE if context.function >= questions.functions else ""
