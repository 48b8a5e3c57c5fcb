"""Findings about Qt: the libraries of the system, the platform it would use, fonts."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from qcachegrind_py.app.doctor.findings import Finding, State, problem
from qcachegrind_py.app.doctor.probe import Trial
from qcachegrind_py.app.doctor.qt_problems import WITHOUT_DISPLAY, wanted_platforms, why_not_started
from qcachegrind_py.app.doctor.system_libraries import line_for, missing_libraries, named, remedy

_FONTS = {
    "apt-get": "fonts-dejavu-core", "dnf": "dejavu-sans-fonts dejavu-sans-mono-fonts",
    "pacman": "ttf-dejavu", "zypper": "dejavu-fonts", "apk": "font-dejavu",
}  # fmt: skip
_HIDDEN = "offscreen"


def qt_findings() -> Iterator[Finding]:
    """Starts its trial at once; the findings come when they are asked for."""
    wanted = wanted_platforms()
    environment = {} if wanted else {"QT_QPA_PLATFORM": _HIDDEN}
    frozen = getattr(sys, "frozen", False)
    return _findings(wanted, None if frozen else Trial("qt", environment=environment))


def _findings(wanted: list[str], trial: Trial | None) -> Iterator[Finding]:
    if missing := missing_libraries(wanted):
        says = f"{named(missing)} missing"
        yield Finding(State.PROBLEM, "System libraries", says, line_for(missing))
    else:
        yield Finding(State.GOOD, "System libraries", "all that Qt needs")
    if not wanted:
        yield Finding(State.NOTE, "Display", "none: DISPLAY and WAYLAND_DISPLAY are not set",
                      WITHOUT_DISPLAY)  # fmt: skip
    else:
        yield Finding(State.GOOD, "Display", _display() or "as the system has it")
    if trial is not None:
        yield from _started(*trial.answers())


def _started(answers: list[dict[str, object]], end: str) -> Iterator[Finding]:
    if not answers:
        if "ImportError" in end or "ModuleNotFoundError" in end:
            yield Finding(State.PROBLEM, "Qt platform", "not tried: PySide6 cannot be imported")
        else:
            yield problem("Qt platform", why_not_started(end))
        return
    (answer,) = answers
    screens = answer["screens"] if isinstance(answer["screens"], list) else []
    says = f"{answer['platform']}, starts; Qt {answer['qt']}; screen {', '.join(screens)}"
    yield Finding(State.GOOD, "Qt platform", says)
    if answer["fonts"]:
        yield Finding(State.GOOD, "Fonts", f"{answer['fonts']} families")
    else:
        yield Finding(State.PROBLEM, "Fonts", "none: all text is invisible", remedy(_FONTS))


def _display() -> str:
    names = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY")
    return ", ".join(f"{name}={os.environ[name]}" for name in names if os.environ.get(name))
