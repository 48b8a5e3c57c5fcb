"""The screenshot command, run as a process."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtGui import QImage, QImageReader, QPixmap
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app import screenshot
from qcachegrind_py.app.style.resources import EXAMPLE_PROFILE, resource_path
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.formats.saved_views import (
    SavedFunction,
    SavedLayout,
    SavedView,
    TabGroup,
    write_views,
)
from qcachegrind_py.session.start_files import StartFiles
from qcachegrind_py.views.pictures import diagram_overview
from tests.profile_rows import DATA
from tests.profile_text import EXAMPLE

ROOT = Path(__file__).resolve().parents[2]


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program without a display, with its own settings."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: text for name, text in os.environ.items() if name not in hidden}
    (folder / "tmp").mkdir(exist_ok=True)
    environment |= {
        "XDG_CONFIG_HOME": str(folder / "config"),
        "TMPDIR": str(folder / "tmp"),
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.run(
        [sys.executable, "-m", "qcachegrind_py", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_screenshot_is_made_without_a_display(tmp_path: Path) -> None:
    """The picture has the requested size and content, and no other file is left behind."""
    picture = tmp_path / "window.png"

    done = command(tmp_path, "--screenshot", str(picture), "--size", "900x500", str(EXAMPLE))

    image = QImage(str(picture))
    colors = {image.pixel(x, y) for x in range(0, 900, 5) for y in range(0, 500, 5)}
    assert (done.returncode, done.stdout) == (0, "")
    assert (image.width(), image.height(), len(colors) > 50) == (900, 500, True)
    assert not (tmp_path / "config").exists()
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "form"), [("w.png", "png"), ("w.JPG", "jpeg"), ("w.webp", "webp"), ("w", "png")]
)
def test_picture_has_the_format_of_its_name(tmp_path: Path, name: str, form: str) -> None:
    """The ending of the name says the format, PNG by default."""
    done = command(tmp_path, "--screenshot", name, "--size", "400x300")

    reader = QImageReader(str(tmp_path / name))
    reader.setDecideFormatFromContent(True)
    assert (done.returncode, reader.format().data().decode()) == (0, form)


def test_screenshot_without_a_file_shows_the_welcome_page(tmp_path: Path) -> None:
    """Without a file the picture shows the cards and the icon of the welcome page."""
    done = command(tmp_path, "--screenshot", "welcome.png")

    image = QImage(str(tmp_path / "welcome.png"))
    page = {image.pixel(x, y) for x in range(0, 640, 2) for y in range(200, 500, 2)}
    assert (done.returncode, done.stderr) == (0, "")
    assert len(page) > 50


def test_screenshot_of_a_bad_file_says_why(tmp_path: Path) -> None:
    """An unreadable file gives exit code 1, one line with the reason, and no picture."""
    bad, picture = tmp_path / "bad.out", tmp_path / "window.png"
    bad.write_text("Dear diary,\n")

    done = command(tmp_path, "--screenshot", str(picture), str(bad))

    assert (done.returncode, done.stdout, picture.exists()) == (1, "", False)
    assert [line.startswith(f"{bad} ") for line in done.stderr.splitlines()] == [True]


def test_screenshot_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    """A picture that cannot be written gives exit code 1 and a remedy."""
    picture = tmp_path / "no folder" / "window.png"

    done = command(tmp_path, "--screenshot", str(picture), str(EXAMPLE))

    assert (done.returncode, done.stdout) == (1, "")
    reason = "No such file or directory. Choose an existing folder."
    assert done.stderr == f"{picture} cannot be written: {reason}\n"


def test_picture_waits_for_all_that_a_view_brings(tmp_path: Path) -> None:
    """One job follows another: the profile is folded, then the source of the function is read."""
    views, picture = tmp_path / "views.json", tmp_path / "source.png"
    layout = SavedLayout((TabGroup(("source",), "source", 0, 0, 1000, 1000),))
    function = SavedFunction("cell_named", "cells.c", "sheet")
    view = SavedView("x", function=function, filter="fold:libc", layout=layout)
    write_views(views, [view])
    arguments = "--size", "900x500", "--view", str(views), "--screenshot", str(picture)
    assert command(tmp_path, *arguments, str(resource_path(EXAMPLE_PROFILE))).returncode == 0

    image = QImage(str(picture))  # on the left are numbers; a message would be in the middle
    assert len({image.pixel(x, y) for x in range(150) for y in range(300, 400)}) > 20


def test_picture_waits_for_the_overview(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qapp: QApplication
) -> None:
    """The overview of a graph is drawn a moment after the graph, and belongs to the picture."""
    layout = SavedLayout((TabGroup(("call_graph",), "call_graph", 0, 0, 1000, 1000),))
    write_views(tmp_path / "views.json", [SavedView("x", layout=layout)])
    drawn = []

    def grab(window: MainWindow) -> QPixmap:
        overview = window.views.call_graph.overview
        drawn.append((overview.is_drawn, overview.isVisible()))
        return QPixmap(1, 1)

    monkeypatch.setattr(diagram_overview, "_DRAWING_DELAY", 500)
    monkeypatch.setattr(MainWindow, "grab", grab)
    monkeypatch.setattr(screenshot, "qInstallMessageHandler", lambda _handler: None)
    opened = StartFiles(
        profile=(DATA / "python/callgrind.out.python-default.xz",), view=tmp_path / "views.json"
    )
    assert screenshot.save_screenshot(opened, tmp_path / "w.png", (700, 400)) == 0
    assert drawn == [(True, True)]


def test_picture_of_a_saved_view(tmp_path: Path) -> None:
    """The view decides what is in the picture; without a valid one, there is none."""
    plain, view, views = tmp_path / "a.png", tmp_path / "b.png", tmp_path / "views.json"
    views.write_text('{"format": "qcachegrind_py saved views", "version": 1, "views": []}')
    save = partial(command, tmp_path, "--size", "900x500", str(EXAMPLE), "--view", str(views))
    failed = save("--screenshot", str(view))
    assert (failed.returncode, view.exists()) == (1, False)
    assert failed.stderr.startswith(f"{views} has no saved views.")

    write_views(views, [SavedView("hidden", filter="no_function_has_this_name")])
    picture = command(tmp_path, "--size", "900x500", str(EXAMPLE), "--screenshot", str(plain))
    assert picture.returncode == 0
    assert save("--screenshot", str(view)).returncode == 0
    assert QImage(str(plain)) != QImage(str(view))
