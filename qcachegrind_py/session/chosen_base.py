"""What the user has chosen to compare with: the files of a base, and its program."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ChosenBase:
    """The files of a base, and where its program is, as it was when they were recorded."""

    paths: tuple[Path, ...] = ()
    program: str = ""  # empty: where the profile says

    @property
    def programs(self) -> tuple[tuple[str, str], ...]:
        """The programs as a context has them."""
        return (("", str(Path(self.program).absolute())),) if self.program else ()


NO_BASE = ChosenBase()
