"""Stacks of other profilers: a reader for each format."""
