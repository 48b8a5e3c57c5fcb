"""The calls of functions as tables: callers and callees, and the costliest path to a function."""
