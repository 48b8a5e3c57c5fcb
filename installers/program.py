"""Where the program begins that has its Python within it: as the command, or as a part of it."""

from __future__ import annotations

import os
import runpy
import sys

from qcachegrind_py.tools.module_launcher import LAUNCHABLE_MODULES, MODULE_OPTION


def _give_back_libraries() -> None:
    """What we start, an editor or valgrind, has to find the system's libraries, not ours.

    The variable told the loader of this process where ours are, and is of no more use to it.
    """
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    if before is None:
        os.environ.pop("LD_LIBRARY_PATH", None)
    else:
        os.environ["LD_LIBRARY_PATH"] = before


def main() -> int:
    """Be what the arguments say; gives the exit code."""
    if sys.argv[1:2] == [MODULE_OPTION] and sys.argv[2] in LAUNCHABLE_MODULES:
        del sys.argv[1]
        runpy.run_module(sys.argv.pop(1), run_name="__main__")
        return 0
    if sys.platform == "linux":
        _give_back_libraries()
    from qcachegrind_py.cli.main import main

    return main()


if __name__ == "__main__":
    sys.exit(main())
