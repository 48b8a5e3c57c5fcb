"""The code of both sides of a comparison, in one order."""
