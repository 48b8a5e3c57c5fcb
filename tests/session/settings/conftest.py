"""Settings in a file of the test, read again as a restarted program reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from qcachegrind_py.session.settings.store import Settings

Stored = Callable[[Callable[[Settings], object]], Settings]


def settings_in(tmp_path: Path, text: str = "") -> Settings:
    """The settings in a file; `text` is written to it before."""
    file = tmp_path / "settings.ini"
    if text:
        file.write_text(text, encoding="utf-8")
    return Settings(QSettings(str(file), QSettings.Format.IniFormat))


@pytest.fixture
def restarted(tmp_path: Path) -> Stored:
    """Return a function that changes settings, and reads them as a restarted program does."""

    def restarted(change: Callable[[Settings], object]) -> Settings:
        settings = settings_in(tmp_path)
        change(settings)
        settings._store.sync()
        return settings_in(tmp_path)

    return restarted


HOSTILE = {
    "slashes": "../../etc/passwd",
    "separators": "a, b; c = [General]\\n%20",
    "lines": "a\nb\r\n[programs]\nplace=1",
    "NUL": "a\x00b",
    "an at sign": "@ByteArray(x)",
    "quotes": "\"a\" 'b' `c`",
    "other letters": "ä→😀\u202e",
    "not UTF-8": "caf\udce9",
    "nothing": "",
    "very long": "x" * 100_000,
}  # names that a person types, or that a profile has
