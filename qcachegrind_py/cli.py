"""The command: a window, or with `--report` the function table, or with `--screenshot` a picture.

Without a window no Qt is imported; `--version` and `--help` import next to nothing.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from qcachegrind_py.formats.report import ReportChoice
    from qcachegrind_py.profile.profile import Profile

_FILE_ERROR = 1
_USAGE_ERROR = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; gives its exit code (0; 1 a file could not be read; 2 wrong usage)."""
    # numpy's linear algebra, which nothing here uses, else starts a busy thread for each processor
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.version:
        from qcachegrind_py.version import version_text

        print(version_text())
        return 0
    if options.report and options.screenshot:
        parser.error("--report and --screenshot are one or the other")
    if options.report:
        return _report(parser, options)
    if options.event or options.sort or options.limit is not None or options.no_cycles:
        parser.error("--event, --sort, --limit and --no-cycles choose what --report prints")
    if options.screenshot and not options.files:
        parser.error("--screenshot needs a FILE to show")
    from qcachegrind_py.app.start import run

    return run(options.files, options.screenshot, options.size)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="qcachegrind-py",
        description="View profiles in the Callgrind format.",
        epilog="Several files become the parts of one profile.",
    )
    add = parser.add_argument
    add("files", metavar="FILE", nargs="*", help="a profile, packed or not")
    add("--version", action="store_true", help="say which version this is")
    report = parser.add_argument_group("reports, without a window")
    add = report.add_argument
    add("--report", choices=("text", "tsv", "json"), help="print the function table")
    add("--event", metavar="NAME", help="the event to sort by and show (default: the first)")
    add(
        "--sort",
        choices=("inclusive", "self", "called", "name"),
        help="the order of the functions (default: inclusive)",
    )
    add("--limit", metavar="N", type=_count, help="print only the first N functions")
    add("--no-cycles", action="store_true", help="do not look for recursion cycles")
    picture = parser.add_argument_group("pictures, without a display")
    picture.add_argument("--screenshot", metavar="PNG", help="save a picture of the window")
    picture.add_argument(
        "--size",
        metavar="WxH",
        type=_size,
        default=(1280, 800),
        help="its size (default: 1280x800)",
    )
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError
    return number


def _size(text: str) -> tuple[int, int]:
    width, height = (int(side) for side in text.lower().split("x"))
    if not (100 <= width <= 16384 and 100 <= height <= 16384):
        raise ValueError
    return width, height


def _report(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    if not options.files:
        parser.error("--report needs a FILE")
    from qcachegrind_py.formats import report
    from qcachegrind_py.formats.loading import load
    from qcachegrind_py.profile.errors import ProfileError

    writers: dict[str, Callable[[Profile, ReportChoice, TextIO], None]] = {
        "text": report.write_text,
        "tsv": report.write_tsv,
        "json": report.write_json,
    }
    try:
        profile = load(*options.files)
    except ProfileError as error:
        print(error, file=sys.stderr)
        return _FILE_ERROR
    events = profile.events
    event = events.find(options.event) if options.event else next(iter(events.all), None)
    if event is None and options.event:
        names = ", ".join(event.name for event in events.all)
        print(f"There is no event {options.event}; there are: {names}.", file=sys.stderr)
        return _USAGE_ERROR
    choice = report.ReportChoice(
        event, options.sort or "inclusive", options.limit, not options.no_cycles
    )
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        writers[options.report](profile, choice, sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read, such as `head`, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if profile.diagnostic_count:
        count = profile.diagnostic_count
        print(f"{count} {'oddity' if count == 1 else 'oddities'} found.", file=sys.stderr)
    return 0
