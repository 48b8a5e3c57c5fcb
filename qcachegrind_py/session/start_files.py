"""What the first window opens at the start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from qcachegrind_py.session.chosen_base import NO_BASE, ChosenBase

if TYPE_CHECKING:  # the start imports nothing of histories
    from qcachegrind_py.analysis.history.history import Revision


@dataclass(frozen=True, slots=True)
class StartFiles:
    """The files that the command names: a profile, compared or not, or else a history."""

    profile: Sequence[Path] = ()
    base: ChosenBase = NO_BASE  # what it is compared with
    history: Sequence[Revision] = ()
    view: Path | None = None  # of saved views, the first of which is shown

    @property
    def are_files_alone(self) -> bool:
        """Whether there is a profile and nothing else, which a running program can open."""
        return not (self.base.paths or self.history or self.view)
