"""The manual page, made from the table of options."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from qcachegrind_py.cli.options import OPTIONS, TASK_NAMES
from qcachegrind_py.cli.shared_files import manual_page
from qcachegrind_py.version import __version__


def test_the_manual_page_has_every_task_and_option_of_this_release() -> None:
    """Its heading has a date, without which readers see the day on which they read it."""
    text = manual_page()
    entries = "".join(re.findall(r"^\.TP\n(\\fB-.*)$", text.replace(r"\-", "-"), re.M))

    heading = text.partition("\n")[0]
    assert re.fullmatch(
        rf'\.TH QCACHEGRIND\\-PY 1 "\d{{4}}-\d\d-\d\d" "qcachegrind_py {__version__}" .*', heading
    )
    assert tuple(re.findall(r"^\.SS qcachegrind\\-py (\w+)", text, re.M)) == TASK_NAMES
    assert set(re.findall(r"\\fB(--?[\w-]+)\\fR", entries)) == {
        name for row in OPTIONS.values() for name in row.names
    }


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
def test_man_shows_the_page_without_warnings(tmp_path: Path) -> None:
    """No request is unknown to roff, and no text is taken for one."""
    page = tmp_path / "qcachegrind-py.1"
    page.write_text(manual_page(), encoding="utf-8")

    ran = subprocess.run(
        ["man", "--warnings", "-l", page], capture_output=True, text=True, check=False
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    assert "EXIT STATUS" in ran.stdout
