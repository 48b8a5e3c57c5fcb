"""Folding in the window: actions, menu entries, and the bar that lists what is folded."""
