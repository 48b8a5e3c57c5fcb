"""Run `--save OUT`: write the profile or a selection of it to a file, or to standard output."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from qcachegrind_py.analysis.queries import described_profile
from qcachegrind_py.cli.errors import FILE_ERROR, USAGE_ERROR, CommandError, report_error
from qcachegrind_py.cli.reports import load_profile, print_output
from qcachegrind_py.cli.selection import parts_of, report_selection
from qcachegrind_py.formats.callgrind.writing.profile_writer import save, write
from qcachegrind_py.formats.callgrind.writing.selection import Selection
from qcachegrind_py.profile.errors import UnwritableFile
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.profile import Profile

STANDARD_OUTPUT = "-"


def save_profile(options: argparse.Namespace) -> int:
    """Write `--save OUT`; return the exit code."""
    try:
        check_not_read("--save", options.save, options.files)
        profile = load_profile(options.files)
        parts = parts_of(options.parts, len(profile.parts))
        selection = report_selection(profile, options)
        saved = Selection(parts, options.merge, selection.visible)
        return _save(described_profile(selection.queries), options.save, saved)
    except CommandError as error:
        return report_error(error)


def check_not_read(option: str, path: str, files: list[str]) -> None:
    """Raise CommandError if the path that an option writes is one that is read, also by a link."""
    for file in files if path != STANDARD_OUTPUT else ():
        with contextlib.suppress(OSError):  # one is not there: reading and writing tell which
            if Path(path).samefile(path_on_disk(Path(file))):
                reason = f"{option} {path} would replace {file}, which is being read."
                raise CommandError(USAGE_ERROR, f"{reason} Choose another name.")


def _save(profile: Profile, path: str, selection: Selection) -> int:
    """Write to the path, or to standard output for `-`; return the exit code."""
    if path == STANDARD_OUTPUT:
        return print_output(profile, lambda stream: write(profile, stream.buffer, selection))
    try:
        save(profile, path, selection)
    except UnwritableFile as error:
        raise CommandError(FILE_ERROR, str(error)) from error
    return print_output(profile, lambda _stream: None)
