"""Annotated lines and instructions, byte for byte: JSON, tab-separated values, text."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qcachegrind_py.analysis.code.annotated_function import (
    annotate_instructions,
    annotate_lines,
    empty_instruction_costs,
)
from qcachegrind_py.analysis.code.instructions import NO_CODE, Code, InstructionKind
from qcachegrind_py.analysis.code.location_costs import (
    file_lines,
    function_lines,
    instruction_costs,
)
from qcachegrind_py.analysis.costs.function_costs import function_cycles
from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.present.annotation import Annotated, Annotation, AnnotationReport
from qcachegrind_py.profile.errors import MissingFile, WithheldFile
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_FUNCTION
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.write.annotation import write_annotations
from qcachegrind_py.write.text import TextLayout, columns_of
from tests.profile_rows import profile_from

# main has lines of its own, of b.h and of no file; calls, one of them still active; jumps
DRAWING = """
    events: Ir Bcm
    positions: instr line
    summary: 400 9
    ob=/bin/p
    fl=/src/a.c
    fn=main
    0x10 10 100 1
    0x12 12 20
    cfn=f
    calls=3 0x50 1
    0x12 12 60 2
    jcnd=2/5 0x10 10
    0x15 12
    fi=/inc/b.h
    0x18 2 30
    jump=7 0x30 99
    0x19 2
    fe=/src/a.c
    0x1b 0 4
    fi=???
    0x1d 0 6
    cob=/lib/l.so
    cfi=???
    cfn=g
    calls=0 0
    0x1d 0 8
    fn=f
    0x50 1 60 2
    """
A_C = ("",) * 3 + ("four", "five", "six", "\tseven", "", "nine", "ten {", "", "\ttwelve\x1b[0m")
TEXTS = {"/src/a.c": (*A_C, *map(str, range(13, 21))), "/inc/b.h": ("one", "two \udcff")}


Texts = Mapping[str, Sequence[str]]  # the lines of each file, by its name


def code(*rows: tuple[int, int, str, str]) -> Code:
    """Instructions: address, size, mnemonic, operands."""
    addresses, sizes, mnemonics, operands = zip(*rows, strict=True)
    return Code(
        np.array(addresses, np.uint64),
        np.array(sizes, np.int32),
        np.full(len(rows), InstructionKind.PLAIN, np.int8),
        np.zeros(len(rows), np.uint64),
        mnemonics,
        operands,
        tuple(bytes(size) for size in sizes),
    )


CODE = code(
    (0x10, 2, "mov", "$0x1,%eax"), (0x12, 3, "call", "50 <f>"), (0x15, 2, "je", "10 <main>"),
    (0x17, 2, "nop", ""), (0x19, 2, "jmp", "30"), (0x1B, 2, "leave", ""), (0x1D, 1, "ret", ""),
    (0x1E, 1, "nop", ""), (0x1F, 1, "nop", ""), (0x20, 1, "nop", ""), (0x21, 1, "int3", ""),
    (0x22, 1, "int3", ""),
)  # fmt: skip


def written(annotated: Annotated, form: Any, events: tuple[EventType, ...], problem: str) -> str:
    """The report of one function."""
    stream = io.StringIO()
    annotation = Annotation(annotated, doubts=(problem,) if problem else ())
    write_annotations(AnnotationReport([annotation], events), form, stream)
    return stream.getvalue()


def lines_of(
    profile: Profile, name: str, form: Any, texts: Texts, event: str = "Ir", problem: str = ""
) -> str:
    """The report of a function's lines."""
    (function,) = FunctionNames(profile).with_name(name)
    lines = function_lines(profile, function)
    kind = profile.events.find(event)
    known = {profile.texts.index_of(file): text for file, text in texts.items()}
    annotated = annotate_lines(profile, function, lines, function_cycles(profile), known)
    return written(annotated, form, (kind,) if kind else (), problem)


def instructions_of(
    profile: Profile, name: str, form: Any, code: Code, event: str = "Ir", problem: str = ""
) -> str:
    """The report of a function's instructions."""
    (function,) = FunctionNames(profile).with_name(name)
    costs = instruction_costs(profile, function)
    kind = profile.events.find(event)
    annotated = annotate_instructions(profile, function, costs, function_cycles(profile), code)
    return written(annotated, form, (kind,) if kind else (), problem)


