"""How Python packages are got for the Python that runs here: the exact line to type.

Nothing is installed here. Where this copy of the program came from is what pip noted of it in
`direct_url.json` (PyPA's "Recording the Direct URL Origin of installed distributions").
"""

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
_DEV = "sh dev.sh run"  # what the README says of a checkout


def package_line(name: str) -> str:
    """What to type for a package that is missing."""
    if sys.prefix == sys.base_prefix and is_checkout():  # a system's own Python is not for pip
        return _DEV
    return pip_line(name)


def compile_line() -> str:
    """What to type to install this program again, now that there is a compiler."""
    if is_checkout():
        return _DEV
    again = ("--force-reinstall", "--no-cache-dir", "--no-deps")
    folder = _source_folder()
    return pip_line(*again, folder or f"--no-binary={_NAME}", *([] if folder else [_NAME]))


def program_line(*words: str) -> str:
    """What to type to start this program with these words, in whatever shell."""
    beside = Path(sys.executable).with_name(_COMMAND)
    if shutil.which(_COMMAND):
        return shlex.join([_COMMAND, *words])
    if beside.is_file():
        return shlex.join([str(beside), *words])
    return shlex.join([sys.executable or "python3", "-m", _NAME, *words])


def pip_line(*words: str) -> str:
    """What to type for pip to install these."""
    return shlex.join([sys.executable or "python3", "-m", "pip", "install", *words])


def is_checkout() -> bool:
    """Whether the package lies in its sources."""
    return (_CHECKOUT / "dev.sh").exists()


def _source_folder() -> str:
    """The folder that pip installed this program from; empty where it was none, or is gone."""
    try:
        noted = Distribution.from_name(_NAME).read_text("direct_url.json")
        url = urlsplit(json.loads(noted or "{}").get("url", ""))
    except (PackageNotFoundError, ValueError, AttributeError):
        return ""
    folder = unquote(url.path)
    return folder if url.scheme == "file" and (Path(folder) / "pyproject.toml").is_file() else ""
