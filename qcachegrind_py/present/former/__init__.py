"""Formats that give way to `present.unit` and `present.figures`."""
