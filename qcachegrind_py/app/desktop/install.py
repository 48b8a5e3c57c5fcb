"""Install the program on the user's desktop; uninstall it and leave everything as before."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from qcachegrind_py.app.desktop.running_command import with_command
from qcachegrind_py.app.style.resources import resource_path
from qcachegrind_py.formats.compression import atomic_write
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import UnreadableFile, UnwritableFile
from qcachegrind_py.tools.command_line import program_path

ENTRY = "io.github.qcachegrind_py.qcachegrind_py.desktop"
TYPES = (
    "application/x-kcachegrind",
    "application/x-kcachegrind-compressed",
    "application/x-python-profile",
    "application/x-sampled-stacks",
)
GENERATED_FOLDER = "mime/application"  # by update-mime-database, below `data`
ZSH_FUNCTIONS = "zsh/site-functions"  # below `data`
_ENTRY_PATH = f"applications/{ENTRY}"
_ICON = "icons/hicolor/scalable/apps/qcachegrind_py.svg"


@frozen(eq=True)
class DesktopPaths:
    """The XDG folders of a user."""

    data: Path
    config: Path
    state: Path
    made: Mapping[str, str] = field(default_factory=dict)  # texts by name below `data`

    @classmethod
    def of_user(cls, made: Mapping[str, str]) -> DesktopPaths:
        """Return the folders set in the environment, else the usual ones."""
        home = Path.home()
        return cls(
            _folder("XDG_DATA_HOME", home / ".local/share"),
            _folder("XDG_CONFIG_HOME", home / ".config"),
            _folder("XDG_STATE_HOME", home / ".local/state"),
            made,
        )

    @property
    def defaults(self) -> Path:
        """The file that names the default application of each type."""
        return self.config / "mimeapps.list"

    @property
    def manifest(self) -> Path:
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
        found |= {name: text.encode() for name, text in self.made.items()}
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
    try:
        files = importlib.metadata.files("qcachegrind_py") or []
    except importlib.metadata.PackageNotFoundError:
        return set()
    return {Path(str(path.locate())).resolve() for path in files}


_VERSION = 1


@dataclass(slots=True)
class Manifest:
    """What was made, and what was there before."""

    files: dict[str, str] = field(default_factory=dict)  # path → digest of what was written
    folders: list[str] = field(default_factory=list)  # that were made
    defaults_before: str | None = None  # text of mimeapps.list, None if it was missing
    defaults_after: str = ""  # digest of what was made of it
    version: int = _VERSION

    @classmethod
    def read(cls, path: Path) -> Manifest | None:
        """Parse the file; None if it is missing, broken or of another version."""
        try:
            made = json.loads(_read(path) or b"")
            made.pop("caches", None)  # of earlier versions
            manifest = cls(**made)
            manifest.files = dict(manifest.files)
            manifest.folders = list(map(str, manifest.folders))
        except (ValueError, TypeError, AttributeError):
            return None
        return manifest if manifest.version == _VERSION else None

    def owns(self, path: Path, content: bytes | None) -> bool:
        return content is not None and self.files.get(str(path)) == _digest(content)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# ---------------------------------------------------------------- the list of default applications

_DEFAULTS = "[Default Applications]"


def with_default(text: str, types: Iterable[str], application: str) -> str:
    """Return the text with the application as the first default of all these types."""
    lines, missing, end = text.split("\n"), dict.fromkeys(types), 0
    for number, (section, type_) in enumerate(_entries(lines)):
        if section == _DEFAULTS and lines[number].strip():
            end = number + 1
        if section == _DEFAULTS and type_ in types:  # of duplicates, desktops read any one
            others = [name for name in _applications(lines[number]) if name != application]
            lines[number] = _with_value(lines[number], [application, *others])
            missing.pop(type_, None)
    if missing and not end:
        before = lines[:-1] if lines[-1] == "" else lines
        lines = [*before, *([""] if before else []), _DEFAULTS, ""]
        end = len(lines) - 1
    lines[end:end] = [f"{type_}={application}" for type_ in missing]
    return "\n".join(lines)


def without(text: str, types: Iterable[str], application: str) -> str:
    """Return the text without any mention of the application for these types."""
    lines = text.split("\n")
    kept = []
    for line, (_section, type_) in zip(lines, _entries(lines), strict=True):
        names = _applications(line)
        if type_ in types and application in names:
            others = [name for name in names if name != application]
            kept += [_with_value(line, others)] if any(others) else []
        else:
            kept.append(line)
    return "\n".join(kept)


def _entries(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the section of each line, and the type of its entry; empty if it is none."""
    section = ""
    for line in lines:
        text = line.strip()
        section = text if text.startswith("[") else section
        is_entry = "=" in text and not text.startswith(("#", "["))
        yield section, text.partition("=")[0].rstrip() if is_entry else ""


