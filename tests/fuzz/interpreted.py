"""Import of the package's sources where compiled modules lie beside them."""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Sequence
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader
from types import ModuleType

_PACKAGE = "qcachegrind_py"


class _SourcesOnly:
    """A finder of modules of the package that passes over compiled ones."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is None or not name.startswith(f"{_PACKAGE}."):
            return None
        suffixes = importlib.machinery.SOURCE_SUFFIXES
        finders = (FileFinder(folder, (SourceFileLoader, suffixes)) for folder in path)
        return next(filter(None, (finder.find_spec(name) for finder in finders)), None)


def import_sources_only() -> None:
    """Import every further module of the package from its source, as without a compiler."""
    sys.meta_path.insert(0, _SourcesOnly())
