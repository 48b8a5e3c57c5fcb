"""The Callgrind format: `reader` reads it, its `scanner` compiled, and `writer` writes it."""
