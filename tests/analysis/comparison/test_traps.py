"""Traps of comparing, on real programs: where equal names, or different ones, mislead."""

from __future__ import annotations

import lzma
from collections import defaultdict

from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.matching import How
from qcachegrind_py.analysis.comparison.sides import family_keys
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import function_id
from tests.profile_rows import DATA

FOLDER = DATA / "comparison"


def compared(base: str, new: str) -> Comparison:
    """The comparison of two files."""
    return compare(load(FOLDER / f"{base}.xz"), load(FOLDER / f"{new}.xz"))


def costs(comparison: Comparison) -> dict[str, tuple[int, int, How]]:
    """Base, new and how they were paired, by the name of functions that changed."""
    sides = comparison.self_cost(comparison.events[0])
    names = comparison.queries.names
    return {
        names.name(function_id(row)): (int(sides.base[row]), int(sides.new[row]), how)
        for row, how in enumerate(comparison.pairing.how)
        if sides.base[row] != sides.new[row]
    }


def test_clones_of_another_optimization() -> None:
    """The same program at -O2 and -O3: by name a clone shrinks by 408,520, and another is new.

    Together they shrink by 24,320.
    """
    comparison = compared("callgrind.out.clones-O2", "callgrind.out.clones-O3")

    assert costs(comparison) == {
        "count": (600_720, 576_400, How.FAMILY),
        "main": (458, 499, How.PATH),  # the two programs are called differently
    }
    assert How.NONE not in comparison.pairing.how


def test_functions_chosen_by_the_processor() -> None:
    """One program, the second time without AVX2: by name everything in libc is gone and new.

    Nothing that the program calls is new, and all that grew is what costs more with AVX2.
    """
    comparison = compare(
        load(DATA / "glibc" / "callgrind.out.sse2.xz"),
        load(DATA / "glibc" / "callgrind.out.avx2.xz"),
    )

    assert How.NONE not in comparison.pairing.how
    assert costs(comparison) == {
        "memset": (461, 4_111, How.FAMILY),
        "memcpy": (99_838, 53_458, How.FAMILY),
        "memcmp": (32_304, 16_363, How.FAMILY),
        "strlen": (47_560, 28_349, How.FAMILY),
        "strcmp": (89_928, 60_832, How.FAMILY),
        "sin": (11_584, 9_375, How.FAMILY),
        "ieee754_exp": (4_466, 3_476, How.FAMILY),
        "ieee754_pow": (15_144, 10_400, How.FAMILY),
        "strchrnul": (40, 36, How.FAMILY),
        "mempcpy": (15, 17, How.FAMILY),
    }
    back = compare(comparison.new_profile, comparison.base_profile)
    assert {name: each[:2] for name, each in costs(back).items()} == {
        name: each[1::-1] for name, each in costs(comparison).items()
    }


def test_other_template_arguments() -> None:
    """Another function to sort by renames all instances of std::sort's parts.

    By name 608,715 are gone and 1,266,665 new in the template that both sides have.
    """
    comparison = compared("callgrind.out.sort-plain", "callgrind.out.sort-digits")
    changed = costs(comparison)

    assert {name: each for name, each in changed.items() if each[2] is How.TEMPLATE} == {
        "std::__introsort_loop<…>": (82_565, 262_980, How.TEMPLATE),
        "std::__introsort_loop<…>'2": (523_310, 1_001_875, How.TEMPLATE),
        "std::__insertion_sort<…>": (2_840, 1_810, How.TEMPLATE),
    }
    assert [name for name, (_, _, how) in changed.items() if how is How.NONE] == [
        "void std::__unguarded_linear_insert<__gnu_cxx::__normal_iterator<unsigned int*, "
        "std::vector<unsigned int, std::allocator<unsigned int> > >, "
        "__gnu_cxx::__ops::_Val_comp_iter<ByDigits> >(__gnu_cxx::__normal_iterator<unsigned int*, "
        "std::vector<unsigned int, std::allocator<unsigned int> > >, "
        "__gnu_cxx::__ops::_Val_comp_iter<ByDigits>)"
    ]


def test_the_same_rows_as_cg_diff() -> None:
    """Two files of cachegrind: each row of cg_diff, with clones added up to their family."""
    comparison = compared("cachegrind.out.clones-O2", "cachegrind.out.clones-O3")
    ours: dict[tuple[str, str], int] = defaultdict(int)
    change = comparison.self_cost(comparison.events[0]).change
    names = comparison.queries.names
    for row in range(len(comparison.pairing)):
        key = names.file(function_id(row)), family_keys([names.name(function_id(row))])[0]
        ours[key] += int(change[row])

    wanted = cg_diff()
    assert len(wanted) > 200
    assert ours == wanted


def cg_diff() -> dict[tuple[str, str], int]:
    """The rows of cg_diff by file and function: the change in the first event."""
    rows: dict[tuple[str, str], int] = defaultdict(int)
    file = name = ""
    text = lzma.decompress((FOLDER / "clones.cg_diff.xz").read_bytes()).decode()
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key == "fl":
            file = value
        elif key == "fn":
            name = family_keys([value])[0]
        elif line[:1].isdigit():
            rows[file, name] += int(line.split()[1])
    return rows
