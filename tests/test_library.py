"""The library as its users meet it: the examples of its page, its names, results and errors."""

from __future__ import annotations

import contextlib
import io
import pydoc
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import qcachegrind_py as q
from tests.profile_rows import profile_from
from tests.profile_text import profile_text

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "library.md"
SHEET = ROOT / "resources" / "example" / "sheet" / "callgrind.out.sheet.xz"
EXAMPLES = re.findall(
    r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL
)


def drawn(drawing: str) -> q.Profile:
    """The profile of a text as `profile_text` describes it."""
    return profile_from(profile_text(drawing))


class _Frame:
    """What the examples use of a data frame, where pandas is not installed."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns = columns

    def nlargest(self, count: int, by: str) -> _Frame:
        order = np.argsort(-np.asarray(self.columns[by]), kind="stable")[:count]
        return _Frame(
            {name: [values[row] for row in order] for name, values in self.columns.items()}
        )

    def __getitem__(self, names: list[str]) -> _Frame:
        return _Frame({name: self.columns[name] for name in names})

    def to_string(self, *, index: bool) -> str:
        columns = [[name, *map(str, values)] for name, values in self.columns.items()]
        columns = [[text.rjust(max(map(len, texts))) for text in texts] for texts in columns]
        return "\n".join(" ".join(row) for row in zip(*columns, strict=True))


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pandas and matplotlib, or as much of them as the examples use."""
    if find_spec("pandas") is None:
        pandas = ModuleType("pandas")
        setattr(pandas, "DataFrame", _Frame)  # noqa: B010  # unknown to the type checker
        monkeypatch.setitem(sys.modules, "pandas", pandas)
    if find_spec("matplotlib") is None:
        plot = ModuleType("matplotlib.pyplot")
        for name in ("plot", "savefig"):
            setattr(plot, name, lambda *_args, **_options: None)
        monkeypatch.setitem(sys.modules, "matplotlib", ModuleType("matplotlib"))
        monkeypatch.setitem(sys.modules, "matplotlib.pyplot", plot)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("code", "printed"), EXAMPLES, ids=[str(number) for number in range(len(EXAMPLES))]
)
def test_an_example_prints_what_its_page_says(
    code: str, printed: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "resources").symlink_to(ROOT / "resources")  # what is saved is saved here
    monkeypatch.chdir(tmp_path)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code, {})
    assert output.getvalue() == printed


