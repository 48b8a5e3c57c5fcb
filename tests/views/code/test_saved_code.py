"""Saved tables of code: they have source text only of files that may be copied."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.file_search import SearchFolder
from qcachegrind_py.views.code.code_views import CodeView
from qcachegrind_py.views.tables.table_actions import SAVE_SLOT, table_as_csv
from tests.profile_text import dump_rows
from tests.user_input import choose_action, ignore_offscreen_warnings, row_menu
from tests.views.code.conftest import ShowCode, WriteFiles

pytestmark = ignore_offscreen_warnings
Save = Callable[[CodeView], list[list[str]]]
PROFILE = """
    events: Ir
    positions: instr line

    ob=prog
    fl=prog.c
    fn=main
    0x10 1 3
    fi={}
    0x12 2 20
    """
OWN = "int main(void) { return twice(1); }\n"
OUTSIDE = "/* private */\nreturn x + x;\n"


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source in a folder that is neither the profile's nor the user's."""
    path = tmp_path_factory.mktemp("outside") / "secret.h"
    path.write_text(OUTSIDE)
    return path


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages that are shown."""
    said: list[str] = []
    monkeypatch.setattr(QMessageBox, "information", lambda _parent, _title, text: said.append(text))
    return said


@pytest.fixture
def save(session: Session, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Save:
    """Return a function that saves the table of a view, and reads the file."""

    def save(view: CodeView) -> list[list[str]]:
        path = tmp_path / "saved.csv"
        chosen = str(path), "CSV (*.csv)"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_arguments: chosen)
        choose_action(row_menu(view.table, 0), "Save Table…")
        qtbot.waitUntil(lambda: not session.jobs.is_running(SAVE_SLOT))
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    return save


def notice(tmp_path: Path, outside: Path) -> str:
    return (
        f"<qt>Saved {tmp_path / 'saved.csv'}.<br>{outside} is left out: sources from outside of "
        f"the project are not written. Permit that with -I {outside.parent}, or in the window "
        "with File ▸ Source Paths.</qt>"
    )


def test_text_from_outside_is_left_out_of_a_saved_source(
    show_code: ShowCode,
    write_files: WriteFiles,
    session: Session,
    settle: Callable[[CodeView], None],
    outside: Path,
    save: Save,
    said: list[str],
    tmp_path: Path,
) -> None:
    """It is on the screen and in a copy, but in a file only with the permission of the user."""
    write_files({"prog.c": OWN})
    view = show_code("source", PROFILE.format(outside))
    shown = [row.rpartition(" | ")[2] for row in dump_rows(view.model)]
    saved, copied = save(view), table_as_csv(view.table)
    messages = list(said)
    session.set_file_search((), (SearchFolder(str(outside.parent)),))
    settle(view)

    assert shown == [OWN.strip(), "return x + x;"]
    assert [row[-1] for row in saved] == ["Source", OWN.strip(), "left out"]
    assert messages == [notice(tmp_path, outside)]
    assert "return x + x;" in copied
    assert [row[-1] for row in save(view)] == ["Source", *shown]
    assert said == messages


def test_text_from_outside_is_left_out_between_saved_instructions(
    show_code: ShowCode,
    write_files: WriteFiles,
    outside: Path,
    save: Save,
    said: list[str],
    tmp_path: Path,
) -> None:
    """A line keeps its place, which is in the profile."""
    write_files({"prog.c": OWN})
    view = show_code("assembler", PROFILE.format(outside), source_rows=True)
    texts = [row[-1] for row in save(view)]

    assert "secret.h:2  return x + x;" in table_as_csv(view.table)
    assert [text for text in texts if ":" in text] == [f"prog.c:1  {OWN.strip()}", "secret.h:2"]
    assert said == [notice(tmp_path, outside)]
