"""Settings on disk, both the user's and those of each profiled program."""
