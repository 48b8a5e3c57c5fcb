"""Save pictures to a file that the user chooses, in one of several formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from qcachegrind_py.formats.atomic_write import atomic_write
from qcachegrind_py.profile.errors import UnwritableFile
from qcachegrind_py.views.widgets.labels import tip_text

_INVALID_FILE_NAME_CHARACTERS = re.compile(r'[<>:"/\\|?*]')
_MAX_FILE_NAME = 60  # characters: at 4 bytes each, below the usual limit of 255 bytes
_FOLDER_PROPERTY = "savedFolder"  # property of the window: folder of the last saved file


def save_as(
    parent: QWidget, title: str, suggested: str, kinds: Mapping[str, Callable[[], bytes]]
) -> None:
    """Ask for a file and write it atomically; show a warning if that fails.

    `kinds` maps suffixes in capitals to functions that create the content; the first is preset.
    """
    chosen = ask_save_path(parent, title, suggested_path(parent, title, suggested), tuple(kinds))
    if chosen is None:
        return
    path, kind = chosen
    try:
        with wait_cursor(), atomic_write(path) as stream:
            stream.write(kinds[kind]())
    except UnwritableFile as error:
        QMessageBox.warning(parent, title, tip_text(str(error)))
    else:
        remember_folder(parent, path)


def suggested_path(parent: QWidget, title: str, name: str) -> Path:
    """Return a valid path for a name without suffix, in the folder of the last saved file."""
    folder = str(parent.window().property(_FOLDER_PROPERTY) or "")
    return Path(folder, _safe_file_name(name, title))


def remember_folder(parent: QWidget, path: Path) -> None:
    """Suggest the folder of this file the next time."""
    parent.window().setProperty(_FOLDER_PROPERTY, str(path.parent))


def ask_save_path(
    parent: QWidget, title: str, start: Path, kinds: Sequence[str], kind_titles: Sequence[str] = ()
) -> tuple[Path, str] | None:
    """Ask for a path and a kind, confirming before a file is replaced; None if cancelled.

    The dialog calls the kinds by their titles, if there are any.
    """
    titles = zip(kind_titles or kinds, kinds, strict=True)
    filters = {f"{name} (*.{kind.lower()})": kind for name, kind in titles}
    name, chosen = QFileDialog.getSaveFileName(parent, title, str(start), ";;".join(filters))
    if not name:
        return None
    path, kind = _path_and_kind(Path(name), filters.get(chosen, kinds[0]), kinds)
    if str(path) != name and path.exists() and not _confirm_replace(parent, title, path):
        return None  # the dialog itself checked only the name without the suffix
    return path, kind


def _path_and_kind(path: Path, chosen: str, kinds: Iterable[str]) -> tuple[Path, str]:
    """Return the kind of a known suffix; otherwise append the chosen kind's suffix."""
    for kind in kinds:
        if path.suffix.lower() == f".{kind.lower()}":
            return path, kind
    return path.with_name(f"{path.name}.{chosen.lower()}"), chosen


def _confirm_replace(parent: QWidget, title: str, path: Path) -> bool:
    text = tip_text(f"{path.name} exists already. Replace it?")
    return QMessageBox.question(parent, title, text) == QMessageBox.StandardButton.Yes


def _safe_file_name(suggested: str, title: str) -> str:
    """Return a file name valid on all systems; the last word of `title` if nothing is left."""
    printable = "".join(c if c.isprintable() else "_" for c in suggested[:_MAX_FILE_NAME])
    name = _INVALID_FILE_NAME_CHARACTERS.sub("_", printable)
    return name.strip(" .") or title.rpartition(" ")[2].lower()


@contextmanager
def wait_cursor() -> Iterator[None]:
    """Show a busy cursor inside the `with` block."""
    QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        yield
    finally:
        QGuiApplication.restoreOverrideCursor()
