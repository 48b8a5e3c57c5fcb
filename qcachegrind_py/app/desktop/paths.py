"""Where a desktop looks for a user's files, and what of ours belongs there.

Rules: XDG Base Directory Specification 0.8; a path that is not absolute does not count.
"""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.app.desktop.running_command import with_command
from qcachegrind_py.app.style.resources import resource_path

ENTRY = "qcachegrind_py.desktop"
TYPES = (
    "application/x-kcachegrind",
    "application/x-kcachegrind-compressed",
    "application/x-python-profile",
)
_ENTRY_PATH = f"applications/{ENTRY}"
_ICON = "icons/hicolor/scalable/apps/qcachegrind_py.svg"
MADE_FOLDER = "mime/application"  # by update-mime-database, below `data`


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of a user."""

    data: Path
    config: Path
    state: Path

    @classmethod
    def of_user(cls) -> Places:
        """As the environment says, else as is usual."""
        home = Path.home()
        return cls(
            _folder("XDG_DATA_HOME", home / ".local/share"),
            _folder("XDG_CONFIG_HOME", home / ".config"),
            _folder("XDG_STATE_HOME", home / ".local/state"),
        )

    @property
    def defaults(self) -> Path:
        """The file that says which application opens what."""
        return self.config / "mimeapps.list"

    @property
    def record(self) -> Path:
        """The file that says what we made."""
        return self.state / "qcachegrind_py" / "desktop.json"

    def files(self, command: Iterable[str]) -> dict[Path, bytes]:
        """Path and content of what belongs below `data`, for a program started by `command`.

        Without what pip put there itself, as it does with `--user`.
        """
        shared = resource_path("desktop")
        found = {
            path.relative_to(shared).as_posix(): path.read_bytes()
            for path in sorted(shared.rglob("*"))
            if path.is_file()
        }
        found[_ICON] = resource_path("icons/qcachegrind_py.svg").read_bytes()
        entry = with_command(found[_ENTRY_PATH].decode(), command)
        found[_ENTRY_PATH] = entry.encode("utf-8", "surrogateescape")
        of_pip = _of_package()
        paths = {self.data / name: content for name, content in found.items()}
        return {path: paths[path] for path in paths if path.resolve() not in of_pip}

    def missing_folders(self, files: Iterable[Path]) -> list[Path]:
        """The folders that have to be made for these files and for what is made of them."""
        wanted = {self.data / MADE_FOLDER}
        for path in files:
            wanted.add(path.parent)
        above = {folder for path in wanted for folder in (path, *path.parents)}
        return sorted(folder for folder in above if not folder.exists())


def _folder(variable: str, usual: Path) -> Path:
    path = Path(os.environ.get(variable, ""))
    return path if path.is_absolute() else usual


def _of_package() -> set[Path]:
    """The files that came with the package."""
    try:
        files = importlib.metadata.files("qcachegrind_py") or []
    except importlib.metadata.PackageNotFoundError:
        return set()
    return {Path(str(path.locate())).resolve() for path in files}
