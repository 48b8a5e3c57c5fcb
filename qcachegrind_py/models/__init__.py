"""Qt item models over arrays, one file a list or picture."""
