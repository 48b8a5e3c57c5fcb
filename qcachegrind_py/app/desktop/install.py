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

from qcachegrind_py.app.desktop import file_ops
from qcachegrind_py.app.desktop.running_command import with_command, without_command
from qcachegrind_py.app.style.resources import resource_path
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import UnwritableFile
from qcachegrind_py.tools.command_line import program_path

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


@frozen(eq=True)
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


_DEFAULTS = "[Default Applications]"


def with_default(text: str, types: Iterable[str], application: str) -> str:
    """Return the text with the application as the first default of all these types."""
    lines = text.split("\n")
    for type_ in types:
        _put_first(lines, type_, application)
    return "\n".join(lines)


def without(text: str, types: Iterable[str], application: str) -> str:
    """Return the text without any mention of the application for these types."""
    lines, wanted = text.split("\n"), set(types)
    for number, _section, type_ in reversed(list(_entries(lines))):
        names = _applications(lines[number])
        if type_ in wanted and application in names:
            others = [name for name in names if name != application]
            lines[number : number + 1] = [_with_value(lines[number], others)] if any(others) else []
    return "\n".join(lines)


def _put_first(lines: list[str], type_: str, application: str) -> None:
    wanted = (_DEFAULTS, type_)
    numbers = [number for number, *entry in _entries(lines) if tuple(entry) == wanted]
    for number in numbers:  # of duplicates, desktops differ in which one they read
        others = [name for name in _applications(lines[number]) if name != application]
        lines[number] = _with_value(lines[number], [application, *others])
    if not numbers:
        lines.insert(_end_of_defaults(lines), f"{type_}={application}")


def _end_of_defaults(lines: list[str]) -> int:
    """Return the line number for a new default; append the section if it is missing."""
    titles = [number for number, line in enumerate(lines) if line.strip() == _DEFAULTS]
    if titles:
        entries = [number for number, section, _ in _entries(lines) if section == _DEFAULTS]
        return max((titles[0], *(number for number in entries if number > titles[0]))) + 1
    before = lines[:-1] if lines[-1] == "" else lines[:]
    lines[:] = [*before, *([""] if before else []), _DEFAULTS, ""]
    return len(lines) - 1


