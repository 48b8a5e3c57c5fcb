"""What is remembered between two starts, as typed values over QSettings (an INI file)."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote_from_bytes, unquote_to_bytes

from PySide6.QtCore import QByteArray, QSettings

from qcachegrind_py.session.context import CostUnit

_RECENT_KEPT = 10
_UNQUOTED = "/\\: "  # of file names, which need not be text; the others are as in addresses
_Member = TypeVar("_Member", bound=Enum)


class ColorScheme(Enum):
    """Which palette the window has."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Settings:
    """Reads and writes at once; what is missing or makes no sense is the default."""

    def __init__(self, store: QSettings | None = None) -> None:
        self._store = store or QSettings(
            QSettings.Format.IniFormat,
            QSettings.Scope.UserScope,
            "qcachegrind_py",
            "qcachegrind_py",
        )

    @property
    def recent_files(self) -> list[Path]:
        """What was opened, the latest first."""
        texts = self._store.value("recent_files", [], list)
        texts = texts if isinstance(texts, list) else []
        return [Path(os.fsdecode(unquote_to_bytes(text))) for text in texts if text]

    def add_recent_file(self, path: Path) -> None:
        """Remember the file as the latest."""
        files = [path, *(other for other in self.recent_files if other != path)]
        texts = [quote_from_bytes(os.fsencode(file), _UNQUOTED) for file in files[:_RECENT_KEPT]]
        self._store.setValue("recent_files", texts)

    def forget_recent_files(self) -> None:
        """Remember none."""
        self._store.remove("recent_files")

    @property
    def unit(self) -> CostUnit:
        """How costs are written."""
        return _member(CostUnit, self._store.value("unit"), CostUnit.PERCENT)

    @unit.setter
    def unit(self, unit: CostUnit) -> None:
        self._store.setValue("unit", unit.value)

    @property
    def cycles(self) -> bool:
        """Whether recursion cycles count as one."""
        return bool(self._store.value("cycles", True, bool))

    @cycles.setter
    def cycles(self, cycles: bool) -> None:
        self._store.setValue("cycles", cycles)

    @property
    def color_scheme(self) -> ColorScheme:
        """Which palette the window has."""
        return _member(ColorScheme, self._store.value("color_scheme"), ColorScheme.SYSTEM)

    @color_scheme.setter
    def color_scheme(self, scheme: ColorScheme) -> None:
        self._store.setValue("color_scheme", scheme.value)

    @property
    def window(self) -> tuple[QByteArray, QByteArray]:
        """Geometry and docks of the window; empty where never saved."""
        geometry = self._store.value("geometry", QByteArray())
        docks = self._store.value("docks", QByteArray())
        return (
            geometry if isinstance(geometry, QByteArray) else QByteArray(),
            docks if isinstance(docks, QByteArray) else QByteArray(),
        )

    def set_window(self, geometry: QByteArray, docks: QByteArray) -> None:
        """Remember where the window and its docks are."""
        self._store.setValue("geometry", geometry)
        self._store.setValue("docks", docks)


def _member(kind: type[_Member], value: object, default: _Member) -> _Member:
    return next((member for member in kind if member.value == value), default)
