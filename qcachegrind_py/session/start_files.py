"""The files that the command names; needs neither Qt nor numpy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qcachegrind_py.frozen import frozen
from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, BaseSearch

if TYPE_CHECKING:  # the start imports nothing of histories
    from qcachegrind_py.analysis.history import Revision


@frozen(eq=True)
class ChosenBase:
    """The files of a base, and where its program and sources are, as they were then."""

    paths: tuple[Path, ...] = ()
    program: str = ""  # empty: where the profile says
    sources: BaseSearch = NO_BASE_SEARCH

    @property
    def programs(self) -> tuple[tuple[str, str], ...]:
        return (("", str(Path(self.program).absolute())),) if self.program else ()


NO_BASE = ChosenBase()


@frozen(eq=True)
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
