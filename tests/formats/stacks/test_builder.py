"""The profile that is built of stacks: names, parts, events, bounds, and what merging keeps."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.formats.stacks.builder import MAX_DEPTH, StackBuilder
from qcachegrind_py.profile.profile import Profile, in_part_order, merge_profiles


def _stacks(profile: Profile) -> dict[tuple[str, ...], tuple[int, ...]]:
    """Return the costs of each stack: part, then `function:line` from the outermost."""
    contexts = profile.contexts
    assert contexts is not None
    paths: list[tuple[str, ...]] = []
    for row, above in enumerate(contexts.parent.tolist()):
        function, line = int(contexts.function[row]), int(contexts.line[row])
        name = profile.texts.lookup([profile.functions.name[function]])[0]
        outer = paths[above] if above >= 0 else (str(contexts.part[row]),)
        paths.append((*outer, f"{name}:{line}"))
    costs = (tuple(column) for column in contexts.values.T.tolist())
    return {path: cost for path, cost in zip(paths, costs, strict=True) if any(cost)}


def _built(*stacks: tuple[str, int], path: str = "x", event: str = "samples") -> StackBuilder:
    builder = StackBuilder(path, "test")
    builder.event(event)
    part = builder.part()
    for stack, cost in stacks:
        context = part
        for name in stack.split():
            context = builder.child(context, builder.frame(builder.function(name)))
        builder.add(context, cost)
    return builder


def test_equal_stacks_become_one_context() -> None:
    profile = _built(("main f", 2), ("main", 1), ("main f", 3), ("main g f", 4)).profile()
    assert _stacks(profile) == {
        ("0", "main:0"): (1,),
        ("0", "main:0", "f:0"): (5,),
        ("0", "main:0", "g:0", "f:0"): (4,),
    }
    assert profile.contexts is not None
    assert len(profile.contexts) == 4
    assert not profile.diagnostics


def test_an_event_met_later_is_zero_in_the_stacks_before_it() -> None:
    builder = _built(("main", 1))
    size = builder.event("alloc space", "alloc space (bytes)")
    assert size == builder.event("alloc_space")
    builder.add(0, 2, 30)
    profile = builder.profile()
    assert profile.events.names == ("samples", "alloc_space")
    assert _stacks(profile) == {("0", "main:0"): (3, 30)}


def test_each_part_has_stacks_of_its_own() -> None:
    builder = StackBuilder("x", "test")
    builder.event("samples")
    frame = builder.frame(builder.function("main", "main.c", "a.out"), 7)
    for name, thread in (("worker", 8), ("", 9)):
        builder.add(builder.child(builder.part(name, 1, thread), frame), thread)
    profile = builder.profile()
    assert _stacks(profile) == {("0", "main:7"): (8,), ("1", "main:7"): (9,)}
    assert [(part.pid, part.thread, part.description("Thread")) for part in profile.parts] == [
        (1, 8, "worker"),
        (1, 9, ""),
    ]
    assert profile.named_functions([0]) == {
        "name": ["main"],
        "file": ["main.c"],
        "object": ["a.out"],
    }


def test_costs_of_a_stack_beyond_the_bound_are_counted_where_it_is_cut() -> None:
    builder = StackBuilder("x", "test")
    builder.event("samples")
    context = builder.part()
    for line in range(1, MAX_DEPTH + 3):
        context = builder.child(context, builder.frame(builder.function("f"), line))
    builder.add(context, 5)
    profile = builder.profile()
    assert profile.contexts is not None
    assert len(profile.contexts) == MAX_DEPTH
    assert profile.contexts.values[0, -1] == 5
    assert [(each.kind, each.line) for each in profile.diagnostics] == [("too-deep", 0)] * 2


def test_what_is_out_of_range_is_unknown_and_an_impossible_cost_is_reported() -> None:
    builder = StackBuilder("x", "test")
    builder.event("samples")
    function = builder.function("two\nlines")
    assert builder.frame(function, -1, -1) == builder.frame(function, 1 << 31, 1 << 64)
    builder.add(builder.child(builder.part(), builder.frame(function, -1)), 1 << 70)
    profile = builder.profile()
    assert profile.named_functions([0])["name"] == ["two lines"]
    assert _stacks(profile) == {}
    assert [each.kind for each in profile.diagnostics] == ["number-too-large"]


def test_merged_profiles_keep_the_stacks_of_each_and_unite_names_and_events() -> None:
    first = _built(("main f", 2), path="a").profile()
    second = _built(("f main", 3), ("f", 1), path="b", event="bytes").profile()
    merged = in_part_order(merge_profiles([first, second]))
    assert merged.events.names == ("samples", "bytes")
    assert _stacks(merged) == {
        ("0", "main:0", "f:0"): (2, 0),
        ("1", "f:0", "main:0"): (0, 3),
        ("1", "f:0"): (0, 1),
    }
    contexts = merged.contexts
    assert contexts is not None
    assert contexts.end.tolist() == [2, 2, 4, 4]
    assert np.array_equal(contexts.stack_values, [[2, 2, 0, 0], [0, 0, 4, 3]])
