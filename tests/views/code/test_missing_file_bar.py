"""Messages about missing text or instructions, and the remedies offered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QFileDialog
from pytestqt.qtbot import QtBot

from qcachegrind_py.profile.errors import (
    AmbiguousFile,
    AnnotationError,
    FileTooLarge,
    MissingFile,
    ProfileError,
    UnsuitableFile,
)
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.file_search import PathRule, SearchFolder, clear_folder_listings
from qcachegrind_py.views.code.code_views import CodeView, SourceView
from qcachegrind_py.views.widgets.missing_files import MissingFileBar
from tests.code_programs import LONELY, PROGRAMS, code_profile, lines_of, source_profile
from tests.profile_rows import DATA
from tests.profile_text import THIN
from tests.tools.elf.elf_builder import CODE, Section, build_elf
from tests.user_input import (
    enabled_texts,
    go_to,
    menu_actions,
    opened_menu,
    process_events,
    without_mnemonic,
)
from tests.views.code.code_rows_text import row_of, rows
from tests.views.code.conftest import ShowCode, WriteFiles

BIN = PROGRAMS / "bin"
CYCLE = "A cycle has no code of its own.\nChoose one of its members in the list of callees."
NO_LINES = (
    "The profile has no source lines. "
    "Record with valgrind --tool=callgrind --dump-line=yes, and compile with -g."
)
NO_INSTRUCTIONS = (
    "The profile has no instructions. "
    "Record with valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes."
)
CHOOSE, FOLDER, WHICH, READ, PATHS = (
    "Choose File…", "Search in Folder…", "Choose", "Read Anyway", "Paths…"
)  # fmt: skip
Settle = Callable[[CodeView], None]


def bar_text(view: CodeView) -> str:
    """The message of the bar; empty if it is hidden."""
    bar = view.missing_file_bar
    return bar.label.text().replace(THIN, " ") if bar.isVisible() else ""


def bar_buttons(bar: MissingFileBar) -> list[str]:
    """The buttons of the bar, from the left."""
    buttons = (button for button in bar.findChildren(QAbstractButton) if not button.isHidden())
    return [without_mnemonic(button.text()) for button in sorted(buttons, key=lambda b: b.x())]


def apply_requests(view: CodeView, session: Session) -> list[object]:
    """Do what the bar requests, as the window does; return the requested rules and folders."""
    asked: list[object] = []

    def add(what: PathRule | SearchFolder) -> None:
        asked.append(what)
        clear_folder_listings()
        files, is_rule = session.navigation.context.files, isinstance(what, PathRule)
        session.set_file_search(
            (what, *files.rules) if is_rule else files.rules,  # type: ignore[arg-type]
            files.folders if is_rule else (*files.folders, what),  # type: ignore[arg-type]
        )

    view.missing_file_bar.path_rule_requested.connect(add)
    view.missing_file_bar.folder_requested.connect(lambda path: add(SearchFolder(path)))
    return asked


# ---------------------------------------------------------------- messages about files

TRIED = tuple(f"/{letter}/gone" for letter in "vwxyzb")


@pytest.mark.parametrize(
    ("problem", "text", "buttons"),
    [
        (None, "", []),
        ("it ends before its last line", "it ends before its last line", [CHOOSE, PATHS]),
        (UnsuitableFile("/b/gone", "is not text.", "Choose another."),
         "/b/gone is not text. Choose another.", [CHOOSE, PATHS]),
        (MissingFile("/b/gone", ("/b/gone",)), "/b/gone was not found.", [CHOOSE, FOLDER, PATHS]),
        (MissingFile("/b/gone", TRIED),
         "/b/gone was not found in 6 places.",
         [CHOOSE, FOLDER, PATHS]),
        (FileTooLarge("/b/gone", 10**9, 10**8),
         "/b/gone has 1,000 MB, more than the limit of 100 MB.",
         [READ, PATHS]),
        (AmbiguousFile("/b/gone", (Path("/c"), Path("/d"))), "/b/gone matches 2 files. Choose one.",
         [WHICH, PATHS]),
        (AnnotationError("~", "has no source.", "Nothing helps."),
         "~ has no source. Nothing helps.", []),
    ],
)  # fmt: skip
def test_each_problem_has_its_remedies(
    qtbot: QtBot, problem: ProfileError | str | None, text: str, buttons: list[str]
) -> None:
    """The tip names all paths that were searched. Without a recorded path there are no buttons."""
    bar = MissingFileBar()
    qtbot.addWidget(bar)
    bar.show_problem(problem, "/b/gone")
    shown = bar.label.text(), bar_buttons(bar), bar.isHidden()
    assert shown == (text, buttons, not text)
    tried = problem.tried if isinstance(problem, MissingFile) else ()
    assert all(path in bar.label.toolTip() for path in tried)
    bar.show_problem(problem, "???", "New")
    assert bar.label.text() == (f"New: {text}" if text else "")
    assert bar_buttons(bar) == [button for button in buttons if button not in (CHOOSE, PATHS)]


def test_bar_in_a_narrow_view(show_code: ShowCode) -> None:
    """In a narrow view the buttons are below the text, else beside it."""
    rules = [PathRule("/b", f"/{letter}") for letter in "vwxyz"]
    view = show_code("source", source_profile("/b/gone.c"), "f", rules=rules)
    strip, found = view.missing_file_bar, {}
    for width in (1200, 340, 1200):
        view.resize(width, 400)
        process_events()
        view.layout().activate()
        process_events()
        text = strip.label.geometry()
        buttons = (strip.choose_button, strip.folder_button, strip.paths_button)
        assert all(button.isVisible() for button in buttons)
        below = all(button.y() > text.bottom() for button in buttons)
        beside = all(button.x() > text.right() for button in buttons)
        inside = all(strip.rect().contains(button.geometry()) for button in buttons)
        uncut = strip.label.heightForWidth(text.width()) <= text.height()
        found.setdefault(width, []).append((below, beside, inside, uncut))

    assert found == {1200: [(False, True, True, True)] * 2, 340: [(True, False, True, True)]}


# ---------------------------------------------------------------- remedies


def test_choosing_can_be_cancelled(
    show_code: ShowCode, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cancelling the dialog changes nothing."""
    view = show_code("source", source_profile("/gone/a.c"), "f")
    asked = apply_requests(view, session)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    view.missing_file_bar.choose_button.click()
    view.missing_file_bar.folder_button.click()
    process_events()
    assert asked == []


