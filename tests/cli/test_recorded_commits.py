"""Eight commits as they are made, recorded by Valgrind: the rules of the documents name one.

Each is a change of one program. What changes no work fails nothing; what does is named.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from qcachegrind_py.cli.main import main

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "tests/data/commits/words.cpp"
# without AVX, by the names of old and new releases of glibc
OLD_PROCESSOR = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-AVX2,-AVX_Usable,-AVX,-ERMS"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("valgrind") and shutil.which("g++")), reason="needs valgrind and g++"
    ),
]
_Files = dict[str, str]


def replaced(*pairs: tuple[str, str]) -> Callable[[str], _Files]:
    """A commit that replaces texts in the only file."""

    def change(text: str) -> _Files:
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        return {"words.cpp": text}

    return change


def moved(text: str) -> _Files:
    """A commit that moves a function to a file of its own."""
    begin, end = text.index("void report("), text.index("int main()")
    declaration = text[begin : text.index("\n{", begin)]
    includes = text.partition("template")[0]
    return {
        "words.cpp": f"{text[:begin]}{declaration};\n{text[end:]}",
        "report.cpp": includes + text[begin:end],
    }


UNCHANGED = replaced()
# what a commit changes, the variables of its run, and the function that a rule has to name
COMMITS: dict[str, tuple[Callable[[str], _Files], list[str], str]] = {
    "regression": (replaced(("hash(word.data()", "hash(std::string(word).data()")), [], "count"),
    "rename": (replaced(("hash(", "hash2(")), [], ""),
    "rename of a caller": (replaced(("count(", "tally(")), [], ""),
    "move": (moved, [], ""),
    "inlining": (
        replaced(("NOINLINE int scale", "__attribute__((always_inline)) inline int scale")),
        [],
        "",
    ),
    "template": (replaced(("arrange(counts, Longer<", "arrange(counts, Larger<")), [], ""),
    "comment": (replaced(("#include <cstdio>", "// one\n// two\n#include <cstdio>")), [], ""),
    "environment": (UNCHANGED, ["BIG=" + 3000 * "x", *(f"VAR{i}=x" for i in range(50))], ""),
    "processor": (UNCHANGED, [OLD_PROCESSOR], ""),
}


def record(folder: Path, name: str, files: _Files, *variables: str) -> str:
    """Compile a revision, run it in an empty environment, and return its profile."""
    source = folder / name
    source.mkdir()
    for path, text in files.items():
        (source / path).write_text(text, encoding="utf-8")
    compiled = ["g++", "-O1", "-g", f"-fdebug-prefix-map={source}=.", "-o", "words", *files]
    subprocess.run(compiled, cwd=source, check=True, timeout=300)
    recording = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder / name}.out"]
    subprocess.run(
        ["env", "-i", "PATH=/usr/bin:/bin", *variables, *recording, "./words"],
        cwd=source,
        check=True,
        timeout=300,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return str(folder / f"{name}.out")


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The program before the commits, on both processors."""
    folder = tmp_path_factory.mktemp("base")
    files = {"words.cpp": SOURCE.read_text("utf-8")}
    return {
        "": record(folder, "base", files),
        OLD_PROCESSOR: record(folder, "old", files, OLD_PROCESSOR),
    }


def recommended() -> list[str]:
    """The options that the page on comparing recommends for changes of all kinds."""
    page = (ROOT / "docs/comparing.md").read_text("utf-8")
    (options,) = re.findall(r"gate old\.out new\.out (--fold libc \\\n[^`]*)```", page)
    words: list[str] = []
    for quoted, word in re.findall(r"'([^']*)'|([^\s'\\]+)", options):
        words.append(quoted or word)
    return words


@pytest.mark.parametrize("processor", ["", OLD_PROCESSOR], ids=["this processor", "an older one"])
@pytest.mark.parametrize("commit", COMMITS)
def test_the_recommended_rules(
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    bases: dict[str, str],
    commit: str,
    processor: str,
) -> None:
    """No false alarm and no miss, both runs on one processor and on two."""
    change, variables, culprit = COMMITS[commit]
    variables = [*variables, *([processor] if processor not in variables else [])]
    files = change(SOURCE.read_text("utf-8"))
    new = record(tmp_path, "new", files, *filter(None, variables))
    for base in {bases[processor], bases[""]}:
        code = main(["gate", base, new, *recommended()])
        out = capfd.readouterr().out
        failed = [line for line in out.splitlines() if line.startswith("Failed: ")]
        assert (code, bool(failed)) == ((3, True) if culprit else (0, False)), out
        assert culprit in out
        differs = [each for each in ("Processor", "Environment") if f" {each}: " in out]
        if commit == "environment":
            assert "Environment" in differs
        if commit == "processor" and not processor and base == bases[""]:
            assert differs == ["Processor", "Environment"]
