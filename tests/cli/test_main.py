"""The command: exact reports, exit codes, messages on stderr, imported modules."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.app.doctor import scanner_speed
from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text
from qcachegrind_py.cli.main import main
from qcachegrind_py.formats.callgrind import scanner
from tests.profile_rows import DATA, text_bytes

ROOT = Path(q.__file__).parents[1]
SLOW = "" if scanner_speed.COMPILED else f"{slow_scanner_text()}\n"
DRAWING = """
    # callgrind format
    version: 1
    creator: drawn by hand
    pid: 7
    cmd: ./a.out -x
    part: 1
    thread: 2
    desc: Trigger: Program termination
    events: Ir Bcm
    summary: 210 9

    ob=/bin/a.out
    fl=/src/main.c
    fn=main
    1 10
    cfn=ping
    calls=2 5
    2 190 6
    cob=/lib/libc.so
    cfi=
    cfn=exit
    calls=0 1
    3 7

    fn=ping
    5 100 4
    cfn=pong
    calls=3 9
    6 90 2

    fn=pong
    9 90 2 77
    cfn=ping
    calls=1 5
    10 40 1
    """


@pytest.fixture
def profile_path(tmp_path: Path) -> Path:
    path = tmp_path / "callgrind.out.7"
    path.write_bytes(text_bytes(DRAWING))
    return path


def run(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "qcachegrind_py", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        input=stdin,
        check=False,
    )


def printed(capfd: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The output of the command, run in this process; it must succeed."""
    assert main([str(argument) for argument in arguments]) == 0
    return capfd.readouterr().out


def json_of(capfd: pytest.CaptureFixture[str], *arguments: object) -> dict[str, object]:
    return json.loads(printed(capfd, *arguments, "--format", "json"))


# ------------------------------------------------------------ JSON


def test_json_of_names_that_are_not_utf8(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Bytes that are not UTF-8 are written as escapes, in names of every kind."""
    path = tmp_path / "latin1"
    path.write_bytes(
        b"creator: \xe9\ncmd: \xe8\ndesc: Trigger: \xe7\nevents: T\xe9\nsummary: 7\n"
        b"ob=o\xe9\nfl=f\xe9\nfn=n\xe9\n1 5\ngarbage \xe9\n"
    )
    report = json_of(capfd, "report", path)
    assert (report["creator"], report["command"]) == (r"\xe9", r"\xe8")
    assert report["parts"][0]["trigger"] == r"\xe7"
    assert (report["totals"], report["summary"]) == ({r"T\xe9": 5}, {r"T\xe9": 7})
    (function,) = report["functions"]
    assert (function["name"], function["file"], function["object"]) == (
        r"n\xe9",
        r"f\xe9",
        r"o\xe9",
    )
    assert report["diagnostics"][0]["message"].endswith(r"“garbage \xe9”.")


def test_json_of_a_real_profile(capfd: pytest.CaptureFixture[str]) -> None:
    """Calls refer to functions of the same report by index; costs add up to the totals."""
    report = json_of(capfd, "report", DATA / "recur-everything" / "callgrind.out.21921.xz")
    names = range(len(report["functions"]))
    assert {call[end] for call in report["calls"] for end in ("caller", "callee")} <= set(names)
    for event in report["events"]:
        assert report["totals"][event] == sum(f["self"][event] for f in report["functions"])
    called = [0] * len(names)
    for call in report["calls"]:
        called[call["callee"]] += call["count"]
    assert called == [f["called"] for f in report["functions"]]


# ------------------------------------------------------------ exit codes and stderr


@pytest.mark.parametrize("form", ["json", "tsv", "text"])
def test_success(form: str) -> None:
    """A sound profile gives exit code 0; stderr has nothing but how to compile the scanner."""
    ran = run("report", DATA / "gperf" / "callgrind.out.gperf-cpu", "--format", form)
    assert (ran.returncode, ran.stderr) == (0, SLOW)
    assert "main" in ran.stdout


def test_slow_reading_is_explained_on_stderr(
    profile_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an interpreted scanner, the last line says how to compile it."""
    monkeypatch.setattr(scanner, "COMPILED", False)
    monkeypatch.setattr(scanner_speed, "COMPILED", False)

    code = main(["report", str(profile_path), "--format", "tsv"])

    said = capsys.readouterr().err.splitlines()
    assert (code, len(said), said[-1]) == (0, 2, slow_scanner_text())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, " cannot be read: No such file or directory. Check"),
        (b"", " is empty. Record one with"),
        (b"\x89PNG\r\n\x1a\n", " is a picture, not a profile."),
        (b"\x1f\x8bgarbage", " looks compressed with gzip, but cannot be decompressed"),
        (b"version: 1\nfn=f\n16 20\n", ":3 has costs before any events: line (“16 20”)."),
    ],
)
def test_a_file_that_cannot_be_read(content: bytes | None, reason: str, tmp_path: Path) -> None:
    """Exit code 1, nothing on stdout, and one line on stderr: file, line, reason."""
    path = tmp_path / "profile"
    if content is not None:
        path.write_bytes(content)
    ran = run("report", path, "--format", "json")
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (1, "", 1)
    assert ran.stderr.startswith(f"{path}{reason}")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--nonsense"], "qcachegrind-py: there is no option --nonsense\n"
         "qcachegrind-py --help shows all tasks.\n"),
        (["report"], "qcachegrind-py report: needs a FILE: qcachegrind-py report FILE…\n"
         "qcachegrind-py report --help shows its options.\n"),
    ],
)  # fmt: skip
def test_wrong_usage_is_explained_in_two_lines(
    arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The first line says what is wrong, the second where help is; sessions/misuse.txt has more."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert (caught.value.code, capfd.readouterr()) == (2, ("", said))


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        ("ModuleNotFoundError('x', name='numpy')", "numpy is not installed."),
        ("ImportError('libno.so: not found', name='numpy.core')",
         "numpy cannot be imported: libno.so: not found."),
        ("ImportError('advice') from ImportError('libno.so: not found', name='numpy')",
         "numpy cannot be imported: libno.so: not found."),
    ],
)  # fmt: skip
def test_a_missing_library_is_named(
    error: str, sentence: str, tmp_path: Path, profile_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a library, a sentence names it and how to get it, and exit code is 1."""
    (tmp_path / "numpy.py").write_text(f"raise {error}\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    ran = run("report", profile_path)

    hint = "To see what is missing and how to install it: "
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith(f"qcachegrind-py: {sentence} {hint}")
    assert ran.stderr.endswith(" doctor\n")
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("form", ["json", "tsv", "text"])
def test_a_closed_pipe(form: str) -> None:
    """`| head` ends the report without a traceback or any other message."""
    path = DATA / "python" / "callgrind.out.python-default.xz"
    with subprocess.Popen(
        [sys.executable, "-m", "qcachegrind_py", "report", str(path), "--format", form],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""


def test_stdout_without_unicode(tmp_path: Path) -> None:
    """Reports are UTF-8 whatever the terminal's encoding."""
    path = tmp_path / "umlaut"
    path.write_text("events: Ir\nfn=näme\n1 5\n", encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "qcachegrind_py", "report", str(path), "--format", "tsv"],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"},
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, SLOW.encode())
    assert "näme".encode() in ran.stdout


