"""The files of a recording: their processes, and their contents."""

from __future__ import annotations

from pathlib import Path

import pytest

from qcachegrind_py.formats.run_files import (
    Completeness,
    file_versions,
    find_recorded_runs,
    profile_file_name,
    unused_profile_path,
)

NOW = 1_800_000_000.0
PART = "events: Ir Dr\nfn=main\n1 {0} 1\ntotals: {0} {0}\n"


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"run.{name.lstrip('_').replace('x', '-').replace('p', '.')}").write_text(text)


def runs_of(folder: Path, process: int) -> list[tuple[int, str, list[str], Completeness]]:
    """Process, file to open, files and completeness of each run."""
    runs = find_recorded_runs(folder / "run", process)
    return [(r.process, r.path.name, [f.name for f in r.files], r.completeness) for r in runs]


def test_no_recording_has_the_name_of_another(tmp_path: Path) -> None:
    """A name is taken if one file of the recording exists, even that of a part or a process."""
    name = profile_file_name("sort", NOW)
    first = unused_profile_path(tmp_path / "not there yet", "sort", NOW)
    (tmp_path / f"{name}.7.1").touch()
    second = unused_profile_path(tmp_path, "sort", NOW)
    second.with_name(f"{second.name}.8").touch()

    assert name.startswith("callgrind.out.sort-2027011")
    assert first.name == name
    assert second.name == f"{name}-2"
    assert unused_profile_path(tmp_path, "sort", NOW).name == f"{name}-3"
    assert unused_profile_path(tmp_path, "sor", NOW).name == name.replace("sort", "sor")


def test_runs_of_a_recording(tmp_path: Path) -> None:
    """The program's own files come first, then those of each process, in order; no others."""
    part = PART.format(3)
    write(tmp_path, _70=part, _70p1=part, _70p10=part, _70p2x01=part, _9=part, _700=part)
    write(tmp_path, _70pnew="", other="", _70pxml=part)
    (tmp_path / "runs.70").write_text(part)

    assert runs_of(tmp_path, 70) == [
        (70, "run.70", ["run.70", "run.70.1", "run.70.2-01", "run.70.10"], Completeness.COMPLETE),
        (9, "run.9", ["run.9"], Completeness.COMPLETE),
        (700, "run.700", ["run.700"], Completeness.COMPLETE),
    ]
    assert find_recorded_runs(tmp_path / "gone" / "run", 1) == []


@pytest.mark.parametrize(
    ("files", "opened", "verdict"),
    [
        ({"_7": PART.format(2)}, "run.7", Completeness.COMPLETE),
        ({"_7": PART.format(0)}, "run.7", Completeness.EMPTY),
        ({"_7": ""}, "run.7", Completeness.EMPTY),
        ({"_7": PART.format(2)[:-20]}, "run.7", Completeness.TRUNCATED),
        ({"_7": PART.format(0), "_7p1": PART.format(2)}, "run.7", Completeness.COMPLETE),
        ({"_7": "", "_7p1": PART.format(2)}, "run.7", Completeness.COMPLETE),
        ({"_7p1": PART.format(2)}, "run.7.1", Completeness.COMPLETE),
        ({"_7": PART.format(2), "_7p1": "events: Ir\n"}, "run.7", Completeness.TRUNCATED),
        (
            {"_7": "", "_7x01": PART.format(0), "_7x02": PART.format(1)},
            "run.7",
            Completeness.COMPLETE,
        ),
        ({"_7": f"# {'x' * 9000}\n{PART.format(2**64)}"}, "run.7", Completeness.COMPLETE),
    ],
)
def test_verdicts(
    tmp_path: Path, files: dict[str, str], opened: str, verdict: Completeness
) -> None:
    """Callgrind reports neither a full disk nor an empty recording: the files' ends show both."""
    write(tmp_path, **files)

    ((_process, path, _files, found),) = runs_of(tmp_path, 7)

    assert (path, found) == (opened, verdict)


def test_files_of_a_process(tmp_path: Path) -> None:
    """Files that Callgrind has opened and not written yet are left out."""
    write(tmp_path, _7="", _7p1="x", _7p2x01="y", _8="z")

    assert {f.name for f in file_versions(tmp_path / "run.7")} == {"run.7.1", "run.7.2-01"}


def test_a_file_written_again_is_another_version(tmp_path: Path) -> None:
    """With --combine-dumps, callgrind appends parts to one file; its version tells of them."""
    write(tmp_path, _7=PART.format(3), _7p1=PART.format(4))
    before = file_versions(tmp_path / "run.7")
    with (tmp_path / "run.7").open("a") as stream:
        stream.write(PART.format(5))
    after = file_versions(tmp_path / "run.7")

    assert {path.name for path in after if after[path] != before[path]} == {"run.7"}
