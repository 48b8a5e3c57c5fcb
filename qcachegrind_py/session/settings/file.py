"""The file of the settings: opened, or replaced if it cannot be used, and written by one at a time.

QSettings replaces the file atomically, keeps keys that it does not know, and merges, key by key,
what several running instances write. It drops lines that it cannot parse, so a broken file is
copied before Qt touches it.
"""

from __future__ import annotations

import itertools
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QByteArray, QLockFile, QSettings

from qcachegrind_py.formats.compression import atomic_write
from qcachegrind_py.profile.errors import UnwritableFile
from qcachegrind_py.session.settings.ini_checks import (
    FOREIGN,
    NOT_TEXT,
    why_broken,
    why_not_writable,
    why_unreadable,
)

VERSION = 1  # raised when a key changes its meaning
_NAME = "qcachegrind_py"
_numbers = itertools.count()  # of stores without a file
_NEWER_REPORTED = "newer_version_told"  # the newer version that was already reported to the user
_LOCK_MS = 500  # an update takes a few; without a lock it is made all the same
_DIGITS = re.compile(r"[0-9]{1,9}")  # a larger number does not fit into a value of Qt's
_NOT_SAVED = "Settings are not saved: {}: {}."
_BROKEN = "The settings file was damaged: {}. It is kept as {}. \
Invalid settings were reset to their defaults."
_NEWER = "The settings were written by a newer version of the program. Unknown settings are kept."


class OpenedStore(NamedTuple):
    """The settings, and sentences about problems with their file."""

    store: QSettings
    problems: tuple[str, ...]


def open_store() -> OpenedStore:
    """Open the user's settings; if the file cannot be used, settings that last for this run."""
    path = Path(_user_store().fileName())
    if reason := why_unreadable(path):
        return OpenedStore(store_without_file(), (_NOT_SAVED.format(path, reason),))
    if reason := why_broken(path):
        return _open_broken(path, reason)
    reason = why_not_writable(path, probe=False)
    problems = [_NOT_SAVED.format(path, reason)] if reason else []
    store = _user_store()
    return OpenedStore(store, (*problems, *_newer_version(store)))


def write_problem(store: QSettings) -> str:
    """Return a sentence if the last write failed; empty if it did not, or if that was told."""
    path = Path(store.fileName())
    if store.status() is not QSettings.Status.AccessError or path.parent == Path(os.devnull):
        return ""
    reason = why_unreadable(path) or why_not_writable(path) or "it cannot be written"
    return _NOT_SAVED.format(path, reason)


@contextmanager
def sole_writer(store: QSettings) -> Iterator[None]:
    """Keep other instances waiting while this one reads a list, changes it and writes it.

    Qt's own lock covers a single reading or writing. Between the two, another one may write.
    """
    lock = QLockFile(f"{store.fileName()}.update")
    lock.tryLock(_LOCK_MS)
    try:
        store.sync()
        yield
        store.sync()
    finally:
        lock.unlock()


def stored_version(store: QSettings) -> int:
    """Return the version of the settings format; 0 if there is none."""
    return stored_number(store.value("version")) or 0


def stored_number(value: object) -> int | None:
    """Return the number that a stored value is; None if it is none of up to nine digits."""
    return int(text) if _DIGITS.fullmatch(text := str(value)) else None


def stored_state(store: QSettings, key: str) -> QByteArray:
    value = store.value(key)
    return value if isinstance(value, QByteArray) else QByteArray()


def merge_rows(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return our rows, less those that others removed since `base`, plus those that they added."""
    removed = set(base) - set(theirs)
    added = [row for row in theirs if row not in base and row not in ours]
    return [*(row for row in ours if row not in removed), *added]


def _user_store() -> QSettings:
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, _NAME, _NAME)


def store_without_file() -> QSettings:
    """Return settings that can never be written, because the null device is no folder."""
    # each of its own name, since Qt shares what is stored by all objects with one path
    file = Path(os.devnull) / f"{next(_numbers)}.ini"
    return QSettings(str(file), QSettings.Format.IniFormat)


def _open_broken(path: Path, reason: str) -> OpenedStore:
    try:
        copy = _keep_copy(path, is_unusable=reason in (NOT_TEXT, FOREIGN))
    except (OSError, UnwritableFile):
        why = f"{reason}, and no copy can be saved"
        return OpenedStore(store_without_file(), (_NOT_SAVED.format(path, why),))
    store = _user_store()
    version = stored_version(store)
    store.setValue("version", version or VERSION)  # rewrites the file without its bad lines
    return OpenedStore(store, (_BROKEN.format(reason, copy.name), *_newer_version(store)))


def _keep_copy(path: Path, *, is_unusable: bool) -> Path:
    """Copy the file under a name with today's date; move one that Qt must not read."""
    name = f"{path.name}.broken-{time.strftime('%Y-%m-%d')}"
    names = (name, *(f"{name}-{number}" for number in range(2, 1000)))
    copy = next(copy for name in names if not (copy := path.with_name(name)).exists())
    if is_unusable:
        path.rename(copy)
    else:
        with atomic_write(copy) as stream:
            stream.write(path.read_bytes())
    return copy


def _newer_version(store: QSettings) -> list[str]:
    """Return a sentence if a newer version of the program wrote the file; only once."""
    version = stored_version(store)
    if version <= VERSION or str(store.value(_NEWER_REPORTED, "")) == str(version):
        return []
    store.setValue(_NEWER_REPORTED, version)
    return [_NEWER]
