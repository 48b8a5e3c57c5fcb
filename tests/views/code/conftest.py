"""Source and assembler views in a window."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest

from qcachegrind_py.present.context import AnnotationStyle, CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.file_search import PathRule, SearchFolder, clear_folder_listings
from qcachegrind_py.views.code.code_views import AssemblerView, CodeView, SourceView
from tests.present.code_text import OUR_RULES, UNFOLDED
from tests.profile_rows import text_bytes
from tests.user_input import go_to

_KINDS: dict[str, Callable[..., CodeView]] = {"source": SourceView, "assembler": AssemblerView}


class ShowCode(Protocol):
    def __call__(
        self, kind: str, profile: str | Path, at: str = "", **style: Any
    ) -> Any: ...  # a SourceView or an AssemblerView


class WriteFiles(Protocol):
    def __call__(self, texts: Mapping[str, str | bytes]) -> Path: ...


@pytest.fixture
def write_files(tmp_path: Path) -> WriteFiles:
    """Return a function that writes files beside the profile, older than it."""

    def write_files(texts: Mapping[str, str | bytes]) -> Path:
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text_bytes(text))
            make_older(path)
        return tmp_path

    return write_files


def make_older(path: Path) -> None:
    """Set a file's modification time to an hour ago."""
    status = path.stat()
    os.utime(path, (status.st_atime - 3600, status.st_mtime - 3600))


@pytest.fixture
def show_code(
    session: Session,
    navigation: Navigation,
    tmp_path: Path,
    open_profile: Callable[..., None],
    show_view: Callable[[CodeView], CodeView],
    settle: Callable[[Any], None],
) -> ShowCode:
    """Show the code of a function with absolute costs; `profile` is Callgrind text or a path.

    `rules` and `folders` locate files. Other settings are those of `AnnotationStyle`, but without
    source lines between instructions, and with inlined lines.
    """

    def show_code(
        kind: str,
        profile: str | Path,
        at: str = "",
        rules: Iterable[PathRule] = OUR_RULES,
        folders: Iterable[SearchFolder] = (),
        unit: CostUnit = CostUnit.ABSOLUTE,
        **style: Any,
    ) -> CodeView:
        clear_folder_listings()
        if isinstance(profile, str):
            path = tmp_path / "callgrind.out.1"
            path.write_bytes(text_bytes(profile))
        else:
            path = profile
        navigation.set(unit=unit, annotation=AnnotationStyle(**{**UNFOLDED, **style}))
        session.set_file_search(tuple(rules), tuple(folders))
        view = show_view(_KINDS[kind](session, ()))
        open_profile(path)
        if at:
            go_to(session, navigation, at)
        settle(view)
        return view

    return show_code
