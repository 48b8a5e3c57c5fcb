"""Folding functions into their callers."""