def test_folder_is_searched(
    show_code: ShowCode,
    write_files: WriteFiles,
    session: Session,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A chosen folder is searched for all files from then on."""
    folder = write_files({"deep/in/x/src/a.c": "one\n" * 9})
    view = show_code("source", source_profile("/build/x/src/a.c"), "f", rules=())
    asked = apply_requests(view, session)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder / "deep"))
    view.missing_file_bar.folder_button.click()
    settle(view)
    assert asked == [SearchFolder(str(folder / "deep"))]
    assert (bar_text(view), rows(view)[0]) == ("", "1 | 5 | 5 |  | one")


@pytest.mark.parametrize("chosen", [0, 1])
@pytest.mark.parametrize("kind", ["source", "assembler"])
def test_ambiguous_files(
    show_code: ShowCode,
    write_files: WriteFiles,
    session: Session,
    settle: Settle,
    kind: str,
    chosen: int,
) -> None:
    """No file is guessed: the user chooses one, which is shown."""
    folders = "d1", "d2"
    folder = write_files(
        {f"{each}/x/p": LONELY if kind == "assembler" else lines_of(9) for each in folders}
    )
    profile = (source_profile if kind == "source" else code_profile)("/b/x/p")
    view = show_code(kind, profile, "f", rules=(), folders=(SearchFolder(str(folder)),))
    apply_requests(view, session)
    assert bar_text(view) == "/b/x/p matches 2 files. Choose one."

    menu = opened_menu(view.missing_file_bar.candidates_button.menu())
    names = [str(folder / place / "x/p") for place in folders]
    assert enabled_texts(menu) == names
    menu_actions(menu)[chosen].trigger()
    settle(view)
    assert (bar_text(view), names[chosen] in view.note.text()) == ("", True)


def test_large_file_is_read_when_asked(
    show_code: ShowCode, tmp_path: Path, session: Session, settle: Settle, qtbot: QtBot
) -> None:
    """A file over the limit is read only after the user agrees."""
    with (tmp_path / "large.c").open("wb") as file:
        for _ in range(51):
            file.write(b"//" + b"x" * 999_997 + b"\n")
    view = show_code("source", source_profile("large.c"), "f", rules=())
    assert bar_text(view) == f"{tmp_path / 'large.c'} has 51 MB, more than the limit of 50 MB."
    assert len(rows(view)) == 3

    view.missing_file_bar.read_button.click()
    settle(view)
    assert (bar_text(view), view.model.rowCount()) == ("", 51)


def test_wrong_file_can_be_exchanged(
    show_code: ShowCode,
    tmp_path: Path,
    session: Session,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A binary that does not match the costs is reported, and the right one can be chosen."""
    other = tmp_path / "other"
    subtractions = bytes.fromhex("4883ec08") * 20  # four bytes each
    other.write_bytes(build_elf(Section(".text", subtractions, 0x401000, CODE)))
    rules = (PathRule("/b/lonely", str(other)),)
    view = show_code("assembler", code_profile("/b/lonely"), "f", rules=rules)
    apply_requests(view, session)
    assert bar_text(view) == (
        f"{other} has no instruction at 1 of 3 addresses of the profile. "
        "It may be a different build."
    )
    assert rows(view)[row_of(view, "401005")] == "401005 |  | 9 | 1 | unknown instruction"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(BIN / "lonely"), ""))
    view.missing_file_bar.choose_button.click()
    settle(view)
    assert (bar_text(view), str(BIN / "lonely") in view.note.text()) == ("", True)
    assert rows(view)[row_of(view, "401005")] == "401005 |  | 9 | 1 | callq   401017 <f>"


