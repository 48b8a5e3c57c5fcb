"""What of two profiles the sessions of the command cannot draw: the schema, and odd numbers."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from qcachegrind_py.present.change import (
    ComparisonOrder,
    ComparisonReport,
    Difference,
    RenameProposal,
    rows_in_order,
)
from qcachegrind_py.present.change_table import change_records, change_table, head_page
from qcachegrind_py.present.figures import Figures
from qcachegrind_py.present.table import FunctionName
from qcachegrind_py.write.json_rows import write_records
from qcachegrind_py.write.separated import write_table
from qcachegrind_py.write.text import write_page
from tests.write.drawn_comparisons import comparison_of, in_shares, per_call

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/comparison.schema.json").read_text("utf-8"))
RULES = ["is:gone", "total>+1%", "self>+5%"]
ODD = replace(
    comparison_of(),
    differences=(Difference("Command", "./a", "./b"),),
    events_only_new=("Dr",),
    proposals=(RenameProposal(FunctionName("f", "a.c"), FunctionName("g", "b.c"), 0.75),),
)


@pytest.mark.parametrize(
    "comparison",
    [comparison_of(rules=RULES, exit_code=3), comparison_of(None, rules=RULES), ODD],
    ids=["with rules", "without a base", "with differences and proposals"],
)
def test_the_schema_allows_what_is_written(comparison: ComparisonReport) -> None:
    """The schema is valid, and allows no other keys than those it describes."""
    stream = io.StringIO()
    write_records(change_records(comparison), stream)
    read = json.loads(stream.getvalue())
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(SCHEMA).validate(read)
    assert set(read) == set(SCHEMA["required"]) == set(SCHEMA["properties"]) - {"folds"}
    assert not Draft202012Validator(SCHEMA).is_valid(read | {"more": 1})


def test_what_cannot_be_divided_is_an_empty_cell() -> None:
    stream = io.StringIO()
    write_table(change_table(per_call(comparison_of(), "less", (500, 0))), "tsv", stream)
    assert stream.getvalue().splitlines()[1].split("\t")[:3] == ["", "2.0", ""]


def test_order_of_undefined_numbers() -> None:
    """What has no number comes last, and large numbers are exact."""
    comparison = comparison_of("f@a.c 5\n g@a.c 1", "f@a.c 9223372036854775807\n g@a.c 1")
    costs = comparison.figures()
    unknown = Figures(costs.unit, np.array([np.nan, 2.0]), np.array([1.0, 1.0]))
    assert rows_in_order(ComparisonOrder(), costs, comparison.called).tolist() == [0, 1]
    assert rows_in_order(ComparisonOrder(), unknown, comparison.called).tolist() == [1, 0]


def test_shares_of_a_profile_that_is_all_dearer() -> None:
    """Costs that are three times as high have the shares that they had before: 0, exactly."""
    tripled = "main@a.c 2100000000000000003 -> f 3x63,\n f@a.c 63"
    comparison = comparison_of("main@a.c 700000000000000001 -> f 3x21\n f@a.c 21", tripled)
    assert in_shares(comparison).figures().change.tolist() == [0.0, 0.0]


def test_a_long_list_of_functions_ends() -> None:
    """Twenty functions of a rule are named, the others counted."""
    new = "\n".join(f"    f{number:02}@a.c@app {number + 1}" for number in range(30))
    stream = io.StringIO()
    write_page(head_page(comparison_of("x@a.c@app 1", new, ["self>=+10"])), stream)
    rule, first, *others, last = stream.getvalue().splitlines()[-22:]
    assert rule == "Rule self>=+10 is met by 21 functions:"
    assert first == "  f29 (app: a.c:1): self cost 0 → 30 Ir: +30, new"
    assert (len(others), last) == (19, "  … and 1 more")
