"""Messages about missing text or instructions, and the remedies offered."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QAbstractButton, QFileDialog
from pytestqt.qtbot import QtBot

from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.file_search import PathRule, SearchFolder, clear_folder_listings
from qcachegrind_py.views.code.annotated_view import CodeView
from qcachegrind_py.views.code.source_view import SourceView
from tests.profile_rows import DATA
from tests.profile_text import THIN
from tests.tools.elf.elf_builder import CODE, Section, build_elf
from tests.user_input import enabled_texts, go_to, opened_menu, process_events, without_mnemonic
from tests.views.code.code_rows_text import PROGRAMS, row_of, rows
from tests.views.code.conftest import ShowCode, WriteFiles

BIN = PROGRAMS / "bin"
LONELY = (BIN / "lonely").read_bytes()
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
COSTS_BY_ADDRESS = ["401000 | 5 | 5 | ", "401005 |  | 9 | 1", " |  | 9 | 1", "40100c | 7 | 7 | "]
Settle = Callable[[CodeView], None]


def source_profile(name: str) -> str:
    """A profile of f with cost at three lines of a source file."""
    return f"events: Ir\nfl={name}\nfn=f\n1 5\n3 7\n9 8\n"


def code_profile(name: str | Path) -> str:
    """A profile of f with cost at two instructions of `lonely` and a call at a third."""
    return (
        f"positions: instr line\nevents: Ir\nob={name}\nfl=a.c\nfn=f\n0x401000 3 5\n"
        "cfn=g\ncalls=1 0x401017 4\n0x401005 4 9\n0x40100c 3 7\nfn=g\n0x401017 4 9\n"
    )


def bar_text(view: CodeView) -> str:
    """The message of the bar; empty if it is hidden."""
    return (
        view.missing_file_bar.label.text().replace(THIN, " ")
        if view.missing_file_bar.isVisible()
        else ""
    )


def bar_buttons(view: CodeView) -> list[str]:
    """The buttons of the bar, from the left."""
    buttons = view.missing_file_bar.findChildren(QAbstractButton)
    seen = sorted((b for b in buttons if b.isVisible()), key=lambda button: button.x())
    return [without_mnemonic(button.text()) for button in seen]


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


SOURCE_PROBLEMS: dict[str, tuple[str, list[str]]] = {
    "zero.c": ("{}/zero.c is not text: it contains null bytes. Choose another file.",
               [CHOOSE, PATHS]),
    "folder.c": ("{}/folder.c is a folder, not a text file. Choose the file itself.",
                 [CHOOSE, PATHS]),
    "pipe.c": ("{}/pipe.c is a named pipe, not a text file. Choose the file itself.",
               [CHOOSE, PATHS]),
    "huge.c": ("{}/huge.c has 1,000 MB, more than 50 MB.", [READ, PATHS]),
    "/gone/away.c": ("/gone/away.c was not found.",
                     [CHOOSE, FOLDER, PATHS]),
    "???": ("??? is not a known file: the profile does not name the source file. "
            "If the program is a compiled one, "
            "compile with -g, then record again.", []),
}  # fmt: skip


def make_source(folder: Path, name: str) -> None:
    """Create the file that a problem refers to."""
    match name:
        case "zero.c":
            (folder / name).write_bytes(b"int a;\0\n")
        case "folder.c":
            (folder / name).mkdir()
        case "pipe.c":
            os.mkfifo(folder / name)
        case "huge.c":
            with (folder / name).open("wb") as file:
                file.truncate(1_000_000_000)  # a sparse file


@pytest.mark.parametrize("name", SOURCE_PROBLEMS)
def test_source_that_cannot_be_read(show_code: ShowCode, tmp_path: Path, name: str) -> None:
    """Each reason is named with a remedy; all lines with cost are still shown."""
    make_source(tmp_path, name)

    view = show_code("source", source_profile(name), "f", rules=())

    problem, buttons = SOURCE_PROBLEMS[name]
    assert (bar_text(view), bar_buttons(view)) == (problem.format(tmp_path), buttons)
    assert [row.rpartition(" | ")[0] for row in rows(view)] == [
        "1 | 5 | 5 | ", "3 | 7 | 7 | ", "9 | 8 | 8 | "
    ]  # fmt: skip
    assert view.note.text() == name


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
        buttons = [
            b
            for b in (strip.choose_button, strip.folder_button, strip.paths_button)
            if b.isVisible()
        ]
        below = all(button.y() > text.bottom() for button in buttons)
        beside = all(button.x() > text.right() for button in buttons)
        inside = all(strip.rect().contains(button.geometry()) for button in buttons)
        uncut = strip.label.heightForWidth(text.width()) <= text.height()
        found.setdefault(width, []).append((len(buttons), below, beside, inside, uncut))

    assert found == {1200: [(3, False, True, True, True)] * 2, 340: [(3, True, False, True, True)]}


def test_source_that_may_not_be_read(
    show_code: ShowCode, write_files: WriteFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of another user is named as such."""
    path = write_files({"a.c": "1\n"}) / "a.c"
    opened = os.open

    def refuse(file: Any, *arguments: Any, **named: Any) -> int:  # root may read everything
        if file == path:
            raise PermissionError(13, "Permission denied")
        return opened(file, *arguments, **named)

    monkeypatch.setattr(os, "open", refuse)
    view = show_code("source", source_profile("a.c"), "f", rules=())

    assert bar_text(view) == (
        f"{path} cannot be read: Permission denied. Ask its owner for read permission."
    )


