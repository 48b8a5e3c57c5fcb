"""Print the oldest versions that pyproject.toml allows, as constraints for pip.

    python .ci/oldest_versions.py > oldest.txt
    python -m pip install --constraint oldest.txt --editable '.[test]'

The tools of the `dev` extra check the source, and are used in their newest versions.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_PROJECT = Path(__file__).parents[1] / "pyproject.toml"
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)[^;]*?>=(?P<version>[\d.]+)[^;]*(?P<marker>;.*)?")


def oldest_versions() -> list[str]:
    """Return one constraint for each requirement of the package and of its tests."""
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]
    requirements = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    return [_oldest_version(requirement) for requirement in requirements]


def _oldest_version(requirement: str) -> str:
    parts = _REQUIREMENT.fullmatch(requirement)
    if parts is None:
        raise SystemExit(f"pyproject.toml: {requirement!r} has no oldest version")
    return f"{parts['name']}=={parts['version']}{parts['marker'] or ''}"


if __name__ == "__main__":
    print(*oldest_versions(), sep="\n")
