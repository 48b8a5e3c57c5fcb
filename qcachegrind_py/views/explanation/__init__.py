"""The Explain Change dock: how the cost of the active function changed."""
