"""The split: a second set of views in the window, with its own active function."""
