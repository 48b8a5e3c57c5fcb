"""The nodes and calls of the call graph."""