@pytest.mark.parametrize(
    ("text", "first", "note"),
    [
        ("caf\u00e9\n\n3\n".encode("latin-1") * 3, "1 | 5 | 5 |  | café", " · cp1252"),
        (b"one\r\ntwo\r\nthree\r\n" * 3, "1 | 5 | 5 |  | one", ""),
        (b"\xef\xbb\xbfone\n\n\n" * 3, "1 | 5 | 5 |  | one", " · utf-8-sig"),
    ],
)
def test_encodings_and_ends_of_lines(
    show_code: ShowCode, write_files: WriteFiles, text: bytes, first: str, note: str
) -> None:
    """Text in another encoding or with CRLF is decoded, with a message."""
    folder = write_files({"a.c": text})

    view = show_code("source", source_profile("a.c"), "f", rules=())

    assert (rows(view)[0], len(rows(view)), bar_text(view)) == (first, 9, "")
    assert view.note.text() == f"{folder / 'a.c'}{note}"


def test_lines_beyond_the_end(show_code: ShowCode, write_files: WriteFiles) -> None:
    """Costs at lines beyond the end of the file are shown after it, with a message."""
    path = write_files({"a.c": "one\ntwo\n"}) / "a.c"

    view = show_code("source", source_profile("a.c"), "f", rules=())

    assert rows(view) == [
        "1 | 5 | 5 |  | one",
        "2 |  |  |  | two",
        "3 | 7 | 7 |  | beyond the end of the file",
        "9 | 8 | 8 |  | beyond the end of the file",
    ]
    assert bar_text(view) == (
        f"{path} ends before 2 of 3 lines of the profile. It may be a different version."
    )


@pytest.mark.parametrize("kind", ["source", "assembler"])
def test_changed_after_the_profile(show_code: ShowCode, tmp_path: Path, kind: str) -> None:
    """A file newer than the profile is reported; an older one is not."""
    path = tmp_path / "p"
    path.write_bytes(LONELY if kind == "assembler" else b"1\n2\n3\n4\n5\n6\n7\n8\n9\n")
    profile = code_profile("p") if kind == "assembler" else source_profile("p")
    os.utime(path, (4e9, 4e9))
    assert "changed after recording" in show_code(kind, profile, "f").note.text()
    os.utime(path, (1e9, 1e9))
    assert "changed after" not in show_code(kind, profile, "f").note.text()


OBJECTS: dict[str, tuple[bytes | None, str]] = {
    "short": (LONELY[:3000], "{} is truncated: it ends before its table of sections. "
              "Copy or build it again."),
    "header": (LONELY[:40], "{} "),
    "text": (b"hello\n", "{} is not an ELF file. Choose the program or library."),
    "empty": (b"", "{} is not an ELF file. Choose the program or library."),
    "vax": (build_elf(Section(".text", b"\x90" * 0x200, 0x1000, CODE), machine=75),
            "{} is for a processor (vax) that cannot be disassembled. "
            "Costs are shown by address."),
    "elsewhere": (build_elf(Section(".text", b"\x90" * 0x20, 0x900000, CODE)),
                  "{} has no machine code at the addresses of the profile. "
                  "Choose the file that was profiled; it may have been rebuilt."),
    "folder": (None, "{} is a folder, not a program or library. Choose the file itself."),
    "pipe": (None, "{} is a named pipe, not a program or library. Choose the file itself."),
}  # fmt: skip


