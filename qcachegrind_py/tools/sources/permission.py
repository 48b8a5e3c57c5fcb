"""Which of the files that a profile names may be copied into what is written.

A profile names any file that its writer likes, `/etc/shadow` or a link to it. On the screen that is
the reader's own file; in a page that they publish it is a leak. So what is written has source text
from the folders that belong to the profile only, and from those that the user names.
"""

from __future__ import annotations

import functools
import stat
import sysconfig
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import WithheldFile

_SYSTEM_FOLDERS = ("/usr/include", "/usr/src")
_PYTHON_LIBRARIES = ("stdlib", "platstdlib", "purelib", "platlib")
_TEMPORARY_FOLDERS = ("/tmp", "/var/tmp")
_SECRET_NAMES = (".ssh", ".gnupg", ".env*", ".git", ".netrc")
_OTHERS_READ = stat.S_IRGRP | stat.S_IROTH

_OUTSIDE = "sources from outside of the project are not written"
_SECRET = "files in or below “{}” are not written"
_PRIVATE = "files that only their owner may read are not written"


@frozen(eq=True)
class SourcePermission:
    """The folders whose sources may be written; all are absolute, and have no links."""

    named: tuple[Path, ...]
    """Given by the user for reading sources in them: also what only the owner may read."""
    others: tuple[Path, ...]
    """The project of the profile, libraries of the system, and targets of path rules."""

    def check(self, path: Path) -> None:
        """Raise WithheldFile, with the option that permits it, if a file may not be written."""
        target = path.resolve()
        if any(root for root in self.named if _is_plainly_below(root, target)):
            return
        roots = [root for root in self.others if target.is_relative_to(root)]
        if not roots:
            raise WithheldFile(path, _OUTSIDE, _project_at(target.parent) or target)
        if not any(_is_plainly_below(root, target) for root in roots):
            secret = _secret_part(roots[0], target) or target
            raise WithheldFile(path, _SECRET.format(secret.name), secret)
        if target not in roots and _is_private(target):
            raise WithheldFile(path, _PRIVATE, roots[0])


@functools.lru_cache(maxsize=16)
def permission(
    named: tuple[str, ...], mapped: tuple[str, ...], places: tuple[str, ...]
) -> SourcePermission:
    """Return what may be written of the projects that these places, such as a profile's, are in.

    `named` are the folders given with `-I`, `mapped` the targets of path rules; all paths are
    absolute. The answer is kept until `forget_projects`.
    """
    projects = filter(None, (_project_at(_resolved(place)) for place in places))
    libraries = filter(None, map(sysconfig.get_path, _PYTHON_LIBRARIES))
    others = (*projects, *map(_resolved, (*mapped, *_SYSTEM_FOLDERS, *libraries)))
    anything = _folders_of_anything()
    return SourcePermission(
        tuple(root for root in map(_resolved, named) if root not in anything),
        tuple(root for root in dict.fromkeys(others) if root not in anything),
    )


def forget_projects() -> None:
    """Look for work trees again, as they may have appeared or gone."""
    permission.cache_clear()


def _folders_of_anything() -> set[Path]:
    """Return the folders in which anything lies, so that to be in one of them says nothing."""
    temporary = tempfile.gettempdir(), *_TEMPORARY_FOLDERS
    return {_home(), Path(_home().anchor), *map(_resolved, temporary)}


def _project_at(folder: Path) -> Path | None:
    """Return the work tree of git that a folder is in, or else the folder; both without links.

    None if there is only a folder of anything, one above the user's home, or one for secrets.
    """
    anything = _folders_of_anything()
    tree = next(filter(_has_repository, (folder, *folder.parents)), None)
    if tree is not None and tree not in anything:
        return tree
    is_secret = _secret_part(Path(folder.anchor), folder) is not None
    return None if folder in anything or _home().is_relative_to(folder) or is_secret else folder


def _has_repository(folder: Path) -> bool:
    """Whether git has a work tree here; git itself need not run for that."""
    try:
        return (folder / ".git").exists()
    except OSError:
        return False


def _home() -> Path:
    try:
        return Path.home().resolve()
    except RuntimeError:  # unknown
        return Path("/")


def _is_plainly_below(root: Path, target: Path) -> bool:
    """Whether a file is in a folder, or is what stands for one, and nothing between is secret."""
    return target.is_relative_to(root) and _secret_part(root, target) is None


def _secret_part(root: Path, target: Path) -> Path | None:
    """Return the first file or folder below the root that may hold secrets by its name."""
    below = target.relative_to(root).parts
    for end, part in enumerate(below, 1):
        if any(fnmatchcase(part.lower(), name) for name in _SECRET_NAMES):
            return root.joinpath(*below[:end])
    return None


def _is_private(target: Path) -> bool:
    try:
        return not target.stat().st_mode & _OTHERS_READ
    except OSError:
        return True


def _resolved(path: str) -> Path:
    return Path(path).resolve()
