"""The lines that install packages of Python, and this program again."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path
from urllib.parse import unquote, urlsplit

_CHECKOUT = Path(__file__).resolve().parents[3]
_NAME = "qcachegrind_py"
_COMMAND = "qcachegrind-py"
_PROJECT = "pyproject.toml"  # of a source folder
_ARCHIVES = (".tar.gz", ".zip")  # of source; a wheel holds what was compiled elsewhere
_DEV = "sh dev.sh run"  # sets up a checkout


def package_line(*names: str) -> str:
    if sys.prefix == sys.base_prefix and _is_checkout():  # pip must not change the system's Python
        return _DEV
    return pip_line(*names)


def compile_line() -> str:
    """Return the line that installs this program again, now with a C compiler."""
    if _is_checkout():
        return _DEV
    path = _source_path()
    source = [path] if path else [f"--no-binary={_NAME}", _NAME]
    return pip_line("--force-reinstall", "--no-cache-dir", "--no-deps", *source)


def program_line(*words: str) -> str:
    beside = Path(sys.executable).with_name(_COMMAND)
    if shutil.which(_COMMAND):
        return shlex.join([_COMMAND, *words])
    if beside.is_file():
        return shlex.join([str(beside), *words])
    return shlex.join([sys.executable or "python3", "-m", _NAME, *words])


def pip_line(*words: str) -> str:
    return shlex.join([sys.executable or "python3", "-m", "pip", "install", *words])


def _is_checkout() -> bool:
    return (_CHECKOUT / "dev.sh").exists()


def _source_path() -> str:
    """Return the folder or source archive that was installed; empty if none, or if it is gone."""
    try:
        recorded = Distribution.from_name(_NAME).read_text("direct_url.json")
        url = urlsplit(json.loads(recorded or "{}").get("url", ""))
    except (PackageNotFoundError, ValueError, AttributeError):
        return ""
    path = Path(unquote(url.path))
    is_source = path.is_file() if path.name.endswith(_ARCHIVES) else (path / _PROJECT).is_file()
    return str(path) if url.scheme == "file" and is_source else ""
