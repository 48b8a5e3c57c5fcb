"""*Source Beside Assembler*: puts the two docks side by side, and all docks back afterwards."""

from __future__ import annotations

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QAction

from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.registry import DockRegistry

_BOTH = DockRegistry.source.id, DockRegistry.assembler.id


class SideBySide:
    """Applies the action to the docks of the current panel, and checks it while they are so."""

    def __init__(self, action: QAction, docks: Docks) -> None:
        self._action = action
        self._before: dict[Docks, QByteArray] = {}  # each panel's docks before; for this run only
        self._docks = docks
        self.follow(docks)
        action.triggered.connect(lambda _checked: self._toggle())

    def follow(self, docks: Docks) -> None:
        """Apply to these docks from now on."""
        self._docks = docks
        if docks not in self._before:
            self._before[docks] = QByteArray()
            docks.rearranged.connect(self._update_action)
        self._update_action()

    def _is_restored_next(self) -> bool:
        """Whether the docks are side by side, and the action puts all docks back.

        Docks opened since then do not matter. Beside other docks, as a saved layout may have them,
        the two first get all the space.
        """
        docks = self._docks
        return docks.are_side_by_side(*_BOTH) and (
            not self._before[docks].isEmpty() or docks.are_only_visible(*_BOTH)
        )

    def _toggle(self) -> None:
        docks = self._docks
        if self._is_restored_next():
            before, self._before[docks] = self._before[docks], QByteArray()
            if not docks.restore_state(before):
                docks.reset()
        else:
            self._before[docks] = docks.save_state()
            docks.put_side_by_side(*_BOTH)

    def _update_action(self) -> None:
        self._action.setChecked(self._is_restored_next())
