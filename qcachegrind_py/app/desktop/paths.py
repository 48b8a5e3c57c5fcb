"""The folders of a user's desktop, and the files that belong into them.

Follows the XDG Base Directory Specification 0.8: a path that is not absolute is ignored.
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
GENERATED_FOLDER = "mime/application"  # by update-mime-database, below `data`
ZSH_FUNCTIONS = "zsh/site-functions"  # below `data`
_ENTRY_PATH = f"applications/{ENTRY}"
_ICON = "icons/hicolor/scalable/apps/qcachegrind_py.svg"


@dataclass(frozen=True, slots=True)
class DesktopPaths:
    """The XDG folders of a user."""

    data: Path
    config: Path
    state: Path

    @classmethod
    def of_user(cls) -> DesktopPaths:
        """Return the folders set in the environment, else the usual ones."""
        home = Path.home()
        return cls(
            _folder("XDG_DATA_HOME", home / ".local/share"),
            _folder("XDG_CONFIG_HOME", home / ".config"),
            _folder("XDG_STATE_HOME", home / ".local/state"),
        )

    @property
    def defaults(self) -> Path:
        """The file that names the default application of each type."""
        return self.config / "mimeapps.list"

    @property
    def manifest(self) -> Path:
        """The file that records what was installed."""
        return self.state / "qcachegrind_py" / "desktop.json"

    def files(self, command: Iterable[str]) -> dict[Path, bytes]:
        """Return path and content of all files to install, for a program started by `command`.

        Files that `pip install --user` put there are left out.
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
        of_pip = _files_of_pip()
        paths = {self.data / name: content for name, content in found.items()}
        return {path: paths[path] for path in paths if path.resolve() not in of_pip}

    def missing_folders(self, files: Iterable[Path]) -> list[Path]:
        """Return the folders that do not exist yet for these files and the MIME cache."""
        wanted = {self.data / GENERATED_FOLDER, *(path.parent for path in files)}
        folders = {folder for path in wanted for folder in (path, *path.parents)}
        return sorted(folder for folder in folders if not folder.exists())


def _folder(variable: str, usual: Path) -> Path:
    path = Path(os.environ.get(variable, ""))
    return path if path.is_absolute() else usual


def _files_of_pip() -> set[Path]:
    """Return the files that were installed with the Python package."""
    try:
        files = importlib.metadata.files("qcachegrind_py") or []
    except importlib.metadata.PackageNotFoundError:
        return set()
    return {Path(str(path.locate())).resolve() for path in files}
