"""The files of a gate, `--summary` and `--junit`, and `--annotations` on standard error.

GitHub reads commands on both outputs of a step, so that standard output is left to the report.
"""

from __future__ import annotations

import argparse
import io
import os
from pathlib import Path

from qcachegrind_py.cli.errors import FILE_ERROR, USAGE_ERROR, CommandError
from qcachegrind_py.formats.compression import atomic_write
from qcachegrind_py.present.change import ComparisonReport
from qcachegrind_py.profile.errors import UnwritableFile
from qcachegrind_py.visible_text import print_commands
from qcachegrind_py.write.ci import github_annotations, write_junit
from qcachegrind_py.write.markdown import SUMMARY_FUNCTIONS, write_markdown

_OUTPUTS = ("summary", "junit")


def check_outputs(options: argparse.Namespace) -> None:
    """Raise CommandError if a file to write is one of those to read, or both are the same."""
    paths = {name: getattr(options, name) for name in _OUTPUTS if getattr(options, name)}
    read = [*options.files, *(options.base or [])]
    for name, path in paths.items():
        others = [*read, *(other for key, other in paths.items() if key != name)]
        if any(Path(path).resolve() == Path(other).resolve() for other in others):
            reason = f"--{name} {path} would replace another file of this command."
            raise CommandError(USAGE_ERROR, f"{reason} Choose another name.")


def write_files(report: ComparisonReport, options: argparse.Namespace) -> None:
    """Write the files that are asked for; raises CommandError if one cannot be written."""
    if options.summary:
        text = io.StringIO()
        write_markdown(report, text, SUMMARY_FUNCTIONS)
        _write(options.summary, text.getvalue().encode("utf-8", "replace"))
    if options.junit:
        xml = io.BytesIO()
        write_junit(report, xml, is_strict=options.strict)
        _write(options.junit, xml.getvalue())


def _write(path: str, content: bytes) -> None:
    try:
        with atomic_write(path) as stream:
            stream.write(content)
    except UnwritableFile as error:
        raise CommandError(FILE_ERROR, str(error)) from error


def print_annotations(comparison: ComparisonReport, options: argparse.Namespace) -> None:
    """Print annotations to standard error if they are asked for."""
    if options.annotations:
        checkout = os.environ.get("GITHUB_WORKSPACE") or str(Path.cwd())
        print_commands(*github_annotations(comparison, checkout))