@pytest.mark.parametrize("name", OBJECTS)
def test_object_that_cannot_be_read(show_code: ShowCode, tmp_path: Path, name: str) -> None:
    """Each reason is named with a remedy; costs are shown by address."""
    data, problem = OBJECTS[name]
    if data is not None:
        (tmp_path / name).write_bytes(data)
    elif name == "folder":
        (tmp_path / name).mkdir()
    else:
        os.mkfifo(tmp_path / name)

    view = show_code("assembler", code_profile(name), "f", rules=())

    wanted = problem.format(tmp_path / name)
    assert (bar_text(view)[: len(wanted)], bar_buttons(view)) == (wanted, [CHOOSE, PATHS])
    assert len(bar_text(view)) > len(str(tmp_path / name)) + 10
    assert [row.rpartition(" | ")[0] for row in rows(view)] == COSTS_BY_ADDRESS


def test_object_that_is_found_nowhere(show_code: ShowCode) -> None:
    """The first searched locations are named; costs are shown by address."""
    rules = [PathRule("/b", f"/{letter}") for letter in "vwxyz"]

    view = show_code("assembler", code_profile("/b/gone"), "f", rules=rules)

    assert bar_text(view) == (
        "/b/gone was not found. Searched /v/gone, /w/gone, /x/gone and 3 more."
    )
    assert bar_buttons(view) == [CHOOSE, FOLDER, PATHS]
    for path in ("/v/gone", "/z/gone", "/b/gone"):
        assert path in view.missing_file_bar.label.toolTip()
    assert [row.rpartition(" | ")[0] for row in rows(view)] == COSTS_BY_ADDRESS

    view = show_code("assembler", code_profile("???"), "f")
    assert bar_text(view).startswith(
        "??? is not a known object: the profile does not name the program or library."
    )
    assert bar_buttons(view) == []


def test_malformed_objects(
    show_code: ShowCode, session: Session, tmp_path: Path, settle: Settle
) -> None:
    """A program with damaged headers is shown or reported, and no cost is lost."""
    view = show_code("assembler", code_profile("/p/x"), "f", rules=())
    drawn, damage = random.Random(5), 0
    tables = len(LONELY) - int.from_bytes(LONELY[40:48], "little")
    for number in range(60):
        data = bytearray(LONELY)
        for _ in range(drawn.choice((1, 3, 12))):
            at = drawn.choice((drawn.randrange(16, 64), len(data) - drawn.randrange(1, tables)))
            data[at] = drawn.choice((0, 1, 0x7F, 0xFF, drawn.randrange(256)))
        path = tmp_path / f"x{number}"
        path.write_bytes(data)
        session.set_file_search((PathRule("/p/x", str(path)),), ())
        settle(view)

        assert view.message == ""
        assert "went wrong" not in bar_text(view)
        damage += bar_text(view).startswith(str(path))
        is_shown = str(path) in view.note.text()
        assert is_shown or bar_text(view).startswith(str(path)), bar_text(view)
        shown = [row.rpartition(" | ")[0] for row in rows(view)]
        assert [row for row in shown if row.split(" | ")[2]] == COSTS_BY_ADDRESS
    assert 10 < damage < 50


# ---------------------------------------------------------------- remedies


