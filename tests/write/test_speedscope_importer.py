"""Speedscope itself reads the files: its importer runs in a browser, from the published package.

`npm pack speedscope && tar xf speedscope-*.tgz` makes the folder `package`, which the variable
SPEEDSCOPE names; a global installation is found by itself. Needs Chromium, and no network.
"""

from __future__ import annotations

import base64
import html
import json
import lzma
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from qcachegrind_py.app.style.resources import EXAMPLE_PROFILE, resource_path
from qcachegrind_py.cli.main import main
from tests.patience import wait_until

_BROWSERS = "chromium", "chromium-browser", "google-chrome", "chrome"
_ROW = re.compile(
    r"<tr[^>]*><td[^>]*>([\d,]+) \(.*?</td><td[^>]*>([\d,]+) \(.*?</td><td[^>]*>"
    r"<span[^>]*></span>(.*?)</td></tr>"
)


@cache
def _page() -> Path | None:
    """Speedscope's page in the published package; None if it is not there."""
    folders = [os.environ.get("SPEEDSCOPE", "")]
    if npm := shutil.which("npm"):
        root = subprocess.run(
            [npm, "root", "--global"], capture_output=True, text=True, timeout=120, check=False
        )
        folders.append(f"{root.stdout.strip()}/speedscope")
    pages = (Path(folder, "dist/release/index.html") for folder in folders if folder)
    return next((page.resolve() for page in pages if page.is_file()), None)


def shown_by_speedscope(exported: Path, folder: Path) -> list[tuple[str, int, int]]:
    """Names of frames, their total and self weights, as the sandwich view lists them."""
    page, browser = _page(), next(filter(None, map(shutil.which, _BROWSERS)), None)
    if page is None or browser is None:
        pytest.skip("needs the npm package speedscope, named by SPEEDSCOPE, and Chromium")
    content = base64.b64encode(exported.read_bytes()).decode("ascii")
    script = folder / "profile.js"
    arguments = f"{json.dumps(exported.name)}, {json.dumps(content)}"
    script.write_text(f"speedscope.loadFileFromBase64({arguments})", encoding="ascii")
    command = [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
        f"--user-data-dir={folder}/browser", "--window-size=1200,8000",
        "--virtual-time-budget=20000", "--dump-dom",
        f"{page.as_uri()}#localProfilePath={script}&view=sandwich",
    ]  # fmt: skip
    # on a busy machine the browser may print the page before it is filled
    rows = wait_until(lambda: _rows(command), "speedscope shows no functions")
    return [(html.unescape(name), _number(total), _number(own)) for total, own, name in rows]


def _rows(command: list[str]) -> list[tuple[str, str, str]]:
    """Total, self weight and name of all rows that the browser prints; none before it has read."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return _ROW.findall(done.stdout)


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def recorded_total(profile: Path) -> int:
    """The instructions of all parts, as Callgrind has summed them up."""
    with lzma.open(profile, "rt", encoding="ascii", errors="replace") as lines:
        return sum(int(line.split()[1]) for line in lines if line.startswith("summary:"))


@pytest.mark.parametrize("name", ["stacks.json", "stacks.folded"])
def test_speedscope_shows_the_same_costs(tmp_path: Path, name: str) -> None:
    """All self costs add up to the total that the profile states."""
    exported = tmp_path / name
    profile = str(resource_path(EXAMPLE_PROFILE))
    assert main(["convert", profile, "-o", str(exported), "--event", "Ir"]) == 0

    rows = shown_by_speedscope(exported, tmp_path)
    assert sum(own for _, _, own in rows) == recorded_total(resource_path(EXAMPLE_PROFILE))
    assert [own for name, _, own in rows if name == "__strncmp_avx2"] == [3_258_256]
