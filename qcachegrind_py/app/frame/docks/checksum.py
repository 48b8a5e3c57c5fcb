"""A checksum before saved layouts, since Qt may crash when it restores a damaged one.

A layout is restored at every start, so a program that crashed over it could not be started again.
"""

from __future__ import annotations

import re
import zlib

from PySide6.QtCore import QByteArray

_SEALED = re.compile(rb"crc32 ([0-9a-f]{8}) (.*)", re.DOTALL)


def with_checksum(state: QByteArray) -> QByteArray:
    """Return a state of Qt's with its checksum in front."""
    content = bytes(state.data())
    return QByteArray(b"crc32 %08x %b" % (zlib.crc32(content), content))


def without_checksum(saved: QByteArray) -> QByteArray:
    """Return the state; empty if it is damaged. One saved before there were checksums has none."""
    sealed = _SEALED.fullmatch(saved.data())
    if not sealed:
        return saved
    checksum, content = sealed.groups()
    return QByteArray(content if int(checksum, 16) == zlib.crc32(content) else b"")
