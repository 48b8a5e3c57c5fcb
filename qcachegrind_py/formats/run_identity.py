"""Which run wrote a file: creator, command and process, as its header states them."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.profile.errors import UnreadableFile

_HEAD_SIZE = 64 * 1024  # bytes after decompression, as a command line may be long
_LINE = re.compile(rb"^(creator|cmd|pid):(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """The first `creator:`, `cmd:` and `pid:` of a file; a process has a number."""

    creator: bytes
    command: bytes
    process: bytes


def identity_from_head(head: bytes) -> RunIdentity | None:
    """Return the identity that the first bytes of a file state; None without creator or pid."""
    values: dict[bytes, bytes] = {}
    for key, value in _LINE.findall(head.removeprefix(codecs.BOM_UTF8)):
        values.setdefault(key, value.strip(b" \t\r"))
    if not values.get(b"creator") or not values.get(b"pid"):
        return None
    return RunIdentity(values[b"creator"], values.get(b"cmd", b""), values[b"pid"])


def run_identity(path: Path) -> RunIdentity | None:
    """Return the identity that a file states; None if it states none, or is unreadable."""
    try:
        file = open_profile(path)
    except UnreadableFile:
        return None
    try:
        return identity_from_head(file.head(_HEAD_SIZE))
    finally:
        file.close()
