"""Names that try to be something else: in all reports of the command, and in its messages."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.filters.expression import quoted
from qcachegrind_py.app.doctor import scanner_speed
from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text
from qcachegrind_py.cli.main import main
from qcachegrind_py.profile.tables import to_display
from qcachegrind_py.visible_text import visible_text
from tests.hostile_names import (
    HOSTILE_NAMES,
    HOSTILE_PATHS,
    REAL_NAMES,
    invisible_characters,
    profile_of,
)

BYTES = [*HOSTILE_NAMES.values(), *map(str.encode, REAL_NAMES.values())]
NAMES = [name.decode("utf-8", "surrogateescape") for name in BYTES]
TAME = [b"name%d" % number for number in range(len(BYTES))]
SLOW = "" if scanner_speed.COMPILED else f"{slow_scanner_text()}\n"
JOINERS = "\u200c\u200d"  # in real names, and in no other
LINES = "int main\x1b[31m\n\tx\u202ey\n\x9b2J <b>&amp;\n=1+1\n"
REPORTS = {
    "functions": ("report", "--format", "FORM"),
    "selected functions": (
        "report",
        "--format",
        "FORM",
        "--events",
        "Ir,Twice=2 Ir",
        "--sort",
        "name",
    ),
    "folded functions": ("report", "--format", "FORM", "--fold", NAMES[13]),
    "tree": ("calls", "--format", "FORM", "--tree", "both"),
    "calls": ("calls", NAMES[0], NAMES[3], "--format", "FORM"),
    "path": ("calls", NAMES[8], "--path", "--format", "FORM"),
    "annotation": ("annotate", NAMES[0], "--format", "FORM"),
    "annotations": ("annotate", NAMES[0], NAMES[1], "--format", "FORM"),
    "all annotations": ("annotate", "--format", "FORM"),
    "history": ("history", "--format", "FORM"),
    "instructions": ("annotate", NAMES[0], "--format", "FORM", "--asm"),
}
EVERY = [
    (report, form)
    for report in REPORTS
    for form in ("text", "tsv", "csv", "json")
    if report != "tree" or form == "text"
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a hostile profile, one of the same shape, and a source file of the first."""
    (tmp_path / "hostile").write_bytes(profile_of(BYTES))
    (tmp_path / "tame").write_bytes(profile_of(TAME))
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / TAME[0].decode()).write_text(LINES, encoding="utf-8")
    if os.sep == "/":
        (tmp_path / "src" / NAMES[0]).write_text(LINES, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "src")
    return tmp_path


