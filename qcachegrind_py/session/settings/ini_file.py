"""Opens the settings file so that nothing in it is lost, and shares it with other instances.

Qt reads of a broken file what it can and writes over the rest: so such a file is kept beside first.
Keys that we do not know stay, as those of a newer version do. Qt merges what several instances
write, key by key; lists under one key are merged here, row by row.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QLockFile, QSettings

from qcachegrind_py.formats.atomic_write import atomic_write
from qcachegrind_py.profile.errors import UnwritableFile
from qcachegrind_py.session.settings.ini_checks import (
    is_binary,
    why_broken,
    why_not_writable,
    why_unreadable,
)

VERSION = 1  # to be raised when a key gets another meaning
_NAME = "qcachegrind_py"
_TOLD = "newer_version_told"
_PATIENCE = 500  # ms that another instance may take to add its rows
_LOST = "Settings are not remembered: {}: {}."
_BROKEN = "The settings file was broken: {}. It is kept as {}. \
What made no sense in it has its default."
_NEWER = "The settings are of a newer version of the program. What this one does not know is kept."


class OpenSettings(NamedTuple):
    """The settings, and what there is to say of the file: sentences."""

    store: QSettings
    problems: tuple[str, ...]


def open_settings() -> OpenSettings:
    """The user's settings; where the file cannot be used, settings until the program ends."""
    path = Path(_user_store().fileName())
    if reason := why_unreadable(path):
        return OpenSettings(_store_without_file(), (_LOST.format(path, reason),))
    problems = []
    if reason := why_broken(path):
        try:
            kept = _keep_beside(path)
        except (OSError, UnwritableFile):
            why = f"{reason}, and no copy can be kept"
            return OpenSettings(_store_without_file(), (_LOST.format(path, why),))
        problems.append(_BROKEN.format(reason, kept.name))
    elif reason := why_not_writable(path):
        problems.append(_LOST.format(path, reason))
    store = _user_store()
    problems += _take_version(store)
    return OpenSettings(store, tuple(problems))


def why_not_remembered(store: QSettings) -> str:
    """A sentence, if what was set could not be written; empty where it could, or was said."""
    path = Path(store.fileName())
    if store.status() is not QSettings.Status.AccessError or path.parent == Path(os.devnull):
        return ""
    reason = why_unreadable(path) or why_not_writable(path) or "it cannot be written"
    return _LOST.format(path, reason)


@contextlib.contextmanager
def alone(store: QSettings) -> Iterator[None]:
    """Read the file again, and write what is set in the block at its end; others wait meanwhile.

    Where they do not answer in time, or no lock can be had, the block runs nevertheless.
    """
    lock = QLockFile(f"{store.fileName()}.rows.lock")
    lock.tryLock(_PATIENCE)
    try:
        store.sync()
        yield
        store.sync()
    finally:
        lock.unlock()


def merged(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Our rows, without those that others took away since `base`, and with those they added."""
    taken = set(base) - set(theirs)
    added = [row for row in theirs if row not in base and row not in ours]
    return [*(row for row in ours if row not in taken), *added]


def _user_store() -> QSettings:
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, _NAME, _NAME)


def _store_without_file() -> QSettings:
    """Settings that can never be written: there is no folder below what is no folder."""
    return QSettings(str(Path(os.devnull) / "settings.ini"), QSettings.Format.IniFormat)


def _keep_beside(path: Path) -> Path:
    """Keep the file under another name; one that is no text does not stay under its own."""
    day = f"{path.name}.broken-{date.today().isoformat()}"
    names = (day, *(f"{day}-{number}" for number in range(2, 1000)))
    kept = next(kept for name in names if not (kept := path.with_name(name)).exists())
    if is_binary(path):
        path.rename(kept)
    else:
        with atomic_write(kept) as stream:
            stream.write(path.read_bytes())
        # so that the file is whole from now on, whatever Qt leaves out when it reads it
        with atomic_write(path) as stream:
            stream.write(_sensible(kept.read_bytes()))
    return kept


def _sensible(data: bytes) -> bytes:
    """The lines that are settings; the last one only if it was written to its end."""
    lines = data.splitlines(keepends=True)
    if lines and not lines[-1].endswith((b"\n", b"\r")):
        lines.pop()
    marks = (b"[", b";", b"#")
    return b"".join(li for li in lines if b"=" in li or li.strip().startswith(marks))


def _take_version(store: QSettings) -> list[str]:
    """Write our version, unless a newer one is there; that is said once."""
    text = str(store.value("version", ""))
    version = int(text) if text.isascii() and text.isdigit() else 0
    if version < VERSION:
        store.setValue("version", VERSION)
    elif version > VERSION and str(store.value(_TOLD, "")) != text:
        store.setValue(_TOLD, version)
        return [_NEWER]
    return []
