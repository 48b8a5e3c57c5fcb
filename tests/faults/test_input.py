"""Input that never ends, and files that change while they are read."""

from __future__ import annotations

import io
import lzma
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.formats import loading
from tests.faults.program import EXAMPLE, Program


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("yes", "junk"), "is not a profile of a known format."),
        (("cat", "/dev/zero"), "is binary data, not a profile."),
    ],
)
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
def test_endless_input_that_is_no_profile(
    tmp_path: Path, command: tuple[str, str], reason: str
) -> None:
    """Its first bytes tell that it is no profile: the rest is not read."""
    endless = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    program = Program(tmp_path / "home", ["report", "-"], stdin=endless.stdout)
    assert endless.stdout is not None
    endless.stdout.close()
    ended = program.wait()
    endless.kill()
    endless.wait()

    assert (ended.code, ended.output) == (1, "")
    assert ended.errors.startswith(f"standard input {reason}")
    assert list(program.temporary.iterdir()) == []


def test_endless_profile_does_not_fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Input is put aside only as long as other programs have room on the disk."""
    text = "events: Ir\nfn=f\n" + "1 1\n" * 1_000_000
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    monkeypatch.setattr(loading, "_SPARE_BYTES", 1 << 62)
    with pytest.raises(q.UnwritableFile) as caught:
        loading.resolve_standard_input(["-"])
    assert str(caught.value).endswith(
        "does not fit on the disk (1 MB so far). "
        "Make room on the disk, or save the profile elsewhere and open that file."
    )


@pytest.mark.slow
def test_a_file_cut_and_written_again_while_it_is_read(tmp_path: Path) -> None:
    """It is read as far as it goes, or refused by a named error; then it is read whole again."""
    data = lzma.decompress(EXAMPLE.read_bytes())
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(data)
    whole = np.sum(q.load(path).costs.values)
    is_done = threading.Event()

    def change() -> None:
        length = 0
        while not is_done.is_set():
            length = (length * 31 + 7919) % len(data)
            os.truncate(path, length)
            with path.open("r+b") as file:
                file.write(data)

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for _ in range(60):
            with suppress(q.ProfileError):
                q.load(path)
    finally:
        is_done.set()
        changing.join()
    assert np.sum(q.load(path).costs.values) == whole
