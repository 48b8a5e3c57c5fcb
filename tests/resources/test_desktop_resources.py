"""The desktop files agree with one another and with the program, and validators accept them."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
import xml.etree.ElementTree as ET
from configparser import ConfigParser
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from qcachegrind_py.app.desktop.install import ENTRY, TYPES
from tests.resources.icons import SIZES, drawn, icon_path

ROOT = Path(__file__).parents[2]
DESKTOP = ROOT / "resources/desktop"
METAINFO = DESKTOP / "metainfo/io.github.qcachegrind_py.qcachegrind_py.metainfo.xml"
MIME = DESKTOP / "mime/packages/qcachegrind_py.xml"
NAMESPACE = "{http://www.freedesktop.org/standards/shared-mime-info}"


def test_the_types_are_the_same_everywhere() -> None:
    """Desktop entry, MIME package, AppStream data and program name the same types."""
    entry = ConfigParser(interpolation=None)
    entry.read(DESKTOP / "applications" / ENTRY)
    metainfo = ET.parse(METAINFO)
    defined = ET.parse(MIME).iter(f"{NAMESPACE}mime-type")

    assert entry["Desktop Entry"]["MimeType"] == ";".join(TYPES) + ";"
    assert tuple(type_.get("type") for type_ in defined) == TYPES
    assert tuple(type_.text for type_ in metainfo.iter("mediatype")) == TYPES
    assert [launched.text for launched in metainfo.iter("launchable")] == [ENTRY]


def test_a_wheel_carries_all_of_them() -> None:
    """pyproject.toml places every desktop file in its folder below share/."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    carried = {
        f"{folder}/{path.name}"
        for folder, patterns in settings["tool"]["setuptools"]["data-files"].items()
        for pattern in patterns
        for path in ROOT.glob(pattern)
    }
    there = {
        f"share/{path.relative_to(DESKTOP).as_posix()}"
        for path in DESKTOP.rglob("*")
        if path.is_file()
    }

    assert carried == there | {"share/icons/hicolor/scalable/apps/qcachegrind_py.svg"}


@pytest.mark.parametrize("size", SIZES)
def test_icons_match_the_drawing(size: int) -> None:
    """Each size shows the icon as drawn now, up to differences between Qt versions."""
    image, now = QImage(str(icon_path(size))), drawn(size)

    assert (image.width(), image.height()) == (size, size)
    step = max(1, size // 16)
    for x, y in ((x, y) for x in range(0, size, step) for y in range(0, size, step)):
        there, wanted = image.pixelColor(x, y), now.pixelColor(x, y)
        pairs = zip(there.getRgb(), wanted.getRgb(), strict=True)
        assert max(abs(a - b) for a, b in pairs) < 32


@pytest.mark.parametrize(
    "check",
    [
        ["desktop-file-validate", str(DESKTOP / "applications" / ENTRY)],
        ["appstreamcli", "validate", "--no-net", str(METAINFO)],
        ["xmllint", "--noout", str(MIME)],
    ],
    ids=lambda check: check[0],
)
def test_the_desktops_checkers_find_nothing(check: list[str]) -> None:
    """The desktop's validators report nothing about these files."""
    if not shutil.which(check[0]):
        pytest.skip(f"{check[0]} is not installed")

    ran = subprocess.run(check, capture_output=True, text=True, check=False)

    unknown = ("successful", "unknown-tag developer")  # the tag is new in AppStream 1.0
    lines = filter(None, ran.stdout.splitlines())
    said = [line for line in lines if not any(word in line for word in unknown)]
    assert (ran.returncode, said, ran.stderr) == (0, [], "")