@pytest.mark.slow
def test_examples_pass_a_strict_type_checker(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    files = [tmp_path / f"example_{number}.py" for number in range(len(EXAMPLES))]
    for file, (code, _) in zip(files, EXAMPLES, strict=True):
        file.write_text(code, "utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *map(str, files)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout == f"Success: no issues found in {len(files)} source files\n", ran.stderr


# ---------------------------------------------------------------- names


def test_importing_the_package_loads_nothing_and_its_names_are_listed() -> None:
    code = (
        "import sys, qcachegrind_py as q; before = 'numpy' in sys.modules; q.__version__;"
        "print(before, 'numpy' in sys.modules, 'callers' in dir(q), sorted(q.__all__) == dir(q))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "False False True True\n"
    with pytest.raises(AttributeError, match="no attribute 'caller'"):
        q.caller  # type: ignore[attr-defined]  # noqa: B018


def test_help_tells_what_each_name_is() -> None:
    assert re.search(r"callers\(\s*profile: ", pydoc.plain(pydoc.render_doc(q)))
    undocumented = [name for name in q.__all__ if not getattr(q, name).__doc__]
    assert undocumented == []


# ---------------------------------------------------------------- names of functions

NAMED = """
    main 0 -> parse(int) 1x10, parse(char*) 1x10, Parser::run 1x10
    parse(int)@a.cpp 10
    parse(char*)@a.cpp 10
    Parser::run@src/b.cpp 10
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("main", ["main"]),
        ("parse(int)", ["parse(int)"]),
        ("parse", ["parse(int)", "parse(char*)"]),
        ("PARSE", ["parse(int)", "parse(char*)", "Parser::run"]),
        ("*::run", ["Parser::run"]),
        ("p*n", ["Parser::run"]),
        ("run", ["Parser::run"]),
        ("none", []),
    ],
)
def test_a_name_means_itself_then_any_parameters_then_what_contains_it(
    text: str, found: list[str]
) -> None:
    profile = drawn(NAMED)
    assert [profile.function_name(function) for function in profile.find(text)] == found


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (
            lambda p: q.function_costs(p, parts={7}),
            "The profile has one part, which is 0: there is no part 7.",
        ),
        (
            lambda p: q.callees(p, -1),
            "The profile has 4 functions, from 0 on: there is no -1.",
        ),
        (
            lambda p: q.file_lines(p, "c.cpp"),
            "The profile has no file “c.cpp”. Did you mean “a.cpp” or “src/b.cpp”?",
        ),
        (lambda p: q.stacks(p, "Irr"), "The profile has no event “Irr”. Did you mean “Ir”?"),
        (
            lambda p: q.compare_parts(p, [0], [1]),
            "The profile has one part, which is 0: there is no part 1.",
        ),
        (
            lambda p: q.check(q.compare(p, p), "total>1%", "Dr"),
            "The profile has no event “Dr”.",
        ),
    ],
)
def test_what_a_profile_does_not_have_is_a_sentence(
    ask: Callable[[q.Profile], object], sentence: str
) -> None:
    with pytest.raises(q.NotInProfile) as caught:
        ask(drawn(NAMED))
    error = caught.value
    assert (str(error), error.reason, error.path, error.line) == (sentence, sentence, "", 0)


@pytest.mark.parametrize("ask", [q.callers, q.callees, q.function_lines, q.explain])
def test_a_name_of_no_function_or_of_several_lists_what_may_be_meant(
    ask: Callable[[q.Profile, str], object],
) -> None:
    profile = drawn(NAMED)
    with pytest.raises(q.NotOneFunction, match="There is no function mian") as unknown:
        ask(profile, "mian")
    assert unknown.value.candidates == (("main", "???", "???"),)
    with pytest.raises(q.NotOneFunction, match="2 functions are called parse") as several:
        ask(profile, "parse")
    assert [name for name, _, _ in several.value.candidates] == ["parse(int)", "parse(char*)"]


def test_functions_are_named_as_for_the_command_or_by_id() -> None:
    profile = drawn(NAMED)
    (function,) = profile.find("parse(char*)")
    for name in ("parse(char*)", "parse#2", function, np.int64(function)):
        assert list(q.callers(profile, name)) == [
            {"caller": "main", "callee": "parse(char*)", "count": 1, "inclusive_Ir": 10}
        ]


# ---------------------------------------------------------------- results

COSTS = """
    events: Ir Dr
    main@a.c@prog 10,1 -> <b>é 3x40,4
    <b>é@b.c 40,4
"""


def test_a_result_has_rows_of_plain_values() -> None:
    costs = q.function_costs(drawn(COSTS))
    main = {
        **{"name": "main", "file": "a.c", "object": "prog", "cycle": 0, "called": 0},
        **{"self_Ir": 10, "inclusive_Ir": 50, "self_Dr": 1, "inclusive_Dr": 5},
    }
    callee = {
        **{"name": "<b>é", "file": "b.c", "object": "???", "cycle": 0, "called": 3},
        **{"self_Ir": 40, "inclusive_Ir": 40, "self_Dr": 4, "inclusive_Dr": 4},
    }
    assert costs.to_records() == list(costs) == [main, callee]
    assert {type(value) for row in costs for value in row.values()} == {str, int}
    assert costs.top(1) == [callee]
    assert costs.top(by="inclusive_Dr") == [main, callee]
    with pytest.raises(KeyError, match="no column 'Dr', but name, file"):
        costs.top(by="Dr")


def results(profile: q.Profile) -> Iterator[Any]:
    """One result of each kind."""
    other = q.load(SHEET)
    compared = q.compare(profile, profile)
    history = q.read_history([SHEET] * 3)
    yield from (
        q.function_costs(profile),
        q.call_edges(profile),
        q.callers(profile, "<b>é"),
        q.function_lines(profile, "main"),
        q.file_lines(profile, "a.c"),
        q.instruction_costs(other, "hash"),
        compared,
        q.check(compared, "self>=0"),
        history,
        q.steps(np.array([[1, 1, 1, 1, 9, 9, 9, 9]])),
        q.trends(history.self_cost(history.events[0])),
        q.stacks(profile),
    )


def test_results_are_short_to_read_and_safe_tables_in_notebooks() -> None:
    for result in results(drawn(COSTS)):
        name = type(result).__name__
        assert re.fullmatch(rf"<{name}: [\d,]+ rows? of [\w, …]+>", repr(result)), repr(result)
        page = result._repr_html_()
        assert "<b>" not in page
        assert page.count("<tr>") <= 21
        assert len(result.top(1)) == 1
        columns = result.columns().values()
        assert {len(column) for column in columns} == {len(result.to_records())}


def test_tables_of_a_profile_say_their_shapes_and_not_their_numbers() -> None:
    profile = drawn(COSTS)
    assert repr(profile.functions) == "Functions(name=int32(2,), file=int32(2,), object=int32(2,))"
    assert repr(profile.texts) == "<StringTable of 6 texts>"


def test_data_frames_need_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match="install it, or use to_records"):
        q.function_costs(drawn(COSTS)).to_pandas()


def test_every_error_has_the_facts_of_a_file() -> None:
    error = q.FormulaError("Ir +", "is cut.")
    assert (error.path, error.line, error.reason, error.remedy) == ("", 0, "is cut.", "")
    with pytest.raises(q.ProfileError) as caught:
        q.load(ROOT / "resources" / "example" / "templ.cpp")
    assert caught.value.path.endswith("templ.cpp")
    assert caught.value.remedy.startswith("Record one with")


@pytest.mark.parametrize(
    ("rule", "is_met", "names"),
    [
        ("total>+20%", True, []),
        ("total>+100%", False, []),
        ("self>+5%", True, ["slower"]),
        ("Dr.self>+5%", False, []),
        ("self>+5% file:b.c", False, []),
    ],
)
def test_a_rule_is_checked_as_a_gate_does(rule: str, is_met: bool, names: list[str]) -> None:
    base = drawn("events: Ir Dr\nslower@a.c 10,5\nsame@b.c 10,5")
    new = drawn("events: Ir Dr\nslower@a.c 20,5\nsame@b.c 10,5")
    result = q.check(q.compare(base, new), rule)
    assert (result.is_met, [row["name"] for row in result]) == (is_met, names)
    with pytest.raises(q.FilterError, match="sel"):
        q.check(q.compare(base, new), "sel>+5%")
