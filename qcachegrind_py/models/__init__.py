"""Qt item models over arrays, one file per list or picture."""
