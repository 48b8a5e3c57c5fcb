"""Run random actions in the window: `python -m tests.monkey [FILE...]`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

_TESTS = Path(__file__).parents[1]
_FILES = (
    _TESTS.parent / "resources/example/callgrind.out.templates.xz",
    _TESTS / "data/programs/callgrind.out.jumps-O1.xz",
    _TESTS / "data/comparison/callgrind.out.clones-O2.xz",
    _TESTS / "data/comparison/callgrind.out.clones-O3.xz",
    _TESTS / "data/recur-everything/callgrind.out.21921.xz",
    _TESTS / "data/separate-threads/callgrind.out.22265",
    _TESTS / "data/dump-before-after/callgrind.out.22381.2",
    _TESTS / "data/python/callgrind.out.python-default.xz",
)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.monkey", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="profiles to open")
    parser.add_argument("--steps", type=int, default=500, help="how many steps (500)")
    parser.add_argument("--seed", type=int, default=1, help="chooses what the steps do (1)")
    parser.add_argument("--from", type=int, default=1, dest="first", help="the first step (1)")
    return parser.parse_args()


def main() -> int:
    options = _arguments()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from tests.monkey.sandbox import Sandbox

    # before Qt is imported, which reads the environment
    sandbox = Sandbox([path.absolute() for path in options.files or _FILES])
    from tests.monkey.run import run

    return run(sandbox, options.seed, options.first, options.steps)


if __name__ == "__main__":
    sys.exit(main())
