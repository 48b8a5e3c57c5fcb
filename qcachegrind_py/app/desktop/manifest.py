"""The record of what `install` made, kept for `uninstall` as JSON below XDG_STATE_HOME."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

VERSION = 1


def digest(content: bytes | None) -> str:
    """Return the SHA-256 of a file's bytes; empty for no file."""
    return "" if content is None else hashlib.sha256(content).hexdigest()


@dataclass(slots=True)
class Manifest:
    """What was made, and what was there before."""

    files: dict[str, str] = field(default_factory=dict)  # path → digest of what was written
    folders: list[str] = field(default_factory=list)  # that were made
    caches: dict[str, list[str]] = field(default_factory=dict)  # absent before → their sources then
    defaults_before: str | None = None  # text of mimeapps.list, None if it was missing
    defaults_after: str = ""  # digest of what was made of it
    version: int = VERSION

    @classmethod
    def read(cls, content: bytes | None) -> Manifest | None:
        """Parse the file's bytes; None if it is missing, broken or of another version."""
        try:
            made = cls(**json.loads(content or b""))
            made.files, made.caches = dict(made.files), dict(made.caches)
            made.folders = list(map(str, made.folders))
        except (ValueError, TypeError):
            return None
        return made if made.version == VERSION else None

    def to_bytes(self) -> bytes:
        """Return the bytes of the file."""
        return json.dumps(asdict(self), indent=1).encode()

    def owns(self, path: Path, content: bytes | None) -> bool:
        """Return whether a file has the bytes that were written."""
        return content is not None and self.files.get(str(path)) == digest(content)
