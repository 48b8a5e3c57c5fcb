"""Handling of errors and crashes of the program itself: reports, log, dialog."""
