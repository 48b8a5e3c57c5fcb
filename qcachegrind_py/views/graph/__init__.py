"""Diagrams of boxes and arrows: the call graph, and the control flow of a function."""
