"""Run the workflows of docs/ci.md, step by step, on a project with a planted regression.

The servers are the few lines below: their cache is a folder, their expressions are looked up in a
dictionary. What installs programs is left out, and so are the actions of others.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.plain_yaml import NotPlain, read_yaml

ROOT = Path(__file__).parents[1]
ACTION = ".github/actions/gate"
WHERE_PROGRAMS_ARE = "/usr/bin:/bin"  # in the workflows, too

needs_valgrind = pytest.mark.skipif(
    not all(shutil.which(name, path=WHERE_PROGRAMS_ARE) for name in ("valgrind", "gcc", "make"))
    or shutil.which("git") is None,
    reason="needs valgrind, gcc, make and git",
)


@cache
def documents() -> list[Any]:
    """The YAML of docs/ci.md: the workflow, the comment, GitLab's, and steps for gungraun."""
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    return [read_yaml(block) for block in re.findall(r"^```yaml\n(.*?)^```", text, re.M | re.S)]


@cache
def action() -> Any:
    return read_yaml((ROOT / ACTION / "action.yml").read_text("utf-8"))


# ---------------------------------------------------------------- a project

WORDS = """
int count_words(const char *text)
{{
    int words = 0;
    for (int round = 0; round < {rounds}; round++)
        for (const char *at = text; *at; at++)
            words += at[0] == ' ' && at[1] != ' ';
    return words;
}}
"""
PARSE = """
int count_words(const char *text);
int main(void) { return count_words("one two  three four") == 0; }
"""
SORT = """
#include <stdlib.h>
static int compare(const void *one, const void *two) { return *(char *)one - *(char *)two; }
int main(void) { char text[] = "sort these"; qsort(text, 10, 1, compare); return *text == 's'; }
"""
MAKEFILE = """
bench: build/bench/parse build/bench/sort
build/bench/%: %.c words.c
\tmkdir -p build/bench
\tgcc $(CFLAGS) -o $@ $^
"""


