"""Explanations of numbers, in words."""