def _applications(line: str) -> list[str]:
    return [name.strip() for name in line.partition("=")[2].split(";")]


def _with_value(line: str, names: list[str]) -> str:
    end = "\r" if line.endswith("\r") else ""
    return f"{line.partition('=')[0]}={';'.join(names)}{end}"


# ---------------------------------------------------------------- caches of desktops

_TIMEOUT = 120  # seconds


@frozen(eq=True)
class Cache:
    """A cache in one folder below XDG_DATA_HOME."""

    folder: str
    command: tuple[str, ...]  # rebuilds the cache of the folder given as last argument
    package: str  # Debian's package with that command
    sources: str  # glob of the files that the cache describes
    products: str  # glob of the cache's own files
    is_optional: bool = False  # desktops find the files without it

    def refresh(self, data: Path) -> str:
        """Rebuild the cache if desktops need it; return a sentence if that failed."""
        folder = data / self.folder
        if not folder.is_dir() or (self.is_optional and not self._products(folder)):
            return ""
        program = program_path(self.command[0])
        if program is None:
            return (
                f"{self.command[0]} is missing; desktops need it to notice the change. "
                f"Install it (Debian: {self.package}), then try again."
            )
        try:
            subprocess.run(
                (program, *self.command[1:], str(folder)), stdin=subprocess.DEVNULL,
                capture_output=True, timeout=_TIMEOUT, check=True,
            )  # fmt: skip
        except subprocess.CalledProcessError as error:
            lines = error.stderr.decode(errors="replace").strip().splitlines()
            return f"{self.command[0]} failed: {lines[-1] if lines else error.returncode}"
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{self.command[0]} failed: {error}"
        return ""

    def leave(self, data: Path) -> str:
        """Refresh a cache that describes files of others, else remove it; return as `refresh`."""
        folder = data / self.folder
        products = self._products(folder)
        if any(folder.glob(self.sources)):
            return self.refresh(data) if products else ""
        for path in products:
            _remove(path)
        _remove_empty({path.parent for path in products} - {folder})
        return ""

    def _products(self, folder: Path) -> list[Path]:
        # update-mime-database owns all of its folder but the packages
        found = folder.glob(self.products)
        return [path for path in found if path.is_file() and path.parent.name != "packages"]


CACHES = (
    Cache("mime", ("update-mime-database",), "shared-mime-info", "packages/*.xml", "**/*"),
    Cache(
        "applications", ("update-desktop-database", "--quiet"), "desktop-file-utils",
        "**/*.desktop", "mimeinfo.cache",
    ),
    Cache(  # without it desktops search the folders, with an old one they miss new icons
        "icons/hicolor", ("gtk-update-icon-cache", "--force", "--quiet", "--ignore-theme-index"),
        "gtk-update-icon-cache", "*/*/*.*", "icon-theme.cache", is_optional=True,
    ),
)  # fmt: skip


def _touch_icons(data: Path) -> None:
    """Make running programs notice a new icon: they watch the theme folder's time stamp."""
    with contextlib.suppress(OSError):  # missing, or not the user's
        os.utime(data / "icons/hicolor")