class Project:
    """A repository with two benchmarks, on which CI runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        for name, text in {"parse.c": PARSE, "sort.c": SORT, "Makefile": MAKEFILE}.items():
            (folder / name).write_text(text)
        self._git("init", "-q")

    def commit(self, *, rounds: int) -> str:
        """Commit `count_words` with so many rounds; the hash."""
        (self.folder / "words.c").write_text(WORDS.format(rounds=rounds))
        self._git("add", "*.c", "Makefile")
        self._git("commit", "-q", "-m", f"{rounds} rounds")
        shutil.rmtree(self.folder / "build", ignore_errors=True)
        shutil.rmtree(self.folder / "costs", ignore_errors=True)  # each job has a new checkout
        return self._git("rev-parse", "HEAD").strip()

    def _git(self, *words: str) -> str:
        author = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        return subprocess.run(
            ["git", *author, *words], cwd=self.folder, capture_output=True, text=True, check=True
        ).stdout


def run_script(
    shell: Sequence[str], text: str, folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run the lines of a step with the command of this checkout."""
    command = folder.parent / "bin" / "qcachegrind-py"
    command.parent.mkdir(exist_ok=True)
    command.write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m qcachegrind_py "$@"\n'
    )
    command.chmod(0o755)
    return subprocess.run(
        [*shell, text],
        cwd=folder,
        env={**environment, "PATH": f"{command.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


# ---------------------------------------------------------------- GitHub

BASH = {"": ("bash", "-e", "-c"), "bash": ("bash", "-eo", "pipefail", "-c")}


@dataclass
class GitHub:
    """Runs the steps of a workflow; the cache lasts from one run to the next."""

    project: Project
    cache: Path

    def run(self, steps: list[dict[str, Any]], github: Mapping[str, object]) -> Job:
        job = Job(self, self.project.folder.parent, dict(github))
        for step in steps:
            job.take(step, inputs={})
        return job


@dataclass
class Job:
    """A run: whether it failed, what it printed, its summary, and the artifacts it left."""

    server: GitHub
    temporary: Path
    github: dict[str, object]
    code: int = 0
    log: str = ""
    artifacts: dict[str, Path] = field(default_factory=dict)
    outputs: dict[str, SimpleNamespace] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        return self._file("summary").read_text("utf-8")

    def take(self, step: dict[str, Any], inputs: Mapping[str, str]) -> None:
        """Run a step, unless it is for another event, or an earlier one failed."""
        names = {
            "github": SimpleNamespace(**self.github),
            "inputs": SimpleNamespace(**inputs),
            "runner": SimpleNamespace(os="Linux", arch="X64"),
            "steps": SimpleNamespace(**self.outputs),
        }
        if not _evaluate(step.get("if", "success()"), names, is_success=self.code == 0):
            return
        values = {key: _filled(text, names) for key, text in step.get("with", {}).items()}
        if "run" in step:
            if not step["name"].startswith("Install"):
                self._script(step, {k: _filled(v, names) for k, v in step.get("env", {}).items()})
            return
        name, _, version = step["uses"].partition("@")
        assert version
        if name.endswith(ACTION):
            defaults = {key: row.get("default") for key, row in action()["inputs"].items()}
            assert values.keys() <= defaults.keys()
            for each in action()["runs"]["steps"]:
                self.take(each, defaults | values)
        elif name == "actions/cache/restore":
            self._restore(step["id"], **values)
        elif name == "actions/cache/save":
            shutil.copytree(self._path(values["path"]), self.server.cache / values["key"])
        elif name == "actions/upload-artifact":
            path = self._path(values["path"])
            if path.exists():
                self.artifacts[values.get("name", path.name)] = path
        else:
            assert name == "actions/checkout"

    def _script(self, step: dict[str, Any], variables: dict[str, str]) -> None:
        files = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
        output, summary = self._file("output"), self._file("summary")
        output.write_text("")
        summary.touch()
        ran = run_script(
            BASH[step.get("shell", "")],
            step["run"],
            self.server.project.folder,
            {
                **variables,
                **dict(zip(files, map(str, (output, summary)), strict=True)),
                "GITHUB_WORKSPACE": str(self.server.project.folder),
            },
        )
        self.code = self.code or ran.returncode
        self.log += ran.stdout + ran.stderr
        pairs = dict(line.split("=", 1) for line in output.read_text().splitlines())
        if "id" in step:
            self.outputs[step["id"]] = SimpleNamespace(outputs=SimpleNamespace(**pairs))

    def _restore(self, step: str, path: str, key: str, **keys: str) -> None:
        stored = sorted(self.server.cache.iterdir(), key=lambda each: each.stat().st_mtime_ns)
        alike = [each for each in stored if each.name.startswith(keys["restore-keys"])]
        found = [each for each in stored if each.name == key] or alike
        if found:
            shutil.copytree(found[-1], self._path(path))
        name = found[-1].name if found else ""
        outputs = SimpleNamespace(**{"cache-matched-key": name})
        self.outputs[step] = SimpleNamespace(outputs=outputs)

    def _path(self, name: str) -> Path:
        return self.server.project.folder / name

    def _file(self, name: str) -> Path:
        return self.temporary / f"{name}-{self.github['sha']}"


def _filled(text: str, names: Mapping[str, object]) -> str:
    """The text with the values of its `${{ }}`."""
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: str(_value(found[1], names)), text)


def _value(path: str, names: Mapping[str, object]) -> object:
    first, *rest = path.split(".")
    value = names[first]
    for name in rest[:-1]:
        value = getattr(value, name)
    # an output that a step has not set is empty, to GitHub as well
    return getattr(value, rest[-1], "") if "outputs" in rest else getattr(value, rest[-1])


def _evaluate(condition: str, names: Mapping[str, object], *, is_success: bool) -> bool:
    """Whether the condition of a step holds."""
    python = condition.replace("&&", "and").replace("||", "or")
    python = re.sub(
        r"\b(?:github|steps)[\w.]+", lambda found: repr(_value(found[0], names)), python
    )
    functions = {"always": lambda: True, "success": lambda: is_success}
    return bool(eval(python, {"__builtins__": {}}, functions))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.mark.slow
@needs_valgrind
def test_workflow_for_github(project: Project, tmp_path: Path) -> None:
    """The first run stores its costs; a pull request that makes a function dearer fails by name."""
    server = GitHub(project, tmp_path / "cache")
    server.cache.mkdir()
    steps = documents()[0]["jobs"]["costs"]["steps"]

    base = project.commit(rounds=1000)
    first = server.run(steps, {"event_name": "push", "sha": base})
    assert first.code == 0, first.log
    assert "no base" in first.summary
    assert first.summary.endswith("\nBase: none yet\n")
    assert [path.name for path in server.cache.iterdir()] == [f"costs-Linux-X64-{base}"]

    merged = project.commit(rounds=1300)
    second = server.run(steps, {"event_name": "pull_request", "sha": merged})
    assert second.code == 3, second.log
    line = 1 + next(i for i, text in enumerate(WORDS.splitlines()) if "words +=" in text)
    assert f"`count_words` `words.c:{line}" in second.summary.splitlines()[2], second.summary
    assert second.summary.endswith(f"\nBase: costs-Linux-X64-{base}\n")
    assert "::error file=words.c,line=" in second.log
    assert len(list(server.cache.iterdir())) == 1  # a pull request stores nothing
    assert second.artifacts.keys() == {"costs", "costs.html"}
    report = second.artifacts["costs"]
    assert sorted(path.name for path in report.iterdir()) == [
        "costs.html",
        "costs.md",
        "costs.xml",
    ]
    assert ET.parse(report / "costs.xml").find(".//failure") is not None
    assert second.artifacts["costs.html"].read_text("utf-8").startswith("<!DOCTYPE html>")


# ---------------------------------------------------------------- GitLab


@dataclass
class GitLab:
    """Runs the job; the cache lasts from one run to the next."""

    project: Project
    cache: Path

    def run(self, job: dict[str, Any], variables: dict[str, str]) -> tuple[int, str]:
        """Return the exit code of the job, and what it printed."""
        rule = next(each for each in job["rules"] if self._holds(each["if"], variables))
        variables = variables | {
            name: variables[text[1:]] if text.startswith("$") else text
            for name, text in rule["variables"].items()
        }
        policy = variables["POLICY"]
        assert job["cache"]["policy"] == "$POLICY"
        stored = self.cache / job["cache"]["key"].replace("$COSTS_OF", variables["COSTS_OF"])
        (path,) = (self.project.folder / each for each in job["cache"]["paths"])
        if policy == "pull" and stored.exists():
            shutil.copytree(stored, path)
        shell = ("bash", "-eo", "pipefail", "-c")
        ran = run_script(shell, "\n".join(job["script"]), self.project.folder, variables)
        after = run_script(shell, "\n".join(job["after_script"]), self.project.folder, variables)
        assert after.returncode == 0, after.stderr
        if policy == "push" and path.exists():
            shutil.copytree(path, stored)
        return ran.returncode, ran.stdout + ran.stderr

    @staticmethod
    def _holds(condition: str, variables: Mapping[str, str]) -> bool:
        one, _, other = condition.partition(" == ")
        return variables.get(one[1:]) == (
            variables.get(other[1:]) if other.startswith("$") else other.strip("'")
        )


@pytest.mark.slow
@needs_valgrind
def test_workflow_for_gitlab(project: Project, tmp_path: Path) -> None:
    """A merge request is compared with the commit that it branched off, and names the function."""
    server = GitLab(project, tmp_path / "cache")
    server.cache.mkdir()
    job = documents()[2]["costs"]

    base = project.commit(rounds=1000)
    main = {"CI_COMMIT_BRANCH": "main", "CI_DEFAULT_BRANCH": "main", "CI_COMMIT_SHA": base}
    code, log = server.run(job, main)
    assert code == 0, log
    assert [path.name for path in server.cache.iterdir()] == [f"costs-{base}"]

    project.commit(rounds=1300)
    request = {
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
    }
    code, log = server.run(job, request)
    assert code == 3, log
    assert "count_words" in log
    assert all((project.folder / path).is_file() for path in job["artifacts"]["paths"])
    junit = ET.parse(project.folder / job["artifacts"]["reports"]["junit"])
    assert "words.c:" in "".join(each.text or "" for each in junit.iter("failure"))
    assert len(list(server.cache.iterdir())) == 1


# ---------------------------------------------------------------- the comment

GH = """#!/bin/sh
printf '%s\\n' "$*" >> "$CALLS"
case "$*" in
    *head=*) printf '%s' "$NUMBER" ;;
    *--paginate*) printf '%s' "$EARLIER" ;;
esac
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the steps are for bash")
@pytest.mark.parametrize(
    ("report", "number", "earlier", "code", "posted"),
    [
        (
            "$(touch gone) `touch gone` @name",
            "7",
            "",
            0,
            "--method POST repos/o/r/issues/7/comments",
        ),
        ("fine", "7", "12", 0, "--method PATCH repos/o/r/issues/comments/12"),
        ("fine", "", "", 0, None),
        ("fine", "7; touch gone", "", 0, None),
        ("a" * 60001, "7", "", 1, None),
        (None, "7", "", 1, None),
    ],
)
def test_comment_takes_the_report_as_data(
    tmp_path: Path, report: str | None, number: str, earlier: str, code: int, posted: str | None
) -> None:
    """What a pull request left is the text of a comment and nothing else, or there is none."""
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    (step,) = (step for step in documents()[1]["jobs"]["comment"]["steps"] if "run" in step)
    folder, calls = tmp_path / "work", tmp_path / "calls"
    (folder / "costs").mkdir(parents=True)
    if report is not None:
        (folder / "costs" / "costs.md").write_text(report)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gh").write_text(GH)
    (tmp_path / "bin" / "gh").chmod(0o755)
    assert not any(
        "${{" in line for line in step["run"].splitlines()
    )  # would be a part of the code
    variables = {"CALLS": str(calls), "NUMBER": number, "EARLIER": earlier}
    github = {"GITHUB_REPOSITORY": "o/r", "HEAD": "o:b", "COMMIT": "c", "RUN": "https://run"}

    ran = run_script(BASH[""], step["run"], folder, variables | github)

    assert ran.returncode == code, ran.stderr
    assert not (folder / "gone").exists()
    last = calls.read_text().splitlines()[-1]
    assert (posted is None) == ("--method P" not in last)
    if posted is not None:
        assert last == f"api {posted} -F body=@comment.md"
        body = (folder / "comment.md").read_text("utf-8")
        assert body.startswith("<!-- costs -->\n")
        assert str(report).replace("@", "@\u200b") in body


def test_trust() -> None:
    """Code of a pull request runs with a token that reads; what may write runs no such code."""
    workflow, comment = documents()[:2]

    assert workflow["on"].keys() == {"push", "pull_request"}
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["jobs"]["costs"].keys() & {"permissions", "secrets"} == set()
    assert comment["on"].keys() == {"workflow_run"}
    assert comment["on"]["workflow_run"]["workflows"] == [workflow["name"]]
    assert comment["permissions"] == {}
    steps = comment["jobs"]["comment"]["steps"]
    assert [step["uses"].partition("@")[0] for step in steps if "uses" in step] == [
        "actions/download-artifact"
    ]


def test_steps_for_gungraun() -> None:
    """The steps that replace those of the workflow use the action with inputs that it has."""
    steps = documents()[3]
    assert steps[-1]["uses"].split("@")[0].endswith(ACTION)
    assert steps[-1]["with"].keys() <= action()["inputs"].keys()


@pytest.mark.parametrize(
    "text",
    ["a: b: c\n", "a: 1\na: 2\n", "a: {b: c}\n", "a:\n  b: 1\n   c: 2\n", "a: 'b\n", "- a\nb: c\n"],
)
def test_other_yaml_is_refused(text: str) -> None:
    """What readers of YAML refuse, or take for something else than its text, is an error."""
    with pytest.raises(NotPlain):
        read_yaml(text)
