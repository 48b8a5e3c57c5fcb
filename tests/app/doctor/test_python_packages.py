"""Command lines that install packages or start the program."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import qcachegrind_py
from qcachegrind_py.app.doctor import packages
from qcachegrind_py.app.doctor.packages import compile_line, program_line

ROOT = Path(qcachegrind_py.__file__).parents[1]


def test_system_python_in_a_checkout_is_sent_to_dev_sh(tmp_path: Path) -> None:
    """The system's Python has no pip, or forbids it: `sh dev.sh run` installs everything."""
    for name in ("numpy", "PySide6"):
        text = f"raise ModuleNotFoundError(\"No module named '{name}'\", name='{name}')"
        (tmp_path / f"{name}.py").write_text(text)

    ran = subprocess.run(
        [sys._base_executable, "-S", "-m", "qcachegrind_py", "doctor"],  # type: ignore[attr-defined] # not in typeshed
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert ran.stderr == ""
    assert ran.stdout.endswith("\n    sh dev.sh run\n")


@pytest.mark.parametrize(
    ("noted", "words"),
    [
        ("{folder}", ["--no-deps", "{folder}"]),
        ("{folder}/gone", ["--no-deps", "--no-binary=qcachegrind_py", "qcachegrind_py"]),
        ("", ["--no-deps", "--no-binary=qcachegrind_py", "qcachegrind_py"]),
    ],
)
def test_program_is_compiled_from_its_source(
    noted: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The source recorded by pip is built again if it still exists, else the one of the index."""
    folder = tmp_path / "my sources"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    entry = tmp_path / "site/qcachegrind_py-9.dist-info"
    entry.mkdir(parents=True)
    (entry / "METADATA").write_text("Metadata-Version: 2.1\nName: qcachegrind_py\nVersion: 9\n")
    url = noted.format(folder=folder.as_uri())
    (entry / "direct_url.json").write_text(json.dumps({"url": url, "dir_info": {}}))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setattr(packages, "_CHECKOUT", tmp_path)

    found = shlex.split(compile_line())

    expected = ["--force-reinstall", "--no-cache-dir", *(w.format(folder=folder) for w in words)]
    assert found == [sys.executable, "-m", "pip", "install", *expected]


def test_program_line_works_in_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It uses the name if that is on the PATH, else the path beside Python, else the module."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin/python"))
    lines = [program_line("doctor")]
    (tmp_path / "bin/qcachegrind-py").touch(0o755)
    lines.append(program_line("doctor"))
    (tmp_path / "qcachegrind-py").touch(0o755)
    lines.append(program_line("doctor"))

    assert lines == [
        f"{tmp_path}/bin/python -m qcachegrind_py doctor",
        f"{tmp_path}/bin/qcachegrind-py doctor",
        "qcachegrind-py doctor",
    ]
