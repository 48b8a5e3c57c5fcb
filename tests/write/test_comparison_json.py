"""Two profiles compared as JSON: the contract, and its schema."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from qcachegrind_py.present.change import (
    ComparisonReport,
    Difference,
    RenameProposal,
)
from qcachegrind_py.present.change_table import change_records
from qcachegrind_py.present.table import FunctionName
from qcachegrind_py.write.json_rows import write_records
from tests.write.drawn_comparisons import BASE, NEW, comparison_of

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/comparison.schema.json").read_text("utf-8"))
OLD = {"name": "old", "file": "/src/main.c", "object": "/bin/app"}
FRESH = {"name": "fresh", "file": "/src/new.c", "object": "/bin/app"}
UNDAMAGED = {"damaged": [], "diagnostics": [], "diagnostic_count": 0}
LESS = {"name": "less", "file": "/src/sort.c", "object": "/bin/app"}


def json_of(comparison: ComparisonReport) -> dict[str, Any]:
    """The object, which the schema has to allow."""
    stream = io.StringIO()
    write_records(change_records(comparison), stream)
    read: dict[str, Any] = json.loads(stream.getvalue())
    Draft202012Validator(SCHEMA).validate(read)
    return read


def test_the_schema_is_one() -> None:
    """The schema is valid, and allows no other keys than those it describes."""
    Draft202012Validator.check_schema(SCHEMA)
    read = json_of(comparison_of())
    assert set(read) == set(SCHEMA["required"]) == set(SCHEMA["properties"]) - {"folds"}
    assert not Draft202012Validator(SCHEMA).is_valid(read | {"more": 1})


def test_a_comparison_as_json() -> None:
    """All values of the contract for two small profiles."""
    comparison = replace(
        comparison_of(rules=["is:gone", "total>+1%"], exit_code=3),
        differences=(Difference("Command", "./a", "./b"),),
        events_only_new=("Dr",),
        proposals=(RenameProposal(FunctionName(**OLD), FunctionName(**FRESH), 0.75),),
    )
    assert json_of(comparison) == {
        "base": {"file": "old.out", "command": "./app -n 10", "totals": {"Ir": 2450, "Dw": 33}}
        | UNDAMAGED,
        "new": {"file": "new.out", "command": "./app -n 10", "totals": {"Ir": 3607, "Dw": 51}}
        | UNDAMAGED,
        "comparable": [{"what": "Command", "base": "./a", "new": "./b"}],
        "events": ["Ir", "Dw"],
        "only_base": [],
        "only_new": ["Dr"],
        "total": {
            "Ir": {"base": 2450, "new": 3607, "change": 1157},
            "Dw": {"base": 33, "new": 51, "change": 18},
        },
        "attributed": {
            "Ir": {"base": 2450, "new": 3607, "change": 1157},
            "Dw": {"base": 33, "new": 51, "change": 18},
        },
        "remainder": {
            "Ir": {"base": 0, "new": 0, "change": 0},
            "Dw": {"base": 0, "new": 0, "change": 0},
        },
        "gross": {"Ir": {"grown": 1457, "shrunk": -300}, "Dw": {"grown": 21, "shrunk": -3}},
        "functions": [
            function("sort", "/src/sort.c", ir=(1000, 2250), dw=(20, 40), inclusive_ir=(2000, 3450))
            | {
                "called": [10, 12],
                "why": {
                    "Ir": {"calls": 488, "per_call": 962},
                    "Dw": {"calls": 5, "per_call": 15},
                },
            },
            {
                "base": [OLD],
                "new": None,
                "how": None,
                "self": {"Ir": [300, 0], "Dw": [3, 0]},
                "inclusive": {"Ir": [300, 0], "Dw": [3, 0]},
                "called": [1, 0],
                "cycle": 0,
                "why": None,
            },
            function("less", "/src/sort.c", ir=(1000, 1200), dw=(0, 0))
            | {
                "called": [500, 600],
                "why": {"Ir": {"calls": 200, "per_call": 0}, "Dw": {"calls": 0, "per_call": 0}},
            },
            {
                "base": None,
                "new": [FRESH],
                "how": None,
                "self": {"Ir": [0, 7], "Dw": [0, 1]},
                "inclusive": {"Ir": [0, 7], "Dw": [0, 1]},
                "called": [0, 1],
                "cycle": 0,
                "why": None,
            },
            function(
                "main",
                "/src/main.c",
                ir=(100, 100),
                dw=(10, 10),
                inclusive_ir=(2450, 3607),
                inclusive_dw=(33, 51),
            ),
            function("same", "/src/main.c", "/lib/libc.so", ir=(50, 50), dw=(0, 0))
            | {
                "called": [2, 2],
                "why": {"Ir": {"calls": 0, "per_call": 0}, "Dw": {"calls": 0, "per_call": 0}},
            },
        ],
        "proposals": [{"base": OLD, "new": FRESH, "alike": 0.75}],
        "rules": [
            {"text": "is:gone", "met": True, "functions": [1]},
            {"text": "total>+1%", "met": True, "functions": []},
        ],
        "exit": 3,
    }


def function(
    name: str,
    file: str,
    object_: str = "/bin/app",
    *,
    ir: tuple[int, int],
    dw: tuple[int, int],
    inclusive_ir: tuple[int, int] | None = None,
    inclusive_dw: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """A function of both sides, with its self costs, and inclusive ones where they differ."""
    names = [{"name": name, "file": file, "object": object_}]
    return {
        "base": names,
        "new": names,
        "how": "exact",
        "self": {"Ir": list(ir), "Dw": list(dw)},
        "inclusive": {"Ir": list(inclusive_ir or ir), "Dw": list(inclusive_dw or dw)},
        "called": [0, 0],
        "cycle": 0,
        "why": None,
    }


def test_totals_are_what_is_attributed_and_a_remainder() -> None:
    """Growth and shrinkage add up to the change of the first, and the second is the difference."""
    new = NEW.replace("events: Ir Dw", "events: Ir Dw\n summary: 4000 51")
    read = json_of(comparison_of(BASE, new))
    assert {key: read[key]["Ir"] for key in ("total", "attributed", "remainder", "gross")} == {
        "total": {"base": 2450, "new": 4000, "change": 1550},
        "attributed": {"base": 2450, "new": 3607, "change": 1157},
        "remainder": {"base": 0, "new": 393, "change": 393},
        "gross": {"grown": 1457, "shrunk": -300},
    }


def test_families() -> None:
    """A family has all its functions on each side, and its numbers are their sums."""
    base = "f.constprop.0@a.c@app 5\nf.constprop.1@a.c@app 3"
    new = "f.constprop.0@a.c@app 4\nf@a.c@app 2\nf.constprop.3@a.c@app 1"
    (family,) = json_of(comparison_of(base, new))["functions"]
    members = [[each["name"] for each in family[side]] for side in ("base", "new")]
    assert members == [["f.constprop.0", "f.constprop.1"], ["f.constprop.0", "f", "f.constprop.3"]]
    assert (family["how"], family["self"]) == ("family", {"Ir": [8, 7]})


def test_functions_of_rules_are_listed() -> None:
    """A function that meets a rule stands in the list, whatever else does not."""
    comparison = comparison_of(rules=["self>+5%", "name:=less"], exit_code=3)
    read = json_of(replace(comparison, functions=comparison.functions[1:2]))
    listed = [(each["base"] or each["new"])[0]["name"] for each in read["functions"]]
    assert listed[0] == "old"
    met = [{listed[place] for place in rule["functions"]} for rule in read["rules"]]
    assert met == [{"sort", "less", "fresh"}, {"less"}]
    assert len(listed) == 4


def test_without_a_base() -> None:
    """The base is null, each function is of the new profile, and changes are left open."""
    read = json_of(comparison_of(None, rules=["self>+1", "self>1k"], exit_code=3))
    assert (read["base"], read["only_new"]) == (None, [])
    assert {each["base"] is None for each in read["functions"]} == {True}
    assert [rule["met"] for rule in read["rules"]] == [None, True]


@pytest.mark.parametrize("cost", [(1 << 63) - 1, -(1 << 62) - 3])
def test_large_numbers_are_exact(cost: int) -> None:
    """Costs near 2^63 are exact, and so is their change, which may exceed 64 bits."""
    read = json_of(comparison_of(f"f@a.c {-cost}", f"f@a.c {cost}"))
    assert read["functions"][0]["self"] == {"Ir": [-cost, cost]}
    assert read["total"]["Ir"]["change"] == 2 * cost
    assert sorted(read["gross"]["Ir"].values()) == sorted([0, 2 * cost])


def test_names_are_exact() -> None:
    """Names are as they were recorded; bytes that are not UTF-8 are escapes."""
    read = json_of(comparison_of("f@a.c 1", 'x"\\y@a.c 1'))
    assert {each["new"] and each["new"][0]["name"] for each in read["functions"]} == {
        None,
        'x"\\y',
    }
