"""What of the desktop's files we made: kept from the installing for the taking back.

Kept in a file of JSON below XDG_STATE_HOME. Whether it is done is the business of `installing`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

VERSION = 1


def digest(content: bytes | None) -> str:
    """By what a file is known again; "" where there is none."""
    return "" if content is None else hashlib.sha256(content).hexdigest()


@dataclass(slots=True)
class Record:
    """What was made, and what was there before."""

    files: dict[str, str] = field(default_factory=dict)  # path → digest of what we wrote
    folders: list[str] = field(default_factory=list)  # that were not there before
    caches: dict[str, list[str]] = field(default_factory=dict)
    """Of the caches that were not there before: what they would have been made of."""
    defaults_before: str | None = None  # text of mimeapps.list, None where there was none
    defaults_after: str = ""  # digest of what we made of it
    version: int = VERSION

    @classmethod
    def read(cls, content: bytes | None) -> Record | None:
        """The record in a file's bytes; None where there is none, or it makes no sense."""
        try:
            made = cls(**json.loads(content or b""))
        except (ValueError, TypeError):
            return None
        return made if made._makes_sense() else None

    def content(self) -> bytes:
        """The bytes of the file."""
        return json.dumps(asdict(self), indent=1).encode()

    def made(self, path: Path, content: bytes | None) -> bool:
        """Whether a file is as we wrote it."""
        return content is not None and self.files.get(str(path)) == digest(content)

    def _makes_sense(self) -> bool:
        return (
            self.version == VERSION
            and isinstance(self.files, dict)
            and _are_texts(self.files.values())
            and _are_texts(self.folders)
            and isinstance(self.caches, dict)
            and all(map(_are_texts, self.caches.values()))
            and isinstance(self.defaults_before, str | None)
            and isinstance(self.defaults_after, str)
        )


def _are_texts(texts: Any) -> bool:  # Any: a file may hold anything
    return isinstance(texts, Iterable) and all(isinstance(text, str) for text in texts)
