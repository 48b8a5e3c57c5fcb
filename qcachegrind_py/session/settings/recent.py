"""What was opened last: a file, a comparison or a history, each a row of text in the settings."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote, quote_from_bytes, unquote, unquote_to_bytes

from qcachegrind_py.frozen import frozen

_SEPARATOR = "\x1f"  # between the fields of a row, in which it is escaped
_UNESCAPED = "/\\: "  # in file names
_COMPARISON, _HISTORY = "comparison", "history"  # first fields; a file alone has an absolute path


@frozen(eq=True)
class Recent:
    """The files of a profile, and of its base if they are compared; or those of a history."""

    files: tuple[Path, ...]
    base: tuple[Path, ...] = ()
    labels: tuple[str, ...] = ()  # one for each file of a history, the oldest first

    @property
    def newest(self) -> Path:
        """The file that says when and what was recorded."""
        return self.files[-1] if self.labels else self.files[0]

    @property
    def is_file(self) -> bool:
        """Whether it is a profile alone."""
        return not self.base and not self.labels

    @property
    def all_files(self) -> tuple[Path, ...]:
        return (*self.files, *self.base)

    @property
    def title(self) -> str:
        """What it is called in a list: the name of a file, both sides, or how many revisions."""
        if self.labels:
            return f"{len(self.labels)} revisions, {self.labels[0]} to {self.labels[-1]}"
        if self.base:
            new, base = self.files[0], self.base[0]
            parts = -1 if new.name != base.name else -2  # the folder tells them apart
            names = ["/".join(path.parts[parts:]) for path in (new, base)]
            return " compared with ".join(names)
        return self.files[0].name

    def row(self) -> str:
        files, base = list(map(_escaped, self.files)), list(map(_escaped, self.base))
        if self.labels:
            labels = [quote(label, _UNESCAPED) for label in self.labels]
            return _SEPARATOR.join([_HISTORY, *labels, *files])
        if self.base:
            return _SEPARATOR.join([_COMPARISON, str(len(files)), *files, *base])
        return files[0]


def recent_of_row(row: str) -> Recent | None:
    """Return what a row stands for; None if it stands for nothing."""
    kind, *fields = row.split(_SEPARATOR)
    if kind == _HISTORY:
        count = len(fields) // 2
        labels, files = tuple(map(unquote, fields[:count])), tuple(map(_path, fields[count:]))
        return Recent(files, labels=labels) if len(files) == count > 1 else None
    if kind == _COMPARISON:
        count = int(fields[0]) if fields and fields[0].isascii() and fields[0].isdigit() else 0
        files = tuple(map(_path, fields[1 : 1 + count]))
        base = tuple(map(_path, fields[1 + count :]))
        return Recent(files, base) if files and base else None
    return Recent((_path(row),)) if row else None


def _escaped(path: Path) -> str:
    return quote_from_bytes(os.fsencode(path), _UNESCAPED)


def _path(field: str) -> Path:
    return Path(os.fsdecode(unquote_to_bytes(field)))
