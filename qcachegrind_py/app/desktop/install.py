"""Puts the program on the user's desktop, and takes it back: afterwards all is as before.

A file that is not as we wrote it is not ours: it is neither replaced nor deleted. Nothing is asked
of Qt, and nothing is done for other users.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from qcachegrind_py.app.desktop import default_application, file_ops
from qcachegrind_py.app.desktop.caches import CACHES, touch_icons
from qcachegrind_py.app.desktop.manifest import Record, digest
from qcachegrind_py.app.desktop.paths import ENTRY, MADE_FOLDER, TYPES, Places
from qcachegrind_py.app.desktop.running_command import without_command
from qcachegrind_py.profile.errors import UnwritableFile

_IN_CACHE = (
    "That program lies in a cache, which may be emptied any time: install it for good, by pipx or "
    "uv tool install, and do this again."
)
_ANY = "surrogateescape"  # what is no text comes back as it was


def install(places: Places, command: tuple[str, ...]) -> list[str]:
    """Put the program there, or anew; gives sentences about that.

    Raises UnreadableFile, or UnwritableFile where a file of that name is not ours or cannot be
    written; all is then as it was.
    """
    _check_text(command)
    files = places.files(command)
    old = Record.read(file_ops.content(places.record)) or _guessed(places, command)
    for path, content in files.items():
        _check_ours(path, content, old)
    _write(places, files, old)
    for path in map(Path, old.files):  # of a version that had it elsewhere
        if path not in files and old.made(path, file_ops.content(path)):
            file_ops.remove(path)
    touch_icons(places.data)
    notes = [cache.refresh(places.data) for cache in CACHES]
    return [
        f"QCachegrind.py is on your desktop: menu entry, icons, types of files and manual page are "
        f"in {places.data}.",
        f"The menu entry starts: {shlex.join(command)}",
        "A double click on a profile opens it there. --uninstall-desktop takes all of this back.",
        *([_IN_CACHE] if _is_in_cache(command) else []),
        *filter(None, notes),
    ]


def uninstall(places: Places, command: tuple[str, ...]) -> list[str]:
    """Take back what `install` did; gives sentences about that.

    Where the record of that is lost, what is as we would write it is taken for ours. Raises
    UnreadableFile, or UnwritableFile where something stays; another time goes on from there.
    """
    known = Record.read(file_ops.content(places.record))
    record = known or _guessed(places, command)
    defaults = file_ops.content(places.defaults)
    _restore(places.defaults, defaults, _defaults_without_us(places, record))
    changed = []
    for path in map(Path, record.files):
        there = file_ops.content(path)
        if record.made(path, there):
            file_ops.remove(path)
        elif there is not None:
            changed.append(f"{path} was changed since, and is left there.")
    notes = _restored_caches(places, record) if known or record.files else []
    file_ops.remove(places.record)
    file_ops.remove_empty(map(Path, record.folders))
    if not (known or record.files) and defaults == file_ops.content(places.defaults):
        return ["QCachegrind.py was not on your desktop."]
    return ["QCachegrind.py is no longer on your desktop.", *changed, *notes]


def _write(places: Places, files: Mapping[Path, bytes], old: Record) -> None:
    """Write all files, that of the defaults and the record of it, or none of them."""
    before = _defaults_without_us(places, old)
    after = default_application.with_default(before or "", TYPES, ENTRY).encode("utf-8", _ANY)
    folders = places.missing_folders([*files, places.defaults, places.record])
    record = Record(
        files={str(path): digest(content) for path, content in files.items()},
        folders=sorted({*old.folders, *map(str, folders)}),
        caches=old.caches,
        defaults_before=before,
        defaults_after=digest(after),
    )
    made = {places.defaults: after, places.record: record.content()}
    file_ops.write_all({**files, **made}, folders)


def _guessed(places: Places, command: tuple[str, ...]) -> Record:
    """A record of what is there as we would write it, whatever command the entry starts."""
    files = places.files(command)
    there = {path: file_ops.content(path) for path in files}
    ours = [path for path in files if _is_same(path, there[path], files[path])]
    wanted = [places.data / MADE_FOLDER, *(folder for path in files for folder in path.parents)]
    folders = {folder for folder in wanted if places.data in folder.parents}
    if not ours:
        return Record(caches=_missing_caches(places))
    return Record(
        files={str(path): digest(there[path]) for path in ours},
        folders=[*map(str, folders), str(places.record.parent)],
        caches={cache.name: [] for cache in CACHES},
    )


def _check_text(command: tuple[str, ...]) -> None:
    """Raises UnwritableFile where the command cannot stand in a desktop entry, which is UTF-8."""
    for word in command:
        if word != word.encode("utf-8", "ignore").decode():
            reason = "has a name that is no text, which no menu can start."
            raise UnwritableFile(word, reason, remedy="Install the program elsewhere.")


def _is_in_cache(command: tuple[str, ...]) -> bool:
    """Whether a program is where `uvx` and `pipx run` put it for one time."""
    folders = {folder.strip(".") for word in command for folder in Path(word).parts}
    return "cache" in folders


def _check_ours(path: Path, content: bytes, record: Record) -> None:
    there = file_ops.content(path)
    if there is None or record.made(path, there) or _is_same(path, there, content):
        return
    reason = "is there already, and not as QCachegrind.py would write it."
    raise UnwritableFile(path, reason, remedy="Move it away, or delete it, then try again.")


def _is_same(path: Path, there: bytes | None, content: bytes) -> bool:
    if there is None or path.name != ENTRY:
        return there == content
    return _any_command(there) == _any_command(content)


def _any_command(entry: bytes) -> str:
    return without_command(entry.decode("utf-8", _ANY))


def _defaults_without_us(places: Places, record: Record) -> str | None:
    """The text of mimeapps.list without us: as before, if nobody wrote it since."""
    there = file_ops.content(places.defaults)
    if there is None:
        return None
    if record.defaults_after == digest(there):
        return record.defaults_before
    return default_application.without(there.decode("utf-8", _ANY), TYPES, ENTRY)


def _restore(path: Path, there: bytes | None, text: str | None) -> None:
    if text is None:
        file_ops.remove(path)
    elif (content := text.encode("utf-8", _ANY)) != there:
        file_ops.write_all({path: content}, ())


def _missing_caches(places: Places) -> dict[str, list[str]]:
    """The caches that are not there, and what they would be made of."""
    missing = [cache for cache in CACHES if not cache.exists(places.data)]
    return {cache.name: cache.source_names(places.data) for cache in missing}


def _restored_caches(places: Places, record: Record) -> list[str]:
    """Remove caches that were there for our files alone, bring others up to date."""
    touch_icons(places.data)
    notes = []
    for cache in CACHES:
        before = record.caches.get(cache.name)
        if before is not None and set(cache.source_names(places.data)) <= set(before):
            with file_ops.saying(places.data / cache.folder, "emptied"):
                cache.remove(places.data)
        elif cache.exists(places.data):
            notes.append(cache.refresh(places.data))
    return [note for note in notes if note]
