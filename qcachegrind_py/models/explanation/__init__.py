"""Lists that explain how the cost of the active function changed."""
