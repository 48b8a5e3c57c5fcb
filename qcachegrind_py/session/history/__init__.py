"""The history of a program in a session: its revisions, read in a job, and what is chosen in it."""
