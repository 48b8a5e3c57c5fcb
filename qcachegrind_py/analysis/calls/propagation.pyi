# What a type checker sees of propagation.py, whether it is compiled or not.
def propagate(
    start: memoryview,
    order: memoryview,
    target: memoryview,
    cost: memoryview,
    count: memoryview,
    inclusive: memoryview,
    origin: int,
    limits: memoryview,
    amounts: memoryview,
    steps: memoryview,
) -> None: ...