def _entries(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield line number, section and type of each entry."""
    section = ""
    for number, line in enumerate(lines):
        text = line.strip()
        if text.startswith("["):
            section = text
        elif "=" in text and not text.startswith("#"):
            yield number, section, text.partition("=")[0].rstrip()


def _applications(line: str) -> list[str]:
    return [name.strip() for name in line.partition("=")[2].split(";")]


def _with_value(line: str, names: list[str]) -> str:
    end = "\r" if line.endswith("\r") else ""
    return f"{line.partition('=')[0]}={';'.join(names)}{end}"


_TIMEOUT = 120  # seconds


@frozen(eq=True)
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
    _check_text(command)
    files = paths.files(command)
    old = Manifest.read(file_ops.read(paths.manifest)) or _reconstructed(paths, files)
    for path, content in files.items():
        _check_ours(path, content, old)
    _write(paths, files, old)
    for path in map(Path, old.files):
        if path not in files and old.owns(path, file_ops.read(path)):
            file_ops.remove(path)  # left by a version that had it elsewhere
    touch_icons(paths.data)
    notes = [cache.refresh(paths.data) for cache in CACHES]
    return [
        f"QCachegrind.py is installed on your desktop. Menu entry, icons, file types, manual page "
        f"and shell completion are in {paths.data}.",
        f"The menu entry starts: {shlex.join(command)}",
        "Double-click a profile to open it. `desktop uninstall` removes all of this.",
        *_shell_advice(paths),
        *([_IN_CACHE] if _is_in_cache(command) else []),
        *filter(None, notes),
    ]


def uninstall(paths: DesktopPaths, command: tuple[str, ...]) -> list[str]:
    """Undo `install`; return messages for the user.

    Without a manifest, files as we would write them are taken for ours. Raises UnreadableFile, or
    UnwritableFile if something cannot be removed; running it again continues from there.
    """
    known = Manifest.read(file_ops.read(paths.manifest))
    manifest = known or _reconstructed(paths, paths.files(command))
    is_installed = bool(known or manifest.files)
    has_default = _remove_default(paths, manifest)
    changed = []
    for path in map(Path, manifest.files):
        content = file_ops.read(path)
        if manifest.owns(path, content):
            file_ops.remove(path)
        elif content is not None:
            changed.append(f"{path} has been changed since and is kept.")
    notes = _restore_caches(paths, manifest) if is_installed else []
    file_ops.remove(paths.manifest)
    file_ops.remove_empty(map(Path, manifest.folders))
    if not (is_installed or has_default):
        return ["QCachegrind.py was not installed on your desktop."]
    return ["QCachegrind.py has been removed from your desktop.", *changed, *notes]


def _write(paths: DesktopPaths, files: Mapping[Path, bytes], old: Manifest) -> None:
    """Write all files, the list of defaults and the manifest, or none of them."""
    before = _defaults_without_us(paths, old)
    after = with_default(before or "", TYPES, ENTRY).encode("utf-8", _ERRORS)
    folders = paths.missing_folders([*files, paths.defaults, paths.manifest])
    manifest = Manifest(
        files={str(path): digest(content) for path, content in files.items()},
        folders=sorted({*old.folders, *map(str, folders)}),
        caches=old.caches,
        defaults_before=before,
        defaults_after=digest(after),
    )
    made = {paths.defaults: after, paths.manifest: manifest.to_bytes()}
    file_ops.write_all({**files, **made}, folders)


def _reconstructed(paths: DesktopPaths, files: Mapping[Path, bytes]) -> Manifest:
    """Return the manifest of those files that are as we would write them, for any command."""
    there = {path: file_ops.read(path) for path in files}
    ours = [path for path in files if _is_same(path, there[path], files[path])]
    if not ours:
        missing = [cache for cache in CACHES if not cache.exists(paths.data)]
        return Manifest(caches={cache.name: cache.source_names(paths.data) for cache in missing})
    inside = [paths.data / GENERATED_FOLDER / "any", *files]
    folders = {folder for path in inside for folder in path.parents if paths.data in folder.parents}
    return Manifest(
        files={str(path): digest(there[path]) for path in ours},
        folders=[*map(str, folders), str(paths.manifest.parent)],
        caches={cache.name: [] for cache in CACHES},
    )


def _check_text(command: tuple[str, ...]) -> None:
    """Raise UnwritableFile if the command cannot be written in UTF-8, as a desktop entry is."""
    for word in command:
        if word != word.encode("utf-8", "ignore").decode():
            reason = "has a name that is not valid text, so no menu can start it."
            raise UnwritableFile(word, reason, remedy="Install the program elsewhere.")


def _shell_advice(paths: DesktopPaths) -> list[str]:
    """Return what the user's zsh has to be told, as it looks into no folder of the user's own."""
    if not shutil.which("zsh"):
        return []
    folder = shlex.quote(str(paths.data / ZSH_FUNCTIONS))
    return [f"For zsh, put this above compinit in ~/.zshrc: fpath=({folder} $fpath)"]


def _is_in_cache(command: tuple[str, ...]) -> bool:
    """Return whether the program was put somewhere for one run, as by `uvx` or `pipx run`."""
    return "cache" in {folder.strip(".") for word in command for folder in Path(word).parts}


def _check_ours(path: Path, content: bytes, manifest: Manifest) -> None:
    """Raise UnwritableFile if a file is there that we did not write."""
    there = file_ops.read(path)
    if there is None or manifest.owns(path, there) or _is_same(path, there, content):
        return
    reason = "already exists and was not written by QCachegrind.py."
    raise UnwritableFile(path, reason, remedy="Move or delete it, then try again.")


def _is_same(path: Path, there: bytes | None, content: bytes) -> bool:
    """Return whether a file has this content; an entry may start any command."""
    if there is None or path.name != ENTRY:
        return there == content
    entries = (without_command(entry.decode("utf-8", _ERRORS)) for entry in (there, content))
    return len(set(entries)) == 1


def _defaults_without_us(paths: DesktopPaths, manifest: Manifest) -> str | None:
    """Return mimeapps.list without us: the text before `install` if nobody changed it since."""
    there = file_ops.read(paths.defaults)
    if there is None:
        return None
    if manifest.defaults_after == digest(there):
        return manifest.defaults_before
    return without(there.decode("utf-8", _ERRORS), TYPES, ENTRY)


def _remove_default(paths: DesktopPaths, manifest: Manifest) -> bool:
    """Take us out of mimeapps.list; return whether that changed it."""
    there, text = file_ops.read(paths.defaults), _defaults_without_us(paths, manifest)
    content = None if text is None else text.encode("utf-8", _ERRORS)
    if content is None:
        file_ops.remove(paths.defaults)
    else:
        file_ops.write_all({paths.defaults: content}, ())
    return content != there


def _restore_caches(paths: DesktopPaths, manifest: Manifest) -> list[str]:
    """Remove caches built only for us and refresh the others; return messages on failure."""
    touch_icons(paths.data)
    notes = []
    for cache in CACHES:
        before = manifest.caches.get(cache.name)
        if before is not None and set(cache.source_names(paths.data)) <= set(before):
            with file_ops.reporting(paths.data / cache.folder, "emptied"):
                cache.remove(paths.data)
        elif cache.exists(paths.data):
            notes.append(cache.refresh(paths.data))
    return [note for note in notes if note]
