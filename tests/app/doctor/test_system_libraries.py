"""Why Qt cannot be loaded or started, in the words of the doctor."""

from __future__ import annotations

import sys

import pytest

from qcachegrind_py.app.doctor.qt_checks import missing_libraries, why_not_imported, why_not_started


def test_no_library_is_missing_here() -> None:
    """Offscreen, Qt needs no library of X11 or Wayland, and it has all others here."""
    assert missing_libraries(["offscreen"]) == []


@pytest.mark.parametrize(
    ("told", "environment", "sentence"),
    [
        (
            "",
            {},
            "There is no display: DISPLAY and WAYLAND_DISPLAY are not set.\nWithout a display, ",
        ),
        (
            "plugins are: offscreen, xcb, wayland-egl.",
            {"QT_QPA_PLATFORM": "x;y:z"},
            "QT_QPA_PLATFORM is “x;y:z”, but Qt only supports offscreen, xcb, wayland-egl.\n"
            "To let Qt choose:\n    unset QT_QPA_PLATFORM",
        ),
        (
            "Could not initialize egl display",
            {"QT_QPA_PLATFORM": "eglfs", "DISPLAY": ":0"},
            "Qt cannot start: Could not initialize egl display\nWithout a display, ",
        ),
    ],
)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays of Linux")
def test_reason_why_qt_does_not_start(
    told: str, environment: dict[str, str], sentence: str
) -> None:
    """No display, an unknown platform, and one that fails have different remedies."""
    assert why_not_started(told, environment).startswith(sentence)


def test_reason_why_qt_cannot_be_loaded() -> None:
    """Qt is not installed, an unknown library is missing, or the system is too old."""
    absent = why_not_imported(ModuleNotFoundError("No module named 'PySide6'", name="PySide6"))
    old = why_not_imported(ImportError("libc.so.6: version `GLIBC_2.34' not found"))
    library = why_not_imported(
        ImportError("libnew.so.1: cannot open shared object file: No such file or directory")
    )

    assert absent.startswith("PySide6 is not installed")
    assert old.startswith("Qt requires a newer system: libc.so.6: version")
    assert "libnew.so.1" in library.splitlines()[0]
    assert "Install the system packages that contain" in library.splitlines()[1]