def line(file: str, number: int, text: str | None, self_cost: int, inclusive: int, bcm: Any) -> Any:
    return {
        "file": file,
        "line": number,
        "text": text,
        "self": {"Ir": self_cost, "Bcm": bcm[0]},
        "inclusive": {"Ir": inclusive, "Bcm": bcm[1]},
    }


def test_json_of_lines_to_the_letter() -> None:
    """The JSON of lines is a contract: a row per (file, line) with any value, none dropped."""
    report = json.loads(lines_of(profile_from(DRAWING), "main", "json", TEXTS))
    assert report == {
        "function": "main",
        "file": "/src/a.c",
        "object": "/bin/p",
        "self": {"Ir": 160, "Bcm": 1},
        "lines": [
            line("/src/a.c", 0, None, 4, 4, (0, 0)),
            line("/src/a.c", 10, "ten {", 100, 100, (1, 1)),
            line("/src/a.c", 12, "\ttwelve\x1b[0m", 20, 80, (0, 2)),
            line("???", 0, None, 6, 14, (0, 0)),
            line("/inc/b.h", 2, r"two \xff", 30, 30, (0, 0)),
        ],
    }
    assert list(report) == ["function", "file", "object", "self", "lines"]
    assert list(report["lines"][0]) == ["file", "line", "text", "self", "inclusive"]


def test_json_where_texts_are_missing() -> None:
    """Without a text, or beyond its end, the text is null; the problem is listed at the end."""
    texts = {"/src/a.c": ("",) * 10}
    out = lines_of(profile_from(DRAWING), "main", "json", texts, problem="/inc/b.h: \udcff.")
    report = json.loads(out)
    assert [row["text"] for row in report["lines"]] == [None, "", None, None, None]
    assert (list(report)[-1], report["problem"]) == ("problem", r"/inc/b.h: \xff.")


def instruction(address: int, size: int, text: str | None, **more: Any) -> dict[str, Any]:
    row = {"file": None, "line": None, "self": {"Ir": 0, "Bcm": 0}, "calls": [], "jumps": []}
    return {"address": address, "size": size, "text": text} | row | more


def test_json_of_instructions_to_the_letter() -> None:
    """All decoded instructions and recorded addresses are listed, in order, with exact costs."""
    report = json.loads(instructions_of(profile_from(DRAWING), "main", "json", CODE))
    in_a = {"file": "/src/a.c", "line": 12}
    call = {"function": "f", "file": "/src/a.c", "object": "/bin/p"}
    active = {"function": "g", "file": "???", "object": "/lib/l.so", "count": 0}
    branch = {"target": 0x10, "executed": 5, "followed": 2, "conditional": True}
    jump = {"target": 0x30, "executed": 7, "followed": 7, "conditional": False}
    assert report == {
        "function": "main",
        "file": "/src/a.c",
        "object": "/bin/p",
        "self": {"Ir": 160, "Bcm": 1},
        "instructions": [
            instruction(
                0x10, 2, "mov $0x1,%eax", file="/src/a.c", line=10, self={"Ir": 100, "Bcm": 1}
            ),
            instruction(
                0x12, 3, "call 50 <f>", **in_a, self={"Ir": 20, "Bcm": 0},
                calls=[call | {"count": 3, "inclusive": {"Ir": 60, "Bcm": 2}}],
            ),
            instruction(0x15, 2, "je 10 <main>", **in_a, jumps=[branch]),
            instruction(0x17, 2, "nop"),
            instruction(0x18, 0, None, file="/inc/b.h", line=2, self={"Ir": 30, "Bcm": 0}),
            instruction(0x19, 2, "jmp 30", file="/inc/b.h", line=2, jumps=[jump]),
            instruction(0x1B, 2, "leave", file="/src/a.c", self={"Ir": 4, "Bcm": 0}),
            instruction(
                0x1D, 1, "ret", file="???", self={"Ir": 6, "Bcm": 0},
                calls=[active | {"inclusive": {"Ir": 8, "Bcm": 0}}],
            ),
            *(instruction(address, 1, "nop") for address in (0x1E, 0x1F, 0x20)),
            *(instruction(address, 1, "int3") for address in (0x21, 0x22)),
        ],
    }  # fmt: skip
    keys = ["address", "size", "text", "file", "line", "self", "calls", "jumps"]
    assert list(report["instructions"][0]) == keys


