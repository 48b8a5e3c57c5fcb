"""Folds on the command line: `--fold TERM`, and the folds of `--filter`."""

from __future__ import annotations

import argparse

from qcachegrind_py.analysis.filters.conditions import Fold, FoldKind
from qcachegrind_py.analysis.filters.expression import Filter, parse_folds
from qcachegrind_py.analysis.queries import FoldedQueries, ProfileQueries
from qcachegrind_py.cli.errors import USAGE_ERROR, CommandError
from qcachegrind_py.present.facts import folding_note
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.visible_text import print_message


def folds_of(options: argparse.Namespace, filter_: Filter) -> tuple[Fold, ...]:
    """Return the folds of the options, each once; raises CommandError if one is invalid."""
    try:
        given = [fold for text in options.fold or [] for fold in parse_folds(text)]
    except FilterError as error:
        raise CommandError(USAGE_ERROR, f"--fold {error}") from error
    return tuple({fold.text: fold for fold in (*given, *filter_.folds)}.values())


def report_idle_folds(queries: ProfileQueries) -> None:
    """Print a message for each fold that names no function."""
    if isinstance(queries, FoldedQueries):
        for fold in queries.folds:
            if not queries.named(fold).any():
                print_message(f"{fold.text}: {_NOTHING[fold.kind]}")


def fold_notes(selection: ReportSelection, *, of_lines: bool = False) -> list[str]:
    """Return what to say on standard error of estimates, for forms that have no place for it."""
    note = folding_note(selection.queries, selection.scope, of_lines=of_lines)
    return [note] if note else []


_NOTHING = {
    FoldKind.FOLD: "no function matches.",
    FoldKind.ONLY: "no function matches, and all that have callers are folded.",
    FoldKind.COLLAPSE: "no function of a recursion cycle matches.",
}
