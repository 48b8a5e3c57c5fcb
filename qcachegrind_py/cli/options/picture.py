"""Options of a picture of the window."""

from __future__ import annotations

import argparse
from pathlib import PurePath

from qcachegrind_py.cli.options.task import add_group, annotates

_ENDINGS = (".png", ".jpg", ".jpeg", ".webp")
_SHORTEST_SIDE, _LONGEST_SIDE = 100, 16384  # pixels of a picture


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--screenshot` and its size."""
    add = add_group(
        parser,
        "Take a picture of the window",
        "This needs Qt, but no display.",
        "--screenshot window.png --size 1600x1000 callgrind.out.1234",
    ).add_argument
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


def usage_error(options: argparse.Namespace) -> str:
    """Return why `--screenshot` is misused; empty if it is not."""
    if options.screenshot and (annotates(options) or options.report):
        return "--screenshot excludes --report and --annotate"
    return ""


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
    if ending.lower() not in ("", *_ENDINGS):
        raise argparse.ArgumentTypeError(
            f"pictures are written as {', '.join(_ENDINGS)}, not as {ending}"
        )
    return path
