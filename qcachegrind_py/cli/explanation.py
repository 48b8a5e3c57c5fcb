"""Run `--explain FUNCTION`: print how a number comes about, down to the lines of the files."""

from __future__ import annotations

import argparse

from qcachegrind_py.analysis.explanation.explain import explain
from qcachegrind_py.analysis.explanation.numbers import NumberKey, NumberKind
from qcachegrind_py.cli.calls import find_node
from qcachegrind_py.cli.errors import FILE_ERROR, USAGE_ERROR, CommandError, report_error
from qcachegrind_py.cli.reports import load_profile, print_output
from qcachegrind_py.cli.selection import report_selection
from qcachegrind_py.present.explanation import LIMIT, Wording, record_groups
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.write.explanation import explanation_lines

_STYLE = NumberStyle(group_separator=",")  # as in other text reports


def print_explanation(options: argparse.Namespace) -> int:
    """Print the explanation of a number of `--explain FUNCTION`; return the exit code."""
    try:
        profile = load_profile(options.files)
        selection = report_selection(profile, options)
        node = find_node(selection, options.explain, options.within or [])
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
    return print_output(profile, lambda stream: stream.writelines(f"{line}\n" for line in lines))


def _kind(options: argparse.Namespace) -> NumberKind:
    if options.called:
        return NumberKind.CALLED
    return NumberKind.INCLUSIVE if options.inclusive else NumberKind.SELF
