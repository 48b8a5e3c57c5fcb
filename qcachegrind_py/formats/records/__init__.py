"""The lines of profile files that rows of a profile were read from."""
