"""Rebuild or remove the caches in which desktops look up MIME types, menu entries and icons."""

from __future__ import annotations

import contextlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.tools.command_line import program_path

_TIMEOUT = 120  # seconds


@dataclass(frozen=True, slots=True)
class Cache:
    """A cache in one folder below XDG_DATA_HOME."""

    name: str  # its key in the manifest
    folder: str
    command: tuple[str, ...]  # rebuilds the cache of the folder given as last argument
    package: str  # Debian's package with that command
    sources: str  # glob of the files that the cache describes
    products: str  # glob of the cache's own files
    is_optional: bool = False  # desktops find the files without it

    def source_names(self, data: Path) -> list[str]:
        """Return the files that the cache describes, relative to its folder."""
        folder = data / self.folder
        return sorted(str(path.relative_to(folder)) for path in folder.glob(self.sources))

    def exists(self, data: Path) -> bool:
        """Return whether the cache has been built."""
        return bool(self._products(data))

    def refresh(self, data: Path) -> str:
        """Rebuild the cache if desktops need it; return a sentence if that failed."""
        folder = data / self.folder
        if not folder.is_dir() or (self.is_optional and not self.exists(data)):
            return ""
        program = program_path(self.command[0])
        if program is None:
            return (
                f"{self.command[0]} is missing; desktops need it to notice the change. "
                f"Install it (Debian: {self.package}), then try again."
            )
        try:
            subprocess.run(
                (program, *self.command[1:], str(folder)),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TIMEOUT,
                check=True,
            )
        except subprocess.CalledProcessError as error:
            lines = error.stderr.decode(errors="replace").strip().splitlines()
            return f"{self.command[0]} failed: {lines[-1] if lines else error.returncode}"
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{self.command[0]} failed: {error}"
        return ""

    def remove(self, data: Path) -> None:
        """Delete the cache, and the folders that this leaves empty."""
        for path in self._products(data):
            path.unlink()
            if path.parent != data / self.folder and not any(path.parent.iterdir()):
                path.parent.rmdir()

    def _products(self, data: Path) -> list[Path]:
        found = (data / self.folder).glob(self.products)
        # update-mime-database owns all of its folder but the packages
        return [path for path in found if path.is_file() and path.parent.name != "packages"]


CACHES = (
    Cache("types", "mime", ("update-mime-database",), "shared-mime-info", "packages/*.xml", "**/*"),
    Cache(
        "entries", "applications", ("update-desktop-database", "--quiet"), "desktop-file-utils",
        "**/*.desktop", "mimeinfo.cache",
    ),
    Cache(  # without it desktops search the folders, with an old one they miss new icons
        "icons", "icons/hicolor",
        ("gtk-update-icon-cache", "--force", "--quiet", "--ignore-theme-index"),
        "gtk-update-icon-cache", "*/*/*.*", "icon-theme.cache", is_optional=True,
    ),
)  # fmt: skip


def touch_icons(data: Path) -> None:
    """Make running programs notice a new icon: they watch the theme folder's time stamp."""
    with contextlib.suppress(OSError):  # missing, or not the user's
        os.utime(data / "icons/hicolor")
