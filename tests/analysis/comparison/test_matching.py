"""Which functions of two profiles are the same, and which may be renamed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.comparison.matching import How, Pairing, Rename, pair_functions
from qcachegrind_py.analysis.comparison.sides import NO_RULES, MatchingRules, substitution
from qcachegrind_py.profile.profile import Profile
from tests.growth import assert_linear
from tests.profile_rows import profile_from
from tests.profile_text import profile_text

HASHES = ["0123456789abcdef", "fedcba9876543210"]


def profile_of(*functions: str, command: str = "./prog") -> Profile:
    """A profile of functions, each written as `name`, `name file`, or `name file object=cost`."""
    lines = [f"cmd: {command}", "events: Ir"]
    for text in functions:
        spec, _, cost = text.partition("=")
        name, file, object_ = (*spec.split(" "), "", "")[:3]
        lines += [f"ob={object_}", f"fl={file or 'a.c'}", f"fn={name}", f"1 {cost or 1}"]
    return profile_from("\n".join(lines).encode())


def rows(base: Profile, new: Profile, pairing: Pairing) -> list[str]:
    """The rows of a pairing as `base members -> new members: how [name]`."""

    def members(profile: Profile, functions: Iterable[int]) -> str:
        return "+".join(profile.function_name(function) for function in functions) or "-"

    return [
        f"{members(base, pairing.base_members(row))} -> {members(new, pairing.new_members(row))}: "
        + (how.value or "none")
        + (f" [{pairing.names[row]}]" if row in pairing.names else "")
        for row, how in enumerate(pairing.how)
    ]


def paired(base: Iterable[str], new: Iterable[str], rules: MatchingRules = NO_RULES) -> list[str]:
    """The rows of the pairing of two lists of functions."""
    sides = profile_of(*base), profile_of(*new)
    return rows(*sides, pair_functions(*sides, rules))


def test_same_functions_are_pairs_in_the_order_of_the_new_side() -> None:
    """What only the base has comes last."""
    assert paired(["f", "gone", "g"], ["g", "new", "f"]) == [
        "g -> g: exact",
        "- -> new: none",
        "f -> f: exact",
        "gone -> -: none",
    ]


def test_same_name_in_two_folders_is_two_rows() -> None:
    """Files tell functions of one name apart, also where the build is in another folder."""
    assert paired(["f /old/a/x.c", "f /old/b/x.c"], ["f /new/b/x.c", "f /new/a/x.c"]) == [
        "f -> f: path",
        "f -> f: path",
    ]


@pytest.mark.parametrize(
    ("base", "new", "expected"),
    [
        (["f.constprop.0"], ["f.constprop.0"], ["f.constprop.0 -> f.constprop.0: exact"]),
        (["f"], ["f.isra.0"], ["f -> f.isra.0: family"]),
        (["f.constprop.0"], ["f.constprop.0", "f.constprop.1"],
         ["f.constprop.0 -> f.constprop.0+f.constprop.1: family [f]"]),
        (["f", "f.cold"], ["f", "f.cold"], ["f+f.cold -> f+f.cold: family [f]"]),
        ([f"f::h{HASHES[0]}"], [f"f::h{HASHES[1]}"],
         [f"f::h{HASHES[0]} -> f::h{HASHES[1]}: family"]),
        ([f"f::h{HASHES[0]}", f"f::h{HASHES[1]}"], [f"f::h{HASHES[1]}", f"f::h{'1' * 16}"],
         [f"f::h{HASHES[1]} -> f::h{HASHES[1]}: exact",
          f"f::h{HASHES[0]} -> f::h{'1' * 16}: family"]),
        (["f.cold", "f.part.0"], ["g"],
         ["- -> g: none", "f.cold -> -: none", "f.part.0 -> -: none"]),
    ],
    ids=["one clone", "a clone", "another clone", "cold", "hash", "same hash", "gone"],
)  # fmt: skip
def test_clones_are_families(base: list[str], new: list[str], expected: list[str]) -> None:
    """Clones are compared together, never by their numbers; equal hashes are the same code."""
    assert paired(base, new) == expected


def test_template_arguments_differ() -> None:
    """What is left is compared as one family for all arguments."""
    assert paired(
        ["sort<int>(int*)", "sort<char>(char*)", "keep<int>"],
        ["sort<long>(long*)", "keep<int>", "other<int>"],
    ) == [
        "sort<int>(int*)+sort<char>(char*) -> sort<long>(long*): template [sort<…>]",
        "keep<int> -> keep<int>: exact",
        "- -> other<int>: none",
    ]


def test_lambdas_of_a_scope() -> None:
    """Compilers number them: with other lambdas on the other side, they are one family."""
    same = ["f()::{lambda(int)#1}", "f()::{lambda(int)#2}"]
    more = [*same, "f()::{lambda(int)#3}"]

    assert paired(same, same) == [f"{name} -> {name}: exact" for name in same]
    assert paired([*same, "g::{closure#0}"], [*more, "g::{closure#0}"]) == [
        f"{'+'.join(same)} -> {'+'.join(more)}: family [f()::{{lambda(int)#…}}]",
        "g::{closure#0} -> g::{closure#0}: exact",
    ]


def test_a_lambda_with_another_number() -> None:
    """Of a scope that has one lambda on each side it is the same, whatever its number."""
    assert paired(["main::{closure#0}"], ["main::{closure#1}"]) == [
        "main::{closure#0} -> main::{closure#1}: family [main::{closure#…}]"
    ]


def test_functions_of_libc_for_several_processors() -> None:
    """Where the sides ran different ones, they are one family; files differ with the processor."""
    base = [
        "__memcmp_sse2 memcmp-sse2.S /lib/libc-2.31.so",
        "memcpy@GLIBC_2.2.5 memmove.S /lib/libc-2.31.so",
        "__memcpy_sse2_unaligned memmove.S /lib/libc-2.31.so",
        "strlen ifunc-avx2.h /lib/libc-2.31.so",
        "__strlen_sse2 strlen-sse2.S /lib/libc-2.31.so",
    ]
    new = [
        "__memcmp_avx2_movbe memcmp-avx2.S /lib/libc.so.6",
        "__memmove_avx_unaligned_erms memmove.S /lib/libc.so.6",
        "strlen ifunc-avx2.h /lib/libc.so.6",
        "__strlen_sse2 strlen-sse2.S /lib/libc.so.6",
    ]
    assert paired(base, new) == [
        "__memcmp_sse2 -> __memcmp_avx2_movbe: family [memcmp]",
        "memcpy@GLIBC_2.2.5+__memcpy_sse2_unaligned -> __memmove_avx_unaligned_erms: "
        "family [memcpy]",
        "strlen -> strlen: path",  # which chooses, and is none of them
        "__strlen_sse2 -> __strlen_sse2: path",  # the same on both sides
    ]


def test_functions_for_several_processors_elsewhere() -> None:
    """Other libraries choose by themselves; a program has those of libc if it contains it."""
    endings = ["sse2", "avx2"]
    ours, libc, other = (
        [f"{name}_{ending} {ending}.S {object_}" for ending in endings]
        for name, object_ in (
            ("x264_sad", "./prog"),
            ("__strlen", "./prog"),
            ("__strlen", "/lib/libx264.so"),
        )
    )
    for base, new in (ours, other):
        assert paired([base], [new]) == [
            f"- -> {new.split()[0]}: none",
            f"{base.split()[0]} -> -: none",
        ]
    assert paired(*([each] for each in libc)) == ["__strlen_sse2 -> __strlen_avx2: family [strlen]"]


def test_functions_of_libc_with_callers_on_one_side() -> None:
    """Names without the callers are compared, as of other functions."""
    base = profile_from(
        "creator: callgrind-3.19.0\nevents: Ir\nob=/lib/libc.so.6\nfl=a.S\n"
        "fn=__strlen_sse2'f'main\n1 1\nfn=g'f'main\n1 1\n"
    )
    new = profile_of("__strlen_avx2 b.S /lib/libc.so.6")
    assert rows(base, new, pair_functions(base, new)) == [
        "__strlen_sse2'f'main -> __strlen_avx2: family [strlen]",
        "g'f'main -> -: none",
    ]


def test_versions_of_symbols() -> None:
    """Only debug information has them, and two versions are one function."""
    base = ["pthread_join join.c /lib/libc.so.6", "exp@GLIBC_2.2.5 exp.c /lib/libm.so.6"]
    new = ["pthread_join@@GLIBC_2.34 join.c /lib/libc.so.6", "exp@@GLIBC_2.29 exp.c /lib/libm.so.6"]
    assert paired(base, new) == [
        "pthread_join -> pthread_join@@GLIBC_2.34: family [pthread_join]",
        "exp@GLIBC_2.2.5 -> exp@@GLIBC_2.29: family [exp]",
    ]


def test_instances_of_a_template_in_a_lambda() -> None:
    """The lambdas of a function are not the function, and its parameters repeat its arguments."""
    assert paired(
        ["f<int>(int)::{lambda()#1}::operator()()", "f<int>(int)"],
        ["f<char>(char)::{lambda()#1}::operator()()", "f<char>(char)"],
    ) == [
        "f<int>(int)::{lambda()#1}::operator()() -> f<char>(char)::{lambda()#1}::operator()():"
        " template [f<…>()::{lambda()#1}::operator()]",
        "f<int>(int) -> f<char>(char): template [f<…>]",
    ]


def test_a_side_without_objects_or_files() -> None:
    """What a profiler does not record tells no functions apart."""
    assert paired(["f a.c", "f b.c", "g ???"], ["f a.c x.so", "f b.c y.so", "g ??? x.so"]) == [
        "f -> f: path",
        "f -> f: path",
        "g -> g: path",
    ]
    assert paired(["f ???"], ["f a.c", "f b.c"]) == ["f -> f+f: family [f]"]


def test_functions_without_a_name_do_not_move() -> None:
    """They are the same only in the same file."""
    assert paired(["??? a.c", "f"], ["??? b.c", "f"]) == [
        "- -> ???: none",
        "f -> f: exact",
        "??? -> -: none",
    ]


def test_lines_of_python_move() -> None:
    """Names with a line pair exactly as long as the line is the same."""
    assert paired(["<lambda>:3", "<lambda>:7", "f:9"], ["<lambda>:3", "<lambda>:8", "f:12"]) == [
        "<lambda>:3 -> <lambda>:3: exact",
        "<lambda>:7 -> <lambda>:8: family [<lambda>]",
        "f:9 -> f:12: family [f]",
    ]


def test_lines_of_one_side_only() -> None:
    """Two profilers of Python: one writes lines and paths into names, and the other does not."""
    assert paired(["f:3"], ["f"]) == ["f:3 -> f: family [f]"]
    base = profile_from("events: Ticks\nfl=/x/a.py\nfn=main /x/a.py:17\n1 1\n")
    new = profile_from("events: Ticks\nfl=/y/a.py\nfn=main\n1 1\n")
    assert rows(base, new, pair_functions(base, new)) == ["main /x/a.py:17 -> main: family [main]"]


def test_recursion_levels_are_folded_on_both_sides_or_on_neither() -> None:
    """With equally many levels they are functions, with others they are one."""
    two, three = ["f", "f'2", "g"], ["f", "f'2", "f'3", "g"]

    assert paired(two, two) == [f"{name} -> {name}: exact" for name in two]
    assert paired(two, three) == ["f+f'2 -> f+f'2+f'3: family [f]", "g -> g: exact"]
    assert paired(["f", "g"], two) == ["f -> f+f'2: family [f]", "g -> g: exact"]


def test_moved_functions() -> None:
    """A name that occurs once on each side is the same function in another file."""
    assert paired(["f a.c", "g a.c", "h a.c"], ["f b.c", "g b.c", "g c.c", "h a.c"]) == [
        "f -> f: moved",
        "- -> g: none",
        "- -> g: none",
        "h -> h: exact",
        "g -> -: none",
    ]


def test_addresses_pair_exactly_only() -> None:
    """Code without symbols: a name is an address, which is another function in another build."""
    base, new = ["0x10 a.c x.so=9", "0x20 a.c x.so"], ["0x10 a.c x.so=9", "0x30 b.c x.so"]
    assert paired(base, new) == ["0x10 -> 0x10: exact", "- -> 0x30: none", "0x20 -> -: none"]


def test_recursion_levels_of_code_without_symbols() -> None:
    """An address with a level, or with callers, means as little in another build as without."""
    base = ["0x10 a.c x.so=9", "0x10'2 a.c x.so=4", "f a.c x.so"]
    new = ["0x30 a.c x.so=8", "0x30'2 a.c x.so=7", "f a.c x.so"]
    assert paired(base, new) == [
        "0x10+0x10'2 -> 0x30+0x30'2: family [x.so, no symbols]",
        "f -> f: exact",
    ]
    assert paired(base[:1], ["0x30'main a.c x.so"]) == [
        "0x10 -> 0x30'main: family [x.so, no symbols]"
    ]


def test_code_without_symbols_is_one_row_if_little_pairs() -> None:
    """An object of which less than half of such cost pairs is compared as a whole."""
    base = ["0x10 a.c /old/lib.so.1=2", "0x20 a.c /old/lib.so.1=50", "f a.c /old/lib.so.1"]
    new = ["0x10 a.c /new/lib.so.2=2", "0x30 a.c /new/lib.so.2=60", "f a.c /new/lib.so.2"]
    assert paired(base, new) == [
        "0x10+0x20 -> 0x10+0x30: family [lib.so, no symbols]",
        "f -> f: path",
    ]


def test_rules_of_the_user() -> None:
    """Rules rename functions and files of both sides before they are paired."""
    rules = MatchingRules((substitution("s/^gen_[0-9]*/gen/"),), (substitution("s/^old_/new_/"),))
    base, new = ["old_f a.c", "g gen_12.c", "h a.c"], ["new_f a.c", "g gen_7.c", "h a.c"]
    assert paired(base, new, rules) == ["old_f -> new_f: rule", "g -> g: rule", "h -> h: exact"]


def test_accepted_renamings() -> None:
    """They come before all other rules; one that names no function is ignored."""
    rules = MatchingRules(
        accepted=((("a", "a.c", "???"), ("b", "a.c", "???")), (("x", "", ""), ("y", "", "")))
    )
    assert paired(["a", "b"], ["b", "a"], rules) == [
        "a -> b: accepted",
        "- -> a: none",
        "b -> -: none",
    ]


def test_contexts_of_one_side() -> None:
    """Functions separated by callers on one side only are summed over them."""
    base = profile_of("f'main", "f'g", "g'main", "main")
    new = profile_of("f", "f'2", "g", "main")
    callgrind = [
        profile_from(f"creator: callgrind-3.22\n{text}".encode())
        for text in (
            "events: Ir\nfl=a.c\nfn=f'main\n1 1\nfn=f'g\n1 1\nfn=g'main\n1 1\nfn=main\n1 1\n",
            "events: Ir\nfl=a.c\nfn=f\n1 1\nfn=f'2\n1 1\nfn=g\n1 1\nfn=main\n1 1\n",
        )
    ]
    found = rows(*callgrind, pair_functions(*callgrind))

    assert found == [
        "f'main+f'g -> f+f'2: family [f]",
        "g'main -> g: family",
        "main -> main: exact",
    ]
    assert How.FAMILY not in pair_functions(base, new).how  # not written by callgrind


def test_swapped_sides_give_the_same_pairs() -> None:
    """Whichever side is the base, the same functions are the same."""
    random = np.random.default_rng(7)
    names = ["f", "g.isra.0", "g", "h<int>", "h<char>", "0x10", f"r::h{HASHES[0]}", "k:3", "k:4"]
    files, objects = ["a.c", "/x/b.c", "/y/b.c"], ["lib0.so", "lib1.so"]
    for _ in range(60):
        base, new = (
            profile_of(
                *dict.fromkeys(
                    f"{name} {random.choice(files)} {random.choice(objects)}"
                    for name in random.choice(names, 6)
                )
            )
            for _ in range(2)
        )
        there, back = pair_functions(base, new), pair_functions(new, base)

        def groups(pairing: Pairing, *, swapped: bool) -> set[tuple[object, ...]]:
            found = set()
            for row in range(len(pairing)):
                sides = [tuple(pairing.base_members(row)), tuple(pairing.new_members(row))]
                found.add((*(sides[::-1] if swapped else sides), pairing.how[row]))
            return found

        assert groups(there, swapped=False) == groups(back, swapped=True)


def calling(**callees: str) -> Profile:
    """A profile of functions, with the callees of each as letters."""
    rows = [
        f"{name}@a.c 1 -> {', '.join(f'{callee} 1x1' for callee in called)}"
        for name, called in callees.items()
    ]
    known = [f"{letter}@a.c 1" for letter in "abcdefghij"]
    return profile_from(profile_text("\n".join([*rows, *known])).encode())


def proposals(base: Profile, new: Profile) -> list[tuple[str, str, float]]:
    """The proposed names of the base and the new profile, and how much they are alike."""
    return [
        (base.function_name(each.base), new.function_name(each.new), round(each.alike, 3))
        for each in compare(base, new).renames
    ]


@pytest.mark.parametrize(
    ("old", "young", "expected"),
    [
        ("abc", "abc", [("old", "young", 1.0)]),
        ("abcde", "abcdf", [("old", "young", 0.8)]),
        ("abcde", "abfgh", []),
        ("abcde", "edcba", []),  # in another order
        ("ab", "ab", []),  # too few to say
        ("aabbcc", "abc", [("old", "young", 1.0)]),
        ("abcd", "abdc", []),  # 0.75
    ],
)
def test_functions_with_the_same_callees(
    old: str, young: str, expected: list[tuple[str, str, float]]
) -> None:
    """At least three callees, of which 80 % are the same in the same order."""
    # calls of one line have the order of the file
    assert proposals(calling(old=old), calling(young=young)) == expected


def test_proposals_are_the_best_for_each_other() -> None:
    """Where two functions are equally alike, nothing is proposed; a better one wins."""
    assert proposals(calling(old="abcde"), calling(one="abcde", two="abcde")) == []
    assert proposals(calling(old="abcde"), calling(one="abcdf", two="abcde")) == [
        ("old", "two", 1.0)
    ]
    assert proposals(
        calling(first="abcdefghi", second="abcdefgh"), calling(one="abcdefghi", two="abcdefghj")
    ) == [("first", "one", 1.0)]


@pytest.mark.parametrize(
    ("drawing", "is_proposed"),
    [
        ("main@a.c 1 -> young 3x6\nyoung@a.c 6", True),
        ("main@a.c 1 -> young 3x9\nyoung@a.c 9", True),
        ("main@/new/a.c 1 -> young 3x6\nyoung@/new/a.c 6", True),
        ("main@a.c 1 -> young 4x6\nyoung@a.c 6", False),
        ("main@a.c 1 -> young 3x6\nyoung@b.c 6", False),
        ("main@a.c 1 -> young 3x6, third 3x6\nyoung@a.c 6\nthird@a.c 6", False),
        ("main@a.c 1 -> other 1x6\nother@a.c 1 -> young 3x6\nyoung@a.c 6", False),
    ],
)
def test_functions_with_few_callees(drawing: str, is_proposed: bool) -> None:
    """In one file, and called equally often by the same functions, as no other one is."""
    base = profile_from(profile_text("main@a.c 1 -> old 3x6\nold@a.c 6").encode())
    new = profile_from(profile_text(drawing).encode())
    assert proposals(base, new) == ([("old", "young", 1.0)] if is_proposed else [])


def test_functions_of_both_sides_are_not_proposed() -> None:
    """What is paired is no other function, however alike the callees are."""
    assert proposals(calling(same="abc"), calling(same="abcd", other="abc")) == []


def test_accepted_proposals_are_pairs() -> None:
    """Then the changes of both are one change; by default nothing is paired by a guess."""
    base, new = calling(old="abcde"), calling(young="abcde")
    plain, accepted = compare(base, new), compare(base, new, MatchingRules(accepts_renames=True))
    ir = plain.events[0]

    assert How.ACCEPTED not in plain.pairing.how
    assert plain.gross_change(ir).grown == 1
    assert accepted.pairing.how.count(How.ACCEPTED) == 1
    assert accepted.gross_change(ir).grown == 0
    assert accepted.renames == ()


def test_swapped_sides_have_the_same_proposals() -> None:
    """Whichever is the base."""
    sides = (
        calling(p="abcde", q="bcdefg", r="cdefgh"),
        calling(x="abcdf", y="bcdefg", z="abcdefgh"),
    )
    there, back = compare(*sides).renames, compare(*reversed(sides)).renames

    assert there
    assert {Rename(each.new, each.base, each.alike) for each in back} == set(there)


def test_many_unpaired_functions() -> None:
    """The work grows with the number of functions, not with that of pairs."""

    def build(count: int) -> tuple[Profile, Profile]:
        def side(name: str) -> Profile:
            lines = ["events: Ir", "fl=a.c"]
            for number in range(count):
                lines += [f"fn={name}{number}", "1 1"]
                for callee in range(number, number + 4):
                    lines += [f"cfn=callee{callee}", "calls=1 1", "1 1"]
            return profile_from("\n".join(lines).encode())

        return side("old"), side("young")

    sides = {count: compare(*build(count)) for count in (250, 2000)}
    assert len(compare(*build(250)).renames) == 250

    def propose(count: int) -> object:
        sides[count].__dict__.pop("renames", None)
        return sides[count].renames

    assert_linear(propose, 2000)
