"""Try in another process whether libraries can be imported and whether Qt starts.

Either may crash or hang the process. Run as a program, this file answers; it imports nothing of
this package, so that it works wherever Python does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

_TIMEOUT = 20.0  # seconds: a first start from a slow disk
_NO_CONSOLE = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows would flash one


class Probe:
    """A process that tries something; starts at once."""

    def __init__(self, *words: str, environment: Mapping[str, str] | None = None) -> None:
        from qcachegrind_py.tools.command_line import module_command

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
        """Wait for the answers; also return standard error and, as last line, how it failed."""
        try:
            out, err = self._process.communicate(timeout=_TIMEOUT)
            code = self._process.returncode
            end = f"ended by signal {-code}" if code < 0 else f"ended by {code}" if code else ""
        except subprocess.TimeoutExpired:
            self._process.kill()
            out, err = self._process.communicate()
            end = f"did not answer within {_TIMEOUT:.0f} seconds"
        lines = out.decode("utf-8", "replace").splitlines()
        answers = [json.loads(line) for line in lines if line.startswith("{")]
        return answers, "\n".join(filter(None, (err.decode("utf-8", "replace").strip(), end)))


def _try_imports(modules: Sequence[str]) -> None:
    from importlib import import_module, metadata

    for word in modules:
        module, _, package = word.partition("=")
        answer = {"module": module, "error": "", "version": ""}
        with suppress(metadata.PackageNotFoundError):  # it may not be installed as a package
            answer["version"] = metadata.version(package)
        try:
            import_module(module)
        except Exception as error:
            answer["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(answer), flush=True)


def _try_qt() -> None:
    from PySide6.QtCore import qVersion
    from PySide6.QtGui import QFont, QFontDatabase, QFontMetrics, QGuiApplication

    application = QGuiApplication([sys.argv[0]])
    sizes = [
        f"{screen.size().width()}×{screen.size().height()} at {screen.devicePixelRatio():g}"
        for screen in application.screens()
    ]
    has_letters = QFontMetrics(QFont()).inFont("a")  # without fonts, Qt still names three families
    answer = {
        "platform": application.platformName(),
        "qt": qVersion(),
        "screens": sizes,
        "fonts": len(QFontDatabase.families()) if has_letters else 0,
    }
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "imports":
        _try_imports(sys.argv[2:])
    else:
        _try_qt()
