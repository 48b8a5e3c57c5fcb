# What a type checker sees of charging.py, whether it is compiled or not.
def find_owners(
    first: memoryview, source: memoryview, caller: memoryview, owner: memoryview
) -> None: ...
def pass_up(
    first: memoryview,
    source: memoryview,
    owner: memoryview,
    callee: memoryview,
    weight: memoryview,
    back_first: memoryview,
    back_callee: memoryview,
    back_weight: memoryview,
    amount: memoryview,
    charge: memoryview,
    exact: memoryview,
    state: memoryview,
    merged: memoryview,
    passed: memoryview,
    limits: memoryview,
) -> int: ...
