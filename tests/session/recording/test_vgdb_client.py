"""Commands are sent to a process through vgdb, whatever environment the process was started in."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from qcachegrind_py.session.recording.vgdb_client import VgdbClient
from qcachegrind_py.tools.valgrind.running_programs import VgdbAddress

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script")
SCRIPT = """#!/bin/sh
echo "$LOGNAME at $HOST: $*"
"""


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
    script = tmp_path / "vgdb"
    script.write_text(SCRIPT)
    script.chmod(0o755)
    for name in ("LOGNAME", "HOST"):
        monkeypatch.setenv(name, "ours")
    owner, answers = QObject(), list[tuple[bool, str]]()
    client = VgdbClient(str(script), 7, owner, address)
    client.send(["status", "internal"], lambda is_well, text: answers.append((is_well, text)))
    qtbot.waitUntil(lambda: bool(answers))
    client.close()
    owner.deleteLater()

    assert answers == [(True, answer)]
