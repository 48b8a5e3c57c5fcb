"""`explain`: how a number of a function comes about, down to the lines of the files."""

from __future__ import annotations

from qcachegrind_py.analysis.explanation.explain import explain
from qcachegrind_py.analysis.explanation.numbers import NumberKey, NumberKind
from qcachegrind_py.cli.functions import find_node
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import (
    FILE_ERROR,
    USAGE_ERROR,
    CommandError,
    print_output,
    report_error,
)
from qcachegrind_py.cli.selection import load_profile, report_selection
from qcachegrind_py.present.explanation import LIMIT, Wording, record_groups
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.write.explanation import explanation_lines

_STYLE = NumberStyle(group_separator=",")  # as in other text reports


def run(options: Options) -> int:
    """Print the explanation of a number; return the exit code."""
    try:
        profile = load_profile(options.files)
        selection = report_selection(profile, options)
        node = find_node(selection, options.words[0], options.within)
        if selection.event is None:
            raise CommandError(USAGE_ERROR, "The profile has no events, and so no numbers.")
        key = NumberKey(_kind(options), node)
        explained = explain(selection.queries, key, selection.event, selection.scope)
        limit = LIMIT if options.limit is None else options.limit
        groups = record_groups(selection.queries, explained, NoProgress(), limit)
    except CommandError as error:
        return report_error(error)
    except ProfileError as error:
        return report_error(CommandError(FILE_ERROR, str(error)))
    wording = Wording(selection.queries, selection.scope, _STYLE)
    lines = explanation_lines(wording.sections(explained, groups))
    return print_output(
        options, profile, lambda stream: stream.writelines(f"{line}\n" for line in lines)
    )


def _kind(options: Options) -> NumberKind:
    if options.called:
        return NumberKind.CALLED
    return NumberKind.INCLUSIVE if options.inclusive else NumberKind.SELF
