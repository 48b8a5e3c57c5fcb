"""Comparison of profiles: which functions of two runs are the same, and what changed."""
