"""The call graph, drawn as nodes and arrows."""
