"""Writes the completion of the command's options in bash, zsh and fish.

python -m tests.resources.shell_completion
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

import shtab
from qcachegrind_py.cli.arguments import build_parser

from qcachegrind_py.present.selection import SortKey

FOLDER = Path(__file__).parents[2] / "resources/desktop"
_BASH = "bash-completion/completions"
_FISH = "fish/vendor_completions.d"
_FUNCTION = "_shtab_qcachegrind_py"


def _words(name: str, *words: str) -> dict[str, object]:
    """What shtab takes for values that begin as one of these words, but may be others."""
    text, function = " ".join(words), f"_qcachegrind_py_{name}"
    bash = f'{function}() {{\n  compgen -W "{text}" -- "$1"\n}}'
    return {"bash": function, "zsh": f"({text})", "fish": text, "preamble": {"bash": bash}}


_VALUES = {  # by the name that the help gives to an option's value
    "FILE": shtab.FILE,
    "FILE-OR-OBJECT": shtab.FILE,
    "OUT": shtab.FILE,
    "VIEWS": shtab.FILE,
    "PICTURE": shtab.FILE,
    "DIR": shtab.DIRECTORY,
    "ORDER": _words("order", *get_args(SortKey)),
}


def completion_files() -> dict[str, str]:
    """The files below `FOLDER`: the command's two names share what each shell knows of it."""
    parser = _parser()
    bash, zsh, fish = (shtab.complete(parser, shell) for shell in ("bash", "zsh", "fish"))
    names = "qcachegrind-py qcachegrind_py"
    return {
        f"{_BASH}/qcachegrind-py": f"{bash}\n",
        f"{_BASH}/qcachegrind_py": '. "${BASH_SOURCE[0]%/*}/qcachegrind-py"\n'
        f"complete -o bashdefault -F {_FUNCTION} {names}\n",
        "zsh/site-functions/_qcachegrind-py": zsh.replace("qcachegrind-py\n", f"{names}\n", 1),
        f"{_FISH}/qcachegrind-py.fish": f"{fish}\n",
        f"{_FISH}/qcachegrind_py.fish": "complete -c qcachegrind_py -w qcachegrind-py\n",
    }


def _parser() -> argparse.ArgumentParser:
    """The parser of the command, with what the values of its options are completed to."""
    parser = build_parser()
    for action in parser._actions:
        if isinstance(action.metavar, str) and action.metavar in _VALUES:
            action.complete = _VALUES[action.metavar]  # type: ignore[attr-defined] # for shtab
    return parser


if __name__ == "__main__":
    for name, text in completion_files().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