# ------------------------------------------------------------ version and help


def imported(*arguments: str) -> tuple[str, set[str]]:
    """The output of the command, and the modules it has imported by the end."""
    code = (
        "import sys\n"
        "from qcachegrind_py.cli.main import main\n"
        "try:\n    code = main(sys.argv[1:])\n"
        "except SystemExit as end:\n    code = end.code\n"
        "print('\\n\\0', code or 0, *sys.modules)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    out, _, rest = ran.stdout.partition("\n\0 ")
    code_, *modules = rest.split()
    assert code_ == "0", ran.stderr
    return out, set(modules)


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_version_and_help_import_next_to_nothing(argument: str) -> None:
    """They respond at once, without numpy, Qt or a reader."""
    out, modules = imported(argument)
    assert out.strip()
    assert not modules & {"numpy", "PySide6", "shiboken6", "pyqtgraph", "zstandard"}


@pytest.mark.parametrize(
    "line",
    ["report FILE", "report FILE --format html", "history FILE", "calls FILE main",
     "calls FILE main --path", "annotate FILE main", "annotate FILE main --asm",
     "compare FILE FILE --unchanged", "gate FILE FILE --strict --format text --unchanged",
     "convert FILE -o -"],
)  # fmt: skip
def test_no_task_imports_qt(line: str) -> None:
    """A report, a page or an annotation needs no Qt and no display."""
    profile = str(DATA / "gperf" / "callgrind.out.gperf-cpu")
    out, modules = imported(*line.replace("FILE", profile).split())
    assert "main" in out
    assert "numpy" in modules
    assert not {module for module in modules if module.startswith(("PySide6", "shiboken6"))}


def test_version() -> None:
    """The version, and whether the scanner is compiled."""
    ran = run("--version")
    assert ran.stdout in {
        f"qcachegrind_py {q.__version__} (compiled scanner)\n",
        f"qcachegrind_py {q.__version__} (interpreted scanner)\n",
    }
    assert (ran.returncode, ran.stderr) == (0, "")


# ---------------------------------------------------------------- standard input


def send(
    sent: bytes, *arguments: str, temporary: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command with these bytes on standard input."""
    command = (sys.executable, "-m", "qcachegrind_py", *arguments)
    folder = {} if temporary is None else dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
    environment = {**os.environ, **folder}
    return subprocess.run(
        command, input=sent, capture_output=True, cwd=ROOT, check=False, env=environment
    )


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_profile_comes_through_standard_input(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """A minus as file is standard input, compressed or not; no temporary file is left."""
    ran = send(pack(text_bytes(DRAWING)), "report", "-", "--format", "json", temporary=tmp_path)

    report = json.loads(ran.stdout)
    assert (ran.returncode, report["totals"]["Ir"]) == (0, 200)
    assert [report["file"], *(part["file"] for part in report["parts"])] == ["standard input"] * 2
    assert list(tmp_path.iterdir()) == []


def test_standard_input_may_be_no_profile() -> None:
    """The error is that of a file; standard input can be named only once."""
    text = send(b"hello\n", "report", "-")
    twice = send(b"", "report", "-", "-")

    assert (text.returncode, twice.returncode) == (1, 1)
    assert text.stderr.startswith(b"standard input is not a profile of a known format.")
    assert twice.stderr == b"standard input can be read only once. Name - only once.\n"


# ------------------------------------------------------------ memory


@pytest.mark.parametrize(
    ("size", "code", "said"),
    [
        ("10", 1, "takes about 0 MB of memory, more than the 0 MB that it may. Allow more with"),
        ("none", 0, ""),
        ("1G", 0, ""),
        ("0", 2, "--max-memory: “0” is no size, such as 2G or 500M, and not none"),
        ("2GB", 2, "--max-memory: “2GB” is no size"),
    ],
)
def test_the_memory_that_a_profile_may_take(
    profile_path: Path, size: str, code: int, said: str
) -> None:
    """A file that would take more is refused, with the option that allows more."""
    ran = run("report", profile_path, "--format", "tsv", "--max-memory", size)
    assert (ran.returncode, bool(ran.stdout)) == (code, code == 0)
    assert said in ran.stderr
