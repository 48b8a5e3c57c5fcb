"""A font whose letters are all of one width, and a layout that places nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.tools.layout.graphviz_engine import LayoutInput, LayoutResult


@dataclass(frozen=True)
class Letters:
    """The sizes of texts."""

    letter: float = 6.0
    height: float = 12.0

    def width(self, text: str) -> float:
        return self.letter * len(text)

    def elided(self, text: str, width: float) -> str:
        room = int(width / self.letter)
        return text if len(text) <= room else f"{text[: room - 1]}…"


class NoPlaces:
    """Everything is at the origin."""

    def prepare(self) -> None:
        """There is nothing to start."""

    def layout(self, graph: LayoutInput, progress: Progress) -> LayoutResult:
        calls, places = len(graph.calls), np.zeros((len(graph.nodes), 2))
        paths, labels = (np.zeros((4, 2)),) * calls, np.full((calls, 2), np.nan)
        return LayoutResult(0, 0, places, paths, np.zeros((len(graph.clusters), 4)), labels)

    def close(self) -> None:
        """There is nothing to end."""


def lines(text: str) -> str:
    """An indented text as lines."""
    return "\n".join(line.strip() for line in text.strip().splitlines())
