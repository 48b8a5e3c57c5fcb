"""The Callgrind format: `scanner` and `symbols`, compiled, read lines; `reader` the rest."""
