"""Costs of source lines and instructions, and control flow inside a function."""
