"""What happens when the program itself goes wrong: hooks, reports, the log, the dialog."""
