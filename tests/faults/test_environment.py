"""A home that is not there, and a system without fonts."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.faults.program import EXAMPLE, Ended, Program

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="for systems with /dev/null and fontconfig"),
]
NO_FONTS = '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>'


def test_without_a_home(tmp_path: Path) -> None:
    """The window works where nothing can be remembered, not even a log."""
    program = Program(tmp_path / "home", ["--debug", EXAMPLE], {"HOME": "/dev/null/home"})
    assert program.process.stderr is not None
    assert b"started" in program.process.stderr.readline()
    program.process.send_signal(signal.SIGTERM)

    ended = program.wait()
    assert (ended.code, ended.output) == (128 + signal.SIGTERM, "")
    assert "Traceback" not in ended.errors


def test_a_report_without_a_home(tmp_path: Path) -> None:
    """Reports need no home at all."""
    arguments = ["report", EXAMPLE, "--format", "csv", "--limit", "1"]
    program = Program(tmp_path / "home", arguments, {"HOME": "/dev/null/home"})
    ended = program.wait()
    assert (ended.code, ended.errors, len(ended.output.splitlines())) == (0, "", 2)


def without_fonts(folder: Path) -> dict[str, str]:
    """The environment of a system that has no fonts."""
    configuration = folder / "fonts.conf"
    configuration.write_text(NO_FONTS)
    return {"FONTCONFIG_FILE": str(configuration)}


def test_a_screenshot_without_fonts(tmp_path: Path) -> None:
    """Without any font the window shows no text, and works."""
    picture = tmp_path / "window.png"
    arguments = ["--screenshot", picture, EXAMPLE]
    program = Program(tmp_path / "home", arguments, without_fonts(tmp_path))
    assert program.wait() == Ended(0, "", "")
    assert picture.stat().st_size > 1000


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fonts come from fontconfig there")
def test_the_doctor_misses_fonts(tmp_path: Path) -> None:
    """Qt names families even where there is none; the doctor looks for a letter."""
    lines = [
        next(line for line in ended.output.splitlines() if "Fonts" in line)
        for environment in ({}, without_fonts(tmp_path))
        if (ended := Program(tmp_path / "home", ["doctor"], environment).wait())
    ]
    assert "none: all text is invisible" in lines[1]
    assert "none" not in lines[0]
