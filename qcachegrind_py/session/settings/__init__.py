"""Settings on disk: of the user and for each program."""
