"""Why Qt cannot be loaded or cannot start here, as a sentence with the remedy.

The sentences stand for a traceback of an import, and for Qt's own end of the program by a signal.
Importing this module needs no Qt.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Mapping

from qcachegrind_py.app.doctor.python_packages import package_line
from qcachegrind_py.app.doctor.system_libraries import (
    Library,
    install_line,
    library_named_in,
    line_for,
    missing_libraries,
    named,
    package_manager,
)

WITHOUT_DISPLAY = "Without one, --report text FILE prints the tables, and --screenshot PNG FILE \
saves a picture of the window."
_GLIBC = re.compile(r"GLIBC(?:XX)?_[\d.]+")
_ARM_GLIBC = (2, 39)  # what PySide6's wheels for Linux on ARM were built for
_LINE = "Install with:\n    "
_PIP = "Install it with:\n    {}"


def wanted_platforms(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Qt's platforms that it will try here, in order; none where there is no display."""
    asked = environment.get("QT_QPA_PLATFORM", "")
    if asked:
        names = (name.partition(":")[0] for name in asked.split(";"))
        return ["wayland" if name.startswith("wayland") else name for name in names]
    if not sys.platform.startswith("linux"):
        return [{"darwin": "cocoa", "win32": "windows"}.get(sys.platform, "xcb")]
    found = [("wayland", "WAYLAND_DISPLAY"), ("xcb", "DISPLAY")]
    return [name for name, variable in found if environment.get(variable)]


def why_not_imported(error: ImportError) -> str:
    """Why PySide6 cannot be imported, and what to do."""
    if isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("PySide6"):
        return _without_pyside()
    missing = missing_libraries(wanted_platforms())
    name = library_named_in(str(error))
    if name and name not in [library.name for library in missing]:
        missing.append(Library("qt", name, "", "", ""))
    if missing:
        return _without(missing)
    if _GLIBC.search(str(error)):
        return f"Qt was built for a newer system: {error}.\nInstall an older PySide6-Essentials, \
such as: {sys.executable} -m pip install 'PySide6-Essentials<6.10'"
    return f"Qt cannot be loaded: {error}."


def why_not_started(told: str, environment: Mapping[str, str] = os.environ) -> str:
    """Why Qt finds no platform to show a window on; `told` is what it said at the end."""
    platforms = wanted_platforms(environment)
    if not platforms:
        return f"There is no display: DISPLAY and WAYLAND_DISPLAY are not set.\n{WITHOUT_DISPLAY}"
    missing = missing_libraries(platforms)
    if missing:
        return _without(missing)
    _, _, available = told.partition("plugins are: ")
    known = re.findall(r"\w[\w-]*", available)
    asked = environment.get("QT_QPA_PLATFORM", "")
    if asked and known and not set(platforms) & {name.partition("-")[0] for name in known}:
        return f"QT_QPA_PLATFORM asks for “{asked}”, and Qt knows only {', '.join(known)}.\n\
Leave the choice to Qt with:\n    unset QT_QPA_PLATFORM"
    displays = [f"{name}={environment.get(name, '')}" for name in _displays(platforms)]
    if displays:
        return f"The display cannot be opened ({', '.join(displays)}): nothing answers there, or \
it does not let you in.\n{WITHOUT_DISPLAY}"
    return f"Qt cannot start: {told.strip()}\n{WITHOUT_DISPLAY}"


def _displays(platforms: list[str]) -> list[str]:
    """The variables that name a display on these platforms."""
    names = {"wayland": "WAYLAND_DISPLAY", "xcb": "DISPLAY"}
    return [names[platform] for platform in platforms if platform in names]


def _without(missing: list[Library]) -> str:
    remedy, there = line_for(missing), "is" if len(missing) == 1 else "are"
    says = f"Qt cannot start: {named(missing)} {there} missing on this system."
    return f"{says}\n{remedy}" if remedy.startswith("Install") else f"{says} {_LINE}{remedy}"


def _without_pyside() -> str:
    """Where pip has no PySide6 for this system, another way."""
    libc, version = platform.libc_ver()
    numbers = tuple(int(number) for number in version.split(".") if number.isdigit())
    if sys.platform.startswith("linux") and libc != "glibc":
        line = install_line("apk", ["py3-pyside6"]) if package_manager() == "apk" else ""
        own = "Take the system's own, in a Python environment that sees it" + (line and ":\n    ")
        return f"PySide6 is not installed, and pip has none for systems without glibc. {own}{line}"
    if platform.machine() == "aarch64" and numbers < _ARM_GLIBC:
        return f"PySide6 is not installed, and pip has none for ARM with glibc {version}. Take the \
system's own, if it has one, or a system with glibc 2.39, such as Debian 13 or Ubuntu 24.04."
    return f"PySide6 is not installed. {_PIP.format(package_line('PySide6-Essentials'))}"
