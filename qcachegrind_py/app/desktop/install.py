"""Install the program on the user's desktop; uninstall it and leave everything as before.

A file whose bytes we did not write is not ours: it is neither replaced nor deleted. Qt is not
needed, and nothing changes for other users.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from qcachegrind_py.app.desktop import file_ops
from qcachegrind_py.app.desktop.caches import CACHES, touch_icons
from qcachegrind_py.app.desktop.default_application import with_default, without
from qcachegrind_py.app.desktop.manifest import Manifest, digest
from qcachegrind_py.app.desktop.paths import (
    ENTRY,
    GENERATED_FOLDER,
    TYPES,
    ZSH_FUNCTIONS,
    DesktopPaths,
)
from qcachegrind_py.app.desktop.running_command import without_command
from qcachegrind_py.profile.errors import UnwritableFile

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
        "Double-click a profile to open it. --uninstall-desktop removes all of this.",
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
