"""How functions, classes, groups and paths are named and coloured."""