def test_json_without_code() -> None:
    """Without a binary, costs by address are listed, and the self cost without an address."""
    profile = profile_from(DRAWING)
    report = json.loads(instructions_of(profile, "f", "json", NO_CODE, problem="p"))
    assert [(row["address"], row["text"]) for row in report["instructions"]] == [(0x50, None)]
    assert report["problem"] == "p"
    lines_only = profile_from("events: Ir\nfn=f\n1 5\n")
    costs, cycle = empty_instruction_costs(lines_only), function_cycles(lines_only)
    annotated = annotate_instructions(lines_only, 0, costs, cycle, NO_CODE)
    report = json.loads(written(annotated, "json", (), "p"))
    assert (report["self"], report["instructions"]) == ({"Ir": 5}, [])


def test_json_keeps_integers_exact() -> None:
    """Costs above 2^53, addresses of 64 bits and negative costs are written to the last digit."""
    big, high = 2**62 + 1, 2**64 - 2
    drawing = f"events: Ir\npositions: instr line\nfn=f\n{high:#x} 1 {big}\n0x1 2 -3\n"
    profile = profile_from(drawing)
    lines = json.loads(lines_of(profile, "f", "json", {}))
    assert [row["self"]["Ir"] for row in lines["lines"]] == [big, -3]
    rows = json.loads(instructions_of(profile, "f", "json", NO_CODE))["instructions"]
    assert [(row["address"], row["self"]["Ir"]) for row in rows] == [(1, -3), (high, big)]


def test_tsv_of_lines() -> None:
    """A line per row below a title line; no value breaks a column or reaches a terminal raw."""
    assert lines_of(profile_from(DRAWING), "main", "tsv", TEXTS, "Bcm") == (
        "file\tline\tself\tinclusive\ttext\n"
        "/src/a.c\t0\t0\t0\t\n"
        "/src/a.c\t10\t1\t1\tten {\n"
        "/src/a.c\t12\t0\t2\t        twelve\\x1b[0m\n"
        "???\t0\t0\t0\t\n"
        "/inc/b.h\t2\t0\t0\ttwo \\xff\n"
    )


def test_tsv_of_instructions() -> None:
    """Addresses have a disassembler's notation; an unknown line is empty."""
    out = instructions_of(profile_from(DRAWING), "main", "tsv", CODE)
    assert out.splitlines()[:8] == [
        "address\tsize\tself\tinclusive\tfile\tline\ttext",
        "0x10\t2\t100\t100\t/src/a.c\t10\tmov $0x1,%eax",
        "0x12\t3\t20\t80\t/src/a.c\t12\tcall 50 <f>",
        "0x15\t2\t0\t0\t/src/a.c\t12\tje 10 <main>",
        "0x17\t2\t0\t0\t\t\tnop",
        "0x18\t0\t30\t30\t/inc/b.h\t2\t",
        "0x19\t2\t0\t0\t/inc/b.h\t2\tjmp 30",
        "0x1b\t2\t4\t4\t/src/a.c\t\tleave",
    ]


def test_text_of_lines() -> None:
    """File by file, three lines around each cost, with calls and jumps below their line."""
    out = lines_of(profile_from(DRAWING), "main", "text", TEXTS, problem="Two\nlines.")
    assert out == (
        "main\n"
        "File: /src/a.c\n"
        "Object: /bin/p\n"
        "Self Ir: 160 of 400 (40.00 %)\n"
        "Problem: Two\\x0alines.\n"
        "\n"
        "/src/a.c\n"
        "   Line   Self       %  Incl.  Source\n"
        "      0      4    1.00      4\n"
        "      …\n"
        "      7                                seven\n"
        "      8\n"
        "      9                        nine\n"
        "     10    100   25.00    100  ten {\n"
        "     11\n"
        "     12     20    5.00     80          twelve\\x1b[0m\n"
        "                           60    → f 3× (a.c)\n"
        "                                 ↷ 2 of 5× to line 10\n"
        "     13                        13\n"
        "     14                        14\n"
        "     15                        15\n"
        "      …\n"
        "\n"
        "???\n"
        "   Line   Self       %  Incl.  Source\n"
        "      0      6    1.50     14\n"
        "                            8    → g (active) (???)\n"
        "\n"
        "/inc/b.h\n"
        "   Line   Self       %  Incl.  Source\n"
        "      1                        one\n"
        "      2     30    7.50     30  two \\xff\n"
        "                                 ↷ 7× to line 99\n"
    )


