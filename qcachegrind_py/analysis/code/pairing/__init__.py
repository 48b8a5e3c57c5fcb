"""Which instructions of two builds of a function are the same."""