# ---------------------------------------------------------------- installing

_IN_CACHE = (
    "This program is in a temporary cache. Install it permanently with pipx or uv tool install, "
    "then try again."
)
_ERRORS = "surrogateescape"  # undecodable bytes survive a round trip


def install(paths: DesktopPaths, command: tuple[str, ...]) -> list[str]:
    """Install or reinstall the desktop entry and its files; return messages for the user.

    Raises UnreadableFile, or UnwritableFile if a file of that name is not ours or cannot be
    written; everything is then as it was.
    """
    for word in command:
        if word != word.encode("utf-8", "ignore").decode():
            reason = "has a name that is not valid text, so no menu can start it."
            raise UnwritableFile(word, reason, remedy="Install the program elsewhere.")
    files = paths.files(command)
    old = Manifest.read(paths.manifest) or _found_files(paths, files)
    for path, content in files.items():
        there = _read(path)
        if there is not None and not (old.owns(path, there) or _is_same(path, there, content)):
            reason = "already exists and was not written by QCachegrind.py."
            raise UnwritableFile(path, reason, remedy="Move or delete it, then try again.")
    _write(paths, files, old)
    for path in map(Path, old.files):
        if path not in files and old.owns(path, _read(path)):
            _remove(path)  # left by a version that had it elsewhere
    _touch_icons(paths.data)
    notes = [cache.refresh(paths.data) for cache in CACHES]
    is_temporary = "cache" in {part.strip(".") for word in command for part in Path(word).parts}
    return [
        f"QCachegrind.py is installed on your desktop. Menu entry, icons, file types, manual page "
        f"and shell completion are in {paths.data}.",
        f"The menu entry starts: {shlex.join(command)}",
        "Double-click a profile to open it. “desktop uninstall” removes all of this.",
        *_shell_advice(paths),
        *([_IN_CACHE] if is_temporary else []),
        *filter(None, notes),
    ]


def uninstall(paths: DesktopPaths, command: tuple[str, ...]) -> list[str]:
    """Undo `install`; return messages for the user.

    Without a manifest, files as we would write them are taken for ours. Raises UnreadableFile, or
    UnwritableFile if something cannot be removed; running it again continues from there.
    """
    known = Manifest.read(paths.manifest)
    manifest = known or _found_files(paths, paths.files(command))
    defaults = _read(paths.defaults)
    restored = _defaults_without_us(defaults, manifest)
    if restored is None:
        _remove(paths.defaults)
    elif restored != defaults:
        _write_all({paths.defaults: restored}, ())
    if not (known or manifest.files or restored != defaults):
        return ["QCachegrind.py was not installed on your desktop."]
    messages = ["QCachegrind.py has been removed from your desktop."]
    for path in map(Path, manifest.files):
        content = _read(path)
        if manifest.owns(path, content):
            _remove(path)
        elif content is not None:
            messages.append(f"{path} has been changed since and is kept.")
    _touch_icons(paths.data)
    if known or manifest.files:
        messages += filter(None, [cache.leave(paths.data) for cache in CACHES])
    _remove(paths.manifest)
    _remove_empty(map(Path, manifest.folders))
    return messages


def _write(paths: DesktopPaths, files: Mapping[Path, bytes], old: Manifest) -> None:
    """Write all files, the list of defaults and the manifest, or none of them."""
    before = _defaults_without_us(_read(paths.defaults), old)
    text = None if before is None else before.decode("utf-8", _ERRORS)
    after = with_default(text or "", TYPES, ENTRY).encode("utf-8", _ERRORS)
    folders = paths.missing_folders([*files, paths.defaults, paths.manifest])
    manifest = Manifest(
        files={str(path): _digest(content) for path, content in files.items()},
        folders=sorted({*old.folders, *map(str, folders)}),
        defaults_before=text,
        defaults_after=_digest(after),
    )
    record = json.dumps(asdict(manifest), indent=1).encode()
    _write_all({**files, paths.defaults: after, paths.manifest: record}, folders)


