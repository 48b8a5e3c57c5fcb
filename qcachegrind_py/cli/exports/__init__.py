"""The tasks that write profiles for other programs."""
