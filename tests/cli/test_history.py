"""`--history`: exit codes, labels, and choices that make no sense."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qcachegrind_py.analysis.history import Revision
from qcachegrind_py.app import start
from qcachegrind_py.app.doctor import scanner_speed
from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text
from qcachegrind_py.cli.main import main
from tests.profile_text import profile_text

SLOW = "" if scanner_speed.COMPILED else f"{slow_scanner_text()}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with profiles of four revisions, and what is none."""
    for number in range(4):
        cost = 10 if number < 2 else 20
        text = profile_text(f"events: Ir Dr\nf_v{number}@a.c {cost},{number}\nmain@a.c 5,1")
        (tmp_path / f"r{number}.out").write_text(text, encoding="utf-8")
    (tmp_path / "bad").write_text("no profile\n", encoding="utf-8")
    (tmp_path / "other").write_text(profile_text("events: Cy\nmain@a.c 1"), encoding="utf-8")
    (tmp_path / "a=r0.out").write_text(profile_text("main@a.c 7"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and messages of the command."""
    try:
        code = main(["history", *arguments])
    except SystemExit as error:
        code = int(error.code or 0)
    captured = capfd.readouterr()
    return code, captured.out, captured.err.replace(SLOW, "")


RULE = ("--mod-funcname", "s/_v[0-9]//")


def test_the_report(capfd: pytest.CaptureFixture[str]) -> None:
    """Functions are paired by the rules of comparisons; labels are of the files, or given."""
    files = ("r0.out", "r1.out", "later=r2.out", "r3.out")
    code, out, err = said(capfd, *files, *RULE, "--format", "json", "--event", "Dr")
    assert (code, err) == (0, "")
    value = json.loads(out)
    assert value["labels"] == ["r0", "r1", "later", "r3"]
    assert value["event"] == "Dr"
    costs = {each["name"]: each["self"] for each in value["functions"]}
    assert costs == {"f_v3": [0, 1, 2, 3], "main": [1, 1, 1, 1]}


@pytest.mark.parametrize("form", ["text", "tsv", "csv", "json", "html"])
def test_forms(capfd: pytest.CaptureFixture[str], form: str) -> None:
    """Each form has the functions, and the limit holds."""
    arguments = (*RULE, "--format", form, "--limit", "1", "--sort", "spread")
    code, out, err = said(capfd, *arguments, "r0.out", "r1.out", "r2.out", "r3.out")
    assert (code, err) == (0, "")
    assert "f_v3" in out
    assert "main" not in out.replace("<main>", "").replace("</main>", "")


def test_a_file_with_a_label_in_its_name(capfd: pytest.CaptureFixture[str]) -> None:
    """A file of the whole name LABEL=FILE is read, and not the file behind the sign."""
    _, out, _ = said(capfd, "a=r0.out", "b=r1.out", "--format", "json")
    value = json.loads(out)
    assert value["files"] == ["a=r0.out", "r1.out"]
    assert value["totals"] == [7, 15]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("r0.out", "missing"), 1, "missing cannot be read: No such file or directory."),
        (("r0.out", "bad"), 1, "bad is not"),
        (("r0.out", "other"), 2, "The profiles have no event in common."),
        (("--event", "Xy", "r0.out"), 2, "Xy"),
        (("--mod-funcname", "x", "r0.out"), 2, "--mod-funcname"),
        (("--sort", "inclusive", "r0.out"), 2, "the order is trend, step or spread"),
        (("--sort", "trend:called", "r0.out"), 2, "the order is trend, step or spread"),
    ],
)
def test_what_cannot_be_done(
    capfd: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int, message: str
) -> None:
    """A file that cannot be read is named, with code 1; misuse has code 2. Nothing is printed."""
    found, out, err = said(capfd, *arguments)
    assert (found, out, message in err) == (code, "", True)


def test_without_a_report_the_window_opens_the_history(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets the files with their labels, and a picture can be taken of it."""
    opened: list[tuple[object, ...]] = []

    def run(
        files: object,
        picture: object,
        size: object,
        *,
        history: object,
        view: object,
        debug: object,
    ) -> int:
        opened.append((files, picture, size, history, view, debug))
        return 0

    monkeypatch.setattr(start, "run", run)
    codes = [main(["--history", "a/v1", "new=a/v2", *more]) for more in ([], ["--screenshot", "x"])]

    revisions = [Revision("v1", "a/v1"), Revision("new", "a/v2")]
    assert codes == [0, 0]
    assert opened == [((), picture, (1280, 800), revisions, None, False) for picture in (None, "x")]
