"""Files of the same run on the command line, and folders."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text
from qcachegrind_py.cli.main import main
from qcachegrind_py.formats.callgrind.scanner import COMPILED

RUN = "creator: callgrind-3.22.0\npid: 77\ncmd: ./a b\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a run of two threads, one of two dumps, and another file."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "cg.thr", "")
    for thread in (1, 2):
        run = RUN.replace("77", "76")
        text = f"{run}thread: {thread}\nevents: Ir\nfn=f\n1 {thread}\ntotals: {thread}\n"
        write(tmp_path / f"cg.thr-0{thread}", text)
    write(tmp_path / "cg.x", f"{RUN}part: 2\nevents: Ir\nfn=f\n1 10\ntotals: 10\n")
    write(tmp_path / "cg.x.1", f"{RUN}part: 1\nevents: Ir\nfn=f\n1 5\ntotals: 5\n")
    write(tmp_path / "cg.x.2", f"{RUN.replace('77', '78')}events: Ir\nfn=f\n1 5\ntotals: 5\n")
    return tmp_path


def write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


def printed(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    task = () if arguments[0] == "compare" else ("report",)
    code = main([*task, *arguments, "--format", "tsv"])
    output = capfd.readouterr()
    said = output.err if COMPILED else output.err.replace(f"{slow_scanner_text()}\n", "")
    return code, "".join(output.out.splitlines(keepends=True)[1:]), said


@pytest.mark.usefixtures("folder")
def test_files_of_the_same_run_are_named(capfd: pytest.CaptureFixture[str]) -> None:
    """A report reads exactly the named file, and says which others are of its run."""
    assert printed(capfd, "cg.x") == (
        0,
        "10\t10\t0\t0\tf\t???\t???\n",
        "1 other file of this run: cg.x.1. --siblings reads it, too.\n",
    )
    assert printed(capfd, "cg.x", "cg.x.1") == (0, "15\t15\t0\t0\tf\t???\t???\n", "")


@pytest.mark.usefixtures("folder")
def test_siblings_are_read_on_request(capfd: pytest.CaptureFixture[str]) -> None:
    """`--siblings` reads what the window would read: the whole run, and no other."""
    assert printed(capfd, "--siblings", "cg.x") == (0, "15\t15\t0\t0\tf\t???\t???\n", "")
    assert printed(capfd, "--siblings", "cg.thr") == (0, "3\t3\t0\t0\tf\t???\t???\n", "")


@pytest.mark.usefixtures("folder")
def test_a_run_is_named_from_any_of_its_files(capfd: pytest.CaptureFixture[str]) -> None:
    """A dump or a thread has the same run as the file that Callgrind was told to write."""
    hint = "1 other file of this run: cg.x. --siblings reads it, too.\n"
    assert printed(capfd, "cg.x.1") == (0, "5\t5\t0\t0\tf\t???\t???\n", hint)
    assert printed(capfd, "--siblings", "cg.x.1") == (0, "15\t15\t0\t0\tf\t???\t???\n", "")


@pytest.mark.usefixtures("folder")
def test_both_sides_of_a_comparison_have_siblings(capfd: pytest.CaptureFixture[str]) -> None:
    """Each side names its own, and that the sides have different parts is said as well."""
    code, _, said = printed(capfd, "compare", "cg.thr-01", "cg.x")
    assert (code, said) == (
        0,
        "1 other file of this run: cg.thr-02. --siblings reads it, too.\n"
        "1 other file of this run: cg.x.1. --siblings reads it, too.\n",
    )
    assert printed(capfd, "compare", "cg.thr-01", "cg.x", "--siblings")[2] == (
        "The base has 2 threads, the new profile 1: "
        "the costs of what one side alone has count as changes.\n"
    )
    said = printed(capfd, "compare", "cg.x.2", "cg.x", "--siblings")[2]
    assert said == (
        "The base has 1 part, the new profile 2: "
        "the costs of what one side alone has count as changes.\n"
    )


@pytest.mark.usefixtures("folder")
def test_an_empty_file_refers_to_its_threads(capfd: pytest.CaptureFixture[str]) -> None:
    """Callgrind leaves an empty file beside those of the threads."""
    code, out, err = printed(capfd, "cg.thr")
    assert (code, out) == (1, "")
    assert err.startswith("cg.thr ")
    assert err.endswith(
        " 2 other files of this run: cg.thr-01 and cg.thr-02. --siblings reads them, too.\n"
    )


def test_a_folder_refers_to_its_profiles(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A run is named by its first file."""
    (folder / "none").mkdir()
    code, out, err = printed(capfd, ".")
    assert (code, out) == (1, "")
    assert err.startswith(". is a folder.")
    assert {word.strip(",.") for word in err.split()} >= {"cg.thr", "cg.x", "cg.x.2"}
    assert "cg.x.1" not in err
    assert printed(capfd, "none") == (
        1,
        "",
        "none is a folder. Choose a profile in it. There is no profile in it.\n",
    )


@pytest.mark.usefixtures("folder")
def test_an_archive_refers_to_its_profiles(capfd: pytest.CaptureFixture[str]) -> None:
    """`ARCHIVE!MEMBER` names one, also as a base."""
    for name in ("cg.x", "cg.thr-01", "cg.thr"):
        os.utime(name, (7, 7))  # else the latest would come first
    with tarfile.open("a.tar.gz", "w:gz") as archive:
        for name in ("cg.x", "cg.thr-01", "cg.thr"):
            archive.add(name)
    names = "a.tar.gz!cg.thr-01 and a.tar.gz!cg.x"
    said = "a.tar.gz is a tar archive. Choose a profile in it."
    said += f" Name one of its profiles: {names}.\n"
    assert printed(capfd, "a.tar.gz") == (1, "", said)
    assert printed(capfd, "a.tar.gz!cg.x")[:2] == (0, "10\t10\t0\t0\tf\t???\t???\n")
    assert printed(capfd, "compare", "a.tar.gz!cg.x", "cg.x", "--base-optional")[0] == 0
    assert main(["convert", "a.tar.gz!cg.x", "-o", "a.tar.gz"]) == 2
    assert "would replace a.tar.gz!cg.x, which is being read" in capfd.readouterr().err
