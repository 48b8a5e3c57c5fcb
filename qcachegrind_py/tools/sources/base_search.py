"""Where the sources of the base of a comparison are sought, in addition to where others are."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.tools.sources.path_rules import PathRule


@dataclass(frozen=True, slots=True)
class BaseSearch:
    """What the user said about the sources of the base."""

    rules: tuple[PathRule, ...] = ()  # for paths recorded in the base, tried before other rules
    revision: str = ""  # of the repository that has the new sources; empty: files only


NO_BASE_SEARCH = BaseSearch()
