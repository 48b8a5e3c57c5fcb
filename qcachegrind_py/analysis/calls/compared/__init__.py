"""The call graph and the frame tree of a comparison."""
