"""Qt item models over arrays."""
