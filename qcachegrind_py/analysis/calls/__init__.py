"""Calls between functions: direct and transitive callers and callees, graphs, trees, treemaps."""
