"""What is tried in another process: whether libraries can be imported, and whether Qt starts.

Either may end the process by a signal, or never come back: the one that asks must live on. Run as
a program, this file answers; it imports nothing of ours, so that it answers wherever Python runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_SECONDS = 20.0  # a first start from a slow disk
_NO_CONSOLE = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows would show one for a moment


class Trial:
    """A process that tries something; it is started at once and waited for by `answers`."""

    def __init__(self, *words: str, environment: Mapping[str, str] | None = None) -> None:
        from qcachegrind_py.tools.module_launcher import module_command

        paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        absolute = os.pathsep.join(path for path in paths if Path(path).is_absolute())
        self._process = subprocess.Popen(
            (*module_command(__name__, __file__), *words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": absolute, **(environment or {}), "PYTHONUTF8": "1"},
            creationflags=_NO_CONSOLE,
        )

    def answers(self) -> tuple[list[dict[str, Any]], str]:
        """What it said, and what it said on standard error, with how it ended where not well."""
        try:
            out, err = self._process.communicate(timeout=_SECONDS)
            code = self._process.returncode
            end = (
                "" if code == 0 else f"ended by signal {-code}" if code < 0 else f"ended by {code}"
            )
        except subprocess.TimeoutExpired:
            self._process.kill()
            out, err = self._process.communicate()
            end = f"did not answer within {_SECONDS:.0f} seconds"
        lines = out.decode("utf-8", "replace").splitlines()
        said = [json.loads(line) for line in lines if line.startswith("{")]
        last = err.decode("utf-8", "replace").strip()
        return said, "\n".join(part for part in (last, end) if part)


def _try_imports(modules: Sequence[str]) -> None:
    from importlib import import_module, metadata

    for word in modules:
        module, _, package = word.partition("=")
        answer = {"module": module, "error": "", "version": ""}
        try:
            import_module(module)
            answer["version"] = metadata.version(package)
        except metadata.PackageNotFoundError:
            pass  # from somewhere else than a package
        except Exception as error:
            answer["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(answer), flush=True)


def _try_qt() -> None:
    from PySide6.QtCore import qVersion
    from PySide6.QtGui import QFontDatabase, QGuiApplication

    application = QGuiApplication([sys.argv[0]])
    sizes = [
        f"{screen.size().width()}×{screen.size().height()} at {screen.devicePixelRatio():g}"
        for screen in application.screens()
    ]
    answer = {
        "platform": application.platformName(),
        "qt": qVersion(),
        "screens": sizes,
        "fonts": len(QFontDatabase.families()),
    }
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "imports":
        _try_imports(sys.argv[2:])
    else:
        _try_qt()
