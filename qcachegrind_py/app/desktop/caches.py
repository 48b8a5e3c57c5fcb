"""What desktops look up instead of the files themselves: made anew after a change of these."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_PATIENCE = 120  # seconds


@dataclass(frozen=True, slots=True)
class Cache:
    """A cache in a folder below XDG_DATA_HOME, and the program that makes it."""

    name: str
    folder: str
    programs: tuple[tuple[str, ...], ...]  # the first that is installed makes it
    package: str  # where Debian has the program
    sources: Callable[[Path], list[Path]]  # what it is made of
    products: Callable[[Path], list[Path]]  # its files
    is_needed: bool = True  # whether desktops do not find the files without it

    def source_names(self, data: Path) -> list[str]:
        """Of what it would be made."""
        folder = data / self.folder
        return sorted(str(path.relative_to(folder)) for path in self.sources(folder))

    def exists(self, data: Path) -> bool:
        """Whether it was made."""
        return bool(self.products(data / self.folder))

    def refresh(self, data: Path) -> str:
        """Make it anew; gives a sentence where that failed, or could not be done."""
        folder = data / self.folder
        if not folder.is_dir() or not (self.is_needed or self.exists(data)):
            return ""
        command = next((words for words in self.programs if shutil.which(words[0])), None)
        if command is None:
            return (
                f"{self.programs[0][0]} is missing, without which desktops do not hear of this: "
                f"install it (in Debian: {self.package}), then do this again."
            )
        return _run((*command, str(folder)))

    def remove(self, data: Path) -> None:
        """Delete it, with the folders that are empty then."""
        for path in self.products(data / self.folder):
            path.unlink()
            if path.parent != data / self.folder and not any(path.parent.iterdir()):
                path.parent.rmdir()


def _run(command: tuple[str, ...]) -> str:
    try:
        subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_PATIENCE,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().splitlines()
        return f"{command[0]} failed: {said[-1] if said else error.returncode}"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{command[0]} failed: {error}"
    return ""


def _types(mime: Path) -> list[Path]:
    return list((mime / "packages").glob("*.xml"))


def _type_tables(mime: Path) -> list[Path]:
    """All but the packages: `update-mime-database` owns the rest of the folder."""
    found = mime.rglob("*")
    return [path for path in found if path.is_file() and path.parent.name != "packages"]


def _entries(applications: Path) -> list[Path]:
    return list(applications.rglob("*.desktop"))


def _named(name: str) -> Callable[[Path], list[Path]]:
    return lambda folder: [folder / name] if (folder / name).is_file() else []


def _pictures(theme: Path) -> list[Path]:
    return [path for path in theme.rglob("*") if path.suffix in (".png", ".svg", ".xpm")]


_ICON_PROGRAMS = ("gtk-update-icon-cache", "gtk4-update-icon-cache", "gtk-update-icon-cache-3.0")

CACHES = (
    Cache("types", "mime", (("update-mime-database",),), "shared-mime-info", _types, _type_tables),
    Cache(
        "entries",
        "applications",
        (("update-desktop-database", "--quiet"),),
        "desktop-file-utils",
        _entries,
        _named("mimeinfo.cache"),
    ),
    Cache(  # without it the folders are searched, with an old one nothing new is found
        "icons",
        "icons/hicolor",
        tuple((name, "--force", "--quiet", "--ignore-theme-index") for name in _ICON_PROGRAMS),
        "gtk-update-icon-cache",
        _pictures,
        _named("icon-theme.cache"),
        is_needed=False,
    ),
)


def touch_icons(data: Path) -> None:
    """Tell running programs that there is a new icon: they look at the theme's own time."""
    with contextlib.suppress(OSError):  # there is none, or it is not the user's
        os.utime(data / "icons/hicolor")
