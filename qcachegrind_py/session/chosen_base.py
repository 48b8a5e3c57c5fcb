"""What the user has chosen to compare with: the files of a base, its program and sources."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, BaseSearch


@dataclass(frozen=True, slots=True)
class ChosenBase:
    """The files of a base, and where its program and sources are, as they were then."""

    paths: tuple[Path, ...] = ()
    program: str = ""  # empty: where the profile says
    sources: BaseSearch = NO_BASE_SEARCH

    @property
    def programs(self) -> tuple[tuple[str, str], ...]:
        """The programs as a context has them."""
        return (("", str(Path(self.program).absolute())),) if self.program else ()


NO_BASE = ChosenBase()
