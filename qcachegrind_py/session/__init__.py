"""The state of the program: open profile, navigation, background jobs."""
