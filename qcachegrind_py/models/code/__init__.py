"""Models of source lines, instructions and basic blocks."""
