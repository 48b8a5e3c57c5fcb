"""Run the examples in the README and in `docs/` as they are printed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
EXAMPLE = ROOT / "resources" / "example"
# The other lines of the command open a window, or change the user's desktop.
WITHOUT_WINDOW = re.compile(
    r"qcachegrind-py (?:report|calls|annotate|explain|compare|gate|history|convert) | --screenshot "
)


def command_lines() -> list[str]:
    """The indented lines that run the command without a window, each once.

    Tests of their own run those of two pages, and those that need DuckDB.
    """
    others = {"migrating.md", "many-profiles.md"}
    pages = (path for path in (*DOCUMENTS, *guide_pages()) if path.name not in others)
    texts = (path.read_text("utf-8") for path in pages)
    lines = [
        line for text in texts for line in re.findall(r"^    (qcachegrind-py .*)$", text, re.M)
    ]
    chosen = (line for line in dict.fromkeys(lines) if WITHOUT_WINDOW.search(line))
    return [line for line in chosen if not line.endswith(".parquet")]


def guide_pages() -> list[Path]:
    """The pages of the built-in guide."""
    return sorted((ROOT / "resources" / "guide").glob("*.md"))


def test_readme_example_runs_as_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The library example works on the example profile; `test_library.py` has those of its page."""
    (block,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL
    )
    monkeypatch.chdir(ROOT)

    exec(block, {})

    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed[:2]] == ["_dl_lookup_symbol_x", "do_lookup_x"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the example profile, under the names used in the documents, and its sources."""
    for path in (EXAMPLE / "sheet").iterdir():
        shutil.copy(path, tmp_path)
    for name in ("old.out", "new.out", "a1", "a2", "b1", "b2", "b3"):
        shutil.copy(tmp_path / "callgrind.out.sheet.xz", tmp_path / name)
    suite = tmp_path / "target/gungraun/package/file/group/sheet"
    for place in (tmp_path / "old/sheet", tmp_path / "new/sheet", suite):
        place.mkdir(parents=True)
        for end in ("", ".old", ".base@main") if place == suite else ("",):
            name = f"callgrind.sheet.out{end}"
            shutil.copy(tmp_path / "callgrind.out.sheet.xz", place / name)
    for name in ("costs", "store"):
        (tmp_path / name).mkdir()
        shutil.copy(tmp_path / "old.out", tmp_path / name / "r1.out")
    shutil.copytree(tmp_path / "target/gungraun", tmp_path / "costs/r1")
    (tmp_path / "callgrind.out.sheet.xz").rename(tmp_path / "callgrind.out.1234")
    (tmp_path / "hot-loop.json").write_text(saved_view_example(), encoding="utf-8")
    return tmp_path


def saved_view_example() -> str:
    """The file of saved views that the page of the command shows."""
    page = (ROOT / "docs" / "command.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```json\n(\{\"format\".*?)```", page, re.DOTALL)
    return str(example)


def run_in_shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of a document in the folder, with the command of this checkout."""
    command = folder / "bin" / "qcachegrind-py"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m qcachegrind_py "$@"\n')
    command.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_CONFIG_HOME": str(folder / "config"),
    }
    return subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the lines are for a POSIX shell")
@pytest.mark.parametrize("line", command_lines())
def test_command_lines_run_as_printed(line: str, folder: Path) -> None:
    """A line of the documents succeeds on the example, and writes the promised files."""
    before = set(folder.iterdir())
    ran = run_in_shell(line, folder)
    written = {path.name for path in set(folder.iterdir()) - before if path.is_file()}
    named = set(re.findall(r"(?:>|-o|--screenshot|--summary|--junit) ([\w.][\w.-]*)", line))

    assert ran.returncode == 0, ran.stderr
    assert written == named
    assert all((folder / name).stat().st_size for name in named)
    assert named or ran.stdout


def keys_of(value: object) -> set[str]:
    """All keys of JSON objects within the value, without the names of events."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set()


@pytest.mark.skipif(sys.platform == "win32", reason="the lines are for a POSIX shell")
def test_json_is_what_the_contract_says(folder: Path) -> None:
    """The fields named by the contract are exactly those printed by the command."""
    text = (ROOT / "docs" / "command.md").read_text("utf-8").partition("## The JSON contract")[2]
    named = set(re.findall(r'"(\w+)"', "".join(re.findall(r"^    .*\n", text, re.M))))
    printed: set[str] = set()
    (folder / "callgrind.out.1").write_text("events: Ir\nfn=f\n1 2 3\n")  # an oddity, no source
    for line in (
        "report callgrind.out.1234",
        "report callgrind.out.1",
        "annotate callgrind.out.1 f",
        "annotate callgrind.out.1234 main",
        "calls callgrind.out.1234 main",
        "calls callgrind.out.1234 main --path",
        "annotate callgrind.out.1234 main --asm",
    ):
        ran = run_in_shell(f"qcachegrind-py {line} --format json", folder)
        report = json.loads(ran.stdout)
        printed |= keys_of(report) - set(report.get("events", ())) - set(report.get("self", ()))

    assert printed == named


def anchors_of(path: Path) -> set[str]:
    """The fragments by which links refer to a document's headings."""
    headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    """Every link and picture of a document leads to a project file, or to a heading in one."""
    links = re.findall(r"\]\((?!https:)([^)#]*)#?([^)]*)\)", document.read_text("utf-8"))
    targets = [((document.parent / name) if name else document, anchor) for name, anchor in links]

    assert [str(path) for path, _ in targets if not path.exists()] == []
    assert [link for path, link in targets if link and link not in anchors_of(path)] == []
