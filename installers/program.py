"""Entry point of the standalone program: starts the command, or one of its worker modules."""

from __future__ import annotations

import os
import runpy
import sys

from qcachegrind_py.tools.command_line import LAUNCHABLE_MODULES, MODULE_OPTION


def _give_back_libraries() -> None:
    """Restore the library path, so that editors and Valgrind find the system's libraries.

    The variable served the loader of this process and is no longer needed.
    """
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    if before is None:
        os.environ.pop("LD_LIBRARY_PATH", None)
    else:
        os.environ["LD_LIBRARY_PATH"] = before


def main() -> None:
    """Start the module or command that the arguments select."""
    if sys.argv[1:2] == [MODULE_OPTION] and sys.argv[2] in LAUNCHABLE_MODULES:
        del sys.argv[1]
        runpy.run_module(sys.argv.pop(1), run_name="__main__")
        return
    if sys.platform == "linux":
        _give_back_libraries()
    from qcachegrind_py.cli.main import program

    program()


if __name__ == "__main__":
    main()
