"""Check whether Qt can be loaded and started here, and explain why not, with the remedy."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from qcachegrind_py.app.doctor.findings import Finding, State, problem
from qcachegrind_py.app.doctor.packages import package_line
from qcachegrind_py.app.doctor.probe import Probe
from qcachegrind_py.tools.system_packages import (
    Requirement,
    install_line,
    library_named_in,
    missing,
    names_text,
    requirements,
)

_DISPLAYS = {"wayland": "WAYLAND_DISPLAY", "xcb": "DISPLAY"}  # by platform
_WITHOUT_DISPLAY = "Without a display, --report text FILE prints tables, and --screenshot PNG FILE \
saves a picture of the window."
_GLIBC = re.compile(r"GLIBC(?:XX)?_[\d.]+")
_KINDS = {"xcb": ("qt", "x11"), "wayland": ("qt", "wayland")}  # other platforms need "qt" only


def wanted_platforms(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the platforms that Qt will try, in order; empty if there is no display."""
    asked = environment.get("QT_QPA_PLATFORM", "")
    if asked:
        names = (name.partition(":")[0] for name in asked.split(";"))
        return ["wayland" if name.startswith("wayland") else name for name in names]
    if not sys.platform.startswith("linux"):
        return [{"darwin": "cocoa", "win32": "windows"}.get(sys.platform, "xcb")]
    return [platform for platform, variable in _DISPLAYS.items() if environment.get(variable)]


def missing_libraries(platforms: list[str]) -> list[Requirement]:
    """Return the libraries that Qt needs on these platforms and that the loader cannot find."""
    kinds = {"qt"}.union(*(_KINDS.get(platform, ()) for platform in platforms))
    return missing(*kinds)


def qt_findings() -> Iterator[Finding]:
    """Start Qt in another process at once; its findings are read on iteration."""
    platforms = wanted_platforms()
    if getattr(sys, "frozen", False):
        return _findings(platforms, None)
    environment = {} if platforms else {"QT_QPA_PLATFORM": "offscreen"}
    return _findings(platforms, Probe("qt", environment=environment))


def why_not_imported(error: ImportError) -> str:
    """Explain why PySide6 cannot be imported, and what to do."""
    if isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("PySide6"):
        line = package_line("PySide6-Essentials")
        return f"PySide6 is not installed. Install it with:\n    {line}"
    lacking = missing_libraries(wanted_platforms())
    name = library_named_in(str(error))
    if name and name not in [library.name for library in lacking]:
        lacking.append(Requirement("qt", name))
    if lacking:
        return _why_incomplete(lacking)
    if _GLIBC.search(str(error)):
        return f"Qt requires a newer system: {error}.\nInstall an older PySide6-Essentials, \
for example: {sys.executable} -m pip install 'PySide6-Essentials<6.10'"
    return f"Qt cannot be loaded: {error}."


def why_not_started(message: str, environment: Mapping[str, str] = os.environ) -> str:
    """Explain why Qt cannot show a window, given its last message, and what to do."""
    platforms = wanted_platforms(environment)
    if not platforms:
        return f"There is no display: DISPLAY and WAYLAND_DISPLAY are not set.\n{_WITHOUT_DISPLAY}"
    if lacking := missing_libraries(platforms):
        return _why_incomplete(lacking)
    known = re.findall(r"\w[\w-]*", message.partition("plugins are: ")[2])
    asked = environment.get("QT_QPA_PLATFORM", "")
    if asked and known and not set(platforms) & {name.partition("-")[0] for name in known}:
        return f"QT_QPA_PLATFORM is “{asked}”, but Qt only supports {', '.join(known)}.\n\
To let Qt choose:\n    unset QT_QPA_PLATFORM"
    variables = [_DISPLAYS[platform] for platform in platforms if platform in _DISPLAYS]
    if variables:
        displays = ", ".join(f"{name}={environment.get(name, '')}" for name in variables)
        return f"The display cannot be opened ({displays}): it does not respond, or it refuses \
the connection.\n{_WITHOUT_DISPLAY}"
    return f"Qt cannot start: {message.strip()}\n{_WITHOUT_DISPLAY}"


def _findings(platforms: list[str], probe: Probe | None) -> Iterator[Finding]:
    if lacking := missing_libraries(platforms):
        text = f"{names_text(lacking)} missing"
        yield Finding(State.PROBLEM, "System libraries", text, _line_for(lacking))
    else:
        yield Finding(State.GOOD, "System libraries", "everything Qt needs")
    if platforms:
        yield Finding(State.GOOD, "Display", _display() or "system default")
    else:
        text = "none: DISPLAY and WAYLAND_DISPLAY are not set"
        yield Finding(State.NOTE, "Display", text, _WITHOUT_DISPLAY)
    if probe is not None:
        answers, end = probe.answers()
        yield from _started(answers[0]) if answers else [_not_started(end)]


def _started(answer: dict[str, Any]) -> Iterator[Finding]:
    screens = ", ".join(answer["screens"])
    text = f"{answer['platform']}, starts; Qt {answer['qt']}; screen {screens}"
    yield Finding(State.GOOD, "Qt platform", text)
    if answer["fonts"]:
        yield Finding(State.GOOD, "Fonts", f"{answer['fonts']} families")
    else:
        yield Finding(
            State.PROBLEM,
            "Fonts",
            "none: all text is invisible",
            install_line(requirements("fonts")),
        )


def _not_started(end: str) -> Finding:
    if "ImportError" in end or "ModuleNotFoundError" in end:
        return Finding(State.PROBLEM, "Qt platform", "not tried: PySide6 cannot be imported")
    return problem("Qt platform", why_not_started(end))


def _display() -> str:
    names = ("QT_QPA_PLATFORM", *_DISPLAYS.values())
    return ", ".join(f"{name}={os.environ[name]}" for name in names if os.environ.get(name))


def _line_for(lacking: list[Requirement]) -> str:
    """Return the line that installs these libraries and whatever else this system lacks."""
    others = missing("python", "qt", "x11", "wayland")
    return install_line(list(dict.fromkeys((*lacking, *others))))


def _why_incomplete(lacking: list[Requirement]) -> str:
    line, verb = _line_for(lacking), "is" if len(lacking) == 1 else "are"
    text = f"Qt cannot start: {names_text(lacking)} {verb} missing on this system."
    return f"{text}\n{line}" if line.startswith("Install") else f"{text} Install with:\n    {line}"
