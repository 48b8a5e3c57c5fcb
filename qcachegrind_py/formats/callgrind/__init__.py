"""The Callgrind format: scanner and reader; the writer is in `writing`."""
