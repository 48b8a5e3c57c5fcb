"""How a module of this package is started as a program of its own.

Such a module imports nothing of ours: it starts fast, and answers where ours cannot be imported.
"""

from __future__ import annotations

import sys

MODULE_OPTION = "--as"  # tells a program with its Python within it which module to be
LAUNCHABLE_MODULES = ("qcachegrind_py.tools.layout.worker", "qcachegrind_py.app.doctor.probe")


def module_command(module: str, path: str) -> tuple[str, ...]:
    """The command that starts the module, one of `PROGRAMS`, whose file has this path.

    A program with its Python within it has no other Python, and is started once more.
    """
    if getattr(sys, "frozen", False):
        return sys.executable, MODULE_OPTION, module
    return sys.executable, "-P", path  # -P: modules beside it must not stand for others
