"""Instructions of two builds: their texts, aligned sequences, and that no cost is lost."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
import pytest

from qcachegrind_py.analysis.code.annotated_function import annotate_instructions
from qcachegrind_py.analysis.code.instructions import (
    NO_CODE,
    NO_ROW,
    UNPAIRED,
    AlignedRows,
    Alignment,
    Code,
    CodeSide,
    align_rows,
    masked_texts,
    pair_between,
    pair_instructions,
    pair_sequences,
    without_numbers,
    without_operands,
)
from qcachegrind_py.analysis.code.location_costs import instruction_costs
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.ids import FunctionId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.tools.annotation_inputs import find_function_code
from qcachegrind_py.tools.sources.file_search import FileSearch, PathRule
from tests.analysis.code.code_text import code_from
from tests.profile_rows import DATA

FIXED = range(0x401000, 0x405000)


@pytest.mark.parametrize(
    ("instruction", "masked"),
    [
        ("jne 1010", "jne ·"),  # within the code, which begins at 1000
        ("jmp 1010 <f+0x10>", "jmp ·"),
        ("call 1000 <f>", "call ·"),
        ("call 2000 <puts@plt>", "call puts@plt"),
        ("call 2000 <count.constprop.0>", "call count"),
        ("jmp 2008 <other+0x8>", "jmp ·"),
        ("call 2000", "call ·"),
        ("call *0x2fe2(%rip)  # 3fd0 <puts>", "call *·(%rip) puts"),
        ("leaq -0x1a(%rip), %rdi  # 7ec", "leaq ·(%rip), %rdi ·"),
        ("leaq 0x18c4(%rip), %r8  # 2040 <table>", "leaq ·(%rip), %r8 table"),
        ("movl (%rip), %eax  # 2040 <table+0x8>", "movl ·(%rip), %eax ·"),
        ("lea rdi, [rip + 0x18c4]  # 2040 <table>", "lea rdi, [rip·] table"),
        ("mov eax, dword ptr [rip]  # 2040 <a<b>>", "mov eax, dword ptr [rip·] a<b>"),
        ("adrp x0, 11000 <table>", "adrp x0, table"),
        ("adrp x0, 11000", "adrp x0, ·"),
        ("movl $0x404040, %edi", "movl $·, %edi"),
        ("movl 0x404040(,%rax,4), %eax", "movl ·(,%rax,4), %eax"),
        ("mov eax, dword ptr [rax*4 + 0x404040]", "mov eax, dword ptr [rax*4 + ·]"),
        ("movl $0x40, %edi", "movl $0x40, %edi"),
        ("movl -0x404040(%rax), %edi", "movl -0x404040(%rax), %edi"),
        ("ret", "ret "),
    ],
)
def test_addresses_are_left_out(instruction: str, masked: str) -> None:
    code = code_from(f"1000 nop\n1010 nop\n1014 {instruction}")
    texts = masked_texts(code, FIXED, lambda name: name.partition(".")[0])
    assert texts == ["nop ", "nop ", masked]


def test_numbers_are_addresses_only_in_a_program_linked_to_a_fixed_place() -> None:
    (text,) = masked_texts(code_from("1000 movl $0x404040, %edi"), range(0), str)
    assert text == "movl $0x404040, %edi"


@pytest.mark.parametrize(
    ("text", "numbers", "operands"),
    [
        ("movl -0x18(%rsp), %r8d", "movl ·(%rsp), %r8d", "movl ·(·), ·"),
        ("cmpl $5, %eax", "cmpl $·, %eax", "cmpl ·, ·"),
        ("call puts@plt", "call puts@plt", "call ·@·"),
        ("ret ", "ret ", "ret "),
    ],
)
def test_rougher_texts(text: str, numbers: str, operands: str) -> None:
    assert (without_numbers(text), without_operands(text)) == (numbers, operands)


# ---------------------------------------------------------------- aligned sequences


def numbers(text: str) -> Int64Array:
    return np.array([ord(letter) for letter in text], np.int64)


def places(base: str, new: str) -> list[int]:
    return pair_sequences(numbers(base), numbers(new)).tolist()


@pytest.mark.parametrize(
    ("base", "new", "expected"),
    [
        ("", "", []),
        ("abc", "", [-1, -1, -1]),
        ("", "abc", []),
        ("abc", "abc", [0, 1, 2]),
        ("abc", "axbc", [0, 2, 3]),
        ("axbc", "abc", [0, -1, 1, 2]),
        ("abcd", "abXd", [0, 1, -1, 3]),
        ("aaa", "aa", [0, 1, -1]),
        ("abcdef", "Xcd", [-1, -1, 1, 2, -1, -1]),
        ("abc", "xyz", [-1, -1, -1]),
    ],
)
def test_small_edits(base: str, new: str, expected: list[int]) -> None:
    assert places(base, new) == expected


def is_valid(place: Int64Array, base: Int64Array, new: Int64Array) -> bool:
    rows = np.flatnonzero(place != UNPAIRED)
    return bool((base[rows] == new[place[rows]]).all() and (np.diff(place[rows]) > 0).all())


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("letters", [2, 30, 100_000])
def test_pairs_are_equal_and_in_order(seed: int, letters: int) -> None:
    random = Random(seed)
    base = [random.randrange(letters) for _ in range(random.randrange(3000))]
    new = list(base)
    for _ in range(random.randrange(60)):
        first = random.randrange(len(new) + 1)
        new[first : first + random.randrange(30)] = [
            random.randrange(letters) for _ in range(random.randrange(30))
        ]
    one, other = np.array(base, np.int64), np.array(new, np.int64)
    assert is_valid(pair_sequences(one, other), one, other)


def test_edits_of_distinct_elements_leave_all_others_paired() -> None:
    """Long sequences are divided at what is unique, so nothing that is kept may be lost."""
    random = Random(7)
    base = list(range(5000))
    kept = sorted(random.sample(base, 4600))
    new = []
    for number in kept:
        new += [number] if random.random() > 0.1 else [-random.randrange(1, 10**9), number]
    place = pair_sequences(np.array(base), np.array(new))
    assert np.flatnonzero(place != UNPAIRED).tolist() == kept
    assert [new[row] for row in place[place != UNPAIRED].tolist()] == kept


def test_an_insertion_into_repeated_code_is_found() -> None:
    """Code repeats the same few instructions: runs are unique where single ones are not."""
    random = Random(3)
    base = np.array([random.randrange(12) for _ in range(4000)], np.int64)
    new = np.insert(base, [1000, 1000, 3000], [50, 51, 52])
    place = pair_sequences(base, new)
    kept = np.flatnonzero(new < 50)
    assert (place == kept).mean() > 0.999
    assert is_valid(place, base, new)


def test_long_stretches_without_unique_runs_stay_unpaired() -> None:
    """They could only be aligned in quadratic time; equal ends are paired all the same."""
    base = np.concatenate(([7, 8], np.tile([1, 2], 1500), [9]))
    new = np.concatenate(([7, 8], np.tile([2, 1, 3], 1000), [9]))
    place = pair_sequences(base, new)
    assert place[[0, 1, -1]].tolist() == [0, 1, len(new) - 1]
    assert is_valid(place, base, new)


def test_more_pairs_between_those_that_there_are() -> None:
    """Pairs that were found stay, and new ones do not cross them."""
    exact = pair_sequences(numbers("aBcDe"), numbers("bacde"))
    assert exact.tolist() == [1, -1, 2, -1, 4]
    place = pair_between(exact, numbers("abcde"), numbers("bacde"))
    assert place.tolist() == [1, -1, 2, 3, 4]


def test_an_unwanted_alignment_ends() -> None:
    class Unwanted(Progress):
        def check(self, fraction: float, text: str = "") -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        pair_sequences(numbers("abc"), numbers("cba"), Unwanted())


# ---------------------------------------------------------------- instructions


SUMS = DATA / "comparison" / "sums"
SEARCH = FileSearch(rules=(PathRule("/corpus/comparison", str(SUMS)),))
ADDRESSES, TEXTS, NOTHING = Alignment
BASE = """
    1000 mov $1, %eax
    1004 jne 1010 <f+0x10>
    1008 add $8, %eax
    100c imul %eax, %ebx
    1010 ret
    """
NEW = """
    2000 mov $1, %eax
    2004 xor %edx, %edx
    2008 jne 2010 <f+0x10>
    200c add $9, %eax
    2010 ret
    """


def side(code: Code, fixed: range = range(0)) -> CodeSide:
    return CodeSide(code.address, np.arange(len(code)), code, fixed)


def texts(rows: AlignedRows, base: Code, new: Code) -> list[str]:
    """Each row as mnemonics and operands of base and new."""
    return [
        " | ".join(
            f"{code.mnemonic[row]} {code.operands[row]}".strip() if row != NO_ROW else "–"
            for code, row in ((base, before), (new, after))
        )
        for before, after in zip(rows.base.tolist(), rows.new.tolist(), strict=True)
    ]


def test_two_builds_are_aligned_by_their_texts() -> None:
    base, new = code_from(BASE), code_from(NEW)
    rows = align_rows(pair_instructions(side(base), side(new), TEXTS), len(new))
    assert texts(rows, base, new) == [
        "mov $1, %eax | mov $1, %eax",
        "– | xor %edx, %edx",
        "jne 1010 <f+0x10> | jne 2010 <f+0x10>",
        "add $8, %eax | add $9, %eax",
        "imul %eax, %ebx | –",
        "ret | ret",
    ]


def test_equal_bytes_are_the_same_instructions_wherever_they_are() -> None:
    """Equal bytes need no look at texts, which symbols may change."""
    base = code_from("1000 jmp 9000 <one>\n1004 nop\n1008 nop")
    new = code_from("5000 jmp 9000 <two>\n5004 nop\n5008 nop")
    same = Code(new.address, new.size, new.kind, new.target, new.mnemonic, new.operands, base.raw)
    assert pair_instructions(side(base), side(same), TEXTS).tolist() == [0, 1, 2]


def test_one_build_pairs_by_address_without_any_code() -> None:
    none = np.full(3, NO_ROW)
    base = CodeSide(np.array([0, 0x1000, 0x1008], np.uint64), none)
    new = CodeSide(np.array([0, 0x1004, 0x1008], np.uint64), none)
    assert pair_instructions(base, new, ADDRESSES).tolist() == [0, NO_ROW, 2]


def test_without_a_program_nothing_is_paired_but_costs_without_address() -> None:
    """Equal addresses of two builds are not the same instruction."""
    base = CodeSide(np.array([0, 0x1000], np.uint64), np.full(2, NO_ROW))
    new = CodeSide(np.array([0, 0x1000, 0x1004], np.uint64), np.full(3, NO_ROW))
    new_row = pair_instructions(base, new, NOTHING)
    assert new_row.tolist() == [0, NO_ROW]
    rows = align_rows(new_row, len(new))
    assert rows.base.tolist() == [0, 1, NO_ROW, NO_ROW]
    assert rows.new.tolist() == [0, NO_ROW, 1, 2]
    alone = align_rows(np.full(2, NO_ROW), 2)
    assert alone.base.tolist() == [NO_ROW, NO_ROW, 0, 1]


def test_costs_between_instructions_stay_alone() -> None:
    """Where no instruction begins, nobody can say what it is on the other side."""
    code = code_from(BASE)
    with_gap = CodeSide(
        np.array([0x1000, 0x1002, 0x1004, 0x1008, 0x100C, 0x1010], np.uint64),
        np.array([0, NO_ROW, 1, 2, 3, 4]),
        code,
    )
    new_row = pair_instructions(with_gap, with_gap, TEXTS)
    assert new_row.tolist() == [0, NO_ROW, 2, 3, 4, 5]


@pytest.mark.parametrize("seed", range(200))
def test_rows_have_each_instruction_once_and_in_order(seed: int) -> None:
    """What the base alone has follows the instruction that is before it there."""
    random = Random(seed)
    base_count, new_count = random.randrange(12), random.randrange(12)
    paired = random.randrange(min(base_count, new_count) + 1)
    new_row = np.full(base_count, NO_ROW)
    new_row[sorted(random.sample(range(base_count), paired))] = sorted(
        random.sample(range(new_count), paired)
    )
    rows = align_rows(new_row, new_count)
    base, new = (
        [row for row in column.tolist() if row != NO_ROW] for column in (rows.base, rows.new)
    )
    assert (base, new) == (list(range(base_count)), list(range(new_count)))
    pairs = {
        (b, n)
        for b, n in zip(rows.base.tolist(), rows.new.tolist(), strict=True)
        if NO_ROW not in (b, n)
    }
    assert pairs == {(b, n) for b, n in enumerate(new_row.tolist()) if n != NO_ROW}
    for before, after in pairwise(zip(rows.base.tolist(), rows.new.tolist(), strict=True)):
        if paired and after[1] == NO_ROW:
            assert before[0] == after[0] - 1


# ---------------------------------------------------------------- real programs


def function_named(profile: Profile, name: str) -> FunctionId:
    names = profile.texts.lookup(profile.functions.name.tolist())
    return FunctionId(names.index(name))


def loaded(build: str, name: str) -> tuple[CodeSide, int, dict[int, int]]:
    """The code of a function, its self cost, and the self cost at each row."""
    profile = load(SUMS / f"callgrind.out.{build}")
    function = function_named(profile, name)
    costs = instruction_costs(profile, function)
    found = find_function_code(profile, function, costs, SEARCH)
    assert found.machine_code is not None, found.problem
    no_cycles = np.zeros(len(profile.functions), np.int32)
    both = annotate_instructions(profile, function, costs, no_cycles, found.code)
    cost = {
        row: int(costs.self_cost[0, at]) if at >= 0 else 0
        for row, at in enumerate(both.cost_row.tolist())
    }
    own = CodeSide(both.address, both.code_row, found.code, found.machine_code.fixed)
    return own, int(costs.self_cost[0].sum()), cost


@pytest.mark.parametrize("other", ["sums-O3", "sums-edited", "sums-O2"])
@pytest.mark.parametrize("name", ["main", "fill", "largest.constprop.0", "weighted.constprop.0"])
def test_changes_add_up_to_that_of_the_function(name: str, other: str) -> None:
    base, base_cost, base_at = loaded("sums-O2", name)
    new, new_cost, new_at = loaded(other, name)
    for alignment in Alignment:
        rows = align_rows(pair_instructions(base, new, alignment), len(new))
        changes = [
            new_at.get(after, 0) - base_at.get(before, 0)
            for before, after in zip(rows.base.tolist(), rows.new.tolist(), strict=True)
        ]
        assert sum(changes) == new_cost - base_cost


def test_a_function_that_did_not_change_is_paired_whole_and_costs_the_same() -> None:
    """`main` has the same source; what it calls and the text it prints are elsewhere."""
    base, _cost, base_at = loaded("sums-O2", "main")
    new, _cost, new_at = loaded("sums-edited", "main")
    new_row = pair_instructions(base, new, TEXTS)
    assert new_row.tolist() == list(range(len(new)))
    assert base_at == new_at


def test_an_edit_leaves_what_is_around_it_paired() -> None:
    """Read off both disassemblies: the edit adds 11 instructions and takes the second of two tests.

    Two instructions at the beginning have changed places, of which one at a time is paired.
    """
    base, _cost, _at = loaded("sums-O2", "weighted.constprop.0")
    new, _cost, _at = loaded("sums-edited", "weighted.constprop.0")
    rows = align_rows(pair_instructions(base, new, TEXTS), len(new))
    lines = texts(rows, base.code, new.code)
    assert lines[6:9] == [
        "jmp 78e <weighted.constprop.0+0x1e> | jmp 7ad <weighted.constprop.0+0x3d>",
        "imull %edx, %eax | imull %ecx, %eax",
        "– | addl %eax, %edx",
    ]
    gone = sum(line.endswith("| –") for line in lines)
    added = sum(line.startswith("– |") for line in lines)
    assert (gone, added) == (6, 13)


def test_code_is_read_from_both_programs() -> None:
    assert loaded("sums-O2", "main")[0].code is not NO_CODE
