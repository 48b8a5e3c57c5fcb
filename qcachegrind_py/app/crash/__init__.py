"""What happens when the program itself fails: reports, logs, a dialog."""
