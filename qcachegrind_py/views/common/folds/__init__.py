"""What views show of functions that are charged to their callers."""
