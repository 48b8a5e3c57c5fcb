"""What makes two runs differ besides the code: said before any number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qcachegrind_py.analysis.comparison.stable_names import has_contexts
from qcachegrind_py.analysis.costs.call_edges import has_call_counts
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.profile import Profile

_CACHES = ("I1 cache", "D1 cache", "LL cache", "L2 cache")
_NONE = "none"


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which the base and the new profile differ, in words."""

    what: str
    base: str
    new: str


def differences(base: Profile, new: Profile) -> Iterator[Difference]:
    """Yield what differs between two runs, the most important first."""
    for what, one, other in zip(_FACTS, _facts(base), _facts(new), strict=True):
        if one != other:
            yield Difference(what, one or _NONE, other or _NONE)


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


_FACTS = (
    "Command",
    "Recorded by",
    "Events",
    *_CACHES,
    "Calls",
    "Contexts",
    "Jumps",
    "Instructions",
    "Parts",
    "Threads",
)


def _facts(profile: Profile) -> Iterator[str]:
    """Yield the facts of a profile, in the order of `_FACTS`."""
    first = profile.parts[0]
    yield profile.command
    yield profile.creator
    yield " ".join(profile.events.names)
    yield from (first.description(cache) for cache in _CACHES)
    yield _calls(profile)
    yield "callers in names" if has_contexts(profile) else ""
    yield "recorded" if len(profile.jumps) else ""
    yield "recorded" if profile.costs.address is not None else ""
    yield f"{len(profile.parts):,}"
    yield f"{_thread_count(profile):,}"


def _thread_count(profile: Profile) -> int:
    return len({(part.pid, part.thread) for part in profile.parts})


def _calls(profile: Profile) -> str:
    if not len(profile.calls):
        return ""
    return "counted" if has_call_counts(profile) else "recorded without counts"
