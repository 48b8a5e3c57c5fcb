"""Writer of the Callgrind format."""
