"""The guide, and what everything in the window is."""
