"""Journeys from a program to its annotated source, with the installed valgrind."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.recording.record_dialog import RecordDialog
from qcachegrind_py.app.window import MainWindow
from tests.code_view_text import cell_texts, is_busy, record_of, shown_locations
from tests.profile_text import THIN
from tests.user_input import WindowUser, go_to, ignore_offscreen_warnings

NEEDED = ("valgrind", "vgdb", "callgrind_annotate", "cc")
MISSING = [name for name in NEEDED if shutil.which(name) is None]
pytestmark = [
    ignore_offscreen_warnings,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
TYPED = "told 'a  b' \"it's\" 'say \"x\"' $HOME * \\\\ ~ grün '' -x"
WORDS = ["told", "a  b", "it's", 'say "x"', "$HOME", "*", "\\", "~", "grün", "", "-x"]
SOURCE = r"""#include <stdio.h>
#include <string.h>

static volatile long sum;

__attribute__((noinline)) void add(long to)
{
    for (long i = 0; i < to; i++)
        sum += i; /* hot */
}

int main(int argc, char **argv)
{
    FILE *file = fopen(argv[1], "w");
    for (int i = 1; i < argc; i++)
        fwrite(argv[i], 1, strlen(argv[i]) + 1, file);
    fclose(file);
    puts("ready");
    fflush(stdout);
    do
        add(30000);
    while (!strcmp(argv[1], "for ever"));
    return 0;
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that writes its arguments to the file named first, then computes."""
    source, program = tmp_path / "adder.c", tmp_path / "an adder"
    source.write_text(SOURCE)
    subprocess.run(["cc", "-g", "-O1", "-o", program, source], check=True, cwd=tmp_path)
    return program


class User(WindowUser):
    """A user who records a program and looks at the profile."""

    @property
    def dialog(self) -> RecordDialog:
        assert self.window.recording.dialog is not None
        return self.window.recording.dialog

    def paste(self, edit: QWidget, text: str) -> None:
        """Set the text of a field at once."""
        edit.setFocus()
        QTest.keyClick(edit, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QApplication.clipboard().setText(text)
        QTest.keyClick(edit, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)

    def press(self, key: Qt.Key, keys: Qt.KeyboardModifier) -> None:
        """Press a key in the focused widget."""
        QTest.keyClick(self.dialog.focusWidget(), key, keys)

    def record(self, program: Path, arguments: str) -> None:
        """Fill in the dialog and press Return."""
        self.window.actions_["record"].trigger()
        form, folder = self.dialog.form, program.parent
        self.paste(form.program, str(program))
        self.paste(form.arguments, arguments)
        self.paste(form.folder, str(folder))
        self.paste(form.output, str(folder / "my profiles"))
        QTest.keyClick(form.output, Qt.Key.Key_Return)

    def look_at(self, function: str) -> None:
        """Go to a function in its source."""
        self.window.docks.show("source")
        go_to(self.window.session, self.window.navigation, function)
        for _ in range(2):
            self.wait(lambda: not is_busy(self.window))

    @property
    def opened(self) -> list[Path]:
        return list(self.window.session.paths)


@pytest.fixture
def user(window: MainWindow, qtbot: QtBot) -> User:
    window.resize(1280, 800)
    window.actions_["absolute"].trigger()
    return User(window, qtbot)


def annotated(profile: Path) -> dict[str, str]:
    """The self cost of each source line, as callgrind_annotate reports it."""
    out = subprocess.run(
        ["callgrind_annotate", "--auto=yes", "--threshold=100", "--context=9", profile],
        capture_output=True, text=True, check=True, cwd=profile.parent,
    ).stdout  # fmt: skip
    texts = {text.strip(): str(number) for number, text in enumerate(SOURCE.splitlines(), 1)}
    rows = re.findall(r"^ *([\d,]+) \(.*?\)  (.*)$", out, re.MULTILINE)
    return {texts[text.strip()]: cost for cost, text in rows if text.strip() in texts}


def test_from_a_program_to_its_annotated_source(user: User, program: Path) -> None:
    """Typed arguments reach the program unchanged; the profile shows its hot line."""
    user.record(program, TYPED)
    user.wait(lambda: user.opened)
    user.look_at("add")

    told = (program.parent / "told").read_bytes().decode().split("\0")[:-1]
    (profile,) = user.opened
    view = user.window.views.source
    model = view.model
    location, cost = model.listing.texts.location, model.place("self")
    lines = {
        location(record): cell_texts(view, record, cost)[0].replace(THIN, ",")
        for record in shown_locations(view)
        if location(record) in ("8", "9")
    }
    expected = annotated(profile)
    assert told == WORDS
    assert profile.parent == program.parent / "my profiles"
    assert not user.dialog.isVisible()
    assert lines == {line: expected[line] for line in ("8", "9")}
    assert int(lines["9"].replace(",", "")) >= 30000
    assert (
        cell_texts(view, record_of(view, "9"), model.place("text"))[0].strip()
        == "sum += i; /* hot */"
    )


def test_a_part_of_a_long_run_and_its_end(user: User, program: Path) -> None:
    """A dump is viewed while the program runs; once stopped, all parts are complete."""
    user.record(program, "'for ever'")
    dialog, state = user.dialog, user.dialog.run.control.state
    user.wait(lambda: "ready" in dialog.run.output.toPlainText())
    user.wait(lambda: "Ir" in state.text())
    during = state.text()
    user.press(Qt.Key.Key_N, Qt.KeyboardModifier.AltModifier)
    user.wait(lambda: user.opened)
    (part,) = user.opened
    user.look_at("add")
    pid = int(part.suffixes[-2][1:])
    runs = dialog.isVisible() and user.window.recording.recorder.is_running
    user.press(Qt.Key.Key_S, Qt.KeyboardModifier.AltModifier)
    user.wait(lambda: not user.window.recording.recorder.is_running)
    user.wait(lambda: not user.window.session.is_opening and user.opened != [part])

    assert re.fullmatch(r"[\d.]+ s · [\d.]+ [kMG] Ir · in .+", during)
    assert (part.name[-2:], runs) == (".1", True)
    assert user.opened == [part.with_suffix("")]
    assert dialog.message.text().startswith("Stopped after ")
    assert user.window.session.queries is not None
    assert len(user.window.session.queries.profile.parts) == 2
    assert user.window.notices.notice_texts().get("warning") is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
