"""What the first window opens at the start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the start imports nothing of histories
    from qcachegrind_py.analysis.history.history import Revision


@dataclass(frozen=True, slots=True)
class StartFiles:
    """The files that the command names: a profile, compared or not, or else a history."""

    profile: Sequence[Path] = ()
    base: Sequence[Path] = ()  # what it is compared with
    history: Sequence[Revision] = ()
