"""Writing profiles in the Callgrind format."""
