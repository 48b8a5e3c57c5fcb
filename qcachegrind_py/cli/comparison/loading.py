"""Reads the profiles of both sides, and pairs their functions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from qcachegrind_py.analysis.comparison.comparison import parts_warning
from qcachegrind_py.analysis.comparison.sides import NO_RULES, MatchingRules, NameRule, substitution
from qcachegrind_py.analysis.filters.conditions import Fold
from qcachegrind_py.cli.errors import USAGE_ERROR, CommandError, Reasons
from qcachegrind_py.cli.folding import folds_of, report_idle_folds
from qcachegrind_py.cli.reports import load_profile
from qcachegrind_py.cli.selection import filter_of
from qcachegrind_py.cli.siblings import siblings_hint, with_siblings
from qcachegrind_py.present.change import ReadableNames, Sides, report_sides
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.visible_text import print_message


def load_sides(options: argparse.Namespace, reasons: Reasons) -> Sides | None:
    """Read and pair both profiles; None if one cannot be read, or is not to be read in this way."""
    folds: tuple[Fold, ...] = ()
    rules = NO_RULES
    bases: list[Profile] = []
    news: list[Profile] = []
    with reasons.collecting():
        bases = _runs(_base_files(options), is_repeated=options.repeats)
    with reasons.collecting():
        news = _runs(options.files, is_repeated=options.repeats)
    with reasons.collecting():
        folds = folds_of(options, filter_of(options.filter, compares=bool(options.base)))
    with reasons.collecting():
        rules = matching_rules(options)
    if reasons:
        return None
    sides = report_sides(
        bases,
        news,
        rules,
        cycles=not options.no_cycles,
        readable=_readable_names(options),
        folds=folds,
    )
    report_idle_folds(sides.queries)
    if bases and (warning := parts_warning(bases[0], news[0])):
        print_message(warning)
    return sides


def matching_rules(options: argparse.Namespace) -> MatchingRules:
    """Return how functions are to be paired; raises CommandError if a rule is invalid."""
    return MatchingRules(
        _substitutions("--mod-filename", options.mod_filename or []),
        _substitutions("--mod-funcname", options.mod_funcname or []),
        accepts_renames=options.accept_renames,
    )


def _readable_names(options: argparse.Namespace) -> ReadableNames:
    """Return where mangled names are to be readable: as for one profile, also on pages."""
    names: set[Literal["found", "shown"]] = set()
    if options.filter or options.fail_if or options.fold:
        names.add("found")
    if options.report in ("html", "markdown"):
        names.add("shown")
    return frozenset(names)


def _runs(files: Sequence[str], *, is_repeated: bool) -> list[Profile]:
    """Read each file as a run of its own, or all as one."""
    if is_repeated:
        if hint := siblings_hint(files):  # once: it looks into other files of the folder
            print_message(hint)
        return [load_profile([file], names_siblings=False) for file in files]
    return [load_profile(list(files))] if files else []


def _substitutions(option: str, texts: Sequence[str]) -> tuple[NameRule, ...]:
    try:
        return tuple(map(substitution, texts))
    except ValueError as error:
        raise CommandError(USAGE_ERROR, f"{option} {error}") from error


def _base_files(options: argparse.Namespace) -> list[str]:
    """Return the files of the base; none if it is optional and one is not there."""
    files: list[str] = options.base or []
    missing = [file for file in files if not path_on_disk(Path(file)).exists()]
    if missing and options.base_optional:
        print_message(f"{missing[0]} does not exist: there is no base to compare with.")
        return []
    return with_siblings(files) if options.siblings else files
