"""Where files that are made of a profile are proposed to go."""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

import pytest

from qcachegrind_py.app.proposals import place_beside
from qcachegrind_py.app.resources import EXAMPLE, resource
from qcachegrind_py.formats.standard_input import with_standard_input


def test_a_file_is_proposed_where_it_lasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the profile; not in a folder that goes with the program, nor in the program's own."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"events: Ir\n")))
    (kept,) = map(Path, with_standard_input(["-"]))
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    found = [place_beside(path, "x") for path in (tmp_path / "p", kept, resource(EXAMPLE))]
    gone = place_beside(tmp_path / "gone" / "p", "x")
    shutil.rmtree(kept.parent)

    home = tmp_path / "home" / "x"
    assert [*found, gone] == [tmp_path / "x", home, home, home]