def test_chosen_file_serves_others(
    show_code: ShowCode,
    write_files: WriteFiles,
    session: Session,
    navigation: Navigation,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Choosing one file is enough to find all files beside it."""
    folder = write_files({"here/src/a.c": "one\n" * 9, "here/src/sub/b.c": "two\n" * 9})
    profile = source_profile("/build/x/src/a.c") + "fl=/build/x/src/sub/b.c\nfn=g\n2 5\n"
    view = show_code("source", profile, "f", rules=())
    asked = apply_requests(view, session)
    chosen = folder / "here/src/a.c"
    titles: list[str] = []

    def answer(_parent: object, title: str, *_: str) -> tuple[str, str]:
        titles.append(title)
        return str(chosen), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", answer)
    view.missing_file_bar.choose_button.click()
    settle(view)

    assert titles == ["Where Is a.c?"]
    assert asked == [PathRule("/build/x", str(folder / "here"))]
    assert (bar_text(view), rows(view)[0]) == ("", "1 | 5 | 5 |  | one")
    go_to(session, navigation, "g")
    settle(view)
    assert (bar_text(view), rows(view)[1]) == ("", "2 | 5 | 5 |  | two")


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


@pytest.mark.parametrize("chosen", ["d1", "d2"])
def test_ambiguous_sources(
    show_code: ShowCode, write_files: WriteFiles, session: Session, settle: Settle, chosen: str
) -> None:
    """No file is guessed: the user chooses one, which is shown."""
    folder = write_files({"d1/x/a.c": "d1\n" * 9, "d2/x/a.c": "d2\n" * 9})
    view = show_code(
        "source", source_profile("/b/x/a.c"), "f", rules=(), folders=(SearchFolder(str(folder)),)
    )
    apply_requests(view, session)
    assert bar_text(view) == "/b/x/a.c matches 2 files. Choose one."
    assert bar_buttons(view) == [WHICH, PATHS]
    assert rows(view)[0] == "1 | 5 | 5 |  | "

    menu = opened_menu(view.missing_file_bar.candidates_button.menu())
    names = [str(folder / place / "x" / "a.c") for place in ("d1", "d2")]
    assert enabled_texts(menu) == names
    next(
        a for a in menu.actions() if without_mnemonic(a.text()) == names[int(chosen[1]) - 1]
    ).trigger()
    settle(view)
    assert (bar_text(view), rows(view)[0]) == ("", f"1 | 5 | 5 |  | {chosen}")


def test_ambiguous_programs(
    show_code: ShowCode, write_files: WriteFiles, session: Session, settle: Settle
) -> None:
    """No program is guessed; the chosen one is shown."""
    folder = write_files({"d1/x/p": LONELY, "d2/x/p": LONELY})
    view = show_code(
        "assembler", code_profile("/b/x/p"), "f", rules=(), folders=(SearchFolder(str(folder)),)
    )
    apply_requests(view, session)
    assert (bar_text(view), bar_buttons(view)) == (
        "/b/x/p matches 2 files. Choose one.", [WHICH, PATHS]
    )  # fmt: skip
    opened_menu(view.missing_file_bar.candidates_button.menu()).actions()[1].trigger()
    settle(view)
    assert (bar_text(view), str(folder / "d2/x/p") in view.note.text()) == ("", True)


def test_large_file_is_read_when_asked(
    show_code: ShowCode, tmp_path: Path, session: Session, settle: Settle, qtbot: QtBot
) -> None:
    """A file over the limit is read only after the user agrees."""
    with (tmp_path / "large.c").open("wb") as file:
        for _ in range(51):
            file.write(b"//" + b"x" * 999_997 + b"\n")
    view = show_code("source", source_profile("large.c"), "f", rules=())
    assert bar_text(view) == f"{tmp_path / 'large.c'} has 51 MB, more than 50 MB."
    assert len(rows(view)) == 3

    view.missing_file_bar.read_button.click()
    settle(view)
    assert (bar_text(view), view.model.rowCount()) == ("", 51)


def test_choosing_replaces_an_unusable_file(
    show_code: ShowCode,
    write_files: WriteFiles,
    session: Session,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If the located file is not text, the chosen one is shown instead."""
    folder = write_files({"a.c": b"\0", "other/a.c": "one\n" * 9})
    view = show_code("source", source_profile("a.c"), "f", rules=())
    apply_requests(view, session)
    chosen = str(folder / "other/a.c"), ""
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: chosen)
    view.missing_file_bar.choose_button.click()
    settle(view)
    assert (bar_text(view), rows(view)[0]) == ("", "1 | 5 | 5 |  | one")


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
    assert bar_buttons(view) == [CHOOSE, PATHS]
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


def test_problem_goes_with_the_function(
    show_code: ShowCode,
    write_files: WriteFiles,
    session: Session,
    navigation: Navigation,
    settle: Settle,
) -> None:
    """For a function with its text found, the bar is hidden."""
    write_files({"b.c": "two\n" * 9})
    view = show_code("source", source_profile("/gone/a.c") + "fl=b.c\nfn=g\n2 5\n", "f", rules=())
    assert bar_text(view)
    go_to(session, navigation, "g")
    settle(view)
    assert bar_text(view) == ""


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
    show_code: ShowCode,
    session: Session,
    navigation: Navigation,
    settle: Settle,
    kind: str,
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


def test_lines_of_cachegrind(show_code: ShowCode, write_files: WriteFiles) -> None:
    """Cachegrind files have lines without calls, which are shown as usual."""
    write_files({"a.c": "one\ntwo\n"})
    profile = "desc: I1 cache: none\ncmd: ./p\nevents: Ir Dr\nfl=a.c\nfn=f\n1 5 1\n2 3 0\n"
    view = show_code("source", profile, "f")
    assert rows(view) == ["1 | 5 | 5 |  | one", "2 | 3 | 3 |  | two"]


def test_before_the_first_profile(
    session: Session, show_view: Callable[[CodeView], CodeView]
) -> None:
    """Without a profile the view says how to open one."""
    view = show_view(SourceView(session, ()))
    assert view.message == "No profile is open.\nOpen one from the File menu, or drop it here."
