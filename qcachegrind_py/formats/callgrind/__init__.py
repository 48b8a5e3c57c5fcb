"""The Callgrind format: `scanner` and `symbols` (compiled) go over lines, `reader` makes a profile of it."""