def said(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, output and messages of the command, run in this process.

    The hint at a slow scanner is left out.
    """
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as error:
        code = int(error.code or 0)
    captured = capfd.readouterr()
    return code, captured.out, captured.err.replace(SLOW, "")


def report(
    capfd: pytest.CaptureFixture[str], what: str, form: str, path: Path, *more: str
) -> tuple[str, str]:
    """Output and messages of a report on one of the two profiles."""
    arguments = [form if word == "FORM" else word for word in REPORTS[what]]
    if path.name == "tame":
        arguments = [TAME[NAMES.index(w)].decode() if w in NAMES else w for w in arguments]
    code, out, err = said(capfd, arguments[0], path, *arguments[1:], *more)
    assert code == 0
    return out, err


@pytest.mark.parametrize(("what", "form"), EVERY)
def test_reports_have_no_invisible_characters(
    folder: Path, capfd: pytest.CaptureFixture[str], what: str, form: str
) -> None:
    """Whatever the names, an output has no characters but visible ones and its own line ends."""
    out, err = report(capfd, what, form, folder / "hostile")
    structure = {"text": "\n", "tsv": "\t\n", "csv": "\r\n", "json": "\n"}[form]
    assert invisible_characters(out, structure + JOINERS) == set()
    assert invisible_characters(err, "\n" + JOINERS) == set()
    assert len(out) > 40


@pytest.mark.parametrize(("what", "form"), EVERY)
def test_reports_keep_their_structure(
    folder: Path, capfd: pytest.CaptureFixture[str], what: str, form: str
) -> None:
    """A report has the rows, columns and keys of one on plain names: no name adds any."""
    outs = [report(capfd, what, form, folder / name)[0] for name in ("hostile", "tame")]
    hostile, tame = (shape(out, form) for out in outs)
    assert hostile == tame


def shape(out: str, form: str) -> object:
    """What of a report does not depend on the names in it."""
    if form == "json":
        return keys(json.loads(out))
    if form == "csv":
        return [len(row) for row in csv.reader(io.StringIO(out, newline=""))]
    return [line.count("\t") for line in out.split("\n")]


def keys(value: object) -> object:
    """The keys of nested objects, without those that are names of events."""
    if isinstance(value, dict):
        return [(k, keys(v)) for k, v in value.items() if not isinstance(v, int)]
    return list(map(keys, value)) if isinstance(value, list) else type(value).__name__


@pytest.mark.parametrize("what", REPORTS)
def test_cells_of_csv_are_no_formulas(
    folder: Path, capfd: pytest.CaptureFixture[str], what: str
) -> None:
    """No cell begins as a formula does, for a spreadsheet to run; numbers are numbers."""
    if what == "tree":
        return
    out, _ = report(capfd, what, "csv", folder / "hostile")
    cells = [cell for row in csv.reader(io.StringIO(out, newline="")) for cell in row]
    texts = [cell for cell in cells if not re.fullmatch(r"-?[\d.]+", cell)]
    assert [cell for cell in texts if cell[:1] in ("=", "+", "-", "@")] == []


RULES = ("--fail-if", "self>+1", "--fail-if", "total>1", "--annotations", "github")


@pytest.mark.parametrize("form", ["text", "tsv", "csv", "json", "markdown", "html"])
def test_comparisons_have_no_invisible_characters(
    folder: Path, capfd: pytest.CaptureFixture[str], form: str
) -> None:
    """Neither a report on two profiles, nor what is said of rules, nor the files for CI servers."""
    written = [folder / "summary.md", folder / "rules.xml"]
    files = ("--summary", written[0], "--junit", written[1])
    for sides in (("hostile", "tame"), ("tame", "hostile")):
        base, new = (folder / name for name in sides)
        code, out, err = said(capfd, "gate", base, new, *RULES, *files, "--format", form)
        assert code == 3
        structure = {"tsv": "\t\n", "csv": "\r\n"}.get(form, "\n")
        assert invisible_characters(out, structure + JOINERS) == set()
        for text in (err, *(path.read_text("utf-8") for path in written)):
            assert invisible_characters(text, "\n" + JOINERS) == set()
        assert all(line.startswith(("::", "Failed: rule ", "  ")) for line in err.splitlines())


@pytest.mark.parametrize("form", ["text", "tsv", "csv", "markdown"])
def test_comparisons_keep_their_structure(
    folder: Path, capfd: pytest.CaptureFixture[str], form: str
) -> None:
    """A report on two profiles has the rows and columns of one on plain names."""
    outs = [
        said(capfd, "compare", *[folder / name] * 2, "--format", form, "--sort", "base")[1]
        for name in ("hostile", "tame")
    ]
    hostile, tame = (shape(out, form) for out in outs)
    assert hostile == tame


def test_names_of_json_are_exact(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """JSON has each name as it is recorded; bytes that are not UTF-8 are escapes."""
    read = json.loads(report(capfd, "functions", "json", folder / "hostile")[0])
    names = {function["name"] for function in read["functions"]}
    files = {function["file"] for function in read["functions"]}
    assert names == files == set(map(to_display, NAMES))
    assert (read["creator"], read["parts"][0]["trigger"]) == (NAMES[0], NAMES[0])


def test_names_of_a_comparison_are_exact(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """JSON has each name of both sides as it is recorded."""
    both = (folder / "tame", folder / "hostile")
    read = json.loads(said(capfd, "compare", *both, "--format", "json")[1])
    names = {each["name"] for function in read["functions"] for each in function["new"] or []}
    assert names == set(map(to_display, NAMES))


def test_names_of_text_are_visible(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Text shows each name in full, by the escapes that the window has, too."""
    out, _ = report(capfd, "functions", "tsv", folder / "hostile")
    shown = {row.split("\t")[4] for row in out.splitlines()[1:]}
    assert shown == set(map(visible_text, NAMES))


def test_colors_are_the_only_escape_sequences(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """On a terminal, hot costs are bold; there is no other sequence, and lines fit."""
    out, _ = report(
        capfd, "functions", "text", folder / "hostile", "--color", "always", "--width", "100"
    )
    assert "\x1b[1m" in out
    assert invisible_characters(re.sub(r"\x1b\[[01]m", "", out), "\n" + JOINERS) == set()


class _Shape(HTMLParser):
    """Collects the elements of a page with the names of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, list[str]]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, [name for name, _ in attrs]))


def test_page_has_no_other_elements(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A page has the elements and attributes of one on plain names, and no control character."""
    pages = [
        said(capfd, "report", folder / name, "--format", "html")[1] for name in ("hostile", "tame")
    ]
    hostile, tame = (_Shape(page).elements for page in pages)
    assert invisible_characters(pages[0], "\n" + JOINERS) == set()
    assert hostile == tame
    assert len(hostile) > 500


def test_page_of_a_comparison_has_no_other_elements(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The page on two profiles, and rules in it, have the elements of one on plain names."""
    pages = []
    for name in ("hostile", "tame"):
        path = folder / name
        line = ("gate", path, path, "--format", "html", "--sort", "base")
        pages.append(said(capfd, *line, "--fail-if", "self>=+0")[1])
    hostile, tame = (_Shape(page).elements for page in pages)
    assert hostile == tame
    assert len(hostile) > 200


def test_saved_profile_has_the_exact_names(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A profile that is written has every byte of the names, but NUL, which ends them in C."""
    copy = folder / "copy"
    assert said(capfd, "convert", folder / "hostile", "-o", copy)[0] == 0
    read = q.load(copy)
    saved = {read.texts[number] for number in set(read.functions.name.tolist())}
    assert saved == {name.replace("\0", "\N{SYMBOL FOR NULL}") for name in NAMES}


# ------------------------------------------------------------ messages

ARGUMENTS = [name[:200] for name in NAMES]
MISUSES = {
    "no such file": ("report", "/nowhere/{}"),
    "no such function": ("annotate", "FILE", "{}"),
    "no such callee": ("calls", "FILE", "{}"),
    "no such path": ("calls", "FILE", "no {}", "--path"),
    "no such place": ("annotate", "FILE", "name1", "--in", "{}"),
    "no such source": ("annotate", "FILE", "--file", "{}"),
    "no such event": ("report", "FILE", "--event", "{}"),
    "no such order": ("report", "FILE", "--sort", "{}"),
    "wrong formula": ("report", "FILE", "--events", "x={}"),
    "wrong filter": ("report", "FILE", "--filter", "self>{}"),
    "wrong fold": ("report", "FILE", "--fold", "self>{}"),
    "filter without result": ("convert", "FILE", "-o", "x", "--filter", "name:={}"),
    "wrong parts": ("report", "FILE", "--parts", "{}"),
    "wrong rule": ("annotate", "FILE", "name1", "--map", "{}"),
    "wrong choice": ("report", "FILE", "--format", "{}"),
    "wrong number": ("report", "FILE", "--limit", "{}"),
    "wrong size": ("--screenshot", "x.png", "--size", "{}", "FILE"),
    "no such option": ("report", "FILE", "--no-{}"),
    "wrong rule of a gate": ("gate", "FILE", "--fail-if", "self>{}"),
    "rule on no such event": ("gate", "FILE", "--fail-if", "{}.self>1"),
    "no such base": ("gate", "/nowhere/{}", "FILE", "--fail-if", "total>1"),
    "no function per call": ("compare", "FILE", "FILE", "--per-call", "{}"),
    "no folder for a summary": ("gate", "FILE", "--fail-if", "total<0", "--summary", "/nowhere/{}"),
    "no folder to save in": ("convert", "FILE", "-o", "/nowhere/{}"),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_messages_quote_arguments_visibly(
    folder: Path, capfd: pytest.CaptureFixture[str], misuse: str
) -> None:
    """A message is one line, or two with the hint at --help, whatever it quotes."""
    wrong, refused = [], 0
    for argument in ARGUMENTS:
        words = [word.replace("{}", argument.replace("\0", "")) for word in MISUSES[misuse]]
        words = [str(folder / "tame") if word == "FILE" else word for word in words]
        code, _, err = said(capfd, *words)
        refused += code > 0
        if invisible_characters(err, "\n" + JOINERS) or err.count("\n") > 2:
            wrong.append((argument, err))
    assert wrong == []
    assert refused >= len(ARGUMENTS) // 2


def test_folds_of_nothing_are_quoted_visibly(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A message of a line says which fold has no effect, whatever it is."""
    for argument in ARGUMENTS:
        fold = quoted("name", argument.replace("\0", ""))
        code, _, err = said(capfd, "report", folder / "tame", "--format", "csv", "--fold", fold)
        assert code == 0
        assert invisible_characters(err, "\n" + JOINERS) == set()
        assert re.fullmatch(r"fold:name:=.*: no function matches\.\n", err)


@pytest.mark.parametrize(
    "content",
    [
        b"fn=f\n1 5 \x1b[31m\x1b]0;x\x07\n",
        b"version: 1\ncreator: x\nfn=f\n1 5 \x1b[31m\x1b]0;x\x07\xe2\x80\xae\xff\n",
        b"\x1b[2J 1 5\n\xe2\x80\xae\n",
        b"events: Ir\nfn=f\n1 5\n\x1b[31m odd \xe2\x80\xae\xff\n",
        b"events: Ir\nevent: \x1b[31m = \x9b +\nfn=f\n1 5\n",
        b"\x1f\x8b\x08\x1b[31m",
    ],
)
def test_lines_of_a_file_are_quoted_visibly(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], content: bytes
) -> None:
    """Neither an error nor a diagnostic repeats the control characters of a line."""
    path = tmp_path / "odd"
    path.write_bytes(content)
    for form in ("text", "tsv", "json"):
        _, out, err = said(capfd, "report", path, "--format", form)
        assert invisible_characters(out, "\t\n") == set()
        assert invisible_characters(err) == set()
        assert err.count("\n") == 1


@pytest.mark.skipif(os.sep != "/", reason="files have such names on Unix only")
@pytest.mark.parametrize("name", HOSTILE_PATHS)
def test_names_of_files_and_folders_are_visible(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: bytes
) -> None:
    """A path is shown on one line: in reports, errors, lists of a folder and of other parts."""
    folder = tmp_path / os.fsdecode(name)
    folder.mkdir()
    for number in ("12", "12.1", "12.2"):
        (folder / f"callgrind.out.{number}").write_bytes(profile_of([b"f"]))
    (folder / "empty").write_bytes(b"")
    outputs = [
        said(capfd, "report", folder / "callgrind.out.12"),
        said(capfd, "report", folder / "callgrind.out.12.1", "--format", "json"),
        said(capfd, "report", folder),
        said(capfd, "report", folder / "empty"),
        said(capfd, "report", folder / "missing"),
        said(capfd, "convert", folder / "callgrind.out.12", "-o", folder),
        said(capfd, "report", folder / "callgrind.out.12", "--siblings"),
    ]
    assert [code for code, _, _ in outputs] == [0, 0, 1, 1, 1, 1, 0]
    assert [invisible_characters(out + err) for _, out, err in outputs] == [set()] * 7
    assert [err.count("\n") for _, _, err in outputs] == [1, 1, 1, 1, 1, 2, 0]
    assert visible_text(str(folder)) in outputs[0][1]
