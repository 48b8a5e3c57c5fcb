"""What makes two runs incomparable: in what they differ besides the code of the program.

Headers say some of it. More is seen in which functions ran: those that libc has for a processor,
those that read the environment when a program starts, or bind a symbol when it is first called.
Only what a profile proves is a difference; what may be is told by `doubts`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from qcachegrind_py.analysis.comparison.matching import self_costs
from qcachegrind_py.analysis.comparison.sides import (
    has_contexts,
    object_name,
    processor_key,
    processors,
    rows_of_libc,
)
from qcachegrind_py.analysis.costs.function_costs import has_call_counts
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.ids import text_ids
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.profile import Profile

_CACHES = ("I1 cache", "D1 cache", "LL cache", "L2 cache")


@frozen(eq=True)
class Difference:
    """One thing in which the base and the new profile differ, in words."""

    what: str
    base: str
    new: str
    remedy: str = ""  # what makes the runs equal in this, in a sentence

    @property
    def sentence(self) -> str:
        """All of it in a line."""
        text = f"{self.what}: {self.base or '–'} → {self.new or '–'}"
        return f"{text}. {self.remedy}" if self.remedy else text


def differences(base: Profile, new: Profile) -> Iterator[Difference]:
    """Yield what differs between two runs, the most important first."""
    others = _facts(new)
    for what, one in _facts(base).items():
        if one != others[what]:
            yield Difference(what, one or "none", others[what] or "none")
    yield from _surroundings(base, new)


def parts_warning(base: Profile, new: Profile) -> str:
    """Return a sentence about parts or threads that one side lacks; empty if there are none."""
    counts = {
        "part": (len(base.parts), len(new.parts)),
        "thread": (_thread_count(base), _thread_count(new)),
    }
    for what, (one, other) in counts.items():
        if one != other:
            return (
                f"The base has {one:,} {plural(one, what)}, the new profile {other:,}: "
                "the costs of what one side alone has count as changes."
            )
    return ""


def _facts(profile: Profile) -> dict[str, str]:
    """Return the facts of a profile in words, the most important first."""
    return {
        "Command": profile.command,
        "Recorded by": profile.creator,
        "Events": " ".join(profile.events.names),
        **{cache: profile.parts[0].description(cache) for cache in _CACHES},
        "Calls": _calls(profile),
        "Contexts": "callers in names" if has_contexts(profile) else "",
        "Jumps": "recorded" if len(profile.jumps) else "",
        "Instructions": "recorded" if profile.costs.address is not None else "",
        "Parts": f"{len(profile.parts):,}",
        "Threads": f"{_thread_count(profile):,}",
    }


def _thread_count(profile: Profile) -> int:
    return len({(part.pid, part.thread) for part in profile.parts})


def _calls(profile: Profile) -> str:
    if not len(profile.calls):
        return ""
    return "counted" if has_call_counts(profile) else "recorded without counts"


# ---------------------------------------------------------------- what surrounds a run

_BINDS_LATE = "_dl_runtime_resolve"
# functions of glibc that do nothing but read the environment when a program starts
_READ_ENVIRONMENT = (
    "__tunables_init",
    "__GI___tunables_init",
    "_dl_next_ld_env_entry",
    "_dl_sysdep_parse_arguments",
    "process_envvars",
)
_COMPILERS = {
    "C++ headers": re.compile(rb"/include/c\+\+/(\d[\d.]*)/"),
    "Rust compiler": re.compile(rb"/rustc/([0-9a-f]{7,40})/library/"),
    "Go": re.compile(rb"/go-?(\d[\d.]*)/src/runtime/"),
}
_MOST_NAMED = 3  # functions, where there are more

_ONE_COMPILER = "Build both with one compiler."
_ONE_LIBRARY = "Record both with the same libraries."
_ONE_PROCESSOR = (
    "Record both on one machine, or both with "
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX2,-AVX,-ERMS."
)
_ONE_ENVIRONMENT = "Start both with env -i and the same variables."
_ONE_BINDING = "Link both with -z now or both without, and set LD_BIND_NOW for both or neither."


def _surroundings(base: Profile, new: Profile) -> Iterator[Difference]:
    """Yield in what compiler, libraries, processor and environment differ, as far as is seen."""
    for what, pattern in _COMPILERS.items():
        one, other = (_versions(profile, pattern) for profile in (base, new))
        if one and other and one != other:
            yield Difference(what, one, other, _ONE_COMPILER)
    libraries = _libraries(base), _libraries(new)
    for name in sorted(libraries[0].keys() & libraries[1].keys()):
        one, other = libraries[0][name], libraries[1][name]
        if one != other:
            yield Difference("Library", one, other, _ONE_LIBRARY)
    started = _start(base), _start(new)
    yield from _processors(*(start.variants for start in started))
    yield from _started(*started)


_Variants = dict[str, dict[str, frozenset[str]]]  # by the name that all of a function share


@frozen
class _Start:
    """What the functions of libc tell of how a run started."""

    variants: _Variants  # those that ran, with the instructions that they need
    environment: int  # what reading the environment cost; 0 if that was not recorded
    event: str  # of that cost
    binds_late: bool  # whether a symbol was bound when it was first called


def _start(profile: Profile) -> _Start:
    names: dict[int, str] = {}
    variants: defaultdict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for rows, is_static in rows_of_libc(profile):
        texts = profile.texts.lookup(text_ids(profile.functions.name[rows]))
        for row, name in zip(rows.tolist(), texts, strict=True):
            names[row] = name
            if key := processor_key(name, is_static=is_static):
                variants[key][name] = processors(name)
    readers = [row for row, name in names.items() if name in _READ_ENVIRONMENT]
    event = next(iter(profile.events.names), "")  # there is none in a file that was cut
    cost = int(self_costs(profile)[readers].sum()) if readers and event else 0
    binds_late = any(name.startswith(_BINDS_LATE) for name in names.values())
    return _Start(variants, cost, event, binds_late)


def _processors(base: _Variants, new: _Variants) -> Iterator[Difference]:
    """Yield that libc chose other functions for the processor, which no code of a program does."""
    others = [
        key
        for key in sorted(base.keys() & new.keys())
        if _run_by_others(_instructions(base[key]), _instructions(new[key]))
    ]
    if others:
        one, other = ([name for key in others for name in each[key]] for each in (base, new))
        yield Difference("Processor", _named(one), _named(other), _ONE_PROCESSOR)


def _run_by_others(base: frozenset[str], new: frozenset[str]) -> bool:
    """Return whether the sides ran variants for different instructions, each for some."""
    return bool(base and new) and base.isdisjoint(new)


def _instructions(variants: dict[str, frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*variants.values())


def _started(base: _Start, new: _Start) -> Iterator[Difference]:
    """Yield in what the starts of two runs differ, if both were recorded."""
    if not (base.environment and new.environment):
        return
    if base.event == new.event and base.environment != new.environment:
        one, other = (f"read in {each.environment:,} {each.event}" for each in (base, new))
        yield Difference("Environment", one, other, _ONE_ENVIRONMENT)
    if base.binds_late != new.binds_late:
        one, other = (
            "when first called" if each.binds_late else "at the start" for each in (base, new)
        )
        yield Difference("Symbols are bound", one, other, _ONE_BINDING)


def _versions(profile: Profile, pattern: re.Pattern[bytes]) -> str:
    found = {match[1].decode("ascii") for match in pattern.finditer(profile.texts.arena)}
    return " ".join(sorted(found))


def _libraries(profile: Profile) -> dict[str, str]:
    """Return the file name of each library by its name without version; of those with one."""
    paths = {profile.texts[text_id] for text_id in text_ids(np.unique(profile.functions.object))}
    files: defaultdict[str, set[str]] = defaultdict(set)
    for path in paths:
        file = path.replace("\\", "/").rpartition("/")[2]
        files[object_name(path)].add(file)
    return {
        name: next(iter(some)) for name, some in files.items() if ".so" in name and len(some) == 1
    }


def _named(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


# ---------------------------------------------------------------- what may surround it

_SEEDED = {  # programs, and functions, that have hash tables with random seeds by default
    re.compile(r"(?:^|/)python[\d.]*$"): "Python: set PYTHONHASHSEED=0.",
    re.compile(r"(?:^|/)perl[\d.]*$"): "Perl: set PERL_HASH_SEED=0 and PERL_PERTURB_KEYS=0.",
    re.compile(r"(?:^|/)ruby[\d.]*$"): "Ruby, which cannot be told a seed.",
}
_RUST_SEEDS = b"hashmap_random_keys"


def doubts(profile: Profile) -> Iterator[str]:
    """Yield what may change costs from run to run, as a sentence; none of it is certain."""
    may = "Hash tables may have random seeds in"
    for program, words in _SEEDED.items():
        if program.search(profile.program_name):
            yield f"{may} {words}"
    if _RUST_SEEDS in profile.texts.arena:
        yield f"{may} Rust: use a fixed hasher."