def _found_files(paths: DesktopPaths, files: Mapping[Path, bytes]) -> Manifest:
    """Return the manifest of those files that are as we would write them, for any command."""
    there = {path: content for path in files if (content := _read(path)) is not None}
    ours = [path for path in there if _is_same(path, there[path], files[path])]
    if not ours:
        return Manifest()
    inside = [paths.data / GENERATED_FOLDER / "any", *files]
    folders = {folder for path in inside for folder in path.parents if paths.data in folder.parents}
    return Manifest(
        files={str(path): _digest(there[path]) for path in ours},
        folders=[*map(str, folders), str(paths.manifest.parent)],
    )


def _is_same(path: Path, there: bytes, content: bytes) -> bool:
    """Return whether a file has this content; an entry may start any command."""
    if path.name != ENTRY:
        return there == content
    entries = (with_command(entry.decode("utf-8", _ERRORS), [""]) for entry in (there, content))
    return len(set(entries)) == 1


def _shell_advice(paths: DesktopPaths) -> list[str]:
    """Return what the user's zsh has to be told, as it looks into no folder of the user's own."""
    if not shutil.which("zsh"):
        return []
    folder = shlex.quote(str(paths.data / ZSH_FUNCTIONS))
    return [f"For zsh, put this above compinit in ~/.zshrc: fpath=({folder} $fpath)"]


def _defaults_without_us(there: bytes | None, manifest: Manifest) -> bytes | None:
    """Return mimeapps.list without us: the text before `install` if nobody changed it since."""
    if there is None:
        return None
    if manifest.defaults_after == _digest(there):
        before = manifest.defaults_before
        return None if before is None else before.encode("utf-8", _ERRORS)
    return without(there.decode("utf-8", _ERRORS), TYPES, ENTRY).encode("utf-8", _ERRORS)


# ---------------------------------------------------------------- files


def _read(path: Path) -> bytes | None:
    """Return the bytes of a file, None if it is missing; raises UnreadableFile."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableFile(path, f"cannot be read: {error.strerror}.") from error


def _write_all(files: Mapping[Path, bytes], folders: Iterable[Path]) -> None:
    """Make the folders and write all files, or none: raises UnwritableFile with all undone.

    A file that has the right bytes already is not touched.
    """
    before = {path: _read(path) for path in files}
    folders = sorted(folders)  # parents first
    try:
        for folder in folders:
            with _reporting(folder, "made"):
                folder.mkdir(mode=0o700, exist_ok=True)  # required by the XDG specification
        _write_changed(files, before)
    except BaseException:
        with contextlib.suppress(UnwritableFile):
            _write_changed(before, {path: _read(path) for path in files})
        _remove_empty(folders)
        raise


def _write_changed(files: Mapping[Path, bytes | None], before: Mapping[Path, bytes | None]) -> None:
    """Give each file its bytes, or delete it for None; skip files that need no change."""
    for path, content in files.items():
        if content is None:
            _remove(path)
        elif content != before[path]:
            with atomic_write(path) as stream:
                stream.write(content)


def _remove(path: Path) -> None:
    """Delete a file if it exists; raises UnwritableFile."""
    with _reporting(path, "deleted"):
        path.unlink(missing_ok=True)


def _remove_empty(folders: Iterable[Path]) -> None:
    """Delete those of the folders that are empty, the innermost ones first."""
    for folder in sorted(folders, reverse=True):
        with contextlib.suppress(OSError):  # in use, or gone
            folder.rmdir()


@contextlib.contextmanager
def _reporting(path: Path, done: str) -> Iterator[None]:
    """Turn an OSError into an UnwritableFile: the path "cannot be deleted", "made", …"""
    try:
        yield
    except OSError as error:
        raise UnwritableFile(path, f"cannot be {done}: {error.strerror}.") from error
