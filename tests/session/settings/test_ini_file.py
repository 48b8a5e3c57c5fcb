"""A broken, foreign or shared settings file: nothing is lost, and the user is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

import qcachegrind_py
from qcachegrind_py.session.settings.file import merge_rows
from qcachegrind_py.session.settings.ini_checks import settings_path, why_broken
from qcachegrind_py.session.settings.recent import Recent
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.tools.sources.file_search import PathRule

ROOT = Path(qcachegrind_py.__file__).parents[1]
GOOD = b"[General]\ndecimals=4\n"
BROKEN = {
    "binary": (bytes(range(256)), "it is not text", 2),
    "zeros": (b"[General]\ndecimals=4\n" + b"\0" * 4096, "it is not text", 2),
    "latin": (b"[General]\ndecimals=4\neditor=\xe9\n", "it is not text", 2),
    "serialised": (
        GOOD + b"version=@Variant(\\0\\0\\0\\t\\x7f\\xff\\xff\\xff)\n",
        "it contains values this program never writes", 2,
    ),
    "cut in a section": (GOOD + b"si=true\n[lay", "line 4 is invalid", 4),
    "cut in a value": (
        GOOD + b"geometry=@ByteArray(\\x1\\xd9", "it ends in the middle of a line", 4,
    ),
    "a line of junk": (b"[General]\njunk\ndecimals=4\n", "line 2 is invalid", 4),
}  # fmt: skip
WHOLE = {
    "empty": b"",
    "by hand": b"# my settings\r\n[General]\r\n; of old\r\ndecimals=4",
    "a value of many kinds": GOOD + b'a="x;y", @Invalid(), \\x1f\nlayouts\\x=@ByteArray(\\0)\n\n',
}


_INSTANCE = """
import sys
from pathlib import Path
from PySide6.QtCore import QSettings
from qcachegrind_py.session.settings.recent import Recent
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.tools.sources.file_search import PathRule
if len(sys.argv) > 1:
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, sys.argv[1])
settings = Settings()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The settings file of this test, which `Settings()` uses."""
    file = tmp_path / "mine" / "qcachegrind_py" / "qcachegrind_py.ini"
    file.parent.mkdir(parents=True)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "mine"))
    return file


def written(settings: Settings) -> Settings:
    """Write the settings to their file."""
    settings._store.sync()
    return settings


@pytest.mark.parametrize(("data", "reason", "decimals"), BROKEN.values(), ids=BROKEN)
def test_broken_file_is_copied_and_reported_once(
    file: Path, data: bytes, reason: str, decimals: int
) -> None:
    """Valid lines count, a copy of the file is kept, and the message names it."""
    file.write_bytes(data)

    first = Settings()
    first.si = True
    written(first)

    (kept,) = [path for path in file.parent.iterdir() if ".broken-" in path.name]
    (problem,) = first.problems
    assert kept.read_bytes() == data
    assert reason in problem
    assert kept.name in problem
    assert (first.decimals, first.geometry) == (decimals, QByteArray())
    again = Settings()
    assert (again.problems, again.si, again.decimals) == ((), True, decimals)


def test_every_broken_file_is_kept(file: Path) -> None:
    """A second copy on the same day does not overwrite the first."""
    for data in (b"\0one", b"\0two", b"\0three"):
        file.write_bytes(data)
        written(Settings())

    kept = [path.read_bytes() for path in file.parent.iterdir() if ".broken-" in path.name]
    assert sorted(kept) == [b"\0one", b"\0three", b"\0two"]


@pytest.mark.parametrize("data", WHOLE.values(), ids=WHOLE)
def test_intact_file_is_not_broken(file: Path, data: bytes) -> None:
    """A file edited by hand may have comments, or no newline at its end."""
    file.write_bytes(data)

    assert (Settings().problems, why_broken(file)) == ((), "")
    assert list(file.parent.glob("*.broken-*")) == []


def test_settings_of_a_newer_version_stay(file: Path) -> None:
    """Unknown keys and values survive writing, and the version stays."""
    file.write_text(
        "[General]\nversion=7\ndecimals=4\nunit=per-watt\nfuture=a, b\n"
        "\n[new]\nx=@ByteArray(\\x1)\n"
    )

    settings = Settings()
    settings.si = True
    written(settings)

    assert settings.problems == (
        "The settings were written by a newer version of the program. Unknown settings are kept.",
    )
    assert Settings().problems == ()  # reported once
    assert file.read_text().splitlines() == [
        "[General]", "decimals=4", 'future=a, b', "newer_version_told=7", "si=true",
        "unit=per-watt", "version=7", "", "[new]", "x=@ByteArray(\\x1)",
    ]  # fmt: skip


@pytest.mark.parametrize("version", [None, "18446744073709551615", "9" * 5000, "-1", "1.5", "x"])
def test_the_first_value_stored_brings_our_version(file: Path, version: str | None) -> None:
    """The next program can tell which format it reads; an impossible version is none."""
    if version is not None:
        file.write_text(f"[General]\nversion={version}\n")
    settings = Settings()
    assert settings.problems == ()
    settings.decimals = 4
    written(settings)
    assert file.read_text() == "[General]\ndecimals=4\nversion=1\n"


@pytest.mark.parametrize("data", [b"", GOOD], ids=["first", "later"])
def test_a_start_that_changes_nothing_writes_nothing(file: Path, data: bytes) -> None:
    """Neither the file nor anything beside it changes until the user changes a setting."""
    if data:
        file.write_bytes(data)
    before = {path: path.stat() for path in file.parent.iterdir()}

    settings = Settings()
    written(settings)

    assert (settings.problems, settings.decimals) == ((), 4 if data else 2)
    assert {path: path.stat() for path in file.parent.iterdir()} == before


def test_folder_in_place_of_the_file_is_left_alone(file: Path) -> None:
    """The program works with settings for this run, and says so."""
    file.mkdir()

    settings = Settings()
    settings.si = True
    settings.add_recent(Recent((Path("/a"),)))

    assert (settings.si, settings.recent_files, settings.decimals) == (
        True,
        [Path("/a")],
        2,
    )
    assert settings.problems == (f"Settings are not saved: {file}: is a directory.",)
    assert settings.write_problem() == ""  # reported already
    assert list(file.iterdir()) == []
    assert Settings().recent_files == [], "what one window stores is not that of another"


_SMALL_DISK = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
settings.editor = "x" * 1000
settings.add_recent(Recent((Path("/a"),)))
print(settings.write_problem())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="files there have no limit")
def test_full_disk_leaves_the_file_as_it_was(file: Path) -> None:
    """The message has the reason, and the settings written before stay."""
    file.write_bytes(GOOD + b"version=1\n")

    said = started(_SMALL_DISK, file).communicate()[0]

    assert said == f"Settings are not saved: {file}: file too large.\n"
    assert file.read_bytes() == GOOD + b"version=1\n"
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_read_only_file_is_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings count, and the user is told that changes are not saved."""
    file.write_bytes(GOOD)
    file.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)  # root may write it

    settings = Settings()

    assert settings.decimals == 4
    assert settings.problems == (f"Settings are not saved: {file}: the file is read-only.",)