def test_text_of_instructions() -> None:
    """Addresses, costs, instructions and source lines; gaps are marked."""
    out = instructions_of(profile_from(DRAWING), "main", "text", CODE)
    assert out.split("\n\n")[1].splitlines() == [
        f"   Address   Self       %  Incl.  {'Instruction':44}  Source",
        f"      0x10    100   25.00    100  {'mov $0x1,%eax':44}  a.c:10",
        f"      0x12     20    5.00     80  {'call 50 <f>':44}  a.c:12",
        "                              60    → f 3× (a.c)",
        f"      0x15      0    0.00      0  {'je 10 <main>':44}  a.c:12",
        "                                    ↷ 2 of 5× to 0x10",
        "      0x17                        nop",
        f"      0x18     30    7.50     30  {'(no instruction begins here)':44}  b.h:2",
        f"      0x19      0    0.00      0  {'jmp 30':44}  b.h:2",
        "                                    ↷ 7× to 0x30",
        "      0x1b      4    1.00      4  leave",
        "      0x1d      6    1.50     14  ret",
        "                               8    → g (active) (???)",
        "      0x1e                        nop",
        "      0x1f                        nop",
        "      0x20                        nop",
        "         …",
    ]


@pytest.mark.parametrize(
    ("rows", "length", "shown"),
    [
        ("1", 1, "1"),
        ("1 9", 20, "1 2 3 4 … 6 7 8 9 10 11 12 …"),
        ("1 8", 11, "1 2 3 4 5 6 7 8 9 10 11"),
        ("0", 5, "0 …"),
        ("0 3", 4, "0 1 2 3 4"),
        ("5 40 50", 6, "… 2 3 4 5 6 40 50"),
        ("40 50", 0, "40 50"),
    ],
)
def test_what_is_left_out_of_the_text(rows: str, length: int, shown: str) -> None:
    """A mark is shown exactly where lines of the file are left out."""
    costs = "".join(f"{number} 1\n" for number in rows.split())
    profile = profile_from(f"events: Ir\nfl=a\nfn=f\n{costs}")
    out = lines_of(profile, "f", "text", {"a": ("x",) * length} if length else {})
    table = out.split("\n\na\n")[1].splitlines()[1:]
    assert " ".join(row.split()[0] for row in table) == shown


PROGRAM = """
    events: Ir Dr Dw
    fl=/src/a.c
    fn=main
    10 1000000 250000 125000
    fi=/inc/b.h
    2 600000 1 2
    cfn=f
    calls=7 1
    3 300000 5 6
    fl=/gone/c.c
    fn=f
    1 300000 5 6
    fl=/gone/d.c
    fn=g
    1 100000
    fl=/home/.ssh/e.c
    fn=h
    1 50000
    """


def program_text(width: int | None, events: int) -> str:
    """The costly files of a program, of which two are not found, and one is left out."""
    profile = profile_from(PROGRAM)
    annotations = []
    withheld = WithheldFile("/home/.ssh/e.c", "it is private", Path("/home/.ssh"))
    for name in ("/src/a.c", "/inc/b.h", "/gone/d.c", "/gone/c.c", "/home/.ssh/e.c"):
        file = profile.texts.index_of(name)
        texts = {file: TEXTS[name]} if name in TEXTS else {}
        lines = file_lines(profile, file, None)
        annotated = annotate_lines(profile, NO_FUNCTION, lines, function_cycles(profile), texts)
        error = withheld if "ssh" in name else MissingFile(name, ())
        annotations.append(Annotation(annotated, {} if texts else {name: error}))
    stream = io.StringIO()
    report = AnnotationReport(
        annotations, profile.events.measured[:events], is_list=True, of_program=True
    )
    write_annotations(report, "text", stream, TextLayout(width, False), context=0)
    return stream.getvalue()


