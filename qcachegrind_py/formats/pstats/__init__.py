"""The files of Python's own profilers."""