def test_paths_are_asked_for(show_code: ShowCode) -> None:
    """The button of all rules and folders requests the dialog from the window."""
    view = show_code("source", source_profile("/gone/a.c"), "f")
    asked: list[bool] = []
    view.missing_file_bar.paths_dialog_requested.connect(lambda: asked.append(True))
    view.missing_file_bar.paths_button.click()
    assert (asked, view.missing_file_bar.recorded_path) == ([True], "/gone/a.c")


# ---------------------------------------------------------------- data that was not recorded


WITHOUT_INSTRUCTIONS = "positions: line\nevents: Ir\nfl=a.c\nfn=f\n1 5\n"
WITHOUT_LINES = "positions: instr\nevents: Ir\nob=p\nfl=a.c\nfn=f\n0x10 5\n"
IN_CYCLE = (
    "positions: instr line\nevents: Ir\nfl=a.c\nfn=f\n0x10 1 5\ncfn=g\ncalls=1 0x20 2\n0x10 1 7\n"
    "fn=g\n0x20 2 4\ncfn=f\ncalls=1 0x10 1\n0x20 2 3\n"
)


@pytest.mark.parametrize(
    ("kind", "profile", "message"),
    [
        ("assembler", WITHOUT_INSTRUCTIONS, NO_INSTRUCTIONS),
        ("assembler", DATA / "cachegrind/cachegrind.out.templ-O2.xz", NO_INSTRUCTIONS),
        ("source", WITHOUT_LINES, NO_LINES),
        ("source", "events: Ir\n", "Choose a function in the list."),
        ("assembler", "events: Ir\n", "Choose a function in the list."),
    ],
)
def test_what_was_not_recorded(
    show_code: ShowCode, kind: str, profile: str | Path, message: str
) -> None:
    """An empty view explains itself and names the option that records the data."""
    view = show_code(kind, profile)
    assert (view.message, rows(view), bar_text(view)) == (message, [], "")


@pytest.mark.parametrize("kind", ["source", "assembler"])
def test_cycle_has_no_code(
    show_code: ShowCode, session: Session, navigation: Navigation, settle: Settle, kind: str
) -> None:
    """For a cycle the view refers to its members, and shows the code of a chosen one."""
    view = show_code(kind, IN_CYCLE, "f")
    assert (view.message, len(rows(view)) > 1) == ("", True)
    assert session.queries is not None
    navigation.select_function(session.queries.function_count)  # the first cycle
    settle(view)
    assert (view.message, rows(view)) == (CYCLE, [])
    go_to(session, navigation, "g")
    settle(view)
    assert view.message == ""
    assert rows(view)


def test_before_the_first_profile(
    session: Session, show_view: Callable[[CodeView], CodeView]
) -> None:
    """Without a profile the view says how to open one."""
    view = show_view(SourceView(session, ()))
    assert view.message == "No profile is open.\nOpen one from the File menu, or drop it here."
