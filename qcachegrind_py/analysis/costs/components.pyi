# What a type checker sees of components.py, whether it is compiled or not.
def find_components(
    caller: memoryview,
    callee: memoryview,
    first: memoryview,
    targets: memoryview,
    scratch: memoryview,
    component: memoryview,
) -> None: ...