def test_rows_of_two_instances_are_merged() -> None:
    """Our rows in our order, then rows added by others, less those that either removed."""
    assert merge_rows(["a"], ["a", "b"], ["a", "c"]) == ["a", "b", "c"]
    assert merge_rows(["a", "b"], ["b"], ["a", "b", "c"]) == ["b", "c"]
    assert merge_rows(["a", "b"], ["a", "b", "d"], ["b"]) == ["b", "d"]
    assert merge_rows(["a", "b"], ["b", "a"], ["a", "b"]) == ["b", "a"]
    assert merge_rows([], ["a"], ["a"]) == ["a"]


_OTHER = """
settings.path_rules, settings.recent_files
print("ready", flush=True)
sys.stdin.readline()
settings.add_recent(Recent((Path("/theirs"),)))
settings.path_rules = (*settings.path_rules, PathRule("/theirs", "/t"))
settings.decimals = 5
"""


def test_two_instances_keep_what_the_other_wrote(file: Path) -> None:
    """Recent files, rules and options of both survive, though both read the file first."""
    settings = Settings()
    settings.add_recent(Recent((Path("/before"),)))
    settings.path_rules = (PathRule("/both", "/b"),)
    other = started(_OTHER, file)
    assert other.stdout is not None
    assert other.stdout.readline() == "ready\n"

    settings.add_recent(Recent((Path("/ours"),)))
    settings.path_rules = (*settings.path_rules, PathRule("/ours", "/o"))
    settings.si = True
    written(settings)
    other.communicate("go\n")
    settings.path_rules = (PathRule("/ours", "/o"), PathRule("/both", "/b"))
    settings.add_recent(Recent((Path("/last"),)))

    for seen in (settings, Settings()):
        assert seen.recent_files == [Path(f"/{n}") for n in ("last", "theirs", "ours", "before")]
        assert [rule.original for rule in seen.path_rules] == ["/ours", "/both", "/theirs"]
        assert (seen.si, seen.decimals) == (True, 5)
    assert [path.name for path in file.parent.iterdir()] == [file.name]  # no lock file is left


_WRITER = """
for line in sys.stdin:
    rule = PathRule(line.strip(), "/")
    settings.path_rules = (*settings.path_rules, rule)
    print("done", flush=True)
"""


def test_instances_that_write_at_once_lose_nothing(file: Path) -> None:
    """Reading a list, changing it and writing it is one step for all others."""
    file.write_bytes(GOOD)
    others = [started(_WRITER, file) for _ in range(2)]
    for turn in range(30):
        for number, other in enumerate(others):
            assert other.stdin is not None
            print(f"/{turn}/{number}", file=other.stdin, flush=True)
        for other in others:
            assert other.stdout is not None
            assert other.stdout.readline() == "done\n"
    for other in others:
        other.communicate()

    written_rules = {rule.original for rule in Settings().path_rules}
    assert written_rules == {f"/{turn}/{number}" for turn in range(30) for number in range(2)}
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Qt asks the system there")
def test_path_without_qt_agrees_with_qt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The doctor checks the file that Qt reads."""
    for name, value in (("XDG_CONFIG_HOME", str(tmp_path / "c")), ("XDG_CONFIG_HOME", "")):
        monkeypatch.setenv("HOME", str(tmp_path / "h"))
        monkeypatch.setenv(name, value)
        said = started("print(settings._store.fileName())", None).communicate()[0]
        assert said.strip() == str(settings_path())


def started(code: str, file: Path | None) -> subprocess.Popen[str]:
    """Start another instance on the settings of this test, or on those of the environment."""
    return subprocess.Popen(
        [sys.executable, "-c", _INSTANCE + code, *([str(file.parents[1])] if file else [])],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
