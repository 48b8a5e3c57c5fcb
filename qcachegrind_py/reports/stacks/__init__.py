"""Stacks of functions with their self costs, for other viewers of flame graphs."""
