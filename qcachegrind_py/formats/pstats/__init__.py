"""The format of Python's profilers, `cProfile` and `profile`."""
