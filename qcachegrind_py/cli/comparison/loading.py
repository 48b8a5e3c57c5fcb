"""Reads the profiles of both sides."""

from __future__ import annotations

import argparse
from pathlib import Path

from qcachegrind_py.cli.reports import load_profile
from qcachegrind_py.cli.siblings import with_siblings
from qcachegrind_py.reports.comparison.sides import Sides, compared_sides
from qcachegrind_py.visible_text import print_message


def load_sides(options: argparse.Namespace) -> Sides:
    """Read and pair both profiles; raises CommandError if a file cannot be read."""
    new = load_profile(options.files)
    files = _base_files(options)
    base = load_profile(files) if files else None
    return compared_sides(
        base,
        new,
        cycles=not options.no_cycles,
        with_readable_names=bool(options.filter or options.fail_if),
    )


def _base_files(options: argparse.Namespace) -> list[str]:
    """Return the files of the base; none if it is optional and one is not there."""
    files: list[str] = options.base or []
    missing = [file for file in files if not Path(file).exists()]
    if missing and options.base_optional:
        print_message(f"{missing[0]} does not exist: there is no base to compare with.")
        return []
    return with_siblings(files) if options.siblings else files