def test_text_of_a_program_names_files_without_a_text_once() -> None:
    """They stand at the end with their costs, by what may be done; the sum is of what is shown."""
    assert (
        program_text(100, 1)
        == """\
File: /src/a.c
Self Ir: 1,000,000 of 2,050,000 (48.78 %)

   Line       Self       %      Incl.  Source
      …
     10  1,000,000   48.78  1,000,000  ten {
      …

File: /inc/b.h
Self Ir: 600,000 of 2,050,000 (29.27 %)

   Line       Self       %      Incl.  Source
      …
      2    600,000   29.27    600,000  two \\xff
      3          0    0.00    300,000
                              300,000    → f 7× (c.c)

2 files not found. Name their folder with -I DIR, or where they are now with --map FROM=TO.

   Self       %  File
300,000   14.63  /gone/c.c
100,000    4.88  /gone/d.c

1 file left out, as it is private. Permit that with -I /home/.ssh, or in the window with View ▸ Code
▸ Source Paths.

  Self       %  File
50,000    2.44  /home/.ssh/e.c

Annotated Ir: 1,600,000 of 2,050,000 (78.05 %)
"""
    )


@pytest.mark.parametrize(
    ("width", "titles", "left_out"),
    [
        (None, "Line Self % Incl. Self % Incl. Self % Incl. Source", ""),
        (118, "Line Self % Incl. Self % Incl. Self % Incl. Source", ""),
        (100, "Line Self Incl. Self Incl. Self Incl. Source", "percentages"),
        (80, "Line Ir Dr Dw Source", "percentages; inclusive costs, except those of calls"),
        (60, "Line Ir Dr Source", "percentages; inclusive costs, except those of calls; Dw"),
    ],
)
def test_columns_of_code_fit_the_width(width: int | None, titles: str, left_out: str) -> None:
    """Columns give way to code, and what is left out is said; calls keep their costs."""
    lines = program_text(width, 3).splitlines()
    assert " ".join(lines[6 if "Ir" not in titles else 5].split()) == titles
    assert width is None or max(map(columns_of, lines)) <= width
    said = f"Left out, as lines are short: {left_out}." if left_out else ""
    assert said in " ".join(line.strip() for line in lines)
    assert ("Left out" in " ".join(lines)) == bool(left_out)
    (call,) = (line for line in lines if "→" in line)
    assert "300,000" in call


def test_functions_in_one_report_are_written_like_each_alone() -> None:
    """Widths of columns, calls and jumps of one do not depend on the others."""
    profile = profile_from(DRAWING)
    texts = {profile.texts.index_of(file): text for file, text in TEXTS.items()}
    cycle, names = function_cycles(profile), FunctionNames(profile)
    (main,), (f,) = names.with_name("main"), names.with_name("f")
    lines = [
        annotate_lines(profile, function, function_lines(profile, function), cycle, texts)
        for function in (f, main, f)
    ]
    instructions = [
        annotate_instructions(profile, function, instruction_costs(profile, function), cycle, CODE)
        for function in (main, f, main)
    ]

    def text(*many: Annotated) -> str:
        stream = io.StringIO()
        report = AnnotationReport(list(map(Annotation, many)), profile.events.all, is_list=True)
        write_annotations(report, "text", stream)
        return stream.getvalue().partition("Annotated ")[0]

    several = [*lines, *instructions, *lines]
    assert text(*several) == "".join(map(text, several))


def test_text_of_other_events() -> None:
    """A derived event is summed per row; without events or costs nothing is divided by 0."""
    profile = profile_from(DRAWING)
    assert "Self Bm: 1 of 9 (11.11 %)" in lines_of(profile, "main", "text", {}, "Bm")
    nothing = profile_from("events: Ir\nfn=f\n1 0\n")
    assert "Self Ir: 0 of 0\n" in lines_of(nothing, "f", "text", {})
    assert "Self cost: 0 of 0" in lines_of(nothing, "f", "text", {}, "none")
