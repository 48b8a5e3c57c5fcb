"""The frame tree of a comparison."""
