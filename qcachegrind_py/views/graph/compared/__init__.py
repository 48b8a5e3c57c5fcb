"""The call graph of a comparison."""
