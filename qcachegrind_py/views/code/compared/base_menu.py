"""The actions of the Source dock that say where the source of the base is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QInputDialog, QMenu, QMessageBox, QWidget

from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.tools.sources.base_search import BaseSearch
from qcachegrind_py.tools.sources.path_rules import rule_from_choice
from qcachegrind_py.tools.sources.revision import is_revision

_TITLE = "Base Revision"
_QUESTION = "Revision of the base in the repository of the source, such as v1.2 or HEAD~3:"
_INVALID = "A revision is a name such as v1.2 or HEAD~3, without spaces and colons."


class BaseMenu:
    """Asks where the base's source is, and hands on the answer."""

    def __init__(self, parent: QWidget, take: Callable[[BaseSearch], None]) -> None:
        self._parent, self._take = parent, take

    def fill(self, menu: QMenu, known: BaseSearch, recorded: str) -> None:
        """Add the actions; `recorded` is the path of the shown file in the base."""
        file = menu.addAction("Choose &Base File…", lambda: self._choose_file(known, recorded))
        file.setToolTip("Choose the source of the base; others are then found relative to it")
        revision = menu.addAction("Base Re&vision…", lambda: self._choose_revision(known))
        revision.setToolTip("Read the sources of the base from a revision of their git repository")

    def _choose_file(self, known: BaseSearch, recorded: str) -> None:
        base = cell_text(Path(recorded).name)
        filters = f"{base} ({base});;All files (*)"
        title = f"Where Is {base} of the Base?"
        name, _ = QFileDialog.getOpenFileName(self._parent, title, "", filters)
        if name:
            rule = rule_from_choice(recorded, Path(name))
            others = (other for other in known.rules if other != rule)
            self._take(replace(known, rules=(rule, *others), revision=""))

    def _choose_revision(self, known: BaseSearch) -> None:
        name, is_accepted = QInputDialog.getText(
            self._parent, _TITLE, _QUESTION, text=known.revision
        )
        name = name.strip()
        if is_accepted and name and not is_revision(name):
            QMessageBox.warning(self._parent, _TITLE, _INVALID)
        elif is_accepted:
            self._take(replace(known, revision=name))
