"""Commands that start a module of this package as a separate program.

Such a module imports nothing else of this package: it starts fast, and works even if the package
cannot be imported.
"""

from __future__ import annotations

import sys

MODULE_OPTION = "--as"  # tells a frozen program which module to run
LAUNCHABLE_MODULES = ("qcachegrind_py.tools.layout.worker", "qcachegrind_py.app.doctor.probe")


def module_command(module: str, path: str) -> tuple[str, ...]:
    """Return the command that starts one of `LAUNCHABLE_MODULES`, whose file has this path.

    A frozen program contains the only Python, and is started once more.
    """
    if getattr(sys, "frozen", False):
        return sys.executable, MODULE_OPTION, module
    return sys.executable, "-P", path  # -P: files beside the module must not shadow others
