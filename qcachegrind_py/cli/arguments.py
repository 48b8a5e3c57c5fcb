"""The options of the command, and the check of which can be combined."""

from __future__ import annotations

import argparse
from pathlib import PurePath
from typing import NoReturn

_PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".webp")
_SHORTEST_SIDE, _LONGEST_SIDE = 100, 16384  # pixels of a picture


class _Parser(argparse.ArgumentParser):
    """Reports wrong usage in two lines, instead of below a list of all options."""

    def error(self, message: str) -> NoReturn:
        reason = message.removeprefix("argument ")
        self.exit(2, f"{self.prog}: {reason}\n{self.prog} --help lists all options.\n")


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options cannot be combined; empty if they can."""
    if options.version or options.doctor:
        return ""  # they ignore all other options
    annotates, reports = options.annotate is not None, bool(options.report)
    if options.desktop and (options.files or annotates or reports or options.screenshot):
        return f"--{options.desktop}-desktop goes alone"
    if options.screenshot and (annotates or reports):
        return "--screenshot and --report or --annotate are one or the other"
    if not options.files:
        for name in ("report", "annotate", "save"):
            if getattr(options, name) is not None:
                return f"--{name} needs a FILE"
    if (options.sort or options.limit is not None or options.no_cycles) and (
        annotates or not reports
    ):
        return "--sort, --limit and --no-cycles choose what --report prints of all functions"
    if options.save is not None and (annotates or reports or options.screenshot):
        return "--save and --report, --annotate or --screenshot are one or the other"
    if options.save is None and (options.parts or options.merge or options.filter):
        return "--parts, --merge and --filter choose what --save writes"
    if options.event and not (annotates or reports or options.filter):
        return "--event chooses what --report and --annotate print, and what --filter looks at"
    if annotates and options.report == "html":
        return "--report html is of the whole profile, and --annotate of one function"
    if not annotates and (options.within or options.source or options.asm):
        return "--in, --source and --asm are for --annotate"
    if options.map and not annotates and options.report != "html":
        return "--map is for --annotate and --report html"
    return ""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all options; the manual page is generated from it."""
    parser = _Parser(
        prog="qcachegrind-py",
        description="View profiles in the Callgrind format, and those of Python's cProfile.",
        epilog="Several files become the parts of one profile.",
    )
    add = parser.add_argument
    add("files", metavar="FILE", nargs="*", help="a profile, packed or not; - for standard input")
    add("--version", action="store_true", help="say which version this is")
    add("--doctor", action="store_true", help="say what is missing here, and how to get it")
    add("--debug", action="store_true", help="let the window log more, and log to standard error")
    _add_report(parser)
    _add_annotation(parser)
    _add_saving(parser)
    _add_picture(parser)
    _add_desktop(parser)
    return parser


def _add_report(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("reports, without a window").add_argument
    add(
        "--report",
        choices=("text", "tsv", "csv", "json", "html"),
        help="print the function table, or all that matters as a page of HTML; "
        "or choose how --annotate prints",
    )
    add("--event", metavar="NAME", help="the event to sort by and show (default: the first)")
    add(
        "--sort",
        choices=("inclusive", "self", "called", "name"),
        help="the order of the functions (default: inclusive)",
    )
    add(
        "--limit",
        metavar="N",
        type=_parse_count,
        help="print only the first N functions (HTML: 1000)",
    )
    add("--no-cycles", action="store_true", help="do not look for recursion cycles")


def _add_annotation(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("one function, without a window")
    add = group.add_argument
    add("--annotate", metavar="FUNCTION", help="print its lines and what they cost")
    add(
        "--in",
        metavar="FILE-OR-OBJECT",
        dest="within",
        action="append",
        help="where the function is, if several have its name",
    )
    kind = group.add_mutually_exclusive_group()
    kind.add_argument("--source", action="store_true", help="print source lines (the default)")
    kind.add_argument("--asm", action="store_true", help="print instructions")
    add(
        "--map",
        metavar="FROM=TO",
        action="append",
        help="look for files recorded below FROM in TO; may be given several times",
    )


def _add_saving(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("saving, without a window").add_argument
    add("--save", metavar="OUT", help="write the profile; packed as .gz, .bz2, .xz or .zst")
    add("--parts", metavar="1,3-5", help="only these parts, counted from 1")
    add("--merge", action="store_true", help="add the parts up to one")
    add(
        "--filter",
        metavar="TERMS",
        help="only functions that pass the window's filter, such as 'self>1%% lib:Qt'",
    )


def _add_picture(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("pictures, without a display").add_argument
    add(
        "--screenshot",
        metavar="PICTURE",
        type=_parse_picture,
        help="save a picture of the window, as .png, .jpg or .webp",
    )
    add(
        "--size",
        metavar="WxH",
        type=_parse_size,
        default=(1280, 800),
        help="its size (default: 1280x800)",
    )


def _add_desktop(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the desktop, for this user").add_mutually_exclusive_group()
    for name, text in (
        (
            "install",
            "add menu entry, icons, manual page and types of files, and open profiles from now on",
        ),
        ("uninstall", "take all of that back"),
    ):
        group.add_argument(
            f"--{name}-desktop", dest="desktop", action="store_const", const=name, help=text
        )


def _parse_count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of functions, such as 20")
    return int(text)


def _parse_size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (_is_side(width) and _is_side(height)):
        raise argparse.ArgumentTypeError(
            f"“{text}” is not a size such as 1280x800, with sides of "
            f"{_SHORTEST_SIDE} to {_LONGEST_SIDE} pixels"
        )
    return int(width), int(height)


def _is_side(text: str) -> bool:
    return text.isdecimal() and _SHORTEST_SIDE <= int(text) <= _LONGEST_SIDE


def _parse_picture(path: str) -> str:
    ending = PurePath(path).suffix
    if ending.lower() not in ("", *_PICTURE_ENDINGS):
        raise argparse.ArgumentTypeError(
            f"pictures are written as {', '.join(_PICTURE_ENDINGS)}, not as {ending}"
        )
    return path
