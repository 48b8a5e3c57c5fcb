"""Finds the files of `resources/`: inside an installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]
_FOLDERS = (_PACKAGE / "resources", _PACKAGE.parent / "resources")
EXAMPLE_PROFILE = "example/sheet/callgrind.out.sheet.xz"


def resource_path(name: str) -> Path:
    """The path of a file of `resources/`, which is there however the program was installed."""
    return next((f / name for f in _FOLDERS if (f / name).exists()), _FOLDERS[0] / name)
