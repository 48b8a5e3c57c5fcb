"""The Callgrind format: scanner, reader and, in `writing`, the writer."""
