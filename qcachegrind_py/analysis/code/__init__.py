"""Costs of source lines and instructions, and the control flow of a function."""
