"""Commands are sent to a process through vgdb, whatever environment the process was started in."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from qcachegrind_py.session.program_control import VgdbClient
from qcachegrind_py.tools.valgrind.running_programs import VgdbAddress

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script")
SCRIPT = """#!/bin/sh
echo "$LOGNAME at $HOST: $*"
"""


BUSY_SCRIPT = """#!/bin/sh
echo "$*" >> "$0.log"
test $(wc -l < "$0.log") -gt 2 || { echo "Cannot acquire lock." >&2; exit 1; }
echo done
"""


def install(folder: Path, script: str) -> Path:
    path = folder / "vgdb"
    path.write_text(script)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("address", "answer"),
    [
        (None, "ours at ours: --pid=7 status internal\n"),
        (
            VgdbAddress("/var/tmp/p", "theirs", "there"),
            "theirs at there: --pid=7 --vgdb-prefix=/var/tmp/p status internal\n",
        ),
    ],
)
def test_vgdb_is_told_where_the_pipes_are(
    address: VgdbAddress | None, answer: str, tmp_path: Path, qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """vgdb derives the names of pipes from its environment, so it gets that of the process."""
    script = install(tmp_path, SCRIPT)
    for name in ("LOGNAME", "HOST"):
        monkeypatch.setenv(name, "ours")
    owner, answers = QObject(), list[tuple[bool, str]]()
    client = VgdbClient(str(script), 7, owner, address)
    client.send(["status", "internal"], lambda is_well, text: answers.append((is_well, text)))
    qtbot.waitUntil(lambda: bool(answers))
    client.close()
    owner.deleteLater()

    assert answers == [(True, answer)]


def test_a_busy_process_is_asked_again(tmp_path: Path, qtbot: QtBot) -> None:
    """While another vgdb speaks with the process, as that of a recording, commands wait for it."""
    script, owner, answers = install(tmp_path, BUSY_SCRIPT), QObject(), list[tuple[bool, str]]()
    client = VgdbClient(str(script), 7, owner)
    for word in ("dump", "zero"):
        client.send([word], lambda is_well, text: answers.append((is_well, text)))
    qtbot.waitUntil(lambda: len(answers) == 2)
    client.close()
    owner.deleteLater()

    asked = Path(f"{script}.log").read_text().splitlines()
    assert answers == [(True, "done\n")] * 2
    assert asked == ["--pid=7 dump"] * 3 + ["--pid=7 zero"]
