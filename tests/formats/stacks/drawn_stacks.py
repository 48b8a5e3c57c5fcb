"""The stacks of a profile as text, to be compared as a whole."""

from __future__ import annotations

from pathlib import Path

import qcachegrind_py as q
from qcachegrind_py.profile.profile import Profile


def load_text(folder: Path, text: str | bytes, name: str = "stacks") -> Profile:
    path = folder / name
    path.write_bytes(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text)
    return q.load(path)


def drawn(profile: Profile) -> list[str]:
    """Return a line for each stack with costs: its thread, functions and costs, in preorder.

    A function is `name file:line 0xaddress (object)`, as far as it is known.
    """
    contexts = profile.contexts
    assert contexts is not None
    names = profile.named_functions(range(len(profile.functions)))
    stacks: list[str] = []
    for row, above in enumerate(contexts.parent.tolist()):
        function = int(contexts.function[row])
        file, object_ = (names[key][function] for key in ("file", "object"))
        line = int(contexts.line[row])
        address = 0 if contexts.address is None else int(contexts.address[row])
        words = [names["name"][function]]
        if line or file != "???":
            words.append(f"{file}:{line}")
        if address:
            words.append(f"{address:#x}")
        if object_ != "???":
            words.append(f"({object_})")
        part = profile.parts[int(contexts.part[row])]
        thread = f"{part.description('Thread')} {part.pid}/{part.thread}".strip()
        stacks.append(f"{stacks[above] if above >= 0 else thread}; {' '.join(words)}")
    costs = contexts.values.T.tolist()
    return [
        f"{stack} = {' '.join(map(str, cost))}"
        for stack, cost in zip(stacks, costs, strict=True)
        if any(cost)
    ]


def inclusive(profile: Profile, event: int = 0) -> dict[str, tuple[int, int]]:
    """Return the self and the inclusive cost of each name, stack by stack."""
    contexts = profile.contexts
    assert contexts is not None
    names = profile.named_functions(range(len(profile.functions)))["name"]
    self_costs: dict[str, int] = {}
    costs: dict[str, int] = {}
    for row, cost in enumerate(contexts.values[event].tolist()):
        name = names[int(contexts.function[row])]
        self_costs[name] = self_costs.get(name, 0) + cost
        on_stack = set()
        while row >= 0:
            on_stack.add(names[int(contexts.function[row])])
            row = int(contexts.parent[row])
        for each in on_stack:
            costs[each] = costs.get(each, 0) + cost
    return {name: (self_costs.get(name, 0), cost) for name, cost in costs.items()}


def total(profile: Profile, event: int = 0) -> int:
    assert profile.contexts is not None
    return int(profile.contexts.values[event].sum())
